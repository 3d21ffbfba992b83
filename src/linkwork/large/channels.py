"""What a large model records and locates, in the order that straight-line code has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.events import Event as Located
from linkwork.components.joint import Joint
from linkwork.components.points import Point
from linkwork.core.component import Constraint, Element
from linkwork.core.program import Channel, Event
from linkwork.large.groups import Group, Tables, named
from linkwork.large.kernels import ENERGIES, Kind
from linkwork.large.schedule import Schedule


def channel_order(tables: Tables) -> list[tuple[Group, int, int]]:
    """Channels as straight-line code has them: bodies, points, what holds constraints, joints, laws, forces."""
    parts = {id(group): _parts(group.kind) for group in tables.groups}
    order: list[tuple[Group, int, int]] = []
    for kinds, part in (
        ((Body,), None),
        ((Point,), None),
        ((Constraint,), 0),
        ((Constraint,), 1),
        ((Joint,), 2),
        ((Joint,), 3),
        ((Element,), None),
    ):
        for group, k in tables.in_order(*kinds):
            span = range(len(group.kind.channels)) if part is None else parts[id(group)][part]
            order += [(group, k, n) for n in span]
    return order


def _parts(kind: Kind) -> tuple[list[int], list[int], list[int], list[int]]:
    """Channels of a constraint: its multipliers, what else holds it; a joint's reactions and coordinates, and what its
    laws add."""
    names = [name for name, _, _ in kind.channels]
    first = next((n for n, name in enumerate(names) if name.startswith("#.port1")), len(names))
    multipliers = [n for n in range(first) if names[n].startswith("#.multiplier")]
    usual = {f"{c}{what}" for c in kind.coordinate_names for what in ("", ".rate", ".effort", ".power")}
    own = [n for n in range(first, len(names)) if names[n].split(".")[1] in ("port1", "reaction") or names[n] in usual]
    others = [n for n in range(first) if n not in multipliers]
    return multipliers, others, own, [n for n in range(first, len(names)) if n not in own]


def channels_of(tables: Tables) -> tuple[Channel, ...]:
    """Their names and units."""
    channels = []
    for group, k, n in channel_order(tables):
        name, unit, _ = group.kind.channels[n]
        channels.append(Channel(named(group, k, name), unit))
    channels += [Channel(f"energy.{x}", "J") for x in ("kinetic", "potential", "total", "dissipated", "supplied")]
    return (*channels, Channel("residual.position", "m"), Channel("residual.velocity", "m/s"))


def event_order(tables: Tables) -> list[tuple[Group, int, int]]:
    """Events of joints, of forces, then those of the user."""
    order: list[tuple[Group, int, int]] = []
    for kinds in ((Joint,), (Element,), (Located,)):
        for group, k in tables.in_order(*kinds):
            order += [(group, k, n) for n in range(len(group.kind.events))]
    return order


def events_of(tables: Tables) -> tuple[Event, ...]:
    """Their names, directions and actions."""
    events = []
    for group, k, n in event_order(tables):
        event = group.kind.events[n][0]
        events.append(replace(event, name=named(group, k, event.name), about=None))
    return tuple(events)


def located(schedule: Schedule, tables: Tables, parts: list[tuple[Group, np.ndarray]]) -> list[tuple[int, int]]:
    """Place and size of g of every event; then, where some are known, of all paces, all grains, all holds."""
    given = {id(group): x for group, x in parts}
    none = schedule.room(1)
    schedule.zero(none, 1)
    values: list[int] = []
    bounds: list[list[int]] = []
    for group, k, n in event_order(tables):
        first, count = group.kind.event_places[n]
        at = given[id(group)][k, first : first + count].tolist()
        values.append(at[0])
        bounds.append(at[1:] if count > 1 else [none] * 3)
    results = [(schedule.take(np.array(values, dtype=np.int64)), len(values))]
    if any(count > 1 for group in tables.groups for _, count in group.kind.event_places):
        results.append((schedule.take(np.array(bounds, dtype=np.int64).T), 3 * len(values)))
    return results


def recorded(schedule: Schedule, tables: Tables, parts: list[tuple[Group, np.ndarray]], z: int) -> np.ndarray:
    """Places of all channels; parts: what `outputs` of every kind gave; z: where first-order states begin."""
    sums = schedule.room(len(ENERGIES))
    schedule.zero(sums, len(ENERGIES))
    given = {id(group): results for group, results in parts}
    for group, results in parts:
        begin = len(group.kind.channels)
        for k, x in enumerate(group.kind.energies):
            if not x.is_zero():
                schedule.add(np.full(len(group.members), sums + k), results[:, begin + k])
    for name in tables.accounts:
        schedule.add(np.array([sums + ENERGIES.index(name)]), np.array([z + tables.z_names.index(name)]))
    total = schedule.take(np.array([sums]))
    schedule.add(np.array([total]), np.array([sums + 1]))
    kept = [given[id(group)][k, n] for group, k, n in channel_order(tables)]
    kept += [sums, sums + 1, total, sums + 2, sums + 3]
    for n in (-2, -1):
        held = [results[:, n] for group, results in parts if group.kind.holds]
        every = np.concatenate([np.zeros(0, dtype=np.int64), *held])
        kept.append(schedule.largest(every, np.ones(every.size)))
    return np.array(kept, dtype=np.int64)
