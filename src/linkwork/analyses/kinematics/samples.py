"""Functions of the equations as machine code, for many samples at once and with inputs as they are at each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from linkwork.compile.native import CompiledFunction, compile_function
from linkwork.core.courses import Courses, in_time
from linkwork.geometry import SX
from linkwork.integrate import evaluate


@dataclass
class Samples:
    """An evaluator of equations (see `At`): every part and result has one row per sample, (samples, …).

    signals: those inputs that vary over time, by their index; inputs: how many there are.
    """

    courses: Courses
    signals: Mapping[int, Any]
    inputs: int
    seconds: float = 0.0
    """Spent on compiling."""

    def make(self, name: str, arguments: list[SX], results: list[SX]) -> tuple[CompiledFunction | None, list[SX]]:
        t, *parts, p = arguments
        Y = SX.sym("Y", sum(part.numel() for part in parts))
        column = ca.vertcat(SX(0, 1), *(ca.vec(result).nz[:] for result in results))
        if not column.numel():
            return None, results
        (column,) = in_time([ca.substitute(ca.densify(column), ca.vertcat(*parts), Y)], self.courses)
        code = compile_function(ca.Function("samples", [t, Y, p], [column], {"cse": True}), name=name)
        self.seconds += code.seconds
        return code, results

    def call(
        self,
        made: tuple[CompiledFunction | None, list[SX]],
        t: np.ndarray,
        parts: Sequence[np.ndarray],
        p: np.ndarray,
    ) -> list[np.ndarray]:
        """Each result of shape (samples, rows, columns)."""
        code, results = made
        if code is None or not t.size:
            return [np.zeros((t.size, *result.shape)) for result in results]
        if t.size == 1 and not self.signals:  # a fifth of what a run over samples takes to set up
            out = code(t[0], np.hstack(parts)[0], p)[0][None]
        else:
            out = evaluate(code, t, np.hstack(parts), p, self.signals, inputs=self.inputs)
        ends = np.cumsum([result.nnz() for result in results])[:-1]
        return [_dense(result, values) for result, values in zip(results, np.hsplit(out, ends), strict=True)]


def _dense(result: SX, values: np.ndarray) -> np.ndarray:
    """(samples, rows, columns) from the values of the nonzeros."""
    if result.shape[1] == 1 and result.is_dense():
        return values[:, :, None]
    rows, columns = result.sparsity().get_triplet()
    full = np.zeros((len(values), *result.shape))
    full[:, rows, columns] = values
    return full
