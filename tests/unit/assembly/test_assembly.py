"""Assembly: consistent starts from partial data, with the least change of what was guessed."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.geometry import rotations


def slider_crank() -> lw.Model:
    """Crank 0.2 m, rod 1 m, no start data at all."""
    m = lw.Model("slider-crank", gravity=(0, -9.81))
    crank, rod, piston = (m.body(n, mass=1, inertia=1) for n in ("crank", "rod", "piston"))
    m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-0.5, 0))
    m.revolute("B", rod.at(0.5, 0), piston.at(0, 0))
    m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    return m


def four_bar() -> lw.Model:
    """Crank 0.2 m, coupler 0.6 m, lever 0.4 m on a base of 0.6 m."""
    m = lw.Model("four-bar", gravity=(0, -9.81))
    crank, coupler, lever = (m.rod(n, length=l, mass=1) for n, l in (("crank", 0.2), ("coupler", 0.6), ("lever", 0.4)))
    m.revolute("A", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("B", crank.at(0.1, 0), coupler.at(-0.3, 0))
    m.revolute("C", coupler.at(0.3, 0), lever.at(0.2, 0))
    m.revolute("D", m.ground.at(0.6, 0), lever.at(-0.2, 0))
    return m


def piston(theta):
    """Place of the piston [m]."""
    return 0.2 * np.cos(theta) + np.sqrt(1 - (0.2 * np.sin(theta)) ** 2)


@pytest.mark.parametrize("theta", [0.3, -1.1, 2.6])
def test_from_one_joint_value(theta):
    m = slider_crank()
    m["O"].angle.start(theta)
    m["piston"].start(position=(1, 0))
    start = m.assemble()
    assert start.coordinates["O.angle"] == pytest.approx(theta, abs=1e-12)
    assert start.coordinates["P.slide"] == pytest.approx(piston(theta), abs=1e-10)
    assert start.residual < 1e-10 and not start.state[9:18].any()


def test_from_body_poses_only():
    """Rough places are enough; what comes out is near them."""
    m = slider_crank()
    m["crank"].start(position=(0.1, 0.02), angle=0.35)
    m["rod"].start(position=(0.7, 0.03), angle=-0.05)
    m["piston"].start(position=(1.2, 0.01))
    start = m.assemble()
    assert start.coordinates["P.slide"] == pytest.approx(piston(start.coordinates["O.angle"]), abs=1e-10)
    assert start.coordinates["O.angle"] == pytest.approx(0.3, abs=0.1)
    assert max(start.moved.values()) < 0.05


def test_joint_value_beats_body_poses():
    m = slider_crank()
    m["O"].angle.start(0.5)
    m["crank"].start(position=(0.1, 0), angle=0)
    m["piston"].start(position=(1.2, 0))
    start = m.assemble()
    assert start.coordinates["O.angle"] == pytest.approx(0.5, abs=1e-11)
    assert start.coordinates["P.slide"] == pytest.approx(piston(0.5), abs=1e-10)


def test_consistent_poses_are_left_alone():
    m = four_bar()
    m["crank"].start(position=(0, 0.1), angle=np.pi / 2)
    lever = _lever(np.pi / 2)
    m["lever"].start(position=(0.6 + 0.2 * np.cos(lever), 0.2 * np.sin(lever)), angle=lever)
    end = np.array([0.6 + 0.4 * np.cos(lever), 0.4 * np.sin(lever)])
    tilt = np.arctan2(end[1] - 0.2, end[0])
    m["coupler"].start(position=(end[0] / 2, (end[1] + 0.2) / 2), angle=tilt)
    start = m.assemble()
    assert max(start.moved.values()) < 1e-12
    assert start.coordinates["D.angle"] == pytest.approx(lever, abs=1e-12)


def _lever(crank: float, side: int = 1) -> float:
    """Lever angle of the four-bar for a crank angle: intersection of two circles."""
    elbow = 0.2 * np.array([np.cos(crank), np.sin(crank)])
    d = elbow - np.array([0.6, 0])
    size = np.hypot(*d)
    half = np.arccos((0.4**2 + size**2 - 0.6**2) / (2 * 0.4 * size))
    return float(np.arctan2(d[1], d[0]) - side * half)


def test_least_change():
    """A point pulled onto a circle goes to the nearest place on it."""
    m = lw.Model("bar", gravity=(0, 0))
    ball = m.body("ball", mass=1, inertia=1).start(position=(1.5, 2.0), angle=0.3)
    m.distance("bar", m.ground.at(0, 0), ball.at(0, 0), length=1)
    start = m.assemble()
    assert start.state[:3] == pytest.approx((0.6, 0.8, 0.3), abs=1e-6)
    assert start.moved["ball"] == pytest.approx(1.5, abs=1e-6)


def test_change_is_measured_in_all_directions():
    m = lw.Model("plate", gravity=(0, 0, 0))
    ball = m.body("ball", mass=1, inertia=(1, 1, 1)).start(position=(0.3, 0.2, 0.7))
    m.point_on_plane("floor", m.ground.at(0, 0, 0), ball.at(0, 0, 0))
    start = m.assemble()
    assert start.state[:3] == pytest.approx((0.3, 0.2, 0.0), abs=1e-9)
    assert start.moved["ball"] == pytest.approx(0.7, abs=1e-9)


def test_two_branches():
    found = {}
    for side in (1, -1):
        m = four_bar()
        m["A"].angle.start(1.0)
        lever = _lever(1.0, side)
        m["lever"].start(position=(0.6 + 0.2 * np.cos(lever), 0.2 * np.sin(lever)), angle=lever)
        start = m.assemble()
        assert np.cos(start.coordinates["D.angle"] - lever) == pytest.approx(1, abs=1e-9)
        found[side] = start.branch
    assert set(found.values()) == {"+", "-"}


def test_branch_stays_along_the_motion():
    """The sign changes only at singular positions, which this crank never meets."""
    signs = set()
    for theta in np.linspace(0, 2 * np.pi, 9):
        m = four_bar()
        m["A"].angle.start(theta)
        lever = _lever(theta)
        m["lever"].start(position=(0.6 + 0.2 * np.cos(lever), 0.2 * np.sin(lever)), angle=lever)
        signs.add(m.assemble().branch)
    assert len(signs) == 1


def spatial_four_bar() -> lw.Model:
    """RSSR: the crank (0.1 m) turns about z, the rocker (0.3 m) about x at (0.4, 0.3, 0); frames on the bodies."""
    m = lw.Model("rssr", gravity=(0, 0, 0))
    crank, rod, rocker = (m.body(n, mass=1, inertia=(1, 1, 1)) for n in ("crank", "rod", "rocker"))
    half, sideways = np.sqrt(0.27) / 2, rotations.align((1, 0, 0), "z")
    pointing = rotations.align((1, 1, 1), "x")  # from the crank's tip to the rocker's, at the start
    m.revolute("R1", m.ground.at(0, 0, 0), crank.at(-0.05, 0, 0))
    m.spherical("S1", crank.at(0.05, 0, 0), rod.at(-half, 0, 0, rotation=pointing.T))
    m.spherical("S2", rod.at(half, 0, 0, rotation=pointing.T), rocker.at(0, 0, 0.15))
    m.revolute("R2", m.ground.at(0.4, 0.3, 0, rotation=sideways), rocker.at(0, 0, -0.15, rotation=sideways))
    crank.start(position=(0.05, 0, 0))
    rod.start(position=(0.25, 0.15, 0.15), rotation=pointing)
    rocker.start(position=(0.4, 0.3, 0.15))
    return m


def test_branch_of_a_spatial_loop():
    """A whole turn of the crank meets no singular position, so that the sign stays, however the rod spins."""
    m = spatial_four_bar()
    m["R1"].angle.law(lw.Motion(lambda t: t))
    r = m.simulate(2 * np.pi, output=0.4)
    assert np.ptp(r["R2.angle"]) > 1
    m["R1"].angle.law(lw.Free())
    signs = set()
    for k in range(r.t.size):
        for body in ("crank", "rod", "rocker"):
            place, e = ([r[f"{body}.{c}"][k] for c in names] for names in (("x", "y", "z"), ("q0", "q1", "q2", "q3")))
            m[body].start(position=place, quaternion=e)
        start = m.assemble()
        assert max(start.moved.values()) < 1e-6
        signs.add(start.branch)
    assert len(signs) == 1


@pytest.mark.parametrize("given", ["O.angle", "P.slide", "rod.spin", "piston.velocity"])
def test_one_rate_gives_them_all(given):
    """Whichever speed is said, the others follow from the joints."""
    theta, rate = 0.8, 3.0
    slope = (piston(theta + 1e-6) - piston(theta - 1e-6)) / 2e-6
    tilt_rate = -0.2 * np.cos(theta) * rate / np.sqrt(1 - (0.2 * np.sin(theta)) ** 2)
    m = slider_crank()
    m["O"].angle.start(theta)
    m["piston"].start(position=(1, 0))
    if given == "O.angle":
        m["O"].angle.start(rate=rate)
    elif given == "P.slide":
        m["P"].slide.start(rate=slope * rate)
    elif given == "rod.spin":
        m["rod"].start(spin=tilt_rate)
    else:
        m["piston"].start(velocity=(slope * rate, 0))
    rates = m.assemble().rates
    assert rates["O.angle"] == pytest.approx(rate, rel=1e-7)
    assert rates["P.slide"] == pytest.approx(slope * rate, rel=1e-7)
    assert rates["A.angle"] == pytest.approx(tilt_rate - rate, rel=1e-7)


def test_mixed_data_in_space():
    """A joint value, a body pose, a rate and a velocity together, on a chain of three."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    a, b, c = (m.body(n, mass=1, inertia=(1, 1, 1)) for n in "abc")
    m.revolute("J1", m.ground.at(0, 0, 0), a.at(-0.5, 0, 0))
    m.universal("J2", a.at(0.5, 0, 0), b.at(-0.5, 0, 0))
    m.spherical("J3", b.at(0.5, 0, 0), c.at(-0.5, 0, 0))
    m["J1"].angle.start(0.4, rate=2.0)
    m["J2"].angle2.start(-0.3)
    c.start(rotation=lw.rotation_y(0.2), spin=(0.1, 0.2, 0.3))
    start = m.assemble()
    assert start.coordinates["J1.angle"] == pytest.approx(0.4, abs=1e-11)
    assert start.coordinates["J2.angle2"] == pytest.approx(-0.3, abs=1e-11)
    assert start.rates["J1.angle"] == pytest.approx(2.0, abs=1e-9)
    first = m.simulate(1e-3, output=1e-3).at(0.0)
    assert [first[f"c.w{k}"] for k in "xyz"] == pytest.approx((0.1, 0.2, 0.3), abs=1e-8)
    assert first["residual.position"] < 1e-10 and first["residual.velocity"] < 1e-9


