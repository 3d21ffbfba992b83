"""Bodies without mass: joints must carry them, or nothing says how they move."""

from __future__ import annotations

import numpy as np

from linkwork.algebra.rank import null_space
from linkwork.assembly.numbers import Numbers
from linkwork.core.errors import ModelError
from linkwork.formulations.order import structure_of

NOTHING = 1e-9
"""Share of the largest below which a mass, a row or a force is rounding."""


def refuse_unheld(numbers: Numbers, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> None:
    """Raise for a body that has no mass in a direction in which nothing holds it.

    A rotation that nothing moves either may stay free: of a particle, of a massless rod about the line of its joints.
    """
    massless = structure_of(numbers.model).massless
    if not massless:
        return
    M, force, _ = numbers.dynamics(q, v, z)
    A = np.array(numbers.constraints(q, v, z)[2])
    steps = numbers.units[1]
    rows = np.vstack([M * steps[:, None] * steps, A * steps])
    sizes = np.abs(rows).max(axis=1, initial=0.0)
    rows = rows[sizes > 0] / sizes[sizes > 0, None]
    push = np.abs(force * steps)
    linear, size = numbers.space.along, numbers.space.size
    for direction in null_space(rows).T:
        k = int(np.argmax(np.abs(direction)))
        body = numbers.bodies[min(k // size, len(numbers.bodies) - 1)]
        moved = abs(direction @ (force * steps)) > NOTHING * push.max(initial=0.0)
        own = slice(size * (k // size), size * (k // size) + size)
        turns_only = np.abs(np.delete(direction, np.arange(own.start + linear, own.stop))).max(initial=0.0) < 1e-6
        if turns_only and not moved:
            continue
        what = "rotation" if k % size >= linear else "position"
        raise ModelError(
            f"it has no {'inertia' if what == 'rotation' else 'mass'}, and no joint holds its {what}"
            + (", but a moment acts on it." if turns_only else "."),
            component=body.name,
            remedy="Give it some, or hold it by joints on both sides.",
        )
