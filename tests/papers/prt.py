"""PRT: rigid bodies as particles, momentum along chains, cut joints, the pendulum with a rotating end."""

from __future__ import annotations

import numpy as np

import linkwork as lw
from linkwork.compile.functions import builders
from linkwork.core import registry
from linkwork.examples import rotating_pendulum, rssr, slider_crank
from linkwork.formulations import formulate
from linkwork.simulation.prepare import Choice, prepare

from ..contracts.joint_contract import OPTIONS
from ..reference.printed_particles import Body, appended, balls, hinge_and_slider, skew, spherical_chain, state_of
from .audit import Finding, item, missing, off, once, same

INERTIA = np.array([[0.3, 0.02, 0.01], [0.02, 0.4, -0.03], [0.01, -0.03, 0.5]])
GRAVITY = np.array([0.3, -0.2, -9.81])
TIGHT = {"solver": "dop853", "rtol": 1e-10, "atol": 1e-12}


def one_body(joint: str | None = None) -> lw.Model:
    m = lw.Model("body", gravity=tuple(GRAVITY))
    b = m.body("b", mass=1.7, inertia=INERTIA)
    b.particles((-0.4, 0.1, 0.2), (0.5, 0.2, -0.1), (0.1, 0.6, 0.1), (0.2, 0.3, 0.7))
    if joint == "revolute":
        m.revolute("J", m.ground.at(0, 0, 0), b.at(-0.4, 0.1, 0.2)).angle.start(0.3, rate=1.4)
        b.particles((-0.4, 0.1, 0.2), (-0.4, 0.1, 0.9), (0.1, 0.6, 0.1))
    else:
        b.start(position=(0.2, -0.1, 0.4), velocity=(0.5, 0.3, -0.2), spin=(0.7, -1.1, 1.6))
    return m


@once
def floating() -> tuple[lw.Model, Body, np.ndarray]:
    """A free body: the particles 1, 2, 4 with what the paper makes of them, and r̈ as the library has them."""
    m = one_body()
    r, v, a = state_of(m)
    return m, Body(m.particles()["b"], list(r), list(v)), a


def masses() -> dict[object, float]:
    return {p.number: p.mass for p in floating()[0].particles()["b"]}


def places() -> dict[object, np.ndarray]:
    return {p.number: p.place for p in floating()[0].particles()["b"]}


def conditions() -> tuple[np.ndarray, np.ndarray]:
    """(1.1)–(1.8) as a 10×10 system: its matrix over the ten particles, and the right-hand side."""
    s = np.array(list(places().values())).T
    x, y, z = s
    rows = [np.ones(10), x, y, z, z**2 + y**2, z**2 + x**2, x**2 + y**2, x * y, x * z, z * y]
    J = INERTIA
    right = [1.7, 0, 0, 0, J[0, 0], J[1, 1], J[2, 2], -J[0, 1], -J[0, 2], -J[1, 2]]
    return np.array(rows), np.array(right)


def rigid_motion() -> dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """r, ṙ, r̈ of the four primary particles from the motion of the body that the particles 1, 2, 4 say."""
    m, body, a = floating()
    row = m.evaluate(formulation="absolute")
    p, v, acc, w, al = (np.array([row[f"b.{k}{x}"].item() for x in "xyz"]) for k in ("", "v", "a", "w", "alpha"))
    e = np.array([row[f"b.q{k}"].item() for k in range(4)])
    R = 2 * np.outer(e[1:], e[1:]) + (e[0] ** 2 - e[1:] @ e[1:]) * np.eye(3) + 2 * e[0] * skew(e[1:])
    found = {}
    for number in (1, 2, 3, 4):
        arm = R @ places()[number]
        found[number] = (p + arm, v + np.cross(w, arm), acc + np.cross(al, arm) + np.cross(w, np.cross(w, arm)))
    return found


def invariants() -> tuple[float, float, float]:
    """λ, μ, τ by (10)–(12) as printed."""
    s = places()
    r21, r41, r31, r42 = s[2] - s[1], s[4] - s[1], s[3] - s[1], s[4] - s[2]
    n = np.cross(r21, r41)
    lam = abs(r31 @ n) / np.linalg.norm(n)
    r51 = r31 - lam * n / np.linalg.norm(n)
    nu = np.sqrt(r31 @ r31 - lam**2)
    mu = np.linalg.norm(r42) * np.linalg.norm(np.cross(r21, r51)) / np.linalg.norm(np.cross(r51, r42))
    tau = np.linalg.norm(r42) - mu
    length = np.linalg.norm(mu * r41 + tau * r21)
    return float(lam / np.linalg.norm(n)), float(nu * mu / length), float(nu * tau / length)


