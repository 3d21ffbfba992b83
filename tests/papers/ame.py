"""AME: absolute coordinates, joints as vector constraints, multipliers, Baumgarte, closed loops."""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.core import registry
from linkwork.examples import motor_slider_crank, slider_crank, squeezer
from linkwork.formulations import formulate

from ..contracts.joint_contract import evaluate, joint_of, random_pose, random_values
from ..reference.newton_euler import residuals
from ..reference.test_squeezer import A0, LAMBDA, LAMBDA0, Q, seven, six
from ..unit.components.test_joint_by_closure import Bead, on_parabola
from .audit import Finding, item, missing, off, once, same
from .vector_constraints import MIXED, SYMMETRIC, ByProducts, Pair, Side

POINTS = (np.array([0.1, 0.2]), np.array([-0.3, 0.1]))
TURNED = (0.3, -0.2)
"""Where the joint's axes are on the two bodies."""


def two_bodies(rows: list, cls: type[lw.Joint] | None = None) -> lw.Model:
    m = lw.Model("pair", gravity=(0, -9.81))
    a, b = m.body("a", mass=1.3, inertia=0.2), m.body("b", mass=0.7, inertia=0.1)
    ends = (k.at(*p, rotation=t) for k, p, t in zip((a, b), POINTS, TURNED, strict=True))
    m.add(ByProducts("J", *ends, rows=rows) if cls is None else cls("J", *ends))
    return m


