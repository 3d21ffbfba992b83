"""Where a large tree starts: what closing has found in absolute coordinates, in those of its joints."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np

from linkwork.core.equations import Placement
from linkwork.formulations.chart_starts import Relative
from linkwork.large.poses import Pose
from linkwork.large.program import Large
from linkwork.large.start import Starting
from linkwork.large.tree.program import LargeTree
from linkwork.large.tree.tables import LinkGroup


def in_joints(large: LargeTree, absolute: Large, starting: Starting, y: np.ndarray) -> np.ndarray:
    """y of the tree, for y in absolute coordinates."""
    tables, closed = large.tables, absolute.tables
    q, v, z = np.split(y, [closed.nq, closed.nq + closed.nv])
    named = dict(zip(closed.z_names, z.tolist(), strict=True))
    measured, rates, _ = starting.measures(q, v, z)
    names = [c.name for c in starting.coordinates]
    values = dict(zip(names, measured.tolist(), strict=True)) | {n: named[n] for n in names if n in named}
    moving = _Motion(starting, q, v, values, dict(zip(names, rates.tolist(), strict=True)))
    places, speeds = np.zeros(tables.link_q), np.zeros(tables.link_v)
    for group, k in tables.ordered:
        at, rate = moving.of(group, k)
        places[group.first_q[k] : group.first_q[k] + len(at)] = at
        speeds[group.first_v[k] : group.first_v[k] + len(rate)] = rate
    return np.concatenate([places, speeds, [named.get(name, 0.0) for name in tables.z_names]])


class _Motion:
    """Bodies and coordinates of joints, in numbers."""

    def __init__(
        self, starting: Starting, q: np.ndarray, v: np.ndarray, values: dict[str, float], rates: dict[str, float]
    ):
        self.starting, self.values, self.rates = starting, values, rates
        self.poses = starting.poses_of(q)
        self.speeds = v.reshape(len(self.poses), -1)

    def of(self, group: LinkGroup, k: int) -> tuple[list[float], list[float]]:
        """Coordinates and speeds of one link."""
        link, chart = group.links[k], group.of.chart
        known = SimpleNamespace(position={}, rotation={}, angle={}, value={}, rate={})
        relative = None
        if link.joint is not None:
            for own, alike in zip(link.joint.coordinates, group.of.coordinate_names, strict=True):
                known.value[alike], known.rate[alike] = self.values[own.name], self.rates[own.name]
        if link.joint is None or link.joint.ball:
            body, bodies = chart.link.body.name, group.bodies[k]
            pose = self.poses[bodies[-1]]
            known.position[body], known.rotation[body], known.angle[body] = pose.p, pose.R, pose.turn
            relative = self._relative(group, k, int(bodies[0]) if bodies.size > 1 else None, int(bodies[-1]))
        return chart.start(cast(Placement, known), cast(Relative, relative))

    def _relative(self, group: LinkGroup, k: int, carrier: int | None, own: int) -> Relative:
        """The joint's frame on the body, seen from that on what carries it."""
        link, planar = group.links[k], self.starting.model.is_planar
        here = Pose(np.zeros(3), np.eye(3), 0.0)
        first, second = (here, here) if link.joint is None else self.starting.frames[link.joint.name]
        if not link.forward:
            first, second = second, first
        (pose0, v0, w0), (pose1, v1, w1) = (self._moving(b, planar) for b in (carrier, own))
        M, N = pose0 @ first, pose1 @ second
        speed = v1 + np.cross(w1, N.p - pose1.p) - (v0 + np.cross(w0, M.p - pose0.p)) - np.cross(w0, N.p - M.p)
        return Relative(M.R.T @ N.R, M.R.T @ (N.p - M.p), N.R.T @ speed, N.R.T @ (w1 - w0))

    def _moving(self, body: int | None, planar: bool) -> tuple[Pose, np.ndarray, np.ndarray]:
        """Pose, velocity and spin in world axes; None: the ground."""
        if body is None:
            return Pose(np.zeros(3), np.eye(3), 0.0), np.zeros(3), np.zeros(3)
        pose, speeds = self.poses[body], self.speeds[body]
        if planar:
            return pose, np.array([*speeds[:2], 0.0]), np.array([0.0, 0.0, speeds[2]])
        return pose, speeds[:3], pose.R @ speeds[3:]
