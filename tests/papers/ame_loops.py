"""AME sections 3.3 to 4: the translational joint, Baumgarte, closed loops, part II, wishes."""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.core import registry
from linkwork.examples import slider_crank, squeezer
from linkwork.formulations import formulate

from ..contracts.joint_contract import evaluate, joint_of, random_pose, random_values
from ..reference.test_squeezer import A0, LAMBDA, LAMBDA0, Q, seven, six
from ..unit.components.test_joint_by_closure import Bead, on_parabola
from .ame import POINTS, TURNED, apart, crank_run, moving, multipliers, rows_at_random, two_bodies
from .audit import Finding, item, off, once, same
from .vector_constraints import MIXED, SYMMETRIC, Side

# section 3.3 and 3.4: the translational joint, Baumgarte


@item("AME", "(21), (28), Fig. 5", "translational joint as two equal constraints", "components/by_closure.py")
def symmetric_translational() -> Finding:
    return off(apart("symmetric", "position", "value"), 1e-12, "m", "value differs by")


@item(
    "AME", "(21)", "where M and N meet the symmetric form loses a row, `m.prismatic` does not", "components/joints.py"
)
def where_they_meet() -> Finding:
    ranks = []
    for m in (two_bodies(SYMMETRIC), two_bodies([], registry.components["prismatic"])):
        eq = formulate(m, "absolute")
        side = [Side(np.zeros(3), np.zeros(3), np.zeros(3), p, 0.0) for p in POINTS]
        q = np.array([*-side[0].point, -TURNED[0], 0, 0, -TURNED[1]])
        q[:2] = -Side(q[:3], q[:3], q[:3], POINTS[0], 0).arm
        q[3:5] = -Side(q[3:], q[3:], q[3:], POINTS[1], 0).arm
        A = ca.Function("A", [eq.t, eq.y, eq.p], [ca.densify(eq.constraints.jacobian)])(0.0, np.concatenate([q, q]), [])
        ranks.append(int(np.linalg.matrix_rank(np.array(A), tol=1e-9)))
    return same(ranks, [1, 2], "rank with (21), and of m.prismatic:")


@item("AME", "(22)", "forces of the translational joint written out", "formulations/observe.py")
def translational_forces() -> Finding:
    pair, row = moving()
    (l1, l2), tM, tN = multipliers(), pair.i.theta, pair.j.theta
    dx, dy = pair.j.place() - pair.i.place()
    exact = [
        l1 * np.sin(tM) + l2 * np.sin(tN),
        -l1 * np.cos(tM) - l2 * np.cos(tN),
        -l1 * (dx * np.cos(tM) + dy * np.sin(tM)),
        -l1 * np.sin(tM) - l2 * np.sin(tN),
        l1 * np.cos(tM) + l2 * np.cos(tN),
        -l2 * (dx * np.cos(tN) + dy * np.sin(tN)),
    ]
    found = [row[f"J.{end}.{k}"] for end in ("port1", "reaction") for k in ("fx", "fy", "mz")]
    return off(np.subtract(found, exact), 1e-10, "N, N·m", "six numbers differ by")


@item("AME", "(23)", "Baumgarte: f̈ + 2α ḟ + β² f = 0", "lw.Baumgarte")
def baumgarte_terms() -> Finding:
    m, alpha, beta = slider_crank.model(), 3.0, 7.0
    plain, damped = (formulate(m, "absolute", stabilisation=s) for s in (None, lw.Baumgarte(alpha, beta)))
    y, told = np.random.default_rng(2).normal(size=plain.y.numel()), []
    for eq in (plain, damped):
        c = eq.constraints
        told.append(
            [
                np.array(x).ravel()
                for x in ca.Function("f", [eq.t, eq.y, eq.p], [c.position, c.velocity, c.gamma])(0.3, y, [10.0])
            ]
        )
    (f, rate, gamma), (_, _, with_terms) = told
    return off(
        with_terms - gamma + 2 * alpha * rate + beta**2 * f,
        1e-9,
        "m/s²",
        "terms at a state that violates all rows differ by",
    )


