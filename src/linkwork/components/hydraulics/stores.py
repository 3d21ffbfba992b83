"""Lines and accumulators: oil that has mass, walls and gas that give way."""

from __future__ import annotations

from typing import Annotated

import casadi as ca

from linkwork.components.given import End
from linkwork.components.hydraulics.passages import VACUUM, give, pressure_end, squeezed
from linkwork.components.hydraulics.passages import pressure as gauge
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import ModelError
from linkwork.core.kinds import anything, claims, counted, nonnegative, positive
from linkwork.core.port import HYDRAULIC
from linkwork.core.registry import component
from linkwork.geometry import SX, Number


@component
class HydraulicLine(Wired):
    """A pipe from a to b, in equal lumps: inertance·q̇ = Δp − resistance·q − turbulence·q|q|, capacity·ṗ = Σq.

    Half a lump's capacity sits at each end.
    """

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        resistance: Annotated[Number, nonnegative["Pa·s/m³"], "of the whole line, laminar"] = 0.0,
        turbulence: Annotated[Number, nonnegative["Pa·s²/m⁶"], "of the whole line, turbulent"] = 0.0,
        inertance: Annotated[Number, nonnegative["kg/m⁴"], "ρl/A of the whole line"] = 0.0,
        capacity: Annotated[Number, nonnegative["m³/Pa"], "V/K of the whole line"] = 0.0,
        segments: Annotated[int, counted(1, 10_000), "how many lumps of oil"] = 1,
        pressure: Annotated[Number | None, gauge, "at the start, 0 unless given"] = None,
        flow: Annotated[
            Number | None, anything["m³/s"], "at the start, where there is inertance; 0 unless given"
        ] = None,
    ):
        super().__init__(name)
        self.resistance, self.turbulence, self.inertance, self.capacity = resistance, turbulence, inertance, capacity
        if SX(resistance).is_zero() and SX(inertance).is_zero():
            raise ModelError(
                "has neither resistance nor inertance.", component=name, remedy="Give one, or use m.connect(…)."
            )
        if segments > 1 and SX(capacity).is_zero():
            raise ModelError("segments without capacity.", component=name, remedy="Give capacity=…, or one segment.")
        start = None if SX(capacity).is_zero() else pressure
        self.a, self.b = (
            self.join_port(n, HYDRAULIC, None if end is None else pressure_end(end, name), start=start)
            for n, end in (("a", a), ("b", b))
        )
        inside = 0.0 if pressure is None else pressure
        if flow is not None and SX(inertance).is_zero():
            raise ModelError(
                "a flow at the start without inertance.", component=name, remedy="Pressures determine it: leave it out."
            )
        self.begins = flow is not None
        self.flows = [self.variable(f"flow{k + 1}", flow, unit="m³/s") for k in range(segments)]
        self.inner = [self.variable(f"pressure{k + 1}", inside, unit="Pa") for k in range(segments - 1)]

    def claims(self):
        yield from super().claims()
        yield from claims("resistance + inertance", SX(self.resistance) + self.inertance, positive)
        if self.begins:
            yield from claims("inertance", self.inertance, positive)

    def _friction(self, q: SX) -> SX:
        return (self.resistance * q + self.turbulence * q * ca.fabs(q)) / len(self.flows)

    def equations(self):
        n, flows = len(self.flows), self.flows
        pressures, lump = [self.a.p, *self.inner, self.b.p], self.capacity / len(self.flows)
        inflow = [self.a.q - flows[0], *(q - r for q, r in zip(flows, flows[1:], strict=False)), flows[-1] + self.b.q]
        shares = [lump / 2, *[lump] * (n - 1), lump / 2]
        along = [
            pressures[k] - pressures[k + 1] - self._friction(q) - self.inertance / n * self.der(q)
            for k, q in enumerate(flows)
        ]
        taken = (share * give(p, VACUUM) * self.der(p) for share, p in zip(shares, pressures, strict=True))
        return [*along, *(q - into for q, into in zip(inflow, taken, strict=True))]

    def stored(self):
        n, lump = len(self.flows), self.capacity / len(self.flows)
        moving = sum((self.inertance / n * q**2 / 2 for q in self.flows), SX(0))
        ends, inner = [self.a.p, self.b.p], [squeezed(p, VACUUM) for p in self.inner]
        return moving + lump * (sum((squeezed(p, VACUUM) for p in ends), SX(0)) / 2 + sum(inner, SX(0)))

    def switches(self):
        return [] if SX(self.capacity).is_zero() else [p - VACUUM for p in (self.a.p, *self.inner, self.b.p)]

    def lost(self):
        return sum((self._friction(q) * q for q in self.flows), SX(0))


EMPTY = 0.01
"""How much an accumulator without oil still gives way, as a share of what its gas did last."""


@component
class Accumulator(Wired):
    """Oil behind a gas cushion: p·V_gasⁿ = precharge·volumeⁿ; below its precharge it is empty and hardly gives way.

    Port: `a`.
    """

    def __init__(
        self,
        name: str,
        a: End = None,
        *,
        volume: Annotated[Number, positive["m³"], "of the gas when empty of oil"],
        precharge: Annotated[Number, positive["Pa"], "its pressure then, absolute like all pressures next to it"],
        exponent: Annotated[Number, positive, "n: 1 if slow, 1.4 if fast"] = 1.4,
        pressure: Annotated[Number | None, positive["Pa"], "at the start, `precharge` unless given"] = None,
    ):
        super().__init__(name)
        self.volume, self.precharge, self.exponent = volume, precharge, exponent
        self.a = self.join_port("a", HYDRAULIC, None if a is None else pressure_end(a, name))
        self.pressure = self.variable("pressure", precharge if pressure is None else pressure, unit="Pa")

    @property
    def gas(self) -> SX:
        """Volume of the gas [m³]: all there is where no oil is left."""
        return self.volume * (self.precharge / ca.fmax(self.pressure, self.precharge)) ** (1 / SX(self.exponent))

    @property
    def _shell(self) -> SX:
        """Compliance of the empty accumulator [m³/Pa]: connections and oil in the port, so that p stays determined."""
        return EMPTY * self.volume / (self.exponent * SX(self.precharge))

    def equations(self):
        oil = self.volume - self.gas + self._shell * ca.fmin(self.pressure - self.precharge, 0)
        return [self.pressure - self.a.p, self.a.q - self.der(oil)]

    def stored(self):
        n, p = self.exponent, ca.fmax(self.pressure, self.precharge)
        shell = self._shell * (ca.fmin(self.pressure, self.precharge) ** 2 - self.precharge**2) / 2
        if not isinstance(n, SX) and n == 1:
            return self.precharge * self.volume * ca.log(self.volume / self.gas) + shell
        return (p * self.gas - self.precharge * self.volume) / (n - 1) + shell

    def switches(self):
        return [self.pressure - self.precharge]

    def channels(self):
        return {"oil": ("m³", self.volume - self.gas), "inflow": ("m³/s", self.a.q)}
