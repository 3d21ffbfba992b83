"""Electric circuits: sources, resistors, stores. Voltages [V], currents [A]; a current flows from p to n."""

from __future__ import annotations

from math import inf
from typing import Annotated, TypeAlias

import casadi as ca

from linkwork.components.given import End, Signal
from linkwork.components.wiring.wired import TwoPort, Wired
from linkwork.core.kinds import REFUSED, Kind, anything, nonnegative, nonzero, positive, quantity
from linkwork.core.port import ELECTRIC, THERMAL
from linkwork.core.registry import component
from linkwork.geometry import SX, Number

RESISTANCE = "resistance {word} {given}."
_infinite = Kind("", lambda x: x if isinstance(x, float) and x == inf else REFUSED)
Leading: TypeAlias = Annotated[
    Number, nonnegative.saying(cause=RESISTANCE)["Ω"], "resistance where it leads; 0 if ideal"
]
Blocking: TypeAlias = Annotated[
    Number, (positive.saying(cause=RESISTANCE) | _infinite)["Ω"], "resistance where it blocks; math.inf if ideal"
]
Ratio: TypeAlias = Annotated[Number, nonzero, "n, turns of the secondary winding per turn of the primary one"]


class ElectricTwoPort(TwoPort):
    """Between a plus port p and a minus port n."""

    ends = ("p", "n")

    def __init__(self, name: str, p: End = None, n: End = None):
        super().__init__(name, ELECTRIC, p, n)
        self.p, self.n = self.first, self.second

    def channels(self) -> dict[str, tuple[str, Number]]:
        return {"voltage": ("V", self.drop), "current": ("A", self.through)}


@component
class Earth(Wired):
    """Zero volts; each circuit needs one."""

    element = "Se"

    def __init__(self, name: str, p: End = None):
        super().__init__(name)
        self.p = self.join_port("p", ELECTRIC, p)

    def equations(self):
        return [self.p.v]


@component
class VoltageSource(ElectricTwoPort):
    """A given voltage from p to n."""

    element = "Se"

    source = True

    def __init__(self, name: str, voltage: Annotated[Signal, anything["V"]] = None, p: End = None, n: End = None):
        super().__init__(name, p, n)
        self.take_signal("voltage", voltage)

    def law(self):
        return [self.drop - self.value("voltage")]


@component
class CurrentSource(ElectricTwoPort):
    """A given current that leaves at p and comes back at n."""

    element = "Sf"

    source = True

    def __init__(self, name: str, current: Annotated[Signal, anything["A"]] = None, p: End = None, n: End = None):
        super().__init__(name, p, n)
        self.take_signal("current", current)

    def law(self):
        return [self.through + self.value("current")]


@component
class Resistor(ElectricTwoPort):
    """v = R i."""

    def __init__(
        self,
        name: str,
        p: End = None,
        n: End = None,
        *,
        resistance: Annotated[Number, positive["Ω"], "R"],
        heat: Annotated[End, "thermal port that takes the loss; None: it is lost to the balance"] = None,
    ):
        super().__init__(name, p, n)
        self.resistance = resistance
        self.heat = None if heat is None else self.join_port("heat", THERMAL, heat)

    def law(self):
        ohm = [self.drop - self.resistance * self.through]
        return ohm if self.heat is None else [*ohm, self.heat.heat + self.drop * self.through]

    def lost(self):
        return self.drop * self.through if self.heat is None else 0


@component
class Inductor(ElectricTwoPort):
    """L di/dt = v."""

    element = "I"

    def __init__(
        self,
        name: str,
        p: End = None,
        n: End = None,
        *,
        inductance: Annotated[Number, positive["H"], "L"],
        current: Annotated[Number | None, anything["A"], "at the start, 0 unless given"] = None,
    ):
        super().__init__(name, p, n)
        self.inductance = inductance
        self.current = self.variable("current", current, unit="A")

    def law(self):
        return [self.current - self.through, self.inductance * self.der(self.current) - self.drop]

    def stored(self):
        return self.inductance * self.current**2 / 2

    def channels(self):
        return {"voltage": ("V", self.drop)}


@component
class Capacitor(ElectricTwoPort):
    """C dv/dt = i."""

    def __init__(
        self,
        name: str,
        p: End = None,
        n: End = None,
        *,
        capacitance: Annotated[Number, positive["F"], "C"],
        voltage: Annotated[Number | None, anything["V"], "at the start, 0 unless given"] = None,
    ):
        super().__init__(name, p, n)
        self.capacitance = capacitance
        self.voltage = self.variable("voltage", voltage, unit="V")

    def law(self):
        return [self.drop - self.voltage, self.capacitance * self.der(self.voltage) - self.through]

    def stored(self):
        return self.capacitance * self.voltage**2 / 2

    def channels(self):
        return {"current": ("A", self.through)}


