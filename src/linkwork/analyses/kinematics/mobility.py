"""Do the drives move the mechanism, all of it and nothing twice? And if not, which coordinate is to blame."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.closing import close_all
from linkwork.algebra.rank import IN_TURN, independent_rows, null_space, unit_rows
from linkwork.analyses.kinematics.drives import coordinate_names
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.geometry import SX


def check_not_twice(mechanism: Mechanism, t: float, q: np.ndarray, z: np.ndarray) -> None:
    """Each drive must move something that joints, motions and the drives before it leave free."""
    J, _ = mechanism.speed_rows(np.array([t]), q[None], z[None])
    first = len(mechanism.eq.constraints.rows)
    A, B = J[0, :first], J[0, first:]
    kept = independent_rows(B @ null_space(A), np.linalg.norm(B, axis=1))
    names = [driven.name for driven in mechanism.driven]
    for k, name in enumerate(names):
        if k not in kept:
            others = ", ".join(names[:k])
            raise ModelError(
                f"cannot be driven at t = {t:g} s: the joints{' and the drives of ' + others if others else ''} leave "
                "it no freedom.",
                component=name,
                remedy="Leave this drive out; or, if this is a dead centre, start beside it or drive another "
                "coordinate.",
            )


def check_all_driven(mechanism: Mechanism, t: float, q: np.ndarray, z: np.ndarray) -> None:
    """No freedom may remain; the message suggests what else could be driven."""
    J, _ = mechanism.speed_rows(np.array([t]), q[None], z[None])
    free = null_space(J[0])
    count = free.shape[1]
    if not count:
        return
    if _is_singular(mechanism, t, q, z, count):
        raise ModelError(
            f"the position at t = {t:g} s is singular: branches of the motion meet, and the drives do not say which to "
            "take.",
            component=mechanism.model.name,
            remedy="Start a little beside it, or drive another coordinate.",
        )
    suggested, others = movable(mechanism, t, q, z, free)
    noun = "degree of freedom is" if count == 1 else "degrees of freedom are"
    if suggested:
        remedy = f"Drive {', '.join(suggested)} too" + (f" (or {', '.join(others[:8])})." if others else ".")
    else:
        remedy = "No coordinate of a joint moves there: drive a position, such as 'body.x'."
    raise ModelError(f"{count} {noun} not driven at t = {t:g} s.", component=mechanism.model.name, remedy=remedy)


def _is_singular(mechanism: Mechanism, t: float, q: np.ndarray, z: np.ndarray, count: int) -> bool:
    """Whether fewer than `count` freedoms are left at a position nearby that the joints allow."""
    now = np.array([t])
    J, _ = mechanism.speed_rows(now, q[None], z[None])
    free = null_space(J[0, : len(mechanism.eq.constraints.rows)])
    step = 1e-3 * free @ np.linspace(1, 2, free.shape[1])
    held = slice(mechanism.eq.constraints.position.numel())

    def rows(_: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r, K = mechanism.place(now, q, z[None], np.zeros((1, len(mechanism.drives))))
        return r[:, held], K[:, held]

    unit = mechanism.eq.states.scale[: q.size]
    here, _, _ = close_all(rows, mechanism.move, mechanism.move(q[None], step[None]), unit=unit)
    J, _ = mechanism.speed_rows(now, here, z[None])
    return null_space(J[0]).shape[1] < count


def movable(
    mechanism: Mechanism, t: float, q: np.ndarray, z: np.ndarray, free: np.ndarray
) -> tuple[list[str], list[str]]:
    """Coordinates that together move all `free` directions (columns, in natural units), first come first; and others
    that move too."""
    names, B = coordinate_rows(mechanism.eq, t, q, z, mechanism.p)
    B = B * mechanism.steps
    moving, sizes = B @ free, np.linalg.norm(B, axis=1)
    kept = independent_rows(moving, sizes)
    others = [k for k in range(len(names)) if k not in kept and np.linalg.norm(moving[k]) > IN_TURN * sizes[k]]
    return [names[k] for k in kept], [names[k] for k in others]


def coordinate_rows(
    eq: Equations, t: float, q: np.ndarray, z: np.ndarray, p: np.ndarray
) -> tuple[list[str], np.ndarray]:
    """Names of all coordinates and how each one's rate depends on v, shape (coordinates, speeds)."""
    names = coordinate_names(eq)
    rates = ca.vertcat(SX(0, 1), *(eq.observation.outputs[f"{name}.rate"][1] for name in names))
    y = np.concatenate([q, np.zeros(eq.v.numel()), z])
    return names, eq.at(p, t).values(y, ca.jacobian(rates, eq.v))[0]


def culprit(mechanism: Mechanism, t: float, q: np.ndarray, z: np.ndarray) -> str:
    """The drive (or motion law) that pulls hardest against the joints at a position next to a singular one."""
    J, _ = mechanism.speed_rows(np.array([t]), q[None], z[None])
    U, s, _ = lapack.svd(unit_rows(J[0]), full_matrices=False)
    names = mechanism.row_names()
    motions = [
        k for k, row in enumerate(mechanism.eq.constraints.rows) if row.direction in ("motion", "speed", "acceleration")
    ]
    rows = [*motions, *range(len(mechanism.eq.constraints.rows), len(names))]
    if not rows:
        return mechanism.model.name
    weakest = int(np.argmin(s))
    return names[max(rows, key=lambda k: abs(U[k, weakest]))]
