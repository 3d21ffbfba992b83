"""Terms that cancel each other but for rounding: a symbol that seems to be in an equation, and is not."""

from __future__ import annotations

from collections.abc import Collection

import casadi as ca
import numpy as np

from linkwork.geometry import SX

ROUNDING = 1e-13
"""Share of its terms below which a coefficient is what rounding has left of it."""
TRIALS = 3
"""Sets of values of parameters for which terms must cancel: what is zero for one set only is no relation."""

PLAIN = {ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_DIV, ca.OP_NEG, ca.OP_TWICE, ca.OP_SQ, ca.OP_INV,
         ca.OP_CONST, ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_PARAMETER}  # fmt: skip


class _Form:
    """Constant + Σ coefficient · symbol, beside the sum of the sizes of the terms of each coefficient."""

    def __init__(self, count: int, constant: float = 0.0):
        self.constant, self.coefficient, self.size = constant, np.zeros(count), np.zeros(count)

    @property
    def is_number(self) -> bool:
        return not self.size.any()

    def scaled(self, factor: float) -> _Form:
        made = _Form(0, factor * self.constant)
        made.coefficient, made.size = factor * self.coefficient, abs(factor) * self.size
        return made

    def plus(self, other: _Form, sign: float = 1.0) -> _Form:
        made = _Form(0, self.constant + sign * other.constant)
        made.coefficient, made.size = self.coefficient + sign * other.coefficient, self.size + other.size
        return made


def without_cancelled(residual: SX, constants: Collection[int] = ()) -> SX:
    """The same without symbols whose terms cancel (a − x + x): counting unknowns would still see them.

    constants: hashes of parameters; terms cancel for all values of them, or do not.
    """
    symbols = ca.symvar(residual)
    x = ca.vertcat(SX(0, 1), *symbols)
    f = ca.Function("residual", [x], [residual])
    if any(f.instruction_id(k) not in PLAIN for k in range(f.n_instructions())):
        return residual  # a comparison has no slope either, and yet it matters
    working = set(ca.sparsify(ca.simplify(ca.jacobian(residual, x))).sparsity().get_col())
    fixed = np.array([s.element_hash() in constants for s in symbols], dtype=bool)
    working -= _rounded(f, fixed)
    idle = [s for k, s in enumerate(symbols) if k not in working and not fixed[k]]  # a parameter may divide: a x/a
    if not idle:
        return residual
    without = ca.simplify(ca.substitute(residual, ca.vertcat(*idle), SX.zeros(len(idle), 1)))
    if _linear(f, fixed, np.full(fixed.size, 0.7)) is not None:
        return without
    return without if _is_same(f, ca.Function("without", [x], [without]), len(symbols)) else residual


def _is_same(f: ca.Function, g: ca.Function, count: int) -> bool:
    """But for rounding: what is not linear may divide by what it does not hang on."""
    random = np.random.default_rng(count)
    for _ in range(TRIALS):
        at = random.uniform(0.5, 1.5, count)
        before, after = float(f(at)), float(g(at))
        if not abs(before - after) <= 1e-9 * max(1.0, abs(before)):
            return False
    return True


def _rounded(f: ca.Function, fixed: np.ndarray) -> set[int]:
    """Which symbols have a coefficient that is rounding, whatever the values of the fixed ones."""
    random, rounded = np.random.default_rng(fixed.size), np.ones(fixed.size, dtype=bool)
    for _ in range(TRIALS if fixed.any() else 1):
        form = _linear(f, fixed, random.uniform(0.5, 1.5, fixed.size))
        if form is None:
            return set()
        rounded &= (form.size > 0) & (np.abs(form.coefficient) <= ROUNDING * form.size)
    return set(np.flatnonzero(rounded).tolist())


def _linear(f: ca.Function, fixed: np.ndarray, values: np.ndarray) -> _Form | None:
    """f as a linear form of what is not fixed; None where it is not linear."""
    count, work, result = fixed.size, {}, None  # type: int, dict[int, _Form], _Form | None
    for k in range(f.n_instructions()):
        op, given, to = f.instruction_id(k), f.instruction_input(k), f.instruction_output(k)
        if op == ca.OP_CONST:
            made: _Form | None = _Form(count, float(f.instruction_constant(k)))
        elif op == ca.OP_INPUT:
            made = _Form(count, values[given[1]] if fixed[given[1]] else 0.0)
            if not fixed[given[1]]:
                made.coefficient[given[1]] = made.size[given[1]] = 1.0
        elif op == ca.OP_OUTPUT:
            result = work[given[0]]
            continue
        else:
            made = _operated(op, [work[i] for i in given])
        if made is None:
            return None
        work[to[0]] = made
    return result


def _operated(op: int, args: list[_Form]) -> _Form | None:
    a, b = args[0], args[-1]
    if op in (ca.OP_ADD, ca.OP_SUB):
        return a.plus(b, 1.0 if op == ca.OP_ADD else -1.0)
    if op in (ca.OP_NEG, ca.OP_TWICE):
        return a.scaled(-1.0 if op == ca.OP_NEG else 2.0)
    if op == ca.OP_MUL and (a.is_number or b.is_number):
        return b.scaled(a.constant) if a.is_number else a.scaled(b.constant)
    if op == ca.OP_DIV and b.is_number and b.constant:
        return a.scaled(1.0 / b.constant)
    if op == ca.OP_SQ and a.is_number:
        return a.scaled(a.constant)
    if op == ca.OP_INV and a.is_number and a.constant:
        return _Form(a.size.size, 1.0 / a.constant)
    return None
