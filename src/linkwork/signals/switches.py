"""Where a function may jump or bend: the comparisons in it, as functions whose zeros can be located."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.geometry import SX

COMPARISONS = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE}
ROUNDINGS = {ca.OP_FLOOR, ca.OP_CEIL}
WATCHED = COMPARISONS | ROUNDINGS | {ca.OP_SIGN}


def comparisons(f: ca.Function, arguments: list[SX]) -> list[SX]:
    """One expression per comparison, sign or rounding in f; where it changes its sign, f may have a kink or a jump.

    arguments: symbols for the arguments of f, in which the expressions are to be written.
    """
    watched = [k for k in range(f.n_instructions()) if f.instruction_id(k) in WATCHED]
    if not watched:
        return []
    instructions = f.instructions_sx()
    compared = [_watched(instructions[k]) for k in watched]
    values = ca.vertcat(*compared)
    used = ca.Function("comparisons", f.sx_in(), [values], {"cse": True})
    written = ca.vertsplit(used(*arguments))
    varying = [g for g in written if any(ca.depends_on(g, a) for a in arguments if a.numel())]
    return [ca.densify(g) for g in varying]


def _watched(instruction: SX) -> SX:
    op = instruction.op()
    if op in COMPARISONS:
        return instruction.dep(0) - instruction.dep(1)
    if op in ROUNDINGS:
        return ca.sin(np.pi * instruction.dep(0))
    return instruction.dep(0)
