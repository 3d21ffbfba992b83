"""What is to be searched, and SciPy's methods to search it, fed with exact gradients.

Everything here is scaled: x of the order 1, objective and constraints divided by their sizes at the start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record

if TYPE_CHECKING:
    import scipy.optimize


SCIPY = ("SLSQP", "L-BFGS-B", "trust-constr")
METHODS = ("auto", *SCIPY, "ipopt")


@dataclass(frozen=True)
class Task:
    """min F(x) with lower ≤ x ≤ upper, low ≤ G(x) ≤ high; infinite where there is no bound."""

    values: Callable[[np.ndarray], np.ndarray]
    """[F, G…] at x."""
    slopes: Callable[[np.ndarray], np.ndarray]
    """Their gradients, shape (1 + constraints, unknowns)."""
    x0: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    low: np.ndarray
    high: np.ndarray
    tolerance: float
    iterations: int


class Interrupted(Exception):
    """Ends a search from within; `cause` is what to tell."""

    def __init__(self, cause: BaseException | None):
        super().__init__(str(cause))
        self.cause = cause


def search(task: Task, method: str) -> tuple[bool, str]:
    """One of SciPy's methods; every point goes through `task.values`. Returns (converged, in words)."""
    from scipy.optimize import minimize

    options: Record = {"maxiter": task.iterations}
    if method == "SLSQP":
        options["ftol"] = 0.01 * task.tolerance
    elif method == "L-BFGS-B":
        options |= {"ftol": 0.01 * task.tolerance, "gtol": task.tolerance}
    else:
        # Its test of the gradient does not see that the barrier still keeps a point off its bounds; so the gradient is
        # asked to be so small that the barrier has to go first.
        small = 1e-4 * task.tolerance
        options |= {"gtol": small, "xtol": 0.01 * task.tolerance, "barrier_tol": small}
    if task.low.size and method == "L-BFGS-B":
        raise LinkworkError("L-BFGS-B takes no constraints.", remedy="Use SLSQP, trust-constr or ipopt.")
    optimum = minimize(
        lambda x: float(task.values(x)[0]),
        task.x0,
        jac=lambda x: task.slopes(x)[0],
        method=method,
        bounds=list(zip(task.lower, task.upper, strict=True)),
        constraints=_inequalities(task) if method == "SLSQP" else _ranges(task),
        options=options,
    )
    return bool(optimum.success), str(optimum.message)


def _ranges(task: Task) -> scipy.optimize.NonlinearConstraint | tuple[()]:
    from scipy.optimize import NonlinearConstraint

    if not task.low.size:
        return ()
    return NonlinearConstraint(lambda x: task.values(x)[1:], task.low, task.high, jac=lambda x: task.slopes(x)[1:])


def _inequalities(task: Task) -> list[Record]:
    """SLSQP wants equations apart from inequalities, and each side by itself."""
    inequalities = []
    for k, (low, high) in enumerate(zip(task.low, task.high, strict=True)):
        sides = [("eq", 1.0, low)] if low == high else [("ineq", 1.0, low), ("ineq", -1.0, high)]
        for kind, sign, bound in sides:
            if np.isfinite(bound):
                inequalities.append(
                    {
                        "type": kind,
                        "fun": lambda x, k=k, s=sign, b=bound: s * (task.values(x)[1 + k] - b),
                        "jac": lambda x, k=k, s=sign: s * task.slopes(x)[1 + k],
                    }
                )
    return inequalities
