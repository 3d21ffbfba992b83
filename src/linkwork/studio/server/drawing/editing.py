"""Changes of what is drawn: pins that move, lengths that are typed, parts that are taken away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from types import MappingProxyType

from linkwork.core.errors import ModelError, UnknownName
from linkwork.studio.server.drawing.figure import Point
from linkwork.studio.server.drawing.frames import Place, distance
from linkwork.studio.server.drawing.sketch import COINCIDENT, GROUND, JOINTS, Sketch, Use
from linkwork.studio.server.references import speaks_of


def move_pin(sketch: Sketch, pin: str, to: Point) -> None:
    """A pin to another place [m]: every link that ends there is longer or shorter; all other pins stay."""
    if not all(map(isfinite, to)):
        raise ModelError("goes nowhere.", component=pin, remedy="Give finite x and y in metres.")
    here, size = sketch.at(pin), sketch.size()
    shift = to[0] - here[0], to[1] - here[1]
    springs = _relaxed(sketch)
    met = [use for use in sketch.uses() if distance(sketch.world(use.place), here) <= COINCIDENT * size]
    carried = {body for body in {use.place.body for use in met} if _is_one_place(sketch, body)}
    rails = [use for use in sketch.uses() if use.word == "first" and _carries(sketch, use.component, carried)]
    for use in {*met, *rails}:
        if use.place.body not in carried:
            world = sketch.world(use.place)
            x, y = sketch.pose(use.place.body).into(world[0] + shift[0], world[1] + shift[1])
            sketch.move_use(use, replace(use.place, x=x, y=y))
    for body in carried:
        pose = sketch.pose(body)
        sketch.place_body(body, replace(pose, x=pose.x + shift[0], y=pose.y + shift[1]))
    settle(sketch, springs)


def _is_one_place(sketch: Sketch, body: str) -> bool:
    """Blocks and wheels: all frames on them are in one place, so that they move as a whole."""
    places = [(use.place.x, use.place.y) for use in sketch.uses_on(body)]
    size = sketch.size()
    return (
        body != GROUND and body not in sketch.drawn and all(distance(places[0], p) <= COINCIDENT * size for p in places)
    )


def _carries(sketch: Sketch, joint: str, bodies: set[str]) -> bool:
    """Whether a joint is the rail of one of these."""
    uses = sketch.uses_of(joint)
    return sketch.type_of(joint) == "prismatic" and "second" in uses and uses["second"].place.body in bodies


def resize(sketch: Sketch, body: str, pins: Sequence[str], length: float) -> None:
    """The distance between two pins of one body [m]: the second moves on this body only, so that all others keep their
    sizes; how the mechanism then closes is up to assembly."""
    if not (isfinite(length) and length > 0):
        raise ModelError(f"a length of {length:g} m.", component=body, remedy="Give a positive number of metres.")
    springs = _relaxed(sketch)
    first, second = (_on(sketch, body, pin) for pin in pins)
    a, b = (first.place.x, first.place.y), (second.place.x, second.place.y)
    now = distance(a, b)
    if not now:
        raise ModelError("these two pins are in one place.", component=body, remedy="Choose two others.")
    to = a[0] + (b[0] - a[0]) * length / now, a[1] + (b[1] - a[1]) * length / now
    for use in sketch.uses_on(body):
        if distance((use.place.x, use.place.y), b) <= COINCIDENT * now:
            sketch.move_use(use, replace(use.place, x=to[0], y=to[1]))
    settle(sketch, springs, {body: length})


def _on(sketch: Sketch, body: str, pin: str) -> Use:
    for use in sketch.uses_of(pin).values():
        if use.place.body == body:
            return use
    raise UnknownName("pin", pin, {use.component for use in sketch.uses_on(body)}, component=body)


def settle(sketch: Sketch, relaxed: Sequence[str] = (), lengths: Mapping[str, float] = MappingProxyType({})) -> None:
    """What follows from a drawing that has changed: masses, phases of gears, start angles, lengths of springs that were
    unstretched. lengths: of bars, where they were given."""
    turned = sketch.reshape(lengths)
    for name, part in sketch.components.items():
        if part.get("type") == "gear" and isinstance(part.get("ratio"), int | float):
            driver, driven = (_turned(sketch, part.get(word), turned) for word in ("driver", "driven"))
            change = driven - float(part["ratio"]) * driver
            if change and isinstance(part.get("phase", 0.0), int | float):
                part["phase"] = float(part.get("phase", 0.0)) + change
        start = part.get("free", {}).get("angle", {})
        if isinstance(start.get("start"), int | float):
            start["start"] += _turned(sketch, f"{name}.angle", turned)
    for name in relaxed:
        part = sketch.components[name]
        part["length"] = distance(*(sketch.world(use.place) for use in sketch.uses_of(name).values()))


def _turned(sketch: Sketch, coordinate: object, turned: dict[str, float]) -> float:
    """By how much the angle of a pin has changed with the axes of its bodies [rad]."""
    name = str(coordinate).removesuffix(".angle").strip("`")
    uses = sketch.uses_of(name)
    if "first" not in uses or "second" not in uses:
        return 0.0
    return turned.get(uses["second"].place.body, 0.0) - turned.get(uses["first"].place.body, 0.0)


def _relaxed(sketch: Sketch) -> list[str]:
    """Springs that are as long as they are drawn."""
    springs = []
    for name, part in sketch.components.items():
        uses, length = sketch.uses_of(name), part.get("length")
        if part.get("type") == "spring" and len(uses) == 2 and isinstance(length, int | float):
            drawn = distance(*(sketch.world(use.place) for use in uses.values()))
            if abs(drawn - length) <= COINCIDENT * drawn:
                springs.append(name)
    return springs


def erase(sketch: Sketch, names: Sequence[str]) -> list[str]:
    """Take parts away. Where a link was pinned to another one, that keeps a pin; what else spoke of them goes too."""
    for name in names:
        sketch.type_of(name)
    gone = set(names)
    for body in names:
        for use in sketch.uses_on(body) if body in sketch.poses else ():
            _left(sketch, use, gone)
    for name in names:
        if name in sketch.components and sketch.type_of(name) == "revolute":
            _parted(sketch, name, gone)
        else:
            sketch.components.pop(name, None)
    while True:
        lost = [n for n, part in sketch.components.items() if n != GROUND and speaks_of(part, gone)]
        if not lost:
            break
        for name in lost:
            del sketch.components[name]
        gone |= set(lost)
    for name in gone:
        sketch.components.pop(name, None)
        sketch.poses.pop(name, None)
    settle(sketch)
    return sorted(gone)


def _left(sketch: Sketch, use: Use, gone: set[str]) -> None:
    """What is left of a joint when one of its bodies goes: a pin on the other."""
    name = use.component
    if name in gone or name not in sketch.components or sketch.type_of(name) not in JOINTS:
        return
    others = [u.place for u in sketch.uses_of(name).values() if u.place.body not in gone]
    pinned = sketch.type_of(name) == "revolute"
    gone |= _speaking(sketch, name)
    del sketch.components[name]
    if pinned and others and not _held(sketch, others[0]):
        sketch.add(name, "point", marker=replace(others[0], rotation=0.0))


def _speaking(sketch: Sketch, joint: str) -> set[str]:
    """What cannot be without a joint: gears, laws elsewhere."""
    return {name for name, part in sketch.components.items() if name != joint and speaks_of(part, {joint})}


def _parted(sketch: Sketch, joint: str, gone: set[str]) -> None:
    """A pin that is taken out leaves an end on each of its bodies that no other pin holds there."""
    places = [use.place for use in sketch.uses_of(joint).values()]
    gone |= _speaking(sketch, joint)
    del sketch.components[joint]
    for place in places:
        if place.body not in gone and not _held(sketch, place):
            name = joint if joint not in sketch.components else sketch.letter()
            gone.discard(joint)
            sketch.add(name, "point", marker=replace(place, rotation=0.0))


def _held(sketch: Sketch, place: Place) -> bool:
    size = sketch.size()
    return any(
        distance((use.place.x, use.place.y), (place.x, place.y)) <= COINCIDENT * size
        for use in sketch.uses_on(place.body)
    )
