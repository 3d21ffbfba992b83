"""Planar mechanisms in planes of space: they move as the planar model does, whatever the plane."""

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import ModelError

XZ = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
YZ = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def slider_crank(p, radius=0.1, length=0.3, start=0.4):
    """A crank, a rod, a piston along x: p is a model of the plane, or a plane in space."""
    crank = p.body("crank", mass=1.0, inertia=0.002)
    rod = p.body("rod", mass=0.6, inertia=0.005)
    piston = p.body("piston", mass=0.8, inertia=0.001)
    O = p.revolute("O", p.ground.at(0, 0), crank.at(-radius / 2, 0))
    p.revolute("A", crank.at(radius / 2, 0), rod.at(-length / 2, 0))
    p.revolute("B", rod.at(length / 2, 0), piston.at())
    p.prismatic("P", p.ground.at(0, 0), piston.at())
    p.force("load", piston, (-5.0, 1.0))
    p.torque("brake", crank, -0.05)
    p.spring("spring", p.ground.at(0.5, 0.1), piston.at(0, 0.02), stiffness=20.0, length=0.1, damping=0.3)
    O.angle.start(start, rate=1.0)
    return O


def planar():
    m = lw.Model("plane", gravity=(0, -9.81))
    slider_crank(m).angle.law(lw.Effort(lambda t: 0.5))
    return m


def spatial(rotation):
    m = lw.Model("space", gravity=(0, 0, -9.81))
    slider_crank(m.plane("front", at=m.ground.at(0.3, 0.2, 0.1, rotation=rotation))).angle.law(lw.Effort(lambda t: 0.5))
    return m


@pytest.mark.parametrize("rotation", [XZ, YZ, (np.array(XZ) @ np.diag((-1, 1, -1))).tolist()])
def test_it_moves_as_the_planar_model(rotation):
    reference, m = planar().simulate(1, formulation="minimal", **TIGHT), spatial(rotation)
    for formulation, within in (("minimal", 1e-9), ("absolute", 1e-8), ("points", 1e-8), ("bondgraph", 1e-8)):
        r = m.simulate(1, formulation=formulation, **TIGHT)
        for name in ("O.angle", "A.angle", "B.angle", "P.slide", "O.angle.rate", "spring.tension"):
            np.testing.assert_allclose(r[f"front.{name}"], reference[name], atol=within, err_msg=name)
        R = np.array(rotation)
        force = np.array([r[f"front.A.reaction.f{k}"] for k in "xyz"]).T @ R
        np.testing.assert_allclose(force[:, 0], reference["A.reaction.fx"], atol=30 * within)
        np.testing.assert_allclose(force[:, 1], reference["A.reaction.fy"], atol=30 * within)
        where = np.array([r[f"front.piston.{k}"] for k in "xyz"]).T @ R - np.array((0.3, 0.2, 0.1)) @ R
        np.testing.assert_allclose(where[:, 2], 0, atol=1e-9)


def test_nothing_is_held_twice():
    for model in (planar(), spatial(XZ)):
        report = model.check()
        assert report.redundant == [] and all(report.unique.values()) and report.degrees_of_freedom == 1


def test_it_can_be_copied_and_sent():
    m = lw.Model("space", gravity=(0, 0, -9.81))
    slider_crank(m.plane("front", at=m.ground.at(rotation=XZ)))
    reference = m.simulate(0.2)
    for same in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert same.check().redundant == []
        np.testing.assert_array_equal(same.simulate(0.2)["front.O.angle"], reference["front.O.angle"])


def coupled(space):
    """Two slider-cranks at right angles whose pistons a rod joins."""
    m = lw.Model("coupled", gravity=(0, 0, 0) if space else (0, 0))
    first = m.plane("first", at=m.ground.at(rotation=XZ)) if space else m
    if space:
        O = slider_crank(first)
        other = slider_crank(m.plane("second", at=m.ground.at(rotation=YZ)), radius=0.08, length=0.25, start=1.0)
        pistons = m["first.piston"], m["second.piston"]
    else:
        m, O, other, pistons = _side_by_side()
    m.spring("rod", pistons[0].at(), pistons[1].at(), stiffness=300.0, length=0.4)
    O.angle.law(lw.Effort(lambda t: 0.4))
    other.angle.law(lw.Damper(0.01))
    return m


def _side_by_side():
    """The same in one plane, without gravity: the second one is turned by a right angle."""
    m = lw.Model("coupled", gravity=(0, 0))
    made = {}

    def part(s, turn, **sizes):
        class Turned:
            ground = type("Ground", (), {"at": staticmethod(lambda x=0, y=0: _turned(m, turn, x, y))})

            def __getattr__(self, name):
                return getattr(s, name)

            def force(self, name, body, vector):
                c, k = np.cos(turn), np.sin(turn)
                return s.force(name, body, (c * vector[0] - k * vector[1], k * vector[0] + c * vector[1]))

        made[s.name] = slider_crank(Turned(), **sizes)

    m.insert(part, "first", turn=0.0)
    m.insert(part, "second", turn=np.pi / 2, radius=0.08, length=0.25, start=1.0)
    return m, made["first"], made["second"], (m["first.piston"], m["second.piston"])


