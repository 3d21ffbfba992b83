"""How far frames are from where their joints put them: by class of joints, and joint by joint."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.told import _off_by_pattern, _off_of
from linkwork.components.joint import says_nothing_more
from linkwork.geometry import SX, Pose, rotations

PLANE, SPACE = (
    ("revolute", "prismatic", "fixed"),
    ("revolute", "prismatic", "cylindrical", "spherical", "planar", "fixed"),
)


def joint_of(kind, gravity, **more):
    m = lw.Model("m", gravity=gravity)
    a, b = (m.body(name, mass=1, inertia=1 if m.is_planar else (1, 1, 1)) for name in "ab")
    return getattr(m, kind)("J", a.at(0, 0), b.at(0, 0), **more)


@pytest.mark.parametrize(("kind", "plane"), [(k, True) for k in PLANE] + [(k, False) for k in SPACE])
def test_by_class_is_as_by_joint(kind, plane):
    joint = joint_of(kind, (0, 0) if plane else (0, 0, 0))
    assert says_nothing_more(joint)
    q = SX.sym("q", 14)
    if plane:
        M, N = (Pose(q[k : k + 3], rotations.about_z(q[k + 3]), q[k + 3]) for k in (0, 7))
    else:
        M, N = (Pose(q[k : k + 3], rotations.from_quaternion(q[k + 3 : k + 7])) for k in (0, 7))
    f = ca.Function("f", [q], [ca.vertcat(*_off_by_pattern(joint, M, N)), ca.vertcat(*_off_of(joint, M, N))])
    for seed in range(5):
        by_class, by_joint = f(np.random.default_rng(seed).normal(size=14))
        np.testing.assert_array_equal(by_class, by_joint)


@pytest.mark.parametrize(("kind", "more"), [("distance", {"length": 2.0}), ("screw", {"pitch": 0.1}), ("free", {})])
def test_what_has_numbers_of_its_own_is_taken_by_itself(kind, more):
    assert not says_nothing_more(joint_of(kind, (0, 0, 0), **more))


def test_a_class_of_the_user_is_taken_by_itself():
    class Own(lw.Joint):
        plane = ()

        def closure(self, M, N):
            return [N.p[0] - M.p[0], N.p[1] - M.p[1], N.p[2] - M.p[2]]

        def motion(self):
            return lw.translation()

        def measure(self, M, N):
            return []

    m = lw.Model("m", gravity=(0, 0))
    a, b = (m.body(name, mass=1, inertia=1) for name in "ab")
    assert not says_nothing_more(m.add(Own("J", a.at(0, 0), b.at(0, 0))))
