"""Kinematics along the tree, from the ground outwards: poses, speeds and accelerations of all bodies."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.components.bodies import Solid
from linkwork.core.component import Marker
from linkwork.formulations.charts import Chart
from linkwork.geometry import SX, Pose, Twist, cross


@dataclass(frozen=True)
class Moving:
    """A body's pose and the motion of its mass centre; world axes."""

    pose: Pose
    v: SX
    w: SX
    a: SX
    alpha: SX

    @property
    def twist(self) -> Twist:
        return Twist(self.v, self.w)

    @property
    def rate(self) -> Twist:
        """Of the twist: acceleration, angular acceleration."""
        return Twist(self.a, self.alpha)


def still(ground: Solid) -> Moving:
    zero = SX(3, 1)
    return Moving(ground.start_pose(), zero, zero, zero, zero)


def child_marker(chart: Chart) -> Pose:
    """The joint frame on the child, in the child's body frame."""
    joint = chart.link.joint
    if joint is None:
        return chart.link.body.at().pose
    return (joint.second if chart.link.forward else joint.first).local


def parent_marker(chart: Chart) -> Pose:
    """The joint frame on the parent, in the parent's body frame."""
    joint = chart.link.joint
    if joint is None:
        return chart.link.parent.at().pose
    marker: Marker = joint.first if chart.link.forward else joint.second
    return marker.local


def outwards(charts: list[Chart], roots: dict[str, Moving], accelerations: list[SX]) -> dict[str, Moving]:
    """Every body's motion; `accelerations` are the v̇ of each chart (zeros give the bias accelerations).

    roots: what the tree grows from, the ground at least.
    """
    motions = dict(roots)
    for chart, vdot in zip(charts, accelerations, strict=True):
        parent = motions[chart.link.parent.name]
        M = parent.pose @ parent_marker(chart)
        arm = M.p - parent.pose.p
        v_M = parent.v + cross(parent.w, arm)
        a_M = parent.a + cross(parent.alpha, arm) + cross(parent.w, cross(parent.w, arm))
        N = M @ chart.pose
        twist = Twist.of_column(chart.S @ chart.v + chart.drift)
        rate = Twist.of_column(chart.S @ vdot + chart.bias)
        w_rel, v_rel = N.R @ twist.spin, N.R @ twist.velocity
        r, w = N.p - M.p, parent.w + w_rel
        alpha = parent.alpha + N.R @ rate.spin + cross(parent.w, w_rel)
        v_N = v_M + cross(parent.w, r) + v_rel
        a_N = a_M + cross(parent.alpha, r) + cross(parent.w, v_N - v_M) + N.R @ rate.velocity + cross(w, v_rel)
        body = N @ child_marker(chart).inverse()
        d = body.p - N.p
        v_G = v_N + cross(w, d)
        a_G = a_N + cross(alpha, d) + cross(w, cross(w, d))
        motions[chart.link.body.name] = Moving(body, v_G, w, a_G, alpha)
    return motions
