"""Wrenches: power is the same in every description, in the plane and in space."""

import casadi as ca
import numpy as np
import pytest

from linkwork.geometry import SX, Wrench, embedding, rotations


def numbers(x: SX) -> np.ndarray:
    return np.array(ca.DM(x)).ravel()


@pytest.mark.parametrize("planar", [True, False])
def test_generalised_force_there_and_back(rng, planar):
    size = 3 if planar else 6
    e = rng.normal(size=4) if not planar else np.array([np.cos(0.4), 0, 0, np.sin(0.4)])
    R = rotations.from_quaternion(SX(ca.DM(e / np.linalg.norm(e))))
    push = SX(ca.DM(rng.normal(size=size)))
    wrench = Wrench.of_speeds(push, R)
    assert np.allclose(numbers(wrench.on_speeds(R, embedding(planar))), numbers(push), atol=1e-14)
    v = rng.normal(size=size)
    if planar:
        speed, spin = np.array([*v[:2], 0]), np.array([0, 0, v[2]])
    else:
        speed, spin = v[:3], numbers(R @ SX(ca.DM(v[3:])))
    power = numbers(wrench.force) @ speed + numbers(wrench.moment) @ spin
    assert np.isclose(power, numbers(push) @ v)


def test_another_reference_point(rng):
    force, moment, arm, speed, spin = (rng.normal(size=3) for _ in range(5))
    there = Wrench(SX(ca.DM(force)), SX(ca.DM(moment))).moved(SX(ca.DM(arm)))
    at_point = speed + np.cross(spin, arm)  # arm: from the new point to that of the wrench
    assert np.isclose(numbers(there.force) @ speed + numbers(there.moment) @ spin, force @ at_point + moment @ spin)


def test_sums_and_signs(rng):
    a, b = (Wrench(SX(ca.DM(rng.normal(size=3))), SX(ca.DM(rng.normal(size=3)))) for _ in range(2))
    left = (a + b) - b + (-a)
    assert np.abs(numbers(left.force)).max() < 1e-14 and np.abs(numbers(left.moment)).max() < 1e-14
