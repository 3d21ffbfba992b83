"""What a reader of the numbers needs to know of the mechanism, as plain data; and what made them."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

import casadi as ca
import numpy as np

from linkwork.components.bodies import Solid
from linkwork.components.joint import Joint
from linkwork.core.component import Marker
from linkwork.geometry import SX


def describe(model: Any, p: np.ndarray) -> dict[str, Any]:
    """Bodies with their shapes, joints with their frames (body axes, numbers at the given parameters)."""
    symbols = ca.vertcat(*model.symbols([*model.parameters, *model.inputs]))

    def number(expression: SX) -> np.ndarray:
        return np.array(ca.Function("n", [symbols], [expression])(p))

    def side(marker: Marker) -> dict[str, Any]:
        local = marker.local
        return {
            "body": marker.body.name,
            "rotation": number(local.R).tolist(),
            "point": number(local.p).ravel().tolist(),
        }

    return {
        "ground": model.ground.name,
        "dimension": model.dimension,
        "gravity": [float(number(SX(g)).item()) for g in model.gravity],
        "bodies": {
            b.name: {"shapes": [{"kind": s.kind, "size": list(s.size), "axis": s.axis} for s in b.shapes]}
            for b in model.of_type(Solid)
        },
        "joints": {
            j.name: {
                "kind": type(j).__name__,
                "dimension": model.dimension,
                "first": side(j.first),
                "second": side(j.second),
            }
            for j in model.of_type(Joint)
        },
    }


def versions() -> dict[str, str]:
    names = ("linkwork", "casadi", "llvmlite", "numpy")
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "source"
    return found
