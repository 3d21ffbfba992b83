"""Whether a large system is stiff, by its fastest modes alone: some dozens of rates, not two for every state."""

from __future__ import annotations

import numpy as np

from linkwork.core.program import Program
from linkwork.integrate import evaluate
from linkwork.simulation.choice.solver import Automatic

MODES = 4
"""Eigenvalues of largest size that are looked for."""
FEW = 20
"""States of which all modes are computed: there are hardly more than Arnoldi's method looks for."""
RITZ_TOLERANCE = 1e-2
"""Of these, relative: more is not asked."""


class ByFastestModes(Automatic):
    """The choice over one run of a large model."""

    def sampled(self, program: Program, t: float, y: np.ndarray, p: np.ndarray) -> None:
        """Nothing: so large norms settle nothing."""

    def modes(self, program: Program, t: float, y: np.ndarray, p: np.ndarray, disturbance: float) -> np.ndarray | None:
        """By Arnoldi's method; each product is a difference of two rates, on the constraints."""
        if y.size <= FEW:
            return super().modes(program, t, y, p, disturbance)
        from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs

        def rate(state: np.ndarray) -> np.ndarray:
            for name in ("project", "rhs") if program.constrained else ("rhs",):
                function = program.function(name)
                (state,) = evaluate(function, np.array([t]), state[None], p, self.signals, inputs=len(program.inputs))
            return state

        scale, here = np.maximum(1.0, np.abs(y)), rate(y)
        if not np.all(np.isfinite(here)):
            return None

        def product(x: np.ndarray) -> np.ndarray:
            step = disturbance / (float(np.abs(x).max(initial=0.0)) or 1.0)
            return (rate(y + step * scale * x.ravel()) - here) / (step * scale)

        operator = LinearOperator((y.size, y.size), matvec=product, dtype=float)
        first = np.random.default_rng(0).standard_normal(y.size)  # the same choice in every run
        try:
            return eigs(
                operator, k=min(MODES, y.size - 2), v0=first, tol=RITZ_TOLERANCE, maxiter=20, return_eigenvectors=False
            )
        except ArpackNoConvergence as error:
            return error.eigenvalues if error.eigenvalues.size else np.zeros(1)
        except ArpackError:  # nothing but free motions
            return np.zeros(1)
