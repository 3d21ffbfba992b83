"""SYM: everything from position matrices, second-order integration by Newmark, a hydraulic jack, a robot."""

from __future__ import annotations

from functools import partial

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.examples import double_pendulum_positions, robot
from linkwork.simulation.prepare import Choice, prepare

from ..reference.interpreted import Interpreted
from . import easydyn
from .audit import Finding, item, missing, off, once, same

sym = partial(item, "SYM")
TIGHT = {"rtol": 1e-10, "atol": 1e-12}
Q, U = np.array([2.1, -0.4, 0.8, 0.3, 0.5]), np.array([0.7, -0.3, 0.4, 0.9, -1.1])
"""Where the robot is looked at, and its rates."""


@once
def moved_robot() -> lw.Result:
    k = robot.model()
    k.start(*Q, rates=tuple(U))
    return k.evaluate(formulation="minimal")


def channels(body: str, what: str) -> np.ndarray:
    return np.array([moved_robot()[f"{body}.{what}{x}"].item() for x in "xyz"])


@once
def accelerations() -> np.ndarray:
    """q̈ of the robot there."""
    k = robot.model()
    k.start(*Q, rates=tuple(U))
    form = Interpreted.of(k, "minimal")
    n = form.ready.program.layout.q
    return form.call("rhs", 0.0, form.ready.state, form.ready.p)[n : n + 5]


# II, III: description, equations of motion


@sym("(1), (2), Fig. 1", "a body is placed by a homogeneous matrix of unit vectors", "m.guide, lw.Kinematics")
def rigid_matrices() -> Finding:
    k = lw.Kinematics("skewed", coordinates=1)
    skewed = np.eye(4)
    skewed[0, 1] = 0.1
    try:
        k.body("b", lw.SX(skewed), mass=1, inertia=(1, 1, 1))
    except lw.ModelError:
        found = np.array([moved_robot()[f"hand.{x}"].item() for x in "xyz"])
        return off(
            found - easydyn.at(easydyn.ROBOT[2][:3, 3], Q),
            1e-12,
            "m",
            "others are refused; hand of the robot differs by",
        )
    return same("taken", "refused", "a matrix that is no rotation is")


@sym("(3), (4), Fig. 2", "matrices of the double pendulum", "examples/double_pendulum_positions.py")
def pendulum_matrices() -> Finding:
    q1, q2, l1, l2 = 0.4, 0.7, 1.2, 1.1
    k = double_pendulum_positions.model()
    k.start(q1, q2)
    row = k.evaluate(formulation="minimal")
    c1, s1, c12, s12 = np.cos(q1), np.sin(q1), np.cos(q1 + q2), np.sin(q1 + q2)
    exact = [l1 / 2 * s1, -l1 / 2 * c1, l1 * s1 + l2 / 2 * s12, -l1 * c1 - l2 / 2 * c12]
    found = [row[f"{b}.{x}"].item() for b in ("upper", "lower") for x in "xy"]
    return off(np.subtract(found, exact), 1e-12, "m", "four coordinates differ by")


@sym("(5), (30), (31)", "partial contributions of each parameter to the velocities", "formulations/guided.py")
def partial_contributions() -> Finding:
    apart = []
    for T, body in zip(easydyn.ROBOT, ("column", "arm", "hand"), strict=True):
        x = easydyn.Motion.of(T)
        apart += [easydyn.at(x.d, Q) @ U - channels(body, "v"), easydyn.at(x.theta, Q) @ U - channels(body, "w")]
    return off(apart, 1e-12, "m/s, rad/s", "robot: Σ d q̇ and Σ θ q̇ against its velocities")


def robot_loads() -> tuple[list[ca.SX], list[ca.SX]]:
    """Weights, and the efforts of table IV at t = 0, as SYM VII.C applies them."""
    R0, R1 = (T[:3, :3] for T in easydyn.ROBOT[:2])
    F = [ca.SX([0, 0, -9.81 * m]) for m, _ in easydyn.ROBOT_DATA]
    M = [ca.SX(3, 1) for _ in range(3)]
    F[0] += 6348 * R0[:, 2] - 986 * R1[:, 1]
    F[1] += 986 * R1[:, 1]
    M[0] += -508 * R0[:, 2]
    M[1] -= 63.5 * R1[:, 0]
    M[2] += 63.5 * R1[:, 0]
    return F, M


@sym("(6)", "d'Alembert's principle, one equation per parameter", "formulations/minimal.py")
def dalembert() -> Finding:
    left = easydyn.residual(easydyn.ROBOT, easydyn.ROBOT_DATA, *robot_loads())
    return off(easydyn.at(left, Q, U, accelerations()), 1e-8, "N, N·m", "robot, five equations written out leave")


@sym("(7), (8)", "mass matrix", "formulations/minimal.py")
def mass_matrix() -> Finding:
    eq = prepare(robot.model(), Choice("minimal")).equations
    f = ca.Function("M", [eq.t, eq.y, eq.p], [ca.densify(eq.motion.mass)])
    found = np.array(f(0.0, [*Q, *U, *np.zeros(eq.y.numel() - 10)], np.zeros(eq.p.numel())))
    return off(
        found - easydyn.at(easydyn.mass_matrix(easydyn.ROBOT, easydyn.ROBOT_DATA), Q),
        1e-9,
        "kg",
        "robot, 25 entries differ by",
    )


