"""Evaluate: all channels at one state, without integrating."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.contacting.manifolds import chooser_of
from linkwork.analyses.contacting.referee import referee_of, values_of
from linkwork.analyses.describe import describe
from linkwork.analyses.prepare import Choice, prepare
from linkwork.core.registry import verb
from linkwork.core.result import Result

if TYPE_CHECKING:
    from linkwork.core.model import Model


@verb
def evaluate(
    model: Model, state: Any = None, *, t: float = 0.0, formulation: str = "absolute", parameters: dict | None = None
) -> Result:
    """Accelerations, reactions and all other channels at a state y = [q, v, z]; default: the assembled start."""
    ready = prepare(model, Choice(formulation), parameters, contacts=True)
    program, p = ready.program, model.p_at(ready.equations, ready.p, t)
    y = ready.state if state is None else np.asarray(state, dtype=float)
    referee, chooser = referee_of(ready, None), chooser_of(model, ready.equations, values_of(ready, None))
    if chooser and state is None:
        y = chooser.choose(t, y)
    if referee and state is None:
        y = referee.begin(t, y).y
    (values,) = program.function("outputs")(t, y, p)
    record = {"model": model.name, "formulation": ready.formulation, "status": "finished"}
    return Result([t], [values], program.channels, record=record, description=describe(model, p))
