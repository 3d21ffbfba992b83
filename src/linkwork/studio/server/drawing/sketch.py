"""The data of a planar model file as a drawing: bodies that stand somewhere, and frames on them where parts meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import count
from string import ascii_uppercase

from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.plain_data import Data, Record
from linkwork.files.models.toml_text import Inline
from linkwork.studio.server.drawing.figure import Figure, Point, bars, outline, straightened
from linkwork.studio.server.drawing.frames import WORLD, Place, Pose, direction, distance, read_place, tidy

GROUND = "ground"
JOINTS = ("revolute", "prismatic", "fixed", "point_on_line", "distance")
"""Joints that a drawing knows to stand on two frames, `first` and `second`."""
PINS = ("revolute", "point")
"""What links are joined at: a pin that two bodies share, or the end of one that waits for another."""
COINCIDENT = 1e-8
"""Of the size of a drawing: places so near to each other are one."""

Resolved = Mapping[tuple[str, str], Place]
"""Frames whose text is an expression, as numbers: by component and argument."""


@dataclass(frozen=True)
class Use:
    """A frame that a component stands on: its argument, its place, and whether the file has it in plain numbers."""

    component: str
    word: str
    place: Place
    plain: bool


class Sketch:
    """A copy of the data of a model file that can be drawn on; poses: where its bodies are, by name."""

    def __init__(self, data: Data, poses: Mapping[str, Pose] | None = None, resolved: Resolved | None = None):
        self.data: Record = deepcopy(dict(data))
        self.components: Record = self.data.setdefault("component", {})
        self.poses = {name: _stated(part) for name, part in self.components.items() if _is_body(part)}
        self.poses |= dict(poses or {})
        self._resolved = resolved or {}
        self.drawn = {name for name in self.poses if self._is_drawn(name)}
        """Bodies whose mass is that of the drawing: it follows when the drawing changes."""

    # Reading ---------------------------------------------------------------------------------------------------------

    def type_of(self, name: str) -> str:
        if name not in self.components:
            raise UnknownName("part", name, self.components)
        return str(self.components[name].get("type", ""))

    def uses(self) -> Iterator[Use]:
        """Every frame of every component, in the order of the file."""
        for name, part in self.components.items():
            for word, text in part.items():
                place = read_place(text)
                if place is not None:
                    yield Use(name, word, place, True)
                elif (name, word) in self._resolved:
                    yield Use(name, word, self._resolved[name, word], False)

    def uses_of(self, component: str) -> dict[str, Use]:
        """Its frames by argument."""
        return {use.word: use for use in self.uses() if use.component == component}

    def uses_on(self, body: str) -> list[Use]:
        return [use for use in self.uses() if use.place.body == body]

    def pose(self, body: str) -> Pose:
        if body == GROUND:
            return WORLD
        if body not in self.poses:
            raise UnknownName("body", body, [GROUND, *self.poses])
        return self.poses[body]

    def world(self, place: Place) -> Point:
        """Where a frame is."""
        return self.pose(place.body).out(place.x, place.y)

    def pins_on(self, body: str) -> list[Point]:
        """Where links are joined to a body, or end, in its axes."""
        return [(u.place.x, u.place.y) for u in self.uses_on(body) if self.type_of(u.component) in (*PINS, *JOINTS)]

    def figure(self, body: str) -> Figure | None:
        """Mass of the bars that are drawn of a body, its centre in the body's axes; None: it is a point."""
        return bars(self.pins_on(body))

    def at(self, name: str) -> Point:
        """Where a pin or joint is."""
        uses = self.uses_of(name)
        for word in ("second", "first", "marker"):
            if word in uses:
                return self.world(uses[word].place)
        raise ModelError("has no place in the drawing.", component=name, remedy="Choose a pin or a joint.")

    def size(self) -> float:
        """Of everything that is drawn [m]; 1 where there is nothing."""
        places = [self.world(use.place) for use in self.uses()]
        return max((distance(places[0], p) for p in places), default=0.0) or 1.0 if places else 1.0

    # Writing ---------------------------------------------------------------------------------------------------------

    def letter(self) -> str:
        """The next free name of a pin: A … Z, A2, B2 …"""
        taken = self._taken()
        names = (f"{c}{k if k > 1 else ''}" for k in count(1) for c in ascii_uppercase)
        return next(name for name in names if name not in taken)

    def numbered(self, word: str) -> str:
        """link1, link2 …"""
        taken = self._taken()
        return next(name for k in count(1) if (name := f"{word}{k}") not in taken)

    def _taken(self) -> set[str]:
        sections = ("component", "parameter", "input", "table", "submodel")
        return {name for section in sections for name in self.data.get(section, {})} | {GROUND}

    def add_body(self, name: str, figure: Figure, pose: Pose) -> None:
        self.components[name] = {"type": "body", "mass": figure.mass, "inertia": figure.inertia}
        self.place_body(name, pose)

    def place_body(self, name: str, pose: Pose) -> None:
        """Where it starts; speeds that were given stay."""
        part, self.poses[name] = self.components[name], pose
        known = {word: x for word, x in part.get("start", {}).items() if word in ("velocity", "spin")}
        angle = {"angle": pose.angle} if pose.angle else {}
        part["start"] = Inline({"position": [pose.x, pose.y], **angle, **known})

    def add(self, name: str, kind: str, **arguments: object) -> None:
        """A component at the end of the file, where all that it speaks of is known."""
        told = {word: x.text() if isinstance(x, Place) else x for word, x in arguments.items()}
        self.components[name] = {"type": kind} | told

    def move_use(self, use: Use, place: Place) -> None:
        if not use.plain:
            raise ModelError(
                f"its place on {use.place.body} is an expression: {self.components[use.component].get(use.word)!r}.",
                component=use.component,
                remedy="Change the parameters in it, or write plain numbers.",
            )
        self.components[use.component][use.word] = place.text()

    # Mass that follows the drawing -----------------------------------------------------------------------------------

    def _is_drawn(self, body: str) -> bool:
        part = self.components.get(body, {})
        uses = self.uses_on(body)
        figure = bars([(u.place.x, u.place.y) for u in uses if self.type_of(u.component) in (*PINS, *JOINTS)])
        if figure is None or part.get("type") != "body" or not all(use.plain for use in uses):
            return False
        centred = distance(figure.centre, (0.0, 0.0)) <= COINCIDENT * figure.mass
        return centred and figure.describes(part.get("mass"), part.get("inertia"))

    def reshape(self, lengths: Mapping[str, float]) -> dict[str, float]:
        """Mass, inertia and mass centre of every drawn body anew; returns how far the axes of each were turned [rad].

        lengths: of bars whose length was given [m]: they have it to the last digit.
        """
        return {body: self._reshaped(body, lengths.get(body)) for body in list(self.poses) if body in self.drawn}

    def _reshaped(self, body: str, length: float | None) -> float:
        figure, part = self.figure(body), self.components[body]
        if figure is None:
            return 0.0
        corners = outline(self.pins_on(body))
        turn = 0.0
        if len(corners) == 2:
            low, high = sorted(corners)
            turn = tidy(direction(low, high), 1.0)
        if not turn and figure.describes(part["mass"], part["inertia"]) and figure.centre == (0.0, 0.0):
            return 0.0
        old = self.pose(body)
        uses = self.uses_on(body)
        new = Pose(*old.out(*figure.centre), old.angle + turn)
        local = Pose(*figure.centre, turn)
        places = [local.into(use.place.x, use.place.y) for use in uses]
        ends = [local.into(*corner) for corner in corners]
        length = distance(*corners[:2]) if length is None else length
        for use, (x, y) in zip(uses, straightened(places, ends, length), strict=True):
            self.move_use(use, replace(use.place, x=x, y=y))
        part["mass"], part["inertia"] = figure.mass, figure.inertia
        self.place_body(body, new)
        return turn


def _is_body(part: Data) -> bool:
    return "mass" in part or "density" in part


def _stated(part: Data) -> Pose:
    """Where a file says that a body starts, as far as it says so in numbers."""
    start = part.get("start", {})
    position = start.get("position", (0.0, 0.0))
    x, y = (float(v) if isinstance(v, int | float) else 0.0 for v in (*position, 0.0, 0.0)[:2])
    turned = start.get("angle", start.get("rotation", 0.0))
    try:
        angle = float(turned)
    except (TypeError, ValueError):
        angle = 0.0
    return Pose(x, y, angle)
