"""What a reader of the numbers needs to know of the mechanism, as plain data; and what made them."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Solid
from linkwork.components.joint import Joint
from linkwork.core.component import Component, Marker
from linkwork.core.plain_data import Record
from linkwork.core.program import Channel
from linkwork.core.result import Later, Shared, plain
from linkwork.geometry import SX
from linkwork.simulation.description.form import Filled, Form, form_of
from linkwork.simulation.description.numbers import NumbersInTurn
from linkwork.simulation.description.parts import describe_part, flanges_of, kinds_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

Reach = tuple[tuple[float, float], tuple[float, float]]
"""Between which x and between which y [m] everything moved."""


def describe(model: Model, p: np.ndarray, reach: Callable[[], Reach | None] | None = None) -> Record:
    """Bodies with their shapes, joints and all other parts with their frames (body axes, numbers at the parameters p),
    in plain data that the next description may share.

    reach: how far uneven ground is worth describing; None: not at all.
    """
    return _described(model, NumbersInTurn(model, p, _word(model, ground=reach is not None)), reach)


def _described(model: Model, number: NumbersInTurn, reach: Callable[[], Reach | None] | None) -> Record:

    def side(marker: Marker) -> Record:
        local = marker.local
        return {
            "body": marker.body.name,
            "rotation": number(local.R).tolist(),
            "point": number(local.p).ravel().tolist(),
        }

    def joint(j: Joint) -> Record:
        laws = {c.label: [type(law).__name__ for law in c.laws] for c in j.coordinates if c.laws}
        return {
            "kind": type(j).__name__,
            "kinds": kinds_of(j),
            "dimension": model.dimension,
            "first": side(j.first),
            "second": side(j.second),
        } | ({"laws": laws} if laws else {})

    def solid(b: Solid) -> Record:
        known: Record = {"shapes": [s.data(number) for s in b.shapes]}
        if isinstance(b, Body):
            inertia = number(SX(b.inertia) if isinstance(b.inertia, SX) else SX(ca.DM(np.asarray(b.inertia, float))))
            known |= {"mass": float(number(SX(b.mass)).item()), "inertia": inertia.squeeze().tolist()}
        return known

    sampled: set[Hashable] = set()
    """Ground that is told already: the wheels of a car share theirs."""
    flanges = flanges_of(model)
    others = [c for c in model.components.values() if not isinstance(c, Solid | Joint)]

    def part(c: Component) -> Record | None:
        return describe_part(c, side, number, reach, model.is_planar, sampled, flanges.get(c.name, {}))

    parts = {c.name: plain(part(c)) for c in others}
    description: Record = {
        "ground": model.ground.name,
        "dimension": model.dimension,
        "gravity": number.part(lambda: [float(number(SX(g)).item()) for g in model.gravity]),
        "bodies": {b.name: number.part(lambda b=b: plain(solid(b))) for b in model.of_type(Solid)},  # type: ignore[misc]
        "joints": {j.name: number.part(lambda j=j: plain(joint(j))) for j in model.of_type(Joint)},  # type: ignore[misc]
        "parts": {name: part for name, part in parts.items() if part is not None},
    }
    number.keep()
    return description


def described(model: Model, p: np.ndarray, channels: Sequence[Channel], data: np.ndarray) -> Record | Later:
    """The description of a run with these channels; kept for the next run with the same numbers, and from the second
    description on as a form that is filled in where somebody asks for it."""
    word = _word(model, ground=True)
    numbers = NumbersInTurn(model, p, word)
    last, known = model.memory.get("described", (None, None))
    if numbers.known and known is not None and last == numbers.key:
        return known
    form: Form | None = model.memory.get(("form", word))
    if form is not None:
        kept: Later = Filled(form, numbers.column)
        model.memory["described"] = numbers.key, kept
        return kept

    def reach() -> Reach | None:
        return reach_of([c.name for c in channels], data)

    description = _described(model, numbers, reach)
    if any("heights" in part for part in description["parts"].values()):
        return description  # of the ground over which it went
    if numbers.known and ("form", word) not in model.memory:  # others will follow
        model.memory["form", word] = form_of(
            lambda column: _described(model, NumbersInTurn(model, p, word, column), reach), numbers.column
        )
    shared = Shared(description)
    model.memory["described"] = NumbersInTurn(model, p, word).key, shared
    return shared


def _word(model: Model, *, ground: bool) -> Hashable:
    """Under which its numbers are kept."""
    return "description with ground" if ground else "description", _shapes(model)


def _shapes(model: Model) -> int:
    """How many there are: they can be added at any time, and nothing else changes with them."""
    return sum(len(b.shapes) for b in model.of_type(Solid))


def reach_of(names: list[str], data: np.ndarray) -> Reach | None:
    """Between which x and y the bodies' mass centres are; names: of the columns of `data`."""
    spans = []
    for axis in "xy":
        columns = [i for i, name in enumerate(names) if name.endswith(f".{axis}") and name.count(".") == 1]
        values = data[:, columns]
        values = values[np.isfinite(values)]
        if not values.size:
            return None
        spans.append((float(values.min()), float(values.max())))
    return spans[0], spans[1]


@cache
def _versions() -> dict[str, str]:
    packages = {name: sys.modules.get(name) for name in ("linkwork", "casadi", "llvmlite", "numpy")}
    told = {name: str(getattr(package, "__version__", "source")) for name, package in packages.items()}
    return {"python": platform.python_version(), **told}


def versions() -> dict[str, str]:
    return dict(_versions())
