"""Everything by ports (ACA): bodies, joints and other domains as one set of implicit equations.

A body has a twist and sums up the wrenches that its ports bring; a constraint says what holds between twists and gives
back wrenches in the directions it holds. The whole is flattened, differentiated as its index asks, matched, sorted
into blocks and torn: mechanism and network are solved together, so that whatever is rigidly joined may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.contact.places import push_of
from linkwork.core.component import Marker
from linkwork.core.equations import Equations, Row
from linkwork.core.errors import ModelError
from linkwork.core.port import FramePort, Quantity
from linkwork.formulations import maximal
from linkwork.formulations.constraint_rows import Rows, drift_of, split_rows
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.flattening import Flat, flatten
from linkwork.formulations.joint_ports import answered
from linkwork.formulations.left_open import left_open, refuse_rates
from linkwork.formulations.maximal_view import MaximalView, some_rotations
from linkwork.formulations.network import Bound, Solved, Writer, numbers_of, solve_system
from linkwork.formulations.observe import largest
from linkwork.formulations.order import order_of, structure_of
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX, Wrench
from linkwork.structure.mechanism import Mechanism
from linkwork.structure.solution import Solver
from linkwork.structure.system import Equation, Multiplier, System, parts

if TYPE_CHECKING:
    from linkwork.core.model import Model


def formulate(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
) -> Equations:
    """v̇ explicit, from blocks; constraints are kept by projection, or by Baumgarte's terms."""
    view, contributions, rows, mechanism, flat = _flattened(model, softness)
    damping = (stabilisation.alpha, stabilisation.beta) if isinstance(stabilisation, Baumgarte) else None
    solved, solver = _solve_blocks(model, mechanism, flat, damping)
    writer = Writer(solved, contributions, view, Bound(*mechanism.frames, {}, []))
    writer.states()
    writer.observations()
    for c, (_, effort) in flat.flanges.items():
        contributions.efforts[c] = contributions.efforts.get(c, SX(0)) + writer.in_states([effort.symbol])[0]
    a, multipliers = ca.vertcat(*(x.rate(2) for x in mechanism.movers)), rows.multipliers
    solution = solved.solution.resolved([ca.densify(a), multipliers])
    acceleration = SX.sym("a", view.v.numel())
    eq = maximal.finished(
        view,
        contributions,
        rows,
        ca.sparsify(maximal.masses(view)),
        SX.zeros(view.v.numel(), 1),
        ca.jacobian(rows.velocity, view.v),
        stabilisation=stabilisation,
        softness=softness,
        a=acceleration,
    )
    held = _held(rows, *_constraints_of_ports(solver.hidden, rows, solved))
    explicit = _explicit(view, contributions, eq, acceleration, a, solution, held)
    if not contributions.contacts:
        return explicit
    refuse_rates(explicit, solved)
    return left_open(explicit)


def solved_of(model: Model) -> tuple[Solved, list[Equation]]:
    """The flattened model, matched, sorted and torn; and its equations as components and ports say them."""
    _, _, _, mechanism, flat = _flattened(model, None)
    unknowns = [x for x in mechanism.system.unknowns if isinstance(x, Multiplier)]
    symbols = (
        ca.vertcat(SX(0, 1), *(x.symbol for x in unknowns)),
        ca.vertcat(SX(0, 1), *(SX.sym(x.name) for x in unknowns)),
    )
    said = [replace(e, residual=ca.substitute(e.residual, *symbols)) for e in mechanism.system.equations]
    return _solve_blocks(model, mechanism, flat, None)[0], said


def _flattened(
    model: Model, softness: Mapping[Row, tuple[float, float]] | None
) -> tuple[MaximalView, Contributions, Rows, _Mechanism, Flat]:
    view = MaximalView(model)
    contributions = gather(model, view, ports=False)
    rows = split_rows(view, contributions, softness)
    _refuse_weightless(view, rows)
    mechanism, flat = _Mechanism(view, contributions, rows), flatten(model)
    mechanism.joined(flat)
    return view, contributions, rows, mechanism, flat


