"""PRT: rigid bodies as particles, momentum along chains, cut joints, the pendulum with a rotating end."""

from __future__ import annotations

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.examples import rotating_pendulum
from linkwork.formulations.particles import Particles

from ..reference.printed_particles import Body, appended, skew, spherical_chain, state_of
from .audit import Finding, item, off, once, same

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
    """r₃, ṙ₃, r̈₃ by (12), (13), (14) from the other particles; asserts that the library's own r₃ moves like that."""
    lam, mu, tau = invariants()
    at = rigid_motion()
    (r21, v21, a21), (r41, v41, a41) = ([x - y for x, y in zip(at[j], at[1], strict=True)] for j in (2, 4))
    printed = (
        lam * np.cross(r21, r41) + mu * r41 + tau * r21,
        lam * (np.cross(r21, v41) + np.cross(v21, r41)) + mu * v41 + tau * v21,
        lam * (np.cross(r21, a41) + np.cross(a21, r41) + 2 * np.cross(v21, v41)) + mu * a41 + tau * a21,
    )
    t, moved = ca.SX.sym("t"), []
    for j in (1, 2, 4):
        r, v, a = (ca.DM(x) for x in at[j])
        moved.append(r + t * v + t**2 / 2 * a)
    own = library_particles().relative(moved)[2]
    for _ in range(k):
        own = ca.jacobian(own, t)
    own = np.array(ca.Function("f", [t], [ca.densify(own)])(0.0)).ravel()
    assert np.abs(own - printed[k]).max() < 1e-11
    return at[1][k] + own


def library_particles() -> Particles:
    s = {k: ca.SX(ca.DM(x)) for k, x in places().items()}
    return Particles([s[1], s[2], s[4]], False, s[3])


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


@item(
    "PRT", "Construction, Fig. 4", "bodies share the particles on their joint: six stand for two bodies", "m.particles"
)
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
    full = {
        k: at[k] if isinstance(k, int) else [(x + y) / 2 for x, y in zip(at[k[0]], at[k[1]], strict=True)]
        for k in weight
    }
    moment = sum(weight[k] * np.cross(full[k][0] - at[1][0], full[k][2]) for k in weight)
    _, body, _ = floating()
    return off(moment - np.cross(body.centre - at[1][0], 1.7 * GRAVITY), 1e-11, "N·m", "spinning body, left over")


@item(
    "PRT", "(4.1)–(4.3)", "distances of the particles that are states are kept", "formulations/particles.py", slow=True
)
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
    half = {
        i: weight[i] + sum(m for k, m in weight.items() if isinstance(k, tuple) and i in k) / 2 for i in (1, 2, 3, 4)
    }
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
    "PRT",
    "(10), (11), Fig. 2",
    "invariants λ̄, ν̄, μ̄, τ̄: printed for a particle 3 on one side of the others, here for any",
    "formulations/particles.py",
)
def printed_invariants() -> Finding:
    found = [float(x) for x in library_particles().invariants()]
    s = places()
    below = s[1] - (s[3] - s[1])
    state = [ca.SX(ca.DM(s[k])) for k in (1, 2, 4)]
    there = np.array(ca.DM(Particles(state, False, ca.SX(ca.DM(below))).relative(state)[2])).ravel()
    apart = [*np.subtract(found, invariants()), *(there - (below - s[1]))]
    return off(apart, 1e-12, "", "λ, μ, τ, and a particle 3 on the other side, differ by")


@item("PRT", "(12)", "particle 3 follows from the others", "formulations/particles.py")
def third_place() -> Finding:
    return off(third(0) - rigid_motion()[3][0], 1e-12, "m", "differs by")


@item("PRT", "(13)", "velocity of particle 3", "formulations/particles.py")
def third_velocity() -> Finding:
    return off(third(1) - rigid_motion()[3][1], 1e-12, "m/s", "differs by")


@item(
    "PRT",
    "(14), (15)",
    "acceleration of particle 3, with the velocity term that (15) leaves out",
    "formulations/particles.py",
)
def third_acceleration() -> Finding:
    return off(third(2) - rigid_motion()[3][2], 1e-11, "m/s²", "differs by")


@item(
    "PRT", "(16), (17)", "force and moment of a floating body in r̈₁, r̈₂, r̈₄, with (4.1)–(4.3)", "formulations/points.py"
)
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


@item(
    "PRT", "Reduced form", "Gear's method for the differential-algebraic equations", "integrate/sundials.py", slow=True
)
def gear() -> Finding:
    m = rotating_pendulum.model()
    exact = m.simulate(1, formulation="points", output=0.1, **TIGHT)
    r = m.simulate(1, formulation="points", solver="idas", rtol=1e-9, atol=1e-11, output=0.1)
    return off(
        [r[c] - exact[c] for c in ("P2.x", "P2.y", "P2.z")],
        1e-5,
        "m",
        "variable-order BDF against Runge–Kutta of order 8",
    )
