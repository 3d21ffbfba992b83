"""SYM sections IV and V.B: Newmark on second-order residuals, the hydraulic jack."""

from __future__ import annotations

from functools import partial

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import double_pendulum_positions, hydraulic_jack
from linkwork.integrate import Newmark, integrate
from linkwork.simulation.prepare import Choice, prepare

from ..unit.components.test_hydraulics import equations
from ..unit.integrate.systems import oscillator
from ..unit.integrate.test_newmark import by_acceleration, rates_of_error
from .audit import Finding, item, off, once, same

sym = partial(item, "SYM")
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


# IV, V.B: integration


@sym("(9)", "equations as residuals f(q, q̇, q̈, t) = 0", "m.equation, m.unknown", slow=True)
def residuals() -> Finding:
    m = lw.Model("van der Pol")
    x = m.unknown("x", 2.0)
    m.equation("balance", 3 * (x.second - 5 * (1 - x.value**2) * x.rate + x.value))
    r = m.simulate(5, rtol=1e-9, atol=1e-11, output=0.5)
    exact = solve_ivp(
        lambda t, y: [y[1], 5 * (1 - y[0] ** 2) * y[1] - y[0]], (0, 5), [2, 0], t_eval=r.t, rtol=1e-11, atol=1e-12
    )
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


@sym(
    "(14), (15)",
    "the step as a nonlinear system in the accelerations, by Newton",
    "integrate/native/generalized_alpha.c",
    slow=True,
)
def second_order() -> Finding:
    k, errors = double_pendulum_positions.model(), []
    exact = k.simulate(1, **TIGHT, output=1.0)["q1"][-1]
    for step in (0.01, 0.005):
        errors.append(abs(k.simulate(1, solver=Newmark(), step=step, output=1.0)["q1"][-1] - exact))
    return off(np.log2(errors[0] / errors[1]) - 2, 0.1, "", "double pendulum, order found less 2")


H, BETA, GAMMA = 0.01, 0.25, 0.5
AT = np.array([0.4, 0.7]), np.array([0.5, -1.0]), np.array([0.3, 0.8])
"""Positions, rates and accelerations of the double pendulum where its iteration matrix is looked at."""


@once
def iteration_matrix() -> np.ndarray:
    """As Newmark takes it from the compiled program's functions."""
    ready = prepare(double_pendulum_positions.model(), Choice("minimal"))
    x, v, a = AT
    z = np.zeros(ready.program.layout.z)
    f = ready.program.symbolic("alpha_jacobian")
    return np.array(f(0.0, [*x, *v, *z], a, z, ready.p, [1.0, GAMMA * H, BETA * H**2, GAMMA * H]))[:2, :2]


@once
def residual_of_pendulum() -> ca.Function:
    """f(q, q̇, q̈) = M q̈ − force, with its derivatives by each."""
    eq = prepare(double_pendulum_positions.model(), Choice("minimal")).equations
    a = ca.SX.sym("a", 2)
    left = eq.motion.mass @ a - eq.motion.force
    by = [ca.densify(ca.jacobian(left, x)) for x in (eq.q, eq.v, a)]
    left, *by = ca.substitute([left, *by], [eq.z, eq.p, eq.t], [ca.SX.zeros(x.shape) for x in (eq.z, eq.p, eq.t)])
    return ca.Function("f", [eq.q, eq.v, a], [left, *by])


@sym("(16), (17)", "iteration matrix from mass, tangent damping and tangent stiffness", "compile/functions.py")
def tangents() -> Finding:
    _, K, C, M = (np.array(x) for x in residual_of_pendulum()(*AT))
    return off(iteration_matrix() - (M + GAMMA * H * C + BETA * H**2 * K), 1e-12, "kg·m²", "double pendulum, off by")


@sym(
    "(18)–(20)",
    "the iteration matrix by finite differences with DASSL's increments",
    "compile/functions.py",
    weaker="not followed: it is differentiated exactly; the paper's differences come near it",
)
def finite_differences() -> Finding:
    x, v, a = AT
    columns = []
    for j in range(2):
        size = max(abs(H * v[j]), abs(x[j]), 1e-6 + 1e-6 * abs(x[j]))
        eps = size * np.sign(v[j]) * np.sqrt(np.finfo(float).eps) / (BETA * H**2)  # (20)
        unit = np.eye(2)[j] * eps
        moved = residual_of_pendulum()(x + BETA * H**2 * unit, v + GAMMA * H * unit, a + unit)[0]  # (19)
        columns.append(np.array(moved - residual_of_pendulum()(x, v, a)[0]).ravel() / eps)
    return off(np.array(columns).T / iteration_matrix() - 1, 1e-3, "", "double pendulum, relative")


@sym("(21), (22)", "error of a step from the change of the accelerations", "integrate/native/generalized_alpha.c")
def error_estimate() -> Finding:
    run = integrate(oscillator(), [1, 0], (0, 10), solver=by_acceleration(1e-5))
    return off(
        rates_of_error(run, -run.y[:, :1]).max() / 1e-5, 1.0, "", "largest rate of error as a share of its bound"
    )


@sym("Sec. V.B", "rate of error below 1e-6 unless said otherwise", "integrate/generalized_alpha.py")
def default_tolerance() -> Finding:
    return same(Newmark().tolerance, 1e-6, "default:")


# V.B: the jack


@once
def jack(solver: str) -> lw.Result:
    options: dict = (
        {"solver": "radau", "rtol": 1e-8} if solver == "radau" else {"solver": by_acceleration(), "max_step": 5e-4}
    )
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
    return off(
        r["P.slide"][-1] / (1e-4 / w), 1e-6, "", "shut chamber, √(K S²/(V m)): after one period off by a share of"
    )


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
    return off(
        after_rise(jack("radau"), "P.slide.rate") - jack_by_hand()[1], 1e-4, "m/s", "against the equations by SciPy"
    )


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
    return off((after_rise(r, "head.pressure") - jack_by_hand()[2]) / 1e5, 0.01, "bar", "head pressure by Newmark")


@sym("Sec. V.B", "rates at the start from the equations", "m.evaluate")
def start_rates() -> Finding:
    row = hydraulic_jack.model().evaluate(formulation="minimal")
    return off(
        row["mass.ax"].item() - (1e6 * 1e-3 - 1e6 * 5e-4) / 10, 1e-9, "m/s²", "jack, ẍ = (p₁S₁ − p₂S₂)/m, differs by"
    )
