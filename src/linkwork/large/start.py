"""Where a large model starts: positions that are closed, the smallest speeds that fit, and first-order states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from linkwork.components.joint import Joint
from linkwork.components.joint_frames import body_of_frame
from linkwork.core.activity import begin
from linkwork.core.equations import Placed, Placement
from linkwork.core.errors import AssemblyError, ModelError
from linkwork.geometry import SX, rotations
from linkwork.large.closing import TOLERANCE, Closing, shortest
from linkwork.large.poses import Pose
from linkwork.large.program import Large

TURNED_OVER = 1e-4
"""By how much [rad, lengths] a joint's second frame may be from where its coordinates put it."""


@dataclass(frozen=True)
class Start:
    """A consistent start: y, what is left of the constraints [lengths, rad], and Newton steps that it took."""

    state: np.ndarray
    residual: float
    iterations: int


class Starting(Closing):
    """Finds the whole start."""

    # Speeds and states -----------------------------------------------------------------------------------------------

    def speeds(self, q: np.ndarray, z: np.ndarray) -> np.ndarray:
        """The smallest that meet the constraints and every rate and velocity that was given."""
        from scipy.sparse import diags, vstack

        rest = np.zeros(self.tables.nv)
        _, at_rest, A = self.constraints(q, rest, z)
        _, _, B = self.measures(q, rest, z)
        said = {k: c.speed for k, c in enumerate(self.coordinates) if c.speed is not None}
        rates = np.array([self.number(x).item() for x in said.values()])
        blocks, wanted = [A, B[list(said)]], [-at_rest, rates]
        units = [self.large.sizes.rows, self.by_coordinate[list(said)]]
        for rows, values, unit in self._of_bodies(q):
            blocks.append(rows)
            wanted.append(values)
            units.append(np.full(values.size, unit))
        r, sizes = np.concatenate(wanted), np.concatenate(units)
        if not np.any(r):
            return rest
        J, r = (diags(1 / sizes) @ vstack(blocks) @ diags(self.by_speed)).tocsr(), r / sizes
        v = shortest(J, r)
        miss = np.abs(J @ v - r)
        if np.any(miss > 1e-7 * max(1e-9, np.abs(r).max())):
            worst = int(np.argmax(miss))
            owners = self.large.row_owners
            raise AssemblyError(
                f"the start speeds contradict the joints by {(miss * sizes).max():.3g} m/s or rad/s.",
                component=owners[worst] if worst < len(owners) else self.model.name,
                remedy="Leave out what the joints determine, or correct it.",
            )
        return self.by_speed * v

    def _of_bodies(self, q: np.ndarray) -> list[tuple[Any, np.ndarray, float]]:
        """Rows, values and unit of the velocities and spins that were given."""
        from scipy.sparse import csr_matrix

        speeds, n, d = [], self.tables.speeds, self.model.dimension
        for i, body in enumerate(self.tables.bodies):
            for given, first, count in ((body.given.velocity, 0, d), (body.given.spin, d, n - d)):
                if given is None:
                    continue
                value = self.number(given).ravel()
                if first and self.model.is_planar:
                    value = value[2:]
                elif first:
                    e = ca.DM(q[7 * i + 3 : 7 * i + 7])
                    value = np.array(ca.DM(rotations.from_quaternion(e))).T @ value
                columns = n * i + first + np.arange(count)
                rows = csr_matrix((np.ones(count), (np.arange(count), columns)), shape=(count, self.tables.nv))
                speeds.append((rows, value[:count], 1.0 if first else self.large.sizes.length))
        return speeds

    def first_order(self) -> np.ndarray:
        """z before anything is measured: counters of turns on the turn that was asked for."""
        z, place = np.zeros(self.tables.nz), {name: k for k, name in enumerate(self.tables.z_names)}
        for c, value in zip(self.coordinates, self.values, strict=True):
            if c.name in place:
                z[place[c.name]] = value
            if f"{c.name}.speed" in place and c.speed is not None:
                z[place[f"{c.name}.speed"]] = self.number(c.speed).item()
        for group in self.tables.groups:
            starts = group.kind.eq.start.values
            for n, name in enumerate(group.kind.state_names):
                if name in starts:
                    numbers = group.kind.numbers(SX(starts[name]), group.table, self.lifted[group.lifted], self.p)
                    z[group.states[:, n]] = numbers[:, 0]
        return z

    def _counted(self, q: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Turn counters start at the measured angle."""
        values, _, _ = self.measures(q, np.zeros(self.tables.nv), z)
        place = {name: k for k, name in enumerate(self.tables.z_names)}
        z = z.copy()
        for c, value in zip(self.coordinates, values, strict=True):
            if c.name in place:
                z[place[c.name]] = value
        return z

    def start(self) -> Start:
        begin("assembling")
        q, weights = self.guess()
        z = self.first_order()
        q, residual, iterations = self.close(q, z, weights)
        if not residual <= TOLERANCE:
            self._cannot_close(q, z, residual)
        z = self._counted(q, z)
        if iterations:
            self._check_sides(q, z)
        return Start(np.concatenate([q, self.speeds(q, z), z]), residual, iterations)

    def _cannot_close(self, q: np.ndarray, z: np.ndarray, residual: float) -> None:
        position, _, _ = self.constraints(q, np.zeros(self.tables.nv), z)
        bad = ~np.isfinite(position)
        worst = int(np.argmax(bad)) if bad.any() else int(np.argmax(np.abs(position))) if position.size else 0
        owner = self.large.row_owners[worst] if position.size else self.model.name
        if bad.any():
            raise ModelError(
                "its condition is not a finite number at t = 0 s.",
                component=owner,
                remedy="Look for numbers, parameters, inputs or functions of it that are NaN, infinite, or divide by "
                "zero.",
            )
        raise AssemblyError(
            f"it stays open by {abs(position[worst]):.2g} m (or rad): the start cannot be assembled.",
            component=owner,
            remedy="Check the lengths on its loop and the start values, or start the bodies nearer to an assembled "
            "position.",
        )

    def _check_sides(self, q: np.ndarray, z: np.ndarray) -> None:
        """Closing equations can hold with a frame turned over; then the joint cannot have moved there."""
        values, _, _ = self.measures(q, np.zeros(self.tables.nv), z)
        steps = self.steps(values)
        poses = {b.name: pose for b, pose in zip(self.tables.bodies, self.poses_of(q), strict=True)}
        poses[self.model.ground.name] = Pose(np.zeros(3), np.eye(3), 0.0)
        for joint in self.model.of_type(Joint):
            first, second = (poses[body_of_frame(joint, k).name] @ self.frames[joint.name][k] for k in (0, 1))
            target = first @ steps[joint.name]
            turned, shifted = np.abs(target.R - second.R).max(), np.abs(target.p - second.p).max()
            if max(turned, shifted / self.large.sizes.length) > TURNED_OVER:
                raise AssemblyError(
                    "closes only with its second frame turned over, a place it cannot move to.",
                    component=joint.name,
                    remedy="Give the bodies on its loop start poses nearer to the wanted ones.",
                )

    def poses_of(self, q: np.ndarray) -> list[Pose]:
        """Of all bodies."""
        if self.model.is_planar:
            c, s = np.cos(q[2::3]), np.sin(q[2::3])
            none, one = np.zeros_like(c), np.ones_like(c)
            R = np.stack([c, -s, none, s, c, none, none, none, one], axis=1).reshape(-1, 3, 3)
            return [Pose(np.array([x, y, 0.0]), r, turn) for (x, y, turn), r in zip(q.reshape(-1, 3), R, strict=True)]
        e = SX.sym("e", 4)
        f = ca.Function("R", [e], [ca.vec(rotations.from_quaternion(e).T)])
        flat = q.reshape(-1, 7)
        R = np.array(f.map(len(flat))(flat[:, 3:].T)).T.reshape(-1, 3, 3)
        return [Pose(x[:3], r, 0.0) for x, r in zip(flat, R, strict=True)]


def placed(large: Large, start: Placed, p: np.ndarray) -> Start:
    """Where `m.assemble()`, `m.equilibrium()` or another run has found it to be."""
    placement = getattr(start, "placement", None)
    if not isinstance(placement, Placement):
        raise ModelError(f"start {start!r}.", remedy="Give what m.equilibrium() or m.assemble() returns.")
    q: list[float] = []
    v: list[float] = []
    for body in large.tables.bodies:
        at, R, name = placement.position[body.name], placement.rotation[body.name], body.name
        if large.model.is_planar:
            q += [at[0], at[1], placement.angle[name]]
            v += [*placement.velocity[name][:2], placement.spin[name][2]]
        else:
            q += [*at, *np.array(rotations.quaternion_from_matrix(R)).ravel()]
            v += [*placement.velocity[name], *(R.T @ placement.spin[name])]
    z = [placement.first_order.get(name, 0.0) for name in large.tables.z_names]
    return Start(np.array([*q, *v, *z]), 0.0, 0)


def in_states_of(large: Large, other: Large, start: Start) -> Start:
    """The start of one in the first-order states of another, which has the same bodies."""
    moving = large.tables.nq + large.tables.nv
    known = dict(zip(other.tables.z_names, start.state[moving:].tolist(), strict=True))
    z = [known.get(name, 0.0) for name in large.tables.z_names]
    return Start(np.concatenate([start.state[:moving], z]), start.residual, start.iterations)
