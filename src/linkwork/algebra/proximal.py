"""The linear system of every constrained formulation, solved symbolically once and for all."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np

from linkwork.geometry import SX

REGULARISATION = 1e-9
"""Softness of the constraints in the factorised matrix, relative to what each row feels of the mechanism, and to what
it would feel of free bodies: in flat positions a row of a cut joint vanishes, and its softness must not."""
REDUNDANT = 1e7
SOFTEST = 1e-3
"""Where some rows are redundant, their softness in squares of the distance from the constraints, and at most. Rows may
depend on others on the constraints only (Bennett's linkage): a disturbance e, as at the stages of a step, opens a
direction that feels e² of what others do, and with it a demand on a motion that is free. It must not be obeyed."""
REFINEMENTS = 2
"""How often it is taken out again: its effect is of the order regularisation^(refinements + 1)."""
REACH = 0.1
"""Longest correction of a position at once [lengths of the mechanism, rad]."""
INVERTED_BLOCK = 3
"""Mass blocks up to this size are inverted; larger ones are factorised."""


@dataclass(frozen=True)
class Order:
    """In which order a constrained system is eliminated, and the sizes of what is in it.

    pairs: (speeds of a body, rows of the joint that carries it), from the tips of a spanning tree inwards. Such rows
    are independent of each other wherever the body is.
    felt: by row, what it would feel of free bodies [1/kg, 1/(kg·m²)], if known: right within some orders of magnitude.
    size: by row, its natural unit: the length of the mechanism [m], or 1 (rad).
    weights: row → mass [kg, kg·m²] that passes its forces on to bodies too light to hold against them.
    massless: whether speeds may have no mass at all. Those that no row holds either, and no force moves, keep still.
    redundant: whether some rows follow from others (see `REDUNDANT`).
    off: then, how far the state is from the constraints, squared, in natural units.
    uneven: whether rows hold bodies of very different mass: forces on the light ones leave rounding errors in their
    accelerations, which the rows know better.
    regular: whether rows in `pairs` are known to stay independent: those of joints that are tested for it.
    """

    pairs: Sequence[tuple[Sequence[int], Sequence[int]]] = ()
    felt: Sequence[SX | None] = ()
    size: Sequence[float] = ()
    weights: Mapping[int, SX] = field(default_factory=dict)
    massless: bool = False
    redundant: bool = False
    off: SX | None = None
    uneven: bool = False
    regular: bool = False

    @property
    def softness(self) -> SX | float:
        """Of rows that are left, relative to what they feel."""
        if self.off is None:
            return REGULARISATION
        return ca.fmin(ca.fmax(REGULARISATION, REDUNDANT * self.off), SOFTEST)

    def away(self, position: SX) -> Order:
        """The same, where these are the residuals of the first rows."""
        if not self.redundant or not position.numel():
            return self
        return replace(self, off=ca.sumsqr(position / ca.DM(list(self.size[: position.numel()]))))

    def among(self, speeds: Sequence[int], rows: Sequence[int]) -> Order:
        """For a part of the system: these speeds and rows, in this order."""
        at = {k: n for n, k in enumerate(speeds)}
        pairs = [([at[k] for k in own if k in at], held) for own, held in self.pairs]
        return replace(self, pairs=pairs).renumbered({k: n for n, k in enumerate(rows)}, len(rows))

    def renumbered(self, place: Mapping[int, int], total: int) -> Order:
        """The same where row k has become place[k] of `total`; rows that have no place are gone."""
        pairs = [(speeds, [place[k] for k in rows if k in place]) for speeds, rows in self.pairs]
        before = {new: old for old, new in place.items()}
        felt = [self.felt[before[k]] if k in before else None for k in range(total)]
        size = [self.size[before[k]] if k in before else max(self.size, default=1.0) for k in range(total)]
        weights = {place[k]: w for k, w in self.weights.items() if k in place}
        return replace(self, pairs=pairs, felt=felt, size=size, weights=weights)


class KKT:
    """Proximal solve of  M a + Aᵀλ = r,  A a = c:  exact where A has full rank, finite where it has not.

    Eliminated from the tips of the tree inwards, each body with the joint that carries it: that is the recursion of
    articulated bodies, which light bodies between heavy ones do not harm. What is left are the rows of cut joints,
    S λ = b with S = C D Cᵀ positive semidefinite. S + E is definite: LDLᵀ exists in any order, the sparsest is taken.
    Refinement takes E out again in every direction that the constraints do determine. Redundant rows share their load;
    singular positions are passed with finite multipliers. Without a tree, or where it is cheaper and no body is light,
    all bodies are eliminated first and all rows are left.
    Light bodies, and coordinates without mass: M + BᵀW B stands in for M, B the rows that hold them, and r + BᵀW c for
    r. As B a = c, that changes nothing but the condition of the matrix; what rounding leaves is taken out by refinement
    against the equations themselves.
    (Factorising the whole matrix in the sparsest order needs as many operations, but its small pivots cost 7 digits.
    Eliminating all bodies first costs as many digits as there are between the masses.)
    """

    def __init__(self, mass: SX, jacobian: SX, order: Order | None = None):
        order = order or Order()
        self.M, self.A = mass, jacobian
        self.n, self.m = jacobian.shape[1], jacobian.shape[0]
        weights = standing_in(mass, jacobian, order)
        self.ties, self.refined = list(weights), bool(order.weights) or order.massless or order.uneven
        if self.ties:
            B = jacobian[self.ties, :]
            self.pull = B.T @ ca.diag(ca.vertcat(*weights.values()))
            mass = ca.sparsify(ca.triu2symm(ca.triu(mass + self.pull @ B)))
        if order.massless:
            mass = mass + ca.diag(_held_still(self.M, mass))
        none = SX(ca.Sparsity.diag(self.m), 0)
        K = ca.vertcat(ca.horzcat(mass, jacobian.T), ca.horzcat(jacobian, none))
        self.first, self.cut = _sequence(K.sparsity(), self.n, order, tree=self.refined)
        n, last = len(self.first), [self.n + k for k in self.cut]
        D, LT, _ = ca.ldl(K[self.first + last, self.first + last], False)
        self.D, self.U, self.C = ca.vec(D)[:n], LT[:n, :n] + SX.eye(n), LT[:n, n:]
        if self.cut:
            # Rows between bodies that are eliminated by themselves never vanish: what they feel is their own scale.
            share = 1e-6 if order.pairs and len(self.cut) == self.m else 1
            felt = [order.felt[k] for k in self.cut] if order.felt else None
            self.schur = Definite(self.C.T @ (ca.diag(self.D) @ self.C), felt, order.softness, share)

    def solve(self, r: SX, c: SX) -> tuple[SX, SX]:
        """(a, λ)."""
        if not c.numel():
            r, c = ca.densify(r), SX(0, 1)
        a, multipliers = self._once(r, c)
        if not self.refined:
            return a, multipliers
        missing = self._once(r - self.M @ a - self.A.T @ multipliers, c - self.A @ a)
        return a + missing[0], multipliers + missing[1]

    def project(self, residual: SX, *, reach: np.ndarray | None = None) -> SX:
        """The smallest step δ (mass as the metric) with A δ = −residual; soft where the position is singular.

        reach: longest step, by coordinate; next to a singular position a full Newton step can go astray.
        """
        step = self._once(SX.zeros(self.n, 1), -residual, refined=False)[0]
        return step if reach is None else within(step, reach)

    def margins(self) -> SX:
        """Share of each row of A that those eliminated before it do not determine, squared: 0 in singular positions."""
        margins = SX.ones(self.m, 1)
        if self.cut:
            margins[self.cut] = self.schur.margins()
        return margins

    def _once(self, r: SX, c: SX, *, refined: bool = True) -> tuple[SX, SX]:
        if not self.n:  # everything is driven: rows hold, or contradict each other, without forces
            return SX(0, 1), SX.zeros(self.m, 1)
        if self.ties:
            r = r + self.pull @ c[self.ties]
        z = ca.solve(self.U.T, ca.densify(ca.vertcat(r, c))[self.first])
        known = z / self.D
        solution = SX.zeros(self.n + self.m, 1)
        if self.cut:
            b = self.C.T @ z - c[self.cut]
            left = self.schur.solve(b) if refined else self.schur.once(b)
            known = known - self.C @ left
            solution[[self.n + k for k in self.cut]] = left
        solution[self.first] = ca.solve(self.U, known)
        return solution[: self.n], solution[self.n :] if self.m else SX(0, 1)


def within(step: SX, reach: np.ndarray) -> SX:
    """The step, or as much of it as stays within reach in every coordinate."""
    return step / ca.fmax(1, ca.norm_inf(step / ca.DM(reach)))


class Definite:
    """S x = b for a symmetric, positive semidefinite S: exact in the directions that S determines, finite in others.

    felt: what each row would feel if nothing held it back; where that is not known, a share of what all feel.
    softness: of the rows, relative to what they feel; share: of `felt` that counts.
    """

    def __init__(
        self,
        S: SX,
        felt: Sequence[SX | None] | None = None,
        softness: SX | float = REGULARISATION,
        share: float = 1,
    ):
        # A row that is (momentarily) empty must leave neither a zero pivot nor a multiplier made of rounding errors.
        own = ca.fmax(ca.densify(ca.diag(S)), 0)
        unknown = 1e-6 * ca.sum1(own) / max(own.numel(), 1) + 1e-200
        listed = felt or [None] * own.numel()
        known = share * ca.vertcat(*(SX(0) if x is None else x for x in listed))
        if any(x is None for x in listed):
            known += ca.vertcat(*(unknown if x is None else SX(0) for x in listed))
        self.usual = own + known
        self.softness = softness * self.usual
        self.factors = ca.ldl(ca.sparsify(S + ca.diag(self.softness)), True)

    def once(self, b: SX) -> SX:
        """Softly."""
        return ca.ldl_solve(b, *self.factors)

    def margins(self) -> SX:
        """Pivots relative to what their rows usually feel, in the order of the rows."""
        D, _, order = self.factors
        pivots = SX.zeros(self.usual.numel(), 1)
        pivots[order] = D
        return pivots / (self.usual + self.softness + 1e-300)

    def solve(self, b: SX) -> SX:
        x = step = self.once(b)
        for _ in range(REFINEMENTS):
            step = self.once(self.softness * step)  # what the softness has kept back
            x = x + step
        return x


def standing_in(mass: SX, jacobian: SX, order: Order) -> dict[int, SX]:
    """Rows that stand in for mass: those the order names, and those in which coordinates without mass appear."""
    pattern = mass.sparsity()
    massless = [k for k in range(mass.shape[0]) if not pattern.has_nz(k, k)]
    rows = sorted(set(jacobian[:, massless].sparsity().row())) if massless else []
    heaviest = ca.mmax(ca.densify(ca.diag(mass))) if rows else SX(1)
    return {k: SX(order.weights.get(k, heaviest)) for k in sorted({*rows, *order.weights})}


def _held_still(mass: SX, stiff: SX) -> SX:
    """A mass for each speed that has none: little beside what its rows stand for, any if there are no rows."""
    own, held = ca.densify(ca.diag(mass)), ca.densify(ca.diag(stiff))
    return ca.if_else(own == 0, ca.if_else(held == 0, 1, REGULARISATION * held), 0)


def _sequence(pattern: ca.Sparsity, n: int, order: Order, *, tree: bool) -> tuple[list[int], list[int]]:
    """What is eliminated first, in this order, and the rows that are left; tree: whether the tree must be taken."""
    m = pattern.size1() - n
    inwards = [k for speeds, rows in order.pairs for k in (*speeds, *(n + row for row in rows))]
    rest = [k for k in range(n) if k not in set(inwards)]
    rest = [rest[k] for k in pattern.sub(rest, rest)[0].ldl(True)[1]]
    held = {row for _, rows in order.pairs for row in rows}
    by_tree = _sparsest(pattern, n, inwards + rest, [k for k in range(m) if k not in held])
    if tree or not held:
        return by_tree[1:]
    speeds = [k for k in inwards if k < n] + rest
    return min(by_tree, _sparsest(pattern, n, speeds, list(range(m))), key=lambda elimination: elimination[0])[1:]


def _sparsest(pattern: ca.Sparsity, n: int, first: list[int], cut: list[int]) -> tuple[int, list[int], list[int]]:
    """(operations, what is eliminated first, rows that are left), these in the order that fills least."""

    def filled(order: list[int]) -> ca.Sparsity:
        return pattern.sub(order, order)[0].ldl(False)[0]

    if cut:
        coupling = filled(first + [n + k for k in cut]).sub(list(range(len(first))), _from(len(first), len(cut)))[0]
        left = ca.mtimes(ca.DM(coupling, 1).T, ca.DM(coupling, 1)).sparsity() + ca.Sparsity.diag(len(cut))
        cut = [cut[k] for k in left.ldl(True)[1]]
    columns = filled(first + [n + k for k in cut]).T.colind()
    counts = [b - a for a, b in itertools.pairwise(columns)]
    return sum(c * (c + 3) for c in counts), first, cut


def _from(first: int, count: int) -> list[int]:
    return list(range(first, first + count))


class Mass:
    """M⁻¹ of a symmetric positive definite matrix that falls into independent blocks (one per body, or per tree)."""

    def __init__(self, mass: SX):
        _, order, starts = mass.sparsity().scc()
        self.small = SX(*mass.shape)
        self.large = []
        for begin, end in itertools.pairwise(starts):
            block = order[begin:end]
            if len(block) <= INVERTED_BLOCK:
                self.small[block, block] = ca.inv(mass[block, block])
            else:
                self.large.append((block, ca.ldl(ca.sparsify(mass[block, block]), True)))

    def solve(self, rhs: SX) -> SX:
        result = self.small @ rhs
        if not rhs.shape[1]:
            return result
        for block, factors in self.large:
            part = rhs[block, :]
            columns = [_solved(column, factors) for column in ca.horzsplit(part)]
            result[block, :] = ca.horzcat(*columns)
        return result


def _solved(column: SX, factors: tuple[SX, SX, list[int]]) -> SX:
    return ca.ldl_solve(column, *factors) if column.nnz() else column
