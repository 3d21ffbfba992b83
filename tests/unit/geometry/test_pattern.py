"""What is written once and put in is what would be written again."""

import casadi as ca
import pytest

from linkwork.geometry import SX, Pose, Twist, rotation_z, translation
from linkwork.geometry.pattern import Pattern

P, R, V, W = SX.sym("p", 3), SX.sym("R", 3, 3), SX.sym("v", 3), SX.sym("w", 3)


def carried(p, R, v, w):
    pose = Pose(p, R) @ Pose(V, ca.skew(W))
    return [pose.p, pose.R, Twist(v, w).moved(p - pose.p).velocity]


FRAMES = {
    "symbols": (SX.sym("a", 3), SX.sym("A", 3, 3), SX.sym("b", 3), SX.sym("c", 3)),
    "plane": (translation(SX.sym("x"), SX.sym("y")).p, rotation_z(SX.sym("angle")).R, SX.sym("b", 3), SX([0, 0, 2])),
    "at rest": (translation().p, SX.eye(3), SX.zeros(3, 1), SX.zeros(3, 1)),
}


@pytest.mark.parametrize("given", FRAMES.values(), ids=FRAMES)
def test_put_in_is_as_written_again(given):
    pattern = Pattern("carried", [P, R, V, W], carried(P, R, V, W))
    dense = [ca.densify(x) for x in given]
    for found, again in zip(pattern(*given), ca.substitute(carried(P, R, V, W), [P, R, V, W], dense), strict=True):
        assert str(ca.densify(found)) == str(ca.densify(again))


def test_zeros_and_ones_are_taken_out():
    x, y = SX.sym("x", 3), SX.sym("y", 3, 3)
    found = Pattern("product", [x, y], [y @ x + x])(SX([1, 0, 0]), SX.eye(3))[0]
    assert str(found) == str(SX([2, 0, 0]))
