"""Components whose ports may be connected, and whose signals may be given, right in the constructor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from linkwork.components.coordinate import Coordinate
from linkwork.components.given import End, Source
from linkwork.components.wiring.connections import connect, port_of
from linkwork.core.component import Component
from linkwork.core.errors import ModelError
from linkwork.core.port import ROTATIONAL, SIGNAL, TRANSLATIONAL, Domain, Port, PortComponent, scalar
from linkwork.geometry import SX, Number

if TYPE_CHECKING:
    from linkwork.core.model import Model


class Wired(PortComponent):
    """`m.resistor("R", source.p, earth, …)`: what is given for a port is connected when the component joins a model.

    `self.join_port(port, end)` notes a connection (None: it is made later, by `m.connect`);
    `self.take_signal(name, given)` notes a signal, `self.value(name)` is its value in equations.
    """

    def __init__(self, name: str):
        super().__init__(name)
        self.joins: list[tuple[Port, End]] = []
        self.given: dict[str, SX | Callable[..., Number]] = {}

    def join_port(self, name: str, domain: Domain, end: End = None, *, start: Number | None = None) -> Port:
        """A port, connected to `end` if one is given."""
        port = self.port(name, domain, start=start)
        if end is not None:
            self.joins.append((port, end))
        return port

    def flange(self, name: str, end: End, domain: Domain | None = None) -> Port:
        """A mechanical port; of which kind, a coordinate or another port says where it is not given."""
        if domain is None:
            turns = end.is_angle if isinstance(end, Coordinate) else getattr(end, "domain", ROTATIONAL) is ROTATIONAL
            domain = ROTATIONAL if turns else TRANSLATIONAL
        return self.join_port(name, domain, end)

    def take_signal(self, name: str, given: Source | None) -> None:
        """A signal: a number, expression, function of t or table; a port, or component with one output; None: a port
        of this name that must be connected.
        """
        if isinstance(given, (Port, Component)) or given is None:
            port = self.input(name)
            if given is not None:
                self.joins.append((port, output_of(given, self.name)))
        else:
            self.given[name] = given if callable(given) else scalar(given, self.name, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Signals that were given as numbers or functions can be given anew: `source.voltage = 3.0`."""
        if name in self.__dict__.get("given", {}):
            if isinstance(value, (Port, Component)) or value is None:
                raise ModelError(
                    "was given as a number or function.",
                    component=f"{self.name}.{name}",
                    remedy="For a signal of another component, leave it out when making it, and use m.connect(…).",
                )
            self.take_signal(name, value)
            self._remember(name, value)
            if self.model is not None:
                self.model.changed()
        else:
            super().__setattr__(name, value)

    def value(self, name: str) -> SX:
        """A signal that was `told`, as an expression."""
        if name in self.given:
            return self.signal(self.given[name])
        value: SX = self.ports[name].potential
        return value

    def attached(self, model: Model) -> None:
        made = []
        try:
            for port, end in self.joins:
                made.append(connect(model, port, self.end_of(end)))
        except BaseException:
            for connection in made:  # it joins whole or not at all
                del model.components[connection.name]
            raise

    def end_of(self, end: End) -> Port:
        """The port that something given to the constructor stands for."""
        try:
            return port_of(end)
        except ModelError as error:
            raise ModelError(error.cause, component=error.component or self.name, remedy=error.remedy) from error


def output_of(end: Port | Component, asking: str) -> Port:
    """The signal that a port or a component with one output stands for."""
    if isinstance(end, Port):
        if end.domain is SIGNAL:
            return end
        raise ModelError(
            f"{end.name} is {end.domain.name}, no signal.",
            component=asking,
            remedy=f"Measure it: m.sensor(…, {end.name}.{end.domain.potential}).",
        )
    outputs = [p for p in getattr(end, "ports", {}).values() if isinstance(p, Port) and p.output]
    if len(outputs) == 1:
        return outputs[0]
    names = ", ".join(p.name for p in outputs)
    raise ModelError(
        f"{end!r} has {len(outputs) or 'no'} outputs.",
        component=asking,
        remedy=f"Say which: {names}." if outputs else "Give a number, a function of t, a table or an output.",
    )


class TwoPort(Wired):
    """Something between two ports of one domain that what flows in at the first leaves at the second.

    To add one: subclass, call `super().__init__(name, domain, a, b)`, and give `law` (an expression that vanishes).
    """

    ends = ("a", "b")

    def __init__(self, name: str, domain: Domain, a: End = None, b: End = None):
        super().__init__(name)
        first, second = self.ends
        self.first, self.second = self.join_port(first, domain, a), self.join_port(second, domain, b)

    @property
    def drop(self) -> SX:
        """Potential at the first port less that at the second."""
        return self.first.potential - self.second.potential

    @property
    def through(self) -> SX:
        """Flow from the first port to the second."""
        return self.first.flow

    def law(self) -> list[SX]:
        raise NotImplementedError

    def equations(self) -> list[SX]:
        return [self.first.flow + self.second.flow, *self.law()]
