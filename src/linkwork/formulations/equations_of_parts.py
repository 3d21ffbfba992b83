"""The last step of every formulation: channels, states and all expressions in terms of the states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Required, TypedDict, Unpack

import casadi as ca
import numpy as np

from linkwork.core.equations import (
    Algebraic,
    Constraints,
    Contacts,
    Deferred,
    Equations,
    Motion,
    Observation,
    Placement,
    Row,
    Start,
    States,
    Symbols,
)
from linkwork.core.errors import ModelError
from linkwork.formulations import observe
from linkwork.formulations.constraint_rows import Rows
from linkwork.formulations.contributions import Contributions
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.order import scales, steps
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.bondgraph.graph import BondGraph

Named = list[tuple[str, SX, SX]]
"""(name, symbol, rate) of first-order states."""


class StateFacts(TypedDict, total=False):
    """What `States` are told beside their names."""

    scale: np.ndarray
    steps: np.ndarray
    speed_names: list[str]


class ReadOff(TypedDict, total=False):
    """What a bond graph adds: efforts, flows and powers of its bonds, and itself."""

    probes: Mapping[str, tuple[str, SX]] | None
    graph: BondGraph | None


class Constrained(ReadOff, total=False):
    """What else is known of constraints."""

    jacobian: Required[SX]
    gamma: Required[SX]
    stabilisation: Projection | Baumgarte | None
    softness: Mapping[Row, tuple[float, float]] | None


def equations_of_parts(
    view: MaximalView,
    contributions: Contributions,
    observed: observe.Observed,
    *,
    q: SX,
    v: SX,
    a: SX,
    motion: Motion,
    jacobian: SX,
    gamma: SX,
    rows: Rows,
    names: list[str],
    start: Callable[[Placement], np.ndarray],
    counters: Named | None = None,
    first_order: Named | None = None,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
    projected: Deferred | None = None,
    probes: Mapping[str, tuple[str, SX]] | None = None,
    graph: BondGraph | None = None,
    **known: Unpack[StateFacts],
) -> Equations:
    """Equations from expressions in the symbols of a view.

    motion: without ż; names: owner of each coordinate, then of each speed; counters: further states that only count
    turns; first_order: states beside those of the contributions; known: further facts of the states.
    """
    outputs, channels = observe.channels(view.model, view, contributions, observed)
    counting = [(c.name, symbol, view.counted_rate(c)) for c, symbol in view.turns.items()] + (counters or [])
    states = counting + contributions.first_order + (first_order or []) + observed.work
    z = ca.vertcat(*(s for _, s, _ in states))
    recording = [k < len(counting) or name in contributions.held for k, (name, _, _) in enumerate(states)]
    zdot = ca.vertcat(*(rate for _, _, rate in states))
    facts: StateFacts = {"scale": scales(view), "steps": steps(view), **known}
    eq = Equations(
        _symbols(view, q, v, z, a, rows.multipliers),
        States(
            names=[*names, *(name for name, _, _ in states)],
            unweighted=[False] * (q.numel() + v.numel()) + recording,
            held=frozenset(contributions.held),
            accounts=[*range(len(states) - len(observed.work), len(states))],
            **facts,
        ),
        replace(motion, force=ca.densify(motion.force), zdot=zdot, stiff=bool(rows.soft)),
        _constraints(rows, jacobian, gamma, isinstance(stabilisation, Baumgarte), projected, softness),
        Observation(
            outputs={name: (unit, value) for (name, unit), value in zip(channels, outputs, strict=True)},
            events=contributions.events,
            probes=dict(probes or {}),
            graph=graph,
        ),
        Start(start, contributions.starts),
        _algebraic(contributions, z),
        Contacts(contributions.contacts),
    )
    return _with_accelerations(_with_reactions(eq, view, observed), view, contributions, observed).map(view.in_states)


def _symbols(view: MaximalView, q: SX, v: SX, z: SX, a: SX, multipliers: SX) -> Symbols:
    model = view.model
    parameters = ca.vertcat(*model.symbols(model.parameters))
    inputs = ca.vertcat(SX(0, 1), *model.symbols(model.inputs), *model.courses.symbols)
    return Symbols(view.t, q, v, z, parameters, inputs, a, multipliers)


def _constraints(
    rows: Rows,
    jacobian: SX,
    gamma: SX,
    stabilised: bool,
    projected: Deferred | None,
    softness: Mapping[Row, tuple[float, float]] | None,
) -> Constraints:
    return Constraints(
        rows.position,
        rows.velocity,
        jacobian,
        gamma,
        rows.names,
        stabilised=stabilised,
        projected=projected,
        softness=softness or {},
    )


def _algebraic(contributions: Contributions, z: SX) -> Algebraic:
    """States that equations determine: those that follow the others, and those tied to them."""
    return Algebraic(
        improved=_improved(contributions, z) if contributions.algebraic else None,
        residual=contributions.algebraic_residual,
        owners=contributions.algebraic_owners,
        following=_numbers(z, [s for s, _, follows in contributions.algebraic if follows]),
        coupled=_numbers(z, [s for s, _, follows in contributions.algebraic if not follows]),
        blocks=contributions.together,
    )


def _with_accelerations(
    eq: Equations, view: MaximalView, contributions: Contributions, observed: observe.Observed
) -> Equations:
    """Accelerations that components ask for, in terms of v̇."""
    if not contributions.accelerations:
        return eq
    symbols = [x.symbol for x in contributions.accelerations]
    values = [ca.densify(view.acceleration(x.speed, observed.acceleration, eq.a)) for x in contributions.accelerations]
    return eq.map(lambda expressions: ca.substitute(expressions, symbols, values))


def _with_reactions(eq: Equations, view: MaximalView, observed: observe.Observed) -> Equations:
    """Reactions of joints that components ask for."""
    if not view.reactions:
        return eq
    for joint, symbol in view.reactions.items():
        if ca.depends_on(eq.motion.force, symbol):
            raise ModelError(
                "a force depends on its reaction, which depends on all forces.",
                component=joint.name,
                remedy="Let a state follow the reaction, as m.joint_friction(…) does, and the force the state.",
            )
    of_joints = [observe.reaction(view, joint, observed, joint.second) for joint in view.reactions]
    wrenches = [ca.densify(ca.vertcat(wrench.force, wrench.moment)) for wrench in of_joints]
    return eq.map(lambda expressions: ca.substitute(expressions, list(view.reactions.values()), wrenches))


def _improved(contributions: Contributions, z: SX) -> SX:
    """The first-order states, with those that equations determine put where these say."""
    at = {s.element_hash(): better for s, better, _ in contributions.algebraic}
    return ca.vertcat(*(at.get(z[k].element_hash(), z[k]) for k in range(z.numel())))


def _numbers(z: SX, symbols: list[SX]) -> list[int]:
    """Where symbols are in z."""
    wanted = {s.element_hash() for s in symbols}
    return [k for k in range(z.numel()) if z[k].element_hash() in wanted]
