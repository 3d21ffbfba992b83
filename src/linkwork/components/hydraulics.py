"""Hydraulics: chambers, sources, orifices, cylinders. Pressures [Pa], volumes [m³], flows [m³/s] (SYM (23)–(28)).

Nodes have a pressure, passages let oil flow between two nodes, cylinders turn volume into motion. Each chamber sums up
what flows in; energy is accounted for everywhere: sources supply, orifices lose, chambers store, cylinders pass on.
To add a passage: subclass `Passage` and give its `flow`.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from linkwork.components.bodies import frame_of
from linkwork.components.checked import positive
from linkwork.components.coordinate import Coordinate
from linkwork.components.laws import evaluate
from linkwork.core.component import Element, Load, Marker, State, View
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import SX, dot, norm, unit_vector


class Node(Element):
    """Something with a pressure, that passages lead to and cylinders work with."""

    def pressure(self, view: View) -> SX:
        raise NotImplementedError

    def inflow(self, view: View) -> SX:
        """Everything that flows in through passages [m³/s]."""
        total = SX(0)
        assert self.model is not None
        for passage in self.model.of_type(Passage):
            total += sum((sign * passage.flow(view) for end, sign in passage.ends if end is self), SX(0))
        return total

    def pushed(self, view: View) -> tuple[SX, SX]:
        """Volume that cylinders have opened up here since their zero position [m³], and its rate."""
        volume, rate = SX(0), SX(0)
        assert self.model is not None
        for cylinder in self.model.of_type(HydraulicCylinder):
            x, speed = cylinder.extension(view)
            for node, area in cylinder.sides:
                if node is self:
                    volume, rate = volume + area * x, rate + area * speed
        return volume, rate


@component
class Chamber(Node):
    """A volume of compressible oil: V/K·ṗ = inflow − V̇ (SYM (24)).

    volume [m³] at the cylinders' zero position, bulk_modulus K [Pa], pressure at the start [Pa].
    """

    def __init__(self, name: str, *, volume: Any, bulk_modulus: Any, pressure: Any = 0.0):
        super().__init__(name)
        for what, given in (("volume", volume), ("bulk modulus", bulk_modulus)):
            positive(name, what, given)
        self.volume, self.bulk_modulus, self.begin = volume, bulk_modulus, pressure
        self.symbol = SX.sym(f"{name}.pressure")
        self._stored = SX.sym(f"{name}.energy")

    def pressure(self, view):
        return self.symbol

    def states(self, view):
        opened, rate = self.pushed(view)
        squeezed = self.inflow(view) - rate
        # Compression work is integrated: with K constant it is no function of p and V alone.
        return [
            State(
                f"{self.name}.pressure",
                self.symbol,
                self.bulk_modulus * squeezed / (self.volume + opened),
                self.begin,
                "Pa",
            ),
            State(f"{self.name}.energy", self._stored, self.symbol * squeezed, 0.0, "J"),
        ]

    def potential(self, view):
        return self._stored

    def channels(self, view):
        return {"volume": ("m³", self.volume + self.pushed(view)[0]), "inflow": ("m³/s", self.inflow(view))}


@component
class PressureSource(Node):
    """A pressure that is given [Pa]: a number, an expression, or a function of t."""

    def __init__(self, name: str, pressure: Any):
        super().__init__(name)
        self.given = pressure

    def pressure(self, view):
        return evaluate(self.given, SX, t=view.t)

    def supply(self, view):
        return -self.pressure(view) * (self.inflow(view) - self.pushed(view)[1])

    def channels(self, view):
        return {"pressure": ("Pa", self.pressure(view)), "flow": ("m³/s", -self.inflow(view))}


class Passage(Element):
    """Lets oil flow between two nodes; what it loses is heat."""

    def __init__(self, name: str, a: Node, b: Node):
        super().__init__(name)
        for node in (a, b):
            if not isinstance(node, Node):
                raise ModelError(
                    f"{node!r} has no pressure.", component=name, remedy="Connect it to a chamber or a pressure source."
                )
        if a is b:
            raise ModelError(f"connects {a.name!r} to itself.", component=name, remedy="Use two nodes.")
        self.a, self.b = a, b

    @property
    def ends(self) -> tuple[tuple[Node, int], tuple[Node, int]]:
        """Nodes, with the sign of the flow into them."""
        return (self.a, -1), (self.b, 1)

    def drop(self, view: View) -> SX:
        return self.a.pressure(view) - self.b.pressure(view)

    def flow(self, view: View) -> SX:
        """From a to b [m³/s]."""
        raise NotImplementedError

    def dissipation(self, view):
        return self.flow(view) * self.drop(view)

    def channels(self, view):
        return {"flow": ("m³/s", self.flow(view)), "drop": ("Pa", self.drop(view))}


@component
class Orifice(Passage):
    """Turbulent throttling (SYM (23)): Q = C_d·A·√(2|Δp|/ρ)·sign Δp, from a to b.

    area [m²], discharge C_d, density ρ [kg/m³]; laminar [Pa]: below about this drop the flow becomes linear, as the
    root has an infinite slope at zero, which no real orifice has.
    """

    def __init__(
        self,
        name: str,
        a: Node,
        b: Node,
        *,
        area: Any,
        discharge: Any = 0.611,
        density: Any = 860.0,
        laminar: Any = 100.0,
    ):
        super().__init__(name, a, b)
        for what, given in (("density", density), ("laminar drop", laminar)):
            positive(name, what, given)
        self.area, self.discharge, self.density, self.laminar = area, discharge, density, laminar

    def flow(self, view):
        drop = self.drop(view)
        root = drop / ca.sqrt(ca.sqrt(drop**2 + self.laminar**2))
        return self.discharge * evaluate(self.area, SX, t=view.t) * ca.sqrt(2 / self.density) * root


@component
class HydraulicCylinder(Element):
    """A double- or single-acting cylinder: pushes with p_head·head_area − p_rod·rod_area [N] (SYM (25)).

    along: a coordinate that is its extension (`P.slide`), or the two frames it is mounted between; then `length` [m] is
    the distance at which the chambers have the volumes they were given. Without a chamber a side is open: no pressure.
    """

    def __init__(
        self,
        name: str,
        *along: Any,
        head: Node | None = None,
        rod: Node | None = None,
        head_area: Any = 0.0,
        rod_area: Any = 0.0,
        length: Any = 0.0,
    ):
        super().__init__(name)
        if head is None and rod is None:
            raise ModelError("has no chamber.", component=name, remedy="Give head=… or rod=….")
        for node in (head, rod):
            if node is not None and not isinstance(node, Node):
                raise ModelError(f"{node!r} has no pressure.", component=name, remedy="Give a chamber or a source.")
        for what, node, area in (("head", head, head_area), ("rod", rod, rod_area)):
            if node is not None:
                positive(name, f"{what}_area", area)
        self.sides = [(n, s) for n, s in ((head, head_area), (rod, -rod_area)) if n is not None]
        self.length = length
        self.coordinate: Coordinate | None = None
        self.ends: tuple[Marker, ...] = ()
        if len(along) == 1 and isinstance(along[0], Coordinate):
            self.coordinate = along[0]
        elif len(along) == 2:
            self.ends = (frame_of(along[0], name), frame_of(along[1], name))
            if self.ends[0].body is self.ends[1].body:
                raise ModelError("is mounted on one body.", component=name, remedy="Use frames of two bodies.")
        else:
            raise ModelError(
                f"{len(along)} things to act along.", component=name, remedy="Give one coordinate or two frames."
            )

    def extension(self, view: View) -> tuple[SX, SX]:
        """How far it is out [m], and its rate."""
        if self.coordinate is not None:
            return view.coordinate(self.coordinate), view.rate(self.coordinate)
        a, b = (view.frame(end) for end in self.ends)
        return norm(b.p - a.p) - self.length, dot(b.v - a.v, unit_vector(b.p - a.p))

    def force(self, view: View) -> SX:
        """Outwards [N]."""
        return sum((area * node.pressure(view) for node, area in self.sides), SX(0))

    def efforts(self, view):
        return [] if self.coordinate is None else [(self.coordinate, self.force(view))]

    def loads(self, view):
        if not self.ends:
            return []
        a, b = (view.frame(end) for end in self.ends)
        push = self.force(view) * unit_vector(b.p - a.p)
        return [Load(self.ends[0], -push, SX(3, 1)), Load(self.ends[1], push, SX(3, 1))]

    def channels(self, view):
        x, rate = self.extension(view)
        return {"extension": ("m", x), "rate": ("m/s", rate), "force": ("N", self.force(view))}
