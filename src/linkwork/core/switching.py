"""Where expressions may jump or bend: comparisons, roundings, absolute values and the like, found in their graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.geometry import SX

COMPARED = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_FMIN, ca.OP_FMAX}
SIGNED = {ca.OP_FABS, ca.OP_SIGN}
ROUNDED = {ca.OP_FLOOR, ca.OP_CEIL}
DIVIDED = {ca.OP_FMOD, ca.OP_REMAINDER}
WATCHED = COMPARED | SIGNED | ROUNDED | DIVIDED


@dataclass(frozen=True)
class Switch:
    """Something happens where `value` is zero, or where it is an integer (`rounded`)."""

    value: SX
    rounded: bool = False

    @property
    def zero(self) -> SX:
        """An expression that changes its sign there."""
        return ca.sin(np.pi * self.value) if self.rounded else self.value


def switches_in(expressions: Sequence[SX], chosen: Sequence[SX], others: Sequence[SX] | None = None) -> list[Switch]:
    """Switches that depend on any of the `chosen` symbols and on none of the `others`, in the order of evaluation.

    others: None: it does not matter.
    """
    column = ca.vertcat(SX(0, 1), *(ca.vec(SX(x)).nz[:] for x in expressions))
    symbols = ca.symvar(column)
    wanted = {s.element_hash() for part in chosen for s in ca.symvar(SX(part))}
    if not any(s.element_hash() in wanted for s in symbols):
        return []
    f = ca.Function("f", [ca.vertcat(*symbols)], [column], {"cse": True})
    if not any(f.instruction_id(k) in WATCHED for k in range(f.n_instructions())):
        return []
    barred = {s.element_hash() for part in others or () for s in ca.symvar(SX(part))}
    kind = [2 if s.element_hash() in barred else int(s.element_hash() in wanted) for s in symbols]
    places = _depending(f, kind)
    if not places:
        return []
    instructions = f.instructions_sx()
    values = ca.vertcat(*(_value(instructions[k]) for k in places))
    written = ca.vertsplit(ca.Function("w", f.sx_in(), [values], {"cse": True})(ca.vertcat(*symbols)))
    rounded = [f.instruction_id(k) in ROUNDED | DIVIDED for k in places]
    return [Switch(ca.densify(x), r) for x, r in zip(written, rounded, strict=True)]


def _depending(f: ca.Function, kind: list[int]) -> list[int]:
    """Numbers of the watched instructions that depend on symbols of kind 1 and on none of kind 2."""
    register, places = [0] * f.sz_w(), []
    for k in range(f.n_instructions()):
        op, at = f.instruction_id(k), f.instruction_output(k)
        if op == ca.OP_OUTPUT:
            continue
        if op == ca.OP_INPUT:
            value = kind[f.instruction_input(k)[1]]
        else:
            value = max((register[i] for i in f.instruction_input(k)), default=0) if op != ca.OP_CONST else 0
            if value == 1 and op in WATCHED:
                places.append(k)
        register[at[0]] = value
    return places


def _value(instruction: SX) -> SX:
    op = instruction.op()
    if op in COMPARED:
        return instruction.dep(0) - instruction.dep(1)
    if op in DIVIDED:
        return instruction.dep(0) / instruction.dep(1) + (0.5 if op == ca.OP_REMAINDER else 0.0)
    return instruction.dep(0)
