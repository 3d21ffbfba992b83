"""Sensitivity: derivatives of channels over time, and of scalars of a run, with respect to parameters."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from linkwork.analyses.sensitivity.forward import Observation
from linkwork.analyses.sensitivity.objectives import Scalar
from linkwork.analyses.sensitivity.question import METHODS, Question
from linkwork.analyses.sensitivity.sensitivities import Gradient, Sensitivity
from linkwork.core.errors import LinkworkError, LinkworkWarning, ModelError, UnknownName, callers_level
from linkwork.core.kinds import names_in
from linkwork.core.registry import verb
from linkwork.core.signal import Inputs
from linkwork.simulation.arguments import parameters_of, sample_times
from linkwork.simulation.description.describe import versions

if TYPE_CHECKING:
    from linkwork.core.model import Model


@overload
def sensitivity(
    model: Model, of: str | Sequence[str], to: str | Sequence[str] | None, duration: float, **options: Any
) -> Sensitivity: ...
@overload
def sensitivity(
    model: Model, of: Scalar, to: str | Sequence[str] | None, duration: float, **options: Any
) -> Gradient: ...
@overload
def sensitivity(
    model: Model, of: Sequence[Scalar], to: str | Sequence[str] | None, duration: float, **options: Any
) -> list[Gradient]: ...
@verb  # type: ignore[misc]
def sensitivity(
    model: Model,
    of: str | Scalar | Sequence[str] | Sequence[Scalar],
    to: str | Sequence[str] | None,
    duration: float,
    *,
    method: str = "auto",
    formulation: str = "auto",
    solver: str = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: float | np.ndarray | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    kernels: bool | None = None,
    progress: Callable[[float], None] | None = None,
) -> Sensitivity | Gradient | list[Gradient]:
    """How a run changes with parameters: exact derivatives, not differences of runs.

    of: names of channels → a `Sensitivity`, derivatives over time; or `lw.Final(…)`, `lw.Integral(…)`, sums of them → a
    `Gradient` (a list of them for a list). to: names of parameters; None: all.
    method: "forward" (derivatives run along with the states; the cost grows with the number of parameters), "adjoint"
    (backwards through the steps of the run; scalars only, the cost hardly depends on the number of parameters), "auto".
    The start counts: it is assembled anew for other parameters, and its derivative is part of the result.
    formulation, rtol, atol, output, parameters (values), inputs, kernels: as in `simulate`; solver: "auto", "dopri5",
    "dop853", "radau" or "cvodes". Kinks and jumps of the equations are located, and jumps taken into account.
    """
    names, (scalars, channels) = _names(model, to), _asked(model, of, method)
    question = Question(
        model, names, duration, channels=channels, scalars=scalars, formulation=formulation, solver=solver,
        rtol=rtol, atol=atol, inputs=inputs, progress=progress, kernels=kernels,
    )  # fmt: skip
    clock = time.perf_counter()
    values = dict(zip(model.parameters, model.parameter_values(parameters_of(model, parameters)).tolist(), strict=True))
    record = {
        "model": model.name, "status": "finished", "formulation": formulation, "solver": solver, "rtol": rtol,
        "atol": atol, "duration": question.duration, "parameters": values, "versions": versions(),
    }  # fmt: skip
    if scalars:
        numbers, slopes, taken = question.gradients(values, method)
        record |= {"method": taken, "timings": {"run": time.perf_counter() - clock}, **question.taken}
        _require_numbers(model, scalars, names, slopes)
        gradients = [
            Gradient(str(s), numbers[k], dict(zip(names, slopes[k], strict=True)), record)
            for k, s in enumerate(scalars)
        ]
        return gradients[0] if isinstance(of, Scalar) else gradients
    observation = question.observe(values, sample_times(question.duration, output))
    timings = {"run": time.perf_counter() - clock}
    record |= {"method": "forward", "timings": timings, **question.taken, "jumps": observation.jumps}
    if observation.stopped:
        record["stopped by"] = observation.stopped
    _tell_corners(model, channels, names, observation)
    units = question.channel_units(values)
    of_parameters = {name: model.units.get(name, "") for name in names}
    return Sensitivity(
        observation.t,
        units,
        {name: values[name] for name in names},
        of_parameters,
        observation.values,
        observation.derivatives,
        record,
    )


def _require_numbers(model: Model, scalars: Sequence[Scalar], names: Sequence[str], slopes: np.ndarray) -> None:
    undefined = np.argwhere(~np.isfinite(slopes))
    if undefined.size:
        k, j = undefined[0].tolist()
        raise LinkworkError(
            f"{scalars[k]} has no derivative with respect to {names[j]}: it stands on a corner, or is infinitely "
            "steep, as √x is at 0.",
            component=model.name,
            remedy="Write it so that it is smooth there, or take another end of the run.",
        )


def _tell_corners(model: Model, channels: Sequence[str], names: Sequence[str], observation: Observation) -> None:
    """Which derivatives are not there; all others are."""
    undefined = np.isfinite(observation.values)[:, :, None] & ~np.isfinite(observation.derivatives)
    for channel, gone in zip(channels, np.moveaxis(undefined, 1, 0), strict=True):
        times = observation.t[gone.any(axis=1)]
        if not times.size:
            continue
        parameters = ", ".join(name for name, never in zip(names, gone.any(axis=0), strict=True) if never)
        further = "" if times.size == 1 else f" and {times.size - 1} samples after it"
        warnings.warn(
            LinkworkWarning(
                f"{model.name}: {channel} has no derivative with respect to {parameters} at t = {times[0]:g} s"
                f"{further}: it stands on a corner there, or is infinitely steep, as √x is at 0."
            ),
            stacklevel=callers_level(),
        )


def _asked(model: Model, of: object, method: str) -> tuple[list[Scalar], list[str]]:
    """Scalars, or channels."""
    if method not in METHODS:
        raise UnknownName("method", str(method), METHODS)
    given: list[object] = [of] if isinstance(of, (str, Scalar)) or not isinstance(of, Iterable) else list(of)
    scalars = [s for s in given if isinstance(s, Scalar)]
    channels = [str(c) for c in given if isinstance(c, str)]
    if not given or len(scalars) not in (0, len(given)) or len(scalars) + len(channels) < len(given):
        raise ModelError(
            f"of={of!r}: either channels or scalars are differentiated.",
            component=model.name,
            remedy='Give "piston.x" (or a list), or lw.Final("piston.x"), lw.Integral(…) (or a list).',
        )
    if channels and method == "adjoint":
        raise ModelError(
            "the adjoint method gives derivatives of scalars, not of channels over time.",
            component=model.name,
            remedy='Use method="forward", or ask for lw.Final(…) or lw.Integral(…).',
        )
    return scalars, channels


def _names(model: Model, to: str | Sequence[str] | None) -> tuple[str, ...]:
    if to is None:
        return tuple(model.parameters)
    return names_in(to)
