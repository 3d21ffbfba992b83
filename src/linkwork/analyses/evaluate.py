"""Evaluate: all channels at one state, without integrating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.contact.contact_solver import contact_solver_of
from linkwork.contact.manifolds import chooser_of
from linkwork.core.registry import verb
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.signals.inputs import signals_of, values_in_time
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.description.describe import describe
from linkwork.simulation.prepare import Choice, prepare

if TYPE_CHECKING:
    from linkwork.core.model import Model


@verb
def evaluate(
    model: Model,
    state: Sequence[float] | np.ndarray | None = None,
    *,
    t: float = 0.0,
    formulation: str = "absolute",
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
) -> Result:
    """Accelerations, reactions and all other channels at a state y = [q, v, z]; default: the assembled start.

    parameters, inputs: as for `simulate`.
    """
    ready = prepare(model, Choice(formulation), parameters_of(model, parameters), contacts=True, inputs=inputs)
    signals = signals_of(model, inputs, ready.equations)
    program, p = ready.program, model.p_at(ready.equations, ready.p, t, signals.given)
    y = ready.state if state is None else np.asarray(state, dtype=float)
    eq = ready.equations
    numbers = values_in_time(ready.p, eq.symbols.parameters.numel(), signals)
    contact_solver, chooser = contact_solver_of(eq, numbers), chooser_of(model, eq, numbers)
    if chooser and state is None:
        y = chooser.choose(t, y)
    if contact_solver and state is None:
        y = contact_solver.begin(t, y).y
    (values,) = program.function("outputs")(t, y, p)
    record = {"model": model.name, "formulation": ready.formulation, "status": "finished"}
    return Result([t], [values], program.channels, record=record, description=describe(model, p))
