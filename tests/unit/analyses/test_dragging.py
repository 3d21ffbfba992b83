"""Mechanisms pulled by hand: closed forms of the four-bar, branches, dead centres, targets out of reach, redundancy."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.dragging.dragging import Dragging, drag
from linkwork.analyses.dragging.free_motion import FreeMotion
from linkwork.analyses.dragging.tracing import reach_of

GROUND = 0.6


def four_bar(crank=0.2, coupler=0.6, lever=0.4, angle=0.7, side=1) -> lw.Model:
    """A at the origin, D at (0.6, 0); side +1: the pin C is to the left of the line from B to D."""
    m = lw.Model("four-bar", gravity=(0, -9.81))
    B = crank * np.array([np.cos(angle), np.sin(angle)])
    C = pin(B, coupler, lever, side)
    D = np.array([GROUND, 0.0])
    ends = {"crank": (np.zeros(2), B), "coupler": (B, C), "lever": (D, C)}
    bodies = {}
    for name, (a, b) in ends.items():
        length = float(np.linalg.norm(b - a))
        bodies[name] = m.body(name, mass=1, inertia=0.01)
        bodies[name].start(position=(a + b) / 2, angle=np.arctan2(*(b - a)[::-1]))
        bodies[name].half = length / 2
    a, b, c = bodies.values()
    m.revolute("A", m.ground.at(0, 0), a.at(-a.half, 0))
    m.revolute("B", a.at(a.half, 0), b.at(-b.half, 0))
    m.revolute("C", b.at(b.half, 0), c.at(c.half, 0))
    m.revolute("D", m.ground.at(GROUND, 0), c.at(-c.half, 0))
    return m


def pin(B, coupler, lever, side) -> np.ndarray:
    """Where a circle around B meets one around D."""
    to = np.array([GROUND, 0.0]) - B
    d = np.linalg.norm(to)
    along = (coupler**2 - lever**2 + d**2) / (2 * d)
    across = np.sqrt(coupler**2 - along**2)
    return B + (along * to + side * across * np.array([-to[1], to[0]])) / d


def end_of(pose, half) -> np.ndarray:
    x, y, angle = pose
    return np.array([x + half * np.cos(angle), y + half * np.sin(angle)])


def open_by(dragging) -> float:
    position, _ = dragging.motion._place(dragging.here.q, dragging.here.z)
    return float(np.abs(position).max())


@pytest.mark.parametrize("side", [1, -1])
def test_a_circle_of_the_crank_keeps_the_branch(side):
    held = drag(four_bar(side=side), "crank", (0.1, 0))
    for angle in np.linspace(0.7, 0.7 - 4 * np.pi, 40):
        B = 0.2 * np.array([np.cos(angle), np.sin(angle)])
        now = held.to(B, precision=1e-11)
        assert now.reached
        C = pin(B, 0.6, 0.4, side)
        assert np.allclose(end_of(now.poses["coupler"], 0.3), C, rtol=0, atol=1e-9)
        assert np.allclose(end_of(now.poses["lever"], 0.2), C, rtol=0, atol=1e-9)
        assert open_by(held) < 1e-10
    assert now.poses["crank"][2] == pytest.approx(0.7 - 4 * np.pi, abs=1e-9)  # two turns


def test_out_of_reach_it_points_there():
    held = drag(four_bar(), "crank", (0.1, 0))
    for angle in (1.0, 2.5, -2.0):
        for _ in range(8):
            now = held.to((3 * np.cos(angle), 3 * np.sin(angle)), precision=1e-9)
            assert open_by(held) < 1e-10
        assert now.settled
        assert not now.reached
        assert np.exp(1j * now.poses["crank"][2]) == pytest.approx(np.exp(1j * angle), abs=1e-7)
        assert now.distance == pytest.approx(2.8, abs=1e-9)


def test_a_lever_stops_where_crank_and_coupler_are_in_line():
    held = drag(four_bar(), "lever", (0.2, 0))
    for angle in np.linspace(1.5, 0.1, 12):
        now = held.to((GROUND + 0.4 * np.cos(angle), 0.4 * np.sin(angle)))
        assert open_by(held) < 1e-10
    for _ in range(8):
        now = held.to((GROUND + 0.4 * np.cos(0.1), 0.4 * np.sin(0.1)), precision=1e-10)
    reach = 0.2 + 0.6  # the pin C is as far from A as it can be
    limit = np.pi - np.arccos((GROUND**2 + 0.4**2 - reach**2) / (2 * GROUND * 0.4))
    assert now.settled
    assert not now.reached
    assert now.poses["lever"][2] == pytest.approx(limit, abs=1e-6)
    back = held.to((GROUND + 0.4 * np.cos(1.4), 0.4 * np.sin(1.4)))
    for _ in range(10):
        back = held.to((GROUND + 0.4 * np.cos(1.4), 0.4 * np.sin(1.4)))
    assert back.reached


@pytest.mark.parametrize("steps", [11, 37])
def test_a_parallelogram_stays_one_where_branches_meet(steps):
    """At 0 and half a turn all bars are in line, and it could go on as an antiparallelogram."""
    held = drag(four_bar(0.2, 0.6, 0.2, 0.7, 1), "crank", (0.1, 0))
    for angle in 0.7 + 2 * np.pi * np.arange(1, steps + 1) / steps:
        for _ in range(4):
            now = held.to((0.2 * np.cos(angle), 0.2 * np.sin(angle)))
        assert now.reached
        assert abs(np.sin(now.poses["coupler"][2])) < 1e-6


@pytest.mark.parametrize("side", [1, -1])
def test_branches_that_come_close_are_not_mixed_up(side):
    """Nearly a parallelogram: where its bars are nearly in line, the other branch is 6 mm away."""
    held = drag(four_bar(0.2, 0.6, 0.2001, 2.6, side), "crank", (0.1, 0))
    for angle in np.linspace(2.6, 3.7, 12):
        B = 0.2 * np.array([np.cos(angle), np.sin(angle)])
        for _ in range(25):
            now = held.to(B)
            if now.settled:
                break
        assert now.reached
        C = pin(end_of(now.poses["crank"], 0.1), 0.6, 0.2001, side)
        assert np.allclose(end_of(now.poses["coupler"], 0.3), C, rtol=0, atol=1e-7)


def test_three_parallel_cranks_hold_one_direction_twice():
    m = four_bar(0.2, 0.6, 0.2, 0.7, 1)
    third = m.body("third", mass=1, inertia=0.01)
    third.start(position=(0.3 + 0.1 * np.cos(0.7), 0.1 * np.sin(0.7)), angle=0.7)
    m.revolute("E", m.ground.at(0.3, 0), third.at(-0.1, 0))
    m.revolute("F", m["coupler"].at(0, 0), third.at(0.1, 0))
    assert m.check().redundant
    held = drag(m, "coupler", (0, 0))
    for angle in np.linspace(0.7, 2.4, 15):
        now = held.to((0.3 + 0.2 * np.cos(angle), 0.2 * np.sin(angle)))
        assert open_by(held) < 1e-10
        assert now.distance < 1e-4
        assert abs(now.poses["coupler"][2]) < 1e-9


def test_in_space_only_what_is_seen_counts(example):
    m = example("slider_crank_spatial")
    motion = FreeMotion(m)
    x, _ = motion.point(motion.start.q, motion.number_of("piston"), np.zeros(3))
    seen = Dragging(motion, "piston", (0, 0, 0), view=(0, -1, 0))
    for share in np.linspace(0.1, 1, 5):
        now = seen.to(x + share * np.array([-0.05, 5.0, 0.0]))
        assert open_by(seen) < 1e-10
    assert now.reached
    assert now.point[0] == pytest.approx(x[0] - 0.05, abs=1e-5)
    assert not Dragging(motion, "piston", (0, 0, 0)).to(x + np.array([-0.05, 5.0, 0.0])).reached


def test_drives_let_go(example):
    held = drag(example("four_bar"), "crank", (0.1, 0))
    assert held.motion.driven == ["A.angle"]
    for _ in range(5):
        now = held.to((0.0, 0.2))
    assert now.reached
    assert now.poses["crank"][2] == pytest.approx(np.pi / 2, abs=1e-4)


def test_gears_follow():
    m = lw.Model("gears", gravity=(0, 0))
    for name, x in (("left", 0.0), ("right", 0.3)):
        body = m.body(name, mass=1, inertia=0.01)
        body.start(position=(x, 0))
        m.revolute(name[0], m.ground.at(x, 0), body.at(0, 0))
    m.gear("g", m["l"].angle, m["r"].angle, ratio=-0.5)
    held = drag(m, "left", (0.1, 0))
    for angle in np.linspace(0, 7, 40):
        now = held.to((0.1 * np.cos(angle), 0.1 * np.sin(angle)))
    assert now.poses["left"][2] == pytest.approx(7, abs=1e-3)
    assert now.poses["right"][2] == pytest.approx(-now.poses["left"][2] / 2, abs=1e-12)


def test_a_coupler_curve_is_that_of_the_closed_form(example):
    reach = reach_of(FreeMotion(example("four_bar")))
    assert reach.closed
    curve, pins = (reach.curve("coupler", at)[:, :2] for at in ((0, 0.2), (-0.3, 0)))
    for p, B in zip(curve, pins, strict=True):
        C = pin(B, 0.6, 0.4, 1)
        along = (C - B) / 0.6
        assert np.allclose(p, (B + C) / 2 + 0.2 * np.array([-along[1], along[0]]), rtol=0, atol=1e-10)
    angles = np.unwrap(np.arctan2(pins[:, 1], pins[:, 0]))
    assert abs(angles[-1] - angles[0]) == pytest.approx(2 * np.pi, abs=1e-6)
    assert np.abs(np.diff(angles)).max() < 0.15


def test_a_curve_goes_through_dead_centres():
    """No bar of it turns over: every one comes back, and both ways to close the loop are on one curve."""
    reach = reach_of(FreeMotion(four_bar(0.4, 0.5, 0.45, 0.9, 1)))
    assert reach.closed
    ends = reach.curve("crank", (0.2, 0))[:, :2], reach.curve("lever", (0.225, 0))[:, :2]
    assert np.allclose(np.linalg.norm(ends[0] - ends[1], axis=1), 0.5, rtol=0, atol=1e-9)
    line, to = np.array([GROUND, 0.0]) - ends[0], ends[1] - ends[0]
    sides = np.sign(line[:, 0] * to[:, 1] - line[:, 1] * to[:, 0])
    assert set(sides) >= {1.0, -1.0}


def test_what_cannot_be_traced_or_held_says_so(example):
    with pytest.raises(lw.ModelError, match="2 degrees of freedom"):
        reach_of(FreeMotion(example("double_pendulum")))
    with pytest.raises(lw.LinkworkError, match="crank"):
        drag(four_bar(), "krank", (0, 0))
    with pytest.raises(lw.ModelError, match="no place"):
        drag(four_bar(), "crank", (np.nan, 0))
    with pytest.raises(lw.ModelError, match="no body in it"):
        FreeMotion(lw.Model("empty"))