def _turned(m, turn, x, y):
    c, s = np.cos(turn), np.sin(turn)
    return m.ground.at(c * x - s * y, s * x + c * y, rotation=turn)


def test_one_plane_drives_another_at_right_angles():
    """Pistons move along x and along y: a spring between them is as long in space as it is in the plane."""
    reference = coupled(False).simulate(1, formulation="minimal", **TIGHT)
    r = coupled(True).simulate(1, formulation="minimal", **TIGHT)
    assert np.ptp(r["second.O.angle"]) > 0.3
    for name in ("first.O.angle", "second.O.angle", "first.P.slide", "second.P.slide", "rod.length"):
        np.testing.assert_allclose(r[name], reference[name], atol=1e-9, err_msg=name)


def test_a_spatial_joint_couples_two_planes():
    """Scotch yokes at right angles: x₁² + x₂² = L², by a rod with ball joints."""
    m = lw.Model("trammel", gravity=(0, 0, 0))
    ends = []
    for name, rotation in (("first", XZ), ("second", YZ)):
        p = m.plane(name, at=m.ground.at(rotation=rotation))
        slide = p.prismatic("P", p.ground.at(), (body := p.body("end", mass=1, inertia=0.01)).at()).slide
        ends.append((body, slide))
    m.distance("rod", ends[0][0].at(), ends[1][0].at(), length=0.5)
    ends[0][1].start(0.3, rate=0.4)
    ends[1][1].start(0.4)
    r = m.simulate(0.5, **TIGHT)
    np.testing.assert_allclose(np.hypot(r["first.P.slide"], r["second.P.slide"]), 0.5, atol=1e-9)
    # no forces: equal masses on a circle, at constant speed
    angle = np.arctan2(0.4, 0.3) - 0.4 / 0.4 * r.t
    np.testing.assert_allclose(r["first.P.slide"], 0.5 * np.cos(angle), atol=1e-8)


def test_bodies_and_points_start_in_the_plane():
    """A pin given by bodies and a point of the plane; start data with two coordinates."""
    m = lw.Model("space", gravity=(0, 0, -9.81))
    p = m.plane("wall", at=m.ground.at(1, 2, 3, rotation=YZ))
    bar = p.body("bar", mass=1, inertia=1 / 12).start(position=(0.5, 0.1), angle=0.2)
    p.revolute("pin", m.ground, bar, point=(0, 0))
    flat = lw.Model("flat")
    same = flat.body("bar", mass=1, inertia=1 / 12).start(position=(0.5, 0.1), angle=0.2)
    flat.revolute("pin", flat.ground, same, point=(0, 0))
    r, reference = m.simulate(1, **TIGHT), flat.simulate(1, **TIGHT)
    np.testing.assert_allclose(r["wall.pin.angle"], reference["pin.angle"], atol=1e-9)
    np.testing.assert_allclose(r["wall.bar.y"] - 2, reference["bar.x"], atol=1e-9)
    np.testing.assert_allclose(r["wall.bar.z"] - 3, reference["bar.y"], atol=1e-9)
    free = p.body("free", mass=2, inertia=0.1).start(position=(0, 0), velocity=(1, 2), spin=3.0)
    p.planar("held", p.ground.at(), free.at())
    r = m.simulate(0.1, **TIGHT)
    assert r.final["wall.held.x"] == pytest.approx(0.1) and r.final["wall.held.angle"] == pytest.approx(0.3)
    assert r.final["wall.held.y"] == pytest.approx(0.2 - 9.81 * 0.01 / 2)


def test_what_does_not_fit_is_refused_by_name():
    m = lw.Model("space", gravity=(0, 0, -9.81))
    p = m.plane("wall", at=m.ground.at(rotation=XZ))
    body = p.body("body", mass=1, inertia=1)
    with pytest.raises(ModelError, match="wall.roll: Rolling means something else in space"):
        p.rolling("roll", body, radius=0.1)
    with pytest.raises(ModelError, match="wall.sleeve: a Cylindrical joint has no meaning in the plane"):
        p.cylindrical("sleeve", p.ground.at(), body.at())
    with pytest.raises(ModelError, match="wall.pin: its frame on ground is not in the plane wall"):
        p.revolute("pin", m.ground.at(), body.at())
    with pytest.raises(ModelError, match="leaves the plane"):
        body.start(position=(0, 0, 1))
    with pytest.raises(ModelError, match="wall: submodels are not inserted in planes"):
        p.insert(slider_crank, "part")
    with pytest.raises(ModelError, match="wall: the name is taken already"):
        m.plane("wall")
    with pytest.raises(ModelError, match="the model is planar already"):
        lw.Model("flat").plane("wall")
    with pytest.raises(lw.LinkworkError, match="Give a text"):
        lw.Model("flat").plane(np.ones((3, 3)))
    with pytest.raises(ModelError, match="at=3 is not a frame of this model"):
        m.plane("other", at=3)
    moving = m.body("moving", mass=1, inertia=(1, 1, 1))
    q = m.plane("on_body", at=moving.at())
    rider = q.body("rider", mass=1, inertia=1)
    with pytest.raises(ModelError, match="the plane moves with moving"):
        q.force("push", rider, (1, 0))
    with pytest.raises(ModelError, match="a velocity in a plane that moves with moving"):
        rider.start(velocity=(1, 0))
