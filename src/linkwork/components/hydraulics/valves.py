"""Hydraulic valves. Shut means shut: no oil flows at all."""

from __future__ import annotations

from typing import Annotated

import casadi as ca

from linkwork.components.given import End, Signal
from linkwork.components.hydraulics.passages import (
    Area,
    Density,
    Discharge,
    Edged,
    Laminar,
    Passage,
    pressure_end,
    turbulent,
)
from linkwork.components.wiring.wired import Wired
from linkwork.core.kinds import nonnegative, positive, ranged
from linkwork.core.port import HYDRAULIC
from linkwork.core.registry import component
from linkwork.geometry import SX, Number

OVERLAP = ranged("0 … < 1", lambda x: 0 <= x < 1, "Give a share of the spool's way below 1, or 0; at 1 it never opens.")


@component
class CheckValve(Edged):
    """Lets oil flow from a to b only, once the drop exceeds `opening`."""

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        area: Area,
        opening: Annotated[Number, nonnegative["Pa"], "drop beyond which it opens"] = 0.0,
        discharge: Discharge = 0.611,
        density: Density = 860.0,
        laminar: Laminar = 100.0,
    ):
        super().__init__(name, a, b, discharge, density, laminar)
        self.area, self.opening = area, opening

    def flow(self):
        return self.throttled(self.area, ca.fmax(self.drop - self.opening, 0))

    def switches(self):
        return [self.drop - self.opening]


@component
class ReliefValve(Passage):
    """Opens from a to b where the drop exceeds `opening`; then the flow grows by `gain`."""

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        opening: Annotated[Number, positive["Pa"], "drop beyond which it opens"],
        gain: Annotated[Number, positive["m³/s per Pa"], "flow per drop beyond that"],
    ):
        super().__init__(name, a, b)
        self.opening, self.gain = opening, gain

    def flow(self):
        return self.gain * ca.fmax(self.drop - self.opening, 0)

    def switches(self):
        return [self.drop - self.opening]


@component
class DirectionalValve(Wired):
    """A 4/3 valve with ports p (pump), t (tank), a, b.

    Where `spool` is above 0 it opens p → a and b → t, below 0 p → b and a → t, each up to `area`; within ±overlap it is
    shut, with no leakage whatsoever.
    """

    ways = (("p", "a", 1), ("b", "t", 1), ("p", "b", -1), ("a", "t", -1))

    def __init__(
        self,
        name: str,
        p: End = None,
        t: End = None,
        a: End = None,
        b: End = None,
        *,
        spool: Annotated[Signal, "position of the spool, a signal from −1 to 1"] = None,
        area: Annotated[Area, "of each way, fully open"],
        overlap: Annotated[Number, OVERLAP, "share of the spool's way within which all is shut"] = 0.0,
        discharge: Discharge = 0.611,
        density: Density = 860.0,
        laminar: Laminar = 100.0,
    ):
        super().__init__(name)
        self.area, self.overlap = area, overlap
        self.discharge, self.density, self.laminar = discharge, density, laminar
        self.p, self.t, self.a, self.b = (
            self.join_port(n, HYDRAULIC, None if end is None else pressure_end(end, name))
            for n, end in zip("ptab", (p, t, a, b), strict=True)
        )
        self.take_signal("spool", spool)

    def flows(self) -> list[tuple[str, str, SX, SX]]:
        """(from, to, flow, drop) of the four ways."""
        flows, spool = [], self.value("spool")
        for here, there, side in self.ways:
            open_ = ca.fmin(ca.fmax((side * spool - self.overlap) / (1 - self.overlap), 0), 1)
            drop = self.ports[here].p - self.ports[there].p
            flows.append(
                (here, there, turbulent(drop, self.area * open_, self.discharge, self.density, self.laminar), drop)
            )
        return flows

    def equations(self):
        inflow = {n: SX(0) for n in "ptab"}
        for here, there, q, _ in self.flows():
            inflow[here] += q
            inflow[there] -= q
        return [self.ports[n].q - q for n, q in inflow.items()]

    def lost(self):
        return sum((q * drop for *_, q, drop in self.flows()), SX(0))

    def switches(self):
        u = self.value("spool")
        return [u] if SX(self.overlap).is_zero() else [u - self.overlap, u + self.overlap]

    def channels(self):
        return {"spool": ("", self.value("spool")), "flow_a": ("m³/s", -self.a.q), "flow_b": ("m³/s", -self.b.q)}
