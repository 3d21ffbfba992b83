"""Joints of the user's own: their three methods must tell the same story, or formulations would disagree silently."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.algebra.rank import rank_of
from linkwork.components.joint import Joint
from linkwork.core.errors import ModelError
from linkwork.geometry import SX, Pose, embedding, rotations


def is_foreign(joint: Joint) -> bool:
    """Whether its class, written elsewhere, says how it moves."""
    return joint.explicit and not type(joint).__module__.startswith("linkwork.")


def verify(joint: Joint, symbols: SX, values: np.ndarray) -> None:
    """closure(motion(c)) = 0, measure(motion(c)) = c, and as many independent rows as blocked directions.

    Library joints are covered by their contract tests; this is for classes defined elsewhere.
    """
    if not is_foreign(joint):
        return
    planar = joint.model is not None and joint.model.is_planar
    c = SX.sym("c", len(joint.coordinates))
    shift = SX.sym("shift", 6)
    space = embedding(planar)
    M = Pose(space.true_vector(space.true(SX(ca.DM([0.3, -0.2, 0.1])))), SX(ca.DM.eye(3)), space.turn(SX(0)))
    N = M @ joint.moved({coordinate.label: c[k] for k, coordinate in enumerate(joint.coordinates)})
    spin = space.axial_vector(space.axial(shift[3:]))
    turned = rotations.from_quaternion(rotations.quaternion_exponential(spin))
    moved = Pose(N.p + shift[:3], turned @ N.R, None if N.turn is None else N.turn + shift[5])
    rows = ca.vertcat(*(SX(x) for x in joint.closure(M, moved)))
    measured = ca.vertcat(*(SX(joint.measure(M, moved)[k.index]) for k in joint.coordinates))
    f = ca.Function("contract", [c, shift, symbols], [rows, ca.densify(ca.jacobian(rows, shift)), measured])
    directions = space.rows
    random = np.random.default_rng(2)
    for _ in range(3):
        x = random.uniform(0.05, 0.4, c.numel())
        closed, A, back = (np.array(y) for y in f(x, np.zeros(6), values))
        rank = rank_of(A[:, directions]) if closed.size else 0
        if np.abs(closed).max(initial=0.0) > 1e-8:
            _blame(joint, "`closure` does not vanish where `motion` puts the second frame.")
        if np.abs(back.ravel() - x).max(initial=0.0) > 1e-8:
            _blame(joint, "`measure` does not read back the coordinates that `motion` was given.")
        if rank != len(directions) - x.size:
            _blame(
                joint,
                f"`closure` blocks {rank} of {len(directions)} directions, but {x.size} coordinates are free: "
                f"{len(directions) - x.size} must be blocked.",
            )


def _blame(joint: Joint, cause: str) -> None:
    raise ModelError(
        f"{type(joint).__name__} contradicts itself: {cause}",
        component=joint.name,
        remedy="See docs/add-a-joint.md for what closure, motion and measure must fulfil together.",
    )
