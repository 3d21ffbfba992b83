"""Integrals of powers over a run, as accurate as the run itself: by the solver's own steps, not by its samples.

The run is repeated to learn its steps, and once more to get the states at Lobatto's nodes within each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record
from linkwork.core.program import Program
from linkwork.integrate import evaluate, integrate
from linkwork.integrate.trajectory import Trajectory

_INNER = np.sqrt(3 / 7)
NODES = np.array([0.0, (1 - _INNER) / 2, 0.5, (1 + _INNER) / 2, 1.0])
WEIGHTS = np.array([1 / 20, 49 / 180, 16 / 45, 49 / 180, 1 / 20])
"""Lobatto's rule on [0, 1]: exact for polynomials of degree 7."""
PARTS = 16
"""Pieces of a step in which a power changes its sign."""
BLOCK = 4_000_000
"""Numbers that are held at a time."""

_EDGES = np.linspace(0.0, 1.0, PARTS + 1)
_TO_COEFFICIENTS = np.linalg.inv(np.vander(NODES, increasing=True))
_VALUES = np.vander(_EDGES, 5, increasing=True) @ _TO_COEFFICIENTS
_PRIMITIVE = (np.vander(_EDGES, 6, increasing=True)[:, 1:] / np.arange(1, 6)) @ _TO_COEFFICIENTS


@dataclass(frozen=True)
class Retrace:
    """A run that can be repeated: arguments of `integrate`."""

    program: Program
    start: np.ndarray
    end: float
    """[s]"""
    p: np.ndarray
    options: Record

    def integrals(self, function: str, combine: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(∫ x dt, ∫ |x| dt) of x = combine · (results of a function of the program), each (rows of combine,)."""
        steps = np.unique(self._run(None).t)
        steps = steps[np.concatenate([[True], np.diff(steps) > 1e-13 * self.end])]
        widths = np.diff(steps)
        nodes = np.append((steps[:-1, None] + widths[:, None] * NODES[:-1]).ravel(), steps[-1])
        path = self._run(nodes)
        if path.t.size != nodes.size:
            raise LinkworkError("the run could not be repeated.", remedy="Give it a longer duration, or other solver.")
        call = self.program.function(function)
        signed, total = np.zeros(combine.shape[0]), np.zeros(combine.shape[0])
        many = max(1, BLOCK // (4 * (call.out_sizes[0] + 5 * combine.shape[0])))
        signals, inputs = self.options.get("signals"), len(self.program.inputs)
        for first in range(0, widths.size, many):
            last = min(first + many, widths.size)
            rows = slice(4 * first, 4 * last + 1)
            x = evaluate(call, path.t[rows], path.y[rows], self.p, signals, inputs=inputs) @ combine.T
            index = 4 * np.arange(last - first)[:, None] + np.arange(5)
            net, absolute = over_steps(x[index], widths[first:last])
            signed, total = signed + net, total + absolute
        return signed, total

    def _run(self, times: np.ndarray | None) -> Trajectory:
        return integrate(self.program, self.start, (0.0, self.end), times=times, parameters=self.p, **self.options)


def over_steps(x: np.ndarray, widths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∫ x dt and ∫ |x| dt over steps: x (steps, 5 nodes, n), widths (steps,) s → (n,) each."""
    net = np.einsum("skn,k,s->sn", x, WEIGHTS, widths)
    absolute = np.abs(net)
    step, column = np.nonzero((x.min(axis=1) < 0) & (x.max(axis=1) > 0))
    if step.size:
        here = x[step, :, column]
        value, primitive = here @ _VALUES.T, here @ _PRIMITIVE.T
        pieces = np.abs(np.diff(primitive, axis=1))
        row, k = np.nonzero(value[:, :-1] * value[:, 1:] < 0)
        left, right = value[row, k], value[row, k + 1]
        root = _EDGES[k] + left / (left - right) / PARTS
        c = here[row] @ _TO_COEFFICIENTS.T
        powers = np.vander(root, 5, increasing=True)
        slope = np.einsum("rk,rk->r", powers[:, :4] * np.arange(1, 5), c[:, 1:])
        with np.errstate(all="ignore"):
            nearer = root - np.einsum("rk,rk->r", powers, c) / slope  # one step of Newton's
        root = np.where((nearer > _EDGES[k]) & (nearer < _EDGES[k + 1]), nearer, root)
        at_root = np.einsum("rk,rk->r", np.vander(root, 6, increasing=True)[:, 1:] / np.arange(1, 6), c)
        pieces[row, k] = np.abs(at_root - primitive[row, k]) + np.abs(primitive[row, k + 1] - at_root)
        absolute[step, column] = widths[step] * pieces.sum(axis=1)
    return net.sum(axis=0), absolute.sum(axis=0)


Integrator = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Rows that combine the probes → their (∫ x dt, ∫ |x| dt)."""
