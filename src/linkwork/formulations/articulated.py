"""Forward dynamics of a tree in O(n) operations: the articulated-body recursion (Featherstone), in joint-frame axes.

Spatial vectors are (ω, v) and (moment, force) in the axes of the frame a body's joint has on that body.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from linkwork.formulations.charts import Chart
from linkwork.formulations.recursion import child_marker, parent_marker
from linkwork.geometry import SX, Number, Pose, as_vector


def accelerations(
    charts: list[Chart], gravity: Sequence[Number], efforts: list[SX], pushes: dict[str, tuple[SX, SX]]
) -> list[SX]:
    """v̇ of each chart.

    efforts: generalised force on each chart's speeds; pushes: (moment, force) on a body about its joint frame's origin,
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
        c[i] = _crossed(v[i], relative) + chart.bias if parent is not None else chart.bias
        inertia[i] = _inertia(chart)
        p[i] = _crossed_force(v[i], inertia[i] @ v[i])
        if chart.link.body.name in pushes:
            p[i] -= ca.vertcat(*pushes[chart.link.body.name])
    U, D, u = [SX(6, 0)] * n, [SX(0, 0)] * n, [SX(0, 1)] * n
    for i in reversed(range(n)):
        S = charts[i].S
        U[i], u[i] = inertia[i] @ S, efforts[i] - S.T @ p[i]
        D[i] = _inverse(S.T @ U[i])
        parent = index.get(charts[i].link.parent.name)
        if parent is not None:
            held = _symmetric(inertia[i] - U[i] @ (D[i] @ U[i].T)) if S.shape[1] else inertia[i]
            pull = p[i] + held @ c[i] + (U[i] @ (D[i] @ u[i]) if S.shape[1] else 0)
            inertia[parent] = inertia[parent] + _back_inertia(steps[i], held)
            p[parent] = p[parent] + _back_force(steps[i], pull)
    found, a = [], [SX(6, 1)] * n
    fall = ca.vertcat(SX(3, 1), -as_vector(gravity))  # the ground accelerates upwards instead of the bodies falling
    for i, chart in enumerate(charts):
        parent = index.get(chart.link.parent.name)
        ahead = _forth(steps[i], fall if parent is None else a[parent]) + c[i]
        vdot = D[i] @ (u[i] - U[i].T @ ahead) if chart.S.shape[1] else SX(0, 1)
        found.append(vdot)
        a[i] = ahead + chart.S @ vdot
    return found


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
    J = ca.diagcat(SX(2, 2), J) if J.numel() == 1 else J
    C = ca.skew(-(local.R.T @ local.p))  # to the mass centre
    turned = local.R.T @ J @ local.R + m * (C @ C.T)
    if body.model is not None and body.model.is_planar:
        turned = ca.diagcat(SX(2, 2), turned[2, 2])
    return ca.sparsify(ca.blockcat([[turned, m * C], [m * C.T, m * ca.SX.eye(3)]]))


def _symmetric(matrix: SX) -> SX:
    """Only one half is computed."""
    return ca.triu2symm(ca.triu(matrix))


def _motion(pose: Pose) -> SX:
    """6×6 map of motion vectors into a frame at `pose`."""
    E = pose.R.T
    return ca.sparsify(ca.blockcat([[E, SX(3, 3)], [-(E @ ca.skew(pose.p)), E]]))


def _forth(step: tuple[Pose, Pose], motion: SX) -> SX:
    for pose in step:
        w = motion[:3]
        motion = ca.vertcat(pose.R.T @ w, pose.R.T @ (motion[3:] + ca.cross(w, pose.p)))
    return motion


def _back_force(step: tuple[Pose, Pose], force: SX) -> SX:
    for pose in reversed(step):
        f = pose.R @ force[3:]
        force = ca.vertcat(pose.R @ force[:3] + ca.cross(pose.p, f), f)
    return force


def _back_inertia(step: tuple[Pose, Pose], inertia: SX) -> SX:
    for pose in reversed(step):
        X = _motion(pose)
        inertia = _symmetric(X.T @ inertia @ X)
    return inertia


def _crossed(v: SX, m: SX) -> SX:
    """v × m for motion vectors."""
    return ca.vertcat(ca.cross(v[:3], m[:3]), ca.cross(v[:3], m[3:]) + ca.cross(v[3:], m[:3]))


def _crossed_force(v: SX, f: SX) -> SX:
    """v ×* f for force vectors."""
    return ca.vertcat(ca.cross(v[:3], f[:3]) + ca.cross(v[3:], f[3:]), ca.cross(v[:3], f[3:]))


def _inverse(D: SX) -> SX:
    """Inverse of a small positive definite matrix."""
    n = D.shape[0]
    if n <= 1:
        return 1 / D if n else D
    factor, LT, order = ca.ldl(ca.densify(D), False)
    return _symmetric(ca.horzcat(*(ca.ldl_solve(column, factor, LT, order) for column in ca.horzsplit(SX.eye(n)))))
