"""What drives a large model over time, and when its equations jump or bend for reasons of time alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.core.courses import Taken
from linkwork.core.errors import ModelError
from linkwork.core.signal import Inputs, Table
from linkwork.large.groups import Group
from linkwork.large.large_model import LargeModel
from linkwork.large.natural_units import lifted_values, slots_of
from linkwork.large.program import Large
from linkwork.large.prototypes import NAME
from linkwork.signals.breakpoints import corners_of, joined, stops_of, time_switches, used
from linkwork.signals.continuity import check_continuity
from linkwork.signals.inputs import Signals, check_signals, follow, signals_of


def driving(large: LargeModel, inputs: Inputs | None) -> Signals:
    """By number: what drives each input that is given, then all that is followed over time."""
    signals = signals_of(large.model, inputs)
    follow(signals, large.tables.taken, len(large.model.inputs))
    return signals


@dataclass(frozen=True)
class _Alike:
    """Components of a kind with the same numbers, which follow the same things over time."""

    group: Group
    member: int
    """The first of them."""
    p: np.ndarray
    """Of their prototype's equations."""
    signals: Signals
    taken: list[Taken]

    def named(self, error: ModelError) -> ModelError:
        """With the component's own name in the place of the prototype's."""
        name = self.group.members[self.member].name
        owner, cause = (x.replace(NAME, name) for x in (error.component or name, error.cause))
        return ModelError(cause, component=owner, remedy=error.remedy)


def _alike(large: Large, p: np.ndarray, signals: Signals) -> Iterator[_Alike]:
    """Of all kinds that time or inputs enter otherwise than by what is common to all."""
    tables, names = large.tables, list(large.model.parameters)
    lifted, inputs = lifted_values(tables, p), len(large.model.inputs)
    for group in tables.groups:
        if not (group.kind.taken or time_switches(group.kind.eq) or driven(group)):
            continue
        slots = slots_of(group.kind.fixed, group.table, lifted[group.lifted])
        _, first = np.unique(np.hstack([slots, group.taken]), axis=0, return_index=True)
        for k in np.sort(first).tolist():
            own = Signals(signals.given)
            own.update({n: x for n, x in signals.items() if n < inputs})
            followed = enumerate(group.taken[k].tolist())
            own.update({inputs + n: signals[inputs + i] for n, i in followed if inputs + i in signals})
            taken = [tables.taken[i] for i in group.taken[k]]
            yield _Alike(group, k, group.kind.p_of(slots[k], p, names, group.taken[k]), own, taken)


def stops_by_kinds(large: Large, p: np.ndarray, signals: Signals, y: np.ndarray | None, end: float) -> np.ndarray:
    """As `stops_of`, for every component; y: a state, where what constraints ask for is to be looked at, too."""
    found = [corners_of([], signals, end)]  # of inputs, which all have in common
    for alike in _alike(large, p, signals):
        eq = alike.group.kind.eq
        stops = stops_of(eq, alike.p, alike.signals, end, alike.taken)
        if y is not None and driven(alike.group):
            _check(large, alike, stops, y, end)
        found.append(stops)
    return joined(found, end)


def _check(large: Large, alike: _Alike, stops: np.ndarray, y: np.ndarray, end: float) -> None:
    """What is followed must not jump, and must have the derivatives that are needed."""
    eq, group = alike.group.kind.eq, alike.group
    meant = {a.source: b.source for a, b in zip(group.kind.taken, alike.taken, strict=True)}
    tables = {a: b for a, b in meant.items() if isinstance(a, Table) and isinstance(b, Table)}
    try:
        if used(eq):
            check_signals(eq, alike.signals.given, end, tables)
        check_continuity(eq, alike.p, alike.signals, stops, _state_of(large, group, alike.member, y), end)
    except ModelError as error:
        raise alike.named(error) from error


def _state_of(large: Large, group: Group, k: int, y: np.ndarray) -> np.ndarray:
    """The state of a prototype where the model's is y."""
    tables, kind = large.tables, group.kind
    q, v = (x.reshape(len(tables.bodies), -1) for x in np.split(y, [tables.nq, tables.nq + tables.nv])[:2])
    z = np.zeros(kind.eq.z.numel())
    first = tables.nq + tables.nv
    z[kind.own_states] = y[first + group.states[k]]
    z[list(kind.borrowed)] = y[first + group.borrowed[k]]
    return np.concatenate([q[group.bodies[k]].ravel(), v[group.bodies[k]].ravel(), z])


def driven(group: Group) -> bool:
    """Whether what constraints ask for depends on time or inputs."""
    eq = group.kind.eq
    if "driven" not in eq.memory:
        rows = ca.vertcat(eq.constraints.position, eq.constraints.velocity)
        eq.memory["driven"] = ca.depends_on(rows, ca.vertcat(eq.t, eq.symbols.inputs))
    return bool(eq.memory["driven"])
