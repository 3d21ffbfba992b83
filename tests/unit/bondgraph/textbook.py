"""Textbook bond graphs, in one line per bond, for the tests of causality; and their order, found without causality."""

import casadi as ca
import numpy as np

from linkwork.bondgraph.elements import GY, TF, C, EulerGyrator, Field, I, Junction, R, Se, Sf
from linkwork.bondgraph.graph import BondGraph

KINDS = {"Se": Se, "Sf": Sf, "R": R, "C": C, "I": I, "TF": TF, "GY": GY}


def graph(text: str, *elements) -> BondGraph:
    """A graph of "Se:V 1:loop" pairs, one bond per line, power from left to right; "0:x" and "1:x" are junctions.

    Values are 1 (2 for transformers and gyrators) unless an element is given.
    """
    g = BondGraph("textbook")
    given = {e.name: e for e in elements}
    for line in text.strip().splitlines():
        ends = []
        for word in line.split():
            kind, name = word.split(":")
            if name not in g.elements:
                if kind in "01":
                    g.junction(name, int(kind))
                else:
                    g.add(given.get(name) or KINDS[kind](name, 2.0 if kind in ("TF", "GY") else 1.0))
            ends.append(name)
        g.bond(*ends)
    return g


def order(g: BondGraph) -> int:
    """Independent states of a linear graph: degree in s of det(sE - A), all equations written without causality.

    Coefficients are random, so that nothing cancels that does not cancel by structure.
    """
    rng = np.random.default_rng(3)
    width = sum(b.size for b in g.bonds)
    at = dict(zip(g.bonds, np.cumsum([0, *(b.size for b in g.bonds)]).tolist(), strict=False))
    e = {b: [at[b] + i for i in range(b.size)] for b in g.bonds}
    f = {b: [width + k for k in e[b]] for b in g.bonds}
    E, A = [], []

    def equation(terms, rates=()):
        for rows, these in ((A, terms), (E, rates)):
            row = np.zeros(2 * width)
            for k, x in these:
                row[k] += x
            rows.append(row)

    for x in g.elements.values():
        into = {b: 1.0 if b.head.element is x else -1.0 for b in g.bonds_of(x)}
        bonds = list(into) if isinstance(x, Junction) else [g.bond_at(x, p) for p in range(x.ports)]
        b = bonds[0]
        if isinstance(x, Junction):
            same, summed = (e, f) if x.kind == 0 else (f, e)
            for i in range(b.size):
                equation([(summed[c][i], into[c]) for c in bonds])
                for c in bonds[1:]:
                    equation([(same[b][i], 1.0), (same[c][i], -1.0)])
        elif isinstance(x, TF | GY):
            m = np.array(ca.DM(x.modulus))
            first, second = (e[bonds[1]], f[bonds[1]]) if isinstance(x, GY) else (f[bonds[1]], e[bonds[1]])
            for i in range(m.shape[0]):  # flows count in at the first port and out at the second
                equation([(first[i], -1.0), *((f[b][j], m[i, j]) for j in range(m.shape[1]))])
            for j in range(m.shape[1]):
                equation([(e[b][j], -1.0), *((second[i], m[i, j]) for i in range(m.shape[0]))])
        elif isinstance(x, Se | Sf):
            for k in (e if isinstance(x, Se) else f)[b]:
                equation([(k, 1.0)])
        else:
            kind = x.kind if isinstance(x, Field) else "R" if isinstance(x, EulerGyrator) else type(x).__name__
            # a field is written as elements of their own: how many states it has is the same
            for c in bonds:
                for ke, kf in zip(e[c], f[c], strict=True):
                    value = into[c] * rng.uniform(0.5, 2.0)
                    if kind == "R":
                        equation([(ke, 1.0), (kf, -value)])
                    elif kind == "C":
                        equation([(kf, value)], [(ke, 1.0)])
                    else:
                        equation([(ke, value)], [(kf, 1.0)])
    E, A = np.array(E), np.array(A)
    assert E.shape == (2 * width, 2 * width)
    logs = [np.linalg.slogdet(s * E - A)[1] for s in (1e3, 1e4)]
    slope = (logs[1] - logs[0]) / np.log(10)
    assert abs(slope - round(slope)) < 0.05
    return round(slope)