@component
class Diode(ElectricTwoPort):
    """i = I_s (exp(v/V_T) − 1) from p to n.

    Beyond `limit` the exponential goes on as a straight line, so that a poor guess does not overflow.
    """

    def __init__(
        self,
        name: str,
        p: End = None,
        n: End = None,
        *,
        saturation: Annotated[Number, positive["A"], "current I_s"] = 1e-9,
        thermal: Annotated[Number, positive["V"], "voltage V_T"] = 0.05,
        limit: Annotated[Number | None, quantity["V"], "where the line begins, 40 V_T unless given"] = None,
    ):
        super().__init__(name, p, n)
        self.saturation, self.thermal = saturation, thermal
        self.limit = 40 * thermal if limit is None else limit

    def law(self):
        top = ca.fmin(self.drop, self.limit)
        grown = ca.exp(top / self.thermal) * (1 + (self.drop - top) / self.thermal)
        return [self.through - self.saturation * (grown - 1)]

    def lost(self):
        return self.drop * self.through


@component
class IdealDiode(ElectricTwoPort):
    """A valve for current: from p to n it leads as a resistance `on` [Ω] beyond a voltage `drop` [V], the other way it
    blocks as a resistance `off` [Ω].

    on=0 and off=math.inf are allowed, where something else determines current and voltage then. Its state is an event:
    the run stops where it changes. `D.s` is the current [A] where it is positive, else the voltage less `drop` [V].
    """

    jumps = True

    def __init__(
        self,
        name: str,
        p: End = None,
        n: End = None,
        *,
        drop: Annotated[Number, nonnegative["V"], "voltage beyond which it leads"] = 0.0,
        on: Leading = 1e-3,
        off: Blocking = 1e9,
    ):
        super().__init__(name, p, n)
        self.threshold, self.on, self.off = drop, on, off
        self.s = self.variable("s")

    def law(self):
        leads, blocks = ca.fmax(self.s, 0), ca.fmin(self.s, 0)
        return [
            self.drop - self.threshold - blocks - self.on * leads,
            self.through - leads - conductance(self.off) * blocks,
        ]

    def lost(self):
        return self.drop * self.through

    def switches(self):
        return [self.s]


def conductance(resistance: Number) -> Number:
    """[S]; none where the resistance is infinite."""
    return 1 / resistance if isinstance(resistance, SX) or resistance != inf else 0.0


@component
class Switch(ElectricTwoPort):
    """Closed where the signal `closed` is above 0.5.

    on=0 and off=math.inf: an ideal one, where something else determines current and voltage then.
    """

    jumps = True

    def __init__(
        self,
        name: str,
        p: End = None,
        n: End = None,
        *,
        closed: Annotated[Signal, "a signal; closed where it is above 0.5"] = None,
        on: Leading = 1e-3,
        off: Blocking = 1e9,
    ):
        super().__init__(name, p, n)
        self.on, self.off = on, off
        self.take_signal("closed", closed)

    def law(self):
        closed = self.value("closed") > 0.5
        shut = self.drop - self.on * self.through
        return [ca.if_else(closed, shut, self.through - conductance(self.off) * self.drop)]

    def lost(self):
        return self.drop * self.through

    def switches(self):
        return [self.value("closed") - 0.5]


class _TwoSides(Wired):
    """A primary side p1, n1 and a secondary side p2, n2, each with a current that goes round."""

    def __init__(self, name: str, p1: End = None, n1: End = None, p2: End = None, n2: End = None):
        super().__init__(name)
        self.p1, self.n1 = self.join_port("p1", ELECTRIC, p1), self.join_port("n1", ELECTRIC, n1)
        self.p2, self.n2 = self.join_port("p2", ELECTRIC, p2), self.join_port("n2", ELECTRIC, n2)

    def equations(self):
        return [self.p1.i + self.n1.i, self.p2.i + self.n2.i, *self.law()]

    def law(self) -> list[SX]:
        raise NotImplementedError


@component
class Transformer(_TwoSides):
    """Ideal: v₂ = n v₁, i₁ = −n i₂."""

    element = "TF"

    def __init__(self, name: str, p1: End = None, n1: End = None, p2: End = None, n2: End = None, *, ratio: Ratio):
        super().__init__(name, p1, n1, p2, n2)
        self.ratio = ratio

    def law(self):
        over = self.p2.v - self.n2.v - self.ratio * (self.p1.v - self.n1.v)
        return [over, self.p1.i + self.ratio * self.p2.i]


@component
class OpAmp(_TwoSides):
    """Ideal operational amplifier: no voltage between p1 and n1, no current into them; the output p2 – n2 gives what
    that takes.
    """

    source = True

    def law(self):
        return [self.p1.v - self.n1.v, self.p1.i]
