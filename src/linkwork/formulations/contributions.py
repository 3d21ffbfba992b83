"""What the components of a model contribute, seen through a formulation's view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import casadi as ca

from linkwork.components import events
from linkwork.components.checked import many, one
from linkwork.components.coordinate import Coordinate
from linkwork.components.forces import _Given
from linkwork.components.joint import Joint
from linkwork.components.laws import Effort
from linkwork.components.unknowns import Equation, State
from linkwork.components.variables import Variable
from linkwork.components.wiring.connections import Connection
from linkwork.contact.places import contacts_of, power_of
from linkwork.core.component import Constraint, Element, Load
from linkwork.core.equations import Row
from linkwork.core.errors import LinkworkError, ModelError
from linkwork.core.pairing import Paired
from linkwork.core.port import PortComponent
from linkwork.core.program import Event
from linkwork.core.switching import Switch, switches_in
from linkwork.core.unilateral import Contact, Unilateral
from linkwork.formulations.energies import Own, by_motion, is_given
from linkwork.formulations.joined import Accelerated, Inertia
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.order import length_of
from linkwork.formulations.row_units import unit_of
from linkwork.geometry import SX, Number, Wrench

if TYPE_CHECKING:
    from linkwork.core.model import Model
    from linkwork.formulations.network import Writer

T = TypeVar("T")


@dataclass
class Contributions:
    """Rows, loads, efforts and energies of all components; symbolic, in the coordinates of the view."""

    position: list[tuple[Row, SX]] = field(default_factory=list)
    speed: list[tuple[Row, SX]] = field(default_factory=list)
    loads: list[tuple[str, Load]] = field(default_factory=list)
    efforts: dict[Coordinate, SX] = field(default_factory=dict)
    """Sum of laws and elements on each coordinate that has any (motions excluded)."""
    potential: SX = field(default_factory=lambda: SX(0))
    dissipation: SX = field(default_factory=lambda: SX(0))
    supply: SX = field(default_factory=lambda: SX(0))
    """Power that active laws and forces put in [W]; that of moving constraints is not in it."""
    given: SX = field(default_factory=lambda: SX(0))
    """Stored energy that also changes by time, inputs and states of the user's own [J]; see `energies`."""
    first_order: list[tuple[str, SX, SX]] = field(default_factory=list)
    """(name, state symbol, its derivative) of first-order states that components need."""
    starts: dict[str, Number] = field(default_factory=dict)
    """Start values of those that have one."""
    events: list[tuple[Event, SX]] = field(default_factory=list)
    channels: dict[str, tuple[str, SX]] = field(default_factory=dict)
    contacts: list[Contact] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    """Names of first-order states that only jump."""
    network: Writer | None = None
    """Components with ports, solved."""
    inertias: list[Inertia] = field(default_factory=list)
    """Masses that components with ports add to coordinates they are rigidly joined to."""
    accelerations: list[Accelerated] = field(default_factory=list)
    """Symbols for accelerations of the mechanism in rates and channels."""
    algebraic: list[tuple[SX, SX, bool]] = field(default_factory=list)
    """(state symbol, better value, whether it follows from the others) of states that equations tie to others."""
    algebraic_residual: SX = field(default_factory=lambda: SX(0, 1))
    algebraic_owners: list[str] = field(default_factory=list)
    together: dict[str, list[str]] = field(default_factory=dict)
    """By channel of its mismatch: components whose equations are solved as one linear block."""


def gather(model: Model, view: MaximalView, *, ports: bool = True) -> Contributions:
    """ports: whether components with ports are solved here, with the mechanism's motion as known."""
    contributions = Contributions()
    for constraint in model.of_type(Constraint):
        if view.holds(constraint):
            continue
        of = partial(unit_of, model, constraint)
        with_rows(
            contributions.position, constraint.name, _many(constraint.name, constraint.rows, view), partial(of, "rows")
        )
        speeds = _named(constraint.name, _speed_rows, constraint, view)
        with_rows(contributions.speed, constraint.name, speeds, partial(of, "speed_rows"), "speed equation")
    for joint in model.of_type(Joint):
        for coordinate in joint.coordinates:
            _seal(contributions, coordinate, view)
    for variable in model.of_type(Variable):
        _seal(contributions, variable, view)
    for element in model.of_type(Element):
        _apply(contributions, element, view)
    if ports and any(model.of_type(kind) for kind in (PortComponent, Connection)):
        from linkwork.formulations.network import contribute  # with all that sorts and solves equations

        contribute(contributions, model, view)
    for unilateral in model.of_type(Unilateral):
        for contact in _named(unilateral.name, contacts_of, unilateral, view, length_of(model)):
            contributions.contacts.append(contact)
            lost, moved = power_of(contact, view)
            contributions.dissipation += lost
            contributions.supply += moved
    for paired in model.of_type(Paired):
        _hold(contributions, paired, view)
    for event in model.of_type(events.Event):
        located = Event(event.name, event.direction, event.action)
        contributions.events.append((located, _named(event.name, event.value, view)))
    return contributions


