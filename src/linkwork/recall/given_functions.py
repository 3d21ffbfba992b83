"""Functions that a model was given: what tells one from all others.

A function of this package is its text, which the package's own files tell, and what it has closed over. One of the
user's may depend on anything. Where a class calls it with numbers alone, it is called here with symbols, as
formulations do: whatever it depends on, the expression that it gives is what enters the equations. Elsewhere nothing
is known of it.
"""

from __future__ import annotations

import inspect
import marshal
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any

from linkwork.components.coordinate import Coordinate
from linkwork.components.wiring.wired import Wired
from linkwork.geometry import SX
from linkwork.recall.classes import PLAIN, NoKey, is_own, is_own_text

TIMED = ("t",)
MOVING = ("t", "x", "v")
"""Numbers."""
SEEING = ("t", "a", "b")
"""A number and frames."""

NAMED: dict[tuple[str, str], Callable[[Any], tuple[str, ...]]] = {
    ("laws.Effort", "value"): lambda law: MOVING,
    ("laws.Motion", "_function"): lambda law: MOVING if law.level == "acceleration" else TIMED,
    ("forces.Force", "vector"): lambda force: SEEING,
    ("forces.Torque", "vector"): lambda torque: SEEING,
}
"""(class, attribute) → by which names it is called, where it has them: those, and no others, whatever its defaults."""
PLACED: dict[tuple[str, str], tuple[int, ...]] = {
    ("contacts.outlines.Terrain", "height"): (1, 2),
    ("contacts.tyres.Tyre", "height"): (1, 2),
    ("shapes.Terrain", "height"): (1, 2),
    ("curve_joints.PointOnCurve", "height"): (1,),
    ("curve_joints.PointOnCam", "radius"): (1,),
    ("curve_joints.PointOnCam", "_pitch"): (1,),
    ("contacts.cam.Cam", "radius"): (1,),
    ("contacts.cam.Cam", "_pitch"): (1,),
}
"""(class, attribute) → how many numbers it may be called with."""
COUNTED: dict[tuple[str, str], Callable[[Any], int]] = {
    ("relations.Relation", "equation"): lambda owner: len(owner.coordinates),
    ("relations.Dependence", "given"): lambda owner: len(owner.on),
    ("control.sampled.Sampled", "law"): lambda owner: len(owner.labels) + len(owner.memory),
    ("events.Event", "function"): lambda owner: _all_coordinates(owner.things),
}
"""(class, attribute) → with how many numbers it is called."""


def traced(function: Callable[..., Any], owner: object, word: str, t: SX) -> object:
    """What a function that is kept as this attribute gives; raises NoKey where it is called with other things."""
    kind = type(owner)
    key = f"{kind.__module__}.{kind.__qualname__}".removeprefix("linkwork.components."), word
    if isinstance(owner, Wired) and word == "given":  # where components with ports keep functions of time
        return _given(function, [t], {})
    if key in NAMED:
        names, wanted = NAMED[key](owner), _signature(function)
        if any(n not in MOVING if n in names else p.default is p.empty for n, p in wanted.items()):
            raise NoKey(str(key))
        return _given(function, [], {n: t if n == "t" else symbol(n) for n in names if n in wanted})
    if key in PLACED:
        wanted = _signature(function)
        needed = sum(p.default is p.empty for p in wanted.values())
        counts = [count for count in PLACED[key] if needed <= count <= len(wanted)]
        return [_given(function, [symbol(f"place {k}") for k in range(count)], {}) for count in counts or PLACED[key]]
    if key in COUNTED:
        return _given(function, [symbol(f"number {k}") for k in range(COUNTED[key](owner))], {})
    raise NoKey(str(key))


def _all_coordinates(things: Sequence[object]) -> int:
    if not all(isinstance(x, Coordinate) for x in things):
        raise NoKey("a function of frames")
    return len(things)


def text_of(function: FunctionType) -> list[object] | None:
    """What tells a function of this package, beside what it has closed over; None: it is not one."""
    if not is_own_text(function) or (function.__module__ or "").partition(".")[0] != "linkwork":
        return None
    if is_own(function):
        return [function.__module__, function.__qualname__]
    code, world = function.__code__, function.__globals__
    plain = [(n, world[n]) for n in code.co_names if type(world.get(n)) in PLAIN and n in world]
    return [function.__module__, function.__qualname__, marshal.dumps(code, 2), plain]


@cache
def symbol(name: str) -> SX:
    """Stands for an argument."""
    return SX.sym(name)


def _signature(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        wanted = dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        raise NoKey(repr(function)) from None
    if any(p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in wanted.values()):
        raise NoKey(repr(function))
    return wanted


def _given(function: Callable[..., Any], places: list[SX], names: dict[str, SX]) -> object:
    try:
        return function(*places, **names)
    except Exception as error:  # whoever derives will say what is wrong with it
        raise NoKey(repr(function)) from error
