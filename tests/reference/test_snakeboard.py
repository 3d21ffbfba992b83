"""The snakeboard against the ideal model of Lewis, Ostrowski, Murray and Burdick (1994), derived and solved here."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import snakeboard

STEER, SWING = 0.3, 0.7


def ideal(gait: str, times: np.ndarray) -> np.ndarray:
    """x, y of the middle, heading θ, speed u along the board; wheelsets turned by φ in front and −φ behind.

    The wheels forbid motion across themselves: seen from the board (u ahead, w aside), w + lθ̇ = u tan φ in front and
    w − lθ̇ = −u tan φ behind, so w = 0 and θ̇ = u tan φ / l: one freedom, along (1, 0, tan φ / l). D'Alembert's
    principle along it is the momentum equation: m u̇ + (tan φ / l)(I θ̈ + J_r ψ̈) = 0, I of all parts about the vertical
    (the steering torques of the two wheelsets cancel).
    """
    slow, fast = snakeboard.GAITS[gait]
    l, rotor = snakeboard.HALF, snakeboard.FLYWHEEL_INERTIA
    mass = 2 * snakeboard.BAR + snakeboard.FLYWHEEL
    inertia = 2 * (snakeboard.BAR_INERTIA + snakeboard.BAR * (l / 2) ** 2) + rotor + 2 * snakeboard.AXLE_INERTIA

    def rates(t: float, y: np.ndarray) -> list[float]:
        theta, u = y[2:]
        phi, turning = STEER * np.sin(slow * t), STEER * slow * np.cos(slow * t)
        swinging = -SWING * fast**2 * np.sin(fast * t)
        k = np.tan(phi) / l
        growing = turning / np.cos(phi) ** 2 / l  # dk/dt
        du = -k * (inertia * growing * u + rotor * swinging) / (mass + inertia * k**2)
        return [u * np.cos(theta), u * np.sin(theta), k * u, du]

    return solve_ivp(rates, (0, times[-1]), [0, 0, 0, 0], "DOP853", t_eval=times, rtol=1e-11, atol=1e-12).y


def apart(r: lw.Result, gait: str) -> float:
    """Largest distance [m] of the flywheel's mass centre from the ideal path."""
    x, y, _, _ = ideal(gait, r.t)
    return float(np.hypot(r["flywheel.x"] - x, r["flywheel.y"] - y).max())


@pytest.mark.parametrize("gait", ["drive", "rotate", "parking"])
def test_gaits_become_ideal_as_the_neglected_inertias_vanish(gait):
    """ACA, figure 13: with what Lewis and others neglect scaled by 1e-7 the paths are the same."""
    m = snakeboard.model(gait)
    distances = []
    for share in (1.0, 1e-2, 1e-7):
        r = m.simulate(6 * np.pi, parameters={"neglected": share}, rtol=1e-10, atol=1e-12, output=np.pi / 30)
        distances.append(apart(r, gait))
    assert distances[1] == pytest.approx(distances[0] / 100, rel=0.3)
    assert distances[2] < 1e-6
    way = np.hypot(r["flywheel.x"], r["flywheel.y"])
    heading = ideal(gait, r.t)[2]
    if gait == "drive":  # ahead, faster and faster
        assert way[-1] > 1 and np.abs(heading).max() < 0.3
    elif gait == "rotate":  # turns where it is
        assert way.max() < 0.1 and np.ptp(heading) > 0.3
    else:  # sideways: after three periods it stands beside where it was, and looks the same way
        assert r["flywheel.y"][-1] > 0.02 and abs(r["flywheel.x"][-1]) < 1e-4 and abs(heading[-1]) < 1e-4


def test_freedoms_of_the_rigid_and_the_compliant_board():
    rigid, soft = snakeboard.model().check(), snakeboard.model(compliant=True).check()
    assert soft.redundant == [] and all(soft.unique.values())
    assert rigid.redundant and not rigid.unique["front-left-hub"]
    with pytest.raises(lw.ModelError, match="gait 'hop'"):
        snakeboard.model("hop")


@pytest.mark.slow
def test_compliance_hardly_changes_the_drive():
    """c = 1000, d = 5000 (ACA): millimetres from the rigid board, less with stiffer joints; energy is accounted for."""
    m, rigid = snakeboard.model(compliant=True), snakeboard.model()
    ideal_path = rigid.simulate(20, rtol=1e-9, output=0.1)
    distances = []
    for factor in (1, 10):
        soft = {"stiffness": 1000.0 * factor, "damping": 5000.0 * factor}
        r = m.simulate(20, parameters=soft, rtol=1e-9, output=0.1)
        distances.append(max(np.abs(r[f"flywheel.{k}"] - ideal_path[f"flywheel.{k}"]).max() for k in "xy"))
        balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
        assert np.ptp(balance) < 1e-6
    assert distances[0] < 1e-3
    assert distances[1] < distances[0] / 3
