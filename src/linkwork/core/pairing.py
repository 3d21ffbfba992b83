"""Outlines whose touching corners, edges and faces are chosen anew during a run: the contract."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.core.component import Component, View
from linkwork.geometry import SX


@dataclass(frozen=True)
class Held:
    """Numbers that stay as they are until something is chosen anew: states without a rate, by name."""

    names: list[str]
    symbols: SX
    watch: SX
    """It has to be done where this falls to zero."""


class Paired(Component):
    """Anything whose equations hold numbers that a run has to choose, and to choose anew."""

    def held(self, view: View) -> Held | None:
        """None: it has none."""
        return None
