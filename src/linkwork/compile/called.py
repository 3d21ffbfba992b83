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
def functions() -> tuple[dict[int, int], list[Loaded]]:
    """Number of the operation → address; and what must be kept as long as these are called."""
    others = [op for op in sorted(LOWERING) if op not in INLINE]
    made = [_made(_kernel(), [SINE_AND_COSINE], opt=1), _made(_operations(others), others, opt=0)]
    return {number: address for addresses, _ in made for number, address in addresses.items()}, [
        code for _, code in made
    ]


def _made(text: str, numbers: list[int], opt: int) -> tuple[dict[int, int], Loaded]:
    """opt=0 where all there is to do is to call the C library."""
    declared = DECLARED | angles.declarations(1)
    head = f'target triple = "{llvm.get_process_triple()}"'
    text = "\n".join([head, text, *(f"declare {signature}" for signature in declared.values())])
    key = objects.key_of(text, generator())
    made = objects.load(key)
    if made is None:
        made = emit_object(text, opt)
        objects.store(key, made)
    names = {number: f"{PREFIX}{number}" for number in numbers}
    code = loaded(made, list(names.values()))
    return {number: code.address(name) for number, name in names.items()}, code


def _operations(numbers: list[int]) -> str:
    lines = []
    for op in numbers:
        fields = {"r": "%r", "x": "%x", "y": "%y", "X": "%x.t", "Y": "%y.t"}
        lines += [f"define double @{PREFIX}{op}(double %x, double %y) nounwind {{"]
        lines += [f" %{x}.t = fcmp une double %{x}, 0.0" for x in "xy" if f"{{{x.upper()}}}" in LOWERING[op]]
        lines += [f" {LOWERING[op].format(**fields)}\n ret double %r\n}}"]
    return "\n".join(lines)


def _kernel() -> str:
    """Its name must not be that of a function of the C library, which it calls."""
    return f"""{angles.kernel("sincos.1", 1)}
define void @{PREFIX}{SINE_AND_COSINE}(double %x, ptr %to) nounwind {{
 %p = call fastcc {{ double, double }} @sincos.1(double %x)
 %s = extractvalue {{ double, double }} %p, 0
 %c = extractvalue {{ double, double }} %p, 1
 %next = getelementptr inbounds double, ptr %to, i64 1
 store double %s, ptr %to, align 8
 store double %c, ptr %next, align 8
 ret void
}}"""
