"""Ropes over pulleys and belts: straight pieces that touch the wheels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.studio import colours, figures, meshes
from linkwork.studio.motion import Anchor, Path, pointing, rotate, spread
from linkwork.studio.scene import Item, Span
from linkwork.studio.stage import ELEMENT, Stage
from linkwork.studio.symbols.registry import symbol

WIDTH = 0.25
"""Of a rope, in pin radii."""


def _piece(stage: Stage, name: str, a: np.ndarray, b: np.ndarray, on: Sequence[Anchor | None]) -> None:
    """A straight line from a to b (frames, 3) that stretches; on: where its ends hang, if they stay there."""
    length = np.linalg.norm(b - a, axis=1)
    mean = max(float(np.nanmean(length)), 1e-9)
    if stage.planar:
        item: Item = stage.stroke(np.array([[0, 0], [mean, 0]]), colours.INK, ELEMENT, WIDTH)
    else:
        item = stage.surface(meshes.between((0, 0, 0), (mean, 0, 0), WIDTH * stage.unit), colours.INK)
    scale = np.column_stack([np.maximum(length / mean, 1e-6), np.ones((len(length), 2))])
    between = Span(on[0], on[1], mean) if on[0] is not None and on[1] is not None else None
    stage.add(name, "element", [item], Path(a, pointing(b - a)), scale, between)


def _touching(c1: np.ndarray, c2: np.ndarray, r1: float, r2: float, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a line touches circles about an axis on its way from one to the other: c − ρ n, n·(c₂ − c₁) = ρ₂ − ρ₁."""
    d = c2 - c1
    square = np.maximum(np.sum(d * d, axis=1, keepdims=True), 1e-300)
    up = np.cross(axis, d)
    straight = np.sqrt(np.maximum(square - (r2 - r1) ** 2, 0))
    n = ((r2 - r1) * d + straight * up) / square
    return c1 - r1 * n, c2 - r2 * n


def _along(stage: Stage, name: str, paths: Sequence[Path], radii: Sequence[float]) -> None:
    frames = max(len(path.p) for path in paths)
    centres = [spread(path.p, frames) for path in paths]
    for k in range(len(centres) - 1):
        turning = paths[k] if radii[k] else paths[k + 1]
        axis = spread(rotate(turning.q, np.array([0.0, 0.0, 1.0])), frames)
        on = [None if radii[j] else paths[j].on for j in (k, k + 1)]
        _piece(stage, name, *_touching(centres[k], centres[k + 1], radii[k], radii[k + 1], axis), on)


def sheave_width(stage: Stage, radius: float) -> float:
    """Of a wheel that a belt runs on, in space [m]."""
    return max(0.2 * radius, 0.8 * stage.unit)


def _sheave(stage: Stage, name: str, path: Path, radius: float) -> None:
    if not stage.planar:
        thick = sheave_width(stage, radius)
        rim = meshes.ring(0.82 * radius, radius, thick)
        web = meshes.cylinder(0.85 * radius, 0.4 * thick)
        stage.add(name, "element", [stage.surface(part, colours.METAL) for part in (rim, web)], path)
        for x, y in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            stage.include(path.at((radius * x, radius * y, 0)))
        return
    disc = stage.area(
        figures.circle(radius, corners=72), fill=colours.mixed(colours.METAL, colours.PAPER, 0.5), layer=ELEMENT - 1
    )
    hub = stage.area(figures.circle(0.7 * stage.unit), fill=colours.PAPER, layer=ELEMENT + 1)
    stage.add(name, "element", [disc, hub], path)
    stage.include(np.vstack([path.at((x, y, 0)) for x in (-radius, radius) for y in (-radius, radius)]))


@symbol("Rope")
def rope(stage: Stage, name: str, part: Data) -> None:
    """Straight pieces, and a disc where it runs over a pulley."""
    frames, numbers = part["frames"], part["numbers"]
    paths = [stage.motion.frame(frames[f"route{k}"]) for k in range(len(frames))]
    radii = [numbers.get(f"radius{k}", 0.0) for k in range(len(frames))]
    _along(stage, name, paths, radii)
    for path, radius in zip(paths, radii, strict=True):
        if radius:
            _sheave(stage, name, path, abs(radius))


@symbol("Belt")
def belt(stage: Stage, name: str, part: Data) -> None:
    """Both sides, and the wheels that they run on."""
    numbers = part["numbers"]
    owners = [part["coordinates"][key].rpartition(".")[0] for key in ("driver", "driven")]
    sides = [stage.joints[owner]["second"] for owner in owners if owner in stage.joints]
    if len(sides) < 2:
        return
    first, second = (stage.motion.frame(side) for side in sides)
    r1, r2 = numbers["radius1"], numbers["back"] * numbers["radius2"]
    _along(stage, name, (first, second), (r1, r2))
    _along(stage, name, (second, first), (r2, r1))
    for path, radius, side in zip((first, second), (r1, abs(r2)), sides, strict=True):
        if side["body"] not in stage.dressed:
            _sheave(stage, name, path, radius)
