"""Wheels of gears between turning joints with parallel axes: their radii follow from the ratio and the distance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwork.core.plain_data import Data, Record
from linkwork.studio.looks import rotation, shape_items
from linkwork.studio.motion import matrix, spread
from linkwork.studio.scene import Item
from linkwork.studio.stage import Stage

FEWEST = 14
"""Teeth of the smaller wheel."""


def gear_items(stage: Stage, body: str) -> list[Item]:
    """The wheels that a body has, in its axes; none where it is in no gear, or where wheels would not meet."""
    return [
        item
        for shape in _wheels(stage, body)
        for item in shape_items(
            shape,
            planar=stage.planar,
            colour=stage.colours[body],
            unit=stage.unit,
            layer=stage.layers[body],
            owner=body,
        )
    ]


def _wheels(stage: Stage, body: str) -> Iterator[Record]:
    for part in stage.parts.values():
        pair = [_turning(stage, part.get("coordinates", {}).get(key)) for key in ("driver", "driven")]
        ratio = part["numbers"].get("ratio", 0.0)
        if "Gear" not in part["kinds"] or None in pair or not ratio < 0:  # internal gears are not drawn
            continue
        sides: list[Any] = pair
        p, q = (stage.motion.frame(side) for side in sides)
        across = spread(q.p, len(stage.motion.t)) - spread(p.p, len(stage.motion.t))
        apart = np.linalg.norm(across, axis=1)
        axes = [matrix(path.q[0]) for path in (p, q)]
        level = np.allclose(across @ axes[0][:, 2], 0, atol=1e-6 * apart[0]) and axes[0][:, 2] @ axes[1][:, 2] > 0.999
        if not (apart[0] > 0 and np.ptp(apart) < 1e-3 * apart[0] and level):
            continue
        second = apart[0] / (1 - ratio)
        radii = (-ratio * second, second)
        teeth = [max(round(FEWEST * r / min(radii)), FEWEST) for r in radii]
        towards = [axes[k].T @ (across[0] * sign) for k, sign in ((0, 1.0), (1, -1.0))]
        at = [float(np.arctan2(v[1], v[0])) for v in towards]
        # the second wheel is put so that a gap of it is where the first has a tooth
        turn = (0.0, at[1] + (at[0] * teeth[0] / (2 * np.pi) + 0.5) * 2 * np.pi / teeth[1])
        for side, radius, count, angle in zip(sides, radii, teeth, turn, strict=True):
            if side["body"] == body:
                R = np.array(side["rotation"]) @ rotation(angle)
                wheel = {"kind": "gear", "radius": radius, "teeth": count, "width": 0.25 * min(radii), "axis": "z"}
                yield {**wheel, "at": side["point"], "rotation": R}


def _turning(stage: Stage, coordinate: str | None) -> Data | None:
    """The frame of the body that an angle turns; None where it is no angle of a pin."""
    joint = stage.joints.get((coordinate or "").rpartition(".")[0])
    if joint is None or "Revolute" not in joint["kinds"] or not stage.motion.knows(joint["first"], joint["second"]):
        return None
    side: Data = joint["first"] if joint["second"]["body"] == stage.ground else joint["second"]
    return side
