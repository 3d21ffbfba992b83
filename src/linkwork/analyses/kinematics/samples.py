"""Functions of the equations as machine code, for many samples at once and with inputs as they are at each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca
import numpy as np

from linkwork.compile.native import CompiledFunction, compile_function
from linkwork.core.courses import Courses, in_time
from linkwork.core.pieces import OverTime
from linkwork.geometry import SX
from linkwork.integrate import evaluate


class Layout(NamedTuple):
    """Where the nonzeros of a result are; rows and columns: None where it is a full column."""

    shape: tuple[int, int]
    nonzeros: int
    rows: list[int] | None
    columns: list[int] | None

    @classmethod
    def of(cls, result: SX) -> Layout:
        full = result.shape[1] == 1 and result.is_dense()
        rows, columns = (None, None) if full else result.sparsity().get_triplet()
        return cls(result.shape, result.nnz(), rows, columns)

    def filled(self, values: np.ndarray) -> np.ndarray:
        """(samples, rows, columns) from the values of the nonzeros."""
        if self.rows is None:
            return values[:, :, None]
        full = np.zeros((len(values), *self.shape))
        full[:, self.rows, self.columns] = values
        return full


Made = tuple[CompiledFunction | None, list[Layout]]


@dataclass
class Samples:
    """An evaluator of equations (see `At`): every part and result has one row per sample, (samples, …).

    signals: those inputs that vary over time, by their index; inputs: how many there are.
    """

    courses: Courses
    signals: Mapping[int, OverTime]
    inputs: int
    seconds: float = 0.0
    """Spent on compiling."""

    def make(self, name: str, arguments: list[SX], results: list[SX]) -> Made:
        t, *parts, p = arguments
        Y = SX.sym("Y", sum(part.numel() for part in parts))
        column = ca.vertcat(SX(0, 1), *(ca.vec(result).nz[:] for result in results))
        layouts = [Layout.of(result) for result in results]
        if not column.numel():
            return None, layouts
        (column,) = in_time([ca.substitute(ca.densify(column), ca.vertcat(*parts), Y)], self.courses)
        code = compile_function(ca.Function("samples", [t, Y, p], [column]), name=name)
        self.seconds += code.seconds
        return code, layouts

    def call(self, made: Made, t: np.ndarray, parts: Sequence[np.ndarray], p: np.ndarray) -> list[np.ndarray]:
        """Each result of shape (samples, rows, columns)."""
        code, layouts = made
        if code is None or not t.size:
            return [np.zeros((t.size, *layout.shape)) for layout in layouts]
        if t.size == 1 and not self.signals:  # a fifth of what a run over samples takes to set up
            out = code(t[0], np.hstack(parts)[0], p)[0][None]
        else:
            out = evaluate(code, t, np.hstack(parts), p, self.signals, inputs=self.inputs)
        arrays, first = [], 0
        for layout in layouts:
            arrays.append(layout.filled(out[:, first : first + layout.nonzeros]))
            first += layout.nonzeros
        return arrays

    arrays = call
