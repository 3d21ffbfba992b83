"""Draw planar mechanisms: what is drawn becomes components of the document, one step of undo each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.plain_data import Data, Record
from linkwork.core.result import Result
from linkwork.files.models.loading import loads
from linkwork.studio.server.document import text_of
from linkwork.studio.server.drawing.adding import (
    DAMPING,
    End,
    add_gear,
    add_link,
    add_motor,
    add_pivot,
    add_point,
    add_rotary_damper,
    add_slider,
    add_spring,
    end_of,
)
from linkwork.studio.server.drawing.editing import erase as erased
from linkwork.studio.server.drawing.editing import move_pin as moved
from linkwork.studio.server.drawing.editing import resize as resized
from linkwork.studio.server.drawing.editing import settle
from linkwork.studio.server.drawing.frames import Place, Pose
from linkwork.studio.server.drawing.sketch import Sketch
from linkwork.studio.server.drawing.view import view_of
from linkwork.studio.server.mechanism import CALLED
from linkwork.studio.server.patching import edited
from linkwork.studio.server.session import Session
from linkwork.studio.server.typed import value_of

UNITS: dict[str, tuple[str, ...]] = {
    "angle": ("rad",),
    "stiffness": ("N/m",),
    "damping": ("N·s/m",),
    "rotary": ("N·m·s/rad", "N·m·s"),
    "torque": ("N·m",),
    "force": ("N",),
    "speed": ("rad/s", "m/s"),
    "ratio": ("",),
}
"""Of what is typed while drawing; any of them."""
Tool = Callable[[Sketch, list[End], dict[str, float]], list[str]]


def sketch(session: Session) -> Record:
    """The drawing: bodies, pins, slides, springs and gears with their places; null where the model is not planar."""
    if not session.state()["planar"]:
        return {"planar": False}
    return {"planar": True, **view_of(sketch_of(session))}


def draw(session: Session, tool: str, ends: list[dict[str, Any]], values: dict[str, Any] | None = None) -> Record:
    """Draw one thing with a tool: pivot, link, slider, spring, damper, rotary, motor, gear or point.

    ends: where, {x, y} [m] and what is there, {pin} or {body}; values: what was typed: angle (of a slider's rail),
    stiffness, damping, rotary (damping of a pin), torque, speed, ratio.
    """
    if tool not in TOOLS:
        raise UnknownName("tool", tool, TOOLS)
    made_on = sketch_of(session)
    given = {word: _typed(word, x) for word, x in (values or {}).items() if x is not None}
    places = [end_of(made_on, end) for end in ends]
    least, most = COUNTS[tool]
    if not least <= len(places) <= most:
        raise ModelError(f"a {tool} through {len(places)} places.", remedy=f"Click {least} of them.")
    made = TOOLS[tool](made_on, places, given)
    settle(made_on)
    return _changed(session, made_on) | {"made": made}


def move_pin(session: Session, pin: str, to: list[float]) -> Record:
    """A pin to another place [m]; the links that end there change their lengths, and their mass if it was drawn."""
    made_on = sketch_of(session)
    moved(made_on, pin, _two(to, pin))
    return _changed(session, made_on)


def resize(session: Session, body: str, pins: list[str], length: Any) -> Record:
    """The distance of two pins of a link, as typed. All other links keep their sizes; the mechanism closes anew."""
    if len(pins) != 2:
        raise ModelError("a length is between two pins.", component=body, remedy="Name two.")
    made_on = sketch_of(session)
    resized(made_on, body, pins, _number(value_of(length, "m"), "length"))
    _close(session, made_on)
    return _changed(session, made_on)


def erase(session: Session, names: list[str]) -> Record:
    """Take drawn things away; links that were pinned to them keep a pin there."""
    made_on = sketch_of(session)
    gone = erased(made_on, names)
    return _changed(session, made_on) | {"removed": gone}


def mobility(session: Session) -> Record:
    """Degrees of freedom, and equations that hold twice, by joint; null where it does not assemble."""
    check = session.mechanism.check or {}
    return {"mobility": check.get("mobility"), "redundant": check.get("redundant", [])}


# ---------------------------------------------------------------------- tools


def _spring(on: Sketch, ends: list[End], given: dict[str, float]) -> list[str]:
    return add_spring(on, ends, stiffness=given.get("stiffness"), damping=given.get("damping"))


def _damper(on: Sketch, ends: list[End], given: dict[str, float]) -> list[str]:
    return add_spring(on, ends, damping=given.get("damping", DAMPING))


def _motor(on: Sketch, ends: list[End], given: dict[str, float]) -> list[str]:
    return add_motor(on, _pin(ends[0]), torque=given.get("torque", given.get("force")), speed=given.get("speed"))


def _gear(on: Sketch, ends: list[End], given: dict[str, float]) -> list[str]:
    return add_gear(on, [_pin(end) for end in ends], given.get("ratio"))


TOOLS: dict[str, Tool] = {
    "pivot": lambda on, ends, given: add_pivot(on, ends[0]),
    "link": lambda on, ends, given: add_link(on, ends),
    "slider": lambda on, ends, given: add_slider(on, ends[0], given.get("angle", 0.0)),
    "spring": _spring,
    "damper": _damper,
    "rotary": lambda on, ends, given: add_rotary_damper(on, _pin(ends[0]), given.get("rotary")),
    "motor": _motor,
    "gear": _gear,
    "point": lambda on, ends, given: add_point(on, ends[0]),
}
COUNTS = {
    "pivot": (1, 1),
    "link": (2, 24),
    "slider": (1, 1),
    "spring": (2, 2),
    "damper": (2, 2),
    "rotary": (1, 1),
    "motor": (1, 1),
    "gear": (2, 2),
    "point": (1, 1),
}
"""How many places each tool takes."""


def _pin(end: End) -> str:
    if end.pin is None:
        raise ModelError("there is no pin.", remedy="Click a pivot or a pin between two links.")
    return end.pin


def _typed(word: str, given: Any) -> float:
    """A number as typed, in the unit of the drawing."""
    if word not in UNITS:
        raise UnknownName("value", word, UNITS)
    first, *others = UNITS[word]
    for unit in others:
        try:
            return _number(value_of(given, unit), word)
        except LinkworkError:
            continue
    return _number(value_of(given, first), word)


def _number(value: Any, word: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise ModelError(f"{word} {value!r} is no number.", remedy="Type a number, with a unit if you like: 20 mm.")
    return float(value)


def _two(given: list[float], name: str) -> tuple[float, float]:
    if len(given) != 2:
        raise ModelError("goes nowhere.", component=name, remedy="Give x and y in metres.")
    return _number(given[0], "x"), _number(given[1], "y")


# ---------------------------------------------------------------------- the document as a drawing


def sketch_of(session: Session) -> Sketch:
    """The document as it stands: bodies where they are at the start, frames that are expressions as numbers."""
    start = session.mechanism.start
    data = session.document.data()
    try:
        return Sketch(data, *(_placed(start) if start is not None else ({}, {})))
    except (AttributeError, TypeError, ValueError):  # tables that are none, numbers that are texts
        raise ModelError("the text says what cannot be drawn.", remedy="Correct it in the text, or undo.") from None


def _placed(start: Result) -> tuple[dict[str, Pose], dict[tuple[str, str], Place]]:
    told = start.description
    poses = {
        name: Pose(*(float(start[f"{name}.{word}"][0]) for word in ("x", "y", "angle")))
        for name in told.get("bodies", {})
        if f"{name}.angle" in start and f"{name}.x" in start
    }
    frames: list[tuple[str, str, Data]] = [
        (name, word, joint[word]) for name, joint in told.get("joints", {}).items() for word in ("first", "second")
    ]
    frames += [(n, word, side) for n, part in told.get("parts", {}).items() for word, side in part["frames"].items()]
    return poses, {(name, word): _place(side) for name, word, side in frames}


def _place(side: Data) -> Place:
    R = np.asarray(side["rotation"], dtype=float)
    x, y = side["point"][:2]
    return Place(str(side["body"]), float(x), float(y), float(np.arctan2(R[1, 0], R[0, 0])))


def _close(session: Session, made_on: Sketch) -> None:
    """Bodies where assembly puts them, so that what the file says is what is seen; errors are told before anything is
    changed."""
    model = loads(text_of(made_on.data), session.folder / CALLED)
    placement = model.assemble(parameters=session.parameters).placement
    for name in made_on.poses:
        if name in placement.angle:
            x, y = placement.position[name][:2]
            made_on.place_body(name, Pose(float(x), float(y), placement.angle[name]))


def _changed(session: Session, made_on: Sketch) -> Record:
    session.document.change(edited(session.document.text, made_on.data))
    return session.changed()
