"""Loops solved in closed form by the user: dependent coordinates are put in, not integrated (SYM (39)).

With q = q(q_i) and B = ∂v/∂v_i: BᵀM B v̇_i = Bᵀ(f − M Ḃ v_i), BND's (15) and (16) with M_β given explicitly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import KKT
from linkwork.components.coordinate import Coordinate
from linkwork.components.relations import Dependence
from linkwork.core.equations import Equations, Motion
from linkwork.core.errors import ModelError
from linkwork.formulations.starting import Picked
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass(frozen=True)
class Dependents:
    """Which of q and v are given by the others (`held` and its rate), V = B v + …, V̇ = B v̇ + drift."""

    q_bound: list[int]
    v_bound: list[int]
    q_free: list[int]
    v_free: list[int]
    held: SX
    rates: SX
    B: SX
    drift: SX


def reduced(model: Model, eq: Equations, direct: dict[Coordinate, tuple[SX, SX]]) -> Equations:
    """Equations in the independent coordinates alone; `direct` are coordinates that are states of `eq`."""
    parts = _partition(eq, direct, _given(model, direct))
    symbols = [eq.q[parts.q_bound], eq.v[parts.v_bound]]
    bound = eq.map(lambda expressions: ca.substitute(expressions, symbols, [parts.held, parts.rates]))
    mass, force, B = bound.motion.mass, bound.motion.force, parts.B
    _check(model, eq, bound.constraints.position, eq.q[parts.q_free])
    small = ca.triu2symm(ca.triu(B.T @ mass @ B))
    a = SX.sym("a", len(parts.v_free))
    whole = B @ a + parts.drift
    # Multipliers of the joints the loop would be cut at: whatever the equations of all coordinates still lack.
    multipliers = SX.zeros(eq.constraints.gamma.numel(), 1)
    if eq.constraints.rows:
        kkt = KKT(mass, bound.constraints.jacobian, eq.motion.order)
        multipliers = kkt.solve(force - mass @ whole, multipliers)[1]
    solved = bound.map(lambda expressions: ca.substitute(expressions, [eq.a, eq.multipliers], [whole, multipliers]))
    motion = replace(
        solved.motion,
        qdot=eq.motion.qdot[parts.q_free],
        mass=small,
        force=ca.densify(B.T @ (force - mass @ parts.drift)),
        retract=_retraction(eq, parts),
        order=None,
    )
    return _without_bound(eq, solved, parts, a, motion)


def _given(model: Model, direct: dict[Coordinate, tuple[SX, SX]]) -> dict[str, SX]:
    """What the user's functions say of dependent coordinates: symbol → value."""
    values: dict[str, SX] = {}
    for dependence in model.of_type(Dependence):
        for c in [*dependence.given, *dependence.on]:
            if c not in direct:
                raise ModelError(
                    f"{c.name} is not a minimal coordinate here (its joint is cut, driven, or a ball joint).",
                    component=dependence.name,
                    remedy=f"Use coordinates among {', '.join(k.name for k in direct)}.",
                )
        on = [direct[c][0] for c in dependence.on]
        for c, function in dependence.given.items():
            values[direct[c][0].name()] = SX(function(*on))
    return values


def _partition(eq: Equations, direct: dict[Coordinate, tuple[SX, SX]], values: dict[str, SX]) -> Dependents:
    q_bound = [k for k in range(eq.q.numel()) if eq.q[k].name() in values]
    rate_of = {x.name(): v.name() for x, v in direct.values()}
    v_bound_names = [rate_of[eq.q[k].name()] for k in q_bound]
    v_bound = [next(j for j in range(eq.v.numel()) if eq.v[j].name() == name) for name in v_bound_names]
    q_free = [k for k in range(eq.q.numel()) if k not in q_bound]
    v_free = [k for k in range(eq.v.numel()) if k not in v_bound]
    q, v, qdot = eq.q[q_free], eq.v[v_free], eq.motion.qdot[q_free]
    held = ca.vertcat(*(values[eq.q[k].name()] for k in q_bound))
    rates = ca.jtimes(held, q, qdot)
    B, drift = SX(eq.v.numel(), v.numel()), SX(eq.v.numel(), 1)
    for k, i in enumerate(v_free):
        B[i, k] = 1
    B[v_bound, :] = ca.jacobian(rates, v)
    drift[v_bound] = ca.jtimes(rates, q, qdot)
    return Dependents(q_bound, v_bound, q_free, v_free, held, rates, B, drift)


def _retraction(eq: Equations, parts: Dependents) -> Callable[[SX, SX], SX]:
    def retract(q: SX, step: SX) -> SX:
        full, move = SX.zeros(eq.q.numel(), 1), SX.zeros(eq.v.numel(), 1)
        full[parts.q_free], move[parts.v_free] = q, step
        return eq.motion.retract(full, move)[parts.q_free]

    return retract


def _without_bound(eq: Equations, solved: Equations, parts: Dependents, a: SX, motion: Motion) -> Equations:
    """The equations `solved`, whose states are the independent ones of `eq`, and which have no constraint left."""
    n, none = eq.q.numel(), SX(0, 1)
    kept = [*parts.q_free, *(n + k for k in parts.v_free)]
    names = [*kept, *range(n + eq.v.numel(), eq.y.numel())]
    return replace(
        solved,
        symbols=replace(eq.symbols, q=eq.q[parts.q_free], v=eq.v[parts.v_free], a=a, multipliers=none),
        states=replace(
            eq.states,
            names=[eq.states.names[k] for k in names],
            unweighted=[eq.states.unweighted[k] for k in names],
            speed_names=[eq.states.speed_names[k] for k in parts.v_free],
            scale=eq.states.scale[kept],
            steps=eq.states.steps[parts.v_free],
        ),
        motion=motion,
        constraints=replace(
            eq.constraints, position=none, velocity=none, jacobian=SX(0, len(parts.v_free)), gamma=none, rows=[]
        ),
        start=replace(eq.start, state=Picked(eq.start.state, kept)),
    )


def _check(model: Model, eq: Equations, position: SX, q: SX) -> None:
    """The given functions must close every loop, not only at the start."""
    if not position.numel():
        return
    f = ca.Function("rest", [eq.t, q, eq.z, eq.p], [position])
    random = np.random.default_rng(11)
    p = [*model.parameters.values(), *model.input_values().values()][: eq.p.numel()]
    tried = [np.abs(np.array(f(0, random.uniform(-0.4, 0.4, q.numel()), np.zeros(eq.z.numel()), p))) for _ in range(6)]
    worst = np.nanmax([t.max() if np.all(np.isfinite(t)) else np.nan for t in tried])
    if not worst < 1e-8:
        row = eq.constraints.rows[int(np.nanargmax(np.nanmax(np.array(tried), axis=0)))]
        name = next(iter(d.name for d in model.of_type(Dependence)))
        raise ModelError(
            f"its functions do not close the loop: {row.owner} stays open by {worst:.3g} m or rad at a trial position.",
            component=name,
            remedy="Check the functions, their branch (signs of roots), and that every loop is covered.",
        )
