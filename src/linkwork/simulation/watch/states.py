"""States of the absolute equations read back from the channels of a run in any formulation."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.assembly.numbers import absolute_equations
from linkwork.components.bodies import Body
from linkwork.components.variables import Variable
from linkwork.core.equations import Equations
from linkwork.core.errors import LinkworkError
from linkwork.core.model import Model
from linkwork.geometry import rotations
from linkwork.simulation.watch.evidence import Evidence

State = tuple[np.ndarray, np.ndarray, np.ndarray]
"""q, v, z."""


def absolute_states(run: Evidence) -> tuple[Equations, list[State]] | None:
    """The absolute equations and (q, v, z) of each sample; None where a channel is missing."""
    if not isinstance(run.model, Model):  # a bond graph has no bodies
        return None
    try:
        eq = absolute_equations(run.model)
    except LinkworkError:
        return None
    result, planar = run.result, run.model.is_planar
    q: list[np.ndarray] = []
    v: list[np.ndarray] = []
    try:
        for body in run.model.of_type(Body):
            get = lambda *ends, name=body.name: [result[f"{name}.{end}"] for end in ends]  # noqa: E731
            if planar:
                q += get("x", "y", "angle")
                v += get("vx", "vy", "wz")
            else:
                e, w = np.array(get("q0", "q1", "q2", "q3")), np.array(get("wx", "wy", "wz"))
                q += [*get("x", "y", "z"), *e]
                v += [*get("vx", "vy", "vz"), *_in_body_axes(e, w)]
        for variable in run.model.of_type(Variable):
            q.append(result[variable.name])
            v.append(result[f"{variable.name}.rate"])
    except LinkworkError:
        return None
    n = result.t.size
    columns = (np.array(x).reshape(len(x), n).T for x in (q, v))
    return eq, list(zip(*columns, _first_order(run, eq), strict=True))


def _first_order(run: Evidence, eq: Equations) -> np.ndarray:
    """z (samples, …): states that both formulations know by name; the others are 0."""
    names, own = run.equations.states.names, eq.z_names
    z = np.zeros((run.result.t.size, eq.z.numel()))
    if run.path.y.shape == (len(z), len(names)):
        for k, name in enumerate(own):
            if names.count(name) == 1:
                z[:, k] = run.path.y[:, names.index(name)]
    return z


def _in_body_axes(e: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Angular velocities (3, samples) in body axes, for Euler parameters (4, samples)."""
    x = ca.SX.sym("e", 4)
    R = ca.Function("R", [x], [rotations.from_quaternion(x)]).map(e.shape[1])(e)
    R = np.array(R).reshape(3, e.shape[1], 3)
    return np.einsum("isj,is->js", R, w)
