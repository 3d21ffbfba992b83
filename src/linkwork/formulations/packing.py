"""The last step of every formulation: channels, states and all expressions in terms of the states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca

from linkwork.core.equations import Equations, Row
from linkwork.formulations import observe
from linkwork.formulations.constraint_rows import Rows
from linkwork.formulations.contributions import Contributions
from linkwork.formulations.order import scales, steps
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX

Named = list[tuple[str, SX, SX]]
"""(name, symbol, rate) of first-order states."""


def packed(
    view: Any,
    got: Contributions,
    seen: observe.Observed,
    *,
    q: SX,
    v: SX,
    a: SX,
    qdot: SX,
    mass: SX,
    force: SX,
    jacobian: SX,
    gamma: SX,
    rows: Rows,
    names: list[str],
    counters: Named | None = None,
    first_order: Named | None = None,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
    probes: Mapping[str, tuple[str, SX]] | None = None,
    **more: Any,
) -> Equations:
    """Equations from expressions in the symbols of a view.

    names: owner of each coordinate, then of each speed; counters: further states that only count turns;
    first_order: states beside those of the contributions; probes: quantities for after a run; more: passed on.
    """
    model = view.model
    outputs, channels = observe.channels(model, view, got, seen)
    counting = [(c.name, symbol, view.counted_rate(c)) for c, symbol in view.turns.items()] + (counters or [])
    states = counting + got.first_order + (first_order or []) + seen.work
    z, zdot = ca.vertcat(*(s for _, s, _ in states)), ca.vertcat(*(d for _, _, d in states))
    switches, looked = [g for _, g in got.events], [x for _, x in (probes or {}).values()]
    settled, unsettled = _settled(got, z), got.kept_residual
    main = [mass, ca.densify(force), zdot, rows.position, rows.velocity, jacobian, gamma, qdot, settled, unsettled]
    if got.accelerations:
        main, outputs, switches, looked = _with_accelerations(view, got, seen, a, main, outputs, switches, looked)
    pressed = [part for contact in got.contacts for part in contact.parts()]
    done = view.in_states([*main, *outputs, *switches, *pressed, *looked])
    mass, force, zdot, position, velocity, jacobian, gamma, qdot, settled, unsettled = done[: len(main)]
    values = done[len(main) : len(main) + len(outputs)]
    located = done[len(main) + len(outputs) :][: len(switches)]
    pressed = done[len(main) + len(outputs) + len(switches) :][: len(pressed)]
    looked = done[len(done) - len(looked) :]
    each = len(pressed) // max(len(got.contacts), 1)
    more.setdefault("scale", scales(view))
    more.setdefault("steps", steps(view))
    return Equations(
        t=view.t,
        q=q,
        v=v,
        z=z,
        parameters=ca.vertcat(*model.symbols(model.parameters)),
        inputs=ca.vertcat(SX(0, 1), *model.symbols(model.inputs), *model.courses.symbols),
        a=a,
        multipliers=rows.multipliers,
        qdot=qdot,
        mass=mass,
        force=force,
        zdot=zdot,
        position=position,
        velocity=velocity,
        jacobian=jacobian,
        gamma=gamma,
        rows=rows.names,
        outputs={name: (unit, value) for (name, unit), value in zip(channels, values, strict=True)},
        events=[(e, g) for (e, _), g in zip(got.events, located, strict=True)],
        probes={name: (unit, x) for (name, (unit, _)), x in zip((probes or {}).items(), looked, strict=True)},
        unweighted=[False] * (q.numel() + v.numel()) + [
            k < len(counting) or name in got.held for k, (name, _, _) in enumerate(states)
        ],
        state_names=[*names, *(name for name, _, _ in states)],
        held=frozenset(got.held),
        accounts=[*range(len(states) - len(seen.work), len(states))],
        starts=got.starts,
        settled=settled if got.kept else None,
        unsettled=unsettled,
        unsettled_owners=got.kept_owners,
        together=got.together,
        hanging=_numbers(z, [s for s, _, follows in got.kept if follows]),
        tied=_numbers(z, [s for s, _, follows in got.kept if not follows]),
        contacts=[c.of(pressed[k * each : (k + 1) * each]) for k, c in enumerate(got.contacts)],
        stabilised=isinstance(stabilisation, Baumgarte),
        softness=softness or {},
        stiff=bool(rows.soft),
        **more,
    )


def _settled(got: Contributions, z: SX) -> SX:
    """The first-order states, with those that equations determine put where these say."""
    if not got.kept:
        return z
    at = {s.element_hash(): better for s, better, _ in got.kept}
    return ca.vertcat(*(at.get(z[k].element_hash(), z[k]) for k in range(z.numel())))


def _numbers(z: SX, symbols: list[SX]) -> list[int]:
    """Where symbols are in z."""
    wanted = {s.element_hash() for s in symbols}
    return [k for k in range(z.numel()) if z[k].element_hash() in wanted]


def _with_accelerations(
    view: Any, got: Contributions, seen: observe.Observed, a: SX, *groups: list[SX]
) -> list[list[SX]]:
    """Put in what the symbols for accelerations of coordinates and frames stand for."""
    symbols = [x.symbol for x in got.accelerations]
    values = [ca.densify(view.acceleration(x.speed, seen.acceleration, a)) for x in got.accelerations]
    return [ca.substitute(group, symbols, values) if group else group for group in groups]
