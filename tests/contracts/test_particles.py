"""The ten conditions of PRT (1): particles weigh, balance and resist turning like the body they stand for."""

import casadi as ca
import numpy as np
import pytest

from linkwork.formulations.particles import Particles, choose
from linkwork.geometry import SX


def _numbers(x):
    return np.array(ca.DM(x))


def _masses(weights: np.ndarray) -> dict[tuple[int, int], float]:
    """Masses of primary (i, i) and secondary (i, j) particles from μ."""
    n = len(weights)
    masses = {(i, j): 4 * weights[i, j] for i in range(n) for j in range(i)}
    for i in range(n):
        masses[i, i] = weights[i, i] - sum(weights[i, j] for j in range(n) if j != i)
    return masses


def _inertia(rng: np.random.Generator, flat: bool) -> np.ndarray:
    """Of random point masses, about their centre; nearly planar where asked for."""
    r = rng.normal(size=(6, 3)) * (1, 1, 1e-4 if flat else 1)
    m = rng.uniform(0.1, 1, 6)
    r = r - m @ r / m.sum()
    return m.sum(), sum(k * (x @ x * np.eye(3) - np.outer(x, x)) for k, x in zip(m, r, strict=True))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", ["any", "flat", "rod"])
def test_ten_conditions(seed, shape):
    rng = np.random.default_rng(seed)
    mass, inertia = _inertia(rng, shape == "flat")
    if shape == "rod":
        inertia = np.diag([1e-6, 0.3, 0.3])
    axis = rng.normal(size=3)
    particles = choose(SX(ca.DM(rng.normal(size=3))), SX(ca.DM(axis / np.linalg.norm(axis))), None, 0.7, False)
    places = [_numbers(s).ravel() for s in [*particles.places, particles.third()]]
    weights = _numbers(particles.weights(mass, ca.DM(inertia)))
    masses = _masses(weights)
    at = {(i, j): (places[i] + places[j]) / 2 for i, j in masses}
    assert sum(masses.values()) == pytest.approx(mass, rel=1e-9)
    assert np.allclose(sum(masses[k] * at[k] for k in masses), 0, atol=1e-9)
    found = sum(masses[k] * (at[k] @ at[k] * np.eye(3) - np.outer(at[k], at[k])) for k in masses)
    assert np.allclose(found, inertia, atol=1e-8)


def test_plane():
    particles = choose(SX(ca.DM([-0.4, 0.1, 0])), None, SX(ca.DM([0.5, 0.2, 0])), 0.8, True)
    places = [_numbers(s).ravel() for s in [*particles.places, particles.third()]]
    masses = _masses(_numbers(particles.weights(2.0, 0.3)))
    at = {(i, j): (places[i] + places[j]) / 2 for i, j in masses}
    assert sum(masses.values()) == pytest.approx(2.0)
    assert np.allclose(sum(masses[k] * at[k] for k in masses), 0, atol=1e-12)
    assert sum(masses[k] * at[k] @ at[k] for k in masses) == pytest.approx(0.3)


def test_pose_is_rigid_and_read_back():
    rng = np.random.default_rng(1)
    particles = Particles([SX(ca.DM(s)) for s in ([0, 0, 0], [1, 0, 0], [0, 1, 0])], False)
    angle = 0.7
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    p = rng.normal(size=3)
    found_p, found_R = particles.pose([SX(ca.DM(p + R @ _numbers(s).ravel())) for s in particles.places])
    assert np.allclose(_numbers(found_R), R) and np.allclose(_numbers(found_p).ravel(), p)
    stretched = [SX(ca.DM(p + 1.01 * R @ _numbers(s).ravel())) for s in particles.places]
    assert np.allclose(_numbers(particles.pose(stretched)[1]), R)
