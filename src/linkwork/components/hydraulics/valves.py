"""Hydraulic valves. Shut means shut: no oil flows at all."""

from __future__ import annotations

from typing import Any

import casadi as ca

from linkwork.components.hydraulics.passages import Edged, Passage, pressure_end, turbulent
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import ModelError
from linkwork.core.port import HYDRAULIC
from linkwork.core.registry import component
from linkwork.geometry import SX


@component
class CheckValve(Edged):
    """Lets oil flow from a to b only, once the drop exceeds `opening` [Pa]; area [m²] when open."""

    def __init__(
        self,
        name: str,
        a: Any = None,
        b: Any = None,
        *,
        area: Any,
        opening: Any = 0.0,
        discharge: Any = 0.611,
        density: Any = 860.0,
        laminar: Any = 100.0,
    ):
        super().__init__(name, a, b, discharge, density, laminar)
        self.positive("area", area)
        self.positive("opening", opening, zero=True)
        self.area, self.opening = area, opening

    def flow(self):
        return self.throttled(self.area, ca.fmax(self.drop - self.opening, 0))

    def switches(self):
        return [self.drop - self.opening]


@component
class ReliefValve(Passage):
    """Opens from a to b where the drop exceeds `opening` [Pa]; then the flow grows by `gain` [m³/s per Pa]."""

    def __init__(self, name: str, a: Any = None, b: Any = None, *, opening: Any, gain: Any):
        super().__init__(name, a, b)
        self.positive("opening", opening)
        self.positive("gain", gain)
        self.opening, self.gain = opening, gain

    def flow(self):
        return self.gain * ca.fmax(self.drop - self.opening, 0)

    def switches(self):
        return [self.drop - self.opening]


@component
class DirectionalValve(Wired):
    """A 4/3 valve with ports p (pump), t (tank), a, b; spool: a signal from −1 to 1.

    Above 0 it opens p → a and b → t, below 0 p → b and a → t, each up to `area` [m²]; within ±overlap it is shut, with
    no leakage whatsoever. discharge, density [kg/m³], laminar [Pa] as for an orifice.
    """

    ways = (("p", "a", 1), ("b", "t", 1), ("p", "b", -1), ("a", "t", -1))

    def __init__(
        self,
        name: str,
        p: Any = None,
        t: Any = None,
        a: Any = None,
        b: Any = None,
        *,
        spool: Any = None,
        area: Any,
        overlap: Any = 0.0,
        discharge: Any = 0.611,
        density: Any = 860.0,
        laminar: Any = 100.0,
    ):
        super().__init__(name)
        numbers = {"area": area, "discharge": discharge, "density": density, "laminar drop": laminar}
        for what, given in numbers.items():
            self.positive(what, given)
        self.positive("overlap", overlap, zero=True)
        if not isinstance(overlap, SX) and overlap >= 1:
            raise ModelError(
                f"overlap {overlap}: it never opens.", component=name, remedy="Give a share of the spool's way below 1."
            )
        self.area, self.overlap = area, overlap
        self.discharge, self.density, self.laminar = discharge, density, laminar
        self.p, self.t, self.a, self.b = (
            self.joined(n, HYDRAULIC, None if end is None else pressure_end(end, name))
            for n, end in zip("ptab", (p, t, a, b), strict=True)
        )
        self.told("spool", spool)

    def flows(self) -> list[tuple[str, str, SX, SX]]:
        """(from, to, flow, drop) of the four ways."""
        found, spool = [], self.value("spool")
        for here, there, side in self.ways:
            open_ = ca.fmin(ca.fmax((side * spool - self.overlap) / (1 - self.overlap), 0), 1)
            drop = self.ports[here].p - self.ports[there].p
            found.append(
                (here, there, turbulent(drop, self.area * open_, self.discharge, self.density, self.laminar), drop)
            )
        return found

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
