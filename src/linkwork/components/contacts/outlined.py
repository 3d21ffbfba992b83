"""Two outlines on two bodies: what springy and rigid contact have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Annotated, TypeAlias

from linkwork.components.contacts.between import Between
from linkwork.components.contacts.features import Features
from linkwork.components.contacts.outlines import Box, Convex, Outline
from linkwork.components.contacts.touching import Touch, check_outlines, touches
from linkwork.core.component import View
from linkwork.core.kinds import Claim, function, nonnegative
from linkwork.core.pairing import Held, Paired
from linkwork.geometry import SX, Number

Radius: TypeAlias = Annotated[Number | None, nonnegative["m"], "of a ball instead of `shape`; 0 or None: a point"]
Shape: TypeAlias = Annotated[Outline | None, "outline at `at`, such as lw.outlines.Box((0.2, 0.1, 0.1))"]
Other: TypeAlias = Annotated[Outline | None, "outline at `on`; None: ground"]
Height: TypeAlias = Annotated[
    Callable[[SX], Number] | Callable[[SX, SX], Number] | None,
    function.saying("Give a function of x and y (of x in the plane).", "{word} {given} is not a function."),
    "of the ground instead: z = height(x, y) in the axes of `on` (y = height(x) in the plane); None: flat",
]


class Outlined(Between, Paired):
    """shape: the outline at `at`; other: what it touches, at `on`."""

    shape: Outline
    other: Outline

    def claims(self) -> Iterator[Claim]:
        return chain(super().claims(), self.shape.claims(), self.other.claims())

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

    def touches(self, view: View) -> list[Touch]:
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
