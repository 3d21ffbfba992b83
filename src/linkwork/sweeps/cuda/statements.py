"""Stream → statements of CUDA C, one value per line; the compiler joins products and sums by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import casadi as ca
import numpy as np

from linkwork.compile.contraction import contracted
from linkwork.compile.stream import ARITY, CONST, INPUT, OUTPUT, Stream
from linkwork.export.c_source import FORMS

REALS: Final = ("double", "float")
SMALLEST_FLOAT: Final = float(np.finfo(np.float32).tiny)
LARGEST_FLOAT: Final = float(np.finfo(np.float32).max)
_FORM: Final = {getattr(ca, f"OP_{name}"): form.text for name, form in FORMS.items()}
_TRIGONOMETRIC: Final = {ca.OP_SIN: "s", ca.OP_COS: "c"}


def function(stream: Stream, name: str, results: tuple[str, ...], *, real: str, head: str) -> str:
    """`head void name(t, y, p, results)`; all are arrays of `real`."""
    listed = ", ".join(["const REAL *t", "const REAL *y", "const REAL *p", *(f"REAL *{r}" for r in results)])
    body = "\n".join(f"    {line}" for line in _statements(contracted(stream, fused=False), results, real))
    return f"{head} void {name}({listed})\n{{\n{body}\n}}\n"


def _statements(stream: Stream, results: tuple[str, ...], real: str) -> Iterator[str]:
    text: dict[int, str] = {}
    paired: set[int] = set()
    suffix = "f" if real == "float" else ""
    rows = zip(stream.op.tolist(), stream.in0.tolist(), stream.in1.tolist(), strict=True)
    for k, (op, x, y) in enumerate(rows):
        if op == CONST:
            text[k] = number(float(stream.const[k]), suffix)
        elif op == INPUT:
            text[k] = f"{'typ'[x]}[{y}]"
        elif op == OUTPUT:
            yield f"{results[int(stream.out[k])]}[{y}] = {text[x]};"
        elif op in _TRIGONOMETRIC:
            if x not in paired:
                paired.add(x)
                yield f"REAL s{x}, c{x};"
                yield f"SINCOS({text[x]}, &s{x}, &c{x});"
            text[k] = f"{_TRIGONOMETRIC[op]}{x}"
        else:
            form = re.sub(r"(?<![\w.])(\d\.\d)", rf"\g<1>{suffix}", _FORM[op])
            operands = {"x": text[x]} | ({"y": text[y]} if ARITY[op] > 1 else {})
            yield f"const REAL v{k} = {form.format(**operands)};"
            text[k] = f"v{k}"


def number(value: float, suffix: str = "") -> str:
    """A number as C++ reads it, exactly; infinite ones and NaN as the text of `source` defines them.

    Those beyond the range of `float` are its ends: what keeps a divisor from vanishing still does.
    """
    if value != value:
        return "LW_NAN"
    if suffix and value and np.isfinite(value):
        value = float(np.copysign(np.clip(abs(value), SMALLEST_FLOAT, LARGEST_FLOAT), value))
    if value in (float("inf"), float("-inf")):
        return "HUGE_VAL" if value > 0 else "(-HUGE_VAL)"
    written = f"{value!r}{suffix}"
    return f"({written})" if value < 0 or written.startswith("-") else written
