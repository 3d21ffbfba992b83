"""Sampled controllers: they look at their inputs every so often and hold their outputs in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

from linkwork.components.control.discrete import Periodic
from linkwork.components.given import Source
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import ModelError
from linkwork.core.kinds import function, nonnegative_number, positive_number, quantities, quantity
from linkwork.core.port import scalar
from linkwork.core.registry import component
from linkwork.geometry import SX, Number, is_scalar


@component
class Sampled(Wired, Periodic):
    """A discrete controller: every `period` [s] it samples its inputs, and holds what `law` gives until the next time.

    `law=lambda e, s: (2*e + s, s + 0.1*e)` is called once, with symbols. Its output is `y`.
    """

    def __init__(
        self,
        name: str,
        *inputs: Annotated[Source | None, "signals that it samples; those that are None are ports"],
        period: Annotated[float, positive_number.saying("Give a time in s.")["s"], "between two samples"],
        law: Annotated[
            Callable[..., Number | Sequence[Number]],
            function.saying("Give a function of the samples."),
            "of inputs and memory: gives the output, then the next value of each memory",
        ],
        memory: Annotated[Sequence[Number], quantities, "start values of what it remembers"] = (),
        offset: Annotated[float, nonnegative_number.saying("Give a time in s.")["s"], "when it samples first"] = 0.0,
        start: Annotated[Number, quantity, "the output before"] = 0.0,
    ):
        super().__init__(name)
        self.period, self.offset, self.law = float(period), float(offset), law
        self.labels = ["u"] if len(inputs) == 1 else [f"u{k + 1}" for k in range(len(inputs))]
        for label, u in zip(self.labels, inputs, strict=True):
            self.take_signal(label, u)
        self.y = self.output("y")
        self.held = self.variable("held", start)
        self.memory = [self.variable(f"memory{k + 1}", x) for k, x in enumerate(memory)]

    def equations(self):
        return [self.y.value - self.held, self.der(self.held), *(self.der(x) for x in self.memory)]

    def _next(self) -> list[SX]:
        """What it would hold and remember if it sampled now."""
        arguments = [self.value(label) for label in self.labels] + self.memory
        try:
            result = self.law(*arguments)
        except Exception as error:
            raise ModelError(
                f"its law failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}.",
                component=self.name,
                remedy=f"It is called once with {len(arguments)} symbols, inputs then memory: use lw.if_else, no `if`.",
            ) from error
        values = list(result) if isinstance(result, (list, tuple)) else [result]
        if len(values) != 1 + len(self.memory) or not all(is_scalar(x) for x in values):
            raise ModelError(
                f"its law gives {len(values)} values.",
                component=self.name,
                remedy=f"Return the output and {len(self.memory)} next memories, each a number.",
            )
        return [scalar(x, self.name, "its law gives") for x in values]

    @property
    def updates(self) -> dict[str, str]:
        """State → the channel whose value it takes over at a sample."""
        named = ["held", *(f"memory{k + 1}" for k in range(len(self.memory)))]
        return {f"{self.name}.{n}": f"{self.name}.next_{n}" for n in named}

    def channels(self):
        names = (channel.removeprefix(f"{self.name}.") for channel in self.updates.values())
        return {n: ("", x) for n, x in zip(names, self._next(), strict=True)}
