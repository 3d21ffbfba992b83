"""Maps: equilibria and linearisations of every case, which tell where a mechanism is stable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from linkwork.analyses.linearization.linearization import Linearization
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.sweeps.outcome import FINISHED, Outcome, Quantity
from linkwork.sweeps.study import Lock, Study

TRIED = 20
"""Cases that are tried, one after the other, until one says what there is to be kept."""


@dataclass
class Map(Study):
    """Of each case: coordinates and channels at rest (of equilibria), eigenvalues, the fastest growth, whether stable.

    at_rest: whether it is linearised at its equilibrium, else at its start; channels: patterns, until `settle`.
    """

    at_rest: bool = field(kw_only=True)
    formulation: str | None = field(kw_only=True)
    channels: tuple[str, ...] = field(kw_only=True)
    _units: dict[str, str] = field(default_factory=dict)
    _modes: int = 0
    _equations: str = ""

    def settle(self) -> None:
        error: LinkworkError | None = None
        for case in range(min(TRIED, self.design.cases)):
            try:
                linear, result = self._linearised(case)
                break
            except LinkworkError as refused:
                error = error or refused
        else:
            assert error is not None
            raise error
        self._modes, known = len(linear.A), {} if result is None else {c.name: c.unit for c in result.channels}
        names: dict[str, None] = {}
        for pattern in self.channels if known else ():
            matches = [pattern] if pattern in known else [name for name in known if fnmatchcase(name, pattern)]
            if not matches:
                raise UnknownName("channel", pattern, known, component=self.model.name)
            names.update(dict.fromkeys(matches))
        self.channels, self._units = tuple(names), {name: known[name] for name in names}
        self._equations = " ".join(f"{x:.6g}" for x in linear.A.ravel())

    def _linearised(self, case: int) -> tuple[Linearization, Result | None]:
        parameters, inputs = self.values(case)
        options: Record = {"parameters": parameters, "inputs": inputs or None}
        if self.formulation is not None:
            options["formulation"] = self.formulation
        if not self.at_rest:
            linear: Linearization = self.model.linearize(**options)
            return linear, None
        rest = self.model.equilibrium(**options)
        return rest.linearization, rest.result

    @property
    def layout(self) -> tuple[Quantity, ...]:
        return (
            *(Quantity(name, self._units[name]) for name in self.channels),
            Quantity("stable", ""),
            Quantity("growth", "1/s"),
            Quantity("eigenvalue.real", "1/s", "mode", self._modes),
            Quantity("eigenvalue.imag", "rad/s", "mode", self._modes),
        )

    @property
    def dimensions(self) -> dict[str, tuple[np.ndarray, str]]:
        return {"mode": (np.arange(self._modes, dtype=float), "")} if self._modes else {}

    def settings(self) -> Record:
        return {
            "of": "equilibrium" if self.at_rest else "linearize", "model": self.model.name,
            "equations": self._equations, "formulation": self.formulation, "channels": self.channels,
            "parameters": dict(self.parameters), "inputs": {name: repr(x) for name, x in self.inputs.items()},
        }  # fmt: skip

    def answer(self, case: int, stop: Callable[[], bool], lock: Lock) -> Outcome:
        with lock:
            linear, result = self._linearised(case)
        values = np.array(sorted(linear.eigenvalues, key=lambda s: (-s.real, -s.imag)))
        if values.size > self._modes:
            raise LinkworkError(f"has {values.size} states, the first case has {self._modes}.", component=linear.model)
        every = np.full(self._modes, complex(np.nan, np.nan))
        every[: values.size] = values
        growth = float(values.real.max(initial=-np.inf))
        own = [] if result is None else [float(result[name][0]) for name in self.channels]
        kept = np.concatenate([own, [float(linear.stable), growth], every.real, every.imag])
        return Outcome(FINISHED, "", 0.0, linear.note, kept)