def with_rows(
    collected: list[tuple[Row, SX]],
    owner: str,
    rows: list[SX],
    unit: Callable[[int], float],
    what: str = "equation",
) -> None:
    """Keep rows that can vary, in natural units; those that vanish identically (the plane) are dropped."""
    for k, row in enumerate(rows):
        scalar = row if type(row) is SX else SX(row)
        if scalar.is_constant():
            if abs(float(scalar)) > 1e-12:
                raise ModelError(
                    f"equation {k + 1} is the constant {float(scalar):g}: it can never vanish.",
                    component=owner,
                    remedy="Check the frames; in a planar model everything lies in z = 0.",
                )
            continue
        size = unit(k)
        collected.append((Row(owner, f"{what} {k + 1}", k, size), row if size == 1 else row / size))


def _seal(contributions: Contributions, c: Coordinate, view: MaximalView) -> None:
    """Laws on a free coordinate: an effort, or a row that prescribes its motion."""
    motion = c.motion
    if motion is not None and not view.prescribes(c):
        speed = SX.sym(f"{c.name}.speed")
        path = _named(c.name, motion.path, view.t, view.coordinate(c), speed)
        if motion.level == "displacement":
            contributions.position.append((Row(c.name, "motion"), view.coordinate(c) - path))
        elif motion.level == "speed":
            contributions.speed.append((Row(c.name, "speed"), view.rate(c) - path))
        else:
            contributions.first_order.append((f"{c.name}.speed", speed, path))
            contributions.speed.append((Row(c.name, "acceleration"), view.rate(c) - speed))
    laws = [law for law in c.laws if law is not motion]
    if not laws:
        return
    x, v = view.coordinate(c), view.rate(c)
    total = SX(0)
    for k, law in enumerate(laws):
        effort = _one(c.name, law.effort, view.t, x, v)
        stored, lost = _one(c.name, law.potential, x), _one(c.name, law.dissipation, x, v)
        total += effort
        contributions.potential += stored
        contributions.dissipation += lost
        _account(contributions, view, stored, None if law.passive else effort * v + lost)
        for switch in _many(c.name, law.switches, x):
            contributions.events.append((Event(f"{c.name}.limit", 0, "restart"), switch))
        if isinstance(law, Effort):
            contributions.events += _own_switches(c.name, _switches_of_effort(law, x, view))
        kind = type(law).__name__.lower()
        # "….effort" alone is the sum of all laws.
        name = f"{c.name}.{kind}" + (str(k + 1) if k or kind == "effort" else "")
        contributions.channels[name] = (c.effort_unit, effort)
    contributions.efforts[c] = total


def _apply(contributions: Contributions, element: Element, view: MaximalView) -> None:
    loads = _of_kind(element.name, Load, element.loads, view)
    contributions.loads += [(element.name, load) for load in loads]
    efforts = _named(element.name, element.efforts, view)
    for c, effort in efforts:
        contributions.efforts[c] = contributions.efforts.get(c, SX(0)) + effort
    stored, lost = (_one(element.name, f, view) for f in (element.potential, element.dissipation))
    contributions.potential += stored
    contributions.dissipation += lost
    contributions.supply += _one(element.name, element.supply, view)
    power = None
    if not element.passive:
        power = lost + sum((effort * view.rate(c) for c, effort in efforts), SX(0))
        for load in loads:
            carried = view.carried_twist(load.marker.body, view.frame(load.marker).p)
            power += carried.power(Wrench(load.force, load.torque))
    acting = [part for load in loads for part in (load.force, load.torque)]
    states = _named(element.name, element.states, view)
    _account(contributions, view, stored, power, [(s.symbol, SX(s.rate)) for s in states])
    for state in states:
        contributions.first_order.append((state.name, state.symbol, SX(state.rate)))
        contributions.starts[state.name] = state.start
        if state.unit is not None:
            contributions.channels[state.name] = (state.unit, state.symbol)
    own = not type(element).__module__.startswith("linkwork.")
    read = _many if own else _named  # those of contacts have bounds of how fast they change
    for k, switch in enumerate(read(element.name, element.switches, view)):
        contributions.events.append(
            (Event(f"{element.name}.switch{k + 1 if k else ''}", 0, "restart", element), SX(switch))
        )
    for what, value in _named(element.name, element.watched, view).items():
        contributions.events.append((Event(f"{element.name} {what}", 1, "record", element), SX(value)))
    if own or isinstance(element, (_Given, State, Equation)):
        given = [*acting, *(SX(state.rate) for state in states)]
        contributions.events += _own_switches(element.name, switches_in(given, _states_in(given, view), [view.speeds]))
    for name, channel in _named(element.name, element.channels, view).items():
        contributions.channels[f"{element.name}.{name}"] = channel


