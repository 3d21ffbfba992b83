"""The joint contract, on every registered joint and on one that only this file knows."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.numbers import absolute_equations
from linkwork.core import registry
from linkwork.geometry import rotations

from .joint_contract import evaluate, joint_of, random_pose, random_values


class ConstantVelocity(lw.Joint):
    """Coupling without spin: the relative rotation is about an axis in the x–y plane of the first frame."""

    free = ("rx", "ry")
    turning = ()

    def closure(self, M, N):
        d = N.p - M.p
        return [d[0], d[1], d[2], lw.dot(M.x, N.y) - lw.dot(M.y, N.x)]

    def motion(self, rx, ry):
        e = rotations.quaternion_exponential(_column(rx, ry))
        return lw.Pose(_column(0, 0), rotations.from_quaternion(e))

    def measure(self, M, N):
        r = rotations.rotation_vector(M.R.T @ N.R)
        return [r[0], r[1]]


def _column(x, y):
    return lw.translation(x, y, 0).p


JOINTS = {k: c for k, c in registry.components.items() if issubclass(c, lw.Joint)} | {"own": ConstantVelocity}
PLANAR = {k: c for k, c in JOINTS.items() if c.plane is not None}
TRIALS = 5


def test_the_library_is_there():
    assert {"fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "distance"} <= JOINTS.keys()
    assert {"fixed", "revolute", "prismatic", "point_on_line", "distance"} <= PLANAR.keys()


@pytest.mark.parametrize("kind", JOINTS)
def test_in_space(kind, rng):
    joint = joint_of(JOINTS[kind], kind)
    freedom = len(joint.free)
    for _ in range(TRIALS):
        c = random_values(joint, rng)
        got = evaluate(joint, random_pose(rng, False), c)
        assert got.A.shape == (6 - freedom, 6)
        assert np.linalg.matrix_rank(got.A, tol=1e-6) == 6 - freedom
        assert np.linalg.matrix_rank(got.twists, tol=1e-6) == freedom
        assert np.abs(got.closure).max(initial=0) < 1e-12
        assert np.abs(got.A @ got.twists).max(initial=0) < 1e-12
        assert got.measured == pytest.approx(c, abs=1e-11)
        # What is measured along the motion is the coordinate itself, to first order too.
        assert np.abs(got.B @ got.twists - np.eye(freedom)).max(initial=0) < 1e-9


@pytest.mark.parametrize("kind", [k for k, c in JOINTS.items() if vars(c).get("regular")])
def test_equations_of_a_regular_joint_never_depend_on_each_other(kind, rng):
    """Also at quarter and half turns, and far away: no run looks for singular positions of a tree of such joints."""
    joint = joint_of(JOINTS[kind], kind)
    M, special = random_pose(rng, False), [0.0, np.pi / 2, np.pi, -np.pi / 2, 2 * np.pi, 50.0]
    for choose in (lambda n: rng.choice(special, n), lambda n: rng.uniform(-7, 7, n)):
        A = evaluate(joint, M, choose(len(joint.free))).A
        assert np.linalg.svd(A)[1].min(initial=1.0) > 0.1


@pytest.mark.parametrize("kind", PLANAR)
def test_in_the_plane(kind, rng):
    joint = joint_of(PLANAR[kind], kind, planar=True)
    assert tuple(c.label for c in joint.coordinates) == joint.plane
    assert len(absolute_equations(joint.model).constraints.rows) == 3 - len(joint.plane)
    in_plane = [0, 1, 5]
    for _ in range(TRIALS):
        c = random_values(joint, rng)
        got = evaluate(joint, random_pose(rng, True), c, planar=True)
        A, twists = got.A[:, in_plane], got.twists[in_plane]
        assert np.linalg.matrix_rank(A, tol=1e-6) == 3 - len(joint.plane)
        assert np.abs(got.closure).max(initial=0) < 1e-12
        assert np.abs(A @ twists).max(initial=0) < 1e-12
        assert np.linalg.matrix_rank(twists, tol=1e-6) == len(joint.plane)
        assert got.measured == pytest.approx(c, abs=1e-11)
        assert np.abs(got.B[:, in_plane] @ twists - np.eye(len(c))).max(initial=0) < 1e-9


@pytest.mark.parametrize("kind", sorted(JOINTS.keys() - PLANAR.keys()))
def test_joints_of_space_are_refused_in_the_plane(kind):
    with pytest.raises(lw.ModelError, match=r"^J: .*no meaning in the plane.*spatial model"):
        joint_of(JOINTS[kind], kind, planar=True)


@pytest.mark.parametrize("kind", JOINTS)
def test_freedom_in_a_model(kind):
    """Two bodies and one joint: six freedoms and those of the joint, every equation needed, every reaction unique."""
    joint = joint_of(JOINTS[kind], kind)
    report = joint.model.check()
    assert report.degrees_of_freedom == 6 + sum(c.motion is None for c in joint.coordinates)
    assert report.redundant == [] and report.unique == {"J": True}


@pytest.mark.parametrize("bend", [0.2, 0.7])
def test_own_coupling_runs_at_constant_velocity(bend, monkeypatch):
    """Two shafts at an angle: a joint written in a test carries the speed over without a ripple."""
    monkeypatch.setattr(registry, "components", dict(registry.components))
    lw.component(ConstantVelocity)
    m = lw.Model("coupled-shafts", gravity=(0, 0, 0))
    direction = (np.sin(bend), 0, np.cos(bend))
    first, second = (m.body(n, mass=1, inertia=(0.02, 0.02, 0.01)) for n in ("first", "second"))
    first.start(position=(0, 0, -0.5))
    second.start(position=tuple(0.5 * c for c in direction), rotation=rotations.align(direction, "z"))
    A = m.revolute("A", m.ground, first, point=(0, 0, -0.5), axis=(0, 0, 1))
    B = m.revolute("B", m.ground, second, point=tuple(0.5 * c for c in direction), axis=direction)
    m.constant_velocity("C", first.at(0, 0, 0.5), second.at(0, 0, -0.5))
    A.angle.law(lw.Motion(speed=lambda t: 5 + lw.sin(3 * t)))
    B.angle.law(lw.Damper(0.1))
    r = m.simulate(3, rtol=1e-9, atol=1e-11)
    assert r["A.angle.rate"] == pytest.approx(5 + np.sin(3 * r.t), abs=1e-7)
    assert np.abs(r["B.angle.rate"]) == pytest.approx(r["A.angle.rate"], abs=1e-6)
    assert np.hypot(r["C.rx"], r["C.ry"]) == pytest.approx(bend, abs=1e-7)
