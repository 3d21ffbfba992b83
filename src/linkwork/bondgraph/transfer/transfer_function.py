"""Transfer function from a source to an output: numerator and denominator in s, and the paths and loops behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.bondgraph.assigning.causality import assign
from linkwork.bondgraph.elements import Junction, Se, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.transfer.laurent import Laurent, common_divisor, divided, without_zeros
from linkwork.bondgraph.transfer.mason import Route, mason, routes
from linkwork.bondgraph.transfer.operating_point import Values, values_at_start
from linkwork.bondgraph.transfer.outputs import measured
from linkwork.bondgraph.transfer.polynomials import written
from linkwork.bondgraph.transfer.signal_flow import Gain, Node, SignalFlow, signal_flow
from linkwork.core import kinds
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.face import TransferFunctionFace
from linkwork.geometry import SX

if TYPE_CHECKING:
    import scipy.signal


@dataclass(frozen=True, repr=False)
class GraphTransferFunction(TransferFunctionFace):
    """G(s) = numerator / denominator, the highest coefficient of the denominator is 1; print() it for paths and loops.

    paths, loops: of the signal-flow graph, by Mason's rule. Common factors are left in, but for powers of s: they are
    modes that the source does not reach or the output does not show; `minimal()` takes them out.
    """

    graph: BondGraph
    source: str
    output: str
    paths: tuple[Route, ...]
    loops: tuple[Route, ...]
    exact: tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
    """Numerator and denominator without rounding, the highest power first."""
    values: Values

    @property
    def numerator(self) -> np.ndarray:
        """Coefficients, the highest power of s first."""
        return np.array([float(c) for c in self.exact[0]])

    @property
    def denominator(self) -> np.ndarray:
        """Coefficients, the highest power of s first."""
        return np.array([float(c) for c in self.exact[1]])

    @property
    def relative_degree(self) -> int:
        """Powers of s that the denominator has more than the numerator; negative: it differentiates."""
        return len(self.exact[1]) - len(self.exact[0])

    @property
    def poles(self) -> np.ndarray:
        return np.roots(self.denominator)

    @property
    def zeros(self) -> np.ndarray:
        return np.roots(self.numerator)

    @property
    def static_gain(self) -> float:
        """G(0); infinite where it integrates."""
        top, below = self.exact[0][-1] if self.exact[0] else Fraction(0), self.exact[1][-1]
        return float(top / below) if below else (np.inf if top else np.nan)

    def __call__(self, s: complex | Sequence[complex] | np.ndarray) -> np.ndarray:
        """G at s [1/s], a number or an array."""
        s = kinds.complex_numbers.taken("s", s, self.graph.name)
        return np.polyval(self.numerator, s) / np.polyval(self.denominator, s)

    def frequency_response(self, w: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """G(iω) for angular frequencies w [rad/s]."""
        return self(1j * np.asarray(kinds.numbers.taken("w", w, self.graph.name)))

    def gain(self, route: Route) -> Laurent:
        """Of a path or loop, as a number times a power of s."""
        return self.values.gain(route)

    def minimal(self) -> GraphTransferFunction:
        """The same function without common factors of numerator and denominator, found exactly."""
        top, below = (list(p) for p in self.exact)
        if top:
            shared = common_divisor(top, below)
            top, below = divided(top, shared)[0], divided(below, shared)[0]
        else:
            below = [Fraction(1)]
        made = (tuple(c / below[0] for c in top), tuple(c / below[0] for c in below))
        return GraphTransferFunction(self.graph, self.source, self.output, self.paths, self.loops, made, self.values)

    def to_scipy(self) -> scipy.signal.TransferFunction:
        """The same as scipy.signal.TransferFunction."""
        from scipy.signal import TransferFunction

        return TransferFunction(self.numerator if self.exact[0] else [0.0], self.denominator)

    @cached_property
    def _text(self) -> str:
        lines = [f"{self.graph.name}: from {self.source} to {self.output}"]
        lines.append(f"  numerator    {written(self.numerator)}")
        lines.append(f"  denominator  {written(self.denominator)}")
        for word, letter, ways in (("forward path", "P", self.paths), ("loop", "L", self.loops)):
            lines.append(f"{len(ways)} {word}{'' if len(ways) == 1 else 's'}")
            for k, route in enumerate(ways):
                lines.append(f"  {letter}{k + 1} = {_monomial(self.gain(route))}: {_way(route)}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        ratio = f"({written(self.numerator)}) / ({written(self.denominator)})"
        return f"<GraphTransferFunction {self.output}/{self.source} = {ratio}>"


def _monomial(gain: Laurent) -> str:
    ((power, c),) = gain.terms.items() or ((0, Fraction(0)),)
    return written(np.array([float(c)]), power)


def _way(route: Route) -> str:
    """Elements passed, without junctions, each once in a row."""
    named = [g.element for g in route.gains if g.element is not None and not isinstance(g.element, Junction)]
    names = [f"{e.symbol}:{e.name}" for e in named]
    return " → ".join(n for k, n in enumerate(names) if k == 0 or names[k - 1] != n) or "junctions alone"


def transfer_function(
    graph: BondGraph,
    source: str,
    output: str,
    *,
    parameters: Mapping[str, float] | None = None,
    method: str | None = None,
) -> GraphTransferFunction:
    """Transfer function by Mason's rule, of paths and loops along the causal strokes.

    source: an effort or flow source, or an input; output: a channel such as "rotor.flow", "spring.effort",
    "mass.momentum", a junction's "shaft.flow", or a signal; parameters: name → value other than the default;
    method: how causality is assigned, else as `g.method` says. Derivative causality and algebraic loops are loops like
    others. What is not linear has its slope at the start of the graph.
    """
    for word, text in (("source", source), ("output", output)):
        kinds.text.taken(word, text, graph.name)
    flow = signal_flow(assign(graph, method or graph.method))
    start, end = _source(flow, source), _output(flow, output)
    paths, loops = routes(flow, start, end)
    values = values_at_start(flow, parameters)
    one = Laurent({0: Fraction(1)})
    top, below = mason(paths, loops, values.gain, one)
    if not below.terms:
        raise ModelError(
            "its loops determine each other twice: the determinant of the signal-flow graph is zero.",
            component=graph.name,
            remedy="Print g.causality() and g.paths(); put a resistor or a store into the ring of junctions.",
        )
    lowest = min(below.lowest, top.lowest if top.terms else below.lowest)
    numerator, denominator = without_zeros(top.polynomial(lowest)), without_zeros(below.polynomial(lowest))
    exact = (tuple(c / denominator[0] for c in numerator), tuple(c / denominator[0] for c in denominator))
    return GraphTransferFunction(graph, source, output, tuple(paths), tuple(loops), exact, values)


def _source(flow: SignalFlow, name: str) -> Node:
    graph = flow.graph
    element = graph.elements.get(name)
    if isinstance(element, Se | Sf):
        (bond,) = graph.bonds_of(element)
        node = ("source", name)
        flow.add(node, ("e" if isinstance(element, Se) else "f", bond.name), Gain(SX(1), element=element))
        return node
    if name in graph.inputs:
        return ("input", name)
    known = [e.name for e in graph.elements.values() if isinstance(e, Se | Sf)]
    raise UnknownName("source", name, [*known, *graph.inputs], component=graph.name)


def _output(flow: SignalFlow, name: str) -> Node:
    if any(s.name == name for s in flow.graph.signals):
        return ("signal", name)
    measurement = measured(flow.graph, name)
    node = ("output", name)
    flow.add((measurement.letter, measurement.bond.name), node, Gain(SX(1), measurement.power, sign=measurement.sign))
    return node


BondGraph.register("transfer_function", transfer_function)
