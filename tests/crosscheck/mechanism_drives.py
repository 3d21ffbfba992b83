"""What moves a random mechanism from outside: start rates, motions and relations that do not contradict each other."""

from __future__ import annotations

from typing import Any

import numpy as np

import linkwork as lw
from linkwork.assembly.numbers import Numbers
from linkwork.components.free_joint import Free
from linkwork.components.joint import Coordinate

from .sketch import Sketch


class Freedom:
    """The speeds that are still free, as the orthonormal rows that are not."""

    def __init__(self, model: lw.Model):
        self.start = model.assemble()
        at = Numbers(model, np.concatenate([model.parameter_values(), list(model.inputs.values())]))
        q, v, z = np.split(self.start.state, np.cumsum([at.eq.q.numel(), at.eq.v.numel()]))
        A = np.array(at.constraints(q, v, z)[2])
        _, s, V = np.linalg.svd(A)
        self.taken = V[: int(np.sum(s > 1e-9 * s[0])) if s.size else 0]
        B = np.array(at.measures(q, v, z)[2])
        self.rates = dict(zip(at.coordinates, B, strict=True))
        n = v.size // max(len(at.bodies), 1)
        self.speeds = {b.name: np.eye(v.size)[n * k : n * k + n] for k, b in enumerate(at.bodies)}

    def take(self, *rows: np.ndarray) -> bool:
        """Claim combinations of speeds, if the constraints and earlier claims leave them well free."""
        taken = self.taken
        for row in rows:
            rest = row - taken.T @ (taken @ row)
            if np.linalg.norm(rest) < 0.3 * np.linalg.norm(row):
                return False
            taken = np.vstack([taken, rest / np.linalg.norm(rest)])
        self.taken = taken
        return True


def drive(sketch: Sketch) -> None:
    """Gears and other relations, motions, and rates for some of the coordinates that are left."""
    free = Freedom(sketch.model)
    for body in sketch.bodies:
        if sketch.carried[body.name][1] is None and free.take(*free.speeds[body.name]):
            spin = sketch.vector(2) if not sketch.planar else sketch.rng.uniform(-2, 2)
            body.start(velocity=tuple(sketch.vector(1)[: sketch.model.dimension]), spin=spin)
    # Angles one after the other have a pole that nothing can be driven through.
    coordinates = [c for c in free.rates if c.unit != "rad" or not isinstance(c.owner, Free)]
    if len(coordinates) > 1:
        for k in range(int(sketch.rng.integers(3))):
            _relate(sketch, free, k, sketch.pick(coordinates), sketch.pick(coordinates))
    for c in coordinates:
        if sketch.chance(0.15) and free.take(free.rates[c]):
            c.law(_motion(sketch, c, free.start.coordinates[c.name]))
        elif sketch.chance(0.6) and free.take(free.rates[c]):
            c.start(rate=float(sketch.rng.uniform(-1, 1)))


def _relate(sketch: Sketch, free: Freedom, number: int, a: Coordinate, b: Coordinate) -> None:
    """b follows a: by a gear, a rack, or a curve that passes through the start."""
    x, y = free.start.coordinates[a.name], free.start.coordinates[b.name]
    ratio = float(sketch.rng.uniform(0.3, 1.5) * sketch.pick([-1, 1]))
    curved = sketch.chance(0.3)
    slope = ratio * (np.cos(x) if curved else 1)
    if a is b or not free.take(free.rates[b] - slope * free.rates[a]):
        return
    name = f"r{number}"
    if curved:
        offset = y - ratio * float(np.sin(x))
        sketch.model.relation(name, lambda a, b: b - ratio * lw.sin(a) - offset, a, b)
    elif a.unit == "rad" and b.unit == "m":
        sketch.model.rack(name, a, b, radius=ratio, offset=y - ratio * x)
    else:
        sketch.model.gear(name, a, b, ratio=sketch.parameter(ratio), phase=y - ratio * x)


def _motion(sketch: Sketch, c: Coordinate, value: float) -> Any:
    """A smooth motion from where the coordinate is; given by displacement, speed or acceleration."""
    size, pace, phase = (float(sketch.rng.uniform(*r)) for r in ((0.1, 0.4), (1, 4), (-3, 3)))
    level = sketch.pick(["displacement", "speed", "acceleration"])
    if level == "displacement":
        return lw.Motion(lambda t: value + size * (lw.sin(pace * t + phase) - np.sin(phase)))
    if level == "speed":
        return lw.Motion(speed=lambda t: size * lw.sin(pace * t + phase))
    c.start(rate=float(sketch.rng.uniform(-1, 1)))
    return lw.Motion(acceleration=lambda t: 3 * size * lw.sin(pace * t + phase))
