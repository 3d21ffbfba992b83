"""Loops solved in closed form by the user: dependent coordinates are put in, not integrated (SYM (39)).

With q = q(q_i) and B = ∂v/∂v_i: BᵀM B v̇_i = Bᵀ(f − M Ḃ v_i), BND's (15) and (16) with M_β given explicitly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.coordinate import Coordinate
from linkwork.components.relations import Dependence
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.core.proximal import KKT
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


def reduced(model: Model, eq: Equations, direct: dict[Coordinate, tuple[SX, SX]]) -> Equations:
    """Equations in the independent coordinates alone; `direct` are coordinates that are states of `eq`."""
    values: dict[str, SX] = {}
    for dependence in model.of_type(Dependence):
        for c in [*dependence.given, *dependence.on]:
            if c not in direct:
                raise ModelError(
                    f"{c.name} is no minimal coordinate here (its joint is cut, driven, or a ball joint).",
                    component=dependence.name,
                    remedy=f"Use coordinates among {', '.join(k.name for k in direct)}.",
                )
        on = [direct[c][0] for c in dependence.on]
        for c, function in dependence.given.items():
            values[direct[c][0].name()] = SX(function(*on))
    q_bound = [k for k in range(eq.q.numel()) if eq.q[k].name() in values]
    rate_of = {x.name(): v.name() for x, v in direct.values()}
    v_bound_names = [rate_of[eq.q[k].name()] for k in q_bound]
    v_bound = [next(j for j in range(eq.v.numel()) if eq.v[j].name() == name) for name in v_bound_names]
    q_free = [k for k in range(eq.q.numel()) if k not in q_bound]
    v_free = [k for k in range(eq.v.numel()) if k not in v_bound]
    q, v = eq.q[q_free], eq.v[v_free]
    held = ca.vertcat(*(values[eq.q[k].name()] for k in q_bound))
    qdot = eq.qdot[q_free]
    rates = ca.jtimes(held, q, qdot)
    B, drift = SX(eq.v.numel(), v.numel()), SX(eq.v.numel(), 1)
    for k, i in enumerate(v_free):
        B[i, k] = 1
    B[v_bound, :] = ca.jacobian(rates, v)
    drift[v_bound] = ca.jtimes(rates, q, qdot)

    def put(expressions: list[SX]) -> list[SX]:
        return ca.substitute(expressions, [eq.q[q_bound], eq.v[v_bound]], [held, rates])

    mass, force, A, gamma = put([eq.mass, eq.force, eq.jacobian, eq.gamma])
    _check(model, eq, put([eq.position])[0], q)
    small = ca.triu2symm(ca.triu(B.T @ mass @ B))
    a = SX.sym("a", v.numel())
    whole = B @ a + drift
    # Multipliers of the joints the loop would be cut at: whatever the equations of all coordinates still lack.
    none = SX.zeros(gamma.numel(), 1)
    multipliers = KKT(mass, A, eq.order).solve(force - mass @ whole, none)[1] if eq.rows else none
    names = list(eq.outputs)
    zdot, *rest = put([eq.zdot, *(x for _, x in eq.outputs.values()), *(g for _, g in eq.events)])
    zdot, *rest = ca.substitute([zdot, *rest], [eq.a, eq.multipliers], [whole, multipliers])
    n = eq.q.numel()

    def retract(q_red: SX, step: SX) -> SX:
        full, move = SX.zeros(n, 1), SX.zeros(eq.v.numel(), 1)
        full[q_free], move[v_free] = q_red, step
        return eq.retract(full, move)[q_free]

    return replace(
        eq,
        q=q,
        v=v,
        a=a,
        multipliers=SX(0, 1),
        qdot=qdot,
        mass=small,
        force=ca.densify(B.T @ (force - mass @ drift)),
        zdot=zdot,
        position=SX(0, 1),
        velocity=SX(0, 1),
        jacobian=SX(0, v.numel()),
        gamma=SX(0, 1),
        order=None,
        margins=None,
        scale=eq.scale[[*q_free, *(n + k for k in v_free)]],
        steps=eq.steps[v_free],
        retract=retract,
        start=lambda placed: eq.start(placed)[[*q_free, *(n + k for k in v_free)]],
        rows=[],
        outputs={name: (eq.outputs[name][0], x) for name, x in zip(names, rest, strict=False)},
        events=[(e, g) for (e, _), g in zip(eq.events, rest[len(names) :], strict=True)],
        unweighted=[eq.unweighted[k] for k in _kept(eq, q_free, v_free)],
        state_names=[eq.state_names[k] for k in _kept(eq, q_free, v_free)],
        speed_names=[eq.speed_names[k] for k in v_free],
    )


def _kept(eq: Equations, q_free: list[int], v_free: list[int]) -> list[int]:
    n, m = eq.q.numel(), eq.v.numel()
    return [*q_free, *(n + k for k in v_free), *range(n + m, n + m + eq.z.numel())]


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
        row = eq.rows[int(np.nanargmax(np.nanmax(np.array(tried), axis=0)))]
        name = next(iter(d.name for d in model.of_type(Dependence)))
        raise ModelError(
            f"its functions do not close the loop: {row.owner} stays open by {worst:.3g} m or rad at a trial position.",
            component=name,
            remedy="Check the functions, their branch (signs of roots), and that every loop is covered.",
        )