def test_world_placed_joints_follow_the_start_poses():
    """`point` and `axis` are read in the world at the start poses."""
    m = lw.Model("door", gravity=(0, 0, 0))
    door = m.body("door", mass=1, inertia=(1, 1, 1)).start(position=(1, 2, 3), rotation=lw.rotation_z(0.5))
    m.revolute("hinge", m.ground, door, point=(1, 1, 3), axis=(0, 1, 0))
    m["hinge"].angle.start(0, rate=2.0)
    r = m.simulate(1, output=0.1, rtol=1e-10, atol=1e-12)
    assert m.assemble().moved["door"] < 1e-12
    assert r["door.wy"] == pytest.approx(2.0, abs=1e-8)
    assert (r["door.x"][-1], r["door.y"][-1], r["door.z"][-1]) == pytest.approx((1, 2, 3), abs=1e-8)


def test_parameters_move_the_start():
    m = lw.Model("bar", gravity=(0, 0))
    L = m.parameter("L", 1.0)
    bar = m.body("bar", mass=1, inertia=1)
    m.revolute("pin", m.ground.at(0, 0), bar.at(-L / 2, 0)).angle.start(0)
    assert m.assemble().state[0] == pytest.approx(0.5)
    assert m.assemble(parameters={"L": 3.0}).state[0] == pytest.approx(1.5)


def test_a_gear_that_start_values_contradict_is_named():
    m = lw.Model("m")
    first, second = (
        m.revolute(f"pin-{n}", m.ground.at(k, 0), m.body(n, mass=1, inertia=1).at()).angle.start(1.0)
        for k, n in enumerate("ab")
    )
    m.gear("gear", first, second, ratio=-2.0)
    with pytest.raises(lw.AssemblyError, match=r"gear: the start values of pin-a\.angle, pin-b\.angle contradict it"):
        m.assemble()