def _solve_blocks(
    model: Model, mechanism: _Mechanism, flat: Flat, damping: tuple[float, float] | None
) -> tuple[Solved, Solver]:
    return solve_system(
        flat,
        mechanism.system,
        [*model.symbols(model.parameters), *mechanism.solved_together.massless.values()],
        movers=len(mechanism.movers),
        damping=damping,
        mechanism=mechanism.solved_together,
        numbers=numbers_of(model),
    )


@dataclass
class Held:
    """Everything that holds between bodies, of the library and of components with ports, in the symbols of a view."""

    names: list[Row]
    position: SX
    velocity: SX
    """Rates of these, then what holds at speed level only."""


def _held(rows: Rows, position: list[tuple[Equation, SX]], velocity: list[tuple[Equation, SX]]) -> Held:
    """position, velocity: what components with ports add."""
    n, own = rows.position.numel(), len(position)
    rates, alone = ca.vertsplit(rows.velocity, [0, n, rows.velocity.numel()])
    names = [Row(e.owner, e.text) for e, _ in velocity]
    values = [x for _, x in velocity]
    return Held(
        [*rows.names[:n], *names[:own], *rows.names[n:], *names[own:]],
        ca.vertcat(rows.position, *(x for _, x in position)),
        ca.vertcat(rates, *values[:own], alone, *values[own:]),
    )


def _explicit(
    view: MaximalView, contributions: Contributions, eq: Equations, symbol: SX, a: SX, solution: list[SX], held: Held
) -> Equations:
    """Accelerations and multipliers put in everywhere."""
    force, multipliers, position, velocity, jacobian, drift = view.in_states(
        [
            *solution,
            held.position,
            held.velocity,
            ca.jacobian(held.velocity, view.v),
            drift_of(view, contributions, held.velocity),
        ]
    )
    # a of the view's movers, a of the equations and the multipliers all stand for what was found
    known = [eq.multipliers, ca.vertcat(SX(0, 1), a)], [multipliers, symbol]
    substituted = eq.map(lambda expressions: ca.substitute(expressions, *known))
    gamma = ca.substitute(ca.substitute([-drift], *known)[0], symbol, force)
    outputs, more = dict(substituted.observation.outputs), velocity.numel() > eq.constraints.velocity.numel()
    if more:
        for name, rows in (("residual.position", position), ("residual.velocity", velocity)):
            outputs[name] = (outputs[name][0], ca.fmax(outputs[name][1], largest(rows)))
    return replace(
        substituted,
        symbols=replace(eq.symbols, multipliers=SX(0, 1)),
        motion=replace(
            substituted.motion, force=ca.densify(force), order=None if more else eq.motion.order, explicit=True
        ),
        constraints=replace(
            substituted.constraints,
            position=position,
            velocity=velocity,
            jacobian=jacobian,
            gamma=gamma,
            rows=held.names,
        ),
        observation=replace(substituted.observation, outputs=outputs),
    )


