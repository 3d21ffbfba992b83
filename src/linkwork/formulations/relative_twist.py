"""Rates of a joint's scalars as linear functions of the relative twist of its frames, for any joint."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from linkwork.components.joint import Joint
from linkwork.core.equations import Row
from linkwork.formulations.maximal_view import MaximalView
from linkwork.geometry import SX, Pose, embedding


def rates_by_twist(view: MaximalView, joint: Joint, function: Callable[[Pose, Pose], list[SX]]) -> tuple[SX, SX]:
    """(per V, per Ω): d/dt function(M, N) = B_V V + B_Ω Ω, V and Ω of N seen from M in the axes of M.

    function: `joint.closure` or `joint.measure`; columns that do not exist in the plane are left out.
    """
    return rates_by_twist_at(relative_pose(view, joint), function, view.planar)


def rates_by_twist_at(N: Pose, function: Callable[[Pose, Pose], list[SX]], planar: bool) -> tuple[SX, SX]:
    """The same where N is seen from M in a given pose."""
    p, E = SX.sym("p", 3), SX.sym("E", 3, 3)
    space = embedding(planar)
    turn, M = space.turn(SX.sym("turn")), Pose(SX(3, 1), SX.eye(3), space.turn(SX(0)))
    scalars = ca.vertcat(SX(0, 1), *(SX(x) for x in function(M, Pose(p, E, turn))))
    W, V = SX.sym("W", 3), SX.sym("V", 3)
    moving, rates = [p, ca.vec(E)], [V, ca.vec(ca.skew(W) @ E)]
    if turn is not None:
        moving.append(turn)
        rates.append(W[2])
    rate = ca.jtimes(scalars, ca.vertcat(*moving), ca.vertcat(*rates))
    symbols, here = [p, E], [N.p, N.R]
    if turn is not None and N.turn is not None:
        symbols.append(turn)
        here.append(N.turn)
    by_velocity, by_rotation = ca.substitute(
        [ca.densify(ca.jacobian(rate, V)), ca.densify(ca.jacobian(rate, W))], symbols, [ca.densify(x) for x in here]
    )
    return ca.sparsify(space.true(by_velocity.T).T), ca.sparsify(space.axial(by_rotation.T).T)


def relative_pose(view: MaximalView, joint: Joint) -> Pose:
    """N seen from M, in the axes of M."""
    first, second = view.frame(joint.first), view.frame(joint.second)
    turn = None  # in space none of them has one
    if first.turn is not None and second.turn is not None:
        turn = second.turn - first.turn
    return Pose(first.R.T @ (second.p - first.p), first.R.T @ second.R, turn)


def closure_in_joint(view: MaximalView, joint: Joint) -> list[SX]:
    """The joint's closing equations written in the axes of its first frame."""
    M = Pose(SX(3, 1), SX.eye(3), view.space.turn(SX(0)))
    return [SX(x) for x in joint.closure(M, relative_pose(view, joint))]


def in_joint_axes(view: MaximalView, position: list[tuple[Row, SX]], wanted: Callable[[Row], bool]) -> None:
    """Rewrite those rows of joints that are wanted in the axes of their joints' first frames.

    Their rates are then relative velocities as the joint feels them: flows of a bond graph, or what a damper feels,
    which must not mind that a deflection turns with the joint.
    """
    own: dict[str, list[SX]] = {}
    joints = {joint.name: joint for joint in view.model.of_type(Joint)}
    for k, (row, _) in enumerate(position):
        if row.owner in joints and wanted(row):
            if row.owner not in own:
                own[row.owner] = closure_in_joint(view, joints[row.owner])
            position[k] = (row, own[row.owner][row.number])
