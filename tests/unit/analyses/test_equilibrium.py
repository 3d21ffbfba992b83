"""Static equilibrium: found, preferred stable, described, or refused with a reason."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import linkwork as lw

G = 9.81


def pendulum(start: float = 0.0) -> lw.Model:
    m = lw.Model("pendulum", gravity=(0, -G))
    bar = m.body("bar", mass=1, inertia=1 / 12)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    pin.angle.start(start)
    return m


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "compliant"])
def test_pendulum_ends_at_the_bottom(formulation):
    found = pendulum().equilibrium(formulation=formulation)
    assert found.coordinates["pin.angle"] == pytest.approx(-np.pi / 2, abs=1e-8)
    assert found.stable and found.residual < 1e-7 and not found.indifferent
    assert found["pin.reaction.fy"] == pytest.approx(G, rel=1e-9)
    assert "stable equilibrium" in str(found)


@pytest.mark.parametrize(("start", "end", "stable"), [(1.5, -0.5, True), (1.6, 1.5, True), (np.pi / 2, 0.5, False)])
def test_the_nearest_way_down_unless_it_starts_at_the_top(start, end, stable):
    found = pendulum(start).equilibrium()
    assert found.coordinates["pin.angle"] == pytest.approx(end * np.pi, abs=1e-9)
    assert found.stable is stable


def test_a_symmetric_start_does_not_end_on_a_ridge():
    """Two pendulums in line, upright below a folded upper one: the search comes to the ridge and leaves it."""
    m = lw.Model("double", gravity=(0, -G))
    upper, lower = (m.body(n, mass=1, inertia=1 / 12) for n in ("upper", "lower"))
    A = m.revolute("A", m.ground.at(0, 0), upper.at(-0.5, 0))
    B = m.revolute("B", upper.at(0.5, 0), lower.at(-0.5, 0))
    A.angle.law(lw.Spring(3.0, rest=np.pi / 2))  # too weak to hold it upright
    A.angle.start(np.pi / 2)
    B.angle.start(0.4)
    found = m.equilibrium()
    assert found.stable and abs(found.coordinates["A.angle"] - np.pi / 2) > 0.5


def test_chain_hangs_where_its_potential_is_least():
    m = lw.Model("chain", gravity=(0, -G))
    lengths, last = (0.5, 0.7, 0.4), m.ground.at(0, 0)
    joints = []
    for i, length in enumerate(lengths):
        link = m.body(f"l{i}", mass=length, inertia=length**3 / 12)
        joints.append(m.revolute(f"J{i}", last, link.at(-length / 2, 0)))
        last = link.at(length / 2, 0)
    m.revolute("end", last, m.ground.at(1.1, 0))
    joints[0].angle.start(-0.5)
    found = m.equilibrium()

    def height(angles):
        mids = [sum(x * np.sin(a) for x, a in zip(lengths[:i], angles, strict=False)) for i in range(3)]
        return sum(x * (y + x / 2 * np.sin(a)) for x, y, a in zip(lengths, mids, angles, strict=True))

    ends = [
        {"type": "eq", "fun": lambda a: np.dot(lengths, np.cos(a)) - 1.1},
        {"type": "eq", "fun": lambda a: np.dot(lengths, np.sin(a))},
    ]
    best = minimize(height, (-0.9, 0.1, 0.9), constraints=ends, tol=1e-13)
    angles = [found[f"l{i}.angle"] for i in range(3)]
    assert angles == pytest.approx(best.x, abs=1e-5)
    assert found["J0.reaction.fy"] - found["end.reaction.fy"] == pytest.approx(G * sum(lengths), rel=1e-9)


def test_states_of_other_domains_settle_too(example):
    found = example("hydraulic_jack").equilibrium(time=0.02)
    assert found.coordinates["P.slide"] == pytest.approx(0.095, rel=1e-9)
    assert found.coordinates["head.pressure"] == pytest.approx(1e7, rel=1e-9)
    assert found.stable and "head.energy" not in found.coordinates


def test_generalised_coordinates(example):
    found = example("slider_crank_positions").equilibrium()
    assert found.stable and found.linearization.state_names == ["q0", "q0.rate"]


def test_parameters_and_inputs():
    m = lw.Model("oscillator", gravity=(0, 0))
    block = m.body("block", mass=2, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), block.at(0, 0))
    k, push = m.parameter("k", 8.0), m.input("push", 0.0)
    rail.slide.law(lw.Spring(k))
    rail.slide.law(lw.Effort(push))
    first = m.equilibrium(inputs={"push": 4.0})
    assert first.coordinates["rail.slide"] == pytest.approx(0.5)
    assert m.equilibrium(at=first).iterations == 0  # parameters and inputs go along
    assert m.equilibrium(at=first, parameters={"k": 16.0}).coordinates["rail.slide"] == pytest.approx(0.25)
    assert m.linearize(first).inputs == {"push": 4.0}
    with pytest.raises(lw.UnknownName, match="input"):
        m.equilibrium(inputs={"pull": 1.0})
    with pytest.raises(lw.ModelError, match="not an operating point"):
        m.equilibrium(at=3.0)


def test_contact_far_below():
    m = lw.Model("drop", gravity=(0, -G))
    ball = m.body("ball", mass=1, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0, rotation=np.pi / 2), ball.at(0, 0))
    rail.slide.start(10)
    rail.slide.law(lw.Limits(0, 20, stiffness=1e6, dissipation=1))
    assert m.equilibrium().coordinates["rail.slide"] == pytest.approx(-G / 1e6, rel=1e-6)


class Whirl(lw.Force):
    """A force at right angles to the way from a centre: whoever follows it goes in circles."""

    def __init__(self, name, frame):
        super().__init__(name)
        self.frame = frame

    def loads(self, view):
        p = view.frame(self.frame).p
        force = p * 0
        force[0], force[1] = -4 * (p[1] - 0.2), 4 * (p[0] - 0.1)
        return [lw.Load(self.frame, force, p * 0)]


def test_where_following_the_force_leads_in_circles():
    m = lw.Model("whirl", gravity=(0, 0))
    body = m.body("body", mass=1, inertia=1).start(position=(0.6, 0))
    m.add(Whirl("whirl", body.at(0, 0)))
    found = m.equilibrium()
    assert [found["body.x"], found["body.y"]] == pytest.approx([0.1, 0.2], abs=1e-9)
    assert not found.stable and found.indifferent == ["body.angle"]


def test_indifferent_directions_are_reported():
    m = lw.Model("wheel", gravity=(0, -G))
    m.revolute("axle", m.ground.at(0, 0), m.body("wheel", mass=1, inertia=1).at(0, 0))
    found = m.equilibrium()
    assert found.indifferent == ["axle.angle"] and "no stiffness along axle.angle" in str(found)
    assert not found.stable and found.linearization.verdict == "indifferent" and "indifferent equilibrium" in str(found)
    assert found.linearization.zeros == 2 and found.linearization.ignorable == ["axle.angle"]


def falling() -> lw.Model:
    m = lw.Model("falling", gravity=(0, -G))
    m.body("stone", mass=1, inertia=1)
    return m


def driven(law: lw.Law) -> lw.Model:
    m = pendulum()
    m["pin"].angle.law(law)
    return m


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        (falling, ("stone", "stone.y keeps moving", "Hold it")),
        (lambda: driven(lw.Effort(20)), ("pin", "pin.angle keeps moving", "remove the load")),
        (lambda: driven(lw.Motion(lambda t: 2 * t)), ("pin.angle", "the speed 2", "constant Motion")),
        (lambda: driven(lw.Motion(speed=3)), ("pin.angle", "the speed 3")),
        (lambda: driven(lw.Motion(lambda t: 1 - lw.cos(t))), ("pin.angle", "the acceleration 1")),
    ],
)
def test_what_does_not_rest_is_named(model, parts):
    with pytest.raises(lw.ModelError) as caught:
        model().equilibrium(formulation="minimal")
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("formulation", ["absolute", "points"])
def test_a_constant_motion_holds(formulation):
    m = pendulum(0.3)
    m["pin"].angle.law(lw.Motion(0.3))
    found = m.equilibrium(formulation=formulation)
    assert found.coordinates["pin.angle"] == pytest.approx(0.3)
    assert found["pin.angle.effort"] == pytest.approx(G / 2 * np.cos(0.3), rel=1e-9)
