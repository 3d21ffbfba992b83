"""AME: absolute coordinates, joints as vector constraints, multipliers, Baumgarte, closed loops."""

from __future__ import annotations

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.examples import motor_slider_crank, slider_crank
from linkwork.formulations import formulate

from ..reference.newton_euler import residuals
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
        q, v, a = (
            [row[f"{name}.{x}"] for x in names]
            for names in (("x", "y", "angle"), ("vx", "vy", "wz"), ("ax", "ay", "alphaz"))
        )
        sides.append(Side(np.array(q), np.array(v), np.array(a), POINTS[k], TURNED[k]))
    return Pair(*sides), row


def multipliers() -> np.ndarray:
    """λ as the paper counts them: forces are +∂f/∂q λ."""
    return -np.array([moving()[1][f"J.multiplier{k}"] for k in (1, 2)])


@once
def crank_run() -> lw.Result:
    return slider_crank.model().simulate(2, rtol=1e-9, atol=1e-11, output=0.05)


# section 2: components and their ports


@item(
    "AME", "Fig. 2", "components of different domains exchange the power variables of their ports", "m.pump, m.connect"
)
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


missing(
    "AME",
    "Fig. 1",
    "door lock with a permanent magnet",
    "no magnetic domain: components for it can be written as in docs/ports.md",
)


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
    "AME",
    "Sec. 2",
    "other ways to lower the index: partitioning, projection, penalty",
    "formulations/partition.py, formulations/stabilisation.py, formulations/compliant.py",
    slow=True,
)
def other_ways() -> Finding:
    m, run = slider_crank.model(), {"rtol": 1e-9, "atol": 1e-11, "output": 0.05}
    exact = m.simulate(1, formulation="absolute", **run)["piston.vx"]
    parted = m.simulate(1, formulation="minimal", loops="partition", **run)["piston.vx"]
    soft = m.simulate(1, formulation="compliant", compliance=lw.Compliance(error=1e-7), **run)["piston.vx"]
    return off([parted - exact, soft - exact], 1e-5, "m/s", "piston velocity differs by")


# section 3.1: the body


@item(
    "AME",
    "(1), (2)",
    "virtual power of inertia and of actions is the same in every motion the joints allow",
    "formulations/maximal.py",
)
def virtual_power() -> Finding:
    m = slider_crank.model()
    eq, row = formulate(m, "absolute"), m.evaluate()
    y, p = m.assemble().state[: eq.y.numel()], [10.0]
    f = ca.Function(
        "f", [eq.t, eq.y, eq.p], [ca.densify(x) for x in (eq.motion.mass, eq.motion.force, eq.constraints.jacobian)]
    )
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
    return off(
        [np.abs(x).max() for pair in left.values() for x in pair],
        1e-8,
        "N, N·m",
        "slider-crank, left over of Newton and Euler",
    )


@item("AME", "(6)–(9)", "a given wrench at a point as generalised forces", "components/forces.py")
def given_wrench() -> Finding:
    m = lw.Model("pushed", gravity=(0, -9.81))
    b = m.body("b", mass=2.0, inertia=0.5).start(angle=0.7)
    m.force("F", b.at(0.3, -0.4), (3.0, 5.0))
    m.torque("C", b, 1.5)
    row = m.evaluate()
    arm = Side(np.array([0, 0, 0.7]), np.zeros(3), np.zeros(3), np.array([0.3, -0.4]), 0.0).arm
    exact = [3.0 / 2, 5.0 / 2 - 9.81, (1.5 + arm[0] * 5.0 - arm[1] * 3.0) / 0.5]
    return off(
        np.subtract([row[f"b.{k}"].item() for k in ("ax", "ay", "alphaz")], exact),
        1e-12,
        "m/s²",
        "accelerations against closed form",
    )


# section 3.2: the joint


@item("AME", "(10)–(12)", "geometric constraints and their rates, ∂g/∂q q̇", "formulations/maximal.py")
def rates_of_constraints() -> Finding:
    eq = formulate(slider_crank.model(), "absolute")
    by_q = ca.jacobian(eq.constraints.position, eq.q) @ eq.motion.qdot - eq.constraints.velocity
    y = np.random.default_rng(1).normal(size=eq.y.numel())
    return off(
        np.array(ca.Function("f", [eq.t, eq.y, eq.p], [by_q])(0.0, y, [10.0])),
        1e-12,
        "m/s",
        "nine coordinates, eight rows, differ by",
    )


@item("AME", "(13)", "a constraint as a function of OM, ON and the four axis vectors", "components/joint.py")
def vector_constraint() -> Finding:
    return off(apart("mixed", "position", "value"), 1e-12, "m", "12 products of six vectors, value differs by")


@item("AME", "App. B", "derivatives by a vector: α b, and α for the second", "components/joint.py")
def derivatives_by_a_vector() -> Finding:
    """Of what the joint itself writes, by the second axis of M."""
    pair, _ = rows_at_random("mixed")
    symbols = {name: ca.SX.sym(name, 3) for name in pair.vectors()}
    M, N = (
        lw.Pose(symbols[p], ca.horzcat(symbols[x], symbols[y], ca.SX(3, 1)))
        for p, x, y in (("OM", "xi", "yi"), ("ON", "xj", "yj"))
    )
    rows = ca.vertcat(*two_bodies(MIXED)["J"].closure(M, N))
    first = ca.jacobian(rows, symbols["yi"])
    f = ca.Function("f", list(symbols.values()), [first[:, :2], ca.jacobian(first[0, 0], symbols["ON"])[0]])
    found, second = (np.array(x) for x in f(*([*x, 0.0] for x in pair.vectors().values())))
    apart = [found[k] - pair.by(terms, "yi") for k, terms in enumerate(MIXED)]
    return off([*np.ravel(apart), second.item() - pair.twice(MIXED[0], "yi", "ON")], 1e-12, "", "differ by")


@item("AME", "(14), (31)", "the constraint's Jacobian from the derivatives by vectors", "formulations/maximal.py")
def jacobian() -> Finding:
    return off(apart("mixed", "A", "row"), 1e-12, "", "12 entries differ by")


@item(
    "AME",
    "(15), (16)",
    "generalised forces are the Jacobian transposed times the multipliers",
    "formulations/observe.py",
)
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
    return off(
        np.subtract([r["tip.vx"][-1], r["tip.vy"][-1]], _tip_side(r).velocity()),
        1e-12,
        "m/s",
        "a point on the rod is off by",
    )


@once
def _with_tip() -> lw.Result:
    m = slider_crank.model()
    m.point("tip", m["rod"].at(0.5, 0.1))
    return m.simulate(0.5, output=0.1)


def _tip_side(r: lw.Result) -> Side:
    q, v = (np.array([r[f"rod.{k}"][-1] for k in names]) for names in (("x", "y", "angle"), ("vx", "vy", "wz")))
    return Side(q, v, np.zeros(3), np.array([0.5, 0.1]), 0.0)


@item("AME", "(27)", "acceleration of the ports", "formulations/maximal.py")
def ports_accelerations() -> Finding:
    pair, row = moving()
    wanted = [pair.second_rate(terms) for terms in SYMMETRIC]
    return off(wanted, 1e-10, "m/s²", "accelerations of M and N by (27) put into (26) at the solution leave")
