"""Masses, joints and contacts at one state, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import MIXED
from linkwork.core.equations import At, Equations
from linkwork.geometry import SX


@dataclass
class Snapshot:
    """At one state: a = a₀ + X F for forces F at the contacts, v⁺ = v⁻ + X P for impulses."""

    mass: np.ndarray
    joints: np.ndarray
    """Jacobian of the joints' rows."""
    contacts: np.ndarray
    """Jacobian of the contacts' rows: normals, then slips."""
    push: np.ndarray
    """Generalised force per force at each of these rows; the same, unless networks share the load."""
    force: np.ndarray
    gamma: np.ndarray
    drift: np.ndarray
    speeds: np.ndarray
    """Rates of gaps, then slips [m/s]."""
    gap: np.ndarray
    """By contact; 0 where there is none."""
    numbers: np.ndarray
    """By contact: friction, static, restitution, rest, noise, press."""
    kinetic: float

    @cached_property
    def _inverse(self) -> np.ndarray:
        """Response of masses held by joints: pseudo-inverse of [M Aᵀ; A 0], rows and columns scaled to the masses."""
        n, m = self.mass.shape[0], self.joints.shape[0]
        matrix = np.zeros((n + m, n + m))
        matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = self.mass, self.joints.T, self.joints
        scale = np.ones(n + m)
        heavy = np.diag(self.mass)
        some = heavy > 0  # however little: kg and kg·m² are not compared
        typical = heavy[some].mean() if some.any() else 1.0  # of what has no mass: joints hold it
        scale[:n] = 1 / np.sqrt(np.where(some, heavy, typical))
        size = np.abs(self.joints * scale[:n]).max(axis=1, initial=0.0)
        scale[n:] = 1 / np.where(size > 0, size, 1.0)
        return scale[:, None] * lapack.pinv(matrix * scale * scale[:, None], rcond=MIXED) * scale

    @cached_property
    def response(self) -> np.ndarray:
        """X."""
        n = self.mass.shape[0]
        return self._inverse[:n, :n] @ self.push.T

    @cached_property
    def delassus(self) -> np.ndarray:
        """A X: relative speed at each contact per impulse at each."""
        return self.contacts @ self.response

    def free(self) -> np.ndarray:
        """Relative accelerations at the contacts without forces there."""
        n = self.mass.shape[0]
        a0 = self._inverse[:n] @ np.concatenate([self.force, self.gamma])
        return self.contacts @ a0 - self.drift


def expressions(eq: Equations) -> list[SX]:
    """What a snapshot is made of, in its order; of equations with contacts."""
    closure, places = eq.contacts.closure, eq.contacts.places
    assert closure is not None
    joints = closure.joints
    speeds = [c.speed for c in places if c.opens] + [c.slip for c in places if c.slip.numel()]
    numbers = [
        ca.vertcat(c.friction, c.static, c.restitution, c.rest, c.noise, 0 if c.opens else c.normal) for c in places
    ]
    parts = [
        eq.motion.mass,
        eq.constraints.jacobian[joints, :] if joints else SX(0, eq.v.numel()),
        closure.speeds,
        -closure.pull[closure.contacts, :],
        eq.motion.force,
        eq.constraints.gamma[joints] if joints else SX(0, 1),
        closure.drift,
        ca.vertcat(*speeds),
        ca.vertcat(*(c.gap if c.opens else 0 for c in places)),
        ca.horzcat(*numbers).T,
        eq.observation.outputs["energy.kinetic"][1],
    ]
    return [ca.densify(x) for x in parts]


def snapshot(at: At, y: np.ndarray) -> Snapshot:
    """Of equations with contacts."""
    eq = at.eq
    *arrays, kinetic = at.call("snapshot", lambda: ([eq.q, eq.v, eq.z], expressions(eq)), *at.split(y))
    mass, rows, contacts, push, force, gamma, drift, speeds, gap, numbers = (np.array(x) for x in arrays)
    force, gamma, drift, speeds, gap = (x.ravel() for x in (force, gamma, drift, speeds, gap))
    return Snapshot(mass, rows, contacts, push, force, gamma, drift, speeds, gap, numbers, float(kinetic))
