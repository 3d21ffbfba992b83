"""Where the coordinates of tree joints start: each chart's own, and those of the whole tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.core.courses import in_time
from linkwork.core.equations import Placement
from linkwork.formulations.starting import OfVariables
from linkwork.geometry import SX, rotations
from linkwork.geometry.embedding import PLANE

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass(frozen=True)
class Relative:
    """The child's joint frame seen from the parent's: rotation, position [m], and twist in the child's axes."""

    R: np.ndarray
    p: np.ndarray
    velocity: np.ndarray
    """[m/s]"""
    spin: np.ndarray
    """[rad/s]"""

    def walked_back(self) -> Relative:
        """The parent's frame seen from the child's."""
        velocity, spin = self.R @ self.velocity, self.R @ self.spin
        return Relative(self.R.T, -self.R.T @ self.p, np.cross(spin, self.p) - velocity, -spin)


Values = tuple[list[float], list[float]]
Start = Callable[[Placement, Relative], Values]
"""(placement, motion of the child's joint frame) → (q, v)."""


class Nowhere:
    """No coordinates."""

    def __call__(self, placed: Placement, relative: Relative) -> Values:
        return [], []


class Stated:
    """Those of the joint, by name."""

    def __init__(self, values: Sequence[str], rates: Sequence[str]):
        self.values, self.rates = list(values), list(rates)

    def __call__(self, placed: Placement, relative: Relative) -> Values:
        return [placed.value[name] for name in self.values], [placed.rate[name] for name in self.rates]


class Floating:
    """A free body in space."""

    def __init__(self, body: str):
        self.body = body

    def __call__(self, placed: Placement, relative: Relative) -> Values:
        rotation = placed.rotation[self.body]
        return [*placed.position[self.body], *rotations.quaternion_from_matrix(rotation)], [
            *relative.spin,
            *relative.velocity,
        ]


class FloatingInPlane:
    """A free body in the plane."""

    def __init__(self, body: str):
        self.body = body

    def __call__(self, placed: Placement, relative: Relative) -> Values:
        x, y, _ = placed.position[self.body]
        speeds = [*PLANE.true(relative.velocity), *PLANE.axial(relative.spin)]
        return [x, y, placed.angle[self.body]], speeds


class OnSphere:
    """The end of an arm: Euler parameters of a frame whose x axis is the arm, and the arm's rates about y and z."""

    def __call__(self, placed: Placement, relative: Relative) -> Values:
        p, speed = relative.p, relative.R @ relative.velocity
        E, length = rotations.align(p, "x"), float(np.linalg.norm(p))
        return [*rotations.quaternion_from_matrix(E)], [-E[:, 2] @ speed / length, E[:, 1] @ speed / length]


class Ball:
    """A guided point with free orientation."""

    def __init__(self, point: Start, forward: bool):
        self.point, self.forward = point, forward

    def __call__(self, placed: Placement, relative: Relative) -> Values:
        walked = relative if self.forward else relative.walked_back()
        values, speeds = self.point(placed, walked)
        return [*values, *rotations.quaternion_from_matrix(walked.R)], [*speeds, *walked.spin]


class Carried:
    """One joint of a tree: the bodies on either side, the rotations and places of its frames on them, its start."""

    def __init__(self, parent: str, body: str, markers: Sequence[SX], start: Start):
        self.parent, self.body, self.markers, self.start = parent, body, list(markers), start


class OfTree:
    """[q, v] of bodies that a tree of joints carries, and of variables."""

    def __init__(self, model: Model, charts: Sequence[Carried], variables: Sequence[str]):
        self.model, self.charts, self.variables = model, list(charts), OfVariables(variables)

    def __call__(self, placed: Placement) -> np.ndarray:
        q: list[float] = []
        v: list[float] = []
        symbols = self.model.all_symbols()[: placed.parameters.size]
        for chart in self.charts:
            f = ca.Function("markers", [symbols], in_time(chart.markers, self.model.courses))
            RM, pM, RN, pN = (np.array(x) for x in f(placed.parameters))
            R0, p0, v0, w0 = _placed(placed, chart.parent)
            R1, p1, v1, w1 = _placed(placed, chart.body)
            M, N = R0 @ RM, R1 @ RN
            oM, oN = p0 + R0 @ pM.ravel(), p1 + R1 @ pN.ravel()
            spin = w1 - w0
            speed = v1 + np.cross(w1, oN - p1) - (v0 + np.cross(w0, oM - p0)) - np.cross(w0, oN - oM)
            values, rates = chart.start(placed, Relative(M.T @ N, M.T @ (oN - oM), N.T @ speed, N.T @ spin))
            q += values
            v += rates
        values, rates = self.variables(placed)
        return np.array(q + values + v + rates)


def _placed(placed: Placement, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    if name not in placed.position:
        return np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    return placed.rotation[name], placed.position[name], placed.velocity[name], placed.spin[name]
