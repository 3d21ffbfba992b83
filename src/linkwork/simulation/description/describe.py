"""What a reader of the numbers needs to know of the mechanism, as plain data; and what made them."""

from __future__ import annotations

import platform
from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Solid
from linkwork.components.joint import Joint
from linkwork.core.component import Marker
from linkwork.core.plain_data import Record
from linkwork.core.result import Shared, plain
from linkwork.geometry import SX
from linkwork.simulation.description.numbers import NumbersInTurn
from linkwork.simulation.description.parts import describe_part, flanges_of, kinds_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

Reach = tuple[tuple[float, float], tuple[float, float]]
"""Between which x and between which y [m] everything moved."""


def describe(model: Model, p: np.ndarray, reach: Reach | None = None) -> Record:
    """Bodies with their shapes, joints and all other parts with their frames (body axes, numbers at the parameters p).

    reach: how far uneven ground is worth describing; None: not at all.
    """
    number = NumbersInTurn(model, p, "description" if reach is None else "description with ground")

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
    parts = {
        c.name: describe_part(c, side, number, reach, model.is_planar, sampled, flanges.get(c.name, {})) for c in others
    }
    found: Record = {
        "ground": model.ground.name,
        "dimension": model.dimension,
        "gravity": [float(number(SX(g)).item()) for g in model.gravity],
        "bodies": {b.name: solid(b) for b in model.of_type(Solid)},
        "joints": {j.name: joint(j) for j in model.of_type(Joint)},
        "parts": {name: part for name, part in parts.items() if part is not None},
    }
    number.keep()
    return found


def described(model: Model, p: np.ndarray, names: list[str], data: np.ndarray) -> Record:
    """The description of a run with these channels; kept for the next run with the same numbers."""
    numbers, known = model.memory.get("described", (None, None))
    if numbers == p.tobytes() and known is not None:
        return known
    found = describe(model, p, reach_of(names, data))
    if any("heights" in part for part in found["parts"].values()):
        return found  # of the ground over which it went
    shared = Shared(plain(found))
    model.memory["described"] = p.tobytes(), shared
    return shared


def reach_of(names: list[str], data: np.ndarray) -> Reach | None:
    """Between which x and y the bodies' mass centres are; names: of the columns of `data`."""
    found = []
    for axis in "xy":
        columns = [i for i, name in enumerate(names) if name.endswith(f".{axis}") and name.count(".") == 1]
        values = data[:, columns]
        values = values[np.isfinite(values)]
        if not values.size:
            return None
        found.append((float(values.min()), float(values.max())))
    return found[0], found[1]


@cache
def _versions() -> dict[str, str]:
    from importlib import metadata  # 30 ms

    names = ("linkwork", "casadi", "llvmlite", "numpy")
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "source"
    return found


def versions() -> dict[str, str]:
    return dict(_versions())
