"""The search by IPOPT, through CasADi: a callback for the values, another for the gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np

from linkwork.analyses.optimisation.search import Interrupted, Task
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record


def search(task: Task) -> tuple[bool, str]:
    """Every point goes through `task.values`. Returns (converged, in words)."""
    values = _Values(task)
    x = ca.MX.sym("x", task.x0.size)
    F = values(x)
    settings: Record = {
        "print_time": False,
        "ipopt": {
            "print_level": 0,
            "sb": "yes",
            "tol": task.tolerance,
            "max_iter": task.iterations,
            "hessian_approximation": "limited-memory",
        },
    }
    solver = ca.nlpsol("optimise", "ipopt", {"x": x, "f": F[0], "g": F[1:]}, settings)
    try:
        solver(x0=task.x0, lbx=task.lower, ubx=task.upper, lbg=task.low, ubg=task.high)
    except RuntimeError as error:
        if not values.stopped:
            raise LinkworkError(f"IPOPT failed: {error}", remedy="Use method='SLSQP'.") from error
    for cause in values.stopped:
        raise cause if isinstance(cause, Interrupted) else Interrupted(cause)
    report = solver.stats()
    return bool(report["success"]), str(report["return_status"]).replace("_", " ")


class _Values(ca.Callback):
    """[F, G…] of a task. Exceptions cannot pass through IPOPT: the first is kept, then every call fails."""

    def __init__(self, task: Task):
        ca.Callback.__init__(self)
        self.task, self.stopped = task, list[BaseException]()
        self.size, self.count = task.x0.size, 1 + task.low.size
        self.construct("values")

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self.size, 1)

    def get_sparsity_out(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self.count, 1)

    def eval(self, arg: Sequence[ca.DM]) -> list[ca.DM]:
        return [ca.DM(self.guarded(self.task.values, arg[0]))]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: Sequence[str], onames: Sequence[str], opts: Any) -> ca.Function:
        self.slopes = _Slopes(self, name)  # kept alive here: CasADi does not own Python's objects
        return self.slopes

    def guarded(self, function: Callable[[np.ndarray], np.ndarray], x: ca.DM) -> np.ndarray:
        try:
            if not self.stopped:
                return np.asarray(function(np.array(x).ravel()))
        except BaseException as error:
            self.stopped.append(error)
        raise RuntimeError("stopped")


class _Slopes(ca.Callback):
    """Their gradients; the second argument, the values themselves, is not needed."""

    def __init__(self, values: _Values, name: str):
        ca.Callback.__init__(self)
        self.values = values
        self.construct(name)

    def get_n_in(self) -> int:
        return 2

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self.values.size, 1) if i == 0 else ca.Sparsity(self.values.count, 1)

    def get_sparsity_out(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self.values.count, self.values.size)

    def eval(self, arg: Sequence[ca.DM]) -> list[ca.DM]:
        return [ca.DM(self.values.guarded(self.values.task.slopes, arg[0]))]
