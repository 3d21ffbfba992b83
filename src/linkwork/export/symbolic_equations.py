"""The equations of a model in SymPy: plain matrices and symbols."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.core.equations import Equations
from linkwork.export.names import Names
from linkwork.export.sympy_expressions import converted, number, sympy, tree_size

if TYPE_CHECKING:
    from sympy import Expr, Matrix, Symbol


TOO_LARGE = 20_000
"""Operations in one entry beyond which SymPy itself becomes slow unless common parts have names."""


@dataclass(frozen=True, eq=False)
class SymbolicEquations:
    """M v̇ + Aᵀλ = f,  q̇ = H v,  A v̇ = γ,  Φ = 0,  ż = g, as SymPy matrices.

    Columns of symbols: q, v, z, a (v̇), multipliers (λ), parameters (with the inputs behind). Matrices of expressions:
    mass M, force f, jacobian A, gamma γ, position Φ, qdot, zdot. `where`: names of common subexpressions and what they
    stand for, each in terms of the symbols and of earlier names; mostly empty. `values`: numbers of the parameters.
    """

    t: Symbol
    q: Matrix
    v: Matrix
    z: Matrix
    a: Matrix
    multipliers: Matrix
    parameters: Matrix
    qdot: Matrix
    mass: Matrix
    force: Matrix
    jacobian: Matrix
    gamma: Matrix
    position: Matrix
    zdot: Matrix
    where: tuple[tuple[Symbol, Expr], ...]
    values: dict[Symbol, Expr]
    symbols: dict[str, Symbol]
    """Every symbol by its plain name: "O.angle", "O.angle.rate", "damping", "lambda.1", "t"."""

    def simplified(self) -> SymbolicEquations:
        """The same with `sympy.simplify` applied to every entry; may take long."""
        sp = sympy()
        changed = {f.name: getattr(self, f.name).applyfunc(sp.simplify) for f in fields(self) if f.name in _EXPRESSIONS}
        return replace(self, **changed, where=tuple((name, sp.simplify(value)) for name, value in self.where))

    def source(self) -> str:
        """Python text that makes these symbols and matrices again with SymPy."""
        sp = sympy()
        plain: dict[Symbol, Symbol] = {}
        for symbol in [*self.symbols.values(), *(name for name, _ in self.where)]:
            word = re.sub(r"\W", "_", symbol.name)
            word = f"_{word}" if word[0].isdigit() else word
            while hasattr(sp, word) or keyword.iskeyword(word) or word in _COLUMNS or sp.Symbol(word) in plain.values():
                word += "_"
            plain[symbol] = sp.Symbol(word)
        lines = ["from sympy import *", ""]
        lines += [f"{word} = Symbol({symbol.name!r})" for symbol, word in plain.items()]

        def text(value: Expr) -> str:
            return str(sp.sstr(value.xreplace(plain), sympy_integers=True, full_prec=False))

        lines += ["", *(f"{plain[name]} = {text(value)}" for name, value in self.where)]
        for name in _COLUMNS:
            matrix = getattr(self, name)
            rows = ", ".join(f"[{', '.join(text(x) for x in matrix.row(i))}]" for i in range(matrix.rows))
            lines.append(f"{name} = Matrix([{rows}])" if rows else _empty(name, matrix))
        return "\n".join(lines) + "\n"


def _empty(name: str, matrix: Matrix) -> str:
    return f"{name} = zeros({matrix.rows}, {matrix.cols})"


_EXPRESSIONS = ("qdot", "mass", "force", "jacobian", "gamma", "position", "zdot")
_COLUMNS = ("q", "v", "z", "a", "multipliers", "parameters", *_EXPRESSIONS)


def symbolic(eq: Equations, names: Names, p: np.ndarray, *, cse: bool | None) -> SymbolicEquations:
    """The equations in SymPy symbols of the given names."""
    sp = sympy()
    arguments = [eq.t, eq.q, eq.v, eq.z, eq.p, eq.a, eq.multipliers]
    groups = [(names.t,), names.q, names.v, names.z, names.p, names.a, names.multipliers]
    symbols = [[sp.Symbol(name.symbol) for name in group] for group in groups]
    motion, held = eq.motion, eq.constraints
    results = [motion.qdot, ca.triu(motion.mass), motion.force, held.jacobian, held.gamma, held.position, motion.zdot]
    if cse is None:
        cse = tree_size(arguments, results) > TOO_LARGE
    taken = {name.letter for group in groups for name in group}
    letter = next(x for x in ("kappa", "zeta", "xi", "sub", "common") if x not in taken)
    where, matrices = converted(arguments, symbols, results, shared=letter if cse else "")
    # Both halves of the mass matrix are equal, but only look so if one is a copy of the other.
    mass = matrices[_EXPRESSIONS.index("mass")]
    for i, j in zip(*np.triu_indices(mass.rows, 1), strict=True):
        mass[int(j), int(i)] = mass[int(i), int(j)]
    columns = [sp.Matrix(len(group), 1, group) for group in symbols]
    unknowns = dict(zip(("t", "q", "v", "z", "parameters", "a", "multipliers"), columns, strict=True))
    return SymbolicEquations(
        **{**unknowns, **dict(zip(_EXPRESSIONS, matrices, strict=True)), "t": symbols[0][0]},
        where=tuple(where),
        values={symbol: number(float(x)) for symbol, x in zip(symbols[4], p, strict=True)},
        symbols={
            name.plain: symbol
            for group, made in zip(groups, symbols, strict=True)
            for name, symbol in zip(group, made, strict=True)
        },
    )
