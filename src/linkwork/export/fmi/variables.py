"""The variables of an FMU in the order of their references: time, parameters, inputs, outputs, states, their rates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """What an importer may read or set."""

    name: str
    causality: str
    """As FMI says: independent, parameter, input, output or local."""
    unit: str = ""
    start: float | None = None
    nominal: float | None = None
    state: int | None = None
    """Reference of the state whose rate this is."""
    is_state: bool = False
    is_indicator: bool = False

    @property
    def variability(self) -> str:
        return "tunable" if self.causality == "parameter" else "continuous"

    @property
    def initial(self) -> str | None:
        """None where FMI forbids to say it."""
        if self.causality in ("independent", "input"):
            return None
        return "exact" if self.start is not None else "calculated"


def variables_of(
    parameters: Iterable[tuple[str, str, float]],
    inputs: Iterable[tuple[str, str, float]],
    channels: Iterable[tuple[str, str]],
    states: Iterable[tuple[str, float, float]],
    indicators: Iterable[str],
) -> list[Variable]:
    """parameters, inputs: (name, unit, value); states: (name, start, nominal). The place in the list is the reference.

    Names must differ in FMI: those of states, which channels have too, begin with "state.".
    """
    named = _Names()
    variables = [Variable(named.new("time"), "independent", "s")]
    variables += [Variable(named.new(name), "parameter", unit, value) for name, unit, value in parameters]
    variables += [Variable(named.new(name), "input", unit, value) for name, unit, value in inputs]
    variables += [Variable(named.new(name), "output", unit) for name, unit in channels]
    first = len(variables)
    for name, start, nominal in states:
        variables.append(Variable(named.new(f"state.{name}"), "local", "", start, nominal, is_state=True))
    known = variables[first:]
    variables += [Variable(named.new(f"der({x.name})"), "local", state=first + k) for k, x in enumerate(known)]
    variables += [Variable(named.new(f"event.{name}"), "local", is_indicator=True) for name in indicators]
    return variables


class _Names:
    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, wanted: str) -> str:
        """The name, with a number behind it where it is taken."""
        plain = name = re.sub(r"[\x00-\x1f]", " ", wanted)
        number = 2
        while name in self._taken:
            name, number = f"{plain} ({number})", number + 1
        self._taken.add(name)
        return name
