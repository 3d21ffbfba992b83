"""Dragging: a point of a body is pulled towards a target; everything else follows through the joints.

Damped Gauss–Newton steps on the distance, in the directions that the joints leave free, each closed before the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.dragging.free_motion import FreeMotion, Position
from linkwork.core.errors import ModelError

if TYPE_CHECKING:
    from linkwork.core.model import Model

STRIDE = 0.2
"""Longest step at once [lengths of the mechanism, rad]."""
DAMPING = 1e-4
"""Of the steps, as a share of how far the point moves with them."""
SHORTEST, LONGEST = 0.02, 4.0
"""Bounds of what a Gauss–Newton step is multiplied by."""
STEPS = 8
"""Of one call: a few milliseconds. Whoever pulls further calls again."""
PRECISION = 1e-5
"""Step or distance from the target [lengths of the mechanism, rad] that is none: well below what is seen."""
ROUNDING = 1e-13
"""Distance from the target [lengths of the mechanism] that no step makes shorter."""
HALVINGS = 10


@dataclass(frozen=True)
class Dragged:
    """Where the bodies are: x, y, angle in the plane, x, y, z, q0 … q3 in space; how far the point is from its target
    [m]; whether it is there, and whether nothing would move any more if it were pulled again."""

    poses: dict[str, list[float]]
    point: list[float]
    distance: float
    reached: bool
    settled: bool


class Dragging:
    """A body held at a point, given in its own axes [m].

    view: direction in which one looks at a spatial mechanism; how deep the target lies along it does not count.
    start: from where, default: the assembled start.
    """

    def __init__(
        self,
        motion: FreeMotion,
        body: str,
        point: Sequence[float],
        *,
        view: Sequence[float] | None = None,
        start: Position | None = None,
    ):
        self.motion = motion
        self.here = motion.start if start is None else start
        self._body = motion.number_of(body)
        self._local = _three(point, "point", body)
        self._across = _across(motion.model.is_planar, view, body)
        motion.point(self.here.q, self._body, self._local)  # compiled now, not with the first pull
        self._share = 1.0
        """Of a Gauss–Newton step: far from the target paths are bent, so that a full step leads too far."""

    def to(self, target: Sequence[float], *, steps: int = STEPS, precision: float = PRECISION) -> Dragged:
        """Pull towards a target in the world [m], in so many steps at most, none shorter than `precision`."""
        goal = _three(target, "target", self.motion.bodies[self._body].name)
        pull = self._pull(self.here, goal)
        settled = pull.distance <= ROUNDING
        for _ in range(steps):
            if settled:
                break
            nearer = self._nearer(pull, goal, precision)
            settled = nearer is None or nearer.distance <= ROUNDING
            pull = nearer or pull
        poses, length = self.motion.coordinates(self.here.q), self.motion.length
        place = pull.point[: 2 if self.motion.model.is_planar else 3].tolist()
        return Dragged(poses, place, pull.distance * length, pull.distance <= precision, settled)

    def _pull(self, at: Position, goal: np.ndarray) -> _Pull:
        p, J = self.motion.point(at.q, self._body, self._local)
        length = self.motion.length
        return _Pull(p, self._across @ (goal - p) / length, self._across @ J / length)

    def _nearer(self, pull: _Pull, goal: np.ndarray, precision: float) -> _Pull | None:
        """A step towards the target, shortened as far as it must be; None where none leads nearer."""
        here = self.here
        full = pull.step(here.free)
        longest = float(np.abs(full).max(initial=0.0))
        share = min(self._share, STRIDE / longest) if longest else 0.0
        for _ in range(HALVINGS):
            if share * longest <= precision:
                return None
            there = self.motion.advanced(here, share * full)
            if there is not None:
                nearer = self._pull(there, goal)
                self._learn(share, pull.along(full), nearer.along(there.free @ (there.free.T @ full)))
                if nearer.distance < pull.distance:
                    self.here = there
                    return nearer
            share = min(share / 2, max(share / 8, self._share))
        return None

    def _learn(self, share: float, before: float, after: float) -> None:
        """The secant through the pull along a step, before and after it, says where it would have vanished."""
        if before > after:
            self._share = min(max(share * before / (before - after), SHORTEST), LONGEST)


@dataclass(frozen=True)
class _Pull:
    """Where the point is [m], what it lacks to its target, and its derivative by displacements, in natural units."""

    point: np.ndarray
    error: np.ndarray
    jacobian: np.ndarray

    @property
    def distance(self) -> float:
        return float(np.linalg.norm(self.error))

    def along(self, step: np.ndarray) -> float:
        return float(self.error @ self.jacobian @ step)

    def step(self, free: np.ndarray) -> np.ndarray:
        """Damped least squares in the free directions: where the point hardly moves, the step stays short."""
        J = self.jacobian @ free
        damping = DAMPING * float(np.linalg.norm(J)) + 1e-12
        return free @ np.linalg.solve(J.T @ J + damping**2 * np.eye(J.shape[1]), J.T @ self.error)


def drag(model: Model, body: str, point: Sequence[float], parameters: Mapping[str, float] | None = None) -> Dragging:
    """A body of a model, held at a point [m, its own axes]."""
    return Dragging(FreeMotion(model, parameters), body, point)


def _three(given: Sequence[float], word: str, body: str) -> np.ndarray:
    place = np.asarray(given, dtype=float).ravel()
    if place.size not in (2, 3) or not np.isfinite(place).all():
        raise ModelError(f"its {word} is no place.", component=body, remedy="Give two or three finite numbers [m].")
    return np.append(place, 0.0)[:3]


def _across(planar: bool, view: Sequence[float] | None, body: str) -> np.ndarray:
    """Unit vectors along which a target counts, one per row."""
    if planar:
        return np.eye(3)[:2]
    if view is None:
        return np.eye(3)
    along = _three(view, "view", body)
    size = float(np.linalg.norm(along))
    if not size:
        raise ModelError("its view has no direction.", component=body, remedy="Give a vector that is not zero.")
    along = along / size
    beside = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    beside = beside / np.linalg.norm(beside)
    return np.array([beside, np.cross(along, beside)])
