"""Coordinates of a free body in the plane and in space: written and read, moved by small steps and by speeds."""

import casadi as ca
import numpy as np
import pytest

from linkwork.formulations.body_coordinates import body_coordinates
from linkwork.geometry import SX, Twist, rotations


@pytest.fixture(params=[True, False], ids=["plane", "space"])
def of(request):
    return body_coordinates(request.param)


def some_pose(of, rng):
    p, turn = of.space.true_vector(rng.normal(size=of.space.along)), rng.normal(size=of.space.about)
    e = rotations.quaternion_exponential(SX(ca.DM(of.space.axial_vector(turn))))
    return p, np.array(ca.DM(rotations.from_quaternion(e)))


def test_written_and_read(of, rng):
    p, R = some_pose(of, rng)
    q = np.array(of.written(p, R, None))
    found_R, found_p = of.numbers(q)
    assert q.size == of.size and np.allclose(found_R, R, atol=1e-14) and np.allclose(found_p, p, atol=1e-14)
    R, p = of.numbers(np.array(of.origin))
    assert np.array_equal(R, np.eye(3)) and not p.any()


def test_small_steps_are_rates(of, rng):
    """d/ds of a step s·v is q̇, and the pose moves with the twist of these speeds."""
    q = np.array(of.written(*some_pose(of, rng), None))
    v, s = SX(ca.DM(rng.normal(size=of.space.size))), SX.sym("s")
    moved = of.retract(SX(ca.DM(q)), s * v)
    pose = of.pose(moved)
    parts = [ca.jacobian(x, s) for x in (moved, pose.p, ca.vec(pose.R))]
    rate, velocity, turning = (np.array(ca.DM(ca.substitute(x, s, 0))).ravel() for x in parts)
    assert np.allclose(rate, np.array(ca.DM(of.rates(SX(ca.DM(q)), v))).ravel(), atol=1e-12)
    R, _ = of.numbers(q)
    twist = Twist.of_speeds(v, SX(ca.DM(R)))
    spin = np.array(ca.DM(ca.skew(twist.spin) @ SX(ca.DM(R)))).ravel("F")
    assert np.allclose(velocity, np.array(ca.DM(twist.velocity)).ravel(), atol=1e-12)
    assert np.allclose(turning, spin, atol=1e-12)


def test_symbols_move_with_their_speeds(of, rng):
    """The rate of the configuration is what the rates of the coordinates make of its value."""
    body = of.symbols("b")
    by_coordinates = ca.jtimes(body.value, body.q, of.rates(body.q, body.v))
    by_symbols = ca.substitute(body.rate, body.config, body.value)
    off = ca.Function("off", [body.q, body.v], [by_coordinates - by_symbols])
    q = of.written(*some_pose(of, rng), None)
    assert float(ca.norm_inf(off(q, rng.normal(size=of.space.size)))) < 1e-12
    assert body.config.numel() == of.config_size and [len(x) for x in of.lengths()] == [of.size, of.space.size]
