"""Light and massless bodies, and mechanisms of any size: against closed forms and hand-derived equations."""

from __future__ import annotations

from math import pi

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

EVERY = ["absolute", "minimal", "points", "bondgraph", "bondgraph-minimal", "bondgraph-zcp", "acausal"]
MASSLESS = ["absolute", "minimal", "points", "acausal"]
G = 9.81


def weight_on_links(light: float, heavy: float, size: float = 1.0) -> lw.Model:
    """A heavy bob on a light link on a light link: pins at 0, size, 2·size from the ground."""
    m = lw.Model("links")
    a = m.body("a", mass=light, inertia=light * size**2 / 12)
    b = m.body("b", mass=light, inertia=light * size**2 / 12)
    bob = m.body("bob", mass=heavy, inertia=heavy * size**2 / 10)
    m.revolute("O", m.ground.at(0, 0), a.at(-size / 2, 0))
    m.revolute("A", a.at(size / 2, 0), b.at(-size / 2, 0))
    m.fixed("B", b.at(size / 2, 0), bob.at(0, 0))
    m["O"].angle.start(-0.3)
    m["A"].angle.start(-0.7)
    return m


def links_by_hand(light: float, heavy: float, size: float, times: np.ndarray) -> np.ndarray:
    """(x, y) of the bob: Lagrange's equations of the double pendulum, absolute angles; light may be 0 in the limit."""
    J1 = light * size**2 / 3 + (light + heavy) * size**2
    J2 = light * size**2 / 3 + heavy * size**2 + heavy * size**2 / 10
    k = (light / 2 + heavy) * size**2
    w1, w2 = (1.5 * light + heavy) * G * size, (light / 2 + heavy) * G * size

    def rate(t, y):
        p, q, u, v = y
        c, s = np.cos(p - q), np.sin(p - q)
        M = np.array([[J1, k * c], [k * c, J2]])
        f = np.array([-k * s * v * v - w1 * np.cos(p), k * s * u * u - w2 * np.cos(q)])
        return [u, v, *np.linalg.solve(M, f)]

    y = solve_ivp(rate, (0, times[-1]), [-0.3, -1.0, 0, 0], "DOP853", times, rtol=1e-12, atol=1e-13).y
    return size * np.array([np.cos(y[0]) + np.cos(y[1]), np.sin(y[0]) + np.sin(y[1])])


@pytest.mark.parametrize("formulation", EVERY)
@pytest.mark.parametrize("ratio", [1e-4, 1e-8, 1e-12])
def test_a_heavy_bob_on_light_links(formulation, ratio):
    m = weight_on_links(1e5 * ratio, 1e5)
    r = m.simulate(1.5, formulation=formulation, output=0.5)
    x, y = links_by_hand(1e5 * ratio, 1e5, 1.0, r.t)
    assert np.abs(r["bob.x"] - x).max() < 1e-7 and np.abs(r["bob.y"] - y).max() < 1e-7
    # Newton's law for everything that hangs on the pin.
    carried = 1e5 * (r["bob.ay"] + G) + 1e5 * ratio * (r["b.ay"] + G)
    np.testing.assert_allclose(r["A.reaction.fy"], carried, rtol=1e-6, atol=1e-6 * 1e5 * G)


@pytest.mark.parametrize("formulation", MASSLESS)
def test_massless_links(formulation):
    r = weight_on_links(0, 2.0).simulate(1.5, formulation=formulation, output=0.5)
    x, y = links_by_hand(0, 2.0, 1.0, r.t)
    assert np.abs(r["bob.x"] - x).max() < 1e-7 and np.abs(r["bob.y"] - y).max() < 1e-7


@pytest.mark.parametrize("formulation", EVERY)
@pytest.mark.parametrize("size", [1e-8, 1e-3, 1e4, 1e8])
def test_any_size(formulation, size):
    """Lengths as √g·t: every size shows the same motion."""
    r = weight_on_links(0.7, 1.0, size).simulate(np.sqrt(size), formulation=formulation, output=np.sqrt(size) / 4)
    x, y = links_by_hand(0.7, 1.0, 1.0, r.t / np.sqrt(size))
    assert np.abs(r["bob.x"] / size - x).max() < 1e-7 and np.abs(r["bob.y"] / size - y).max() < 1e-7


@pytest.mark.parametrize(
    "formulation",
    [name if name in ("absolute", "bondgraph-zcp") else pytest.param(name, marks=pytest.mark.slow) for name in EVERY],
)
@pytest.mark.parametrize("solver", ["radau", "generalized_alpha"])
@pytest.mark.parametrize(("light", "size"), [(1e-10, 1.0), (0.7, 1e-8), (0.7, 1e8), (1e-8, 1e-6)])
def test_implicit_solvers(formulation, solver, light, size):
    """Their Newton matrices are as good as the explicit solve: at any ratio of masses, at any size."""
    period = np.sqrt(size)
    options = {"rtol": 1e-9, "atol": 1e-11} if solver == "radau" else {"step": period / 1000}
    m = weight_on_links(light, 1.0, size)
    r = m.simulate(period, formulation=formulation, solver=solver, output=period / 2, **options)
    x, y = links_by_hand(light, 1.0, 1.0, r.t / period)
    limit = 1e-7 if solver == "radau" else 1e-4
    assert np.abs(r["bob.x"] / size - x).max() < limit and np.abs(r["bob.y"] / size - y).max() < limit


