"""Linear blocks of any order: transfer functions and state-space systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import numpy as np

from linkwork.components.control.blocks import Block, Entry
from linkwork.components.wiring.wired import Wired
from linkwork.core.errors import ModelError
from linkwork.core.kinds import matrix, quantities
from linkwork.core.port import scalar
from linkwork.core.registry import component
from linkwork.geometry import SX, Number

Matrix: TypeAlias = Number | Sequence[Number] | Sequence[Sequence[Number]] | np.ndarray


@component
class TransferFunction(Block):
    """Y(s)/U(s) = numerator/denominator; it starts at rest.

    Any proper one: the numerator is of no higher order than the denominator.
    """

    def __init__(
        self,
        name: str,
        u: Entry = None,
        *,
        numerator: Annotated[Sequence[Number], "coefficients, the highest power first"],
        denominator: Annotated[Sequence[Number], "coefficients, the highest power first"],
    ):
        super().__init__(name, u)
        top, bottom = _trimmed(name, "numerator", numerator), _trimmed(name, "denominator", denominator)
        if not bottom:
            raise ModelError("its denominator is 0.", component=name, remedy="Give denominator=[1, …].")
        if len(top) > len(bottom):
            raise ModelError(
                f"its numerator is of order {len(top) - 1}, its denominator of {len(bottom) - 1}.",
                component=name,
                remedy="Only a proper one can be realised: add a small time constant to the denominator.",
            )
        self.bottom = [c / bottom[0] for c in bottom[1:]]
        padded = [0.0] * (len(bottom) - len(top)) + [c / bottom[0] for c in top]
        self.direct = padded[0]
        self.top = [c - self.direct * a for c, a in zip(padded[1:], self.bottom, strict=True)]
        self.x = [self.variable(f"x{k + 1}", 0.0) for k in range(len(self.bottom))]

    def law(self):
        # Observer form: each state collects what is left of lower powers, y is the first one.
        first = self.x[0] if self.x else SX(0)
        residuals = [self.y.value - first - self.direct * self.entry]
        for k, x in enumerate(self.x):
            after = self.x[k + 1] if k + 1 < len(self.x) else SX(0)
            residuals.append(self.der(x) - after + self.bottom[k] * first - self.top[k] * self.entry)
        return residuals


@component
class StateSpace(Wired):
    """dx/dt = A x + B u, y = C x + D u; inputs u (or u1, u2, …), outputs y (or y1, y2, …)."""

    def __init__(
        self,
        name: str,
        *inputs: Annotated[Entry, "a signal for each column of B; none: ports, connected later"],
        A: Annotated[Matrix, matrix, "n×n"],
        B: Annotated[Matrix, matrix, "n×(inputs)"],
        C: Annotated[Matrix, matrix, "(outputs)×n"],
        D: Annotated[Matrix | None, matrix, "(outputs)×(inputs), 0 unless given"] = None,
        start: Annotated[Sequence[Number] | None, quantities, "x at the start, 0 unless given"] = None,
    ):
        super().__init__(name)
        self.A, self.B, self.C = (SX(_matrix(x)) for x in (A, B, C))
        n, m, p = self.A.shape[0], self.B.shape[1], self.C.shape[0]
        self.D = SX.zeros(p, m) if D is None else SX(_matrix(D))
        wanted = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m)}
        for letter, shape in wanted.items():
            given = getattr(self, letter).shape
            if given != shape:
                raise ModelError(
                    f"{letter} is {given[0]}×{given[1]} instead of {shape[0]}×{shape[1]}.",
                    component=name,
                    remedy="A is n×n, B n×(inputs), C (outputs)×n, D (outputs)×(inputs).",
                )
        if start is not None and len(start) != n:
            raise ModelError(f"{len(start)} start values.", component=name, remedy=f"Give {n}, one per state.")
        if inputs and len(inputs) != m:
            raise ModelError(f"{len(inputs)} inputs for {m} columns of B.", component=name, remedy=f"Give {m} or none.")
        self.sources = ["u"] if m == 1 else [f"u{k + 1}" for k in range(m)]
        for label, u in zip(self.sources, inputs or [None] * m, strict=True):
            self.take_signal(label, u)
        self.results = [self.output("y" if p == 1 else f"y{k + 1}") for k in range(p)]
        self.x = [self.variable(f"x{k + 1}", 0.0 if start is None else start[k]) for k in range(n)]

    def equations(self):
        u = [self.value(label) for label in self.sources]
        rates = [self.der(x) - self._row(self.A, k, self.x) - self._row(self.B, k, u) for k, x in enumerate(self.x)]
        outs = [y.value - self._row(self.C, k, self.x) - self._row(self.D, k, u) for k, y in enumerate(self.results)]
        return [*rates, *outs]

    @staticmethod
    def _row(matrix: SX, k: int, column: list[SX]) -> SX:
        return sum((matrix[k, j] * x for j, x in enumerate(column)), SX(0))


def _matrix(x: object) -> SX | np.ndarray:
    if isinstance(x, SX):
        return x
    array = np.atleast_2d(np.asarray(x, dtype=object if _symbolic(x) else float))
    return _stacked(array) if array.dtype == object else array


def _stacked(x: np.ndarray) -> SX:
    made = SX.zeros(*x.shape)
    for i, j in np.ndindex(*x.shape):
        made[i, j] = x[i, j]
    return made


def _symbolic(x: object) -> bool:
    if isinstance(x, (list, tuple)):
        return any(_symbolic(part) for part in x)
    return isinstance(x, SX)


def _trimmed(name: str, what: str, coefficients: Sequence[Number]) -> list[Number]:
    """Without leading zeros."""
    if isinstance(coefficients, (str, SX)) or not np.iterable(coefficients) or not len(coefficients):
        raise ModelError(
            f"{what} {coefficients!r}.", component=name, remedy="Give a list of numbers, the highest power first."
        )
    given = list(coefficients)
    for c in given:
        scalar(c, name, f"{what} with")
    while given and not isinstance(given[0], SX) and given[0] == 0:
        given.pop(0)
    return given
