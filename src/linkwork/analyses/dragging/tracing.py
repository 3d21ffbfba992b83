"""Coupler curves: a mechanism with one freedom is led through everything it can reach, forwards and backwards.

The way goes along the curve of positions itself, so that dead centres of a crank or rocker are places like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.dragging.free_motion import FreeMotion, Position
from linkwork.core.errors import ModelError

STEP = 0.08
"""Along the curve of positions [lengths of the mechanism, rad]."""
SHORTEST = 1e-4
"""A step [the same] below which the curve has an end."""
POSITION_LIMIT = 600
"""Positions in each direction."""
FAR = 8.0
"""Lengths of the mechanism beyond which nothing is followed: a slide without an end."""
CLOSE = 0.6
"""Of a step: so near to where it began a mechanism is back."""


@dataclass(frozen=True)
class Reach:
    """Coordinates of positions along everything the mechanism can reach, (positions, coordinates); closed: the last
    one is next to the first."""

    motion: FreeMotion
    q: np.ndarray
    closed: bool

    def curve(self, body: str, point: np.ndarray) -> np.ndarray:
        """Where a point of a body, in its own axes [m], passes: (positions, 3) [m]."""
        number = self.motion.number_of(body)
        of, local = self.motion.of_body, np.append(np.asarray(point, dtype=float), np.zeros(3))[:3]
        poses = (of.numbers(of.of(q, number)) for q in self.q)
        points = np.array([p + R @ local for R, p in poses])
        return np.vstack([points, points[:1]]) if self.closed else points


def reach_of(motion: FreeMotion) -> Reach:
    """Everything that a mechanism with one freedom can reach from its start without being taken apart."""
    freedoms = motion.start.free.shape[1]
    if freedoms != 1:
        raise ModelError(
            f"has {freedoms} degrees of freedom: no one curve is traced.",
            component=motion.model.name,
            remedy="Trace a mechanism with one, or fix some of its joints for the moment."
            if freedoms
            else "Take out a joint: nothing can move.",
        )
    forwards, closed = _followed(motion, +1)
    if closed:
        return Reach(motion, np.array([motion.start.q, *forwards]), True)
    backwards, _ = _followed(motion, -1)
    return Reach(motion, np.array([*reversed(backwards), motion.start.q, *forwards]), False)


def _followed(motion: FreeMotion, sign: int) -> tuple[list[np.ndarray], bool]:
    """Positions from the start on in one direction, and whether they lead back to it."""
    here, positions = motion.start, list[np.ndarray]()
    way, left = sign * here.free[:, 0], False
    begin = _shape(motion, here)
    length = STEP
    while len(positions) < POSITION_LIMIT and length > SHORTEST:
        there = motion.advanced(here, length * way)
        if there is None:
            length /= 2
            continue
        ahead = there.free @ (there.free.T @ way)
        way = ahead / np.linalg.norm(ahead)
        here, length = there, min(STEP, 2 * length)
        shape = _shape(motion, here)
        if np.abs(shape - begin).max() > 2 * STEP:
            left = True
        if left and np.abs(shape - begin).max() < CLOSE * STEP and way @ motion.start.free[:, 0] * sign > 0:
            return positions, True
        if np.abs(shape).max() > FAR + np.abs(begin).max():
            break
        positions.append(here.q)
    return positions, False


def _shape(motion: FreeMotion, at: Position) -> np.ndarray:
    """Poses in natural units, the same after full turns."""
    poses = motion.poses(at.q).values()
    own = at.q[motion.of_body.size * len(poses) :]
    return np.concatenate([*(np.append(p / motion.length, R) for R, p in poses), own])
