"""From implicit equations to explicit steps: differentiated as the index asks, sorted into blocks, torn and solved.

Stage s = −max c … 0 (Pryce): equation i, differentiated c_i + s times, determines the derivative of order d_j + s of
its unknown. At stage 0 these are the highest derivatives; before, they are states that hang on others: they are kept
on their equations by Newton steps from where the integrator has them (dummy derivatives with a good first guess). The
torn unknowns of nonlinear blocks become such states too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from linkwork.core.errors import ModelError
from linkwork.core.port import Quantity
from linkwork.geometry import SX, Number
from linkwork.structure.blocks import blocks
from linkwork.structure.index import Index
from linkwork.structure.linear import factorised, solve
from linkwork.structure.mechanism import Mechanism
from linkwork.structure.sizes import Numbers, strengths
from linkwork.structure.system import Equation, Multiplier, System, constant_coefficients
from linkwork.structure.tearing import Torn, tear
from linkwork.structure.torn_block import TornBlock

NEWTON = 2
"""Newton steps for what is kept on a nonlinear equation: the first guess is a state that follows it already."""


@dataclass
class AlgebraicStates:
    """States that hang on others: symbols of what the integrator has, better values, and the equations meant."""

    names: list[str]
    symbols: list[SX]
    better: list[SX]
    starts: list[Number]
    owner: str
    rates: list[SX | None]
    """Their derivatives, where these are unknowns of the system; None: found by differentiating the equations."""
    residual: SX = field(default_factory=lambda: SX(0, 1))


@dataclass
class Block:
    """Unknowns that must be found together; the torn ones from linear equations, or by Newton steps."""

    unknowns: list[str]
    torn: list[str]
    linear: bool
    owners: list[str] = field(default_factory=list)
    """Components whose equations these are."""
    mismatch: SX | None = None
    """How far the equations are from being solved, relative to their terms."""


@dataclass
class Solution:
    """Explicit steps (symbol, value), each in terms of states, known symbols and earlier steps."""

    system: System
    steps: list[tuple[SX, SX]] = field(default_factory=list)
    states: list[tuple[str, SX, SX, Number]] = field(default_factory=list)
    """(name, symbol, symbol of its derivative, start)."""
    algebraic: list[AlgebraicStates] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    """Those that are more than plain assignments."""

    def resolved(self, expressions: list[SX]) -> list[SX]:
        """The same in states and known symbols."""
        if not self.steps or not expressions:
            return expressions
        symbols, values = [s for s, _ in self.steps], [x for _, x in self.steps]
        return ca.substitute_inplace(symbols, values, expressions, False)[1]


class Solver:
    """Writes the steps of a solution."""

    def __init__(
        self,
        system: System,
        index: Index,
        constants: set[int],
        *,
        movers: int = 0,
        damping: tuple[float, float] | None = None,
        mechanism: Mechanism | None = None,
        numbers: Numbers | None = None,
    ):
        """movers: how many of the first unknowns are speeds whose constraints are kept elsewhere (by projection).

        damping: Baumgarte's (α, β) for these constraints; mechanism: how their accelerations are best found;
        numbers: values of parameters and inputs, by which pivots are chosen.
        """
        self.system, self.index, self.constants, self.movers = system, index, constants, movers
        self.mechanism, self.numbers = mechanism, numbers or Numbers()
        self.solution = Solution(system)
        self.levels = [[e.residual] for e in system.equations]
        for i, times in enumerate(index.times):
            for _ in range(times):
                self.levels[i].append(system.derivative(self.levels[i][-1]))
            if damping and times and self._elsewhere(i):
                last, *lower = self.levels[i][::-1]
                self.levels[i][-1] = last + 2 * damping[0] * lower[0] + (damping[1] ** 2 * lower[1] if lower[1:] else 0)
        self._lowest = {x.symbol.element_hash() for x in system.unknowns}
        self._moving = {s.element_hash() for x in system.unknowns[:movers] for s in x.chain}
        self.hidden: list[tuple[Equation, int, SX]] = []
        """(equation, times it is differentiated, residual) that only projection keeps."""

    def run(self) -> Solution:
        index, system = self.index, self.system
        deepest = int(index.times.max(initial=0))
        for stage in range(-deepest, 1):
            chosen = [i for i in range(len(self.levels)) if index.times[i] + stage >= 0]
            if stage < 0:
                for i in chosen:
                    if self._elsewhere(i):
                        self.hidden.append(
                            (system.equations[i], int(index.times[i] + stage), self.levels[i][index.times[i] + stage])
                        )
                chosen = [i for i in chosen if not self._elsewhere(i)]
            self._stage(stage, chosen)
        held = {s.element_hash() for k in self.solution.algebraic for s in k.symbols}
        replaced = {s.element_hash() for s, _ in self.solution.steps}
        for j, x in enumerate(system.unknowns):
            if j < self.movers:
                continue
            for k in range(int(index.order[j])):
                if x.rate(k).element_hash() not in replaced | held:
                    start = system.start(x, k)
                    name = x.name if k == 0 else f"{x.name}.{'rate' * (k == 1) or f'rate{k}'}"
                    self.solution.states.append((name, x.rate(k), x.rate(k + 1), 0.0 if start is None else start))
        return self.solution

    def _elsewhere(self, i: int) -> bool:
        """Whether projection keeps this equation."""
        return bool(self.index.match[i] < self.movers or self.system.equations[i].gives is not None)

    def _stage(self, stage: int, chosen: list[int]) -> None:
        """Solve the chosen equations at this stage for their matched unknowns' derivatives."""
        if not chosen:
            return
        index, system = self.index, self.system
        target = {i: system.unknowns[index.match[i]].rate(int(index.order[index.match[i]]) + stage) for i in chosen}
        residual = {i: self.levels[i][int(index.times[i]) + stage] for i in chosen}
        number = {target[i].element_hash(): n for n, i in enumerate(chosen)}
        incidence = [
            {number[s.element_hash()] for s in ca.symvar(residual[i]) if s.element_hash() in number} for i in chosen
        ]
        system.index()
        for block in blocks(incidence, list(range(len(chosen)))):
            rows = [chosen[n] for n in block]
            if stage < 0 and not self._plain([residual[i] for i in rows], [target[i] for i in rows]):
                self._keep_together(stage, rows, ca.vertcat(*(residual[i] for i in rows)))
                continue
            self._block(
                [system.equations[i] for i in rows],
                [residual[i] for i in rows],
                [target[i] for i in rows],
                [system.unknowns[index.match[i]] for i in rows],
            )
            if stage < 0:
                for i in rows:
                    self._check_start(system.equations[i], target[i])

    def _check_start(self, equation: Equation, target: SX) -> None:
        """A start of its own that contradicts those of the states it hangs on is told; where all are numbers."""
        system = self.system
        j, order = system.place(target)
        given = system.start(system.unknowns[j], order)
        if given is None or not system.starts_bind:
            return
        (wanted,) = self.solution.resolved([target])
        places = [(s, *system.place(s)) for s in ca.symvar(wanted)]
        starts = [(s, system.start(system.unknowns[k], n), system.unknowns[k].name) for s, k, n in places if k >= 0]
        symbols = ca.vertcat(system.time, *(s for s, _, _ in starts))
        values = ca.vertcat(SX.zeros(system.time.numel(), 1), *(0 if x is None else x for _, x, _ in starts))
        off = ca.substitute(wanted, symbols, values) - given
        if off.is_constant() and abs(float(off)) > 1e-9 * max(1.0, abs(float(SX(given)))):
            raise ModelError(
                f"it starts at {given}, but {', '.join(name for *_, name in starts)} ask for"
                f" {float(off + given):g} (by {equation}).",
                component=target.name(),
                remedy="Give one start fewer for quantities that are tied to each other.",
            )

    def _plain(self, residuals: list[SX], targets: list[SX]) -> bool:
        """Whether equations between states are linear in those they determine, with constant coefficients."""
        J = ca.jacobian(ca.vertcat(*residuals), ca.vertcat(*targets))
        return all(s.element_hash() in self.constants for s in ca.symvar(J))

    def _keep_together(self, stage: int, rows: list[int], residual: SX) -> None:
        """Equations between states: all of these are moved there together, by the shortest way.

        Which of them could be computed from the others may change as they move; so none is singled out.
        """
        system, index = self.system, self.index
        replaced = {s.element_hash() for s, _ in self.solution.steps}
        coupled: list[tuple[Quantity, int]] = []
        for s in ca.symvar(residual):
            j, k = system.place(s)
            if j >= self.movers and k == int(index.order[j]) + stage and s.element_hash() not in replaced:
                coupled.append((system.unknowns[j], k))
        self._keep(
            coupled,
            residual,
            lambda J, r: J.T @ solve(J @ J.T, r, soft=False),
            owner=system.equations[rows[0]].owner,
            rates=[x.rate(k + 1) for x, k in coupled],
        )

    def _keep(
        self,
        unknowns: list[tuple[Quantity, int]],
        residual: SX,
        step: Callable[[SX, SX], SX],
        *,
        owner: str,
        rates: list[SX | None],
    ) -> None:
        """(unknown, order) as states of their own, moved onto their equations by Newton steps: step(J, r) → J⁺ r."""
        symbols = [x.rate(k) for x, k in unknowns]
        state = [SX.sym(f"{s.name()}.kept") for s in symbols]
        x, better = ca.vertcat(*symbols), ca.vertcat(*state)
        J = ca.jacobian(residual, x)
        for _ in range(NEWTON):
            here, slope = ca.substitute([residual, J], [x], [better])
            better = better - step(slope, here)
        self.solution.steps += list(zip(symbols, ca.vertsplit(ca.densify(better)), strict=True))
        starts = [self.system.start(x, k) for x, k in unknowns]
        self.solution.algebraic.append(
            AlgebraicStates(
                names=[s.name() for s in symbols],
                symbols=state,
                better=symbols,
                starts=[0.0 if start is None else start for start in starts],
                owner=owner,
                rates=rates,
                residual=ca.substitute(residual, x, ca.vertcat(*state)),
            )
        )

    def _block(self, owners: list[Equation], residuals: list[SX], targets: list[SX], unknowns: list[Quantity]) -> None:
        inside = {s.element_hash(): n for n, s in enumerate(targets)}
        incidence = {
            i: {inside[s.element_hash()] for s in ca.symvar(r) if s.element_hash() in inside}
            for i, r in enumerate(residuals)
        }
        for idle in set(range(len(targets))) - set().union(*incidence.values()):
            self.solution.steps.append((targets[idle], SX(0)))  # a multiplier that moves nothing
        slopes = {
            (i, j): slope
            for i, columns in incidence.items()
            for j, slope in zip(
                columns, constant_coefficients(residuals[i], [targets[j] for j in columns], self.constants), strict=True
            )
        }
        solvable = {i: {j for j in columns if slopes[i, j] is not None} for i, columns in incidence.items()}
        inside_too = {id(x) for x in unknowns}
        for i, e in enumerate(owners):
            if e.gives is not None and id(e.gives[0]) in inside_too:
                solvable[i] = set()  # it determines its multiplier: what is torn is then symmetric
        rank = {n: 2 * isinstance(x, Multiplier) + self._is_algebraic(targets[n]) for n, x in enumerate(unknowns)}

        def assignments(torn: Torn) -> list[tuple[SX, SX]]:
            assigned = []
            for i, j in torn.assigned:
                slope = slopes[i, j]
                assert slope is not None
                assigned.append((targets[j], -ca.substitute(residuals[i], targets[j], SX(0)) / slope))
            return assigned

        if self.mechanism is not None and any(isinstance(x, Multiplier) for x in unknowns):
            # Accelerations together with multipliers, as long as nothing else must be known with them.
            together = {n for n, x in enumerate(unknowns) if self.mechanism.has(x)}
            torn = tear(incidence, {i: columns - together for i, columns in solvable.items()}, rank)
            left = _paired(owners, unknowns, torn.torn, torn.residuals)
            assigned = assignments(torn)
            if set(torn.torn) == together and self._moved(residuals, targets, unknowns, assigned, torn.torn, left):
                self.solution.steps += assigned
                return
            self.mechanism.refuse_massless()
        x, r = ca.vertcat(*targets), ca.vertcat(*residuals)
        J, b = ca.jacobian(r, x), -ca.substitute(r, x, SX.zeros(x.numel(), 1))
        soft = any(isinstance(u, Multiplier) for u in unknowns)
        sizes = None if soft or len(targets) == 1 else strengths(J, b, self.numbers)
        torn = tear(incidence, solvable, rank, sizes)
        left = _paired(owners, unknowns, torn.torn, torn.residuals)
        if torn.torn and not soft and not ca.depends_on(J, x):
            typical = np.ones(len(targets)) if sizes is None else sizes.unknowns
            block = TornBlock(ca.sparsify(J), torn, left, self.numbers, typical)
            self._together(owners, targets, unknowns, block, b)
            return
        assigned = assignments(torn)
        if torn.torn:
            self._torn(owners, residuals, targets, unknowns, assigned, torn.torn, left)
        self.solution.steps += assigned

    def _together(
        self, owners: list[Equation], targets: list[SX], unknowns: list[Quantity], block: TornBlock, b: SX
    ) -> None:
        """A linear block J x = b, with its mismatch."""
        x = ca.vertcat(*targets)
        names = [u.name if self._is_algebraic(s) else s.name() for u, s in zip(unknowns, targets, strict=True)]
        torn, who = [names[j] for j in block.torn.torn], list(dict.fromkeys(e.owner for e in owners))
        self.solution.blocks.append(Block(names, torn, True, who, block.mismatch(x, b)))
        self.solution.steps += list(zip(targets, ca.vertsplit(ca.densify(block.solve(b))), strict=True))

    def _moved(
        self,
        residuals: list[SX],
        targets: list[SX],
        unknowns: list[Quantity],
        assigned: list[tuple[SX, SX]],
        torn: list[int],
        left: list[int],
    ) -> bool:
        """Accelerations and multipliers of the mechanism, if these are all that is torn."""
        assert self.mechanism is not None
        x, residual = self._left(residuals, targets, assigned, torn, left)
        J = ca.jacobian(residual, x)
        if ca.depends_on(J, x):
            return False
        rest = -ca.substitute(residual, x, SX.zeros(x.numel(), 1))
        solved = self.mechanism.solve(J, rest, [unknowns[j] for j in torn])
        if solved is None:
            return False
        value, last = solved
        names = [x.name if self._is_algebraic(s) else s.name() for x, s in zip(unknowns, targets, strict=True)]
        self.solution.blocks.append(Block(names, [names[torn[n]] for n in sorted(last)], True))
        self.solution.steps += list(zip([targets[j] for j in torn], ca.vertsplit(ca.densify(value)), strict=True))
        return True

    def _left(
        self, residuals: list[SX], targets: list[SX], assigned: list[tuple[SX, SX]], torn: list[int], left: list[int]
    ) -> tuple[SX, SX]:
        """The torn unknowns, and the residuals in these alone."""
        r = [residuals[i] for i in left]
        if assigned:
            r = ca.substitute_inplace([s for s, _ in assigned], [v for _, v in assigned], r, False)[1]
        return ca.vertcat(*(targets[j] for j in torn)), ca.vertcat(*r)

    def _torn(
        self,
        owners: list[Equation],
        residuals: list[SX],
        targets: list[SX],
        unknowns: list[Quantity],
        assigned: list[tuple[SX, SX]],
        torn: list[int],
        left: list[int],
    ) -> None:
        """Residuals in the torn unknowns alone: linear, solved at once; else kept by Newton steps."""
        symbols = [targets[j] for j in torn]
        x, residual = self._left(residuals, targets, assigned, torn, left)
        J = ca.jacobian(residual, x)
        soft = any(isinstance(unknowns[j], Multiplier) for j in torn)
        linear = not ca.depends_on(J, x)
        names = [x.name if self._is_algebraic(s) else s.name() for x, s in zip(unknowns, targets, strict=True)]
        self.solution.blocks.append(Block(names, [names[j] for j in torn], linear))
        if linear:
            value = solve(J, -ca.substitute(residual, x, SX.zeros(x.numel(), 1)), soft=soft)
            self.solution.steps += list(zip(symbols, ca.vertsplit(ca.densify(value)), strict=True))
            return
        if any(self._is_mover(s) for s in symbols):
            owner = owners[left[0]]
            raise ModelError(
                f"its {owner.text} is not linear in accelerations.",
                component=owner.owner,
                remedy="Give it a state in between, for instance a spring and damper or an inertia.",
            )
        self._keep(
            [(unknowns[j], self.system.place(targets[j])[1]) for j in torn],
            residual,
            lambda J, r: factorised(J, Numbers(), np.ones(len(torn)))(r),
            owner=owners[left[0]].owner,
            rates=[None] * len(torn),
        )

    def _is_algebraic(self, symbol: SX) -> bool:
        return symbol.element_hash() in self._lowest

    def _is_mover(self, symbol: SX) -> bool:
        return symbol.element_hash() in self._moving


def _paired(owners: list[Equation], unknowns: list[Quantity], torn: list[int], residuals: list[int]) -> list[int]:
    """Residual equations in the order of the torn unknowns: a constraint beside its multiplier, a balance beside what
    it moves (so J is symmetric)."""
    known = set(residuals)
    of = {id(e.gives[0]): i for i, e in enumerate(owners) if e.gives is not None and i in known}
    of |= {id(e.moves): i for i, e in enumerate(owners) if e.moves is not None and i in known}
    own = {j: of[id(unknowns[j])] for j in torn if id(unknowns[j]) in of}
    rest = dict(zip(sorted(set(torn) - set(own)), sorted(set(residuals) - set(own.values())), strict=True))
    return [own[j] if j in own else rest[j] for j in torn]
