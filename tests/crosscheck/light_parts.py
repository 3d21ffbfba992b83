"""Parts of a random mechanism that lose their mass, where the others keep it in motion."""

from __future__ import annotations

import numpy as np

import linkwork as lw
from linkwork.assembly.numbers import Numbers
from linkwork.components.bodies import Body

WEIGHTLESS = 0.25
"""Share of them that lose all of it."""
KEPT = 0.3
"""Share of the smallest inertia of any free motion that must be left, or a light part would be thrown about."""


def lighten(model: lw.Model, rng: np.random.Generator) -> list[str]:
    """Take the mass of some bodies (all of it, or all but 1e-3 … 1e-12); returns their names."""
    done: list[str] = []
    least = _least_inertia(model)
    if least is None:
        return done  # nothing moves, and nothing is known of the size of accelerations
    softly = {m.body for j in model.of_type(lw.Joint) if j.compliance for m in (j.first, j.second)}
    for body in rng.permutation(np.array(model.of_type(Body), dtype=object)):
        mass, inertia, share = body.mass, body.inertia, 10.0 ** rng.uniform(-12, -3)
        if rng.uniform() < WEIGHTLESS and body not in softly:  # springs would throw it about
            share = 0.0
        body.mass, body.inertia = share * mass, share * inertia
        if (left := _least_inertia(model)) is not None and left > KEPT * least:
            done.append(body.name)
        else:
            body.mass, body.inertia = mass, inertia
    return done


def _least_inertia(model: lw.Model) -> float | None:
    """The smallest kinetic energy of a motion that joints allow, per square of its speeds; None: nothing can move."""
    try:
        start = model.assemble()
    except lw.ModelError:  # what has no mass is thrown about without end
        return 0.0
    at = Numbers(model, np.concatenate([model.parameter_values(), list(model.inputs.values())]))
    q, v, z = np.split(start.state, np.cumsum([at.eq.q.numel(), at.eq.v.numel()]))
    A = np.array(at.constraints(q, v, z)[2])
    _, s, V = np.linalg.svd(A) if A.size else (None, np.zeros(0), np.eye(v.size))
    free = V[int(np.sum(s > 1e-9 * s.max(initial=0.0))) :].T
    if not free.size:
        return None
    return float(np.linalg.eigvalsh(free.T @ at.dynamics(q, v, z)[0] @ free)[0])