@item("AME", "Sec. 3.4", "without stabilisation constraints are lost, with it they are kept", "lw.Baumgarte", slow=True)
def drift() -> Finding:
    m = lw.Model("pendulum", gravity=(0, -9.81))
    m.revolute("pin", m.ground.at(), m.body("bar", mass=1, inertia=1 / 12).at(-0.5, 0))
    runs = (m.simulate(20, solver="rk4", step=0.02, stabilisation=lw.Baumgarte(g, g)) for g in (20.0, 0.0))
    kept, lost = (r["residual.position"][r.t > 15].max() for r in runs)
    return off(kept / lost, 0.1, "", f"pendulum, rk4, 20 s: {lost:.0e} m lost without, share of it with")


@item("AME", "(24)", "rates of the constraint from the velocities at the ports", "formulations/maximal.py")
def rates() -> Finding:
    return off(apart("mixed", "velocity", "rate"), 1e-12, "m/s", "two rows differ by")


@item("AME", "(26)", "second rates of the constraint, which the print cuts off", "formulations/maximal.py")
def second_rates() -> Finding:
    return off(apart("mixed", "second", "second_rate"), 1e-11, "m/s²", "every term written out, differ by")


@item(
    "AME",
    "(26), misprint",
    "before sin(θ_M − θ_N) stands a minus; appendix C leads to a plus",
    "formulations/maximal.py",
)
def printed_sine() -> Finding:
    pair, found = rows_at_random("mixed")
    wrong = np.abs(found["second"] - [pair.second_rate(terms, printed=True) for terms in MIXED]).max()
    assert wrong > 0.1
    return off(
        apart("mixed", "second", "second_rate"), 1e-11, "m/s²", f"printed, it is off by {wrong:.1f} m/s²; mended by"
    )


@item("AME", "(29), (30)", "translational joint: rates and second rates", "formulations/maximal.py")
def translational_rates() -> Finding:
    found = [apart("symmetric", "velocity", "rate"), apart("symmetric", "second", "second_rate")]
    return off(found, 1e-11, "m/s, m/s²", "differ by")


@item("AME", "Sec. 4", "index 3 as it stands, 1 with stabilised constraints", "m.structure, algebra/constrained.py")
def index() -> Finding:
    m = squeezer.model()
    eq = formulate(m, "absolute", stabilisation=lw.Baumgarte(10, 10))
    f = ca.Function("f", [eq.t, eq.y, eq.p], [ca.densify(eq.motion.mass), ca.densify(eq.constraints.jacobian)])
    M, A = (np.array(x) for x in f(0.0, m.assemble().state[: eq.y.numel()], list(m.parameters.values())))
    K = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
    solvable = np.linalg.matrix_rank(K / np.abs(K).max(axis=1, keepdims=True), tol=1e-12) == len(K)
    return same((m.structure().index, bool(solvable)), (3, True), "squeezer: index, and whether λ follows at once:")


# loops, part II, wishes


@once
def squeezed() -> tuple[dict[str, float], dict[str, float]]:
    r = squeezer.model().simulate(0.03, solver="dop853", rtol=1e-11, atol=1e-13, output=0.03)
    return {k: x[0] for k, x in r.items()}, {k: x[-1] for k, x in r.items()}


@item(
    "AME",
    "Part II",
    "seven-body mechanism: three loops, published solution at 0.03 s",
    "examples/squeezer.py",
    slow=True,
)
def seven_bodies() -> Finding:
    return off(seven(squeezed()[1], "angle") / Q - 1, 1e-6, "", "seven angles, relative")


@item("AME", "Part II", "its loop forces at 0.03 s", "examples/squeezer.py", slow=True)
def seven_bodies_forces() -> Finding:
    return off(six(squeezed()[1]) / LAMBDA - 1, 1e-5, "", "six forces, relative")


@item("AME", "Part II", "its accelerations and loop forces at the start", "examples/squeezer.py", slow=True)
def seven_bodies_start() -> Finding:
    row = squeezed()[0]
    found = [seven(row, "alphaz") - A0, six(row) - LAMBDA0]
    return off(np.concatenate(found), 1e-4, "rad/s², N", "differ by")


@item("AME", "Sec. 4", "closed loops with Baumgarte alone, no projection", "lw.Baumgarte", slow=True)
def loops_by_baumgarte() -> Finding:
    r = squeezer.model().simulate(
        0.03, solver="dop853", rtol=1e-12, atol=1e-14, stabilisation=lw.Baumgarte(100, 100), output=0.03
    )
    return off(seven(r.final, "angle") / Q - 1, 1e-6, "", "squeezer's published angles, relative")


