"""Play between two coordinates: teeth, splines and couplings that only touch at the ends of it."""

from __future__ import annotations

from typing import Annotated

from linkwork.components.coordinate import Coordinate
from linkwork.components.laws import Limits
from linkwork.core.component import Element, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import nonnegative, nonzero, positive, quantity
from linkwork.core.registry import component
from linkwork.geometry import SX, Number


@component
class Backlash(Element):
    """A gear with play: driven − ratio · driver − phase is free within ± play/2; beyond, the teeth press.

    Force of the teeth as of `lw.Limits`, k·depth·(1 + dissipation·speed). Without `driver`: play of one coordinate.
    """

    def __init__(
        self,
        name: str,
        driven: Annotated[Coordinate, "coordinate that is driven"],
        driver: Annotated[Coordinate | None, "coordinate that drives; None: what stands still"] = None,
        *,
        play: Annotated[Number, positive["m or rad"], "of `driven`, from one flank to the other"],
        ratio: Annotated[Number, nonzero, "turns of `driven` per turn of `driver`"] = 1.0,
        phase: Annotated[Number, quantity["m or rad"], "`driven` in the middle of the play, where `driver` is 0"] = 0.0,
        stiffness: Annotated[Number, positive["N/m or N·m/rad"], "k, of the flanks, along `driven`"] = 1e5,
        dissipation: Annotated[Number, nonnegative["s/m or s/rad"], "loss, of Hunt and Crossley"] = 0.0,
    ):
        super().__init__(name)
        for c in (driven, driver):
            if c is not None and not isinstance(c, Coordinate):
                raise ModelError(f"{c!r} is not a joint coordinate.", component=name, remedy="Give e.g. `O.angle`.")
        if driven is driver:
            raise ModelError("drives a coordinate by itself.", component=name, remedy="Give two coordinates, or one.")
        self.driven, self.driver, self.ratio, self.phase = driven, driver, ratio, phase
        self.play, self.stiffness, self.loss = play, stiffness, dissipation

    @property
    def flanks(self) -> Limits:
        half = SX(self.play) / 2
        return Limits(-half, half, stiffness=self.stiffness, dissipation=self.loss)

    def _twist(self, view: View) -> tuple[SX, SX]:
        """How far it is from the middle of the play, and how fast."""
        x, v = SX(view.coordinate(self.driven)) - self.phase, SX(view.rate(self.driven))
        if self.driver is None:
            return x, v
        return x - self.ratio * view.coordinate(self.driver), v - self.ratio * view.rate(self.driver)

    def efforts(self, view):
        effort = self.flanks.effort(view.t, *self._twist(view))
        return [(self.driven, effort)] + ([(self.driver, -self.ratio * effort)] if self.driver is not None else [])

    def potential(self, view):
        return self.flanks.potential(self._twist(view)[0])

    def dissipation(self, view):
        return self.flanks.dissipation(*self._twist(view))

    def switches(self, view):
        return self.flanks.switches(self._twist(view)[0])

    def channels(self, view):
        x, v = self._twist(view)
        effort = self.flanks.effort(view.t, x, v)
        return {"twist": (self.driven.unit, x), "effort": (self.driven.effort_unit, effort)}
