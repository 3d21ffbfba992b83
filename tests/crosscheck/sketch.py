"""A random mechanism on its way: a model, random numbers, and where its bodies are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.geometry import rotations


def numbers(x: Any) -> np.ndarray:
    return np.array(ca.evalf(ca.densify(ca.SX(x)))).squeeze()


@dataclass
class Sketch:
    """A mechanism on its way: where its bodies are, and how its tree is joined."""

    model: lw.Model
    rng: np.random.Generator
    special: bool = False
    """Whether joints on curves and the like are drawn, too."""
    poses: dict[str, lw.Pose] = field(default_factory=dict)
    carried: dict[str, tuple[Any, lw.Joint | None]] = field(default_factory=dict)
    """By body: the solid before it in the tree and the joint between (None: it floats)."""
    budget: dict[str, int] = field(default_factory=dict)
    """By body: freedoms its tree joint has left after the loops through it."""

    @property
    def planar(self) -> bool:
        return self.model.is_planar

    @property
    def solids(self) -> list[Any]:
        return [self.model[name] for name in self.poses]

    @property
    def bodies(self) -> list[Any]:
        return self.solids[1:]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def pick(self, things: list[Any]) -> Any:
        return things[int(self.rng.integers(len(things)))]

    def vector(self, size: float) -> np.ndarray:
        v = self.rng.uniform(-size, size, 3)
        return v * (1, 1, 0) if self.planar else v

    def pose(self, size: float, turn: float = 3.0) -> lw.Pose:
        """A random pose: position within ±size [m], rotation up to about `turn` [rad]."""
        p = lw.translation(*self.vector(size))
        if self.planar:
            return p @ lw.rotation_z(float(self.rng.uniform(-turn, turn)))
        r = self.rng.normal(size=3)
        r *= self.rng.uniform(0, turn) / np.linalg.norm(r)
        R = numbers(rotations.from_quaternion(rotations.quaternion_exponential(ca.SX(r))))
        return p @ lw.Pose(ca.SX(3, 1), ca.SX(R))

    def marker(self, solid: Any, world: lw.Pose) -> lw.Marker:
        """The frame on a body that is at `world` at the start."""
        local = self.poses[solid.name].inverse() @ world
        x, y, z = numbers(local.p)
        return solid.at(self.parameter(x), y, 0 if self.planar else z, rotation=local)

    def parameter(self, value: float) -> Any:
        """A number, or now and then a named parameter of that value."""
        if self.chance(0.15):
            return self.model.parameter(f"p{len(self.model.parameters)}", float(value))
        return float(value)
