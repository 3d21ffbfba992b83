"""Start speeds: the smallest that meet the constraints and everything that was given."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.algebra.least_norm import least_norm
from linkwork.assembly.numbers import Numbers
from linkwork.components.bodies import Body
from linkwork.core.equations import DRIVES
from linkwork.core.errors import AssemblyError


def speeds(numbers: Numbers, q: np.ndarray, z: np.ndarray, *, strict: bool = True, held: bool = True) -> np.ndarray:
    """The smallest speeds that meet the constraints and every rate and velocity that was given.

    held=False: only what was given; constraints may open as fast as that.
    """
    eq, rest = numbers.eq, np.zeros(numbers.eq.v.numel())
    _, at_rest, A = numbers.constraints(q, rest, z)
    _, _, B = numbers.measures(q, rest, z)
    of_rows, of_speeds, of_coordinates = numbers.units
    kept = len(eq.constraints.rows) if held else 0
    blocks, wanted, units = [A[:kept, :]], [-at_rest[:kept]], [of_rows[:kept]]
    names = [str(row) for row in eq.constraints.rows[:kept]]
    for k, c in enumerate(numbers.coordinates):
        if c.speed is not None:
            blocks.append(B[k, :])
            wanted.append(np.atleast_1d(numbers.scalar(c.speed)))
            units.append(of_coordinates[k : k + 1])
            names.append(f"rate of {c.name}")
    for i, body in enumerate(numbers.bodies):
        for label, rows, speed in _body_speeds(numbers, body, i, q):
            blocks.append(rows)
            wanted.append(speed)
            units.append(np.full(speed.size, eq.states.length if label == "velocity" else 1.0))
            names += [f"{label} of {body.name}"] * speed.size
    r = np.concatenate(wanted)
    if not np.any(r):
        return rest
    sizes = np.concatenate(units)
    J, r = ca.diag(1 / sizes) @ ca.vertcat(*blocks) @ ca.diag(of_speeds), r / sizes
    v = least_norm(J, r)
    miss = np.abs(np.array(J @ ca.DM(v)).ravel() - r)
    if strict and np.any(miss > 1e-7 * max(1e-9, np.abs(r).max())):
        given = sorted({names[k] for k in range(kept, r.size)})
        given += [f"motion of {row.owner}" for row in eq.constraints.rows if row.direction in DRIVES]
        worst = sorted({names[k] for k in np.argsort(-miss)[:3] if miss[k] > 0.1 * miss.max()})
        raise AssemblyError(
            f"the start speeds contradict the joints by {(miss * sizes).max():.3g} m/s or rad/s"
            f" (most at {', '.join(worst)}).",
            component=numbers.model.name,
            remedy=f"Given were: {', '.join(given) or 'none'}. Leave out what the joints determine, or correct it.",
        )
    return of_speeds * v


def _body_speeds(numbers: Numbers, body: Body, i: int, q: np.ndarray) -> list[tuple[str, ca.DM, np.ndarray]]:
    n = numbers.eq.v.numel()
    eye = ca.DM.eye(n)
    rows = []
    space = numbers.space
    mine = eye[space.size * i : space.size * (i + 1), :]
    if body.given.velocity is not None:
        speed = space.true(numbers.value(body.given.velocity).ravel())
        rows.append(("velocity", mine[: space.along, :], speed))
    if body.given.spin is not None:
        R, _ = numbers.pose(body, q)
        spin = space.axial(R.T @ numbers.value(body.given.spin).ravel())
        rows.append(("spin", mine[space.along :, :], spin))
    return rows