@pytest.mark.parametrize("formulation", EVERY)
@pytest.mark.parametrize("which", ["coupler", "cranks"])
def test_light_bodies_in_a_loop(formulation, which):
    """A parallel crank with speed, next to upright: its coupler moves on a circle without turning."""
    light = 1e-11
    cranks, coupler = (1.0, light) if which == "coupler" else (light, 1.0)
    m = lw.Model("parallel crank")
    bars = [m.body(f"bar{k}", mass=cranks, inertia=cranks / 12) for k in (0, 1)]
    top = m.body("top", mass=coupler, inertia=coupler)
    for k, bar in enumerate(bars):
        bar.start(position=(2 * k, 0.5), angle=pi / 2)
        m.revolute(f"O{k}", m.ground.at(2 * k, 0), bar.at(-0.5, 0))
        m.revolute(f"A{k}", bar.at(0.5, 0), top.at(2 * k - 1, 0))
    top.start(position=(1, 1))
    m["O0"].angle.start(pi / 2, rate=-2.0)
    r = m.simulate(0.6, formulation=formulation, output=0.2)
    J, w = 2 * cranks / 3 + coupler, cranks + coupler
    by_hand = solve_ivp(
        lambda t, y: [y[1], -w * G * np.cos(y[0]) / J], (0, 0.6), [pi / 2, -2], "DOP853", r.t, rtol=1e-12, atol=1e-13
    ).y[0]
    assert np.abs(r["top.x"] - 1 - np.cos(by_hand)).max() < 1e-7
    assert np.abs(r["top.y"] - np.sin(by_hand)).max() < 1e-7
    total = sum(r[f"A{k}.reaction.fy"] for k in (0, 1))  # on the coupler
    np.testing.assert_allclose(total, coupler * (r["top.ay"] + G), rtol=1e-6, atol=1e-6 * G)


@pytest.mark.parametrize("formulation", MASSLESS)
@pytest.mark.parametrize("joint", ["rod", "distance"])
def test_a_point_mass_on_a_massless_rod(formulation, joint):
    """IFToMM A01: published position after 1 s, in the plane and in space."""
    m = lw.Model("A01", gravity=(0, -G) if joint == "rod" else (0, -G, 0))
    bob = m.particle("bob", mass=1).start(position=(-1, 0) if joint == "rod" else (-1, 0, 0))
    if joint == "rod":
        rod = m.body("rod", mass=0, inertia=0).start(position=(-0.5, 0), angle=pi)
        m.revolute("O", m.ground.at(0, 0), rod.at(-0.5, 0))
        m.revolute("P", rod.at(0.5, 0), bob)
    else:
        m.distance("O", m.ground.at(0, 0), bob, length=1)
    r = m.simulate(1.0, formulation=formulation, output=0.5)
    assert abs(r["bob.x"][-1] - 0.986291751132) < 1e-7 and abs(r["bob.y"][-1] + 0.165010853126) < 1e-7


def test_parameters_may_make_a_body_light():
    """One model, prepared anew where the values ask for another order of elimination."""
    m = lw.Model("swing")
    mass = m.parameter("mass", 1.0)
    link, bob = m.body("link", mass=mass, inertia=mass / 12), m.body("bob", mass=1, inertia=0.1)
    m.revolute("O", m.ground.at(0, 0), link.at(-0.5, 0))
    m.fixed("A", link.at(0.5, 0), bob.at(0, 0))
    for value in (1.0, 1e-12, 1.0):
        r = m.simulate(0.5, parameters={"mass": value}, output=0.25)
        pull = (value / 2 + 1) * G / (value / 3 + 1.1)
        angle = solve_ivp(
            lambda t, y, pull: [y[1], -pull * np.cos(y[0])], (0, 0.5), [0, 0], "DOP853", rtol=1e-12, args=(pull,)
        ).y[0, -1]
        assert abs(r["O.angle"][-1] - angle) < 1e-8