class _Mechanism:
    """Bodies and constraints as unknowns and equations."""

    def __init__(self, view: MaximalView, contributions: Contributions, rows: Rows):
        self.view, self.contributions = view, contributions
        self.movers = _movers(view)
        multipliers = _multipliers(rows)
        self.system = System([*self.movers, *multipliers], [])
        self.solved_together = Mechanism(
            {id(x): k for k, x in enumerate(self.movers)},
            {id(x): k for k, x in enumerate(multipliers)},
            order_of(view, rows.names, ca.jacobian(rows.velocity, view.v), of_bodies=True).away(rows.position),
            {name: SX.sym(f"{name}.massless") for name in structure_of(view.model).massless},
            some_rotations(view),
        )
        self.system.carry(view.config, view.config_rate)
        self.system.move(view.config, view.config_rate)
        self.system.move(view.t, SX(1))
        for _, symbol, rate in contributions.first_order:
            self.system.move(symbol, SX(rate))
        self.frames: tuple[list[SX], list[SX]] = [], []
        """Symbols of the ports' frames, and what they stand for."""
        self._wrenches: dict[int, list[SX]] = {k: [] for k in range(len(self.movers))}
        self._constrained(rows)
        self._pushed(rows)

    def _constrained(self, rows: Rows) -> None:
        """What holds, and the wrenches it takes: W = −Aᵀλ (AME (15), (16); Newton's third law is in A)."""
        everything = [*((r, rows.all_position[k]) for k, r in enumerate(rows.all_names[: rows.all_position.numel()]))]
        everything += [(rows.all_names[k], rows.all_velocity[k]) for k in range(len(everything), len(rows.all_names))]
        multipliers = self.system.unknowns[len(self.movers) :]
        for x, k in zip(multipliers, rows.hard, strict=True):
            row, residual = everything[k]
            level = 2 if k < rows.all_position.numel() else 1
            self.system.equations.append(Equation(row.owner, row.direction, residual, (x, level)))
        joints = {joint.name: joint for joint in self.view.model.of_type(Joint)}
        for owner in dict.fromkeys(rows.all_names[k].owner for k in rows.hard):
            mine = [k for k in rows.of(owner) if k in set(rows.hard)]
            if owner in joints:
                self._answer(joints[owner], [rows.all_names[k].number for k in mine], rows.all_pull[mine])
            else:
                A = ca.jacobian(rows.all_velocity[mine], self.view.v)
                self._wrench(owner, -(A.T @ rows.all_pull[mine]))

    def _answer(self, joint: Joint, chosen: list[int], multipliers: SX) -> None:
        """The wrenches of a joint at its two ports, carried to the mass centres of their bodies."""
        for marker, wrench in answered(self.view, joint, chosen, multipliers):
            if isinstance(marker.body, Body):
                total = SX(self.view.v.numel(), 1)
                total[self.view.slice(marker.body)] = _on_body(self.view, marker, wrench)
                self._wrench(joint.name, total)

    def _pushed(self, rows: Rows) -> None:
        """Loads, efforts and soft constraints."""
        view = self.view
        for owner in dict.fromkeys(name for name, _ in self.contributions.loads):
            mine = [pair for pair in self.contributions.loads if pair[0] == owner]
            self._wrench(owner, maximal.applied(view, mine))
        for c, effort in self.contributions.efforts.items():
            self._wrench(c.name, ca.jacobian(view.rate(c), view.v).T @ effort)
        if rows.soft:
            self._wrench("compliance", -rows.soft_pull)
        for contact in self.contributions.contacts:
            self._wrench(contact.name, push_of([contact], view))

    def _wrench(self, owner: str, generalised: SX) -> None:
        """A port on each body that it touches: its wrench is an unknown, given by the owner's equation."""
        for k in range(generalised.numel()):
            part = generalised[k]
            if part.nnz() and not part.is_zero():
                x = Quantity(f"{owner} on {self.movers[k].name}", owner)
                self.system.unknowns.append(x)
                self.system.equations.append(Equation(owner, f"wrench on {self.movers[k].name}", x.symbol - part))
                self._wrenches[k].append(x.symbol)

    def joined(self, flat: Flat) -> None:
        """Networks: flanges are coordinates, frame ports sit on bodies; then the bodies' own equations."""
        view = self.view
        self.system.unknowns += flat.unknowns
        for c, (value, effort) in flat.flanges.items():
            self.system.equations.append(Equation(c.name, "flange", value.symbol - view.coordinate(c)))
            self._wrench(c.name, ca.jacobian(view.rate(c), view.v).T @ effort.symbol)
        symbols: list[SX] = []
        values: list[SX] = []
        for port in flat.frames:
            frame = view.frame(port.marker)
            here = port.place(frame)
            symbols, values = symbols + here[0], values + here[1]
            self._wrench(port.owner.name, _generalised(view, port))
        self.system.index()
        for port in flat.frames:
            frame = view.frame(port.marker)
            for symbol, speed in port.accelerated(frame):
                symbols.append(symbol)
                values.append(ca.densify(self.system.derivative(speed)))
        self.frames = symbols, values
        for e in flat.equations:
            residual = ca.substitute([e.residual], symbols, values)[0] if symbols else e.residual
            self.system.equations.append(Equation(e.owner, e.text, residual))
        self.system.equations += self._newton_euler()
        self.system.index()

    def _newton_euler(self) -> list[Equation]:
        """Each body's own equations: m a = Σ F, J ω̇ = Σ M − ω × J ω; a variable without mass: Σ efforts = 0."""
        view, equations = self.view, []
        total = ca.vertcat(*(sum(self._wrenches[k], SX(0)) for k in range(len(self.movers))))
        a = ca.vertcat(*(x.rate(2) for x in self.movers))
        total = total + maximal.own_forces(view)
        for body in view.bodies:
            at = view.slice(body)
            mass, none = maximal.mass_of(view, body), self.solved_together.massless.get(body.name)
            if none is not None:
                mass = mass + ca.diag(ca.if_else(ca.densify(ca.diag(mass)) == 0, none, 0))
            residual = mass @ a[at] - total[at]
            moved = self.movers[at]
            equations += [
                Equation(body.name, "balance", r, moves=x) for r, x in zip(parts(residual), moved, strict=True)
            ]
        for k, variable in enumerate(view.variables, view.v.numel() - len(view.variables)):
            equations.append(Equation(variable.name, "balance", total[k], moves=self.movers[k]))
        return equations


