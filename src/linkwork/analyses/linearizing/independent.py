"""Which quantities describe a motion near a state: joint coordinates where they do, else poses of bodies.

All formulations show the same channels, so that they also choose the same coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.analyses.linearizing.local import Local
from linkwork.core.errors import ModelError, UnknownName
from linkwork.geometry import SX

EARLY = 0.25
"""An earlier coordinate is taken if it moves this share of what the best one does."""


@dataclass(frozen=True)
class Candidate:
    """A quantity that depends on the position alone; `rate` is the name of its rate."""

    name: str
    rate: str
    value: SX


class Candidates:
    """Everything that could be an independent coordinate, in groups: the first that suffice are taken."""

    def __init__(self, local: Local):
        self.local = local
        self._outputs = {name: (unit, value) for name, (unit, value) in local.eq.outputs.items()}
        self.frames = [n.removesuffix(".q0") for n in self._outputs if n.endswith(".q0")]
        self.reference = SX.sym("reference", 4 * len(self.frames))
        """Orientations of the bodies at the state, from which small rotations are counted."""

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
            Candidate(f"{owner}.{last}", self._rate(owner, last), placed[f"{owner}.{last}"])
            for owner in (n.removesuffix(".ax") for n in self._outputs if n.endswith(".ax"))
            for last in ("x", "y", "z", "angle")
            if f"{owner}.{last}" in placed
        ]
        return [own, others, [c for k, body in enumerate(self.frames) for c in self._rotation(k, body)]]

    def _rate(self, owner: str, last: str) -> str:
        return f"{owner}.wz" if last == "angle" else f"{owner}.v{last}"

    def _rotation(self, k: int, body: str) -> list[Candidate]:
        """Small rotation from the reference about world axes: twice the vector part of e ∘ ē₀."""
        e = ca.vertcat(*(self._outputs[f"{body}.q{i}"][1] for i in range(4)))
        r = self.reference[4 * k : 4 * k + 4]
        small = 2 * (r[0] * e[1:] - e[0] * r[1:] - ca.cross(e[1:], r[1:]))
        return [
            Candidate(f"{body}.rotation_{'xyz'[i]}", f"{body}.rotation_{'xyz'[i]}.rate", small[i]) for i in range(3)
        ]

    @cached_property
    def _orientations(self) -> ca.Function:
        values = [self._outputs[f"{body}.q{i}"][1] for body in self.frames for i in range(4)]
        return ca.Function("orientations", self.local.arguments, [ca.densify(ca.vertcat(SX(0, 1), *values))])

    def orientations(self, t: float, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Values for `reference`."""
        return np.array(self._orientations(t, *self.local.split(y), p)).ravel()

    def gradients(self, group: int, t: float, y: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """∂/∂q and ∂/∂z of every candidate of a group."""
        local, key = self.local, ("gradients", group)
        if key not in local.functions:
            values = ca.vertcat(SX(0, 1), *(c.value for c in self.groups[group]))
            found = [ca.densify(ca.jacobian(values, x)) for x in (local.eq.q, local.z)]
            local.functions[key] = ca.Function("gradients", [*local.arguments, self.reference], found, {"cse": True})
        by_q, by_z = local.functions[key](t, *local.split(y), p, self.orientations(t, y, p))
        return np.array(by_q), np.array(by_z)

    def choose(
        self,
        allowed: np.ndarray,
        into: np.ndarray,
        at: tuple[float, np.ndarray, np.ndarray],
        wanted: Sequence[str] | None = None,
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
            by_q, by_z = self.gradients(group, *at)
            moved = by_q @ into @ allowed[:n] + by_z @ allowed[n:]
            picked = [k for k, c in enumerate(members) if np.all(np.isfinite(moved[k]))]
            if wanted is not None:
                picked = [k for k in picked if members[k].name in wanted]
            found = [picked[k] for k in independent_rows(moved[picked])]
            chosen += [members[k] for k in found]
            allowed = allowed @ _null(moved[found])
        if allowed.shape[1]:
            raise ModelError(
                f"{', '.join(wanted or []) or 'its channels'} cannot describe all {freedoms} freedoms here.",
                component=self.local.name,
                remedy="Choose other coordinates, or leave the choice out.",
            )
        return chosen

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
    U, s, _ = np.linalg.svd(rows, full_matrices=False)
    left = U[:, s > 1e-9 * max(s[0], 1e-300)] if s[0] > 0 else U[:, :0]  # orthonormal columns: no unit is favoured
    found: list[int] = []
    for _ in range(left.shape[1]):
        size = np.linalg.norm(left, axis=1)
        k = int(np.flatnonzero(size >= EARLY * size.max())[0])
        found.append(k)
        direction = left[k] / size[k]
        left = left - np.outer(left @ direction, direction)
    return sorted(found)


def _null(rows: np.ndarray) -> np.ndarray:
    """Columns that span what the rows (linearly independent) do not move."""
    return np.linalg.svd(rows)[2][rows.shape[0] :].T
