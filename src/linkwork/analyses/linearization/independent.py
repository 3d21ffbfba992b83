"""Which quantities describe a motion near a state: joint coordinates where they do, else poses of bodies.

All formulations show the same channels, so that they also choose the same coordinates. Positions and rotations of
bodies are counted in a frame that may turn, and rotations from orientations that move along: see `steady`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import RANK, column_space
from linkwork.analyses.linearization.local import Local
from linkwork.core.errors import ModelError, UnknownName
from linkwork.geometry import SX, rotations

EARLY = 0.25
"""An earlier coordinate is taken if it moves this share of what the best one does."""

STEEP = 10.0
"""An azimuth that changes by this much more than the elevation may is near its pole."""


@dataclass(frozen=True)
class Frame:
    """Axes in which rotations are counted: turned by Euler parameters, turning with `spin` [rad/s].

    Positions are counted from `centre` in axes that turn alike, or (`carries` False) do not turn.
    moving: whether the mechanism moves; angles that no steady motion changes steadily are then left out.
    """

    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    turn: np.ndarray = field(default_factory=lambda: np.array([1.0, 0, 0, 0]))
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))
    carries: bool = False
    moving: bool = False

    @property
    def values(self) -> np.ndarray:
        """Centre, turn and spin for positions, turn and spin for rotations."""
        turn, spin = (self.turn, self.spin) if self.carries else (RESTING_FRAME.turn, RESTING_FRAME.spin)
        return np.concatenate([self.centre, turn, spin, self.turn, self.spin])


RESTING_FRAME = Frame()


@dataclass(frozen=True)
class Candidate:
    """A quantity that depends on the position alone; `rate` is the name of its rate."""

    name: str
    rate: str
    value: SX


class Candidates:
    """Everything that could be an independent coordinate, in groups: the first that suffice are taken."""

    def __init__(self, local: Local, vague: Collection[str] = ()):
        """vague: coordinates that fail somewhere (angles of a direction, rotation vectors)."""
        self.local, self.vague = local, frozenset(vague)
        self._outputs = {name: (unit, value) for name, (unit, value) in local.eq.observation.outputs.items()}
        self.frames = [n.removesuffix(".q0") for n in self._outputs if n.endswith(".q0")]
        n = len(self.frames)
        orientations, spins = SX.sym("orientations", 4, n), SX.sym("spins", 3, n)
        self._orientations, self._spins = orientations, spins
        self._centre, self._carried, carried = SX.sym("centre", 3), SX.sym("carried", 4), SX.sym("carried", 3)
        self._turn, spin = SX.sym("turn", 4), SX.sym("spin", 3)
        frame = [self._centre, self._carried, carried, self._turn, spin]
        self.reference = ca.vertcat(ca.vec(orientations), ca.vec(spins), *frame)
        """Orientations of the bodies at the state, from which small rotations are counted, their spins; the frame."""
        turning = [_turning(orientations[:, k], spins[:, k]) for k in range(n)]
        bending = [ca.cross(spin, spins[:, k]) for k in range(n)]
        moving = [SX(3, 1), _turning(self._carried, carried), SX(3, 1), _turning(self._turn, spin), SX(3, 1)]
        self.reference_rate = ca.vertcat(*turning, *bending, *moving)

    def time_derivative(self, x: SX) -> SX:
        """d/dt of an expression of t, q, v, z and the reference, which moves along; v̇ is the symbol `a`."""
        return self.local.time_derivative(x) + ca.jtimes(x, self.reference, self.reference_rate)

    @cached_property
    def groups(self) -> list[list[Candidate]]:
        """Coordinates of joints and generalised ones; positions and angles of bodies; their rotations in space."""
        moving = ca.vertcat(self.local.eq.v, self.local.eq.a, self.local.eq.multipliers)
        placed = {
            name: value
            for name, (unit, value) in self._outputs.items()
            if not ca.depends_on(value, moving) and not name.startswith(("residual.", "energy."))
        }
        own = [Candidate(n, f"{n}.rate", x) for n, x in placed.items() if f"{n}.rate" in self._outputs]
        others = [
            Candidate(f"{owner}.{last}", self._rate(owner, last), value)
            for owner in (n.removesuffix(".ax") for n in self._outputs if n.endswith(".ax"))
            for last, value in self._place(owner, placed).items()
        ]
        return [own, others, [c for k, body in enumerate(self.frames) for c in self._rotation(k, body)]]

    def _place(self, owner: str, placed: dict[str, SX]) -> dict[str, SX]:
        """Position in the axes of the frame, and in the plane the angle."""
        point = ca.vertcat(*(placed.get(f"{owner}.{i}", SX(0)) for i in "xyz"))
        local = rotations.from_quaternion(self._carried).T @ (point - self._centre)
        place = {i: local[k] for k, i in enumerate("xyz") if f"{owner}.{i}" in placed}
        return place | ({"angle": placed[f"{owner}.angle"]} if f"{owner}.angle" in placed else {})

    def _rate(self, owner: str, last: str) -> str:
        return f"{owner}.wz" if last == "angle" else f"{owner}.v{last}"

    def _rotation(self, k: int, body: str) -> list[Candidate]:
        """Small rotation from the reference about the frame's axes: twice the vector part of e ∘ ē₀."""
        e = ca.vertcat(*(self._outputs[f"{body}.q{i}"][1] for i in range(4)))
        r = self._orientations[:, k]
        small = rotations.from_quaternion(self._turn).T @ (2 * (r[0] * e[1:] - e[0] * r[1:] - ca.cross(e[1:], r[1:])))
        return [
            Candidate(f"{body}.rotation_{'xyz'[i]}", f"{body}.rotation_{'xyz'[i]}.rate", small[i]) for i in range(3)
        ]

    def reference_values(self, t: float, y: np.ndarray, p: np.ndarray, frame: Frame = RESTING_FRAME) -> np.ndarray:
        """Values for `reference` at a state."""
        eq = self.local.eq

        def build() -> tuple[list[SX], list[SX]]:
            values = [self._outputs[f"{body}.q{i}"][1] for body in self.frames for i in range(4)]
            values += [self._outputs[f"{body}.w{i}"][1] for body in self.frames for i in "xyz"]
            return [eq.q, eq.v, eq.z], [ca.densify(ca.vertcat(SX(0, 1), *values))]

        (values,) = self.local.at(t, p).call("reference", build, *self.local.split(y))
        return np.concatenate([np.array(values).ravel(), frame.values])

    def gradients(
        self, group: int, t: float, y: np.ndarray, p: np.ndarray, frame: Frame = RESTING_FRAME
    ) -> tuple[np.ndarray, np.ndarray]:
        """∂/∂q and ∂/∂z of every candidate of a group."""
        local, eq = self.local, self.local.eq

        def build() -> tuple[list[SX], list[SX]]:
            values = ca.vertcat(SX(0, 1), *(c.value for c in self.groups[group]))
            gradients = [ca.densify(ca.jacobian(values, x)) for x in (eq.q, local.z)]
            return [eq.q, eq.v, eq.z, self.reference], gradients

        reference = self.reference_values(t, y, p, frame)
        by_q, by_z = local.at(t, p).call(("gradients", group), build, *local.split(y), reference)
        return np.array(by_q), np.array(by_z)

    def choose(
        self,
        allowed: np.ndarray,
        into: np.ndarray,
        at: tuple[float, np.ndarray, np.ndarray],
        wanted: Sequence[str] | None = None,
        frame: Frame = RESTING_FRAME,
    ) -> list[Candidate]:
        """As many candidates as there are columns in `allowed`: displacements (δ, δz), with δq = into δ.

        at: (t, y, p); wanted: names that the user has chosen.
        """
        freedoms, chosen, n = allowed.shape[1], [], into.shape[1]
        if wanted is not None:
            self._check_names(wanted, freedoms)
        for group, members in enumerate(self.groups):
            if not allowed.shape[1]:
                break
            by_q, by_z = self.gradients(group, *at, frame)
            moved = by_q @ into @ allowed[:n] + by_z @ allowed[n:]
            gradient = np.linalg.norm(np.hstack([by_q @ into, by_z]), axis=1)
            moved[np.linalg.norm(moved, axis=1) <= RANK * gradient] = 0.0  # rounding is no freedom
            picked = [k for k, c in enumerate(members) if np.all(np.isfinite(moved[k]))]
            if wanted is not None:
                picked = [k for k in picked if members[k].name in wanted]
            elif frame.moving:
                picked = [k for k in picked if members[k].name not in self.vague]
            else:
                lost = self._near_poles(members, np.linalg.norm(by_q @ into, axis=1))
                picked = [k for k in picked if members[k].name not in lost]
            independent = [picked[k] for k in independent_rows(moved[picked])]
            chosen += [members[k] for k in independent]
            allowed = allowed @ _null(moved[independent])
        if allowed.shape[1]:
            raise ModelError(
                f"{', '.join(wanted or []) or 'its channels'} cannot describe all {freedoms} freedoms here.",
                component=self.local.name,
                remedy="Choose other coordinates, or leave the choice out.",
            )
        return chosen

    def _near_poles(self, members: list[Candidate], steepness: np.ndarray) -> set[str]:
        """Both angles of every direction that is near its pole."""
        steep = {c.name: x for c, x in zip(members, steepness, strict=True) if c.name in self.vague}
        owners = [n.removesuffix(".azimuth") for n in steep if n.endswith(".azimuth")]
        lost = [o for o in owners if not steep[f"{o}.azimuth"] <= STEEP * steep[f"{o}.elevation"] > 0]
        return {f"{owner}.{angle}" for owner in lost for angle in ("azimuth", "elevation")}

    def _check_names(self, wanted: Sequence[str], freedoms: int) -> None:
        known = [c.name for group in self.groups for c in group]
        for name in wanted:
            if name not in known:
                raise UnknownName("independent coordinate", name, known, component=self.local.name)
        if len(wanted) != freedoms:
            raise ModelError(
                f"has {freedoms} freedoms here, but {len(wanted)} coordinates are given.",
                component=self.local.name,
                remedy=f"Choose {freedoms} of {', '.join(known[:8])}{', …' if len(known) > 8 else ''}.",
            )


def independent_rows(rows: np.ndarray) -> list[int]:
    """Indices of as many rows as the rank says: those on which the others depend least, early ones preferred."""
    if not rows.size:
        return []
    left = column_space(rows)  # orthonormal: no unit is favoured
    indices: list[int] = []
    for _ in range(left.shape[1]):
        size = np.linalg.norm(left, axis=1)
        k = int(np.flatnonzero(size >= EARLY * size.max())[0])
        indices.append(k)
        direction = left[k] / size[k]
        left = left - np.outer(left @ direction, direction)
    return sorted(indices)


def _null(rows: np.ndarray) -> np.ndarray:
    """Columns that span what the rows (linearly independent) do not move."""
    return lapack.svd(rows)[2][rows.shape[0] :].T


def _turning(e: SX, spin: SX) -> SX:
    """ė of Euler parameters that turn with a spin in world axes."""
    return rotations.quaternion_product(ca.vertcat(0, spin), e) / 2