def test_large_and_small_in_one_model():
    """A cube of 1 mm on an arm of 10 m that turns steadily: it sits still in the turning frame."""
    m = lw.Model("sizes", gravity=(0, 0, 0))
    arm = m.body("arm", mass=1e5, inertia=(1e6, 1e6, 1e6)).start(position=(5, 0, 0))
    cube = m.body("cube", mass=1e-6, inertia=(1e-12 / 6,) * 3).start(position=(10.0005, 0, 0))
    m.revolute("O", m.ground, arm, point=(0, 0, 0), axis=(0, 0, 1))
    m.spherical("S", arm.at(5, 0, 0), cube.at(-0.0005, 0, 0))
    m["O"].angle.start(0, rate=1.0)
    cube.start(spin=(0, 0, 1))
    for formulation in ("absolute", "minimal", "acausal", "bondgraph"):
        r = m.simulate(2.0, formulation=formulation, output=1.0)
        assert np.abs(r["cube.x"] - 10.0005 * np.cos(r.t)).max() < 1e-7
        np.testing.assert_allclose(r["S.reaction.fx"][-1], -1e-6 * 10.0005 * np.cos(2.0), rtol=1e-6)


@pytest.mark.parametrize("formulation", ["absolute", "acausal", "minimal", "points"])
@pytest.mark.parametrize("share", [1e-6, 1e-10])
def test_a_light_pointer_driven_on_a_light_link(formulation, share):
    """The drive of a pointer that weighs next to nothing gives what is asked of the pointer: −τ."""
    m = lw.Model("pointer", gravity=(0, -9.81))
    link = m.body("link", mass=1e-8, inertia=1e-9)
    weight, pointer = m.body("weight", mass=2.0, inertia=0.1), m.body("pointer", mass=share, inertia=share / 20)
    m.revolute("O", m.ground.at(), link.at(-0.2, 0)).angle.start(0.3)
    m.revolute("A", link.at(0.2, 0), weight.at(-0.1, 0))
    m.revolute("P", link.at(0, 0), pointer.at(-0.1, 0)).angle.law(lw.Motion(lambda t: 0.5 * t))
    m.torque("load", pointer, 2.0)
    found = m.evaluate(formulation=formulation).final
    assert found["P.angle.effort"] == pytest.approx(-2.0, abs=100 * share + 1e-9)
    assert found["pointer.alphaz"] == pytest.approx(found["link.alphaz"], rel=1e-6)


@pytest.mark.parametrize("formulation", EVERY)
@pytest.mark.parametrize("light", [1e-6, 1e-9, 1e-12])
def test_relations_between_what_a_light_body_carries(formulation, light):
    """A light arm carries two heavy ones, whose angles on it follow a third: Lagrange's equations of two freedoms.

    All three turn about one pin: only the relations keep the light one from turning by itself. The coordinates in them
    are those of heavy bodies; what is light is the body they are counted from.
    """
    m = lw.Model("geared arms")
    arm = m.body("arm", mass=light, inertia=light / 12)
    a, b, wheel = (m.body(name, mass=2.0, inertia=1 / 6) for name in ("a", "b", "wheel"))
    O = m.revolute("O", m.ground.at(0, 0), arm.at(-0.5, 0))
    A, B = (m.revolute(name, arm.at(-0.5, 0), body.at(-0.5, 0)) for name, body in (("A", a), ("B", b)))
    P = m.revolute("P", m.ground.at(3, 0), wheel.at(-0.5, 0))
    m.relation("r0", lambda x, p: x - 0.5 * p, A.angle, P.angle)
    m.relation("r1", lambda x, p: x + 0.3 * p, B.angle, P.angle)
    O.angle.start(0.2, rate=0.5)
    P.angle.start(0.4, rate=1.0)
    r = m.simulate(1, formulation=formulation, output=0.25, rtol=1e-10, atol=1e-12)

    q, v = ca.SX.sym("q", 2), ca.SX.sym("v", 2)  # O and P

    def along(angle, length):
        return length * ca.vertcat(ca.cos(angle), ca.sin(angle))

    turned = [q[0], q[0] + 0.5 * q[1], q[0] - 0.3 * q[1], q[1]]
    centres = [along(angle, 0.5) for angle in turned]
    kinetic, potential = 0, 0
    for mass, angle, centre in zip((light, 2, 2, 2), turned, centres, strict=True):
        kinetic += mass * (ca.sumsqr(ca.jtimes(centre, q, v)) + ca.jtimes(angle, q, v) ** 2 / 12) / 2
        potential += mass * G * centre[1]
    momentum = ca.gradient(kinetic, v)
    force = ca.gradient(kinetic - potential, q) - ca.jtimes(momentum, q, v)
    f = ca.Function("f", [q, v], [ca.solve(ca.jacobian(momentum, v), force)])
    y = solve_ivp(
        lambda t, y: [*y[2:], *np.array(f(y[:2], y[2:])).ravel()], (0, 1), [0.2, 0.4, 0.5, 1.0], "DOP853", r.t,
        rtol=1e-12, atol=1e-13,
    ).y  # fmt: skip
    assert np.abs(r["O.angle"] - y[0]).max() < 1e-7 and np.abs(r["P.angle"] - y[1]).max() < 1e-7
