"""A run that goes on from where another has ended, or from one of its samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import casadi as ca
import numpy as np

from linkwork.assembly.assemble import kept_assembly
from linkwork.assembly.numbers import absolute_equations
from linkwork.components.bodies import Body
from linkwork.components.control.discrete import Periodic
from linkwork.components.joint import Joint
from linkwork.core.equations import Placed, Placement
from linkwork.core.errors import ModelError
from linkwork.core.finding import Finding
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.geometry import SX, rotations
from linkwork.large.size import LARGE, count_bodies
from linkwork.signals.breakpoints import dynamics_of
from linkwork.simulation.arguments import parameters_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

Beginning: TypeAlias = Placed | Result | tuple[Result, float]
"""What has found a placement, a run whose end it is, or a run and a time of it [s]."""
ACCOUNTS = ("energy.dissipated", "energy.supplied")
"""First-order states that begin at 0 with every run."""
OPEN = 1e-6
"""Lengths, or rad, by which joints may be open at a sample of a run."""


@dataclass(frozen=True)
class Resumed:
    """Where a run has been."""

    placement: Placement


def begun_at(model: Model, start: object, parameters: Mapping[str, float] | None, inputs: Inputs | None) -> Placed:
    """A placement, from whatever a run may begin with."""
    result, time = start if isinstance(start, tuple) else (start, None)
    if not isinstance(result, Result):
        if not hasattr(start, "placement"):
            raise ModelError(
                f"start {start!r}.",
                component=model.name,
                remedy="Give what m.equilibrium(), m.assemble() or m.simulate(…) returns, or (result, time).",
            )
        return start
    read = _Read(model, result, _sample(result, time, model.name))
    if count_bodies(model) >= LARGE:  # nothing is assembled for it; open joints are told by the run itself
        return Resumed(read.placement(_named(model), FirstOrder(read)))
    known = kept_assembly(model, parameters_of(model, parameters), inputs, strict=False).placement
    chosen = absolute_equations(model).states.held  # by each run anew
    first_order = {name: x if name in chosen else read.first_order(name) for name, x in known.first_order.items()}
    resumed = Resumed(read.placement(known, first_order))
    _check_closed(model, resumed.placement, read.residual())
    return resumed


def time_begins_anew(model: Model, start: Beginning | None) -> list[Finding]:
    """What is to be said of a run that goes on, where something of the model is given over time; start: a good one."""
    if start is None or hasattr(start, "placement") or count_bodies(model) >= LARGE:
        return []
    eq = absolute_equations(model)
    column = ca.vertcat(SX(0, 1), *(ca.vec(ca.densify(x)) for x in dynamics_of(eq)))
    found = []
    if ca.depends_on(column, eq.t):
        cause = "time begins at 0 again, and what is given over time begins anew with it."
        found.append(Finding("time", model.name, 0.0, cause))
    result, time = start if isinstance(start, tuple) else (start, None)
    time = float(result.t[_sample(result, time, model.name)])
    return found + [_sampled_anew(c, time) for c in model.of_type(Periodic) if _is_between_samples(c, time)]


def _is_between_samples(controller: Periodic, time: float) -> bool:
    """Whether a run that begins at this time of another [s] samples at other times than that one would have."""
    late = math.remainder(time, controller.period)
    return abs(late) > 1e-9 * max(controller.period, time)


def _sampled_anew(controller: Periodic, time: float) -> Finding:
    first = f"at {controller.offset:g} s" if controller.offset else "at once"
    cause = f"time begins at 0 again: it samples {first}, and {time:g} s of the other run is no multiple of its period."
    return Finding("time", controller.name, 0.0, cause)


def _sample(result: Result, time: float | None, name: str) -> int:
    """Number of the sample at a time [s]; None: the last one."""
    if not result.t.size:
        raise ModelError("the run to go on from has no samples.", component=name)
    if time is None:
        return int(result.t.size) - 1
    sample = int(np.argmin(np.abs(result.t - time)))
    if abs(float(result.t[sample]) - time) > 1e-9 * max(1.0, abs(time)):
        raise ModelError(
            f"the run to go on from has no sample at {time:g} s; the nearest is at {float(result.t[sample]):g} s.",
            component=name,
            remedy="Give the time of a sample, or ask for one there: output=[…].",
        )
    return sample


class _Read:
    """The channels of one sample."""

    def __init__(self, model: Model, result: Result, sample: int):
        self.model, self.result, self.sample = model, result, sample

    def value(self, channel: str, owner: str) -> float:
        if channel not in self.result:
            raise ModelError(
                f"the run to go on from has no channel {channel!r}.",
                component=owner,
                remedy="Go on with the model that it was a run of, and with all of its channels.",
            )
        return float(self.result[channel][self.sample])

    def residual(self) -> float:
        """By how much joints were open in that run, as compliant ones are."""
        name = "residual.position"
        return float(self.result[name][self.sample]) if name in self.result else 0.0

    def vector(self, body: str, word: str) -> np.ndarray:
        axes = "xy" if self.model.is_planar else "xyz"
        return np.array([self.value(f"{body}.{word}{k}", body) for k in axes] + [0.0] * (3 - len(axes)))

    def placement(self, known: Placement, first_order: dict[str, float]) -> Placement:
        """known: whose names count."""
        bodies, planar = list(known.position), self.model.is_planar
        angle = {b: self.value(f"{b}.angle", b) for b in known.angle}
        rotation = {b: self._rotation(b, angle) for b in bodies}
        spin = {b: np.array([0.0, 0.0, self.value(f"{b}.wz", b)]) if planar else self.vector(b, "w") for b in bodies}
        return replace(
            known,
            position={b: self.vector(b, "") for b in bodies},
            rotation=rotation,
            angle=angle,
            velocity={b: self.vector(b, "v") for b in bodies},
            spin=spin,
            value={c: self.value(c, c) for c in known.value},
            rate={c: self.value(f"{c}.rate", c) for c in known.rate},
            first_order=first_order,
        )

    def _rotation(self, body: str, angle: dict[str, float]) -> np.ndarray:
        if body in angle:
            return np.array(ca.DM(rotations.about_z(SX(angle[body]))))
        e = np.array([self.value(f"{body}.q{k}", body) for k in range(4)])
        return np.array(ca.DM(rotations.from_quaternion(SX(ca.DM(e / np.linalg.norm(e))))))

    def first_order(self, name: str) -> float:
        if name in ACCOUNTS:
            return 0.0
        owner, _, word = name.rpartition(".")
        if name in self.result or word not in ("turn", "speed"):
            return self.value(name, owner or name)
        return self.value(f"{owner}.angle" if word == "turn" else f"{owner}.rate", owner)


class FirstOrder(dict[str, float]):
    """States of which nobody has said yet which there are: those that are asked for are read."""

    def __init__(self, read: _Read):
        self._read = read

    def get(self, name: str, default: object = None) -> float:
        return self._read.first_order(name)


def _named(model: Model) -> Placement:
    """A placement that has the names of bodies and coordinates, and nothing else."""
    bodies = dict.fromkeys((b.name for b in model.of_type(Body)), 0.0)
    coordinates = {c.name: 0.0 for joint in model.of_type(Joint) for c in joint.coordinates}
    none: dict[str, np.ndarray] = {}
    angle = bodies if model.is_planar else {}
    places = dict.fromkeys(bodies, np.zeros(3))
    return Placement(places, none, angle, none, none, coordinates, coordinates, {}, np.zeros(0))


def _check_closed(model: Model, placement: Placement, residual: float) -> None:
    """Other lengths than those of the run would leave joints open, and so would motions that begin anew.

    residual: by how much they may be open beside, as they were there.
    """
    eq = absolute_equations(model)
    if not eq.constraints.position.numel():
        return
    z = np.array([placement.first_order.get(name, 0.0) for name in eq.z_names])
    q, v = np.split(eq.start.state(placement), [eq.q.numel()])
    position, *_ = eq.at(placement.parameters).constraints(q, v, z)
    open_by = np.abs(np.asarray(position, dtype=float)).ravel()
    worst = int(np.argmax(open_by))
    if open_by[worst] <= OPEN * max(1.0, eq.states.length) + 2 * residual:
        return
    timed = ca.depends_on(eq.constraints.position[worst], eq.t)
    raise ModelError(
        f"it is open by {open_by[worst]:.2g} m (or rad) where this run begins, at the end of another.",
        component=eq.constraints.rows[worst].owner,
        remedy="Its motion begins anew at t = 0: take m.stepper(…), where time goes on."
        if timed
        else "Give the parameters of that run, result.record['parameters'].",
    )
