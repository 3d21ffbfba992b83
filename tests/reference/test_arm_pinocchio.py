"""An arm with seven joints in space: its efforts against the recursive Newton–Euler algorithm of Pinocchio."""

import numpy as np
import pytest

import linkwork as lw

AXES = ((0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0))
RNG = np.random.default_rng(7)
STEPS = RNG.uniform(-0.1, 0.3, (7, 3))  # from joint to joint [m]
CENTRES = RNG.uniform(-0.1, 0.2, (7, 3))  # from joint to mass centre [m]
MASSES = RNG.uniform(0.5, 4.0, 7)
INERTIAS = [np.diag(RNG.uniform(0.02, 0.03, 3)) + 0.002 for _ in range(7)]
SIZE, SPEED, PHASE = RNG.uniform(0.3, 1.0, 7), RNG.uniform(1.0, 3.0, 7), RNG.uniform(0, 6, 7)


def arm() -> lw.Model:
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    here, before = np.zeros(3), m.ground
    for k, axis in enumerate(AXES):
        here = here + STEPS[k]
        link = m.body(f"link{k}", mass=MASSES[k], inertia=INERTIAS[k]).start(position=here + CENTRES[k])
        m.revolute(f"J{k}", before, link, point=here, axis=axis)
        before = link
    return m


def test_efforts_are_those_of_the_recursion():
    pin = pytest.importorskip("pinocchio")
    model, parent = pin.Model(), 0
    for k, axis in enumerate(AXES):
        joint = pin.JointModelRevoluteUnaligned(np.array(axis, dtype=float))
        parent = model.addJoint(parent, joint, pin.SE3(np.eye(3), STEPS[k]), f"J{k}")
        model.appendBodyToJoint(parent, pin.Inertia(MASSES[k], CENTRES[k], INERTIAS[k]), pin.SE3.Identity())
    data = model.createData()
    drive = {f"J{k}.angle": (lambda t, k=k: SIZE[k] * lw.sin(SPEED[k] * t + PHASE[k])) for k in range(7)}
    r = arm().inverse_dynamics(drive, 3, output=0.05)
    for i, t in enumerate(r.t):
        angle = SPEED * t + PHASE
        q, v, a = SIZE * np.sin(angle), SIZE * SPEED * np.cos(angle), -SIZE * SPEED**2 * np.sin(angle)
        ours = [r[f"J{k}.angle.actuator"][i] for k in range(7)]
        assert np.allclose(ours, pin.rnea(model, data, q, v, a), rtol=0, atol=1e-9)