def third(k: int) -> np.ndarray:
    """r₃, ṙ₃, r̈₃ by (12), (13), (14) from the other particles."""
    lam, mu, tau = invariants()
    at = rigid_motion()
    (r21, v21, a21), (r41, v41, a41) = ([x - y for x, y in zip(at[j], at[1], strict=True)] for j in (2, 4))
    return at[1][k] + (
        lam * np.cross(r21, r41) + mu * r41 + tau * r21,
        lam * (np.cross(r21, v41) + np.cross(v21, r41)) + mu * v41 + tau * v21,
        lam * (np.cross(r21, a41) + np.cross(a21, r41) + 2 * np.cross(v21, v41)) + mu * a41 + tau * a21,
    )[k]


# the particles


@item("PRT", "(1.1)–(1.8)", "mass, mass centre and inertia of ten particles are the body's", "m.particles")
def ten_conditions() -> Finding:
    matrix, right = conditions()
    return off(matrix @ list(masses().values()) - right, 1e-12, "kg, kg·m, kg·m²", "ten conditions, left over")


@item("PRT", "(1)", "the 10×10 system for the masses", "formulations/particles.py")
def ten_by_ten() -> Finding:
    found = np.linalg.solve(*conditions())
    return off(found - list(masses().values()), 1e-11, "kg", "solved in NumPy, masses differ by")


@item("PRT", "Fig. 1, (4.7)–(4.12)", "four primary particles, six halfway between them", "m.particles")
def midpoints() -> Finding:
    s = places()
    between = [s[k] - (s[k[0]] + s[k[1]]) / 2 for k in s if isinstance(k, tuple)]
    return off(between, 1e-15, "m", f"{len(between)} secondary particles are off by")


@item("PRT", "Construction", "particles may be placed anywhere", "components/bodies.py", slow=True)
def anywhere() -> Finding:
    m, rng = rotating_pendulum.model(), np.random.default_rng(1)
    exact = m.simulate(1, formulation="absolute", output=0.1, **TIGHT)
    for name in ("rod", "end"):
        m[name].particles(*rng.normal(size=(4, 3)))
    r = m.simulate(1, formulation="points", output=0.1, **TIGHT)
    return off([r[c] - exact[c] for c in ("P2.x", "P2.y", "P2.z")], 1e-7, "m", "random places, the path differs by")


@item("PRT", "Construction, Fig. 4", "bodies share the particles on their joint: six stand for two bodies", "m.particles")
def shared() -> Finding:
    m = rotating_pendulum.model()
    m["rod"].particles((-0.5, 0, 0), (0.5, 0, 0), (0, 0.3, 0), (0, 0, 0.3))
    m["end"].particles((-1, 0, 0), (0, 0, 0), (0, 0.3, 0), (0, 0, 0.3))
    primary = [p for p in m.particles() if not isinstance(p.number, tuple)]
    return same(len({tuple(np.round(p.position, 9)) for p in primary}), 6, "different places of primary particles:")


# one body


@item("PRT", "(2)", "linear momentum: R = Σ mᵢ r̈ᵢ over all ten", "formulations/points.py")
def linear_momentum() -> Finding:
    at, weight = rigid_motion(), masses()
    second = {k: at[k][2] if isinstance(k, int) else (at[k[0]][2] + at[k[1]][2]) / 2 for k in weight}
    return off(sum(weight[k] * second[k] for k in weight) - 1.7 * GRAVITY, 1e-11, "N", "falling body, left over")


@item("PRT", "(3)", "angular momentum about particle 1", "formulations/points.py")
def angular_momentum() -> Finding:
    at, weight = rigid_motion(), masses()
    full = {k: at[k] if isinstance(k, int) else [(x + y) / 2 for x, y in zip(at[k[0]], at[k[1]], strict=True)] for k in weight}  # noqa: E501
    moment = sum(weight[k] * np.cross(full[k][0] - at[1][0], full[k][2]) for k in weight)
    _, body, _ = floating()
    return off(moment - np.cross(body.centre - at[1][0], 1.7 * GRAVITY), 1e-11, "N·m", "spinning body, left over")


