"""Where joints sit: by frames, by a point and an axis in the world, by one frame and a body."""

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def _incline(build) -> lw.Result:
    m = lw.Model("incline", gravity=(0, -G))
    body = m.body("b", mass=2, inertia=1)
    build(m, body)
    return m.simulate(1, rtol=1e-10, atol=1e-12)


SLOPES = {
    "rotated frames": lambda m, b: m.prismatic("P", m.ground.at(rotation=0.4), b.at(rotation=0.4)),
    "axis and bodies": lambda m, b: m.prismatic("P", m.ground, b, axis=(np.cos(0.4), np.sin(0.4))),
    "axis and frames": lambda m, b: m.prismatic("P", m.ground.at(), b.at(), axis=(np.cos(0.4), np.sin(0.4))),
    "a frame and a body": lambda m, b: m.prismatic("P", m.ground.at(rotation=0.4), b),
}


@pytest.mark.parametrize("way", SLOPES)
def test_slope(way):
    """However it is said: down the slope by g sin α, pushed up by m g cos α across it, the body unturned."""
    r = _incline(SLOPES[way])
    assert r["P.slide"] == pytest.approx(-G * np.sin(0.4) * r.t**2 / 2, abs=1e-8)
    assert r["b.angle"] == pytest.approx(0, abs=1e-10)
    along = r.reaction("P", frame="first")
    assert along["fx"] == pytest.approx(0, abs=1e-9)
    assert along["fy"] == pytest.approx(2 * G * np.cos(0.4), abs=1e-8)


AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, -2, 0.5)]


@pytest.mark.parametrize("axis", AXES)
def test_revolute_about_any_axis(axis):
    """A body on a bearing about `axis` turns about it and nothing else; its angle has the axis' sense."""
    unit = np.array(axis) / np.linalg.norm(axis)
    m = lw.Model("bearing", gravity=(0, 0, 0))
    body = m.body("b", mass=1, inertia=(0.3, 0.3, 0.3)).start(position=(1, 2, 3), rotation=lw.rotation_x(0.7))
    m.revolute("R", m.ground, body, point=(1, 2, 3), axis=axis).angle.law(lw.Effort(0.6))
    r = m.simulate(1, rtol=1e-10, atol=1e-12)
    w = np.stack([r[f"b.w{k}"] for k in "xyz"], axis=1)
    assert w == pytest.approx(np.outer(2 * r.t, unit), abs=1e-8)
    assert r["R.angle"] == pytest.approx(r.t**2, abs=1e-8)


@pytest.mark.parametrize("kind", ["prismatic", "cylindrical"])
@pytest.mark.parametrize("axis", AXES)
def test_sliding_along_any_axis(kind, axis):
    unit = np.array(axis) / np.linalg.norm(axis)
    m = lw.Model("rail", gravity=(1.0, 2.0, -3.0))
    body = m.body("b", mass=1, inertia=(0.3, 0.3, 0.3))
    getattr(m, kind)("P", m.ground, body, point=(0, 0, 0), axis=axis)
    r = m.simulate(1, rtol=1e-10, atol=1e-12)
    pull = unit @ (1.0, 2.0, -3.0)
    assert r["P.slide"] == pytest.approx(pull * r.t**2 / 2, abs=1e-8)
    p = np.stack([r[f"b.{k}"] for k in "xyz"], axis=1)
    assert p == pytest.approx(np.outer(pull * r.t**2 / 2, unit), abs=1e-8)


def test_universal_by_two_axes():
    m = lw.Model("cross", gravity=(0, 0, 0))
    body = m.body("b", mass=1, inertia=(1, 1, 1))
    U = m.universal("U", m.ground, body, point=(0, 0, 0), axis=(0, 0, 1), axis2=(0, 1, 0))
    U.angle1.start(0.3, rate=2.0)
    U.angle2.start(0.0, rate=0.0)
    first = m.simulate(0.01, output=0.01).at(0)
    assert [first[f"b.w{k}"] for k in "xyz"] == pytest.approx((0, 0, 2.0), abs=1e-9)


def test_frame_given_as_matrix_and_quaternion():
    """Three ways to say the same frame give the same reaction in it."""
    turned = [lw.rotation_y(0.5), np.array([np.cos(0.25), 0, np.sin(0.25), 0])]
    c, s = np.cos(0.5), np.sin(0.5)
    turned.append(np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]))
    found = []
    for rotation in turned:
        m = lw.Model("arm", gravity=(0, 0, -G))
        body = m.body("b", mass=1, inertia=(1, 1, 1))
        m.fixed("F", m.ground.at(0, 0, 0, rotation=rotation), body.at(0.5, 0, 0))
        found.append(m.simulate(0.01).reaction("F", frame="first"))
    for other in found[1:]:
        for name, values in found[0].items():
            assert other[name] == pytest.approx(values, abs=1e-9)
    assert found[0]["fz"][-1] == pytest.approx(G * c, abs=1e-9)