@item("AME", "Part II", "actuated joints", "lw.Effort, lw.Motion")
def actuated() -> Finding:
    r = crank_run()
    return off(
        r["energy.supplied"] - 10 * (r["O.angle"] - r["O.angle"][0]),
        1e-7,
        "J",
        "work of 10 N·m on the crank differs by",
    )


@item(
    "AME",
    "Part II",
    "the joints of the planar library",
    "components/joints.py",
    weaker="part II is not among our papers: ours are those of docs/components.md, each checked for rank and motion",
)
def planar_joints() -> Finding:
    rng, worst = np.random.default_rng(4), 0.0
    kinds = {
        k: c
        for k, c in registry.components.items()
        if issubclass(c, lw.Joint) and c.plane is not None and c.__module__.startswith("linkwork.")
    }
    for kind, cls in kinds.items():
        joint = joint_of(cls, kind, planar=True)
        got = evaluate(joint, random_pose(rng, True), random_values(joint, rng), planar=True)
        inside = got.A[:, [0, 1, 5]]
        assert np.linalg.matrix_rank(inside, tol=1e-6) == 3 - len(joint.plane or ())
        worst = max(worst, np.abs(got.closure).max(initial=0), np.abs(inside @ got.twists[[0, 1, 5]]).max(initial=0))
    return off(worst, 1e-12, "m", f"{len(kinds)} planar joints, closure along their motion")


@item(
    "AME",
    "Sec. 4",
    "wish: a routine that needs nothing but the vector constraint",
    "components/by_closure.py",
    slow=True,
)
def constraint_alone() -> Finding:
    m = lw.Model("bead", gravity=(0, -9.81))
    track = m.add(Bead("track", m.ground.at(), m.body("bead", mass=0.4, inertia=0.1).at(), curvature=0.5))
    track.along.start(1.0, rate=0.0)
    r = m.simulate(1.5, formulation="absolute", output=0.05, rtol=1e-9, atol=1e-11)
    return off(r["track.along"] - on_parabola(0.5, r.t)[0], 1e-7, "m", "bead on a parabola against its own equation")


@item("AME", "Sec. 4", "wish: three dimensions with Euler parameters", "formulations/maximal_view.py", slow=True)
def in_space() -> Finding:
    J = np.array([0.3, 0.5, 0.7])
    m = lw.Model("tumbling", gravity=(0, 0, 0))
    m.body("b", mass=1, inertia=tuple(J)).start(spin=(0.01, 3.0, 0.02))
    r = m.simulate(10, solver="dop853", rtol=1e-11, atol=1e-12, output=0.5)

    def euler(_: float, w: np.ndarray) -> np.ndarray:
        return -np.cross(w, J * w) / J

    spin = solve_ivp(euler, (0, 10), [0.01, 3.0, 0.02], "DOP853", r.t, rtol=1e-12, atol=1e-13).y
    energy = (J @ spin**2) / 2
    speed = [np.sqrt(r["b.wx"] ** 2 + r["b.wy"] ** 2 + r["b.wz"] ** 2) - np.linalg.norm(spin, axis=0)]
    unit = sum(r[f"b.q{k}"] ** 2 for k in range(4)) - 1
    return off(
        [*speed, r["energy.kinetic"] - energy, unit],
        1e-7,
        "rad/s",
        "body tumbling over its middle axis against Euler's equations",
    )


@item("AME", "Sec. 4", "Euler's angles and their singular positions", "m.free", slow=True)
def angles_with_names() -> Finding:
    m = lw.Model("pitching", gravity=(0, 0, 0))
    body = m.body("b", mass=1, inertia=(0.3, 0.5, 0.7))
    pose = m.free("pose", m.ground.at(), body.at())
    pose.pitch.start(0.0, rate=2.0)
    r = m.simulate(1.5, rtol=1e-9, output=0.1)
    before = r.t < 0.75
    return off(
        [*(r["pose.pitch"] - 2 * r.t)[before], *(r["b.wy"] - 2)],
        1e-7,
        "rad",
        "pitch read on the way through 90°, spin beyond it, differ by",
    )
