"""Coordinates that fail somewhere must not make a run fail there: poles of a rod's direction, half turns of a ball."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

RIGID = ["absolute", "minimal", "points", "acausal", "bondgraph", "bondgraph-minimal", "bondgraph-zcp"]
SOFT = ["compliant", "bondgraph-rc"]
G = 9.81


def weight_on_a_rod(position, velocity, length=1.0):
    m = lw.Model("rod", gravity=(0, 0, -G))
    weight = m.body("weight", mass=2, inertia=(0.1, 0.1, 0.1))
    weight.start(position=position, velocity=velocity)
    m.distance("rod", m.ground.at(), weight.at(), length=length)
    return m


def spherical_pendulum(position, velocity, t):
    """r̈ = g − (|ṙ|² + g·r) r/|r|², in Cartesian coordinates."""
    g = np.array([0, 0, -G])

    def rates(_, y):
        r, v = y[:3], y[3:]
        return np.concatenate([v, g - (v @ v + g @ r) * r / (r @ r)])

    found = solve_ivp(rates, (0, t), [*position, *velocity], rtol=1e-12, atol=1e-13, method="DOP853")
    return found.y[:, -1]


@pytest.mark.parametrize("formulation", RIGID + SOFT)
@pytest.mark.parametrize("up", [-1, 1])
def test_a_rod_along_its_pole(formulation, up):
    """Started exactly along ±z, with a speed; the mass centre is a spherical pendulum."""
    start = (0, 0, up), (0.9, 0.4, 0)
    m = weight_on_a_rod(*start)
    m.check()
    r = m.simulate(1.5, formulation=formulation, rtol=1e-9, atol=1e-11)
    x, y, z, vx, vy, vz = spherical_pendulum(*start, 1.5)
    soft = 3e-5 if formulation in SOFT else 3e-7
    assert [r[f"weight.{c}"][-1] for c in "xyz"] == pytest.approx([x, y, z], abs=soft)
    assert [r[f"weight.v{c}"][-1] for c in "xyz"] == pytest.approx([vx, vy, vz], abs=100 * soft)
    assert all(np.isfinite(r[name]).all() for name in r)
    if formulation in RIGID:
        assert np.ptp(r["energy.total"]) < 1e-6
        swept = 2 * (r["weight.x"] * r["weight.vy"] - r["weight.y"] * r["weight.vx"])
        assert swept == pytest.approx(0 * swept, abs=1e-7)
        # By hand at the start: T = m (v²/l + g·(direction of the rod)).
        assert r["rod.reaction.fz"][0] == pytest.approx(-2 * up * (0.97 - up * G), rel=1e-9)


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph-zcp"])
@pytest.mark.parametrize("near", [1e-12, 1e-9, 1e-6, 1e-3])
def test_a_rod_that_swings_through_near_its_pole(formulation, near):
    """Passing the pole at any distance costs no more than passing far from it."""
    start = (np.sqrt(1 - 0.36 - near**2), near, -0.6), (0, 0, 0)
    m = weight_on_a_rod(*start)
    r = m.simulate(3.0, formulation=formulation, rtol=1e-9, atol=1e-11)
    assert [r[f"weight.{c}"][-1] for c in "xyz"] == pytest.approx(spherical_pendulum(*start, 3.0)[:3], abs=1e-6)
    assert r.record["statistics"]["accepted"] < 2000


@pytest.mark.parametrize("solver", ["dop853", "radau", "rk4", "generalized_alpha"])
@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points"])
def test_every_solver_leaves_the_pole(formulation, solver):
    """A nanometre from it, with a speed."""
    start = (1e-9, 0, -1), (0, 0.5, 0)
    steps = {"step": 1e-3} if solver in ("rk4", "generalized_alpha") else {"rtol": 1e-8, "atol": 1e-10}
    r = weight_on_a_rod(*start).simulate(0.5, formulation=formulation, solver=solver, **steps)
    assert [r[f"weight.{c}"][-1] for c in "xyz"] == pytest.approx(spherical_pendulum(*start, 0.5)[:3], abs=1e-6)
    assert np.abs(r["rod.azimuth"]).max() < 4  # no turns were made up


@pytest.mark.parametrize("formulation", RIGID + SOFT)
def test_a_weight_hanging_at_rest(formulation):
    """Nothing moves, and the rod carries the weight."""
    m = weight_on_a_rod((0, 0, -2.0), None, length=2.0)
    r = m.simulate(0.5, formulation=formulation)
    assert r["weight.z"][-1] == pytest.approx(-2.0, abs=1e-5 if formulation in SOFT else 1e-12)
    assert r["rod.reaction.fz"][0] == pytest.approx(2 * G, rel=1e-9, abs=2 * G if formulation in SOFT else 0)


def test_an_azimuth_given_where_it_means_nothing():
    """Straight down is straight down, whatever the azimuth."""
    m = lw.Model("rod", gravity=(0, 0, -G))
    weight = m.body("weight", mass=2, inertia=(0.1, 0.1, 0.1))
    rod = m.distance("rod", m.ground.at(), weight.at(), length=1)
    rod.elevation.start(-np.pi / 2)
    rod.azimuth.start(0.7)
    assert m.assemble().placement.position["weight"] == pytest.approx([0, 0, -1], abs=1e-12)


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph-minimal"])
def test_rods_in_a_chain_between_their_poles(formulation):
    """Two weights on one line of rods, kicked: energy and the moment of momentum about z stay."""
    m = lw.Model("chain", gravity=(0, 0, -G))
    a = m.body("a", mass=2, inertia=(0.1, 0.12, 0.14))
    b = m.body("b", mass=1, inertia=(0.1, 0.08, 0.06))
    a.start(position=(0, 0, -1), velocity=(0, 1, 0))
    b.start(position=(0, 0, -1.7), velocity=(2, 0, 0))
    m.distance("upper", m.ground.at(), a.at(), length=1)
    m.distance("lower", b.at(), a.at(), length=0.7)  # seen from its second end
    r = m.simulate(2, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert np.ptp(r["energy.total"]) < 1e-6
    momentum = sum(k * (r[f"{n}.x"] * r[f"{n}.vy"] - r[f"{n}.y"] * r[f"{n}.vx"]) for n, k in (("a", 2), ("b", 1)))
    assert momentum == pytest.approx(0 * momentum, abs=1e-7)


def half_turned(kind, how, axis):
    m = lw.Model("half", gravity=(0, 0, -G))
    body = m.body("body", mass=2, inertia=(0.1, 0.2, 0.15))
    joint = getattr(m, kind)("J", m.ground.at(), body.at(0.3, 0, 0), **({"length": 1.0} if kind == "distance" else {}))
    n = np.array(axis) / np.linalg.norm(axis)
    if how == "pose":
        R = 2 * np.outer(n, n) - np.eye(3)
        origin = np.array([1.0, 0, 0]) if kind == "distance" else np.zeros(3)
        body.start(position=origin - R @ [0.3, 0, 0], rotation=R)
    else:
        for c, x in zip((joint.rx, joint.ry, joint.rz), (np.pi if how == "plus" else -np.pi) * n, strict=True):
            c.start(x)
    return m, n


@pytest.mark.parametrize("kind", ["spherical", "point_on_line", "point_on_plane", "distance"])
@pytest.mark.parametrize("how", ["pose", "plus", "minus"])
@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (1, -2, 0.5)])
def test_half_a_turn_of_a_ball(kind, how, axis):
    """Assembled as said: the rotation is there, and the rotation vector reads π about one of both directions."""
    m, n = half_turned(kind, how, axis)
    found = m.assemble()
    assert found.placement.rotation["body"] == pytest.approx(2 * np.outer(n, n) - np.eye(3), abs=1e-9)
    r = np.array([found.coordinates[f"J.{c}"] for c in ("rx", "ry", "rz")])
    assert abs(r @ n) == pytest.approx(np.pi, abs=1e-8)


@pytest.mark.parametrize("formulation", RIGID)
@pytest.mark.parametrize("kind", ["spherical", "point_on_line", "point_on_plane", "distance"])
def test_half_a_turn_runs(formulation, kind):
    """A body turned over swings as the same body not turned over, whose frame is placed the other way round."""
    m, n = half_turned(kind, "pose", (0, 1, 0))
    m["body"].start(spin=(0.3, 0.5, -0.2))
    r = m.simulate(0.8, formulation=formulation, rtol=1e-9, atol=1e-11)
    other = lw.Model("plain", gravity=(0, 0, -G))
    body = other.body("body", mass=2, inertia=(0.1, 0.2, 0.15))  # diagonal: the same after half a turn about y
    options = {"length": 1.0} if kind == "distance" else {}
    getattr(other, kind)("J", other.ground.at(), body.at(-0.3, 0, 0), **options)
    body.start(position=(1.3, 0, 0) if kind == "distance" else (0.3, 0, 0), spin=(0.3, 0.5, -0.2))
    plain = other.simulate(0.8, formulation="absolute", rtol=1e-9, atol=1e-11)
    for name in ("x", "y", "z", "wx", "wy", "wz"):
        assert r[f"body.{name}"][-1] == pytest.approx(plain[f"body.{name}"][-1], abs=1e-6)


@pytest.mark.parametrize("spin", [3.0, -40.0])
def test_the_rotation_vector_through_half_a_turn(spin):
    """Its rate stays right on both sides, and it comes back from −π."""
    m = lw.Model("spin", gravity=(0, 0, 0))
    body = m.body("body", mass=1, inertia=(1, 2, 3))
    m.spherical("J", m.ground.at(), body.at())
    body.start(spin=(0, 0, spin))
    r = m.simulate(2.0, rtol=1e-10, atol=1e-12)
    assert np.exp(1j * r["J.rz"]) == pytest.approx(np.exp(1j * spin * r.t), abs=1e-7)
    assert r["J.rz.rate"] == pytest.approx(spin, abs=1e-6)


JOINTS = ["revolute", "cylindrical", "screw", "universal", "planar", "parallel_axes", "perpendicular_axes"]


@pytest.mark.parametrize("kind", [*JOINTS, "rotational"])
@pytest.mark.parametrize("turned", [np.pi, np.pi / 2, -np.pi / 2])
def test_other_joints_at_quarter_and_half_turns(kind, turned):
    """They have no pole: all formulations begin alike, and energy stays."""
    ends = []
    for formulation in ("absolute", "minimal", "points"):
        m = lw.Model("turned", gravity=(0, -G, 0))
        body = m.body("body", mass=2, inertia=(0.1, 0.2, 0.15))
        options = {"pitch": 0.1} if kind == "screw" else {}
        joint = getattr(m, kind)("J", m.ground.at(), body.at(0.3, 0.1, 0), **options)
        for c in joint.coordinates:
            if c.unit == "rad":
                c.start(turned)
        r = m.simulate(0.4, formulation=formulation, rtol=1e-9, atol=1e-11)
        assert np.ptp(r["energy.total"]) < 1e-6
        ends.append([r[f"body.{c}"][-1] for c in "xyz"])
    assert ends[1] == pytest.approx(ends[0], abs=1e-6)
    assert ends[2] == pytest.approx(ends[0], abs=1e-6)