@item("PRT", "(4.1)–(4.3)", "distances of the particles that are states are kept", "formulations/particles.py", slow=True)
def distances() -> Finding:
    r = one_body().simulate(5, formulation="points", output=0.1, rtol=1e-9)
    return off(r["residual.position"], 1e-10, "m", "spinning body, 5 s, at most")


@item("PRT", "(4.4)–(4.6)", "distances of particle 3 hold by construction", "formulations/particles.py")
def distances_of_third() -> Finding:
    at, s = rigid_motion(), places()
    r3 = third(0)
    apart = [np.linalg.norm(r3 - at[k][0]) - np.linalg.norm(s[3] - s[k]) for k in (1, 2, 4)]
    return off(apart, 1e-12, "m", "three distances differ by")


@item("PRT", "(5), (7)", "primary particles with half of their neighbours' masses", "m.particles")
def reduced_masses() -> Finding:
    weight = masses()
    half = {i: weight[i] + sum(m for k, m in weight.items() if isinstance(k, tuple) and i in k) / 2 for i in (1, 2, 3, 4)}
    told = {p.number: p.reduced for p in floating()[0].particles()["b"] if p.reduced is not None}
    at = rigid_motion()
    left = sum(half[i] * at[i][2] for i in half) - 1.7 * GRAVITY
    return off([*(told[i] - half[i] for i in half), *left], 1e-11, "kg, N", "m̄ and (5) differ by")


@item("PRT", "(6), (8), (9)", "moments of the four primary particles, A₁ … A₄", "formulations/particle_chain.py")
def moments_of_four() -> Finding:
    weight, at = masses(), rigid_motion()
    arm = {i: skew(at[i][0] - at[1][0]) for i in at}

    def of(i: int, j: int) -> float:
        return next(m for k, m in weight.items() if isinstance(k, tuple) and set(k) == {i, j})

    A = {
        i: (weight[i] + sum(of(i, j) for j in at if j != i) / 4) * arm[i]
        + sum(of(i, j) / 4 * arm[j] for j in (2, 3, 4) if j != i)
        for i in at
    }
    left = sum(A[i] @ at[i][2] for i in at) - np.cross(floating()[1].centre - at[1][0], 1.7 * GRAVITY)
    return off(left, 1e-11, "N·m", "spinning body, left over")


@item(
    "PRT", "(10), (11), Fig. 2", "invariants λ̄, ν̄, μ̄, τ̄ of particle 3", "formulations/particles.py",
    weaker="as printed (absolute values) for a particle 3 on the positive side of the others only; "
    "the library solves three linear equations, which hold anywhere",
)  # fmt: skip
def printed_invariants() -> Finding:
    s = places()
    columns = np.column_stack([np.cross(s[2] - s[1], s[4] - s[1]), s[4] - s[1], s[2] - s[1]])
    return off(np.linalg.solve(columns, s[3] - s[1]) - invariants(), 1e-12, "", "λ, μ, τ differ by")


@item("PRT", "(12)", "particle 3 follows from the others", "formulations/particles.py")
def third_place() -> Finding:
    return off(third(0) - rigid_motion()[3][0], 1e-12, "m", "differs by")


@item("PRT", "(13)", "velocity of particle 3", "formulations/particles.py")
def third_velocity() -> Finding:
    return off(third(1) - rigid_motion()[3][1], 1e-12, "m/s", "differs by")


@item("PRT", "(14), (15)", "acceleration of particle 3, with the velocity term that (15) leaves out", "formulations/particles.py")  # noqa: E501
def third_acceleration() -> Finding:
    return off(third(2) - rigid_motion()[3][2], 1e-11, "m/s²", "differs by")


@item("PRT", "(16), (17)", "force and moment of a floating body in r̈₁, r̈₂, r̈₄, with (4.1)–(4.3)", "formulations/points.py")
def floating_body() -> Finding:
    _, body, found = floating()
    block = [np.hstack(body.R), np.hstack(body.G)]
    weight = 1.7 * GRAVITY
    rows = [*np.vstack(block)]
    values = [*(weight - body.R0), *(np.cross(body.centre - body.r[0], weight) - body.G0)]
    appended(rows, values, body, 9, [slice(0, 3), slice(3, 6), slice(6, 9)])
    literal = np.linalg.solve(np.array(rows), np.array(values)).reshape(-1, 3)
    return off(literal - found, 1e-10, "m/s²", "nine equations in NumPy, r̈ differ by")


@item("PRT", "Reduced form, N₁", "reaction of a fixed point", "m.evaluate")
def fixed_point() -> Finding:
    return off(spherical_chain(1), 1e-9, "", "r̈ and reaction, relative")


