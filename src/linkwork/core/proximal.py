"""The linear system of every constrained formulation, solved symbolically once and for all."""

from __future__ import annotations

import itertools

import casadi as ca

from linkwork.geometry import SX

REGULARISATION = 1e-9
"""Softness of the constraints in the factorised matrix, relative to what each row feels of the masses."""
REFINEMENTS = 2
"""How often it is taken out again: its effect is of the order regularisation^(refinements + 1)."""
REACH = 0.1
"""Longest correction of a position at once [m, rad]."""
REDUNDANT = 1e3
"""How much softer rows in joint coordinates are where some are redundant. These may depend on others on the constraints
only (Bennett's linkage): a disturbance e off them, as at the stages of a step, opens a direction that feels e² of what
others do, and with it a demand on a motion that is free. It would be obeyed wherever e² exceeds the softness."""
VANISHED = 1e-24
"""Square of the share of its usual length below which a row of A counts as nothing."""
SMALL = 3
"""Mass blocks up to this size are inverted; larger ones are factorised."""


class KKT:
    """Proximal solve of  M a + Aᵀλ = r,  A a = c:  exact where A has full rank, finite where it has not.

    S = A M⁻¹Aᵀ + ε·diag(A M⁻¹Aᵀ) is positive definite: LDLᵀ exists in any order, the sparsest is taken, and its
    operations are unrolled. Refinement takes ε out again in every direction that the constraints do determine.
    Redundant rows share their load; singular positions are passed with finite multipliers.
    Coordinates without mass: M + ρ BᵀB stands in for M, B the rows that tie them, and r + ρ Bᵀc for r. As B a = c, that
    changes nothing but the condition of M.
    sizes: |row of A|² at a general position (see `Equations.sizes`). Where a row vanishes, its softness must not.
    redundant: whether some rows follow from others (see `REDUNDANT`); not for projection, which starts near the rows.
    (Factorising the whole matrix needs a fifth fewer operations, but its small pivots cost 7 digits.)
    """

    def __init__(self, mass: SX, jacobian: SX, sizes: SX | None = None, *, redundant: bool = False):
        self.A = jacobian
        self.ties = _ties(mass, jacobian)
        if self.ties:
            B = jacobian[self.ties, :]
            self.pull = ca.mmax(ca.densify(ca.diag(mass))) * B.T
            mass = ca.sparsify(ca.triu2symm(ca.triu(mass + self.pull @ B)))
        self.mass = Mass(mass)
        self.MA = self.mass.solve(jacobian.T)
        least = 1 / ca.mmax(ca.densify(ca.diag(mass))) if mass.numel() else 1
        self.schur = Definite(self.A @ self.MA, least, _vanished(jacobian, sizes, redundant))

    def solve(self, r: SX, c: SX) -> tuple[SX, SX]:
        """(a, λ)."""
        if not c.numel():
            return self.mass.solve(r), SX(0, 1)
        if self.ties:
            r = r + self.pull @ c[self.ties]
        multipliers = self.schur.solve(self.MA.T @ r - c)
        return self.mass.solve(r - self.A.T @ multipliers), multipliers

    def closest(self, residual: SX, *, reach: float | None = None) -> SX:
        """The smallest step δ (mass as the metric) with A δ = −residual; soft where the position is singular.

        reach: longest step in any coordinate; next to a singular position a full Newton step can go astray.
        """
        step = -(self.MA @ self.schur.once(residual))
        return step if reach is None else step / ca.fmax(1, ca.norm_inf(step) / reach)


    def margins(self) -> SX:
        """Share of each row of A that those eliminated before it do not determine, squared: 0 in singular positions."""
        return self.schur.margins()


class Definite:
    """S x = b for a symmetric, positive semidefinite S: exact in the directions that S determines, finite in others.

    least: what a row would feel that is not empty; where all are empty, S itself does not tell.
    vanished: how much more each row would feel at a general position.
    """

    def __init__(self, S: SX, least: SX | float, vanished: SX | float = 1):
        # A row that is (momentarily) empty must leave neither a zero pivot nor a multiplier made of rounding errors.
        felt = ca.densify(ca.diag(S))
        self.softness = REGULARISATION * (felt * vanished + 1e-6 * (ca.sum1(felt) / max(felt.numel(), 1) + least))
        self.factors = ca.ldl(ca.sparsify(S + ca.diag(self.softness)), True)
        self.usual = felt * vanished

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


def _vanished(jacobian: SX, sizes: SX | None, redundant: bool) -> SX | float:
    if sizes is None or not sizes.numel():
        return 1
    return (REDUNDANT if redundant else 1) * ca.fmax(1, sizes / (ca.sum2(jacobian**2) + VANISHED * sizes + 1e-300))


def _ties(mass: SX, jacobian: SX) -> list[int]:
    """Rows of the Jacobian in which coordinates without mass appear."""
    massless = [k for k in range(mass.shape[0]) if not mass.sparsity().has_nz(k, k)]
    return sorted(set(jacobian[:, massless].sparsity().row())) if massless else []


class Mass:
    """M⁻¹ of a symmetric positive definite matrix that falls into independent blocks (one per body, or per tree)."""

    def __init__(self, mass: SX):
        _, order, starts = mass.sparsity().scc()
        self.small = SX(*mass.shape)
        self.large = []
        for begin, end in itertools.pairwise(starts):
            block = order[begin:end]
            if len(block) <= SMALL:
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
