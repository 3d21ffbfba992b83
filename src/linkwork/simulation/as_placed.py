"""A run that begins where bodies were put, whether or not joints are closed there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.assembly.assemble import TOLERANCE
from linkwork.core.errors import ModelError
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.prepare import COMPLIANT_FORMULATIONS, Prepared
from linkwork.simulation.task import Task


def check_as_placed(task: Task) -> None:
    """Raise where a run cannot begin with open joints."""
    model, name = task.model, task.choice.formulation
    if task.start is not None:
        raise ModelError(
            "start and assemble=False are both given.", component=model.name, remedy="Leave one of them out."
        )
    if name not in COMPLIANT_FORMULATIONS:
        raise ModelError(
            f"assemble=False: joints cannot be open in formulation {name!r}.",
            component=model.name,
            remedy="Use formulation='compliant' or 'bondgraph-rc', where springs hold them.",
        )


def as_placed(task: Task, ready: Prepared) -> Prepared:
    """The same with no body moved to close a joint; all stiffness stays what it is for the closed mechanism."""
    model = task.model
    placed = model.assemble(parameters=parameters_of(model, task.parameters), inputs=task.inputs, close=False)
    ready = replace(ready, assembly=placed)
    _refuse_open(ready)
    return ready


def _refuse_open(ready: Prepared) -> None:
    """What is ideal all the same (motions of variables, guides) must hold from the beginning."""
    eq = ready.equations
    at = eq.at(ready.p, 0.0)
    q, v, z = np.split(ready.state, [eq.q.numel(), eq.q.numel() + eq.v.numel()])
    off = np.abs(at.constraints(q, v, z)[0])
    for row, value in zip(eq.constraints.rows, off, strict=False):
        if value > TOLERANCE * max(1.0, eq.states.length):
            raise ModelError(
                f"assemble=False: it is off by {value:.3g} at the start, and no spring holds it.",
                component=row.owner,
                remedy="Put the bodies where it holds, or leave assemble=False out.",
            )
