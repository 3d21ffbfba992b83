"""Root locus: how the eigenvalues wander while a parameter changes, and where stability is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.equilibrium.balance import Balance
from linkwork.analyses.equilibrium.equilibrium import check_rest
from linkwork.analyses.equilibrium.settle import follow, settle
from linkwork.analyses.linearization.modes import Spectrum, spectrum
from linkwork.analyses.linearization.operating_point import At, Point, operating_point
from linkwork.analyses.linearization.steady import linear_equations
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.face import RootLocusFace
from linkwork.core.plain_data import Record
from linkwork.core.registry import verb
from linkwork.simulation.arguments import parameters_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

SHARP = 1e-6
"""Relative width to which a critical value is enclosed."""


@dataclass(frozen=True, repr=False)
class RootLocus(RootLocusFace):
    """Eigenvalues for each value of a parameter.

    values       of the parameter, shape (n,); unit: its unit
    eigenvalues  [1/s], shape (n, states): each column follows one eigenvalue from value to value
    stable       whether no eigenvalue lies right of the imaginary axis, shape (n,)
    critical     values at which stability is lost or gained, to 1e-6 relative
    """

    model: str
    parameter: str
    unit: str
    values: np.ndarray
    eigenvalues: np.ndarray
    stable: np.ndarray
    critical: list[float]

    def to_dict(self) -> Record:
        """Everything in JSON's own types; complex numbers as [real, imaginary]."""
        return {
            "model": self.model,
            "parameter": self.parameter,
            "values": self.values.tolist(),
            "eigenvalues": np.stack([self.eigenvalues.real, self.eigenvalues.imag], axis=-1).tolist(),
            "stable": self.stable.tolist(),
            "critical": list(self.critical),
        }

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        lines = [
            f"{self.model}: {self.eigenvalues.shape[1]} eigenvalues for {self.values.size} values of "
            f"{self.parameter} from {self.values[0]:g} to {self.values[-1]:g}{unit}"
        ]
        kinds = "stable" if self.stable.all() else "unstable" if not self.stable.any() else "stable for a part of them"
        lines.append(kinds)
        lines += [f"stability changes at {self.parameter} = {x:.6g}{unit}" for x in self.critical]
        return "\n".join(lines)

    __repr__ = __str__


@verb
def root_locus(
    model: Model,
    parameter: str,
    values: Sequence[float] | np.ndarray,
    *,
    at: At | None = None,
    equilibrium: bool = True,
    formulation: str = "absolute",
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    time: float | None = None,
) -> RootLocus:
    """Eigenvalues of the linearised model for each value of a parameter, in the order given; nothing is recompiled.

    at: where to begin, as for `linearize`. equilibrium=True follows the equilibrium from value to value (stable or
    not); False keeps to the assembled start (or `at`), speeds included.
    """
    if parameter not in model.parameters:
        raise UnknownName("parameter", parameter, model.parameters, component=model.name)
    try:
        given = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.ndim != 1 or not given.size or not np.all(np.isfinite(given)):
        raise ModelError(
            f"{values!r} are not values.", component=parameter, remedy="Give finite numbers, for instance linspace(…)."
        )
    walk = _Walk(model, parameter, at, equilibrium, formulation, parameters_of(model, parameters), inputs, time)
    stops = [walk.stop(float(given[0]), None)]
    for value in given[1:]:
        stops.append(walk.stop(float(value), stops[-1]))
    if len({stop.spectrum.eigenvalues.size for stop in stops}) > 1:
        raise LinkworkError(
            "the number of freedoms changes on the way.", component=parameter, remedy="Split the range of values."
        )
    return RootLocus(
        model=model.name,
        parameter=parameter,
        unit=model.units.get(parameter, ""),
        values=given,
        eigenvalues=_matched([stop.spectrum.eigenvalues for stop in stops]),
        stable=np.array([stop.stable for stop in stops]),
        critical=[walk.between(a, b) for a, b in pairwise(stops) if a.stable != b.stable],
    )


@dataclass
class _Stop:
    """The model at one value of the parameter."""

    value: float
    y: np.ndarray
    spectrum: Spectrum

    @property
    def stable(self) -> bool:
        return not bool(self.spectrum.growing.any())


@dataclass
class _Walk:
    """Goes from value to value."""

    model: Model
    parameter: str
    at: At | None
    equilibrium: bool
    formulation: str
    parameters: dict[str, float]
    inputs: Mapping[str, float] | None
    time: float | None
    first: Point | None = None

    def stop(self, value: float, last: _Stop | None) -> _Stop:
        """The next stop, beginning where the last one ended."""
        chosen = {**self.parameters, self.parameter: value}
        if last is None or (self.at is None and not self.equilibrium):  # each value has its own start
            point = operating_point(self.model, self.at, self.formulation, chosen, self.inputs, self.time)
            self.first = self.first or point
        else:
            assert self.first is not None
            p = self.first.p.copy()
            p[: len(self.model.parameters)] = self.model.parameter_values(chosen)
            point = replace(self.first, p=p, y=last.y if self.equilibrium else self.first.y)
        if last is None and self.equilibrium:
            check_rest(self.model, point)
        local = point.candidates.local
        y = self._rest(point, first=last is None) if self.equilibrium else local.closed(point.t, point.y, point.p)
        space = linear_equations(self.model, replace(point, y=y)).space
        return _Stop(value, y, spectrum(space.A, space.error))

    def _rest(self, point: Point, *, first: bool) -> np.ndarray:
        local, y = point.candidates.local, point.y.copy()
        y[local.nq : local.nq + local.nv] = 0.0
        search = settle if first else follow
        rest = search(Balance(local, point.t, point.p), local.closed(point.t, y, point.p))
        if not rest.arrived:
            value = point.p[list(self.model.parameters).index(self.parameter)]
            raise LinkworkError(
                f"there is no equilibrium at {self.parameter} = {value:g}.",
                component=self.model.name,
                remedy="Choose a range without it, or give equilibrium=False (--no-equilibrium).",
            )
        return rest.snapshot.y

    def between(self, a: _Stop, b: _Stop) -> float:
        """Where stability changes between two stops."""
        while abs(b.value - a.value) > SHARP * max(abs(a.value), abs(b.value), 1e-300):
            middle = self.stop(0.5 * (a.value + b.value), a)
            if middle.value in (a.value, b.value):
                break
            a, b = (middle, b) if middle.stable == a.stable else (a, middle)
        return 0.5 * (a.value + b.value)


def _matched(steps: list[np.ndarray]) -> np.ndarray:
    """The same eigenvalues, each column going on where a straight line through its last two values points."""
    from scipy.optimize import linear_sum_assignment

    path = [steps[0]]
    for eigenvalues in steps[1:]:
        ahead = 2 * path[-1] - path[-2] if len(path) > 1 else path[-1]
        # Beside the prediction the last value counts, so that eigenvalues which meet and part keep their side.
        distance = np.abs(ahead[:, None] - eigenvalues[None, :]) + 0.1 * np.abs(
            path[-1][:, None] - eigenvalues[None, :]
        )
        path.append(eigenvalues[linear_sum_assignment(distance)[1]])
    return np.array(path)
