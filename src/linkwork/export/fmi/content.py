"""What goes into an FMU: equations, functions, events, tables and the start of a model that is ready to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.compile.functions import builders
from linkwork.components.control.discrete import Periodic
from linkwork.core.equations import Equations
from linkwork.core.pieces import TIME, Lookup
from linkwork.core.port import PortComponent
from linkwork.core.program import Event, Program
from linkwork.core.signal import Inputs, Table
from linkwork.core.unilateral import Contact
from linkwork.export.c_source import Routine
from linkwork.export.fmi.contacts import RigidContacts, contacts_of, snapshot_routine
from linkwork.export.fmi.refusal import refuse, refuse_valves
from linkwork.formulations.stabilisation import Projection
from linkwork.geometry import SX
from linkwork.integrate.ordering import Structure, structure
from linkwork.signals.breakpoints import stops_of, used
from linkwork.signals.continuity import check_continuity
from linkwork.signals.inputs import Signals, signals_of
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.choice.solver import IMPLICIT, Automatic
from linkwork.simulation.cost import INTERRUPTED_STEPS
from linkwork.simulation.prepare import Choice, Prepared, prepare

if TYPE_CHECKING:
    from linkwork.core.model import Model

RESTART, STOP, SETTLE, CONTACT = 1, 2, 3, 4
"""What an event asks for, as the runtime numbers it."""


@dataclass(frozen=True)
class Sampler:
    """A sampled controller: states (by number) that take over the results of a routine at offset + k · period [s]."""

    offset: float
    period: float
    states: list[int]
    routine: str


@dataclass(frozen=True)
class Content:
    """Everything of one model that the sources and the description of its FMU are written from."""

    model: Model
    ready: Prepared
    p: np.ndarray
    set_inputs: list[tuple[str, str, int]]
    """(name, unit, number among the inputs of p) of what an importer sets."""
    events: list[tuple[str, int, int]]
    """(name, direction, what it asks for) of those that are more than a record."""
    lookups: dict[int, Lookup]
    """Tables over time, by number among the inputs of p."""
    stops: np.ndarray
    horizon: float
    """Until when these are known [s]."""
    samplers: list[Sampler]
    contacts: RigidContacts | None
    implicit: bool
    """Whether co-simulation begins with the implicit method; where it turns out to be stiff, it goes on with it."""
    max_step: float
    routines: list[Routine]
    pattern: Structure
    """Of the Newton matrix of the implicit method."""

    @property
    def equations(self) -> Equations:
        return self.ready.equations

    @property
    def program(self) -> Program:
        return self.ready.program

    @property
    def scale(self) -> np.ndarray:
        """Natural unit of each state."""
        return np.ones(self.program.layout.y) if self.program.scale is None else np.asarray(self.program.scale)


def content_of(
    model: Model,
    formulation: str,
    duration: float,
    rtol: float,
    parameters: dict[str, float] | None,
    inputs: Inputs | None,
) -> Content:
    """duration [s]: for which what changes with time is to be known."""
    refuse(model)
    ready = prepare(
        model, Choice(formulation, Projection()), parameters_of(model, parameters), contacts=True, inputs=inputs
    )
    eq, program = ready.equations, ready.program
    refuse_valves(model, eq)
    given = signals_of(model, inputs).given
    p = model.p_at(eq, ready.p, signals=given)
    signals = signals_of(model, None, eq, duration)
    stops = stops_of(eq, p, signals, duration)
    check_continuity(eq, p, signals, stops, ready.state, duration)
    lookups = {k: s for k, s in signals.items() if isinstance(s, Lookup) and s is not TIME}
    located = [(e, g) for e, g in eq.observation.events if e.action != "record"]
    implicit = _implicit(ready, p, signals, duration, rtol)
    samplers, sampled = _samplers(model, eq)
    routines = [*_routines(program, eq, located), *sampled]
    return Content(
        model=model,
        ready=ready,
        p=p,
        set_inputs=_set_inputs(model, eq),
        events=[(e.name, e.direction, _asks(e)) for e, _ in located],
        lookups=lookups,
        stops=stops,
        horizon=duration if len(stops) or lookups else np.inf,
        samplers=samplers,
        contacts=contacts_of(model, ready),
        implicit=implicit,
        max_step=duration / INTERRUPTED_STEPS if located else np.inf,
        routines=routines,
        pattern=_pattern(program, routines),
    )


def _implicit(ready: Prepared, p: np.ndarray, signals: Signals, duration: float, rtol: float) -> bool:
    automatic = Automatic(duration, rtol, signals)
    automatic.look(ready.program, 0.0, ready.state, p, presumed=ready.equations.motion.stiff)
    return automatic.solver == IMPLICIT


def _asks(event: Event) -> int:
    if isinstance(event.about, Contact):
        return CONTACT
    if event.action == "stop":
        return STOP
    return SETTLE if isinstance(event.about, PortComponent) and event.about.jumps else RESTART


def _set_inputs(model: Model, eq: Equations) -> list[tuple[str, str, int]]:
    """Inputs, and those of their derivatives that the motion depends on."""
    names = list(model.inputs)
    inputs = [(name, model.units.get(name, ""), k) for k, name in enumerate(names)]
    needed = {x.name for x in used(eq) if isinstance(x.source, str) and x.order}
    for k, taken in enumerate(eq.signals.taken):
        if taken.name in needed and not isinstance(taken.source, Table) and taken.source is not None:
            unit = model.units.get(taken.source, "")
            inputs.append((taken.name, f"{unit}/s{'²³'[taken.order - 2] if taken.order > 1 else ''}", len(names) + k))
    return inputs


def _samplers(model: Model, eq: Equations) -> tuple[list[Sampler], list[Routine]]:
    samplers, routines = [], []
    place = {name: k for k, name in enumerate(eq.states.names)}
    number = {name: k for k, name in enumerate(eq.observation.outputs)}
    for k, c in enumerate(model.of_type(Periodic)):
        suffix = f"sample_{k + 1}"
        states, channels = [place[s] for s in c.updates], [number[x] for x in c.updates.values()]
        samplers.append(Sampler(c.offset, c.period, states, suffix))
        routines.append((suffix, channels, f"what {c.name} holds and remembers after a sample"))
    if not routines:
        return [], []
    return samplers, [_selected(eq, *parts) for parts in routines]


def _selected(eq: Equations, suffix: str, channels: list[int], note: str) -> Routine:
    """A few of the channels."""
    f = _outputs(eq)
    arguments = f.sx_in()
    value = f.call(arguments, True, False)[0]
    chosen = ca.Function(suffix, arguments, [ca.densify(value[channels])], {"cse": True})
    return Routine(suffix, chosen, ("next",), note)


def _outputs(eq: Equations) -> ca.Function:
    if "fmu outputs" not in eq.memory:
        eq.memory["fmu outputs"] = builders(eq)["outputs"]()
    return eq.memory["fmu outputs"]


def _routines(program: Program, eq: Equations, located: list[tuple[Event, SX]]) -> list[Routine]:
    """What the runtime calls; each of those that an importer differentiates has its tangent."""
    assert program.symbolic is not None
    routines = [
        Routine("rhs", program.symbolic("rhs"), ("dydt",), "time derivative of the state y"),
        Routine("outputs", _outputs(eq), ("channels",), "all channels"),
    ]
    if program.constrained:
        note = "projected = y one step nearer to the constraints; residual = largest |position|, |velocity| before"
        routines.append(Routine("project", program.symbolic("project"), ("projected", "residual"), note))
    if located:
        routines.append(_located(program, eq, located))
    tangents = [_tangent(routine) for routine in routines]
    if program.margins:
        routines.append(
            Routine("margins", program.symbolic("margins"), ("margins",), "how far rows are from dependent")
        )
    if eq.contacts.closure is not None:
        routines.append(snapshot_routine(eq))
    routines.append(
        Routine("dae", program.symbolic("dae"), ("residual",), "index-1 equations, y = [y, a, multipliers]")
    )
    jacobian = program.symbolic("dae_jacobian")
    routines.append(Routine("dae_jacobian", jacobian, ("nonzeros",), "their Jacobian, its nonzeros column by column"))
    return [*routines, *tangents]


def _located(program: Program, eq: Equations, located: list[tuple[Event, SX]]) -> Routine:
    """The events that are more than a record."""
    assert program.symbolic is not None
    whole = program.symbolic("events")
    arguments = whole.sx_in()
    values = whole.call(arguments, True, False)
    chosen = [k for k, (e, _) in enumerate(eq.observation.events) if e.action != "record"]
    count = len(eq.observation.events)
    results = [values[0][chosen]]
    names: tuple[str, ...] = ("g",)
    if len(values) > 1:
        results.append(values[1][[k + row * count for row in range(3) for k in chosen]])
        names = ("g", "bounds")
    f = ca.Function("events", arguments, [ca.densify(x) for x in results], {"cse": True})
    return Routine("events", f, names, "g = what is located where it crosses zero; bounds of how it changes")


def _tangent(of: Routine) -> Routine:
    """The derivative of the first result along (dy, dp)."""
    t, y, p = of.function.sx_in()
    value = of.function.call([t, y, p], True, False)[0]
    dy, dp = SX.sym("dy", y.numel()), SX.sym("dp", p.numel())
    along = ca.jtimes(value, ca.vertcat(y, p), ca.vertcat(dy, dp))
    f = ca.Function(f"{of.suffix}_tangent", [t, y, p, dy, dp], [ca.densify(along)], {"cse": True})
    return Routine(f.name(), f, ("tangent",), f"derivative of {of.results[0]} along dy, dp", ("y", "p", "dy", "dp"))


def _pattern(program: Program, routines: list[Routine]) -> Structure:
    jacobian = next(r.function for r in routines if r.suffix == "dae_jacobian").sparsity_out(0)
    layout = program.layout
    late = range(layout.y + layout.v, layout.y + layout.x)
    return structure(jacobian.size2(), np.array(jacobian.colind()), np.array(jacobian.row()), late)
