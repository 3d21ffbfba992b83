"""What some random directions tell of ∂ẏ/∂y: how fast its modes are at most, and all of them where few are not 0.

No eigenvalue is larger than a norm of the matrix. With the states in blocks (coordinates, speeds, others) none is
larger than the largest one of the small matrix that has the Frobenius norm of each block for an entry, which is close
where the blocks are of different units. The norm of a block X follows from what X makes of Gaussian directions g: the
mean of |X g|² is its square. `SAMPLES` of them underestimate it by `SAFETY` once in ten million times at worst, which
is where X has rank one. The directions are the same in every run and know nothing of the model. So no fast mode is
missed because nothing excites it, as may happen in a Krylov space.

Coordinates that constraints tie to others have no modes of their own: a chain of ten spatial bodies with 140 states
has 20 that are not 0. All that the matrix makes of random directions spans what it can make at all, if the last ones
of each block bring nothing new.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from linkwork.algebra import lapack
from linkwork.core.pieces import OverTime
from linkwork.core.program import Program
from linkwork.integrate import evaluate

SAMPLES, SAFETY = 8, 10.0
"""Directions in each block, and how much larger its norm may be than they say: χ² with 8 degrees of freedom is below
8 / 10² with a probability of 1e-7."""
SPARE = 3
"""Of the directions that span what the matrix makes, those that must bring nothing new."""
LOST = 1e-7
"""Share of ∂ẏ/∂y that is nothing new: what differences leave of it as rounding. Modes that are slower than the fastest
by that much have no part in the choice."""


@dataclass(frozen=True)
class Sampled:
    """∂ẏ/∂y at t [s] in units of the states (of 1 where they are smaller), along a few directions.

    Disturbances go to both sides and are moved onto the constraints. States that only record have no modes.
    """

    program: Program
    t: float
    y: np.ndarray
    p: np.ndarray
    signals: Mapping[int, OverTime]
    disturbance: float

    @cached_property
    def blocks(self) -> np.ndarray:
        """Which states are of each block that is not empty, as columns of 0 and 1."""
        layout, idle = self.program.layout, self.program.unweighted
        return _blocks(layout.q, layout.v, layout.z, np.asarray(idle, dtype=bool).tobytes())

    def along(self, directions: np.ndarray) -> np.ndarray:
        """What the matrix makes of each row."""
        scale = self.disturbance * np.maximum(1.0, np.abs(self.y))
        step = directions * scale
        states, times = np.concatenate([self.y + step, self.y - step]), np.full(2 * len(step), self.t)
        for name in ("project", "rhs") if self.program.constrained else ("rhs",):
            function = self.program.function(name)
            states = evaluate(function, times, states, self.p, self.signals, inputs=len(self.program.inputs))
        return (states[: len(step)] - states[len(step) :]) * (self.blocks.any(axis=1) / (2 * scale))

    @cached_property
    def rates(self) -> np.ndarray:
        """Along `SAMPLES` random directions in each block, one block after the other."""
        return self.along(_directions(self.blocks.tobytes(), self.blocks.shape[1], 0, SAMPLES))

    @property
    def fastest_at_most(self) -> float:
        """No eigenvalue is larger [1/s]; infinite where ẏ has no derivatives."""
        made = self.rates**2 @ self.blocks
        if not np.all(np.isfinite(made)):
            return float("inf")
        norms = np.sqrt(made.reshape(self.blocks.shape[1], SAMPLES, -1).mean(axis=1))
        return SAFETY * float(np.abs(lapack.eigvals(norms)).max(initial=0.0))

    def modes(self) -> np.ndarray | None:
        """Eigenvalues [1/s] other than 0; None where these are too many to be found sooner than all."""
        count, layout = self.blocks.shape[1], self.program.layout
        samples = max(SAMPLES, layout.v - layout.multipliers + SPARE)
        while self.program.constrained and 3 * count * samples <= self.y.size:
            basis = self._basis(samples)
            if basis is not None:
                made = self.along(basis.T) @ basis
                return lapack.eigvals(made) if np.all(np.isfinite(made)) else None
            samples *= 2
        return None

    def _basis(self, samples: int) -> np.ndarray | None:
        """Of all that the matrix makes, as columns; None where so many directions in each block do not show that."""
        count = self.blocks.shape[1]
        rates = self.rates.reshape(count, SAMPLES, -1)
        if samples > SAMPLES:
            more = self.along(_directions(self.blocks.tobytes(), count, SAMPLES, samples))
            rates = np.concatenate([rates, more.reshape(count, samples - SAMPLES, -1)], axis=1)
        if not np.all(np.isfinite(rates)):
            return None
        basis, triangle = np.linalg.qr(rates.reshape(count * samples, -1).T)
        new = np.abs(np.diag(triangle)) > LOST * np.linalg.norm(triangle)
        return None if np.any(new.reshape(count, -1)[:, -SPARE:]) else basis[:, new]


@lru_cache(maxsize=8)
def _blocks(q: int, v: int, z: int, recording: bytes) -> np.ndarray:
    ends = np.repeat(np.arange(3), [q, v, z])[:, None] == np.arange(3)
    idle = np.frombuffer(recording, dtype=bool)
    ends[: idle.size] &= ~idle[:, None]
    return ends[:, ends.any(axis=0)].astype(float)


@lru_cache(maxsize=8)
def _directions(blocks: bytes, count: int, first: int, last: int) -> np.ndarray:
    """Along each block, one below the other: the same in every run."""
    kept = np.frombuffer(blocks).reshape(-1, count).T[:, None, :]
    random = np.random.default_rng(first).standard_normal((count, last - first, kept.shape[2]))
    return (random * kept).reshape(-1, kept.shape[2])
