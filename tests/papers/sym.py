"""SYM: everything from position matrices, second-order integration by Newmark, a hydraulic jack, a robot."""

from __future__ import annotations

from functools import partial

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import double_pendulum_positions, hydraulic_jack, robot, slider_crank_positions
from linkwork.integrate import Newmark, integrate
from linkwork.simulation.prepare import Choice, prepare

from ..reference.interpreted import Interpreted
from ..reference.test_positions import double_pendulum, robot_of_joints
from ..unit.components.test_hydraulics import equations
from ..unit.integrate.systems import oscillator
from ..unit.integrate.test_newmark import by_acceleration, rates_of_error
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
        return off(found - easydyn.at(easydyn.ROBOT[2][:3, 3], Q), 1e-12, "m", "others are refused; hand of the robot differs by")
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
    return off(found - easydyn.at(easydyn.mass_matrix(easydyn.ROBOT, easydyn.ROBOT_DATA), Q), 1e-9, "kg", "robot, 25 entries differ by")  # noqa: E501


missing("SYM", "Sec. II", "flexible bodies", "all bodies are rigid; the paper's own examples are, too")


# IV, V.B: integration


@sym("(9)", "equations as residuals f(q, q̇, q̈, t) = 0", "m.equation, m.unknown", slow=True)
def residuals() -> Finding:
    m = lw.Model("van der Pol")
    x = m.unknown("x", 2.0)
    m.equation("balance", 3 * (x.second - 5 * (1 - x.value**2) * x.rate + x.value))
    r = m.simulate(5, rtol=1e-9, atol=1e-11, output=0.5)
    exact = solve_ivp(lambda t, y: [y[1], 5 * (1 - y[0] ** 2) * y[1] - y[0]], (0, 5), [2, 0], t_eval=r.t, rtol=1e-11, atol=1e-12)  # noqa: E501
    return off(r["x"] - exact.y[0], 1e-6, "", "van der Pol against SciPy")


@once
def newmark_steps() -> np.ndarray:
    """x, ẋ, ẍ of ẍ = −x at the steps of a run with h = 0.01."""
    run = integrate(oscillator(), [1, 0], (0, 1), solver=Newmark(beta=0.3, gamma=0.55), step=0.01)
    return np.column_stack([run.y, -run.y[:, 0]])


@sym("(10)–(13)", "Newmark's formulas for positions and velocities", "integrate/generalized_alpha.py")
def newmark() -> Finding:
    (x, v, a), h, beta, gamma = newmark_steps().T, 0.01, 0.3, 0.55
    position = x[:-1] + h * v[:-1] + (0.5 - beta) * h**2 * a[:-1] + beta * h**2 * a[1:]
    velocity = v[:-1] + (1 - gamma) * h * a[:-1] + gamma * h * a[1:]
    return off([x[1:] - position, v[1:] - velocity], 1e-10, "", "100 steps of an oscillator differ by")


@sym("Sec. IV", "bounds of β and γ for unconditional stability", "integrate/generalized_alpha.py")
def stable() -> Finding:
    refused = []
    for beta, gamma in ((0.1, 0.5), (0.25, 0.4)):
        try:
            Newmark(beta=beta, gamma=gamma)
        except lw.LinkworkError:
            refused.append((beta, gamma))
    return same(refused, [(0.1, 0.5), (0.25, 0.4)], "refused (β, γ):")


@sym("(14), (15)", "the step as a nonlinear system in the accelerations, by Newton", "integrate/native/generalized_alpha.c", slow=True)  # noqa: E501
def second_order() -> Finding:
    k, errors = double_pendulum_positions.model(), []
    exact = k.simulate(1, **TIGHT, output=1.0)["q1"][-1]
    for step in (0.01, 0.005):
        errors.append(abs(k.simulate(1, solver=Newmark(), step=step, output=1.0)["q1"][-1] - exact))
    return off(np.log2(errors[0] / errors[1]) - 2, 0.1, "", "double pendulum, order found less 2")