@once
def rows_at_random(kind: str) -> tuple[Pair, dict[str, np.ndarray]]:
    """A state that nothing holds together, and what the library's rows are there: Φ, Φ̇, A, Φ̈ at given v̇."""
    eq = formulate(two_bodies(SYMMETRIC if kind == "symmetric" else MIXED), "absolute")
    q, v, a = np.random.default_rng(7).normal(size=(3, 6))
    c = eq.constraints
    f = ca.Function("f", [eq.t, eq.y, eq.p], [c.position, c.velocity, ca.densify(c.jacobian), c.gamma])
    position, velocity, A, gamma = (np.array(x) for x in f(0.0, np.concatenate([q, v]), []))
    unit = np.array([row.unit for row in c.rows])
    found = {"position": position.ravel(), "velocity": velocity.ravel(), "A": A, "second": A @ a - gamma.ravel()}
    found = {k: (x.T * unit).T for k, x in found.items()}
    sides = [Side(q[k], v[k], a[k], POINTS[k.start // 3], TURNED[k.start // 3]) for k in (slice(0, 3), slice(3, 6))]
    return Pair(*sides), found


def apart(kind: str, name: str, oracle: str) -> float:
    pair, found = rows_at_random(kind)
    rows = SYMMETRIC if kind == "symmetric" else MIXED
    return float(np.abs(found[name] - np.array([getattr(pair, oracle)(terms) for terms in rows])).max())


@once
def moving() -> tuple[Pair, dict[str, float]]:
    """The translational joint of (21) between two bodies that fall, turn and slide, at the start."""
    m = two_bodies(SYMMETRIC)
    m["a"].start(position=(0.2, 0.1), angle=0.4, velocity=(0.3, -0.5), spin=1.1)
    m["J"].along.start(0.6, rate=0.7)
    row = {name: x.item() for name, x in m.evaluate().items()}
    sides = []
    for k, name in enumerate("ab"):
        q, v, a = ([row[f"{name}.{x}"] for x in names] for names in (("x", "y", "angle"), ("vx", "vy", "wz"), ("ax", "ay", "alphaz")))  # noqa: E501
        sides.append(Side(np.array(q), np.array(v), np.array(a), POINTS[k], TURNED[k]))
    return Pair(*sides), row


def multipliers() -> np.ndarray:
    """λ as the paper counts them: forces are +∂f/∂q λ."""
    return -np.array([moving()[1][f"J.multiplier{k}"] for k in (1, 2)])


@once
def crank_run() -> lw.Result:
    return slider_crank.model().simulate(2, rtol=1e-9, atol=1e-11, output=0.05)


# section 2: components and their ports


@item("AME", "Fig. 2", "components of different domains exchange the power variables of their ports", "m.pump, m.connect")
def pump_ports() -> Finding:
    m = lw.Model("pump")
    tank = m.tank("tank")
    pump = m.pump("pump", m.shaft_speed("drive", 20.0), tank, displacement=1e-5)
    m.orifice("load", pump.delivery, tank, area=1e-6)
    r = m.simulate(0.1, output=0.05)
    flow = 1e-5 * 20.0
    drop = (flow / (0.611 * 1e-6)) ** 2 * 860 / 2
    return off(r["pump.delivery.p"][-1] / drop - 1, 1e-5, "", "pressure against closed form, relative")


@item("AME", "Sec. 2", "ports that do not fit are not connected", "m.connect")
def ports_that_do_not_fit() -> Finding:
    m = lw.Model("odd")
    mass, tank = m.slide_mass("mass", mass=1.0), m.tank("tank")
    try:
        m.connect(mass.a, tank.a)
    except lw.LinkworkError as error:
        return same(type(error).__name__, "ModelError", "a mass on a tank raises")
    return same("connected", "refused", "a mass on a tank is")


missing("AME", "Fig. 1", "door lock with a permanent magnet", "no magnetic domain: components for it can be written as in docs/ports.md")  # noqa: E501


@item("AME", "Sec. 2", "mechanics with other domains in one model", "examples/motor_slider_crank.py", slow=True)
def other_domains() -> Finding:
    r = motor_slider_crank.model().simulate(1, rtol=1e-9, output=0.05)
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    return off(np.ptp(balance) / np.ptp(r["energy.supplied"]), 1e-6, "", "motor on a slider-crank, energy balance")


@item("AME", "Sec. 2", "components are symmetric in their ports", "components/joints.py")
def symmetry() -> Finding:
    found = []
    for swapped in (False, True):
        m = lw.Model("swing", gravity=(0, -9.81))
        arm, block = m.body("arm", mass=1, inertia=0.1), m.body("block", mass=2, inertia=0.2)
        m.revolute("O", m.ground.at(), arm.at(-0.5, 0)).angle.start(0.4, rate=1.0)
        ends = arm.at(0.2, 0), block.at(0.1, 0)
        P = m.prismatic("P", *(ends[::-1] if swapped else ends))
        P.slide.start(-0.3 if swapped else 0.3, rate=-0.8 if swapped else 0.8)
        row = m.evaluate()
        found.append([row[f"{b}.{k}"].item() for b in ("arm", "block") for k in ("ax", "ay", "alphaz")])
    return off(np.subtract(*found), 1e-10, "m/s²", "prismatic joint either way round, accelerations differ by")


@item(
    "AME", "Sec. 2", "other ways to lower the index: partitioning, projection, penalty",
    "formulations/partition.py, formulations/stabilisation.py, formulations/compliant.py", slow=True,
)  # fmt: skip
def other_ways() -> Finding:
    m, run = slider_crank.model(), {"rtol": 1e-9, "atol": 1e-11, "output": 0.05}
    exact = m.simulate(1, formulation="absolute", **run)["piston.vx"]
    parted = m.simulate(1, formulation="minimal", loops="partition", **run)["piston.vx"]
    soft = m.simulate(1, formulation="compliant", compliance=lw.Compliance(error=1e-7), **run)["piston.vx"]
    return off([parted - exact, soft - exact], 1e-5, "m/s", "piston velocity differs by")


# section 3.1: the body


@item("AME", "(1), (2)", "virtual power of inertia and of actions is the same in every motion the joints allow", "formulations/maximal.py")  # noqa: E501
def virtual_power() -> Finding:
    m = slider_crank.model()
    eq, row = formulate(m, "absolute"), m.evaluate()
    y, p = m.assemble().state[: eq.y.numel()], [10.0]
    f = ca.Function("f", [eq.t, eq.y, eq.p], [ca.densify(x) for x in (eq.motion.mass, eq.motion.force, eq.constraints.jacobian)])  # noqa: E501
    M, force, A = (np.array(x) for x in f(0.0, y, p))
    a = np.array([row[f"{b}.{k}"].item() for b in ("crank", "rod", "piston") for k in ("ax", "ay", "alphaz")])
    allowed = np.linalg.svd(A)[2][np.linalg.matrix_rank(A) :]
    return off(allowed @ (M @ a - force.ravel()), 1e-9, "W per unit speed", "slider-crank, A* − P*")


@item("AME", "(3), (4)", "inertia coefficients follow from the kinetic co-energy", "formulations/maximal.py")
def kinetic_energy() -> Finding:
    eq = formulate(slider_crank.model(), "absolute")
    T = eq.observation.outputs["energy.kinetic"][1]
    apart = ca.Function("f", [eq.t, eq.y, eq.p], [ca.densify(ca.hessian(T, eq.v)[0] - eq.motion.mass)])
    return off(np.array(apart(0.3, np.ones(eq.y.numel()), [10.0])), 1e-12, "kg", "∂²T/∂v² − M")


@item("AME", "(5), (18)", "three equations per body, loads of all its ports added up", "formulations/absolute.py")
def three_equations() -> Finding:
    m = slider_crank.model()
    left = residuals(m, crank_run())
    return off([np.abs(x).max() for pair in left.values() for x in pair], 1e-8, "N, N·m", "slider-crank, left over of Newton and Euler")  # noqa: E501


@item("AME", "(6)–(9)", "a given wrench at a point as generalised forces", "components/forces.py")
def given_wrench() -> Finding:
    m = lw.Model("pushed", gravity=(0, -9.81))
    b = m.body("b", mass=2.0, inertia=0.5).start(angle=0.7)
    m.force("F", b.at(0.3, -0.4), (3.0, 5.0))
    m.torque("C", b, 1.5)
    row = m.evaluate()
    arm = Side(np.array([0, 0, 0.7]), np.zeros(3), np.zeros(3), np.array([0.3, -0.4]), 0.0).arm
    exact = [3.0 / 2, 5.0 / 2 - 9.81, (1.5 + arm[0] * 5.0 - arm[1] * 3.0) / 0.5]
    return off(np.subtract([row[f"b.{k}"].item() for k in ("ax", "ay", "alphaz")], exact), 1e-12, "m/s²", "accelerations against closed form")  # noqa: E501


# section 3.2: the joint


@item("AME", "(10)–(12)", "geometric constraints and their rates, ∂g/∂q q̇", "formulations/maximal.py")
def rates_of_constraints() -> Finding:
    eq = formulate(slider_crank.model(), "absolute")
    by_q = ca.jacobian(eq.constraints.position, eq.q) @ eq.motion.qdot - eq.constraints.velocity
    y = np.random.default_rng(1).normal(size=eq.y.numel())
    return off(np.array(ca.Function("f", [eq.t, eq.y, eq.p], [by_q])(0.0, y, [10.0])), 1e-12, "m/s", "nine coordinates, eight rows, differ by")  # noqa: E501


@item("AME", "(13)", "a constraint as a function of OM, ON and the four axis vectors", "components/joint.py")
def vector_constraint() -> Finding:
    return off(apart("mixed", "position", "value"), 1e-12, "m", "12 products of six vectors, value differs by")


@item("AME", "App. B", "derivatives by a vector: α b, and α for the second", "formulations/maximal.py")
def derivatives_by_a_vector() -> Finding:
    pair, _ = rows_at_random("mixed")
    terms, step, at = MIXED[0], 1e-6, pair.vectors()
    moved = [sum(al * (at[a] + step * (a == "yi") * e) @ (at[b] + step * (b == "yi") * e) for al, a, b in terms) for e in np.eye(2)]  # noqa: E501
    return off((np.array(moved) - pair.value(terms)) / step - pair.by(terms, "yi"), 1e-8, "", "against finite differences")


@item("AME", "(14), (31)", "the constraint's Jacobian from the derivatives by vectors", "formulations/maximal.py")
def jacobian() -> Finding:
    return off(apart("mixed", "A", "row"), 1e-12, "", "12 entries differ by")


@item("AME", "(15), (16)", "generalised forces are the Jacobian transposed times the multipliers", "formulations/observe.py")
def generalised_forces() -> Finding:
    pair, row = moving()
    pulled = multipliers() @ np.array([pair.row(terms) for terms in SYMMETRIC])
    inertia = np.array([1.3, 1.3, 0.2, 0.7, 0.7, 0.1]) * np.concatenate([pair.i.a, pair.j.a])
    weight = 9.81 * np.array([0, 1.3, 0, 0, 0.7, 0])
    return off(inertia + weight - pulled, 1e-10, "N, N·m", "translational joint, left over")


@item("AME", "(17)", "force and couple that the joint passes to each body at its port", "formulations/observe.py")
def port_forces() -> Finding:
    pair, row = moving()
    found = [[row[f"J.{end}.{k}"] for k in ("fx", "fy", "mz")] for end in ("port1", "reaction")]
    exact = [sum(x * pair.port(t, side) for x, t in zip(multipliers(), SYMMETRIC, strict=True)) for side in "ij"]
    return off(np.subtract(found, exact), 1e-10, "N, N·m", "both ports differ by")


@item("AME", "(19), (20)", "place and direction of the joint axes from the bodies' coordinates", "m.point")
def ports_places() -> Finding:
    r = _with_tip()
    side = _tip_side(r)
    return off(np.subtract([r["tip.x"][-1], r["tip.y"][-1]], side.place()), 1e-12, "m", "a point on the rod is off by")


@item("AME", "(25)", "velocity of the ports", "m.point")
def ports_velocities() -> Finding:
    r = _with_tip()
    return off(np.subtract([r["tip.vx"][-1], r["tip.vy"][-1]], _tip_side(r).velocity()), 1e-12, "m/s", "a point on the rod is off by")  # noqa: E501


@once
def _with_tip() -> lw.Result:
    m = slider_crank.model()
    m.point("tip", m["rod"].at(0.5, 0.1))
    return m.simulate(0.5, output=0.1)


def _tip_side(r: lw.Result) -> Side:
    q, v = (np.array([r[f"rod.{k}"][-1] for k in names]) for names in (("x", "y", "angle"), ("vx", "vy", "wz")))
    return Side(q, v, np.zeros(3), np.array([0.5, 0.1]), 0.0)


@item("AME", "(27)", "acceleration of the ports", "m.accelerometer")
def ports_accelerations() -> Finding:
    pair, row = moving()
    wanted = [pair.second_rate(terms) for terms in SYMMETRIC]
    return off(wanted, 1e-10, "m/s²", "accelerations of M and N by (27) put into (26) at the solution leave")


# section 3.3 and 3.4: the translational joint, Baumgarte


@item("AME", "(21), (28), Fig. 5", "translational joint as two equal constraints", "components/by_closure.py")
def symmetric_translational() -> Finding:
    return off(apart("symmetric", "position", "value"), 1e-12, "m", "value differs by")


@item(
    "AME", "(21)", "the symmetric form where M and N meet", "components/joints.py",
    weaker="as printed it loses a row there; the library's prismatic joint has the paper's alternative form, which keeps both",
)  # fmt: skip
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
        l1 * np.sin(tM) + l2 * np.sin(tN), -l1 * np.cos(tM) - l2 * np.cos(tN), -l1 * (dx * np.cos(tM) + dy * np.sin(tM)),
        -l1 * np.sin(tM) - l2 * np.sin(tN), l1 * np.cos(tM) + l2 * np.cos(tN), -l2 * (dx * np.cos(tN) + dy * np.sin(tN)),
    ]  # fmt: skip
    found = [row[f"J.{end}.{k}"] for end in ("port1", "reaction") for k in ("fx", "fy", "mz")]
    return off(np.subtract(found, exact), 1e-10, "N, N·m", "six numbers differ by")


@item("AME", "(23)", "Baumgarte: f̈ + 2α ḟ + β² f = 0", "lw.Baumgarte")
def baumgarte_terms() -> Finding:
    m, alpha, beta = slider_crank.model(), 3.0, 7.0
    plain, damped = (formulate(m, "absolute", stabilisation=s) for s in (None, lw.Baumgarte(alpha, beta)))
    y, told = np.random.default_rng(2).normal(size=plain.y.numel()), []
    for eq in (plain, damped):
        c = eq.constraints
        told.append([np.array(x).ravel() for x in ca.Function("f", [eq.t, eq.y, eq.p], [c.position, c.velocity, c.gamma])(0.3, y, [10.0])])  # noqa: E501
    (f, rate, gamma), (_, _, with_terms) = told
    return off(with_terms - gamma + 2 * alpha * rate + beta**2 * f, 1e-9, "m/s²", "terms at a state that violates all rows differ by")  # noqa: E501


@item("AME", "Sec. 3.4", "without stabilisation constraints are lost, with it they are kept", "lw.Baumgarte", slow=True)
def drift() -> Finding:
    m = lw.Model("pendulum", gravity=(0, -9.81))
    m.revolute("pin", m.ground.at(), m.body("bar", mass=1, inertia=1 / 12).at(-0.5, 0))
    runs = (m.simulate(20, solver="rk4", step=0.02, stabilisation=lw.Baumgarte(g, g)) for g in (20.0, 0.0))
    kept, lost = (r["residual.position"][r.t > 15].max() for r in runs)
    return off(kept / lost, 0.05, "", f"pendulum, rk4, 20 s: {lost:.0e} m lost without, share of it with")


@item("AME", "(24)", "rates of the constraint from the velocities at the ports", "formulations/maximal.py")
def rates() -> Finding:
    return off(apart("mixed", "velocity", "rate"), 1e-12, "m/s", "two rows differ by")


@item("AME", "(26)", "second rates of the constraint, which the print cuts off", "formulations/maximal.py")
def second_rates() -> Finding:
    return off(apart("mixed", "second", "second_rate"), 1e-11, "m/s²", "every term written out, differ by")


@item(
    "AME", "(26)", "sign of its sine", "formulations/maximal.py",
    weaker="mistaken in print: before sin(θ_M − θ_N) stands a minus, appendix C leads to a plus",
)  # fmt: skip
def printed_sine() -> Finding:
    pair, found = rows_at_random("mixed")
    wrong = np.array([pair.second_rate(terms, printed=True) for terms in MIXED])
    return same(bool(np.abs(found["second"] - wrong).max() > 0.1), True, "printed, it is off by more than 0.1 m/s²:")


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


@item("AME", "Part II", "seven-body mechanism: three loops, published solution at 0.03 s", "examples/squeezer.py", slow=True)
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
    r = squeezer.model().simulate(0.03, solver="dop853", rtol=1e-12, atol=1e-14, stabilisation=lw.Baumgarte(100, 100), output=0.03)  # noqa: E501
    return off(seven(r.final, "angle") / Q - 1, 1e-6, "", "squeezer's published angles, relative")


@item("AME", "Part II", "actuated joints", "lw.Effort, lw.Motion")
def actuated() -> Finding:
    r = crank_run()
    return off(r["energy.supplied"] - 10 * (r["O.angle"] - r["O.angle"][0]), 1e-7, "J", "work of 10 N·m on the crank differs by")


@item(
    "AME", "Part II", "the joints of the planar library", "components/joints.py",
    weaker="part II is not among our papers: ours are those of docs/components.md, each checked for rank and motion",
)  # fmt: skip
def planar_joints() -> Finding:
    rng, worst = np.random.default_rng(4), 0.0
    kinds = {k: c for k, c in registry.components.items() if issubclass(c, lw.Joint) and c.plane is not None and c.__module__.startswith("linkwork.")}  # noqa: E501
    for kind, cls in kinds.items():
        joint = joint_of(cls, kind, planar=True)
        got = evaluate(joint, random_pose(rng, True), random_values(joint, rng), planar=True)
        inside = got.A[:, [0, 1, 5]]
        assert np.linalg.matrix_rank(inside, tol=1e-6) == 3 - len(joint.plane or ())
        worst = max(worst, np.abs(got.closure).max(initial=0), np.abs(inside @ got.twists[[0, 1, 5]]).max(initial=0))
    return off(worst, 1e-12, "m", f"{len(kinds)} planar joints, closure along their motion")


@item("AME", "Sec. 4", "wish: a routine that needs nothing but the vector constraint", "components/by_closure.py", slow=True)
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
    return off([*speed, r["energy.kinetic"] - energy, unit], 1e-7, "rad/s", "body tumbling over its middle axis against Euler's equations")  # noqa: E501


@item("AME", "Sec. 4", "Euler's angles and their singular positions", "m.free", slow=True)
def angles_with_names() -> Finding:
    m = lw.Model("pitching", gravity=(0, 0, 0))
    body = m.body("b", mass=1, inertia=(0.3, 0.5, 0.7))
    pose = m.free("pose", m.ground.at(), body.at())
    pose.pitch.start(0.0, rate=2.0)
    r = m.simulate(1.5, rtol=1e-9, output=0.1)
    before = r.t < 0.75
    return off([*(r["pose.pitch"] - 2 * r.t)[before], *(r["b.wy"] - 2)], 1e-7, "rad", "pitch read on the way through 90°, spin beyond it, differ by")  # noqa: E501