@item("PRT", "Reduced form", "fixed axis: one moment and two distances", "formulations/points.py")
def fixed_axis() -> Finding:
    m = one_body("revolute")
    r, v, found = state_of(m)
    axis = np.array([0, 0, 1.0])
    body = Body(m.particles()["b"], [np.zeros(3), 0.7 * axis, r[0]], [np.zeros(3), np.zeros(3), v[0]])
    rows = [axis @ body.G[2]]
    values = [axis @ (np.cross(body.centre, 1.7 * GRAVITY) - body.G0)]
    appended(rows, values, body, 3, [None, None, slice(0, 3)])
    return off(np.linalg.solve(np.array(rows), values) - found[0], 1e-10, "m/s²", "r̈₄ differs by")


@item("PRT", "Reduced form", "reactions of a revolute joint", "m.evaluate")
def revolute_reaction() -> Finding:
    m, rows = one_body("revolute"), []
    for formulation in ("points", "absolute"):
        row = m.evaluate(formulation=formulation)
        rows.append([row[f"J.reaction.{k}{x}"].item() for k in "fm" for x in "xyz"])
    return off(np.subtract(*rows), 1e-10, "N, N·m", "force and moment against absolute coordinates")


@item("PRT", "Reduced form", "Gear's method for the differential-algebraic equations", "integrate/sundials.py", slow=True)
def gear() -> Finding:
    m = rotating_pendulum.model()
    exact = m.simulate(1, formulation="points", output=0.1, **TIGHT)
    r = m.simulate(1, formulation="points", solver="idas", rtol=1e-9, atol=1e-11, output=0.1)
    return off([r[c] - exact[c] for c in ("P2.x", "P2.y", "P2.z")], 1e-5, "m", "variable-order BDF against Runge–Kutta of order 8")  # noqa: E501


# chains


@item("PRT", "(18)–(21), Fig. 3", "chain of ball joints: moments of all that each joint carries", "formulations/particle_chain.py", slow=True)  # noqa: E501
def ball_chain() -> Finding:
    return off(spherical_chain(4)[0], 1e-9, "", "four bodies, 24 equations as printed, r̈ relative")


@item("PRT", "(16), (20)", "reaction at the root of a chain", "formulations/points.py", slow=True)
def chain_reaction() -> Finding:
    return off(spherical_chain(2)[1], 1e-9, "", "two bodies, relative")


@item("PRT", "(22)", "chain with a floating base: three more equations", "formulations/floating.py")
def floating_chain() -> Finding:
    m = lw.Model("floating", gravity=tuple(GRAVITY))
    b, c = (m.body(name, mass=1.7, inertia=INERTIA) for name in "bc")
    joint = m.spherical("J", b.at(0.5, 0.2, -0.1), c.at(-0.4, 0.1, 0.2))
    for k in joint.coordinates:
        k.start(0.4, rate=0.9)
    b.start(velocity=(0.5, 0.3, -0.2), spin=(0.7, -1.1, 1.6))
    rows = [m.evaluate(formulation=f) for f in ("points", "absolute")]
    total = sum(1.7 * np.array([rows[0][f"{name}.a{x}"].item() for x in "xyz"]) for name in "bc")
    names = [f"{name}.{k}{x}" for name in "bc" for k in ("a", "alpha") for x in "xyz"]
    differ = [rows[0][n].item() - rows[1][n].item() for n in names]
    return off([*(total - 3.4 * GRAVITY), *differ], 1e-9, "N, m/s²", "momentum of both, and accelerations, differ by")


@item("PRT", "Serial chain", "3 N + 1 primary and 6 N secondary particles, 2 N of them unknown", "m.particles")
def how_many() -> Finding:
    m = balls(4)
    system = m.particles()
    primary = {tuple(np.round(p.position, 9)) for p in system if not isinstance(p.number, tuple)}
    halfway = sum(isinstance(p.number, tuple) for p in system)
    return same((len(primary), halfway, len(system.states)), (13, 24, 8), "N = 4:")


@item("PRT", "Steps 3, 4; (23)–(25)", "revolute and prismatic joints in a chain", "formulations/particle_chain.py")
def hinge_then_slider() -> Finding:
    return off(hinge_and_slider(), 1e-9, "", "12 equations in NumPy, r̈ relative")


