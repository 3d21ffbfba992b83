"""Twists are dual to wrenches: power is the same at every point, in every axes, in the plane and in space."""

import casadi as ca
import numpy as np
import pytest

from linkwork.geometry import SX, Pose, Twist, Wrench, embedding, rotations


def column(rng, size=3):
    return SX(ca.DM(rng.normal(size=size)))


def numbers(x: SX) -> np.ndarray:
    return np.array(ca.DM(x)).ravel()


def turned(rng, planar):
    e = np.array([np.cos(0.4), 0, 0, np.sin(0.4)]) if planar else rng.normal(size=4)
    return rotations.from_quaternion(SX(ca.DM(e / np.linalg.norm(e))))


@pytest.fixture
def pair(rng):
    return Twist(column(rng), column(rng)), Wrench(column(rng), column(rng))


@pytest.mark.parametrize("planar", [True, False])
def test_speeds_there_and_back(rng, planar):
    space, R = embedding(planar), turned(rng, planar)
    speeds, push = column(rng, space.size), column(rng, space.size)
    twist = Twist.of_speeds(speeds, R)
    assert np.allclose(numbers(twist.on_speeds(R, space)), numbers(speeds), atol=1e-14)
    assert np.isclose(float(twist.power(Wrench.of_speeds(push, R))), numbers(push) @ numbers(speeds))


def test_velocity_of_another_point(rng, pair):
    twist, wrench = pair
    place, other = column(rng), column(rng)
    there = twist.moved(place - other)
    expected = numbers(twist.velocity) + np.cross(numbers(twist.spin), numbers(other - place))
    assert np.allclose(numbers(there.velocity), expected)
    assert np.isclose(float(there.power(wrench.moved(place - other))), float(twist.power(wrench)))


def test_another_frame(rng, pair):
    twist, wrench = pair
    pose = Pose(column(rng), turned(rng, False))
    assert np.isclose(float(twist.into(pose).power(wrench.into(pose))), float(twist.power(wrench)))
    expected = numbers(pose.R.T).reshape(3, 3) @ numbers(twist.moved(-pose.p).velocity)
    assert np.allclose(numbers(twist.into(pose).velocity), expected)
    assert np.allclose(numbers(wrench.into(pose).out_of(pose).column), numbers(wrench.column))


def test_columns_sums_and_signs(rng, pair):
    twist, _ = pair
    other = Twist.of_column(column(rng, 6))
    left = (twist + other) - other + (-twist)
    assert np.abs(numbers(left.column)).max() < 1e-14
    assert np.allclose(numbers((twist * SX(2)).column), 2 * numbers(twist.column))
    assert numbers(Twist.none().column).tolist() == [0.0] * 6
