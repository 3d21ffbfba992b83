"""What components with ports contribute to a formulation that has solved the mechanism in its own way.

The mechanism's coordinates and frames are known to the network; it gives efforts and loads back, and states of its
own. An effort that depends on the acceleration of coordinates (an inertia rigidly joined to a joint) is split into a
mass that the mechanism feels and the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.components.coordinate import Coordinate
from linkwork.core import names
from linkwork.core.component import Load
from linkwork.core.errors import ModelError
from linkwork.core.port import PortComponent
from linkwork.core.program import Event
from linkwork.formulations.flattening import Flat, flatten
from linkwork.formulations.joined import Accelerated, Inertia, TogetherOnly
from linkwork.formulations.maximal_view import MaximalView
from linkwork.geometry import SX
from linkwork.structure.aliases import Reduced
from linkwork.structure.explicit import explicit
from linkwork.structure.index import Index
from linkwork.structure.linear import solve
from linkwork.structure.mechanism import Mechanism
from linkwork.structure.sizes import Numbers
from linkwork.structure.solution import AlgebraicStates, Solution, Solver
from linkwork.structure.system import System

if TYPE_CHECKING:
    from linkwork.core.model import Model
    from linkwork.formulations.contributions import Contributions


@dataclass
class Solved:
    """A flattened system with its explicit steps."""

    flat: Flat
    system: System
    index: Index
    reduction: Reduced
    solution: Solution


def solve_system(
    flat: Flat,
    system: System,
    parameters: list[SX],
    *,
    movers: int = 0,
    damping: tuple[float, float] | None = None,
    mechanism: Mechanism | None = None,
    motion: list[SX] | None = None,
    numbers: Numbers | None = None,
) -> tuple[Solved, Solver]:
    """Take out aliases, find the index, sort, tear, solve. numbers: values of parameters, to choose pivots by."""
    constants = {s.element_hash() for s in parameters}
    solved = explicit(
        system,
        constants,
        lambda reduction: _refuse_empty(reduction, motion or [], flat.components),
        movers=movers,
        damping=damping,
        mechanism=mechanism,
        numbers=numbers,
    )
    return Solved(flat, system, solved.index, solved.reduction, solved.solution), solved.solver


def _refuse_empty(reduction: Reduced, motion: list[SX], components: list[PortComponent]) -> None:
    """motion: symbols of the mechanism's motion, where it is known. The last component is told, a ground before."""
    for equation, others in reduction.empty:
        residual = ca.simplify(equation.residual)
        if any(ca.depends_on(residual, symbol) for symbol in motion):
            raise TogetherOnly(f"its {equation.text} restricts the motion of the mechanism.", component=equation.owner)
        redundant = residual.is_constant() and abs(float(residual)) < 1e-12
        place = {c.name: (len(c.ports) > 1, k) for k, c in enumerate(components)}
        owners = {names.split(o, place)[0] for o in (equation.owner, *others)}
        named = sorted(owners, key=lambda name: place.get(name, (False, -1)))
        owner, known = named[-1], ", ".join(reversed(named[:-1]))
        raise ModelError(
            f"{f'together with {known} it gives' if known else 'it gives'} one equation too many, which"
            f" {'only repeats' if redundant else 'contradicts'} the others ({equation}).",
            component=owner,
            remedy="Take one of them away, or put a component between that can take up the difference"
            " (a resistance, a spring).",
        )


def contribute(contributions: Contributions, model: Model, view: MaximalView) -> None:
    """Add states, efforts, loads, energies, channels and events of all components with ports."""
    flat = flatten(model)
    if not flat.components:
        return
    system, bound = _known(flat, contributions, model, view)
    parameters = model.symbols(model.parameters)
    solved, _ = solve_system(flat, system, parameters, motion=bound.symbols, numbers=numbers_of(model))
    contributions.network = writer = Writer(solved, contributions, view, bound)
    writer.states()
    writer.pushes()
    writer.observations()


def numbers_of(model: Model) -> Numbers:
    """Values of parameters and inputs that a model is prepared for."""
    values = {**model.parameters, **model.nominal, **model.inputs}
    symbols = [*model.symbols(model.parameters), *model.symbols(model.inputs)]
    return Numbers({s.element_hash(): float(x) for s, x in zip(symbols, values.values(), strict=True)})


@dataclass
class Bound:
    """Symbols of the mechanism as the network sees them, and what they stand for in the view."""

    symbols: list[SX]
    values: list[SX]
    second: dict[Coordinate, SX]
    accelerations: list[Accelerated]