missing("SYM", "Sec. II", "flexible bodies", "all bodies are rigid; the paper's own examples are, too")


# V.C – VI: kinematics


@sym("(32)–(34)", "acceleration of the lower arm in vector form", "formulations/guided.py")
def vector_form() -> Finding:
    q1, q2, u1, u2 = 0.4, 0.7, 1.3, -0.6
    k = double_pendulum_positions.model()
    k.start(q1, q2, rates=(u1, u2))
    row = k.evaluate(formulation="minimal")
    w = [np.array([0, 0, x]) for x in (u1, u1 + u2)]
    dw = [np.array([0, 0, row[f"{b}.alphaz"].item()]) for b in ("upper", "lower")]
    arms = [1.2 * np.array([np.sin(q1), -np.cos(q1), 0]), 0.55 * np.array([np.sin(q1 + q2), -np.cos(q1 + q2), 0])]
    exact = sum(np.cross(dw[i], arms[i]) + np.cross(w[i], np.cross(w[i], arms[i])) for i in range(2))
    return off([row[f"lower.a{x}"].item() - exact[i] for i, x in enumerate("xyz")], 1e-11, "m/s²", "differs by")


@sym("(35)", "its x component written out", "formulations/guided.py")
def written_out() -> Finding:
    """With arms of 1 m and 2 m, for which the printed coefficients are right."""
    k = lw.Kinematics("arms", coordinates=2)
    k.body("upper", lw.rotz(k.q[0]) @ lw.shift(0, -0.5), mass=1, inertia=(1, 1, 1))
    k.body("lower", lw.rotz(k.q[0]) @ lw.shift(0, -1) @ lw.rotz(k.q[1]) @ lw.shift(0, -1), mass=1, inertia=(1, 1, 1))
    q, u = np.array([0.4, 0.7]), np.array([1.3, -0.6])
    k.start(*q, rates=tuple(u))
    row = k.evaluate(formulation="minimal")
    a = np.array([row["upper.alphaz"].item(), row["lower.alphaz"].item() - row["upper.alphaz"].item()])
    (c1, s1), (c, s) = (np.cos(q[0]), np.sin(q[0])), (np.cos(q.sum()), np.sin(q.sum()))
    printed = a[0] * c1 - u[0] ** 2 * s1 + a.sum() * c - (u[0] ** 2 + u[1] ** 2 + 2 * u[0] * u[1]) * s
    return off(row["lower.ax"].item() - printed, 1e-11, "m/s²", "differs by")


@sym("Sec. V.D", "vectors, rotations, inertias and position matrices that multiply", "lw.rotx, lw.shift, lw.Inertia")
def vectors() -> Finding:
    q = easydyn.q
    pose = lw.rotz(q[0]) @ lw.shift(q[2], 0.3, 0.1) @ lw.roty(q[1]) @ lw.rotx(q[3])
    T = easydyn.product(
        easydyn.turn(2, q[0]), easydyn.shift(q[2], 0.3, 0.1), easydyn.turn(1, q[1]), easydyn.turn(0, q[3])
    )
    apart = [easydyn.at(pose.p - T[:3, 3], Q), *easydyn.at(pose.R - T[:3, :3], Q)]
    box = lw.Inertia.of(lw.shapes.Box((0.4, 0.3, 0.2)), mass=6.0).matrix
    apart.append(np.diag(box) - [6 / 12 * (0.3**2 + 0.2**2), 6 / 12 * (0.4**2 + 0.2**2), 6 / 12 * (0.4**2 + 0.3**2)])
    return off(apart, 1e-12, "", "a product of four, and a box, differ by")


@sym("(36)", "velocity from the position matrix", "formulations/guided.py")
def velocity() -> Finding:
    apart = [
        easydyn.at(easydyn.Motion.of(T).v, Q, U) - channels(b, "v")
        for T, b in zip(easydyn.ROBOT, ("column", "arm", "hand"), strict=True)
    ]
    return off(apart, 1e-12, "m/s", "robot, three bodies differ by")


@sym("(37)", "angular velocity from Ṙ Rᵀ", "formulations/guided.py")
def rotation() -> Finding:
    apart = [
        easydyn.at(easydyn.Motion.of(T).w, Q, U) - channels(b, "w")
        for T, b in zip(easydyn.ROBOT, ("column", "arm", "hand"), strict=True)
    ]
    return off(apart, 1e-12, "rad/s", "robot, three bodies differ by")


@sym("(38)", "accelerations", "formulations/guided.py")
def second_derivatives() -> Finding:
    apart = []
    for T, body in zip(easydyn.ROBOT, ("column", "arm", "hand"), strict=True):
        x = easydyn.Motion.of(T)
        apart += [easydyn.at(x.dv, Q, U, accelerations()) - channels(body, "a")]
        apart += [easydyn.at(x.dw, Q, U, accelerations()) - channels(body, "alpha")]
    return off(apart, 1e-9, "m/s², rad/s²", "robot, three bodies differ by")
