"""Ports and equations: components that say what holds between their port variables, not who computes what (ACA).

A port has a potential, which connecting makes equal, and a flow into the component, which connecting sums up to zero.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, NoReturn

import casadi as ca

from linkwork.core.arguments import record
from linkwork.core.component import Component, Frame, Marker
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import is_number, shown, text
from linkwork.geometry import SX, Number, embedding, is_scalar


@dataclass(frozen=True)
@record(name=text, potential=text, potential_unit=text, flow=text, flow_unit=text, power=text)
class Domain:
    """What a port carries: names and units of potential and flow.

    power: "product" (potential · flow), "rate" (flow · d potential/dt: mechanics), "flow" (heat flow is power
    itself) or "none" (signals, which have no flow).
    """

    name: str
    potential: str
    potential_unit: str
    flow: str = ""
    flow_unit: str = ""
    power: str = "product"


ELECTRIC = Domain("electric", "v", "V", "i", "A")
HYDRAULIC = Domain("hydraulic", "p", "Pa", "q", "m³/s")
ROTATIONAL = Domain("rotational", "angle", "rad", "torque", "N·m", power="rate")
TRANSLATIONAL = Domain("translational", "position", "m", "force", "N", power="rate")
THERMAL = Domain("thermal", "T", "K", "heat", "W", power="flow")
SIGNAL = Domain("signal", "value", "", power="none")


def scalar(given: Any, owner: str, what: str) -> SX:
    """One finite number or expression, or a ModelError that says what was given instead."""
    if isinstance(given, (SX, ca.DM)) and is_scalar(given):
        value = SX(given)
        if not value.is_constant() or isfinite(float(value)):
            return value
    elif is_number(given):
        return SX(float(given))
    raise ModelError(f"{what} {shown(given)}.", component=owner, remedy="Give one finite number or expression.")


class Quantity:
    """A scalar that equations determine, with as many derivatives as they ask for.

    start: where it begins if it turns out to be a state, a first guess if it does not; None: 0, and no claim to be one.
    start_rate: the same of its derivative.
    """

    def __init__(
        self, name: str, owner: str, unit: str = "", start: Number | None = None, start_rate: Number | None = None
    ):
        self.name, self.owner, self.unit = name, owner, unit
        values = (x if x is None else scalar(x, name, "start") for x in (start, start_rate))
        self.start, self.start_rate = (float(x) if x is not None and x.is_constant() else x for x in values)
        self.chain: list[SX] = [SX.sym(name)]

    @property
    def symbol(self) -> SX:
        return self.chain[0]

    def rate(self, order: int = 1) -> SX:
        """The symbol of its derivative of this order."""
        while len(self.chain) <= order:
            self.chain.append(SX.sym(f"der({self.chain[-1].name()})"))
        return self.chain[order]

    def __repr__(self) -> str:
        return f"<quantity {self.name}>"


class Port:
    """Where a component can be connected: `port.v`, `port.i` (the names of its domain), or `.potential`, `.flow`."""

    def __init__(self, owner: Any, name: str, domain: Domain, *, output: bool = False, start: Number | None = None):
        self.owner, self.label, self.domain, self.output = owner, name, domain, output
        self.quantities = [Quantity(f"{self.name}.{domain.potential}", owner.name, domain.potential_unit, start)]
        if domain.flow:
            self.quantities.append(Quantity(f"{self.name}.{domain.flow}", owner.name, domain.flow_unit))

    @property
    def name(self) -> str:
        return f"{self.owner.name}.{self.label}"

    @property
    def potential(self) -> SX:
        return self.quantities[0].symbol

    @property
    def flow(self) -> SX:
        """Into the component."""
        if not self.domain.flow:
            raise ModelError("a signal has no flow.", component=self.name, remedy="Use .value.")
        return self.quantities[1].symbol

    @property
    def power(self) -> SX:
        """Into the component [W]."""
        kind = self.domain.power
        if kind == "product":
            return self.potential * self.flow
        if kind == "rate":
            return self.quantities[0].rate() * self.flow
        return self.flow if kind == "flow" else SX(0)

    def __getattr__(self, name: str) -> SX:
        domain = self.__dict__.get("domain")
        if domain is not None and name in (domain.potential, domain.flow) and name:
            return self.potential if name == domain.potential else self.flow
        if name.startswith("__") or domain is None:
            raise AttributeError(name)
        known = [k for k in (domain.potential, domain.flow, "potential", "flow") if k]
        raise AttributeError(str(UnknownName("variable", name, known, component=self.name)))

    def __repr__(self) -> str:
        return f"<{self.domain.name} port {self.name}>"


class FramePort:
    """A mechanical port: the twist of a frame is its potential, the wrench its flow (ACA's KinematicPort, WrenchPort).

    p, R (columns x, y, z): pose; v, w: velocity and angular velocity; a, epsilon: their derivatives; force, torque:
    what the body does to the component at the frame's origin; all in world axes. In a planar model the components
    that leave the plane are zero.
    """

    def __init__(self, owner: Any, name: str, marker: Marker | None = None):
        self.owner, self.label, self._marker = owner, name, marker
        self._symbols: dict[str, SX] = {}
        self._wrench: list[Quantity] = []

    @property
    def name(self) -> str:
        return f"{self.owner.name}.{self.label}"

    @property
    def marker(self) -> Marker:
        """The frame it sits on."""
        if self._marker is None:
            remedy = f"m.connect(body.port, {self.name}), or give the frame where it is made."
            raise ModelError("is not connected.", component=self.name, remedy=remedy)
        return self._marker

    def join(self, frame: Marker) -> None:
        """Let it sit on a frame of a body."""
        if self._marker is not None:
            raise ModelError("sits on its body already.", component=self.name, remedy="Connect it once.")
        self._marker = frame

    @property
    def planar(self) -> bool:
        if self.owner.model is None:
            raise ModelError("belongs to no model yet.", component=self.name, remedy="Use it in `equations`.")
        return bool(self.owner.model.is_planar)

    def _symbol(self, name: str) -> SX:
        return self._symbols.setdefault(name, SX.sym(f"{self.name}.{name}", 3))

    def _true(self, name: str) -> SX:
        space = embedding(self.planar)
        return space.true_vector(space.true(self._symbol(name)))

    def _axial(self, name: str) -> SX:
        space = embedding(self.planar)
        return space.axial_vector(space.axial(self._symbol(name)))

    @property
    def p(self) -> SX:
        return self._true("p")

    @property
    def v(self) -> SX:
        return self._true("v")

    @property
    def a(self) -> SX:
        return self._true("a")

    @property
    def w(self) -> SX:
        return self._axial("w")

    @property
    def epsilon(self) -> SX:
        return self._axial("epsilon")

    @property
    def x(self) -> SX:
        return self._true("x")

    @property
    def y(self) -> SX:
        return self._true("y")

    @property
    def z(self) -> SX:
        return SX(ca.vertcat(0, 0, 1)) if self.planar else self._symbol("z")

    @property
    def R(self) -> SX:
        return ca.horzcat(self.x, self.y, self.z)

    def place(self, frame: Frame) -> tuple[list[SX], list[SX]]:
        """(symbols, values) of pose and twist where the port is at a moving frame."""
        pairs = {"p": frame.p, "v": frame.v, "w": frame.w, "x": frame.R[:, 0], "y": frame.R[:, 1], "z": frame.R[:, 2]}
        used = [name for name in pairs if name in self._symbols]
        return [self._symbols[name] for name in used], [ca.densify(pairs[name]) for name in used]

    def accelerated(self, frame: Frame) -> list[tuple[SX, SX]]:
        """(symbol of an acceleration, the speed it belongs to) at a moving frame."""
        pairs = {"a": frame.v, "epsilon": frame.w}
        return [(self._symbols[name], pairs[name]) for name in pairs if name in self._symbols]

    @property
    def motions(self) -> list[tuple[SX, SX]]:
        """(symbol, its derivative) of pose and twist."""
        turning = [(self._symbols[k], ca.cross(self.w, self._symbols[k])) for k in "xyz" if k in self._symbols]
        straight = {"p": self.v, "v": self.a, "w": self.epsilon}
        return turning + [(self._symbols[k], rate) for k, rate in straight.items() if k in self._symbols]

    @property
    def quantities(self) -> list[Quantity]:
        """The components of the wrench that exist in this model."""
        if not self._wrench:
            axes = [("fx", "fy", "fz", "mx", "my", "mz")[k] for k in embedding(self.planar).rows]
            units = {"f": "N", "m": "N·m"}
            self._wrench = [Quantity(f"{self.name}.{k}", self.owner.name, units[k[0]]) for k in axes]
        return self._wrench

    def _column(self, letter: str) -> SX:
        symbols = {q.name.rpartition(".")[2]: q.symbol for q in self.quantities}
        return ca.vertcat(*(symbols.get(f"{letter}{axis}", SX(0)) for axis in "xyz"))

    @property
    def force(self) -> SX:
        return self._column("f")

    @property
    def torque(self) -> SX:
        return self._column("m")

    @property
    def power(self) -> SX:
        return ca.dot(self.force, self.v) + ca.dot(self.torque, self.w)

    def __repr__(self) -> str:
        return f"<frame port {self.name}>"


class PortComponent(Component):
    """Ports, variables, and equations between them.

    To add one: 1. subclass and decorate with `@component`; 2. in `__init__` make ports (`self.port("p", lw.ELECTRIC)`,
    `self.frame("a", body.at(…))`) and variables (`self.variable("x", start=…)`); 3. return from `equations` as many
    expressions that vanish as there are flows and variables. `self.der(x)` is a time derivative. Say in `stored` and
    `lost` what it stores [J] and turns into heat [W]; `source = True` if the rest comes from outside.
    """

    element = ""
    """Its letter in bond graphs (R, C, I, Se, Sf, TF, GY); by default what `stored`, `lost` and `source` suggest."""
    jumps = False
    """Whether its equations jump at its switches; else they only have a kink there."""
    source = False
    """Whether it may supply (or take away) energy: what its ports do not account for is then supplied from outside."""

    def __init__(self, name: str):
        super().__init__(name)
        self.ports: dict[str, Any] = {}
        self.variables: dict[str, Quantity] = {}

    def __getattr__(self, name: str) -> Any:
        """Ports by their names, also those that no attribute was made for: `valve.spool`, `gain.u`."""
        ports = self.__dict__.get("ports")
        if ports is not None and name in ports:
            return ports[name]
        if name == "ports":
            raise ModelError(
                "has no ports yet.", component=type(self).__name__, remedy="Call super().__init__(name) first."
            )
        named, known = self.__dict__.get("name", ""), f" It has the ports {', '.join(ports)}." if ports else ""
        raise AttributeError(f"{type(self).__name__} {named!r} has no attribute {name!r}.{known}")

    def __setattr__(self, name: str, value: object) -> None:
        if self.__dict__.get("model") is not None and (name in self.ports or name in self.variables):
            raise ModelError(
                "cannot be set: the equations determine it.",
                component=f"{self.name}.{name}",
                remedy="Starts and connections are given when the component is made, or by m.connect(…).",
            )
        super().__setattr__(name, value)

    def port(self, name: str, domain: Domain, *, start: Number | None = None) -> Port:
        """A port for connections; start: of its potential."""
        made: Port = self.ports.setdefault(name, Port(self, name, domain, start=start))
        return made

    def input(self, name: str, *, start: Number | None = None) -> Port:
        """A signal that something else must determine."""
        made: Port = self.ports.setdefault(name, Port(self, name, SIGNAL, start=start))
        return made

    def output(self, name: str, *, start: Number | None = None) -> Port:
        """A signal that an equation of this component determines."""
        made: Port = self.ports.setdefault(name, Port(self, name, SIGNAL, output=True, start=start))
        return made

    def frame(self, name: str, marker: Marker | None = None) -> FramePort:
        """A mechanical port on a body; without a frame it waits for `m.connect(body.port, component.a)`."""
        made: FramePort = self.ports.setdefault(name, FramePort(self, name, marker))
        return made

    def variable(
        self, name: str, start: Number | None = None, *, start_rate: Number | None = None, unit: str = ""
    ) -> SX:
        """A quantity of its own; start, start_rate: where it begins if it is a state, first guesses if not."""
        self.variables[name] = Quantity(f"{self.name}.{name}", self.name, unit, start, start_rate)
        return self.variables[name].symbol

    def quantities(self) -> list[Quantity]:
        return [q for port in self.ports.values() for q in port.quantities] + list(self.variables.values())

    def der(self, x: Number) -> SX:
        """Time derivative of an expression of its own ports and variables."""
        x = SX(x)
        present = {s.element_hash() for s in ca.symvar(x)}
        # Only of what is there: asking for a rate makes a symbol that the network must then determine.
        moving = [
            (s, q.rate(k + 1))
            for q in self.quantities()
            for k, s in enumerate(list(q.chain))
            if s.element_hash() in present
        ]
        for port in self.ports.values():
            if isinstance(port, FramePort):
                moving += port.motions
        if self.model is not None:
            moving.append((self.model.t, SX(1)))
        return ca.jtimes(x, ca.vertcat(*(s for s, _ in moving)), ca.vertcat(*(r for _, r in moving)))

    @abstractmethod
    def equations(self) -> Iterable[SX]:
        """Expressions that vanish: one for each flow of its ports, each output and each variable."""
        raise NotImplementedError

    def stored(self) -> Number:
        """Energy [J]."""
        return 0

    def lost(self) -> Number:
        """Power turned into heat [W], ≥ 0."""
        return 0

    def switches(self) -> list[SX]:
        """Expressions at whose zeros its equations have a kink: the integrator starts anew there."""
        return []

    def channels(self) -> dict[str, tuple[str, Number]]:
        """Further quantities to record: name → (unit, expression of ports and variables)."""
        return {}

    def signal(self, given: object) -> SX:
        """A number, expression, or function of t, as it was given to the constructor."""
        if not callable(given):
            return scalar(given, self.name, "a signal that is")
        assert self.model is not None
        try:
            value = given(self.model.t)
        except Exception as error:
            self._refuse(f"its function of t failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}")
        if not is_scalar(value):
            raise ModelError("its function gives no single number.", component=self.name, remedy="Return one number.")
        if isinstance(value, Real) and not isfinite(value):
            self._refuse(f"its function of t gives {value}")
        return scalar(value, self.name, "its function of t gives")

    def _refuse(self, cause: str) -> NoReturn:
        raise ModelError(
            f"{cause}.",
            component=self.name,
            remedy="It is called once, with a symbol: use lw.sin and lw.if_else, not math.sin or Python's `if`.",
        )