def _known(flat: Flat, contributions: Contributions, model: Model, view: MaximalView) -> tuple[System, Bound]:
    """Coordinates and frames are known: their values by symbols that move as the mechanism does."""
    bound = Bound([], [], {}, [])
    unknowns = list(flat.unknowns)
    system_known: list[tuple[SX, SX]] = [(model.t, SX(1))]
    for c, (value, _) in flat.flanges.items():
        unknowns.remove(value)
        x, rate, second = value.rate(0), value.rate(1), value.rate(2)
        bound.symbols += [x, rate]
        bound.values += [view.coordinate(c), view.rate(c)]
        bound.second[c] = second
        bound.accelerations.append(Accelerated(second, view.rate(c)))
        system_known += [(x, rate), (rate, second)]
    for port in flat.frames:
        frame = view.frame(port.marker)
        system_known += port.motions
        symbols, values = port.place(frame)
        bound.symbols += symbols
        bound.values += values
        bound.accelerations += [Accelerated(s, speed) for s, speed in port.accelerated(frame)]
    for variable in view.variables:
        system_known.append((variable.symbol, variable.rate))
    for _, symbol, rate in contributions.first_order:
        system_known.append((symbol, rate))
    system = System(unknowns, flat.equations)
    for known, rate in system_known:
        system.move(known, ca.densify(rate))
    return system, bound


