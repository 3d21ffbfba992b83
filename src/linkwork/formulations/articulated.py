"""Forward dynamics of a tree in O(n) operations: the articulated-body recursion (Featherstone), in joint-frame axes.

Spatial vectors are (v, ω) and (force, moment) in the axes of the frame a body's joint has on that body.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from linkwork.formulations.charts import Chart
from linkwork.formulations.recursion import child_marker, parent_marker
from linkwork.geometry import SX, Number, Pose, Twist, Wrench, as_vector, cross, embedding


def accelerations(
    charts: list[Chart], gravity: Sequence[Number], efforts: list[SX], pushes: dict[str, Wrench]
) -> list[SX]:
    """v̇ of each chart.

    efforts: generalised force on each chart's speeds; pushes: the wrench on a body about its joint frame's origin,
    in that frame's axes, for bodies that have any.
    """
    index = {chart.link.body.name: i for i, chart in enumerate(charts)}
    n = len(charts)
    steps = [_step(chart, charts, index) for chart in charts]
    v, c, inertia, p = [SX(6, 1)] * n, [SX(6, 1)] * n, [SX(6, 6)] * n, [SX(6, 1)] * n
    for i, chart in enumerate(charts):
        parent = index.get(chart.link.parent.name)
        relative = chart.S @ chart.v + chart.drift
        v[i] = relative if parent is None else _forth(steps[i], v[parent]) + relative
        c[i] = crossed(v[i], relative) + chart.bias if parent is not None else chart.bias
        inertia[i] = _inertia(chart)
        p[i] = crossed_force(v[i], inertia[i] @ v[i])
        if chart.link.body.name in pushes:
            p[i] -= pushes[chart.link.body.name].column
    U, D, u = [SX(6, 0)] * n, [SX(0, 0)] * n, [SX(0, 1)] * n
    for i in reversed(range(n)):
        S = charts[i].S
        U[i], u[i] = inertia[i] @ S, efforts[i] - S.T @ p[i]
        D[i] = inverse(S.T @ U[i])
        parent = index.get(charts[i].link.parent.name)
        if parent is not None:
            held = symmetric(inertia[i] - U[i] @ (D[i] @ U[i].T)) if S.shape[1] else inertia[i]
            pull = p[i] + held @ c[i] + (U[i] @ (D[i] @ u[i]) if S.shape[1] else 0)
            inertia[parent] = inertia[parent] + _back_inertia(steps[i], held)
            p[parent] = p[parent] + _back_force(steps[i], pull)
    rates, a = [], [SX(6, 1)] * n
    fall = ca.vertcat(-as_vector(gravity), SX(3, 1))  # the ground accelerates upwards instead of the bodies falling
    for i, chart in enumerate(charts):
        parent = index.get(chart.link.parent.name)
        ahead = _forth(steps[i], fall if parent is None else a[parent]) + c[i]
        vdot = D[i] @ (u[i] - U[i].T @ ahead) if chart.S.shape[1] else SX(0, 1)
        rates.append(vdot)
        a[i] = ahead + chart.S @ vdot
    return rates


def _step(chart: Chart, charts: list[Chart], index: dict[str, int]) -> tuple[Pose, Pose]:
    """From the parent's joint frame to the child's: a fixed pose, then the joint's own."""
    fixed = parent_marker(chart)
    if chart.link.parent.name in index:
        fixed = child_marker(charts[index[chart.link.parent.name]]).inverse() @ fixed
    return fixed, chart.pose


def _inertia(chart: Chart) -> SX:
    """Spatial inertia of the body about its joint frame, in that frame's axes."""
    body, local = chart.link.body, child_marker(chart)
    m, J = SX(body.mass), SX(body.inertia)
    space = embedding(J.numel() == 1)
    J = space.inertia(J)
    C = ca.skew(-(local.R.T @ local.p))  # to the mass centre
    turned = local.R.T @ J @ local.R + m * (C @ C.T)
    turned = space.inertia(space.on_axial(turned))
    return ca.sparsify(ca.blockcat([[m * ca.SX.eye(3), m * C.T], [m * C, turned]]))


def symmetric(matrix: SX) -> SX:
    """Only one half is computed."""
    return ca.triu2symm(ca.triu(matrix))


def motion_map(pose: Pose) -> SX:
    """6×6 map of motion vectors into a frame at `pose`."""
    E = pose.R.T
    return ca.sparsify(ca.blockcat([[E, -(E @ ca.skew(pose.p))], [SX(3, 3), E]]))


def _forth(step: tuple[Pose, Pose], motion: SX) -> SX:
    twist = Twist.of_column(motion)
    for pose in step:
        twist = twist.into(pose)
    return twist.column


def _back_force(step: tuple[Pose, Pose], force: SX) -> SX:
    wrench = Wrench.of_column(force)
    for pose in reversed(step):
        wrench = wrench.out_of(pose)
    return wrench.column


def _back_inertia(step: tuple[Pose, Pose], inertia: SX) -> SX:
    for pose in reversed(step):
        X = motion_map(pose)
        inertia = symmetric(X.T @ inertia @ X)
    return inertia


def crossed(motion: SX, other: SX) -> SX:
    """v × m for motion vectors."""
    v, m = Twist.of_column(motion), Twist.of_column(other)
    return ca.vertcat(cross(v.spin, m.velocity) + cross(v.velocity, m.spin), cross(v.spin, m.spin))


def crossed_force(motion: SX, force: SX) -> SX:
    """v ×* f for force vectors."""
    v, f = Twist.of_column(motion), Wrench.of_column(force)
    return ca.vertcat(cross(v.spin, f.force), cross(v.spin, f.moment) + cross(v.velocity, f.force))


def inverse(D: SX) -> SX:
    """Inverse of a small positive definite matrix."""
    n = D.shape[0]
    if n <= 1:
        return 1 / D if n else D
    factor, LT, order = ca.ldl(ca.densify(D), False)
    return symmetric(ca.horzcat(*(ca.ldl_solve(column, factor, LT, order) for column in ca.horzsplit(SX.eye(n)))))
