"""What is drawn, turned into bodies, joints and forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10

from linkwork.core.errors import ModelError
from linkwork.core.plain_data import Data
from linkwork.files.language.writing import number
from linkwork.files.models.names import said
from linkwork.studio.server.drawing.figure import (
    Figure,
    Point,
    bars,
    block,
    outline,
    straightened,
    wheel,
)
from linkwork.studio.server.drawing.frames import Place, Pose, direction, distance
from linkwork.studio.server.drawing.sketch import COINCIDENT, GROUND, PINS, Sketch

STIFFNESS, DAMPING = 200.0, 5.0
"""Of a spring [N/m] and a damper [N·s/m] unless told."""
ROTARY_DAMPING = 0.1
"""Of a damper in a pin [N·m·s/rad] unless told."""
TORQUE, SPEED = 1.0, 2.0
"""Of a motor [N·m or N], [rad/s or m/s]."""
ROUND = 1e-13
"""Of the size of a drawing: places are not told more closely."""


@dataclass(frozen=True)
class End:
    """Where somebody has clicked [m], and what was there: a pin or joint, a body, or nothing."""

    at: Point
    pin: str | None = None
    body: str | None = None


def end_of(sketch: Sketch, given: Data) -> End:
    """What a click on the page says: {x, y, pin?, body?}."""
    pin, body = given.get("pin"), given.get("body")
    if isinstance(pin, str):
        x, y = sketch.at(pin)
        step = ROUND * sketch.size()
        return End((_rounded(x, step), _rounded(y, step)), pin)
    try:
        x, y = float(given["x"]), float(given["y"])
    except (KeyError, TypeError, ValueError):
        raise ModelError("a place without x and y.", remedy="Give both, in metres.") from None
    if not (isfinite(x) and isfinite(y)):
        raise ModelError("a place that is not finite.", remedy="Give x and y in metres.")
    if isinstance(body, str) and body != GROUND:
        sketch.pose(body)
        return End((x, y), None, body)
    return End((x, y), _pin_at(sketch, (x, y)))


def _rounded(value: float, step: float) -> float:
    """Without the last digits, which are those of the way there and back: 0.1 instead of 0.09999999999999998."""
    digits = max(0, -floor(log10(step)))
    return round(value, digits)


def _pin_at(sketch: Sketch, at: Point) -> str | None:
    """The pin that is in a place, one that joins two bodies before one that waits."""
    near = COINCIDENT * sketch.size()
    there = [use.component for use in sketch.uses() if distance(sketch.world(use.place), at) <= near]
    by_kind = {sketch.type_of(name): name for name in reversed(there) if sketch.type_of(name) in PINS}
    return by_kind.get("revolute", by_kind.get("point"))


def add_link(sketch: Sketch, ends: Sequence[End]) -> list[str]:
    """A bar through two points, or a frame of bars through more. Where an end meets something it is pinned to it."""
    size = max(distance(ends[0].at, end.at) for end in ends)
    ends = [e for k, e in enumerate(ends) if all(distance(e.at, f.at) > COINCIDENT * size for f in ends[:k])]
    points = [end.at for end in ends]
    figure = bars(points)
    if figure is None:
        raise ModelError("a link of no length.", remedy="Click two different places.")
    name = sketch.numbered("link")
    sketch.add_body(name, figure, Pose(*figure.centre, direction(points[0], points[1])))
    sketch.drawn.add(name)
    own = [sketch.pose(name).into(*p) for p in points]
    own = straightened(own, outline(own), distance(*outline(points)[:2]))
    return [name, *(attach(sketch, name, end, at) for end, at in zip(ends, own, strict=True))]


def attach(sketch: Sketch, body: str, end: End, at: Point | None = None) -> str:
    """Pin a body to what is at an end; an end that is free becomes a point that waits for another link.

    at: where that is in the body's axes.
    """
    own = Place(body, *(sketch.pose(body).into(*end.at) if at is None else at))
    if end.pin is None and end.body is None:
        name = sketch.letter()
        sketch.add(name, "point", marker=own)
        return name
    if end.body is not None:
        name = sketch.letter()
        sketch.add(name, "revolute", first=Place(end.body, *sketch.pose(end.body).into(*end.at)), second=own)
        return name
    assert end.pin is not None
    other = base_of(sketch, end.pin)
    if other.body == body:
        raise ModelError("is pinned to itself.", component=body, remedy="Choose a pin of another link.")
    name = end.pin
    if sketch.type_of(name) == "point":
        del sketch.components[name]
    else:
        name = sketch.letter()
    sketch.add(name, "revolute", first=other, second=own)
    return name


def base_of(sketch: Sketch, pin: str) -> Place:
    """The frame that others are pinned to where a pin is: of its first body, of the block of a slider."""
    uses = sketch.uses_of(pin)
    word = "second" if sketch.type_of(pin) == "prismatic" else "marker" if "marker" in uses else "first"
    if word not in uses:
        raise ModelError("has no frame that can be drawn on.", component=pin, remedy="Choose another pin.")
    return uses[word].place


def add_pivot(sketch: Sketch, end: End) -> list[str]:
    """A pivot on the ground; what is there already is pinned to the ground."""
    own = Place(GROUND, *end.at)
    if end.pin is None and end.body is None:
        name = sketch.letter()
        sketch.add(name, "point", marker=own)
        return [name]
    if end.pin is not None:
        if GROUND in {use.place.body for use in sketch.uses_of(end.pin).values()}:
            raise ModelError("is a pivot on the ground already.", component=end.pin)
        other, name = base_of(sketch, end.pin), end.pin
        if sketch.type_of(name) == "point":
            del sketch.components[name]
        else:
            name = sketch.letter()
    else:
        assert end.body is not None
        other, name = Place(end.body, *sketch.pose(end.body).into(*end.at)), sketch.letter()
    sketch.add(name, "revolute", first=own, second=other)
    return [name]


def add_slider(sketch: Sketch, end: End, angle: float) -> list[str]:
    """A block on a rail through the end, at an angle [rad] to x: on the ground, or on the body that the end is on."""
    name = sketch.numbered("block")
    pinned = None if end.pin is None else base_of(sketch, end.pin)
    if pinned is not None and pinned.body == GROUND and sketch.type_of(str(end.pin)) == "point":
        del sketch.components[str(end.pin)]
        end, pinned = End(end.at), None
    base = GROUND if end.body is None else end.body
    pose = sketch.pose(base)
    sketch.add_body(name, block(), Pose(*end.at, angle))
    rail = sketch.letter()
    sketch.add(
        rail, "prismatic", first=Place(base, *pose.into(*end.at), angle - pose.angle), second=Place(name, 0.0, 0.0)
    )
    return [name, rail, attach(sketch, name, End(end.at, None if pinned is None else end.pin))]


def add_spring(
    sketch: Sketch, ends: Sequence[End], *, stiffness: float | None = None, damping: float | None = None
) -> list[str]:
    """A spring, or a damper where only a damping is given, between two places; unstretched as it is drawn."""
    a, b = ends
    length = _rounded(distance(a.at, b.at), ROUND * sketch.size())
    if not length:
        raise ModelError("a spring of no length.", remedy="Click two different places.")
    frames = dict(zip("ab", _frames(sketch, a, b), strict=True))
    if damping is not None and stiffness is None:
        name = sketch.numbered("damper")
        sketch.add(name, "spring", **frames, damping=damping)
        return [name]
    name = sketch.numbered("spring")
    given = {} if damping is None else {"damping": damping}
    sketch.add(
        name, "spring", **frames, stiffness=STIFFNESS if stiffness is None else stiffness, length=length, **given
    )
    return [name]


def _frames(sketch: Sketch, a: End, b: End) -> tuple[Place, Place]:
    """What a spring holds on to at its ends, on two bodies; the ground, where there is nothing."""
    pairs = [(one, other) for one in _there(sketch, a) for other in _there(sketch, b) if one.body != other.body]
    if not pairs:
        raise ModelError(
            "both ends of a spring are on one body.",
            component=_there(sketch, a)[0].body,
            remedy="Choose a place on another link, or on the ground.",
        )
    return pairs[0]


def _there(sketch: Sketch, end: End) -> list[Place]:
    """Frames of all bodies that meet there."""
    if end.pin is not None:
        return [base_of(sketch, end.pin), *(use.place for use in sketch.uses_of(end.pin).values())]
    body = end.body or GROUND
    return [Place(body, *sketch.pose(body).into(*end.at))]


def add_motor(sketch: Sketch, joint: str, *, torque: float | None = None, speed: float | None = None) -> list[str]:
    """A motor on a pin or slide: a given torque (force), or a given speed. It takes the place of one that is there."""
    kind = sketch.type_of(joint)
    labels = {"revolute": "angle", "prismatic": "slide"}
    if kind not in labels:
        raise ModelError(
            "nothing turns there.",
            component=joint,
            remedy="Draw a link to it first: a motor turns one body against another.",
        )
    law = f"Effort({number(TORQUE if torque is None else torque)})"
    if speed is not None:
        law = f"Motion(speed={number(speed)})"
    free = sketch.components[joint].setdefault("free", {}).setdefault(labels[kind], {})
    kept = [text for text in free.get("laws", []) if not str(text).startswith(("Effort(", "Motion("))]
    free["laws"] = [*kept, law]
    return [joint]


def add_rotary_damper(sketch: Sketch, joint: str, damping: float | None = None) -> list[str]:
    """A damper in a pin [N·m·s/rad]: it brakes one body against the other. It takes the place of one that is there."""
    if sketch.type_of(joint) != "revolute":
        raise ModelError(
            "nothing turns there.",
            component=joint,
            remedy="Draw a link to it first: a rotary damper brakes one body against another.",
        )
    free = sketch.components[joint].setdefault("free", {}).setdefault("angle", {})
    kept = [text for text in free.get("laws", []) if not str(text).startswith("Damper(")]
    free["laws"] = [*kept, f"Damper({number(ROTARY_DAMPING if damping is None else damping)})"]
    return [joint]


def add_gear(sketch: Sketch, pins: Sequence[str], ratio: float | None = None) -> list[str]:
    """Two wheels in mesh; ratio: turns of the second per turn of the first, −r₁/r₂. A pivot without a link gets one."""
    ratio = -1.0 if ratio is None else ratio
    if not isfinite(ratio) or not ratio or len(set(pins)) < 2:
        raise ModelError("a gear needs two pivots and a ratio.", remedy="Choose two pivots, and a ratio such as −0.5.")
    first, second = pins
    apart = distance(sketch.at(first), sketch.at(second))
    if apart <= COINCIDENT * sketch.size():
        raise ModelError(f"is where {second} is.", component=first, remedy="Choose two pivots in different places.")
    radii = apart * abs(ratio) / (1 + abs(ratio)), apart / (1 + abs(ratio))
    made = [*_wheel(sketch, first, radii[0]), *_wheel(sketch, second, radii[1])]
    values = [_angle(sketch, pin) for pin in pins]
    name = sketch.numbered("gear")
    phase = values[1] - ratio * values[0]
    driver, driven = (f"{said(pin)}.angle" for pin in pins)
    sketch.add(name, "gear", driver=driver, driven=driven, ratio=ratio, **({"phase": phase} if phase else {}))
    return [name, *made]


def _wheel(sketch: Sketch, pin: str, radius: float) -> list[str]:
    """A wheel on a pivot that has no link; it is drawn with its teeth wherever there is a gear."""
    if sketch.type_of(pin) == "revolute":
        return []
    if sketch.type_of(pin) != "point":
        raise ModelError("carries no wheel.", component=pin, remedy="Choose a pin.")
    at, name = sketch.at(pin), sketch.numbered("wheel")
    figure: Figure = wheel(radius)
    sketch.add_body(name, figure, Pose(*at, 0.0))
    return [name, attach(sketch, name, End(at, pin))]


def _angle(sketch: Sketch, joint: str) -> float:
    """Of a pin as it is drawn [rad]."""
    uses = sketch.uses_of(joint)
    first, second = (uses[word].place for word in ("first", "second"))
    turned = [0.0 if p.body == GROUND else sketch.pose(p.body).angle for p in (first, second)]
    return turned[1] + second.rotation - turned[0] - first.rotation


def add_point(sketch: Sketch, end: End) -> list[str]:
    """A point to trace: of the body that the end is on, or of the second body of a pin."""
    if end.pin is not None:
        uses = sketch.uses_of(end.pin)
        place = uses["second"].place if "second" in uses else base_of(sketch, end.pin)
    elif end.body is not None:
        place = Place(end.body, *sketch.pose(end.body).into(*end.at))
    else:
        raise ModelError(
            "there is no body to trace.", remedy="Click a link, or a point beside the one you have chosen."
        )
    name = sketch.numbered("point")
    sketch.add(name, "point", marker=place)
    return [name]
