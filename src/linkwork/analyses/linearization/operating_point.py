"""Where to linearise or to look for a balance: a state of the formulation, from whatever describes it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import casadi as ca
import numpy as np

from linkwork.analyses.linearization.independent import Candidates
from linkwork.analyses.linearization.local import Local
from linkwork.assembly.numbers import absolute_equations
from linkwork.assembly.size import check_matrices
from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.core.equations import Placed, Placement
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import is_number, shown
from linkwork.core.result import Result
from linkwork.geometry import SX, embedding, rotations
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.prepare import Choice, Prepared, prepare

if TYPE_CHECKING:
    from linkwork.core.model import Model


At: TypeAlias = Placed | tuple[Result, float]
"""Where a model is: what `m.assemble()` or `m.equilibrium()` returns, or (result, time [s])."""


@dataclass
class Point:
    """A state y at time t with parameters and inputs p; not necessarily on the constraints yet."""

    ready: Prepared
    candidates: Candidates
    t: float
    y: np.ndarray
    p: np.ndarray


def operating_point(
    model: Model,
    at: At | None,
    formulation: str,
    parameters: Mapping[str, float] | None,
    inputs: Mapping[str, float] | None,
    time: float | None = None,
) -> Point:
    """at: None (the assembled start), an Assembly or Equilibrium, or (Result, time); time [s]: another than that."""
    told = getattr(at, "time", 0.0)
    t, channels = float(told) if is_number(told) else 0.0, None
    known: dict[str, float] = {}
    if isinstance(at, tuple) and len(at) == 2 and isinstance(at[0], Result):
        t = checked_time(model, at[1])
        channels = at[0].at(t)
        _check_bodies(model, {name.removesuffix(".x") for name in channels if name.endswith(".x")})
        known = {k: x for k, x in at[0].record.get("parameters", {}).items() if k in model.parameters}
    elif at is not None and (isinstance(at, tuple) or not isinstance(getattr(at, "placement", None), Placement)):
        raise ModelError(
            f"something of type {type(at).__name__} is not an operating point.",
            component=model.name,
            remedy="Give m.equilibrium(…), m.assemble(…), (result, time), or leave it out for the start.",
        )
    elif at is not None:
        names = [*model.parameters, *model.inputs]
        _check_bodies(model, at.placement.position, at.placement.parameters.size >= len(names))
        known = dict(zip(names, at.placement.parameters.tolist(), strict=False))
        inputs = {k: known.pop(k) for k in model.inputs} | dict(inputs or {})
    parameters = known | parameters_of(model, parameters)
    check_matrices(model)
    ready = prepare(model, Choice(formulation), parameters)
    t = t if time is None else checked_time(model, time)
    given = np.concatenate([model.parameter_values(parameters), _input_values(model, inputs)])
    p = model.p_at(ready.equations, given, t)
    key = ("candidates", id(ready.equations))
    if key not in model.memory:
        model.memory[key] = Candidates(Local(ready.equations, model.name), _vague(model))
    candidates = model.memory[key]
    if at is None:
        y = ready.state
    else:
        placed = (
            at.placement
            if not isinstance(at, tuple)
            else placement_of(model, ready, channels or {}, {}, model.p_at(absolute_equations(model), given, t))
        )
        y = state_of(candidates.local, placed, strict=channels is not None)
    return Point(ready, candidates, t, y, p)


def _vague(model: Model) -> list[str]:
    """Coordinates of joints that fail somewhere: rotation vectors, and the two angles of a direction."""
    if model.is_planar:
        return []
    joints = [j for j in model.of_type(Joint) if j.ball]
    return [c.name for j in joints for c in (j.coordinates if j.sphere else j.coordinates[-3:])]


def checked_time(model: Model, time: float) -> float:
    if not is_number(time):
        raise ModelError(f"time={shown(time)} is not a time.", component=model.name, remedy="Give seconds.")
    return float(time)


def _check_bodies(model: Model, known: Collection[str], fits: bool = True) -> None:
    """A state of another model has other bodies, or other parameters."""
    missing = [body.name for body in model.of_type(Body) if body.name not in known]
    if missing or not fits:
        raise ModelError(
            "this operating point is one of another model" + (f": it has no {', '.join(missing)}." if missing else "."),
            component=model.name,
            remedy="Give m.equilibrium(…), m.assemble(…) or (result, time) of this model as it is now.",
        )


def placement_of(
    model: Model, ready: Prepared, channels: Mapping[str, float], first_order: Mapping[str, float], p: np.ndarray
) -> Placement:
    """The pose and speeds that channels show, as every formulation can read them."""
    base, bodies = ready.assembly.placement, [b.name for b in model.of_type(Body)]
    space = embedding(model.is_planar)

    def vector(name: str, prefix: str, axes: tuple[int, ...]) -> np.ndarray:
        return np.array([channels[f"{name}.{prefix}{'xyz'[k]}"] if k in axes else 0.0 for k in range(3)])

    def rotation(name: str) -> np.ndarray:
        if model.is_planar:
            R = rotations.about_z(channels[f"{name}.angle"])
        else:
            e = np.array([channels[f"{name}.q{i}"] for i in range(4)])
            R = rotations.from_quaternion(SX(e / np.linalg.norm(e)))
        return np.array(ca.DM(ca.evalf(R)))

    angle = {b: channels[f"{b}.angle"] for b in bodies} if model.is_planar else {}
    value = {name: channels[name] for name in base.value}
    own = {name: channels[name] for name in _first_order_names(ready) if name in channels}
    return replace(
        base,
        position={b: vector(b, "", space.true_axes) for b in bodies},
        rotation={b: rotation(b) for b in bodies},
        angle=angle,
        velocity={b: vector(b, "v", space.true_axes) for b in bodies},
        spin={b: vector(b, "w", space.axial_axes) for b in bodies},
        value=value,
        rate={name: channels[f"{name}.rate"] for name in base.rate},
        first_order={**base.first_order, **{f"{b}.turn": x for b, x in angle.items()}, **value, **own, **first_order},
        parameters=p,
    )


def state_of(local: Local, placed: Placement, *, strict: bool = False) -> np.ndarray:
    """y of a placement in the coordinates of a formulation."""
    names = local.eq.states.names[local.nq + local.nv :]
    missing = [name for name in local.z_names if name not in placed.first_order]
    if strict and missing:
        raise ModelError(
            f"the result does not tell the states {', '.join(missing)}.",
            component=local.name,
            remedy="Linearise at m.equilibrium() or m.assemble() instead.",
        )
    return np.concatenate([local.eq.start.state(placed), [placed.first_order.get(name, 0.0) for name in names]])


def _first_order_names(ready: Prepared) -> list[str]:
    eq = ready.equations
    return eq.z_names


def _input_values(model: Model, given: Mapping[str, float] | None) -> np.ndarray:
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(
            f"inputs={shown(given)} names none.", component=model.name, remedy="Give {name: value}, a dictionary."
        )
    for name, value in (given or {}).items():
        if name not in model.inputs:
            raise UnknownName("input", name, model.inputs, component=model.name)
        if not is_number(value):
            raise ModelError(
                f"{shown(value)} is not a finite number.", component=name, remedy="Give its constant value."
            )
    return np.array([float((given or {}).get(n, default)) for n, default in model.inputs.items()])
