"""A component other than a body or joint as plain data: its frames, numbers and coordinates, whatever its class."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.contacts.outlines import Outline
from linkwork.components.coordinate import Coordinate
from linkwork.components.wiring.connections import Connection, Flange
from linkwork.core.component import Component, Constraint, Element, Force, Marker
from linkwork.core.plain_data import Record
from linkwork.core.port import FramePort, PortComponent
from linkwork.geometry import SX, Number

if TYPE_CHECKING:
    from linkwork.core.model import Model
    from linkwork.simulation.description.describe import Reach

BASES = (object, Component, Constraint, Element, Force, PortComponent)
GROUND_POINTS = 81
"""Samples of uneven ground along x; half as many along y."""


def kinds_of(component: Component) -> list[str]:
    """Names of its class and of those it is a special case of, nearest first."""
    return [c.__name__ for c in type(component).__mro__ if c not in BASES and not c.__name__.startswith("_")]


def flanges_of(model: Model) -> dict[str, dict[str, str]]:
    """By component and port, the coordinate that the port is connected to."""
    flanges: dict[str, dict[str, str]] = {}
    for connection in model.of_type(Connection):
        moving = [port.coordinate.name for port in connection.joined if isinstance(port, Flange)]
        for port in connection.joined:
            if moving and not isinstance(port, Flange):
                flanges.setdefault(port.owner.name, {})[port.label] = moving[0]
    return flanges


def describe_part(
    component: Component,
    side: Callable[[Marker], Record],
    number: Callable[[SX], np.ndarray],
    reach: Callable[[], Reach | None] | None,
    planar: bool,
    sampled: set[Hashable],
    flanges: dict[str, str],
) -> Record | None:
    """Frames by attribute, numbers and coordinates that it holds; None where it has no place in the mechanism.

    sampled: height functions that are told already; flanges: coordinates that its ports are connected to, by port.
    """
    held = {name: value for name, value in vars(component).items() if not name.startswith("_") and name != "model"}
    frames = {name: side(marker) for name, marker in _frames(held)}
    coordinates = {name: c.name for name, c in held.items() if isinstance(c, Coordinate)} | flanges
    if not frames and not coordinates:
        return None
    numbers = {name: _number(value, number) for name, value in held.items()}
    part: Record = {
        "kinds": kinds_of(component),
        "frames": frames,
        "numbers": {name: value for name, value in numbers.items() if value is not None},
    }
    if coordinates:
        part["coordinates"] = coordinates
    outlines = {frame: held[what] for frame, what in (("at", "shape"), ("on", "other")) if what in held}
    touching = {frame: _outline(o, number) for frame, o in outlines.items() if isinstance(o, Outline)}
    if touching:
        part["outlines"] = touching
    ground = held.get("height") or getattr(outlines.get("on"), "height", None)
    if callable(ground) and reach is not None and ground not in sampled and (where := reach()) is not None:
        part["heights"] = _heights(ground, where, number, planar)
        sampled.add(ground)
    return part


def _outline(outline: Outline, number: Callable[[SX], np.ndarray]) -> Record:
    """Class and plain numbers of what touches."""
    held = {f.name: getattr(outline, f.name) for f in fields(outline) if f.init}
    lists = {k: _list(v, number) for k, v in held.items() if isinstance(v, list | tuple | np.ndarray)}
    numbers = {name: _number(value, number) for name, value in held.items() if name not in lists}
    return {"kind": type(outline).__name__, **lists, **{k: v for k, v in numbers.items() if v is not None}}


def _list(values: Iterable[Number], number: Callable[[SX], np.ndarray]) -> list[object]:
    if any(isinstance(x, SX) for x in values):  # parameters among them
        return [float(x) for x in np.ravel(number(ca.vertcat(*values)))]
    return list(np.asarray(values, dtype=float).tolist())


def _frames(held: Record) -> Iterator[tuple[str, Marker]]:
    for name, value in held.items():
        if isinstance(value, Marker):
            yield name, value
        elif isinstance(value, dict):
            yield from ((label, port.marker) for label, port in value.items() if isinstance(port, FramePort))
        elif isinstance(value, list | tuple):
            yield from ((f"{name}{i}", part) for i, part in enumerate(value) if isinstance(part, Marker))


def _number(value: object, number: Callable[[SX], np.ndarray]) -> float | None:
    """A scalar as a number; None for anything else, and for what depends on more than parameters."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number | SX):
        return None
    if not isinstance(value, SX):
        return float(value)
    if value.numel() != 1:
        return None
    try:
        return float(number(value).item())
    except RuntimeError:  # it holds time or a state
        return None


def _heights(
    height: Callable[..., Number], reach: Reach, number: Callable[[SX], np.ndarray], planar: bool
) -> Record | None:
    """Samples over the reach and a margin around it: {"x": [from, to], "y": … or None, "heights": rows along x}."""
    size = max(high - low for low, high in reach)
    spans = [(low - 0.2 * size - 0.5, high + 0.2 * size + 0.5) for low, high in reach]
    place = SX.sym("place", 2)
    rise = SX(height(place[0]) if planar else height(place[0], place[1]))
    others = [s for s in ca.symvar(rise) if not any(ca.is_equal(s, place[i]) for i in (0, 1))]
    try:
        rise = ca.substitute(rise, ca.vertcat(*others), ca.vertcat(*(number(s).item() for s in others)))
    except RuntimeError:  # it moves: there is no one ground to draw
        return None
    sample = ca.Function("rise", [place], [rise])
    xs = np.linspace(*spans[0], GROUND_POINTS)
    ys = np.zeros(1) if planar else np.linspace(*spans[1], GROUND_POINTS // 2)
    grid = np.array([(x, y) for y in ys for x in xs]).T
    heights = np.array(sample.map(grid.shape[1])(grid)).reshape(len(ys), len(xs))
    return {"x": list(spans[0]), "y": None if planar else list(spans[1]), "heights": np.round(heights, 5).tolist()}
