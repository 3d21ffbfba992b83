"""The functions that code made at once calls: made by LLVM, once for all, from the lines of `lowering`."""

from __future__ import annotations

from functools import cache as once

import llvmlite.binding as llvm

from linkwork.compile import angles
from linkwork.compile import cache as objects
from linkwork.compile.baseline import INLINE, SINE_AND_COSINE
from linkwork.compile.linking import Loaded, loaded
from linkwork.compile.llvm import emit_object, generator
from linkwork.compile.lowering import DECLARED, LOWERING

PREFIX = "linkwork_operation_"


@once
def functions() -> tuple[dict[int, int], Loaded]:
    """Number of the operation → address; and what must be kept as long as these are called."""
    numbers = [op for op in sorted(LOWERING) if op not in INLINE] + [SINE_AND_COSINE]
    text = _text(numbers)
    key = objects.key_of(text, generator())
    made = objects.load(key)
    if made is None:
        made = emit_object(text)
        objects.store(key, made)
    names = {number: f"{PREFIX}{number}" for number in numbers}
    code = loaded(made, list(names.values()))
    return {number: code.address(name) for number, name in names.items()}, code


def _text(numbers: list[int]) -> str:
    lines = [f'target triple = "{llvm.get_process_triple()}"', angles.kernel("sincos.1", 1)]
    for op in numbers[:-1]:
        fields = {"r": "%r", "x": "%x", "y": "%y", "X": "%x.t", "Y": "%y.t"}
        lines += [
            f"define double @{PREFIX}{op}(double %x, double %y) nounwind {{",
            " %x.t = fcmp une double %x, 0.0\n %y.t = fcmp une double %y, 0.0",
            f" {LOWERING[op].format(**fields)}\n ret double %r\n}}",
        ]
    lines += [
        f"define void @{PREFIX}{SINE_AND_COSINE}(double %x, ptr %to) nounwind {{",
        " %p = call fastcc { double, double } @sincos.1(double %x)",
        " %s = extractvalue { double, double } %p, 0\n %c = extractvalue { double, double } %p, 1",
        " %next = getelementptr inbounds double, ptr %to, i64 1",
        " store double %s, ptr %to, align 8\n store double %c, ptr %next, align 8\n ret void\n}",
    ]
    declared = DECLARED | angles.declarations(1)
    return "\n".join([*lines, *(f"declare {signature}" for signature in declared.values())])
