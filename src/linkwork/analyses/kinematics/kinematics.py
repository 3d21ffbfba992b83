"""Kinematics: drive a mechanism without dynamics; positions, speeds and accelerations follow from geometry."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.analyses.kinematics.along import States, fill_inner, fill_recording, states_of
from linkwork.analyses.kinematics.course import Course
from linkwork.analyses.kinematics.driven_motion import DrivenMotion, driven_motion, driven_signals, just_before
from linkwork.analyses.kinematics.drives import Drive, Given, read_drives
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.analyses.kinematics.speed_driven import carried
from linkwork.core.component import Constraint
from linkwork.core.errors import ModelError
from linkwork.core.kinds import is_number
from linkwork.core.plain_data import Record
from linkwork.core.program import Channel
from linkwork.core.registry import verb
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.geometry import SX
from linkwork.simulation.arguments import parameters_of, sample_times
from linkwork.simulation.description.describe import describe, versions
from linkwork.simulation.refusal import refuse_contacts, refuse_sampling

if TYPE_CHECKING:
    from linkwork.core.model import Model


@verb
def kinematics(
    model: Model,
    duration: float | None = None,
    *,
    drive: Given | None = None,
    output: float | np.ndarray | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
) -> Result:
    """Move the mechanism by its drives alone, for `duration` seconds.

    drive: {coordinate or its name: what it follows}: a function of t (called once, with a symbol), a table
    (times, values) joined by a cubic spline, or a number. Any position can be driven: "O.angle", "tip.x", a
    generalised coordinate. Motion laws of the model are drives as well. Together they must move every freedom once.
    duration: may be left out where `output` or tables say when to end;
    output: time between samples [s] (default: 501 samples), or the times themselves;
    parameters, inputs: as for `simulate`; positions may depend only on inputs that are constant.
    Channels that depend on constraint forces are left out; `inverse_dynamics` gives them.
    """
    refuse_contacts(model, "kinematics")
    refuse_sampling(model, "kinematics")
    clock = time.perf_counter()
    eq, drives = read_drives(model, drive)
    t = driven_times(model, duration, output, drives)
    p, signals = driven_signals(model, eq, model.p_at(eq, parameters_of(model, parameters)), inputs, float(t[-1]))
    mechanism = Mechanism(model, eq, drives, p, signals, inputs, just_before(float(t[-1])))
    known = [*mechanism.turns, *carried(mechanism)]
    states = states_of(mechanism, known, forces=False)
    names = _channels(mechanism, [*known, *states.all])
    derived = time.perf_counter() - clock
    motion = driven_motion(mechanism, t, parameters, knots=bool(states.all))
    course = _with_states(mechanism, motion.course, states)
    course = course[np.isin(course.t, t)]
    data = mechanism.call("channels", lambda: _columns(mechanism, names), *parts_of(course))
    ran = time.perf_counter() - clock - derived - mechanism.seconds
    left_out = [name for name in eq.observation.outputs if name not in names]
    record = record_of(mechanism, motion, "kinematics", {"derive": derived, "compile": mechanism.seconds, "run": ran})
    record |= {
        "note": "Channels that depend on constraint forces are left out; with them goes the balance of energy.",
        "left out": left_out,
    }
    channels = [Channel(name, eq.observation.outputs[name][0]) for name in names]
    result = Result(course.t, data, channels, record=record, description=describe(model, p))
    if motion.stopped is not None:
        raise motion.error(model, result)
    return result


def driven_times(
    model: Model, duration: float | None, output: float | np.ndarray | None, drives: list[Drive]
) -> np.ndarray:
    """Times of the samples [s], from what the user says or from how far the tables go."""
    asked = duration
    if duration is None and output is not None and np.ndim(output) == 1 and np.size(output):
        duration = float(np.max(output))
    elif duration is None:
        duration = min((drive.end for drive in drives), default=np.inf)
    if not is_number(duration) or duration < 0 or (duration == 0 and (output is None or np.ndim(output) != 1)):
        given = "no duration" if asked is None else f"duration {duration!r}"
        raise ModelError(f"{given}.", component=model.name, remedy="Give a positive number of seconds.")
    for one in drives:
        if duration > one.end * (1 + 1e-9):
            raise ModelError(
                f"its table ends at {one.end:g} s, but the motion lasts {duration:g} s.",
                component=one.driven.name,
                remedy="Give a longer table or a shorter duration.",
            )
    return sample_times(float(duration), output)


def parts_of(course: Course) -> tuple[np.ndarray, ...]:
    """What functions of (t, [q, v, z, a]) are called with."""
    return course.t, course.q, course.v, course.z, course.a


def record_of(mechanism: Mechanism, motion: DrivenMotion, analysis: str, timings: dict[str, float]) -> Record:
    """How a driven motion was made."""
    model, eq = mechanism.model, mechanism.eq
    soft = [] if eq.constraints.softness else [c.name for c in model.of_type(Constraint) if c.compliance]
    motions = [row.owner for row in eq.constraints.rows if row.direction in ("motion", "speed", "acceleration")]
    return {
        "model": model.name,
        "analysis": analysis,
        "status": "finished" if motion.stopped is None else "failed",
        "formulation": "absolute",
        "solver": "newton",
        "drives": [*motions, *(driven.name for driven in mechanism.driven)],
        "parameters": dict(zip(model.parameters, mechanism.p.tolist(), strict=False)),
        "assembly": str(motion.assembly),
        "degrees": {"coordinates": eq.q.numel(), "speeds": eq.v.numel(), "constraints": len(eq.constraints.rows)},
        "timings": timings,
        "statistics": motion.statistics,
        "versions": versions(),
    } | ({"taken as ideal": soft} if soft else {})


def _channels(mechanism: Mechanism, known: list[int]) -> list[str]:
    """Those that need neither multipliers nor states that depend on them."""
    eq = mechanism.eq
    hidden = ca.vertcat(eq.multipliers, *(eq.z[k] for k in range(eq.z.numel()) if k not in known))
    return [
        n for n, (_, value) in eq.observation.outputs.items() if not _of_forces(n) and not ca.depends_on(value, hidden)
    ]


def _of_forces(name: str) -> bool:
    """Parts of a wrench that are zero go with the others, and so does an energy that nobody accounts for."""
    return name == "energy.supplied" or any(part in ("reaction", "port1") for part in name.split("."))


def _columns(mechanism: Mechanism, names: list[str]) -> tuple[list[SX], SX]:
    eq = mechanism.eq
    return [eq.q, eq.v, eq.z, eq.a], ca.vertcat(*(eq.observation.outputs[name][1] for name in names))


def _with_states(mechanism: Mechanism, course: Course, states: States) -> Course:
    """The course with those first-order states that follow from it."""
    if not states.all:
        return course
    eq = mechanism.eq

    def rate(course: Course) -> np.ndarray:
        zdot = ca.vertcat(*(eq.motion.zdot[k] if k in states.all else 0 for k in range(eq.z.numel())))
        return mechanism.call("state rates", lambda: ([eq.q, eq.v, eq.z, eq.a], zdot), *parts_of(course))

    fill_inner(mechanism, course, states, rate)
    fill_recording(course, states, rate(course))
    return course
