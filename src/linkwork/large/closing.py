"""Positions of a large model at its start: the same guess and closing as assembly has, with sparse matrices."""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.algebra.closing import RESIDUAL_FLOOR
from linkwork.algebra.least_norm import DENSE, least_norm
from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.free_joint import Free
from linkwork.components.joint import Joint
from linkwork.components.joint_frames import body_of_frame
from linkwork.core.courses import in_time
from linkwork.core.errors import AssemblyError
from linkwork.geometry import SX, Number, rotations
from linkwork.large.natural_units import lifted_values
from linkwork.large.poses import Pose, pose_of
from linkwork.large.program import Large
from linkwork.large.slots import Unfit

if TYPE_CHECKING:
    import scipy.sparse

TOLERANCE = 1e-10
"""Largest constraint residual [lengths of the mechanism, rad] of an assembled position."""
TURNED_OVER = 1e-4
"""By how much [rad, lengths] a joint's second frame may be from where its coordinates put it."""
GIVEN, FOUND = 10.0, 1.0
"""Weights against being moved: poses the user gave, and those carried along by joints."""


class Closing:
    """Finds where a large model starts, for parameters and inputs p at t = 0."""

    def __init__(self, large: Large, p: np.ndarray):
        self.large, self.p, self.tables = large, p, large.tables
        self.model = large.model
        self.lifted = lifted_values(self.tables, p)
        self._known: dict[int, float] = {}
        joints: list[Joint] = self.model.of_type(Joint)
        self.coordinates: list[Coordinate] = [c for j in joints for c in j.coordinates]
        self._refuse(joints)
        length = large.sizes.length
        self.by_speed = large.functions.steps
        self.by_coordinate = np.array([length if c.unit == "m" else 1.0 for c in self.coordinates])
        self.values = np.array([self._value(c) for c in self.coordinates])
        self.picked = [k for k, c in enumerate(self.coordinates) if c.value is not None]

    def _refuse(self, joints: list[Joint]) -> None:
        """Start values that may be read in more than one way are left to straight-line code."""
        for joint in joints:
            given = any(c.value is not None for c in joint.coordinates)
            vague = (joint.ball and joint.vector and not self.model.is_planar) or isinstance(joint, Free)
            if given and (vague or type(joint).clearance is not Joint.clearance):
                raise Unfit(joint.name, "its start values can be read in more than one way")

    def number(self, x: Number | np.ndarray) -> np.ndarray:
        """An expression of parameters and inputs, at t = 0."""
        if not isinstance(x, SX):
            return np.asarray(x, dtype=float)
        if x.is_constant():
            return np.array(ca.DM(x))
        x = in_time([ca.densify(x)], self.model.courses)[0]
        f = ca.Function("value", [self.model.t, ca.vertcat(*self.tables.p)], [x], {"allow_free": True})
        if f.has_free():
            raise Unfit(self.model.name, "a start value depends on more than parameters and inputs")
        return np.array(f(0.0, self.p))

    def _value(self, c: Coordinate) -> float:
        """Start value of a coordinate: where its motion begins, or given, or 0."""
        if c.motion is not None and c.motion.level == "displacement":
            begins = float(self.number(SX(c.motion.path(self.model.t))).item())
            if c.value is not None and abs(float(self.number(c.value).item()) - begins) > 1e-9 * max(1.0, abs(begins)):
                raise AssemblyError(
                    f"starts elsewhere than its Motion, which begins at {begins:.6g} {c.unit}.",
                    component=c.name,
                    remedy="Leave the start value out, or add it to the Motion.",
                )
            return begins
        return 0.0 if c.value is None else float(self.number(c.value).item())

    # Positions -------------------------------------------------------------------------------------------------------

    @cached_property
    def frames(self) -> dict[str, tuple[Pose, Pose]]:
        """By joint: its frames on their bodies."""
        frames = {}
        for group in self.tables.groups:
            if isinstance(group.members[0], Joint):
                flat = group.kind.numbers(group.kind.frames(), group.table, self.lifted[group.lifted], self.p)
                for joint, numbers in zip(group.members, flat, strict=True):
                    frames[joint.name] = pose_of(numbers[:13]), pose_of(numbers[13:])
        return frames

    def steps(self, values: np.ndarray) -> dict[str, Pose]:
        """By joint: its second frame seen from the first, for these coordinates."""
        place = {c: k for k, c in enumerate(self.coordinates)}
        steps: dict[str, Pose] = {}
        for group in self.tables.groups:
            joints = [j for j in group.members if isinstance(j, Joint)]
            if joints:
                c, motion = group.kind.motion()
                mine = np.array([[values[place[c]] for c in j.coordinates] for j in joints]).reshape(len(joints), -1)
                flat = group.kind.numbers(motion, group.table, self.lifted[group.lifted], self.p, (c, mine))
                steps |= {j.name: pose_of(numbers) for j, numbers in zip(joints, flat, strict=True)}
        return steps

    def guess(self) -> tuple[np.ndarray, np.ndarray]:
        """q, and a weight per speed: known poses spread along the joints."""
        ground = self.model.ground.name
        known = {ground: Pose(np.zeros(3), np.eye(3), 0.0)}
        given = {b.name for b in self.tables.bodies if b.given.position is not None or b.given.rotation is not None}
        known |= {b.name: self._placed(b) for b in self.tables.bodies if b.name in given}
        ends = [(j.name, body_of_frame(j, 0).name, body_of_frame(j, 1).name) for j in self.model.of_type(Joint)]
        near: dict[str, list[tuple[str, str, bool]]] = {}
        for joint, a, b in ends:
            near.setdefault(a, []).append((joint, b, True))
            near.setdefault(b, []).append((joint, a, False))
        steps, queue = self.steps(self.values), deque(known)
        while queue:
            here = queue.popleft()
            for joint, there, forward in near.get(here, []):
                if there not in known:
                    first, second = self.frames[joint]
                    step = steps[joint]
                    way = first @ step @ second.inverse() if forward else second @ step.inverse() @ first.inverse()
                    known[there] = known[here] @ way
                    queue.append(there)
        bodies = self.tables.bodies
        poses = [known[b.name] if b.name in known else self._placed(b) for b in bodies]
        weights = np.repeat([GIVEN if b.name in given else FOUND for b in bodies], self.tables.speeds)
        return np.concatenate([np.zeros(0), *(self._coordinates(x) for x in poses)]), weights

    def _placed(self, body: Body) -> Pose:
        pose = body.start_pose()
        p, R = self.number(pose.p).ravel(), self.number(pose.R).reshape(3, 3)
        turn = np.arctan2(R[1, 0], R[0, 0]) if pose.turn is None else self.number(pose.turn).item()
        return Pose(p, R, float(turn))

    def _coordinates(self, pose: Pose) -> np.ndarray:
        if self.model.is_planar:
            return np.array([pose.p[0], pose.p[1], pose.turn])
        return np.concatenate([pose.p, np.array(rotations.quaternion_from_matrix(pose.R)).ravel()])

    def retract(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q moved by a small displacement in the space of v."""
        if self.model.is_planar:
            return q + step
        moved, by = q.reshape(-1, 7).copy(), step.reshape(-1, 6)
        moved[:, :3] += by[:, :3]
        angle = np.linalg.norm(by[:, 3:], axis=1)
        half = np.column_stack([np.cos(angle / 2), by[:, 3:] * (np.sinc(angle / (2 * np.pi)) / 2)[:, None]])
        a, b = moved[:, 3:].copy(), half
        moved[:, 3] = a[:, 0] * b[:, 0] - np.sum(a[:, 1:] * b[:, 1:], axis=1)
        moved[:, 4:] = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
        moved[:, 3:] /= np.linalg.norm(moved[:, 3:], axis=1, keepdims=True)
        return moved.ravel()

    @cached_property
    def _constraints(self) -> tuple[Any, np.ndarray, np.ndarray]:
        return self.large.functions.constraints

    @cached_property
    def _measures(self) -> tuple[Any, np.ndarray, np.ndarray] | None:
        return self.large.functions.measures

    def constraints(
        self, q: np.ndarray, v: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, scipy.sparse.csr_matrix]:
        """Φ (0 for rows that have none), A v − b, A."""
        from scipy.sparse import csr_matrix

        f, rows, columns = self._constraints
        (values,) = f(0.0, np.concatenate([q, v, z]), self.p)
        m = self.tables.m
        A = csr_matrix((values[2 * m :], (rows, columns)), shape=(m, self.tables.nv))
        return values[:m], values[m : 2 * m], A

    def measures(
        self, q: np.ndarray, v: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, scipy.sparse.csr_matrix]:
        """Joint coordinates, their rates, ∂rates/∂v."""
        from scipy.sparse import csr_matrix

        n = len(self.coordinates)
        if self._measures is None:
            return np.zeros(0), np.zeros(0), csr_matrix((0, self.tables.nv))
        f, rows, columns = self._measures
        (values,) = f(0.0, np.concatenate([q, v, z]), self.p)
        return values[:n], values[n : 2 * n], csr_matrix((values[2 * n :], (rows, columns)), shape=(n, self.tables.nv))

    def _equations(self, q: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, scipy.sparse.csr_matrix]:
        """Residuals and their derivatives, in natural units: constraints, then given joint values."""
        from scipy.sparse import diags, vstack

        rest = np.zeros(self.tables.nv)
        position, _, A = self.constraints(q, rest, z)
        held = self._held
        r, J, units = position[held], A[held], self.large.sizes.rows[held]
        if self.picked:
            values, _, B = self.measures(q, rest, z)
            r = np.concatenate([r, values[self.picked] - self.values[self.picked]])
            J, units = vstack([J, B[self.picked]]), np.concatenate([units, self.by_coordinate[self.picked]])
        return r / units, (diags(1 / units) @ J @ diags(self.by_speed)).tocsr()

    @cached_property
    def _held(self) -> np.ndarray:
        """Rows that have a Φ."""
        held = np.zeros(self.tables.m, dtype=bool)
        for group in self.tables.groups:
            for n in range(group.kind.positions):
                held[group.rows + n] = True
        return np.flatnonzero(held)

    def close(self, q: np.ndarray, z: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float, int]:
        """From the guess; where Newton stalls, from guesses nearby."""
        best = self._newton(q, z, weights)
        random = np.random.default_rng(0)
        for size in (0.05, 0.2, 0.5):
            if best[1] <= TOLERANCE:
                break
            nearby = self.retract(q, size * self.by_speed * random.uniform(-1, 1, weights.size))
            best = min(best, self._newton(nearby, z, weights), key=lambda attempt: attempt[1])
        return best

    def _newton(self, q: np.ndarray, z: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float, int]:
        """Each step is the shortest, and slides back towards the guess while that is cheap."""
        from scipy.sparse import diags

        r, J = self._equations(q, z)
        size = float(np.abs(r).max(initial=0.0))
        best, iterations, drift = (size, q), 0, np.zeros(weights.size)
        rounding = RESIDUAL_FLOOR * (1 + float(np.abs(q).max(initial=0.0)) / self.large.sizes.length)
        done = min(max(TOLERANCE * 1e-3, rounding), TOLERANCE)
        while iterations < 100 and size > done and np.isfinite(size):
            iterations += 1
            scaled = (J @ diags(1 / weights)).tocsr()
            step = shortest(scaled, -r) / weights
            if size > 1e-6 and J.shape[1] <= DENSE:
                step = step - drift + shortest(scaled, J @ drift) / weights
            length = min(1.0, 0.5 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
            for _ in range(12):
                trial = self.retract(q, length * self.by_speed * step)
                r_new, J_new = self._equations(trial, z)
                new = float(np.abs(r_new).max(initial=0.0))
                if np.isfinite(new) and np.all(np.isfinite(J_new.data)) and (new < size or size < 1e-9):
                    break
                length /= 2
            else:
                break
            if size < 1e-9 and new >= size:
                break
            q, r, J, size = trial, r_new, J_new, new
            drift = drift + length * step
            best = min(best, (size, q), key=lambda attempt: attempt[0])
        return best[1], best[0], iterations


def shortest(A: scipy.sparse.csr_matrix, r: np.ndarray) -> np.ndarray:
    """The shortest x that comes closest to A x = r."""
    return least_norm(A.toarray() if A.shape[1] <= DENSE else A, r)
