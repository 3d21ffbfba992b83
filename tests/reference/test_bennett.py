"""Bennett's linkage: four skew hinges with one degree of freedom, three of their conditions redundant.

Oracles: tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2) / sin((β − α)/2) for the angles of neighbouring hinges (Bennett 1903), and
the energy, as nothing is lost.
"""

import numpy as np
import pytest

import linkwork as lw

ALPHA, BETA, A = np.deg2rad(40), np.deg2rad(75), 0.3
LINKS = [(A, ALPHA), (A * np.sin(BETA) / np.sin(ALPHA), BETA)] * 2
RATIO = np.sin((BETA + ALPHA) / 2) / np.sin((BETA - ALPHA) / 2)
FIRST = 1.0
SECOND = 2 * np.arctan(RATIO / np.tan(FIRST / 2))


def link(angle, length, twist):
    """From one hinge's frame to the next (Denavit and Hartenberg)."""
    c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
    return np.array([[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, 0], [0, 0, 0, 1]])


def bennett() -> lw.Model:
    m, frame, hinges = lw.Model("bennett", gravity=(0, 0, -9.81)), np.eye(4), []
    for angle, (length, twist) in zip((FIRST, SECOND, -FIRST, -SECOND), LINKS, strict=True):
        hinges.append((frame[:3, 3].copy(), frame[:3, 2].copy()))
        frame = frame @ link(angle, length, twist)
    assert np.allclose(frame, np.eye(4), atol=1e-12)
    bodies = [m.ground]
    for k in range(1, 4):
        middle = (hinges[k - 1][0] + hinges[k][0]) / 2
        bodies.append(m.body(f"b{k}", mass=1.0, inertia=(0.02, 0.03, 0.04)).start(position=tuple(middle)))
    for k, (point, axis) in enumerate(hinges):
        m.revolute(f"j{k}", bodies[k], bodies[(k + 1) % 4], point=tuple(point), axis=tuple(axis))
    m["j0"].angle.start(0, rate=6.0)
    return m


WAYS = ["absolute", "acausal", "minimal", "points", "bondgraph-minimal", "bondgraph-zcp"]


@pytest.mark.parametrize("formulation", WAYS)
def test_energy_and_closure(formulation):
    r = bennett().simulate(5, formulation=formulation, solver="dopri5", rtol=1e-8, atol=1e-10)
    energy = r["energy.total"]
    assert np.ptp(energy) < 1e-5 * r["energy.kinetic"].max()
    first, second = FIRST + r["j0.angle"], SECOND + r["j1.angle"]
    products = np.sin(first / 2) * np.sin(second / 2), np.cos(first / 2) * np.cos(second / 2)
    assert np.allclose(products[0], RATIO * products[1], rtol=0, atol=1e-8)


def test_steps_are_as_long_as_the_motion_allows():
    """Demands of redundant rows on the free motion would make them many times as many."""
    steps = {f: bennett().simulate(5, formulation=f, solver="dopri5") for f in ("minimal", "points")}
    assert all(r.record["statistics"]["accepted"] < 600 for r in steps.values())