def iteration_matrix() -> tuple[np.ndarray, np.ndarray]:
    """The library's for the jack-like oscillator, and M + γh CT + βh² KT of (16), (17) for ẍ + x = 0."""
    program, h, beta, gamma = oscillator(), 0.01, 0.3, 0.55
    J = program.symbolic("alpha_jacobian").call([0.0, [1.0, 0.0], [-1.0], [], [], [1.0, gamma * h, beta * h**2, 0.0]])[0]
    return np.array(J), np.array([[1 + beta * h**2]])


@sym("(16), (17)", "iteration matrix from mass, tangent damping and tangent stiffness", "compile/functions.py")
def tangents() -> Finding:
    found, exact = iteration_matrix()
    return off(found - exact, 1e-14, "kg", "oscillator, M + γh C + βh² K differs by")


@sym(
    "(18)–(20)", "the iteration matrix by finite differences with DASSL's increments", "compile/functions.py",
    weaker="not followed: it is differentiated exactly; the paper's differences come near it",
)  # fmt: skip
def finite_differences() -> Finding:
    k = double_pendulum_positions.model()
    eq = prepare(k, Choice("minimal")).equations
    f = ca.Function("f", [eq.t, eq.y, eq.p], [ca.densify(eq.motion.mass), ca.densify(eq.motion.force)])
    extra, p = np.zeros(eq.y.numel() - 4), np.zeros(eq.p.numel())

    def left(x: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        M, F = (np.array(y) for y in f(0.0, [*x, *v, *extra], p))
        return M @ a - F.ravel()

    x, v, a, h, beta, gamma = np.array([0.4, 0.7]), np.array([0.5, -1.0]), np.array([0.3, 0.8]), 0.01, 0.25, 0.5
    e = ca.SX.sym("a", 2)
    exact = ca.jacobian(eq.motion.mass @ e - eq.motion.force, ca.vertcat(e, eq.v, eq.q))
    J = np.array(ca.Function("J", [e, eq.t, eq.y, eq.p], [ca.densify(exact)])(a, 0.0, [*x, *v, *extra], p))
    J = J[:, :2] + gamma * h * J[:, 2:4] + beta * h**2 * J[:, 4:]
    columns = []
    for j in range(2):
        dq = max(abs(h * v[j]), abs(x[j]), 1e-6 + 1e-6 * abs(x[j])) * np.sign(v[j]) * np.sqrt(np.finfo(float).eps)  # (20)
        eps = dq / (beta * h**2)
        unit = np.eye(2)[j] * eps
        columns.append((left(x + beta * h**2 * unit, v + gamma * h * unit, a + unit) - left(x, v, a)) / eps)
    return off(np.array(columns).T / J - 1, 1e-3, "", "double pendulum, relative")


@sym("(21), (22)", "error of a step from the change of the accelerations", "integrate/native/generalized_alpha.c")
def error_estimate() -> Finding:
    run = integrate(oscillator(), [1, 0], (0, 10), solver=by_acceleration(1e-5))
    return off(rates_of_error(run, -run.y[:, :1]).max() / 1e-5, 1.0, "", "largest rate of error as a share of its bound")


@sym("Sec. V.B", "rate of error below 1e-6 unless said otherwise", "integrate/generalized_alpha.py")
def default_tolerance() -> Finding:
    return same(Newmark().tolerance, 1e-6, "default:")


# V.B: the jack


@once
def jack(solver: str) -> lw.Result:
    options: dict = {"solver": "radau", "rtol": 1e-8} if solver == "radau" else {"solver": by_acceleration(), "max_step": 5e-4}
    return hydraulic_jack.model().simulate(0.5, formulation="minimal", output=1e-3, **options)


@once
def jack_by_hand() -> np.ndarray:
    """(25), (27), (28) by SciPy at the samples of a run."""
    rise = solve_ivp(equations, (0, 0.01), [0, 0, 1e6, 1e6], "Radau", rtol=1e-9, atol=1e-9)
    t = jack("radau").t
    late = solve_ivp(equations, (0.01, 0.5), rise.y[:, -1], "Radau", t[t >= 0.01], rtol=1e-9, atol=1e-9)
    return late.y


def after_rise(r: lw.Result, channel: str) -> np.ndarray:
    return r[channel][r.t >= 0.01]


@sym("(23)", "flow through a sharp edge", "m.orifice")
def orifice() -> Finding:
    m = lw.Model("orifice")
    m.orifice("o", m.pressure_source("high", 5e6).a, m.tank("low", pressure=1e6).a, area=2e-6)
    found = m.simulate(0.01, output=0.01)["o.flow"][-1]
    return off(found / (0.611 * 2e-6 * np.sqrt(2 * 4e6 / 860)) - 1, 1e-8, "", "4 MPa, relative")


@sym("(24), (26)", "compressible oil in a chamber whose volume changes", "m.chamber, m.hydraulic_cylinder", slow=True)
def locked_oil() -> Finding:
    m = lw.Model("locked", gravity=(0, 0))
    P = m.prismatic("P", m.ground, m.body("mass", mass=10, inertia=1).at())
    oil = m.chamber("oil", volume=1e-3, bulk_modulus=1e9)
    m.hydraulic_cylinder("ram", P.slide, head=oil, head_area=1e-3)
    P.slide.start(0.0, rate=1e-4)
    w = np.sqrt(1e9 * 1e-3**2 / (1e-3 * 10))
    r = m.simulate(2 * np.pi / w, rtol=1e-10, atol=1e-14, output=2 * np.pi / w)
    return off(r["P.slide"][-1] / (1e-4 / w), 1e-3, "", "shut chamber, √(K S²/(V m)): after one period off by a share of")


@sym("(25)", "force of the jack against spring and mass", "m.hydraulic_cylinder", slow=True)
def jack_force() -> Finding:
    r = jack("radau")
    left = 10 * r["mass.ax"] + 1e5 * r["P.slide"] - r["head.pressure"] * 1e-3 + r["rod.pressure"] * 5e-4
    return off(left, 1e-6, "N", "0.5 s, left over")


@sym("(27), (28), Fig. 4", "position of the mass", "examples/hydraulic_jack.py", slow=True)
def figure_4() -> Finding:
    return off(after_rise(jack("radau"), "P.slide") - jack_by_hand()[0], 1e-6, "m", "against the equations by SciPy")


@sym("Table I, Fig. 5", "pressures in the chambers", "examples/hydraulic_jack.py", slow=True)
def figure_5() -> Finding:
    r = jack("radau")
    apart = [after_rise(r, f"{c}.pressure") - y for c, y in zip(("head", "rod"), jack_by_hand()[2:], strict=True)]
    return off(np.array(apart) / 1e5, 1e-2, "bar", "against the equations by SciPy")


@sym("Fig. 6", "velocity, with the oscillation of the oil", "examples/hydraulic_jack.py", slow=True)
def figure_6() -> Finding:
    return off(after_rise(jack("radau"), "P.slide.rate") - jack_by_hand()[1], 1e-4, "m/s", "against the equations by SciPy")


@sym("Fig. 7", "the step follows the stiffness of the equations", "integrate/generalized_alpha.py", slow=True)
def figure_7() -> Finding:
    r = jack("newmark")
    steps = r["solver.step"][1:]
    apart = after_rise(r, "P.slide") - jack_by_hand()[0]
    assert steps.max() > 10 * steps.min() and steps.max() <= 5e-4 * (1 + 1e-9)
    return off(apart, 1e-5, "m", f"Newmark, steps from {steps.min():.0e} to {steps.max():.0e} s, position off by")


@sym("(29)", "first-order states beside second-order ones", "integrate/generalized_alpha.py", slow=True)
def first_order() -> Finding:
    r = jack("newmark")
    return off((after_rise(r, "head.pressure") - jack_by_hand()[2]) / 1e5, 0.5, "bar", "head pressure by Newmark")


@sym("Sec. V.B", "rates at the start from the equations", "m.evaluate")
def start_rates() -> Finding:
    row = hydraulic_jack.model().evaluate(formulation="minimal")
    return off(row["mass.ax"].item() - (1e6 * 1e-3 - 1e6 * 5e-4) / 10, 1e-9, "m/s²", "jack, ẍ = (p₁S₁ − p₂S₂)/m, differs by")


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
    T = easydyn.product(easydyn.turn(2, easydyn.q[0]), easydyn.shift(0, -1), easydyn.turn(2, easydyn.q[1]), easydyn.shift(0, -1))
    q, u, a = np.array([0.4, 0.7]), np.array([1.3, -0.6]), np.array([0.5, 2.0])
    (c1, s1), (c, s) = (np.cos(q[0]), np.sin(q[0])), (np.cos(q.sum()), np.sin(q.sum()))
    printed = a[0] * c1 - u[0] ** 2 * s1 + a.sum() * c - (u[0] ** 2 + u[1] ** 2 + 2 * u[0] * u[1]) * s
    k = lw.Kinematics("arms", coordinates=2, gravity=(0, 0, 0))
    k.body("b", lw.rotz(k.q[0]) @ lw.shift(0, -1) @ lw.rotz(k.q[1]) @ lw.shift(0, -1), mass=1, inertia=(1, 1, 1))
    k.start(*q, rates=tuple(u))
    row = k.evaluate(formulation="minimal")
    shown = easydyn.at(easydyn.Motion.of(T).dv, q, u, a)[0]
    speed = row["b.vx"].item() - easydyn.at(easydyn.Motion.of(T).v, q, u)[0]
    return off([shown - printed, speed], 1e-12, "m/s²", "differs by")


@sym("Sec. V.D", "vectors, rotations, inertias and position matrices that multiply", "lw.rotx, lw.shift, lw.Inertia")
def vectors() -> Finding:
    q = easydyn.q
    pose = lw.rotz(q[0]) @ lw.shift(q[2], 0.3, 0.1) @ lw.roty(q[1]) @ lw.rotx(q[3])
    T = easydyn.product(easydyn.turn(2, q[0]), easydyn.shift(q[2], 0.3, 0.1), easydyn.turn(1, q[1]), easydyn.turn(0, q[3]))
    apart = [easydyn.at(pose.p - T[:3, 3], Q), *easydyn.at(pose.R - T[:3, :3], Q)]
    box = lw.Inertia.of(lw.shapes.Box((0.4, 0.3, 0.2)), mass=6.0).matrix
    apart.append(np.diag(box) - [6 / 12 * (0.3**2 + 0.2**2), 6 / 12 * (0.4**2 + 0.2**2), 6 / 12 * (0.4**2 + 0.3**2)])
    return off(apart, 1e-12, "", "a product of four, and a box, differ by")


@sym("(36)", "velocity from the position matrix", "formulations/guided.py")
def velocity() -> Finding:
    apart = [easydyn.at(easydyn.Motion.of(T).v, Q, U) - channels(b, "v") for T, b in zip(easydyn.ROBOT, ("column", "arm", "hand"), strict=True)]  # noqa: E501
    return off(apart, 1e-12, "m/s", "robot, three bodies differ by")


@sym("(37)", "angular velocity from Ṙ Rᵀ", "formulations/guided.py")
def rotation() -> Finding:
    apart = [easydyn.at(easydyn.Motion.of(T).w, Q, U) - channels(b, "w") for T, b in zip(easydyn.ROBOT, ("column", "arm", "hand"), strict=True)]  # noqa: E501
    return off(apart, 1e-12, "rad/s", "robot, three bodies differ by")


@sym("(38)", "accelerations", "formulations/guided.py")
def second_derivatives() -> Finding:
    apart = []
    for T, body in zip(easydyn.ROBOT, ("column", "arm", "hand"), strict=True):
        x = easydyn.Motion.of(T)
        apart += [easydyn.at(x.dv, Q, U, accelerations()) - channels(body, "a")]
        apart += [easydyn.at(x.dw, Q, U, accelerations()) - channels(body, "alpha")]
    return off(apart, 1e-9, "m/s², rad/s²", "robot, three bodies differ by")
