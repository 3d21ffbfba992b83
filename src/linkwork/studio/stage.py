"""A stage: the mechanism's motion, the sizes that suit it, and the nodes that symbols and bodies put on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from linkwork.studio import colours
from linkwork.studio.motion import Motion, Path, spread
from linkwork.studio.scene import Area, Arrow, Item, Label, Node, Stroke, Surface, Trace

BODY, ELEMENT, JOINT, ARROW = 10, 60, 100, 200
"""Layers of a planar scene; bodies take two each, upwards."""


class Stage:
    """What bodies and symbols are built on.

    low, high: corners of all that is swept [m]; size: of the mechanism at one moment [m]; leader: the body that a
    camera must follow to see a mechanism that travels far, or None; around: how far it then sees on each side of it.
    unit: radius of a pin [m]; points: the frames that each body is used by, (n, 3) in body axes.
    """

    def __init__(self, motion: Motion):
        self.motion = motion
        self.planar = motion.planar
        self.description = motion.description
        self.nodes: list[Node] = []
        self.arrows: list[Arrow] = []
        self.traces: list[Trace] = []
        self.labels: list[Label] = []
        self.joints: Mapping[str, Any] = self.description.get("joints", {})
        self.parts: Mapping[str, Any] = self.description.get("parts", {})
        self.bodies: Mapping[str, Any] = self.description.get("bodies", {})
        self.colours = {
            name: colours.BODIES[i % len(colours.BODIES)]
            for i, name in enumerate(n for n in self.bodies if n != motion.ground)
        } | {motion.ground: colours.GROUND}
        self.layers = {name: BODY + 2 * (i % 20) for i, name in enumerate(self.colours)}
        self.points = {name: _distinct(self._sides_on(name)) for name in motion.paths}
        gravity = np.array([*self.description.get("gravity", (0.0, 0.0)), 0.0][:3])
        size = np.linalg.norm(gravity)
        self.up = -gravity / size if size > 0 else np.array([0.0, 1.0, 0.0] if self.planar else [0.0, 0.0, 1.0])
        self.low, self.high = self._reach()
        self.size, self.leader, self.around = self._travel()
        self.unit = self._unit()
        self.arrow = self._arrow_scale()
        self.dressed: set[str] = set()
        """Bodies whose look was given, by shapes or by what they roll on."""

    @property
    def diagonal(self) -> float:
        return float(np.linalg.norm(self.high - self.low))

    @property
    def ground(self) -> str:
        return self.motion.ground

    def sides(self) -> Iterable[Mapping[str, Any]]:
        """Every frame that is used."""
        for joint in self.joints.values():
            yield from (joint["first"], joint["second"])
        for part in self.parts.values():
            yield from part["frames"].values()

    def _sides_on(self, body: str) -> list[list[float]]:
        return [side["point"] for side in self.sides() if side["body"] == body]

    def add(
        self,
        name: str,
        group: str,
        items: Iterable[Item | None],
        path: Path | None = None,
        scale: np.ndarray | None = None,
    ) -> None:
        """Put items on the stage, moving along a path (None: fixed in the world)."""
        kept = [item for item in items if item is not None]
        if not kept:
            return
        node = Node(name, group, kept)
        if path is not None:
            node.position, node.quaternion, node.on = path.p, path.q, path.on
        node.scale = scale
        self.nodes.append(node)

    def area(self, *rings: np.ndarray, fill: str | None, layer: int, edge: str | None = colours.INK) -> Area:
        return Area(rings, fill, edge, 0.22 * self.unit, layer)

    def stroke(self, points: np.ndarray, colour: str, layer: int, width: float = 0.3) -> Stroke:
        """width in pin radii."""
        flat = np.asarray(points, dtype=float)
        if flat.shape[1] == 2:
            flat = np.column_stack([flat, np.zeros(len(flat))])
        return Stroke(flat, colour, width * self.unit, layer)

    @staticmethod
    def surface(triangles: tuple[np.ndarray, np.ndarray], colour: str, opacity: float = 1.0) -> Surface:
        return Surface(*triangles, colour, opacity)

    def include(self, points: np.ndarray) -> None:
        """Make sure that points are seen."""
        self.low = np.minimum(self.low, points.min(axis=0))
        self.high = np.maximum(self.high, points.max(axis=0))

    def _reach(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners of what all frames and mass centres sweep."""
        swept = [path.p for name, path in self.motion.paths.items() if name != self.ground]
        for name, path in self.motion.paths.items():
            swept += [path.at(point) for point in self.points[name]]
        every = np.vstack(swept)
        every = every[np.isfinite(every).all(axis=1)]
        return every.min(axis=0), every.max(axis=0)

    def _travel(self) -> tuple[float, str | None, np.ndarray]:
        frames = len(self.motion.t)
        moving = {name: path for name, path in self.motion.paths.items() if name != self.ground}
        leader = max(moving, key=lambda name: self.bodies[name].get("mass", 0.0))
        centre = moving[leader].p
        beside = [
            np.abs(path.at(p) - centre) for name, path in moving.items() for p in [*self.points[name], np.zeros(3)]
        ]
        around = np.nanmax(np.vstack([spread(b, frames) for b in beside]), axis=0)
        shapes = [float(np.ravel(s.get(k)).max()) for b in self.bodies.values() for s in b["shapes"]
                  for k in ("size", "radius", "length", "radius1") if s.get(k) is not None]  # fmt: skip
        shapes += [
            2 * part["numbers"]["radius"] for part in self.parts.values() if part["numbers"].get("radius", 0) > 0
        ]
        size = max(2 * float(np.linalg.norm(around)), max(shapes, default=0.0))
        bound = any(side["body"] == self.ground for joint in self.joints.values() for side in _ends(joint))
        if bound or size == 0 or size > 0.5 * self.diagonal:
            return self.diagonal, None, around
        return size, leader, np.maximum(around, 0.35 * size)

    def _unit(self) -> float:
        spans = []
        for points in self.points.values():
            if len(points) > 1:
                gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
                spans.append(float(gaps[gaps > 0].min()))
        sizes = [float(np.ravel(s.get(k)).max()) for b in self.bodies.values() for s in b["shapes"]
                 for k in ("size", "radius", "length", "radius1") if s.get(k) is not None]  # fmt: skip
        whole = self.size if self.size > 0 else max(sizes, default=1.0)
        extents = np.sort(self.high - self.low)
        # along one line there is room for larger symbols
        share = 0.014 if extents[1] > 0.1 * whole or self.leader else 0.03
        return float(np.clip(0.15 * min(spans, default=np.inf), 0.006 * whole, share * whole))

    def _arrow_scale(self) -> float:
        """Metres per newton, so that a large force is about a quarter of the picture."""
        names = [f"{j}.reaction.f" for j in self.joints] + [f"{p}.f" for p in self.parts]
        sizes = [np.linalg.norm(self.motion.vector(name), axis=1) for name in names]
        large = max((float(np.quantile(s, 0.95)) for s in sizes if np.isfinite(s).all()), default=0.0)
        return 0.22 * max(self.size, 12 * self.unit) / large if large > 0 else 0.0


def _ends(joint: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return joint["first"], joint["second"]


def _distinct(points: list[list[float]]) -> np.ndarray:
    kept: list[np.ndarray] = []
    for p in map(np.array, points):
        if all(np.linalg.norm(p - other) > 1e-9 for other in kept):
            kept.append(p)
    return np.array(kept).reshape(-1, 3)
