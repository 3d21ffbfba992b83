"""The force contract at random states of two free bodies: power, and Newton's third law."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.numbers import absolute_equations
from linkwork.components.contacts.outlines import Ball, Box, Convex, Cylinder, Wheel
from linkwork.contact.manifolds import chooser_of

INERTIA = np.array([[0.5, 0.05, 0.02], [0.05, 0.6, -0.03], [0.02, -0.03, 0.7]])

TOUCH = {"stiffness": 4.0, "friction": 0.3, "creep": 0.1}
"""So large that they always touch, and so soft that they may be anywhere."""

GRIP = {"radius": 2, "stiffness": 4.0, "damping": 0.3, "cornering": 3.0, "slip_stiffness": 5.0, "friction": 0.8}


def _upright(a):
    """The same place with the z axis along y of the body: an axle, not that of a wheel on its side."""
    p = np.array(ca.DM(a.local.p)).ravel()
    return a.body.at(*p, rotation=np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]))


SPACE = {
    "spring": lambda m, a, b: m.spring("F", a, b, stiffness=40, length=0.5, damping=3),
    "bushing": lambda m, a, b: m.bushing(
        "F", a, b, stiffness=(30, 40, 50), damping=(1, 2, 3), torsion=(5, 6, 7), torsion_damping=(0.1, 0.2, 0.3)
    ),
    "force pair": lambda m, a, b: m.force("F", a, lambda t, a, b: (3 + t) * (b.p - a.p) + 0.5 * a.v, reaction=b),
    "follower pair": lambda m, a, b: m.force("F", a, (1.0, -2.0, 3.0), frame="body", reaction=b),
    "torque pair": lambda m, a, b: m.torque("F", a, lambda a, b: b.w - a.w, reaction=b),
    "contact": lambda m, a, b: m.contact(
        "F", a, b, radius=2, dissipation=0.05, height=lambda x, y: 0.1 * lw.sin(x + 2 * y), **TOUCH
    ),
    "contact with bristles": lambda m, a, b: m.contact(
        "F", a, b, radius=2, bristle=3.0, height=lambda x, y: 0.1 * lw.sin(x + 2 * y), **TOUCH
    ),
    "contact of a wheel": lambda m, a, b: m.contact("F", a, b, shape=Wheel(3, 2), bristle=3.0, **TOUCH),
    "contact of balls": lambda m, a, b: m.contact("F", a, b, shape=Ball(2), other=Ball(2.5), bristle=3.0, **TOUCH),
    "tetrahedra": lambda m, a, b: m.contact(
        "F", a, b, shape=Convex(0.3 * np.eye(4, 3), 0.7), other=Convex(0.2 * np.eye(4, 3), 0.7), exponent=3.0, **TOUCH
    ),
    "contact in a tube": lambda m, a, b: m.contact(
        "F", a, b, shape=Convex(np.eye(4, 3), 2), other=Cylinder(2, inside=True), bristle=3.0, **TOUCH
    ),
    "tyre": lambda m, a, b: m.tyre("F", _upright(a), b, height=lambda x, y: 0.02 * lw.sin(x + 2 * y), **GRIP),
    "rope": lambda m, a, b: m.rope("F", a, b.body.at(0.1, 0.2), a.body.at(), b, stiffness=4, length=0.01, damping=0.03),
    "cam": lambda m, a, b: m.cam("F", a, b, radius=lambda x: 5 + 0.3 * lw.cos(x), stiffness=4, dissipation=0.02),
}
PLANE = {
    "spring": SPACE["spring"],
    "bushing": lambda m, a, b: m.bushing("F", a, b, stiffness=(30, 40), damping=(1, 2), torsion=5, torsion_damping=0.3),
    "force pair": SPACE["force pair"],
    "follower pair": lambda m, a, b: m.force("F", a, (1.0, -2.0), frame="body", reaction=b),
    "torque pair": lambda m, a, b: m.torque("F", a, 2.5, reaction=b),
    "contact": lambda m, a, b: m.contact("F", a, b, radius=2, height=lambda x: 0.1 * lw.sin(2 * x), **TOUCH),
    "contact with bristles": lambda m, a, b: m.contact(
        "F", a, b, shape=Box((4, 5)), bristle=3.0, height=lambda x: 0.1 * lw.sin(2 * x), **TOUCH
    ),
    "contact of boxes": lambda m, a, b: m.contact(
        "F", a, b, shape=Box((4, 5), 1.9), other=Box((5, 6), 2.4), bristle=3.0, **TOUCH
    ),
    "tyre": lambda m, a, b: m.tyre("F", a, b, height=lambda x: 0.02 * lw.sin(2 * x), **GRIP),
    "rope": lambda m, a, b: m.rope(
        "F", a, lw.Pulley(b.body.at(0.1, 0.2), 0.01), a.body.at(), b, stiffness=4, length=0.01, damping=0.03
    ),
    "cam": SPACE["cam"],
}
CASES = [(False, k) for k in SPACE] + [(True, k) for k in PLANE]


def _pair(planar, kind):
    m = lw.Model("pair", gravity=(0, 0) if planar else (0, 0, 0))
    inertia = 0.7 if planar else INERTIA
    a, b = m.body("a", mass=1.5, inertia=inertia), m.body("b", mass=0.8, inertia=inertia)
    ends = (a.at(0.3, -0.1), b.at(-0.2, 0.4)) if planar else (a.at(0.3, -0.1, 0.2), b.at(-0.2, 0.4, 0.1))
    (PLANE if planar else SPACE)[kind](m, *ends)
    return m


def _state(m, rng):
    """Two bodies at random places with random speeds: q, v."""
    if m.is_planar:
        return rng.uniform(-1, 1, 6), rng.normal(size=6)
    q = []
    for _ in range(2):
        e = np.array([2.0, 0, 0, 0]) + rng.normal(size=4)
        q += [*rng.uniform(-1, 1, 3), *(e / np.linalg.norm(e))]
    return np.array(q), rng.normal(size=12)


def _others(m, eq, q, v, rng):
    """The first-order states: anything, but for the corners and faces that touch, which are what they are here."""
    y, chooser = np.r_[q, v, rng.normal(size=eq.z.numel())], chooser_of(m, eq, lambda t: np.zeros(0))
    if chooser is not None:
        y[[eq.states.names.index(name) for name in eq.states.held]] = 0
        y = chooser.choose(0.4, y)
    return y[q.size + v.size :]


@pytest.mark.parametrize(("planar", "kind"), CASES)
def test_power(planar, kind, rng):
    """Power of the loads + dV/dt + loss = what is supplied; nothing is, by a passive one."""
    m = _pair(planar, kind)
    eq = absolute_equations(m)
    names = eq.states.names[eq.q.numel() + eq.v.numel() :]
    stored = eq.observation.outputs["energy.potential"][1]
    storing = ca.jtimes(stored, ca.vertcat(eq.q, eq.z), ca.vertcat(eq.motion.qdot, eq.motion.zdot))
    f = ca.Function(
        "f", [eq.t, eq.q, eq.v, eq.z, eq.p], [ca.dot(eq.motion.force, eq.v), storing, eq.motion.zdot, stored]
    )
    for _ in range(20):
        q, v = _state(m, rng)
        power, rate, works, energy = (np.array(x).ravel() for x in f(0.4, q, v, _others(m, eq, q, v, rng), []))
        work = dict(zip(names, works, strict=True))
        assert power + rate + work.get("energy.dissipated", 0) == pytest.approx(
            work.get("energy.supplied", 0), abs=1e-9
        )
        if kind in ("spring", "bushing") or "contact" in kind:
            assert "energy.supplied" not in work and work["energy.dissipated"] >= 0 and energy > 0
        if kind in ("tyre", "tetrahedra"):  # they may have lifted off
            assert "energy.supplied" not in work and work["energy.dissipated"] >= 0 and energy >= 0


@pytest.mark.parametrize(("planar", "kind"), CASES)
def test_action_and_reaction(planar, kind, rng):
    """Forces of a pair cancel, and so do their moments about the origin."""
    m = _pair(planar, kind)
    eq = absolute_equations(m)
    values = [
        eq.motion.force,
        *(eq.observation.outputs[f"{n}.w{k}"][1] for n in "ab" for k in ("z" if planar else "xyz")),
    ]
    f = ca.Function("f", [eq.t, eq.q, eq.v, eq.z, eq.p], values)
    for _ in range(10):
        q, v = _state(m, rng)
        load = np.array(f(0.4, q, v, _others(m, eq, q, v, rng), [])[0]).ravel()
        assert np.abs(load).max() > 1e-3
        force, moment = np.zeros(3), np.zeros(3)
        for i in range(2):
            if planar:
                p, pull, turn = (
                    [*q[3 * i : 3 * i + 2], 0],
                    [*load[3 * i : 3 * i + 2], 0],
                    np.array([0, 0, load[3 * i + 2]]),
                )
            else:
                p, pull, w = q[7 * i : 7 * i + 3], load[6 * i : 6 * i + 3], v[6 * i + 3 : 6 * i + 6]
                turn = _matrix(q[7 * i + 3 : 7 * i + 7]) @ (load[6 * i + 3 : 6 * i + 6] + np.cross(w, INERTIA @ w))
            force += pull
            moment += turn + np.cross(p, pull)
        assert force == pytest.approx(0, abs=1e-12)
        assert moment == pytest.approx(0, abs=1e-11)


def _matrix(e):
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat([*e[1:], e[0]]).as_matrix()


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow if kind == "tetrahedra" else ()) for kind in SPACE]
)
def test_momentum_is_conserved_in_a_run(kind):
    m = _pair(False, kind)
    m["a"].start(position=(0, 0, 0), velocity=(0.3, 0.1, -0.2), spin=(0.5, -1, 0.2))
    m["b"].start(position=(1, 0.3, 0.2), velocity=(-0.2, 0.4, 0.1), spin=(0.1, 0.4, -0.8))
    r = m.simulate(0.5, rtol=1e-10, atol=1e-12, output=0.05)
    linear, angular = np.zeros((r.t.size, 3)), np.zeros((r.t.size, 3))
    for name, mass in (("a", 1.5), ("b", 0.8)):
        p, v, w = (np.stack([r[f"{name}.{k}{i}"] for i in "xyz"], axis=1) for k in ("", "v", "w"))
        R = np.array([_matrix(e) for e in np.stack([r[f"{name}.q{i}"] for i in range(4)], axis=1)])
        linear += mass * v
        angular += mass * np.cross(p, v) + np.einsum("kij,jl,kml,km->ki", R, INERTIA, R, w)
    assert np.abs(linear - linear[0]).max() < 1e-8
    assert np.abs(angular - angular[0]).max() < 1e-8
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert balance == pytest.approx(balance[0], abs=1e-8)


def test_every_force_of_the_package_is_here():
    kinds = {type(_pair(False, k)["F"]) for k in SPACE}
    from linkwork.core import registry

    assert {c for c in registry.components.values() if issubclass(c, lw.Force)} == kinds
