"""Controllers and signal blocks: signals in, signals out. Nothing flows, no power passes.

An input is given as anything that is a signal: a number, an expression, a function of t, a table, an output
(`sensor.y`), or a component with one output; left out, it is a port to be connected. Outputs are called `y`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import casadi as ca

from linkwork.components.given import Source
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import ModelError
from linkwork.core.kinds import claims, positive, quantities, quantity
from linkwork.core.registry import component
from linkwork.geometry import SX, Number

Entry: TypeAlias = Annotated[
    Source | None, "a number, expression, function of t, table or output; None: connected later"
]


class Block(Wired):
    """One input `u`, one output `y`. To add one: subclass and return from `law` expressions that vanish."""

    def __init__(
        self, name: str, u: Entry = None, *, start: Annotated[Number | None, quantity, "y at the start"] = None
    ):
        super().__init__(name)
        self.take_signal("u", u)
        self.y = self.output("y", start=start)

    @property
    def entry(self) -> SX:
        """Value of the input."""
        return self.value("u")

    def law(self) -> list[SX]:
        raise NotImplementedError

    def equations(self) -> list[SX]:
        return self.law()


@component
class Signal(Block):
    """A signal as a block: y = u, for what several inputs are to follow."""

    def law(self):
        return [self.y.value - self.entry]


@component
class Gain(Block):
    """y = gain · u."""

    def __init__(self, name: str, u: Entry = None, *, gain: Annotated[Number, quantity, "factor"]):
        super().__init__(name, u)
        self.gain = gain

    def law(self):
        return [self.y.value - self.gain * self.entry]


@component
class Sum(Wired):
    """y = Σ weight·input."""

    def __init__(
        self,
        name: str,
        *inputs: Annotated[Entry, "signals; those that are None are ports u1, u2, …"],
        weights: Annotated[Sequence[Number] | None, quantities, "one per input, 1 unless given"] = None,
    ):
        super().__init__(name)
        if len(inputs) < 1 or (weights is not None and len(weights) != len(inputs)):
            raise ModelError(
                f"{len(inputs)} inputs and {len(weights or ())} weights.",
                component=name,
                remedy="Give inputs, and as many weights or none.",
            )
        self.weights = [1.0] * len(inputs) if weights is None else list(weights)
        for k, u in enumerate(inputs):
            self.take_signal(f"u{k + 1}", u)
        self.y = self.output("y")

    def equations(self):
        return [self.y.value - sum((w * self.value(f"u{k + 1}") for k, w in enumerate(self.weights)), SX(0))]


@component
class Product(Wired):
    """y = product of the inputs."""

    def __init__(self, name: str, *inputs: Annotated[Entry, "signals; those that are None are ports u1, u2, …"]):
        super().__init__(name)
        if not inputs:
            raise ModelError("no inputs.", component=name, remedy="Give two or more signals.")
        self.count = len(inputs)
        for k, u in enumerate(inputs):
            self.take_signal(f"u{k + 1}", u)
        self.y = self.output("y")

    def equations(self):
        total = SX(1)
        for k in range(self.count):
            total = total * self.value(f"u{k + 1}")
        return [self.y.value - total]


@component
class Limiter(Block):
    """y = u between `lower` and `upper`, else the bound."""

    def __init__(
        self,
        name: str,
        u: Entry = None,
        *,
        lower: Annotated[Number, quantity, "least y"],
        upper: Annotated[Number, quantity, "largest y"],
    ):
        super().__init__(name, u)
        if isinstance(lower, (int, float)) and isinstance(upper, (int, float)) and not lower < upper:
            raise ModelError(f"limits {lower} … {upper}.", component=name, remedy="Give lower < upper.")
        self.lower, self.upper = lower, upper

    def claims(self):
        yield from super().claims()
        yield from claims("upper − lower", SX(self.upper) - self.lower, positive)

    def law(self):
        return [self.y.value - ca.fmax(self.lower, ca.fmin(self.upper, self.entry))]

    def switches(self):
        return [self.entry - self.lower, self.entry - self.upper]


@component
class Integrator(Block):
    """dy/dt = gain · u."""

    def __init__(
        self,
        name: str,
        u: Entry = None,
        *,
        gain: Annotated[Number, quantity, "factor"] = 1.0,
        start: Annotated[Number, quantity, "y at the start"] = 0.0,
    ):
        super().__init__(name, u, start=start)
        self.gain = gain

    def law(self):
        return [self.der(self.y.value) - self.gain * self.entry]


@component
class FirstOrder(Block):
    """A lag: time·dy/dt = gain · u − y."""

    def __init__(
        self,
        name: str,
        u: Entry = None,
        *,
        time: Annotated[Number, positive["s"], "time constant"],
        gain: Annotated[Number, quantity, "factor"] = 1.0,
        start: Annotated[Number, quantity, "y at the start"] = 0.0,
    ):
        super().__init__(name, u, start=start)
        self.time, self.gain = time, gain

    def law(self):
        return [self.time * self.der(self.y.value) + self.y.value - self.gain * self.entry]
