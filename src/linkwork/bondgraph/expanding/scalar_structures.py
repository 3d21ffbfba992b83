"""Two-ports with a matrix, and the Eulerian gyrator, as junctions and scalar two-ports (BND figures 11 and 12).

A transformer that takes flows in and gives flows out has 1-junctions where flows come in, 0-junctions where they are
summed, and a scalar transformer for each entry; one that takes efforts in has it the other way round. Entries that are
zero give no bond, ones a plain bond. Junctions that would join only two bonds are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.bondgraph.elements import GY, MGY, TF, EulerGyrator, Junction, Se, Sf
from linkwork.bondgraph.graph import Bond
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.bondgraph.expanding.expansion import Expansion

Entries = list[tuple[int, int, SX]]
"""(row, column, modulus) of what is not zero."""


def transformer(x: Expansion, tf: TF) -> None:
    """Flows of the side that is given them, distributed and summed: target = W source."""
    bonds = [x.old.bond_at(tf, k) for k in (0, 1)]
    # a transformer's power goes in at its first port and out at its second; a bond may be drawn the other way
    straight = [bonds[0].head.element is tf, bonds[1].tail.element is tf]
    flow_in = not x.causality.receives_effort(bonds[0], tf)
    source, target = (0, 1) if flow_in else (1, 0)
    W = tf.modulus if flow_in else tf.inverse()
    entries = _entries(W if straight[source] else -W)
    weave = _Weave(x, tf, source, target, straight, entries)
    for r, c, w in entries:
        weave.entry(r, c, w)
    weave.idle(W.shape)


class _Weave:
    """1-junctions where flows come in (columns), 0-junctions where they are summed (rows)."""

    def __init__(self, x: Expansion, tf: TF, source: int, target: int, straight: list[bool], entries: Entries):
        self.x, self.tf, self.source, self.target, self.straight = x, tf, source, target, straight
        self.rows = [r for r, _, _ in entries]
        self.columns = [c for _, c, _ in entries]
        self.names = {port: x.suffixes(x.old.bond_at(tf, port)) for port in (0, 1)}
        self.splits: dict[int, Junction] = {}
        self.sums: dict[int, Junction] = {}

    def entry(self, r: int, c: int, w: SX) -> None:
        alone_in_row = self.rows.count(r) == 1 and self.straight[self.target]
        alone_in_column = self.columns.count(c) == 1 and self.straight[self.source]
        if _is(w, 1) and alone_in_row:
            self.x.terminal[self.tf, self.target, r] = self.split(c)
        elif _is(w, 1) and alone_in_column:
            self.x.terminal[self.tf, self.source, c] = self.sum(r)
        elif _is(w, 1) or _is(w, -1):
            self._plain(r, c, forward=(self.source == 0) == _is(w, 1))
        else:
            self._scaled(r, c, w, alone_in_row, alone_in_column)

    def _plain(self, r: int, c: int, forward: bool) -> None:
        split, sum_ = self.split(c), self.sum(r)
        ends = (split, sum_) if forward else (sum_, split)
        self.x.bond(*ends, effort_to=split, like=self._bond(self.source), name=self._name(r, c))

    def _scaled(self, r: int, c: int, w: SX, alone_in_row: bool, alone_in_column: bool) -> None:
        name = self._name(r, c)
        made: TF = (TF if w.is_constant() else type(self.tf))(name, w)
        made.invertible = False  # its flow goes the way of the matrix: one entry may vanish where the matrix does not
        self.x.add(made, self.tf, ports=(self.source, self.target))
        for port, alone, index, junction, effort_to_junction in (
            (0, alone_in_column, c, self.split, True),
            (1, alone_in_row, r, self.sum, False),
        ):
            side = self.source if port == 0 else self.target
            if alone:
                self.x.terminal[self.tf, side, index] = (made, port)
                continue
            at = junction(index)
            effort_to = at if effort_to_junction else made
            inwards = (port == 0) == (self.source == 0)
            ends = (at, (made, port)) if inwards else ((made, port), at)
            self.x.bond(*ends, effort_to=effort_to, like=self._bond(side), name=f"{name}-{port + 1}")

    def idle(self, shape: tuple[int, int]) -> None:
        """What goes nowhere asks for no effort; what comes from nowhere has no flow."""
        for c in range(shape[1]):
            if c not in self.columns:
                name = f"{self.tf.name}-{self.names[self.source][c]}-none"
                self.x.terminal[self.tf, self.source, c] = self._none(Se, self.source, name)
        for r in range(shape[0]):
            if r not in self.rows:
                name = f"{self.tf.name}-{self.names[self.target][r]}-none"
                self.x.terminal[self.tf, self.target, r] = self._none(Sf, self.target, name)

    def _none(self, kind: type[Se] | type[Sf], port: int, name: str) -> Se | Sf:
        return self.x.add(kind(self.x.free(name), 0.0), self.tf, "0", ports=(port,))

    def split(self, c: int) -> Junction:
        return self._junction(self.splits, self.source, c, 1, "in")

    def sum(self, r: int) -> Junction:
        return self._junction(self.sums, self.target, r, 0, "out")

    def _junction(self, made: dict[int, Junction], port: int, k: int, kind: int, word: str) -> Junction:
        if k not in made:
            name = self.x.free(f"{self.tf.name}-{word}-{self.names[port][k]}")
            made[k] = self.x.add(Junction(name, kind), self.tf, ports=(port,))
            self.x.terminal[self.tf, port, k] = made[k]
        return made[k]

    def _bond(self, port: int) -> Bond:
        return self.x.old.bond_at(self.tf, port)

    def _name(self, r: int, c: int) -> str:
        return self.x.free(f"{self.tf.name}-{self.names[self.target][r]}{self.names[self.source][c]}")


def gyrator(x: Expansion, gy: GY) -> None:
    """Flow in at both ports: 1-junctions and r; effort in: 0-junctions, and each entry of r⁻¹ turned over."""
    bonds = [x.old.bond_at(gy, k) for k in (0, 1)]
    flow_in = not x.causality.receives_effort(bonds[0], gy)
    straight = [bonds[0].head.element is gy, bonds[1].tail.element is gy]
    m = gy.modulus if flow_in else gy.inverse().T
    # A 1-junction turns the effort of a bond that is drawn the other way, the gyrator would turn its flow.
    entries = _entries(-m if flow_in and straight[0] != straight[1] else m)
    names = [x.suffixes(b) for b in bonds]

    def junction(port: int, k: int) -> Junction:
        name = f"{gy.name}-{'in' if port == 0 else 'out'}-{names[port][k]}"
        return x.add(Junction(x.free(name), 1 if flow_in else 0), gy, ports=(port,))

    # Only as many junctions as have something to join.
    used = [sorted({c for _, c, _ in entries}), sorted({r for r, _, _ in entries})]
    at: list[dict[int, Junction]] = [{k: junction(port, k) for k in used[port]} for port in (0, 1)]
    for port in (0, 1):
        for k, j in at[port].items():
            x.terminal[gy, port, k] = j
        for k in range(bonds[port].size):
            if k not in at[port]:
                name = x.free(f"{gy.name}-{names[port][k]}-none")
                x.terminal[gy, port, k] = x.add((Se if flow_in else Sf)(name, 0.0), gy, "0", ports=(port,))
    for r, c, w in entries:
        name = x.free(f"{gy.name}-{names[1][r]}{names[0][c]}")
        made: GY = (GY if w.is_constant() else type(gy))(name, w if flow_in else 1 / w)
        made.invertible = not flow_in
        x.add(made, gy, ports=(0, 1))
        first, second = at[0][c], at[1][r]
        x.bond(first, (made, 0), effort_to=first if flow_in else made, like=bonds[0], name=f"{name}-1")
        x.bond((made, 1), second, effort_to=second if flow_in else made, like=bonds[1], name=f"{name}-2")


def ring(x: Expansion, euler: EulerGyrator) -> None:
    """BND figure 12: 1-junctions of the components, a gyrator between each two, modulated by the flows."""
    bond = x.old.bond_at(euler, 0)
    inwards = bond.head.element is euler
    S = euler.matrix(bond.flow if inwards else -bond.flow)
    _check_skew(S, euler)
    names = x.suffixes(bond)
    pairs = [(i, j, S[i, j]) for i in range(euler.size) for j in range(i + 1, euler.size) if not _zero(S[i, j])]
    at: dict[int, Junction] = {}
    for i in range(euler.size):
        if any(i in pair[:2] for pair in pairs):
            at[i] = x.terminal[euler, 0, i] = x.add(Junction(x.free(f"{euler.name}-{names[i]}"), 1), euler)
        else:
            name = x.free(f"{euler.name}-{names[i]}-none")
            x.terminal[euler, 0, i] = x.add(Se(name, 0.0), euler, "0")
    for i, j, w in pairs:
        name = x.free(f"{euler.name}-{names[i]}{names[j]}")
        made = MGY(name, w)
        made.invertible = False
        x.add(made, euler)
        x.bond(at[i], (made, 0), effort_to=at[i], like=bond, name=f"{name}-1")
        x.bond((made, 1), at[j], effort_to=at[j], like=bond, name=f"{name}-2")


def _check_skew(S: SX, euler: EulerGyrator) -> None:
    symmetric = S + S.T
    if _zero(symmetric):
        return
    symbols = ca.vertcat(*ca.symvar(symmetric)) if ca.symvar(symmetric) else SX(0, 1)
    probe = ca.Function("probe", [symbols], [ca.densify(symmetric), ca.densify(S)])
    at = np.random.default_rng(3).uniform(0.3, 0.9, symbols.numel())
    worst, size = (np.abs(np.array(y)).max() for y in probe(at))
    if not worst <= 1e-12 * max(size, 1.0):
        raise ModelError(
            "its modulus is not skew: it would make or lose power.",
            component=euler.name,
            remedy="Give S with S = −Sᵀ; put what loses power into an R.",
        )


def _entries(m: SX) -> Entries:
    return [(r, c, m[r, c]) for r in range(m.shape[0]) for c in range(m.shape[1]) if not _zero(m[r, c])]


def _zero(x: SX) -> bool:
    return bool(x.nnz() == 0 or ca.simplify(x).is_zero())


def _is(x: SX, value: float) -> bool:
    return bool(x.is_constant() and float(x) == value)
