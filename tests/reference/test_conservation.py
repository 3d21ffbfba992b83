"""What must not change: energy of conservative mechanisms, and the invariants of the spinning top."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.examples import spinning_top

CONSERVATIVE = {
    "pendulum": {"length": 1.0, "start": 0.0},
    "double_pendulum": {"damping": 0.0},
    "rssr": {},
    "spinning_top": {},
}


@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_energy(name, solver, example):
    """Drift over 10 s at rtol 1e-10, relative to the energy that moves back and forth."""
    r = example(name, **CONSERVATIVE[name]).simulate(10, solver=solver, rtol=1e-10, atol=1e-12)
    drift = np.abs(r["energy.total"] - r["energy.total"][0]).max()
    assert drift <= 1e-8 * max(np.abs(r["energy.total"][0]), r["energy.kinetic"].max())
    assert not r["energy.dissipated"].any() and not r["energy.supplied"].any()


@pytest.fixture(scope="module")
def top(example):
    return example("spinning_top").simulate(10, solver="dop853", rtol=1e-10, atol=1e-12)


def _spin(r):
    """Axis of the disc (samples, 3), angular velocity (samples, 3)."""
    R = Rotation.from_quat(np.stack([r[f"disc.q{i}"] for i in (1, 2, 3, 0)], axis=1)).as_matrix()
    return R[:, :, 2], np.stack([r[f"disc.w{k}"] for k in "xyz"], axis=1)


def test_top_spins_on(top):
    axis, w = _spin(top)
    spin = np.einsum("ki,ki->k", axis, w)
    assert spin == pytest.approx(100.0, rel=1e-8)


def test_top_vertical_angular_momentum(top):
    axis, w = _spin(top)
    along = np.einsum("ki,ki->k", axis, w)
    across = 0.1**2 / 4 + 0.15**2  # about the support
    vertical = across * (w[:, 2] - along * axis[:, 2]) + 0.1**2 / 2 * along * axis[:, 2]
    assert vertical == pytest.approx(vertical[0], rel=1e-8)


def test_top_nods_between_two_heights(top):
    """It starts at rest but for its spin, so that is the highest it gets (Lagrange's top)."""
    assert top["disc.z"].max() == pytest.approx(top["disc.z"][0], abs=1e-8)
    assert np.ptp(top["disc.z"]) > 1e-3


@pytest.mark.parametrize("precession", [2.0, 7.0])
def test_steady_precession(precession):
    """With C ω₃ Ω − A Ω² cos θ = m g h the tilt stays and the top goes round at Ω."""
    tilt, h, C, A = 0.6, 0.15, 0.1**2 / 2, 0.1**2 / 4 + 0.15**2
    spin = (9.81 * h + A * precession**2 * np.cos(tilt)) / (C * precession)
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    m = spinning_top.model(tilt=tilt)
    m["disc"].start(spin=tuple(precession * (np.array([0, 0, 1]) - np.cos(tilt) * axis) + spin * axis))
    r = m.simulate(5, solver="dop853", rtol=1e-10, atol=1e-12, output=0.05)
    assert r["disc.z"] == pytest.approx(h * np.cos(tilt), abs=1e-8)
    assert r["disc.x"] == pytest.approx(h * np.sin(tilt) * np.cos(precession * r.t), abs=1e-7)
    assert r["disc.y"] == pytest.approx(h * np.sin(tilt) * np.sin(precession * r.t), abs=1e-7)


def test_free_body_keeps_its_momentum():
    """A tumbling box in flight: the middle axis is unstable, the angular momentum stays."""
    m = lw.Model("box", gravity=(0, 0, -9.81))
    J = np.diag([1.0, 2.0, 3.0])
    m.body("box", mass=2, inertia=(1, 2, 3)).start(position=(0, 0, 1), velocity=(1, 0, 5), spin=(0.01, 5, 0.02))
    r = m.simulate(10, solver="dop853", rtol=1e-10, atol=1e-12, output=0.1)
    R = Rotation.from_quat(np.stack([r[f"box.q{i}"] for i in (1, 2, 3, 0)], axis=1)).as_matrix()
    w = np.stack([r[f"box.w{k}"] for k in "xyz"], axis=1)
    L = np.einsum("kij,jl,kml,km->ki", R, J, R, w)
    assert np.abs(L - L[0]).max() < 1e-7 * np.linalg.norm(L[0])
    assert np.einsum("ki,ki->k", R[:, :, 1], w).min() < -4  # it did turn over
    assert r["box.z"] == pytest.approx(1 + 5 * r.t - 9.81 * r.t**2 / 2, abs=1e-7)
    assert sum(r[f"box.q{i}"] ** 2 for i in range(4)) == pytest.approx(1, abs=1e-12)