class Writer:
    """Puts a solved network into the contributions of a view."""

    def __init__(self, solved: Solved, contributions: Contributions, view: MaximalView, bound: Bound):
        self.solved, self.contributions, self.view, self.bound = solved, contributions, view, bound
        self.system, self.solution = solved.system, solved.solution

    def in_states(self, expressions: list[SX]) -> list[SX]:
        """In states of the network and symbols of the view; accelerations stay symbols."""
        resolved = self.solution.resolved([SX(x) for x in expressions])
        return self._in_view(self._late(resolved))

    def _in_view(self, expressions: list[SX]) -> list[SX]:
        if not self.bound.symbols or not expressions:
            return expressions
        return ca.substitute(expressions, self.bound.symbols, self.bound.values)

    def states(self) -> None:
        plain = self.solution.states
        rates = self.solution.resolved([rate for _, _, rate, _ in plain])
        self._moving = [(s, rate) for (_, s, _, _), rate in zip(plain, rates, strict=True)]
        states = [(name, s, start) for name, s, _, start in plain]
        for k in self.solution.algebraic:
            values = self._rates_of(k)
            self._moving += zip(k.symbols, values, strict=True)
            states += zip(k.names, k.symbols, k.starts, strict=True)
            rates += values
        for (name, symbol, start), rate in zip(states, self._in_view(rates), strict=True):
            self.contributions.first_order.append((name, symbol, rate))
            self.contributions.starts[name] = start
        better = [b for k in self.solution.algebraic for b in k.better]
        residuals = ca.vertcat(SX(0, 1), *(k.residual for k in self.solution.algebraic))
        symbols = [s for k in self.solution.algebraic for s in k.symbols]
        follows = [rate is None for k in self.solution.algebraic for rate in k.rates]
        self.contributions.algebraic += zip(symbols, self.in_states(better), follows, strict=True)
        if symbols:
            self.contributions.algebraic_residual = ca.vertcat(
                self.contributions.algebraic_residual, self.in_states([residuals])[0]
            )
        self.contributions.algebraic_owners += [k.owner for k in self.solution.algebraic for _ in k.symbols]

    def _rates_of(self, k: AlgebraicStates) -> list[SX]:
        """Rates of kept states: unknowns of the system, or those that keep G(x, rest) = 0 as the rest moves."""
        rates = [r for r in k.rates if r is not None]
        if rates:
            return self.solution.resolved(rates)
        (G,) = self.solution.resolved([k.residual])
        slide = -solve(ca.jacobian(G, ca.vertcat(*k.symbols)), self._along(G), soft=False)
        return ca.vertsplit(ca.densify(slide))

    def _along(self, x: SX) -> SX:
        """Time derivative over all states found so far and everything known."""
        symbols, rates = [s for s, _ in self._moving], [r for _, r in self._moving]
        known = list(self.system._rates.values())
        symbols += [s for s, _ in known]
        rates += [r for _, r in known]
        return ca.jtimes(x, ca.vertcat(*symbols), ca.vertcat(*rates))

    def _late(self, expressions: list[SX]) -> list[SX]:
        """Derivatives of what is only known algebraically: by differentiating its value along the states."""
        for _ in range(3):
            missing = {}
            for x in expressions:
                for s in ca.symvar(x):
                    at = self.system._orders.get(s.element_hash())
                    if at is not None and at[1] > self.solved.index.order[at[0]]:
                        missing[s.element_hash()] = (s, self.system.unknowns[at[0]].rate(at[1] - 1))
            if not missing:
                return expressions
            symbols = [s for s, _ in missing.values()]
            lower = self.solution.resolved([x for _, x in missing.values()])
            values = [self._along(x) for x in lower]
            expressions = ca.substitute(expressions, symbols, values)
        raise ModelError("needs a derivative that nothing determines.", component="network", remedy="Simplify it.")

    def pushes(self) -> None:
        """Efforts on coordinates (less what they owe to accelerations), loads on bodies."""
        flat, contributions = self.solved.flat, self.contributions
        second = list(self.bound.second.values())
        for c, (_, effort) in flat.flanges.items():
            (e,) = self.in_states([effort.symbol])
            slopes = ca.jacobian(e, ca.vertcat(*second))
            for other, slope in zip(self.bound.second, ca.horzsplit(slopes), strict=True):
                if slope.nnz():
                    if any(ca.depends_on(slope, s) for s in second):
                        raise ModelError(
                            "the effort on it is not linear in accelerations.",
                            component=c.name,
                            remedy="Put a spring, or an inertia of its own, between.",
                        )
                    contributions.inertias.append(Inertia(c, other, -SX(slope), self.bound.second[other]))
            e = ca.substitute(e, ca.vertcat(*second), SX.zeros(len(second), 1))
            contributions.efforts[c] = contributions.efforts.get(c, SX(0)) + e
        for port in flat.frames:
            force, torque = self.in_states([port.force, port.torque])
            used = {s.element_hash() for s in ca.symvar(ca.vertcat(force, torque))}
            if any(
                a.symbol[k].element_hash() in used for a in self.bound.accelerations for k in range(a.symbol.numel())
            ):
                raise TogetherOnly(
                    "its force depends on the acceleration of the body it acts on.", component=port.owner.name
                )
            contributions.loads.append((port.owner.name, Load(port.marker, -force, -torque)))

    def observations(self) -> None:
        """Channels, energies, switches; all are resolved at once, as each pass goes through all steps."""
        contributions = self.contributions
        contributions.accelerations += self.bound.accelerations
        model = self.view.model
        outside = ca.vertcat(model.t, *model.symbols(model.inputs))
        channels: dict[str, tuple[str, SX]] = {}
        switches: list[tuple[Event, SX]] = []
        energies = [SX(0), SX(0), SX(0), SX(0)]
        for c in self.solved.flat.components:
            channels |= {q.name: (q.unit, q.symbol) for q in c.quantities()}
            channels |= {f"{c.name}.{name}": (unit, SX(x)) for name, (unit, x) in c.channels().items()}
            for k, switch in enumerate(c.switches()):
                switches.append((Event(f"{c.name}.switch{k + 1 if k else ''}", 0, "restart", c), SX(switch)))
            energies = [x + y for x, y in zip(energies, _energies(c, outside), strict=True)]
        for block in self.solution.blocks:
            if block.mismatch is not None:
                names = (f"residual.network.{block.owners[0]}{k or ''}" for k in range(len(self.solution.blocks)))
                name = next(n for n in names if n not in channels)
                channels[name] = ("", block.mismatch)
                contributions.together[name] = block.owners
        resolved = iter(self.in_states([*energies, *(x for _, x in channels.values()), *(x for _, x in switches)]))
        contributions.potential += next(resolved)
        contributions.dissipation += next(resolved)
        contributions.supply += next(resolved)
        contributions.given += next(resolved)
        contributions.channels |= {name: (unit, next(resolved)) for name, (unit, _) in channels.items()}
        contributions.events += [(event, next(resolved)) for event, _ in switches]


def _energies(c: PortComponent, outside: SX) -> tuple[SX, SX, SX, SX]:
    """What it stores [J], loses and supplies [W], and what it stores as time and inputs (outside) say [J].

    The last counts as supplied, less what the component itself puts in: see `energies`.
    """
    stored, lost = SX(c.stored()), SX(c.lost())
    given = bool(ca.depends_on(stored, outside))
    own = c.der(stored) - (ca.jacobian(stored, outside[0]) if given else 0)
    if not c.source:
        return stored, lost, -own if given else SX(0), stored if given else SX(0)
    power = sum((p.power for p in c.ports.values()), SX(0))
    return stored, lost, lost - power + (0 if given else own), stored if given else SX(0)
