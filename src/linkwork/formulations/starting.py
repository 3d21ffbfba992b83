"""Where the states of a formulation start: read off a placement, which has the numbers of all bodies and coordinates.

Objects of classes, not functions: equations are kept on disk together with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.core.courses import in_time
from linkwork.core.equations import Placement, stacked
from linkwork.formulations.body_coordinates import body_coordinates
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model

State = Callable[[Placement], np.ndarray]
"""[q, v] of a placement."""


class OfVariables:
    """The values and rates of generalised coordinates, by their names."""

    def __init__(self, names: Sequence[str]):
        self.names = list(names)

    def __call__(self, placed: Placement) -> tuple[list[float], list[float]]:
        return [placed.value[name] for name in self.names], [placed.rate[name] for name in self.names]


class OfBodies:
    """Coordinates and speeds of bodies that move independently, and variables."""

    def __init__(self, names: Sequence[str], variables: Sequence[str], planar: bool):
        self.names, self.variables, self.planar = list(names), OfVariables(variables), planar

    def __call__(self, placed: Placement) -> np.ndarray:
        names, values, rates = self.names, *self.variables(placed)
        if not names:
            return np.array(values + rates)
        of = body_coordinates(self.planar)
        space = of.space
        R, p = stacked(placed.rotation, names), stacked(placed.position, names)
        q = of.all_written(p, R, [placed.angle.get(name) for name in names])
        velocity = stacked(placed.velocity, names)
        spin = (R.transpose(0, 2, 1) @ stacked(placed.spin, names)[:, :, None])[:, :, 0]
        v = np.hstack([velocity[:, space.true_axes], spin[:, space.axial_axes]])
        return np.concatenate([q.ravel(), values, v.ravel(), rates])


class Picked:
    """Some of the states that another start gives."""

    def __init__(self, whole: State, places: Sequence[int]):
        self.whole, self.places = whole, list(places)

    def __call__(self, placed: Placement) -> np.ndarray:
        return self.whole(placed)[self.places]


class OfParticles:
    """Places and velocities of particles, each fixed on a body, and variables."""

    def __init__(self, model: Model, particles: Sequence[tuple[str, SX]], variables: Sequence[str]):
        self.model, self.particles, self.variables = model, list(particles), OfVariables(variables)

    def __call__(self, placed: Placement) -> np.ndarray:
        symbols = self.model.all_symbols()[: placed.parameters.size]
        space = body_coordinates(self.model.is_planar).space
        q, v = [], []
        for name, local in self.particles:
            shown = in_time([local], self.model.courses)
            place = np.array(ca.Function("place", [symbols], shown)(placed.parameters)).ravel()
            arm = placed.rotation[name] @ place
            q.append(space.true(placed.position[name] + arm))
            v.append(space.true(placed.velocity[name] + np.cross(placed.spin[name], arm)))
        values, rates = self.variables(placed)
        return np.concatenate([np.zeros(0), *q, values, *v, rates])  # nothing moves where all joints are fixed
