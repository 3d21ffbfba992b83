"""What a large model records and locates, in the order that straight-line code has it."""

from __future__ import annotations

from dataclasses import replace

from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.components.points import Point
from linkwork.core.component import Force
from linkwork.core.program import Channel, Event
from linkwork.large.groups import Group, Tables, named
from linkwork.large.kernels import Kind


def channel_order(tables: Tables) -> list[tuple[Group, int, int]]:
    """Channels as straight-line code has them: bodies, points, what holds joints, joints, laws, forces."""
    parts = {id(group): _joint_parts(group.kind) for group in tables.groups}
    order: list[tuple[Group, int, int]] = []
    for kinds, part in (
        ((Body,), None),
        ((Point,), None),
        ((Joint,), 0),
        ((Joint,), 1),
        ((Joint,), 2),
        ((Force,), None),
    ):
        for group, k in tables.in_order(*kinds):
            span = range(len(group.kind.channels)) if part is None else parts[id(group)][part]
            order += [(group, k, n) for n in span]
    return order


def _joint_parts(kind: Kind) -> tuple[list[int], list[int], list[int]]:
    """Channels of a joint: what holds it, its reactions and coordinates, and what its laws add."""
    names = [name for name, _, _ in kind.channels]
    first = next((n for n, name in enumerate(names) if name.startswith("#.port1")), 0)
    usual = {f"{c}{what}" for c in kind.coordinate_names for what in ("", ".rate", ".effort", ".power")}
    own = [n for n in range(first, len(names)) if names[n].split(".")[1] in ("port1", "reaction") or names[n] in usual]
    return list(range(first)), own, [n for n in range(first, len(names)) if n not in own]


def channels_of(tables: Tables) -> tuple[Channel, ...]:
    """Their names and units."""
    channels = []
    for group, k, n in channel_order(tables):
        name, unit, _ = group.kind.channels[n]
        channels.append(Channel(named(group, k, name), unit))
    channels += [Channel(f"energy.{x}", "J") for x in ("kinetic", "potential", "total", "dissipated", "supplied")]
    return (*channels, Channel("residual.position", "m"), Channel("residual.velocity", "m/s"))


def event_order(tables: Tables) -> list[tuple[Group, int, int]]:
    """Events of joints, then of forces."""
    order: list[tuple[Group, int, int]] = []
    for kinds in ((Joint,), (Force,)):
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
