"""Transfer functions of bond graphs in symbols: Mason's rule over SymPy expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from linkwork.bondgraph.elements import GY, TF, C, I, R
from linkwork.bondgraph.transfer.laurent import Laurent
from linkwork.bondgraph.transfer.mason import Route, mason
from linkwork.bondgraph.transfer.signal_flow import Gain
from linkwork.bondgraph.transfer.transfer_function import GraphTransferFunction
from linkwork.core import kinds
from linkwork.export.sympy_expressions import converted, number, sympy
from linkwork.geometry import SX

if TYPE_CHECKING:
    from sympy import Expr


def symbolic(function: GraphTransferFunction, *, elements: bool = False) -> Expr:
    """G(s) as a SymPy expression in s and the graph's parameters, without common factors.

    elements: laws and moduli that are numbers become symbols as well, named after their elements.
    """
    kinds.truth.taken("elements", elements, function.graph.name)
    sp = sympy()
    gains = _Gains(function, elements)
    top, below = mason(list(function.paths), list(function.loops), gains.of, Laurent({0: sp.Integer(1)}))
    s = sp.Symbol("s")
    ratio = [sum((c * s**k for k, c in p.terms.items()), sp.Integer(0)) for p in (top, below)]
    return sp.cancel(sp.together(ratio[0] / ratio[1]))


class _Gains:
    """Gains in symbols; each law is converted once."""

    def __init__(self, function: GraphTransferFunction, elements: bool):
        self.values, self.elements = function.values, elements
        self._known: dict[int, Expr] = {}

    def of(self, route: Route) -> Laurent:
        sp = sympy()
        product, power = sp.Integer(1), 0
        for gain in route.gains:
            product, power = product * self._coefficient(gain), power + gain.power
        return Laurent({power: product})

    def _coefficient(self, gain: Gain) -> Expr:
        if id(gain) not in self._known:
            c = self._converted(gain)
            self._known[id(gain)] = gain.sign * (1 / c if gain.inverse else c)
        return self._known[id(gain)]

    def _converted(self, gain: Gain) -> Expr:
        c, sp = gain.coefficient, sympy()
        free = [s for s in ca.symvar(c) if s.element_hash() in self.values.names]
        other = [s for s in ca.symvar(c) if s.element_hash() not in self.values.names]
        if other:  # at the start of the graph
            at = {s.element_hash(): x for s, x in zip(self.values.symbols, self.values.numbers, strict=True)}
            c = ca.substitute(c, ca.vertcat(*other), SX(ca.DM([at[s.element_hash()] for s in other])))
        if free:
            names = [sp.Symbol(self.values.names[s.element_hash()]) for s in free]
            return converted([ca.vertcat(*free)], [names], [c])[1][0][0, 0]
        value = float(c)
        if self.elements and isinstance(gain.element, R | C | I | TF | GY) and value:
            name = gain.element.name
            return sp.Symbol(f"{name}_" if name in self.values.parameters else name)
        return number(value)


GraphTransferFunction.register("symbolic", symbolic)