@item("PRT", "Serial chain", "any other lower or higher pair in the same way", "formulations/particle_view.py", slow=True)
def other_joints() -> Finding:
    worst, kinds = 0.0, ("cylindrical", "screw", "universal", "planar", "distance", "point_on_plane", "point_on_curve")
    for kind in kinds:
        m = lw.Model("swing", gravity=(0, 0, -9.81))
        a, b = (m.body(name, mass=1.2, inertia=(0.2, 0.25, 0.3)) for name in "ab")
        m.revolute("pin", m.ground.at(0, 0, 0), a.at(-0.4, 0.1, 0)).angle.start(0.3, rate=1.2)
        options = OPTIONS.get(kind, {})
        joint = m.add(registry.components[kind]("J", a.at(0.3, 0.1, -0.2), b.at(-0.2, 0.1, 0.3), **options))
        for c in joint.coordinates:
            c.start(0.4, rate=-0.7)
        rows = [m.evaluate(formulation=f) for f in ("points", "absolute")]
        for name in (n for n in rows[0] if n.startswith(("a.a", "b.a", "J.reaction"))):
            worst = max(worst, abs(rows[0][name].item() - rows[1][name].item()))
    return off(worst, 1e-8, "m/s², N", f"{len(kinds)} joints against absolute coordinates")


# trees and loops


@item("PRT", "Open or closed chain", "trees with several branches", "formulations/inwards.py")
def branches() -> Finding:
    m = lw.Model("tree", gravity=(0, 0, -9.81))
    trunk = m.body("trunk", mass=2, inertia=(0.3, 0.2, 0.4))
    m.spherical("root", m.ground.at(0, 0, 0), trunk.at(0, 0, 0.5)).rx.start(0.5, rate=1.0)
    for k, x in enumerate((0.3, -0.4, 0.2)):
        b = m.body(f"branch{k}", mass=1, inertia=(0.1, 0.2, 0.15))
        m.revolute(f"J{k}", trunk.at(x, 0.1 * k, -0.5), b.at(0, 0.3, 0), axis=(1, 0.2 * k, 0)).angle.start(0.3, rate=k - 1.0)
    rows = [m.evaluate(formulation=f) for f in ("points", "minimal")]
    names = [n for n in rows[0] if n.startswith(("trunk.a", "branch")) and n.split(".")[1].startswith("a")]
    return off([rows[0][n].item() - rows[1][n].item() for n in names], 1e-9, "m/s²", "three branches against joint coordinates")  # noqa: E501


@once
def loop_rows() -> list[dict[str, float]]:
    m = rssr.model()
    return [{n: x.item() for n, x in m.evaluate(formulation=f).items()} for f in ("points", "absolute")]


@item("PRT", "Open or closed chain", "loops are cut, multipliers close them", "formulations/points.py")
def loops() -> Finding:
    one, two = loop_rows()
    names = [n for n in one if n.split(".")[1] in ("ax", "ay", "az", "alphax", "alphay", "alphaz")]
    return off([one[n] - two[n] for n in names], 1e-8, "m/s²", "RSSR linkage against absolute coordinates")


@item("PRT", "Open or closed chain", "reactions of cut joints", "formulations/points.py")
def loop_reactions() -> Finding:
    one, two = loop_rows()
    names = [n for n in one if ".reaction." in n]
    return off([one[n] - two[n] for n in names], 1e-8, "N, N·m", f"{len(names)} components differ by")


@item("PRT", "Introduction", "planar mechanisms by particles", "formulations/points.py", slow=True)
def in_the_plane() -> Finding:
    m = slider_crank.model()
    runs = [m.simulate(1, formulation=f, output=0.1, **TIGHT) for f in ("points", "minimal")]
    return off(runs[0]["piston.vx"] - runs[1]["piston.vx"], 1e-7, "m/s", "slider-crank, piston velocity differs by")


@item(
    "PRT", "Open or closed chain", "constraints are linear or quadratic in the coordinates", "formulations/particles.py",
    weaker="distances are; loops are read along normalised directions, which is not polynomial, but lets rk4 pass "
    "singular positions",
)  # fmt: skip
def quadratic() -> Finding:
    r = np.random.default_rng(3).normal(size=(4, 9))
    eq = prepare(one_body(), Choice("points")).equations
    import casadi as ca

    f = ca.Function("f", [eq.t, eq.y, eq.p], [eq.constraints.position])
    rest = np.zeros(eq.y.numel() - 9)
    phi = np.array([np.array(f(0, [*(r[0] + k * r[1]), *rest], [])).ravel() for k in range(4)])
    return off(np.diff(phi, 3, axis=0), 1e-10, "m", "third differences of the distances along a line")


