"""Points on curves and cams, against closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.formulations import formulations

G = 9.81
TURN = np.linspace(0, 2 * np.pi, 73)
FORMULATIONS = [f for f in formulations if not f.endswith("-scalar")]


def eccentric(radius, offset):
    """A round cam whose centre is `offset` beside the shaft, as a profile around the shaft."""
    return lambda a: offset * lw.cos(a) + lw.sqrt(radius**2 - (offset * lw.sin(a)) ** 2)


def measured(radius, offset, points=TURN):
    r = offset * np.cos(points) + np.sqrt(radius**2 - (offset * np.sin(points)) ** 2)
    return lw.Table(points, [*r[:-1], r[0]], "cubic", ends="periodic")


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_bead_on_a_cosine(formulation, space):
    """(1 + h'²) ẍ + h' h'' ẋ² + g h' = 0."""
    m = lw.Model("bead", gravity=(0, -G, 0) if space else (0, -G))
    bead = m.body("bead", mass=0.3, inertia=(0.1, 0.1, 0.1) if space else 0.1)
    track = m.point_on_curve("track", m.ground.at(), bead.at(), height=lambda x: 0.3 * lw.cos(2 * x))
    track.along.start(0.4, rate=0.0)
    found = m.simulate(2, formulation=formulation, output=0.1, rtol=1e-9, atol=1e-11)

    def rates(_, y):
        x, v = y
        d, dd = -0.6 * np.sin(2 * x), -1.2 * np.cos(2 * x)
        return [v, -(d * dd * v * v + G * d) / (1 + d * d)]

    expected = solve_ivp(rates, (0, 2), [0.4, 0], t_eval=found.t, rtol=1e-11, atol=1e-13).y[0]
    soft = formulation in ("compliant", "bondgraph-rc")
    assert found["track.along"] == pytest.approx(expected, abs=1e-3 if soft else 1e-6)


def follower(radius, roller=0.0, rigid=True, speed=30.0, spring=2000.0, profile=None, **more):
    """A cam on a shaft at constant speed under a follower that slides along y."""
    m = lw.Model("cam", gravity=(0, -G))
    cam, rod = m.body("cam", mass=1.0, inertia=0.01), m.body("rod", mass=0.2, inertia=0.01)
    shaft = m.revolute("shaft", m.ground.at(), cam.at())
    guide = m.prismatic("guide", m.ground.at(rotation=np.pi / 2), rod.at(rotation=np.pi / 2))
    shaft.angle.start(0.0)
    shaft.angle.law(lw.Motion(lambda t: speed * t))
    guide.slide.law(lw.Spring(spring, rest=-0.1))
    kind = m.point_on_cam if rigid else m.cam
    kind("on", cam.at(), rod.at(), radius=radius if profile is None else profile, roller=roller, **more)
    return m, guide


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_eccentric_cam_with_a_roller(formulation):
    """A roller on a round cam keeps its distance from the cam's centre: a slider-crank of arm e and rod R + r."""
    R, e, r = 0.05, 0.015, 0.02
    m, guide = follower(eccentric(R, e), r)
    guide.slide.start(np.sqrt((R + r) ** 2 - e**2))
    found = m.simulate(0.25, formulation=formulation, output=0.005, rtol=1e-9, atol=1e-11)
    angle = 30 * found.t
    lift = e * np.sin(angle) + np.sqrt((R + r) ** 2 - (e * np.cos(angle)) ** 2)
    soft = formulation in ("compliant", "bondgraph-rc")
    assert found["guide.slide"] == pytest.approx(lift, abs=2e-5 if soft else 2e-8)


def test_measured_points_are_as_good_as_the_spline():
    R, e, r = 0.05, 0.015, 0.02
    m, guide = follower(measured(R, e), r)
    guide.slide.start(np.sqrt((R + r) ** 2 - e**2))
    found = m.simulate(0.25, output=0.005, rtol=1e-9, atol=1e-11)
    angle = 30 * found.t
    lift = e * np.sin(angle) + np.sqrt((R + r) ** 2 - (e * np.cos(angle)) ** 2)
    assert found["guide.slide"] == pytest.approx(lift, abs=5e-8)
    # m (ÿ + g) + spring = what the cam pushes with, upwards.
    force = 0.2 * (found["rod.ay"] + G) + 2000 * (found["guide.slide"] + 0.1)
    assert found["on.reaction.fy"] == pytest.approx(force, rel=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_springy_cam_follows_the_rigid_one(formulation):
    R, e, r = 0.05, 0.015, 0.02
    m, guide = follower(eccentric(R, e), r, rigid=False, stiffness=1e11, dissipation=50.0)
    guide.slide.start(np.sqrt((R + r) ** 2 - e**2), rate=30 * e)
    found = m.simulate(0.1, formulation=formulation, output=0.005, rtol=1e-8, atol=1e-10)
    angle = 30 * found.t
    lift = e * np.sin(angle) + np.sqrt((R + r) ** 2 - (e * np.cos(angle)) ** 2)
    soft = formulation in ("compliant", "bondgraph-rc")
    assert found["guide.slide"] == pytest.approx(lift, abs=2e-4 if soft else 5e-6)
    assert found["on.force"][-1] > 0


def test_it_lifts_off_and_lands():
    """Too fast for its spring: it flies along the spring's own swing; energy is kept."""
    R, e = 0.05, 0.015
    m, guide = follower(eccentric(R, e), 0.02, rigid=False, speed=150.0, spring=500.0, dissipation=0.2)
    guide.slide.start(np.sqrt(0.07**2 - e**2))
    found = m.simulate(0.1, output=2e-4, rtol=1e-9, atol=1e-12)
    flying = found["on.gap"] > 1e-6
    assert 0.1 < flying.mean() < 0.95
    assert np.all(found["on.force"][flying] == 0)
    own = -G - 500 / 0.2 * (found["guide.slide"] + 0.1)
    assert found["rod.ay"][flying] == pytest.approx(own[flying], rel=1e-6, abs=1e-6)
    balance = found["energy.total"] + found["energy.dissipated"] - found["energy.supplied"]
    assert np.ptp(balance) < 1e-5 * np.ptp(found["energy.supplied"])


def test_refusals():
    wavy = lambda a: 0.05 + 0.004 * lw.cos(6 * a)  # noqa: E731
    with pytest.raises(lw.ModelError, match=r"on: a roller of radius 0.03 m cannot follow .* hollow"):
        follower(wavy, 0.03)
    with pytest.raises(lw.ModelError, match="not a smooth profile"):
        follower(lw.Table([0, 1, 2], [0.1, 0.1, 0.1]))
    with pytest.raises(lw.ModelError, match="centre must lie inside"):
        follower(lambda a: 0.05 * lw.cos(a))
    m = lw.Model("own")
    body = m.body("b", mass=1, inertia=1)
    with pytest.raises(lw.ModelError, match="its own body"):
        m.cam("c", body.at(), body.at(1, 0), radius=eccentric(0.05, 0.01))


def test_a_profile_with_a_parameter_is_refused_by_name():
    m = lw.Model("m")
    lift = m.parameter("lift", 0.1)
    body = m.body("b", mass=1, inertia=1)
    with pytest.raises(lw.ModelError, match="cam: its profile depends on more than the angle"):
        m.point_on_cam("cam", m.ground.at(0, 0), body.at(0, 0), radius=lambda a: 0.4 + lift * lw.cos(a))
