"""Random networks, and their nodal solution: written with SciPy's sparse matrices alone, nothing of the library's.

A network is branches between nodes; node 0 is the ground. Sources are given, stores have their states given; sought are
all voltages and currents (pressures and flows, temperatures and heat flows).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

TREE = "VSCRLJ"
"""In this order branches join the normal tree: closed switches (S) behave as sources of no voltage; J: sources of
current, open switches."""


ON, OFF = 1e-3, 1e9


@dataclass(frozen=True)
class Branch:
    """kind: R (value [Ω]), G (conductance), L, C, V, I, S (switch: value 1 closed, 0 open), D (diode: resistances ON,
    OFF), T (transformer).

    ends: nodes a, b; of a transformer a, b, c, d with v_cd = value · v_ab. rate: of a source, its time derivative.
    start: of a store.
    """

    name: str
    kind: str
    ends: tuple[int, ...]
    value: float
    rate: float = 0.0
    start: float = 0.0


@dataclass
class Network:
    nodes: int
    branches: list[Branch]
    domain: str = "electric"
    excess: dict[str, list[tuple[int, Branch]]] = field(default_factory=dict)
    """Stores that others determine: a capacitor in a loop of capacitors and sources, an inductor in a cut of inductors
    and sources; with the signed branches of that loop or cut."""
    exact: Nodal | None = None


class Ambiguous(Exception):
    """The network has no solution, or many."""


def letter(b: Branch) -> str:
    """Its place in the normal tree."""
    if b.kind == "S":
        return "S" if b.value == 1 else "J"
    return {"I": "J", "G": "R", "D": "R"}.get(b.kind, b.kind)


def normal_tree(net: Network) -> tuple[list[Branch], list[Branch]]:
    """(tree, links), voltage sources and capacitors first. Transformers are left out."""
    parent = list(range(net.nodes))

    def root(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    tree, links = [], []
    ranked = sorted((b for b in net.branches if b.kind != "T"), key=lambda b: TREE.index(letter(b)))
    for b in ranked:
        first, second = root(b.ends[0]), root(b.ends[1])
        if first == second:
            links.append(b)
        else:
            parent[first] = second
            tree.append(b)
    return tree, links


def _path(tree: list[Branch], a: int, b: int) -> list[tuple[int, Branch]]:
    """Signed branches from node a to node b along the tree."""
    near: dict[int, list[tuple[int, int, Branch]]] = {}
    for x in tree:
        near.setdefault(x.ends[0], []).append((x.ends[1], 1, x))
        near.setdefault(x.ends[1], []).append((x.ends[0], -1, x))
    ways: dict[int, list[tuple[int, Branch]]] = {a: []}
    waiting = [a]
    while waiting:
        here = waiting.pop()
        for there, sign, x in near.get(here, []):
            if there not in ways:
                ways[there] = [*ways[here], (sign, x)]
                waiting.append(there)
    return ways[b]


def find_excess(net: Network) -> None:
    """Which stores are determined by others; refuses what has no unique solution without transformers."""
    tree, links = normal_tree(net)
    net.excess = {}
    for b in links:
        kind = letter(b)
        way = _path(tree, b.ends[0], b.ends[1]) if kind in "VSC" else []
        if kind in "VS" or any(x.kind == "S" for _, x in way):
            raise Ambiguous
        if kind == "C":
            net.excess[b.name] = way
    if any(b.kind == "T" for b in net.branches):
        if net.excess or any(letter(b) == "J" for b in tree):
            raise Ambiguous
        return
    if len(tree) < net.nodes - 1:
        raise Ambiguous
    for b in tree:
        kind = letter(b)
        if kind == "J":
            raise Ambiguous
        if kind == "L":
            cut = []
            for link in links:
                sign = next((s for s, x in _path(tree, *link.ends) if x is b), 0)
                if sign:
                    cut.append((-sign, link))  # what the link takes from a to b comes back along the tree
            if any(x.kind == "S" for _, x in cut):
                raise Ambiguous
            net.excess[b.name] = cut


@dataclass
class Nodal:
    """Voltages and currents of all branches (of a transformer: of both sides)."""

    potential: list[float]
    voltage: dict[str, float]
    current: dict[str, float]


def solve(net: Network) -> Nodal:
    """All voltages and currents. Of diodes every combination is tried until each of them does as its sign says."""
    diodes = [b.name for b in net.branches if b.kind == "D"]
    for leads in product((False, True), repeat=len(diodes)):
        conducting = {name for name, on in zip(diodes, leads, strict=True) if on}
        found = _solved(net, conducting)
        if all((found.current[name] >= 0) == (name in conducting) for name in diodes):
            return found
    raise Ambiguous


def _solved(net: Network, conducting: set[str]) -> Nodal:
    """Modified nodal analysis, refined with exact residuals until nothing changes in the last digit."""
    find_excess(net)
    number: dict[tuple[str, str], int] = {}
    for k in range(1, net.nodes):
        number["u", str(k)] = len(number)
    for b in net.branches:
        number["i", b.name] = len(number)
        if b.kind in "LC":
            number["rate", b.name] = len(number)
        if b.kind == "T":
            number["j", b.name] = len(number)
    rows: list[dict[int, float]] = [{} for _ in range(net.nodes)]
    rhs = [0.0] * net.nodes

    def across(row: dict[int, float], a: int, b: int, factor: float = 1.0) -> dict[int, float]:
        for node, sign in ((a, factor), (b, -factor)):
            if node:
                k = number["u", str(node)]
                row[k] = row.get(k, 0.0) + sign
        return row

    def equation(row: dict[int, float], right: float = 0.0) -> None:
        rows.append(row)
        rhs.append(right)

    for b in net.branches:
        i = number["i", b.name]
        for node, sign in zip(b.ends[:2], (1.0, -1.0), strict=True):
            rows[node][i] = rows[node].get(i, 0.0) + sign
        v = across({}, *b.ends[:2])
        kind = letter(b)
        if b.kind in "LC":
            rate = number["rate", b.name]
            equation({rate: b.value, i: -1.0} if b.kind == "C" else {rate: b.value, **{k: -x for k, x in v.items()}})
        if b.kind == "T":
            j = number["j", b.name]
            for node, sign in zip(b.ends[2:], (1.0, -1.0), strict=True):
                rows[node][j] = rows[node].get(j, 0.0) + sign
            equation(across(across({}, *b.ends[2:]), *b.ends[:2], -b.value))
            equation({i: 1.0, j: b.value})
        elif b.kind in "RD":
            equation({**v, i: -(b.value if b.kind == "R" else ON if b.name in conducting else OFF)})
        elif b.kind == "G":
            equation({**across({}, *b.ends, b.value), i: -1.0})
        elif b.name in net.excess:
            row, right = {number["rate", b.name]: 1.0}, 0.0
            for sign, x in net.excess[b.name]:
                # a capacitor's voltage is that along the path; an inductor's current that of the links that return
                if ("rate", x.name) in number:
                    row[number["rate", x.name]] = -float(sign)
                else:
                    right += sign * x.rate
            equation(row, right)
        elif kind in "VSC":
            equation(v, {"V": b.value, "C": b.start}.get(b.kind, 0.0))
        else:
            equation({i: 1.0}, {"I": b.value, "L": b.start}.get(b.kind, 0.0))
    x = _exact(rows[1:], rhs[1:])
    potential = [0.0, *(float(x[number["u", str(k)]]) for k in range(1, net.nodes))]
    exact = [Fraction(0), *(x[number["u", str(k)]] for k in range(1, net.nodes))]
    voltage = {b.name: float(exact[b.ends[0]] - exact[b.ends[1]]) for b in net.branches}
    current = {b.name: float(x[number["i", b.name]]) for b in net.branches}
    for b in net.branches:
        if b.kind == "T":
            voltage[f"{b.name}.2"] = float(exact[b.ends[2]] - exact[b.ends[3]])
            current[f"{b.name}.2"] = float(x[number["j", b.name]])
    return Nodal(potential, voltage, current)


PRIME = 2**61 - 1


def _singular(rows: list[dict[int, float]]) -> bool:
    """Whether the determinant is zero: exactly, as far as arithmetic modulo one large prime can tell."""
    left = [{k: a % PRIME for k, (m, d) in ((k, a.as_integer_ratio()) for k, a in row.items())
             if (a := m * pow(d, -1, PRIME))} for row in rows]  # fmt: skip
    while left:
        row = min(left, key=len)
        if not row:
            return True
        left.remove(row)
        j = next(iter(row))
        inverse = pow(row[j], -1, PRIME)
        for other in left:
            if j in other:
                share = other[j] * inverse
                for k, a in row.items():
                    if x := (other.get(k, 0) - share * a) % PRIME:
                        other[k] = x
                    else:
                        other.pop(k, None)
    return False


def _exact(rows: list[dict[int, float]], rhs: list[float]) -> list[Fraction]:
    """The solution to some 30 digits: sparse LU, refined with residuals in exact arithmetic."""
    n = len(rows)
    if _singular(rows):
        raise Ambiguous
    i, j = np.array([(i, j) for i, row in enumerate(rows) for j in row]).T
    value = np.array([a for row in rows for a in row.values()])
    scaled, r, c = value, np.ones(n), np.ones(n)
    for place, scale in 8 * [(i, r), (j, c)]:
        size = np.zeros(n)
        np.maximum.at(size, place, abs(scaled))
        if not np.all(size > 0):
            raise Ambiguous
        scale /= np.sqrt(size)
        scaled = r[i] * value * c[j]
    try:
        lu = splu(sparse.csc_matrix((scaled, (i, j)), (n, n)))
    except RuntimeError:
        raise Ambiguous from None
    exact = [[(k, Fraction(a)) for k, a in row.items()] for row in rows]
    right, x = [Fraction(b) for b in rhs], [Fraction(0)] * n
    for _ in range(60):
        left = [b - sum((a * x[k] for k, a in row), Fraction(0)) for row, b in zip(exact, right, strict=True)]
        if not any(left):
            return x
        step = c * lu.solve(r * np.array([float(b) for b in left]))
        if not np.all(np.isfinite(step)):
            raise Ambiguous
        x = [a + Fraction(s) for a, s in zip(x, step, strict=True)]
        if np.all(abs(step) <= 1e-30 * c * np.max(abs(np.array([float(a) for a in x])) / c)):
            return x
    raise Ambiguous  # beyond what sparse LU can begin with