def _refuse_weightless(view: MaximalView, rows: Rows) -> None:
    """Variables that no constraint ties to a body: nowhere in their equations does an acceleration stand."""
    bodies = view.v.numel() - len(view.variables)
    coupled = np.array(ca.DM(ca.jacobian(rows.velocity, view.v).sparsity())) != 0
    moved, reached = np.zeros(view.v.numel(), dtype=bool), np.arange(view.v.numel()) < bodies
    while not np.array_equal(moved, reached):
        moved = reached
        reached = moved | coupled[coupled[:, moved].any(axis=1)].any(axis=0)
    for variable, yes in zip(view.variables, reached[bodies:], strict=True):
        if not yes:
            raise ModelError(
                "no body moves with it, so none of its equations holds an acceleration.",
                component=variable.name,
                remedy='Use formulation="absolute" or "minimal", or let m.guide(…) place a body by it.',
            )


def _movers(view: MaximalView) -> list[Quantity]:
    """Speeds as unknowns of the second order: what they integrate to is in the configuration."""
    names = [(f"{b.name}.{k}", b.name) for b in view.bodies for k in view.of_body.speed_names] + [
        (v.name, v.name) for v in view.variables
    ]
    movers = []
    for k, (name, owner) in enumerate(names):
        mover = Quantity(name, owner)
        mover.chain = [mover.chain[0], view.v[k], SX.sym(f"{name}.acceleration")]
        movers.append(mover)
    for mover, variable in zip(movers[len(names) - len(view.variables) :], view.variables, strict=True):
        mover.chain[0] = variable.symbol
    return movers


def _multipliers(rows: Rows) -> list[Quantity]:
    multipliers: list[Quantity] = []
    for k, row in enumerate(rows.names):
        x = Multiplier(f"{row.owner}.multiplier{row.number + 1}", row.owner)
        x.chain = [rows.multipliers[k]]
        multipliers.append(x)
    return multipliers


def _generalised(view: MaximalView, port: FramePort) -> SX:
    """Generalised force of a component's reaction on the body its frame port sits on."""
    total = SX(view.v.numel(), 1)
    if isinstance(port.marker.body, Body):
        total[view.slice(port.marker.body)] = -_on_body(view, port.marker, Wrench(port.force, port.torque))
    return total


def _on_body(view: MaximalView, marker: Marker, wrench: Wrench) -> SX:
    """A wrench at a frame as a generalised force on the speeds of the body that carries it."""
    centre = view.body(marker.body)
    return wrench.moved(view.frame(marker).p - centre.p).on_speeds(centre.R, view.space)


def _constraints_of_ports(hidden: list, rows: Rows, solved: Solved) -> tuple[list, list]:
    """Position and speed rows that components with ports bring: (position), (their rates, then speed rows alone)."""
    library = {row.owner for row in rows.all_names}
    own = [(e, level, x) for e, level, x in hidden if e.owner not in library]
    if not own:
        return [], []
    times = {id(e): max(level for f, level, _ in own if f is e) for e, _, _ in own}
    values = solved.solution.resolved([x for _, _, x in own])
    position = [(e, x) for (e, level, _), x in zip(own, values, strict=True) if level == times[id(e)] - 1]
    both = {id(e) for e, _ in position}
    rates = {id(e): (e, x) for (e, level, _), x in zip(own, values, strict=True) if level == times[id(e)]}
    ordered = [rates[id(e)] for e, _ in position] + [pair for key, pair in rates.items() if key not in both]
    return position, ordered
