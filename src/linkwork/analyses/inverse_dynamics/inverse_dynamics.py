"""Inverse dynamics: the forces and torques that a given motion needs, with loops and redundant constraints."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from linkwork.algebra.rank import null_space
from linkwork.analyses.inverse_dynamics.efforts import Balance, Loads
from linkwork.analyses.inverse_dynamics.retrace import retraced
from linkwork.analyses.kinematics.along import fill_inner, fill_recording, integral, states_of
from linkwork.analyses.kinematics.course import Course
from linkwork.analyses.kinematics.driven_motion import DrivenMotion, driven_motion, driven_signals, just_before
from linkwork.analyses.kinematics.drives import Driven, Given, find, read_drives
from linkwork.analyses.kinematics.kinematics import driven_times, parts_of, record_of
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.analyses.kinematics.mobility import movable
from linkwork.analyses.kinematics.speed_driven import carried
from linkwork.assembly.numbers import absolute_equations
from linkwork.assembly.redundancy import undetermined_reactions
from linkwork.components.coordinate import Coordinate
from linkwork.core.component import Constraint
from linkwork.core.errors import ModelError
from linkwork.core.program import Channel
from linkwork.core.registry import verb
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.description.describe import describe
from linkwork.simulation.prepare import Choice, prepare
from linkwork.simulation.refusal import refuse_contacts, refuse_pairs, refuse_sampling

if TYPE_CHECKING:
    from linkwork.core.model import Model


@verb
def inverse_dynamics(
    model: Model,
    motion: Result | Given | None = None,
    duration: float | None = None,
    *,
    actuators: Sequence[Coordinate | str] | None = None,
    output: float | np.ndarray | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
) -> Result:
    """Forces and torques that make the mechanism move as given.

    motion: drives as for `kinematics`, {coordinate: function of t | (times, values) | number}, or a Result, whose
    motion is taken as it is (then `duration` and `output` are its own);
    actuators: coordinates (or names; any position) that carry the unknown efforts. Default: the driven ones; for a
    Result as many joint coordinates as there are freedoms, in the order of the model.
    Laws, forces and gravity stay at work; motion laws of the model are drives that report their own effort.

    Beside all channels of `simulate` there are `<coordinate>.actuator`, the unknown effort [N or N·m], and
    `<coordinate>.effort`, the same with the laws on that coordinate added.
    """
    clock = time.perf_counter()
    _refuse(model)
    derived = time.perf_counter() - clock
    values = parameters_of(model, parameters)
    if isinstance(motion, Result):
        if duration is not None or output is not None:
            raise ModelError(
                "a Result has times of its own.", component=model.name, remedy="Leave duration and output out."
            )
        asked = _as_recorded(model, motion, actuators, values, inputs)
    else:
        asked = _as_driven(model, motion, duration, output, actuators, values, inputs)
    mechanism, driven, chosen, how = asked.mechanism, asked.motion, asked.actuators, asked.how
    balance, course, p = Balance(mechanism, chosen), driven.course, mechanism.p
    loads, supplied = _loads(mechanism, balance, course, asked.known)
    wanted = np.isin(course.t, asked.t)
    course, supplied = course[wanted], supplied[wanted]
    loads = Loads(*(part[wanted] for part in (loads.multipliers, loads.efforts, loads.rates, loads.missing)))
    data, channels = _channels(mechanism, course, chosen, loads, supplied)
    ran = time.perf_counter() - clock - derived - mechanism.seconds
    timings = {"derive": derived, "compile": mechanism.seconds, "run": ran}
    record = record_of(mechanism, driven, "inverse dynamics", timings)
    record |= {"motion": how, "actuators": [x.name for x in chosen]}
    if balance.surplus:
        record["note"] = f"{balance.surplus} actuator(s) more than freedoms: the efforts of least norm are given."
    if undetermined := undetermined_reactions(model, driven.assembly.state, p):
        record["undetermined reactions"] = undetermined
    result = Result(course.t, data, channels, record=record, description=describe(model, p))
    if driven.stopped is not None:
        raise driven.error(model, result)
    return result


def _refuse(model: Model) -> None:
    """Raise where forces and motion cannot be told apart."""
    for refuse in (refuse_contacts, refuse_pairs, refuse_sampling):
        refuse(model, "inverse dynamics")
    if absolute_equations(model).motion.explicit:
        raise ModelError(
            "a component with ports restricts the motion of bodies, or pushes by their acceleration; its forces are"
            " not known apart from that.",
            component=model.name,
            remedy="Use joints and relations of the library for it, or simulate with lw.Motion(…) laws instead.",
        )


Actuators = str | Coordinate | Sequence[str | Coordinate]


class _Asked(NamedTuple):
    """A motion, and what is to make it."""

    mechanism: Mechanism
    motion: DrivenMotion
    t: np.ndarray
    """Of the samples [s]."""
    actuators: list[Driven]
    known: list[int]
    """Which first-order states the motion says itself."""
    how: str


def _as_recorded(
    model: Model, motion: Result, actuators: Actuators | None, values: dict[str, float], inputs: Inputs | None
) -> _Asked:
    eq = absolute_equations(model)
    p = model.p_at(eq, values)
    if any(c.compliance for c in model.of_type(Constraint)):  # they give way in the motion, too
        eq = prepare(model, Choice("absolute"), values).equations
    p, signals = driven_signals(model, eq, p, inputs, float(motion.t[-1]))
    mechanism = Mechanism(model, eq, [], p, signals, inputs)
    course, complete, known = retraced(mechanism, motion)
    driven = DrivenMotion(course, model.assemble(parameters=values), {})
    chosen = _actuators(mechanism, actuators, lambda: _free_coordinates(mechanism, course))
    how = "a result" if complete else "a result; its speeds were differentiated by a spline"
    return _Asked(mechanism, driven, course.t, chosen, known, how)


def _as_driven(
    model: Model,
    motion: Given | None,
    duration: float | None,
    output: float | np.ndarray | None,
    actuators: Actuators | None,
    values: dict[str, float],
    inputs: Inputs | None,
) -> _Asked:
    eq, drives = read_drives(model, motion)
    t = driven_times(model, duration, output, drives)
    p, signals = driven_signals(model, eq, model.p_at(eq, values), inputs, float(t[-1]))
    mechanism = Mechanism(model, eq, drives, p, signals, inputs, just_before(float(t[-1])))
    chosen = _actuators(mechanism, actuators, lambda: mechanism.driven)
    driven = driven_motion(mechanism, t, values, knots=True)
    return _Asked(mechanism, driven, t, chosen, [*mechanism.turns, *carried(mechanism)], "drives")


def _actuators(mechanism: Mechanism, given: Actuators | None, default: Callable[[], list[Driven]]) -> list[Driven]:
    """The positions that carry efforts, each once, none with a motion law."""
    if given is None:
        return default()
    if isinstance(given, str) or not isinstance(given, Sequence):
        given = [given]
    chosen = [find(mechanism.model, mechanism.eq, one, "actuated") for one in given]
    names = [x.name for x in chosen]
    moved = {row.owner for row in mechanism.eq.constraints.rows if row.direction in ("motion", "speed", "acceleration")}
    for k, name in enumerate(names):
        if name in names[:k]:
            raise ModelError("is actuated twice.", component=name, remedy="Name each actuator once.")
        if name in moved:
            raise ModelError(
                "has a motion law, whose effort is reported anyway.",
                component=name,
                remedy="Leave it out of the actuators, or take the law away.",
            )
    return chosen


def _free_coordinates(mechanism: Mechanism, course: Course) -> list[Driven]:
    """Coordinates that move all freedoms at the first sample, in the order of the model."""
    first = course[:1]
    J, _ = mechanism.speed_rows(first.t, first.q, first.z)
    names, _ = movable(mechanism, float(first.t[0]), first.q[0], first.z[0], null_space(J[0]))
    return [find(mechanism.model, mechanism.eq, name) for name in names]


def _loads(mechanism: Mechanism, balance: Balance, course: Course, known: list[int]) -> tuple[Loads, np.ndarray]:
    """Forces at the samples, first-order states filled in on the way; and the work of the actuators [J]."""
    eq = mechanism.eq
    balance.look(course)
    states = states_of(mechanism, known, forces=True)

    inner = ca.vertcat(*(eq.motion.zdot[k] for k in states.inner))
    needed = bool(states.inner) and ca.depends_on(inner, eq.multipliers)

    def rate(course: Course, loads: Loads | None = None) -> np.ndarray:
        multipliers = np.zeros((course.t.size, len(eq.constraints.rows)))
        if loads is not None or needed:
            multipliers = (loads or balance.solve(course)).multipliers
        arguments = [eq.q, eq.v, eq.z, eq.a, eq.multipliers]
        return mechanism.call("all state rates", lambda: (arguments, eq.motion.zdot), *parts_of(course), multipliers)

    fill_inner(mechanism, course, states, rate)
    loads = balance.solve(course)
    balance.check(course, loads)
    if states.recording:
        fill_recording(course, states, rate(course, loads))
    return loads, integral(course.t, (loads.efforts * loads.rates).sum(axis=1))


def _channels(
    mechanism: Mechanism, course: Course, actuators: list[Driven], loads: Loads, supplied: np.ndarray
) -> tuple[np.ndarray, list[Channel]]:
    """All channels of the equations, with the efforts of the actuators added where they belong."""
    eq = mechanism.eq
    arguments = [eq.q, eq.v, eq.z, eq.a, eq.multipliers]
    values = ca.vertcat(*(value for _, value in eq.observation.outputs.values()))
    data = mechanism.call("all channels", lambda: (arguments, values), *parts_of(course), loads.multipliers)
    columns = dict(zip(eq.observation.outputs, data.T, strict=True))
    units = {name: unit for name, (unit, _) in eq.observation.outputs.items()}
    nothing = np.zeros(course.t.size)
    for k, x in enumerate(actuators):
        effort = columns.get(f"{x.name}.effort", nothing) + loads.efforts[:, k]
        for ending, unit, column in (
            ("effort", x.effort_unit, effort),
            ("power", "W", effort * loads.rates[:, k]),
            ("actuator", x.effort_unit, loads.efforts[:, k]),
        ):
            columns[f"{x.name}.{ending}"], units[f"{x.name}.{ending}"] = column, unit
    columns["energy.supplied"] = columns.get("energy.supplied", nothing) + supplied
    units.setdefault("energy.supplied", "J")
    return np.column_stack(list(columns.values())), [Channel(name, units[name]) for name in columns]
