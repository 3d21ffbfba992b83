"""Evaluate: all channels at one state, without integrating."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analyses.describe import describe
from linkwork.analyses.simulate import program_of
from linkwork.core.registry import verb
from linkwork.core.result import Result
from linkwork.formulations.stabilisation import Projection


@verb
def evaluate(
    model: Any, state: Any = None, *, t: float = 0.0, formulation: str = "absolute", parameters: dict | None = None
) -> Result:
    """Accelerations, reactions and all other channels at a state y = [q, v, z]; default: the assembled start."""
    _, program = program_of(model, formulation, Projection())
    y = model.assemble(parameters=parameters).state if state is None else np.asarray(state, dtype=float)
    p = np.concatenate([model.parameter_values(parameters), list(model.inputs.values())])
    (values,) = program.function("outputs")(t, y, p)
    record = {"model": model.name, "formulation": formulation, "status": "finished"}
    return Result([t], [values], program.channels, record=record, description=describe(model, p))
