"""What a sensitivity analysis returns: derivatives of channels over time, or the gradient of a scalar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from linkwork.core.errors import UnknownName
from linkwork.core.plain_data import Data
from linkwork.core.program import Channel
from linkwork.core.result import Result


class Sensitivity:
    """Derivatives of channels with respect to parameters, over time: `s["piston.x", "L"]`.

    t            times [s], shape (samples,)
    channels     names of the channels; `s["piston.x"]` gives the values of one, shape (samples,)
    parameters   {name: value} of the parameters that were varied
    record       how it was made
    """

    def __init__(
        self,
        t: np.ndarray,
        channels: Mapping[str, str],
        parameters: Mapping[str, float],
        units: Mapping[str, str],
        values: np.ndarray,
        derivatives: np.ndarray,
        record: Data,
    ):
        """channels and units: name → unit; values (samples, channels), derivatives (samples, channels, parameters)."""
        self.t, self.channels, self.parameters = t, tuple(channels), dict(parameters)
        self.record = dict(record)
        self._units = dict(channels) | dict(units)
        self._values, self._derivatives = values, derivatives

    def __getitem__(self, names: str | tuple[str, str]) -> np.ndarray:
        """s[channel]: its values; s[channel, parameter]: the derivative; both of shape (samples,)."""
        if isinstance(names, str):
            return self._values[:, self._place("channel", names, self.channels)]
        channel, parameter = names
        i = self._place("channel", channel, self.channels)
        return self._derivatives[:, i, self._place("parameter", parameter, tuple(self.parameters))]

    @property
    def final(self) -> dict[tuple[str, str], float]:
        """Every derivative at the last sample, by (channel, parameter)."""
        return {pair: float(self[pair][-1]) for pair in self.pairs()}

    def pairs(self) -> Iterator[tuple[str, str]]:
        return ((channel, parameter) for channel in self.channels for parameter in self.parameters)

    def unit(self, channel: str, parameter: str) -> str:
        """Unit of a derivative, such as "m/(N/m)"; empty where neither has one."""
        return derivative_unit(self._units[channel], self._units[parameter])

    def to_result(self) -> Result:
        """The derivatives as a Result, to plot and save: channels "d piston.x/d L"."""
        pairs = list(self.pairs())
        columns = np.column_stack([self[pair] for pair in pairs]) if pairs else np.zeros((self.t.size, 0))
        channels = [Channel(f"d {c}/d {p}", self.unit(c, p)) for c, p in pairs]
        return Result(self.t, columns, channels, record=self.record)

    def table(self) -> str:
        """One line per pair: the derivative at the end, its largest size, and the change for 1 % of the parameter."""
        lines = [("channel", "parameter", "at the end", "largest", "for 1 % more", "unit")]
        for channel, parameter in self.pairs():
            d = self[channel, parameter]
            change = 0.01 * self.parameters[parameter] * d[-1]
            numbers = (f"{d[-1]:.6g}", f"{np.abs(d).max():.6g}", f"{change:.3g}")
            lines.append((channel, parameter, *numbers, self.unit(channel, parameter)))
        return aligned(lines)

    __str__ = table

    def __repr__(self) -> str:
        return f"<Sensitivity of {', '.join(self.channels)} to {', '.join(self.parameters)}>"

    def _place(self, kind: str, name: str, known: tuple[str, ...]) -> int:
        if name not in known:
            raise UnknownName(kind, name, known)
        return known.index(name)


class Gradient(Mapping[str, float]):
    """Value of a scalar of a run, and its derivative with respect to each parameter: `g["L"]`."""

    def __init__(self, name: str, value: float, gradient: Mapping[str, float], record: Data):
        self.name, self.value, self.record = name, float(value), dict(record)
        self._gradient = {key: float(x) for key, x in gradient.items()}

    def __getitem__(self, parameter: str) -> float:
        if parameter not in self._gradient:
            raise UnknownName("parameter", parameter, self._gradient)
        return self._gradient[parameter]

    def __iter__(self) -> Iterator[str]:
        return iter(self._gradient)

    def __len__(self) -> int:
        return len(self._gradient)

    def __str__(self) -> str:
        lines = [("parameter", "derivative"), *((name, f"{x:.6g}") for name, x in self.items())]
        return f"{self.name} = {self.value:.6g}\n{aligned(lines)}"

    def __repr__(self) -> str:
        return f"<Gradient of {self.name} = {self.value:.6g} by {', '.join(self)}>"


def derivative_unit(above: str, below: str) -> str:
    """Of a quantity in one unit by a parameter in another: "m/(N/m)"; empty where neither has one."""
    if not below:
        return above
    return f"{above or '1'}/({below})" if any(sign in below for sign in "/·") else f"{above or '1'}/{below}"


def aligned(lines: Sequence[tuple[str, ...]]) -> str:
    """Columns of text; numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = []
    for line in lines:
        cells = []
        for k, (cell, width) in enumerate(zip(line, widths, strict=True)):
            numeric = any(_is_number(other[k]) for other in lines[1:])
            cells.append(cell.rjust(width) if numeric else cell.ljust(width))
        rows.append("  ".join(cells).rstrip())
    return "\n".join(rows)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
