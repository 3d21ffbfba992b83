"""What acts at single times: every so often it looks, and holds what it has found until it looks again."""

from __future__ import annotations

from abc import abstractmethod

from linkwork.core.component import Component


class Discrete(Component):
    """States of it jump at times of its own, which only a run knows how to go through."""


class Periodic(Discrete):
    """A controller that looks at offset + k · period [s]."""

    period: float
    offset: float

    @property
    @abstractmethod
    def updates(self) -> dict[str, str]:
        """State → the channel whose value it takes over at a sample."""
        raise NotImplementedError
