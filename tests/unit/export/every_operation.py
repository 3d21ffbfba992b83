"""A function of two numbers that uses every operation an expression can hold."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.compile.stream import ARITY, stream_of

_UNARY = (
    ca.exp, ca.log, ca.sqrt, ca.sin, ca.cos, ca.tan, ca.asin, ca.acos, ca.atan, ca.floor, ca.ceil, ca.fabs, ca.sign,
    ca.erf, ca.sinh, ca.cosh, ca.tanh, ca.asinh, ca.atanh, ca.log1p, ca.expm1,
)  # fmt: skip
_BINARY = (ca.fmod, ca.remainder, ca.copysign, ca.fmin, ca.fmax, ca.atan2, ca.hypot)


def every_operation() -> ca.Function:
    """(t, y, p) → one result per operation and some nested ones; y = (x, y) with 0 < x < 1."""
    t, both, p = ca.SX.sym("t"), ca.SX.sym("y", 2), ca.SX.sym("p", 0)
    x, y = both[0], both[1]
    found = [f(x) for f in _UNARY] + [f(x, y) for f in _BINARY]
    found += [ca.acosh(1 + x), x + y, x - y, x * y, x / y, -y, 1 / y, 2 * x, x + x, y**2, x**y, x**2.5]
    found += [x < y, x <= y, x == y, x != y, ca.logic_not(x < y), ca.logic_and(x < y, y < 2), ca.logic_or(x < y, y < 0)]
    found += [ca.if_else(x < y, x * y, x - y), ca.if_else(y, x, -1), ca.sign(x - y) * ca.fabs(y - 1)]
    found += [x - (y - (x - y)), x / (y / (x / y)), -(-(x + y) * y), -((x - 2) ** 2), (x + y) ** 2, 1 / (1 / (x * y))]
    found += [(x - 3) * -(y + 0.1), ca.copysign(x, y - 1), ca.log1p(x * x) - -0.25 * y, ca.sqrt(ca.SX(2)) * x]
    f = ca.Function("every", [t, both, p], [ca.densify(ca.vertcat(*found))])
    missing = ARITY.keys() - set(stream_of(f).op.tolist()) - {ca.OP_ASSIGN}
    assert not missing, f"the trial function lacks operations {missing}"
    return f


COLUMNS = every_operation().nnz_out(0)


def points_of_trial() -> list[np.ndarray]:
    """States at which no operation is at a jump or undefined."""
    return [np.array(pair) for pair in ((0.3, 0.7), (0.8, 0.45), (0.25, 1.7), (0.6, -0.35), (0.6, -1.9))]