@item("PRT", "Open or closed chain", "no angles and no rotation matrices", "formulations/points.py")
def no_angles() -> Finding:
    ready = prepare(rotating_pendulum.model(), Choice("points"))
    return same(ready.equations.q.numel(), 9, "coordinates of three particles instead of two bodies' poses:")


@item("PRT", "Open or closed chain", "recursive: work grows with the number of bodies", "formulations/particle_recursion.py", slow=True)
def work() -> Finding:
    count = [builders(formulate(balls(n), "points"))["rhs"]().n_instructions() for n in (2, 4, 6)]
    return off((count[2] - count[1]) / (count[1] - count[0]) - 1, 0.02, "", "instructions per body at 2–4 and 4–6 bodies differ by a share of")  # noqa: E501


@item(
    "PRT", "Open or closed chain", "cheaper than absolute coordinates", "formulations/points.py", slow=True,
    weaker="in the plane it is; in space both cost the same (docs/points.md)",
)  # fmt: skip
def cost() -> Finding:
    points, absolute = (builders(formulate(balls(4), f))["rhs"]().n_instructions() for f in ("points", "absolute"))
    return off(points / absolute, 1.1, "", "four ball-jointed bodies, instructions as a share of those of absolute")


@item("PRT", "Open or closed chain", "design sensitivities in point coordinates", "m.sensitivity", slow=True)
def sensitivities() -> Finding:
    from linkwork.examples import pendulum

    m = pendulum.model()
    found = [m.sensitivity("bar.y", "length", 0.5, formulation=f, rtol=1e-9)["bar.y", "length"][-1] for f in ("points", "absolute")]  # noqa: E501
    return off(np.subtract(*found), 1e-6, "", "∂y/∂length after 0.5 s differs by")


missing("PRT", "Open or closed chain", "deformable bodies whose nodes are shared particles", "all bodies are rigid")


@item("PRT", "Open or closed chain", "particles are what graphics need", "m.particles, studio/symbols/particles.py", slow=True)
def drawn() -> Finding:
    m = rotating_pendulum.model()
    r = m.simulate(0.1, formulation="points")
    nodes = r.animate(particles=m.particles()).scene.nodes
    return same(sum(node.group == "particle" for node in nodes), 20, "particles in the animation:")


# the example


@once
def pendulums(regular: bool) -> dict[str, lw.Result]:
    m = rotating_pendulum.model(regular=regular)
    return {f: m.simulate(10, formulation=f, output=0.05, **TIGHT) for f in ("points", "absolute")}


@item("PRT", "Table 1", "masses and inertias of the two bodies", "examples/rotating_pendulum.py")
def table_1() -> Finding:
    m = rotating_pendulum.model()
    found = [(float(m[b].mass), float(np.diag(np.array(m[b].inertia, dtype=float))[0])) for b in ("rod", "end")]
    return same(found, [(1.5, 0.1), (25.0, 25.0)], "mass [kg] and inertia [kg·m²]:")


@item(
    "PRT", "Fig. 5a–c", "coordinates of particle 2 against absolute coordinates", "examples/rotating_pendulum.py", slow=True,
    weaker="the lengths of figure 4 are lost, so the curves are ours",
)  # fmt: skip
def figure_5() -> Finding:
    one, two = pendulums(False).values()
    return off([one[c] - two[c] for c in ("P2.x", "P2.y", "P2.z")], 1e-7, "m", "10 s, x, y and z differ by")


@item(
    "PRT", "Example", "regular precession", "examples/rotating_pendulum.py", slow=True,
    weaker="from rest, as in the paper, the rod nutates; it precesses regularly if it starts with Ω = m g l/(I ω)",
)  # fmt: skip
def precession() -> Finding:
    r = pendulums(True)["points"]
    angle = np.unwrap(np.arctan2(r["P2.y"], r["P2.x"]))
    rate = (1.5 * 0.5 + 25.0) * 9.81 / (25.0 * 2.0)
    return off([*r["P2.z"], angle[-1] / 10 / rate - 1], 1e-8, "m", "level over 10 s, and rate against closed form, differ by")


@item("PRT", "Example", "energy of the free response", "examples/rotating_pendulum.py", slow=True)
def energy() -> Finding:
    return off(np.ptp(pendulums(False)["points"]["energy.total"]), 1e-6, "J", "10 s, changes by")


