"""Two outlines on two bodies: what springy and rigid contact have in common."""

from __future__ import annotations

from linkwork.components.contacts.between import Between
from linkwork.components.contacts.features import Features
from linkwork.components.contacts.outlines import Box, Convex, Outline
from linkwork.components.contacts.touching import Touch, check_outlines, touches
from linkwork.core.component import View
from linkwork.core.pairing import Held, Paired
from linkwork.geometry import SX


class Outlined(Between, Paired):
    """shape: the outline at `at`; other: what it touches, at `on`."""

    shape: Outline
    other: Outline
    _features: Features | None = None

    def features(self, planar: bool) -> Features | None:
        """The numbers that two convex outlines hold; None: they are no such pair, and need none."""
        a, b = self.shape, self.other
        if not isinstance(a, (Box, Convex)) or not isinstance(b, (Box, Convex)):
            return None
        if self._features is None:
            check_outlines(a, b, planar, self.name)
            rounded = not (SX(a.rounding).is_zero() and SX(b.rounding).is_zero())
            self._features = Features(self.name, planar, rounded)
        return self._features

    def found(self, view: View) -> list[Touch]:
        """All places where they may touch."""
        A, B = self.frames(view)
        features = self.features(view.planar)
        if features is None:
            return touches(self.shape, A, self.other, B, view.planar, self.name)
        assert isinstance(self.shape, (Box, Convex)) and isinstance(self.other, (Box, Convex))
        return features.touches(self.shape, A, self.other, B)

    def held(self, view: View) -> Held | None:
        features = self.features(view.planar)
        if features is None:
            return None
        A, B = self.frames(view)
        assert isinstance(self.shape, (Box, Convex)) and isinstance(self.other, (Box, Convex))
        return Held(features.names, features.symbols, features.watch(self.shape, A, self.other, B))