def _hold(contributions: Contributions, paired: Paired, view: MaximalView) -> None:
    """Numbers that a run chooses, and where it has to do so anew; elements have them among their states."""
    held = _named(paired.name, paired.held, view)
    if held is None:
        return
    contributions.held.update(held.names)
    if not isinstance(paired, Element):
        contributions.first_order += [(name, held.symbols[k], SX(0)) for k, name in enumerate(held.names)]
    contributions.events.append((Event(f"{paired.name} chooses", -1, "stop", paired), held.watch))


def _account(contributions: Contributions, view: MaximalView, stored: SX, power: SX | None, own: Own = ()) -> None:
    """What is supplied so that `stored` is as it is; power: put in and lost by what is active, None: it is passive."""
    contributions.supply += SX(0) if power is None else power
    if is_given(view, stored, own):
        contributions.given += stored
        contributions.supply -= by_motion(view, stored, own) if power is None else SX(0)
    elif power is not None:
        contributions.supply += by_motion(view, stored, own)


def _own_switches(owner: str, switches: list[Switch]) -> list[tuple[Event, SX]]:
    """Comparisons in a user's own expression that a position or a state decides: the integrator starts anew there.

    Those that only time decides are known before a run. Those that depend on speeds are left to the error control:
    a force that changes its sign with a speed may do so again and again while nothing moves.
    """
    return [(Event(f"{owner}.comparison{k + 1 if k else ''}", 0, "restart"), x.zero) for k, x in enumerate(switches)]


def _switches_of_effort(law: Effort, x: SX, view: MaximalView) -> list[Switch]:
    """Found with a plain symbol for the coordinate, whose own measure may count turns."""
    place, speed = SX.sym("x"), SX.sym("v")
    effort = SX(law.effort(view.t, place, speed))
    switches = switches_in([effort], _states_in([effort], view), [view.speeds, speed])
    return [Switch(ca.substitute(s.value, place, x), s.rounded) for s in switches]


def _states_in(expressions: list[SX], view: MaximalView) -> list[SX]:
    """Symbols in them that are neither time nor a number of the model."""
    numbers = {s.element_hash() for s in ca.symvar(ca.vertcat(view.t, view.model.all_symbols()))}
    symbols = ca.symvar(ca.vertcat(SX(0, 1), *(ca.vec(SX(x)) for x in expressions)))
    return [s for s in symbols if s.element_hash() not in numbers]


def _speed_rows(constraint: Constraint, view: MaximalView) -> list[SX]:
    """Its equations between speeds. Any that are not linear would hold nothing, or something else than was meant."""
    rows = many("its speed_rows", constraint.speed_rows(view))
    for row in rows:
        by_speeds = ca.jacobian(row, view.speeds)
        if ca.depends_on(by_speeds, view.speeds) or not (by_speeds.nnz() or SX(row).is_zero()):
            how = "is not linear in speeds" if by_speeds.nnz() else "does not depend on speeds"
            raise ModelError(f"one of its equations {how}.", remedy="Make it linear in velocities and rates.")
    return rows


def _one(owner: str, function: Callable[..., object], *args: object) -> SX:
    """One number or expression from a method that may be the user's."""
    return _named(owner, lambda: one(f"its {function.__name__}", function(*args)))


def _many(owner: str, function: Callable[..., object], *args: object) -> list[SX]:
    """A list of them."""
    return _named(owner, lambda: many(f"its {function.__name__}", function(*args)))


def _of_kind(owner: str, kind: type[T], function: Callable[..., object], *args: object) -> list[T]:
    """A list of things of a kind."""
    return _named(owner, lambda: many(f"its {function.__name__}", function(*args), kind))


def _named(owner: str, function: Callable[..., T], *args: object) -> T:
    """Call user code; whatever it raises is told with the component's name."""
    try:
        return function(*args)
    except LinkworkError as error:
        raise type(error)(error.cause, component=error.component or owner, remedy=error.remedy) from error
    except Exception as error:
        raise ModelError(
            f"its function failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}.",
            component=owner,
            remedy="It is called once with symbols: use lw.sin, lw.if_else and so on, no Python `if` on values.",
        ) from error
