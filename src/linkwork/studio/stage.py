"""A stage: the mechanism's motion, the sizes that suit it, and the nodes that symbols and bodies put on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.studio import colours
from linkwork.studio.motion import Motion, Path, spread
from linkwork.studio.scene import Area, Arrow, Item, Label, Node, Span, Stroke, Surface, Trace
from linkwork.studio.tyres import tyre_forces

BODY, ELEMENT, JOINT, ARROW = 10, 60, 100, 200
"""Layers of a planar scene; bodies take two each, upwards."""
FAR, FAR_ALONE = 2.5, 15.0
"""Of its own size, how far a mechanism (a body alone) must travel for the camera to follow it."""
SYMBOL, FOOT = 0.15, 0.085
"""Radius of a pin over the distance to the next one, on a link and on the ground."""
SMALLEST = 0.35
"""Of the unit of the whole, that a symbol has at least."""
_SPHERE = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)])


class Stage:
    """What bodies and symbols are built on.

    low, high: corners of all that is swept [m]; size: of the mechanism at one moment [m]; leader: the body that a
    camera must follow to see a mechanism that travels far, or None; around: (low, high), what it then sees beside it.
    hull: points (n, 3) that a picture must not cut off.
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
        self.joints: Data = self.description.get("joints", {})
        self.parts: Data = self.description.get("parts", {})
        self.bodies: Data = self.description.get("bodies", {})
        self.colours = {
            name: colours.BODIES[i % len(colours.BODIES)]
            for i, name in enumerate(n for n in self.bodies if n != motion.ground)
        } | {motion.ground: colours.GROUND}
        self.layers = {name: BODY + 2 * (i % 20) for i, name in enumerate(self.colours)}
        self.points = {name: _distinct(self._sides_on(name)) for name in motion.paths}
        gravity = np.array([*self.description.get("gravity", (0.0, 0.0)), 0.0][:3])
        size = np.linalg.norm(gravity)
        self.up = -gravity / size if size > 0 else np.array([0.0, 1.0, 0.0] if self.planar else [0.0, 0.0, 1.0])
        self.hull: list[np.ndarray] = []
        self.low, self.high = self._reach()
        self.size, self.leader, self.around = self._travel()
        ends = [end for joint in self.joints.values() for end in _ends(joint)]
        self._feet = _distinct([end["point"] for end in ends if end["body"] == self.ground])
        self._least, self._most = self._unit_range()
        spans = [self.length(name) for name in self.points if name != self.ground and len(self.points[name]) > 1]
        # many short links: small symbols
        self.unit = self._within(SYMBOL * float(np.median(spans)) if spans else np.inf)
        forces = [self.motion.vector(f"{part}.f") for part in self.parts]
        for name, part in self.parts.items():
            if "Tyre" in part["kinds"] and motion.knows(*part["frames"].values()):
                forces += tyre_forces(self, name, part)[:2]
        self.force_scale = self._arrow_scale(forces)
        self.reaction_scale = self._arrow_scale([motion.vector(f"{joint}.reaction.f") for joint in self.joints])
        self.dressed: set[str] = set()
        """Bodies whose look was given, by shapes or by what they roll on."""

    @property
    def diagonal(self) -> float:
        return float(np.linalg.norm(self.high - self.low))

    @property
    def ground(self) -> str:
        return self.motion.ground

    def sides(self) -> Iterable[Data]:
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
        between: Span | None = None,
    ) -> None:
        """Put items on the stage, moving along a path (None: fixed in the world); between: what that path follows."""
        kept = [item for item in items if item is not None]
        if not kept:
            return
        node = Node(name, group, kept)
        if path is not None:
            node.position, node.quaternion, node.on = path.p, path.q, path.on
        node.scale, node.between = scale, between
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
        """Make sure that points (n, 3) are seen."""
        points = points[np.isfinite(points).all(axis=1)]
        if not len(points):
            return
        self.hull.append(outermost(points))
        self.low = np.minimum(self.low, points.min(axis=0))
        self.high = np.maximum(self.high, points.max(axis=0))

    def _reach(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners of what all frames and mass centres sweep."""
        swept = [path.p for name, path in self.motion.paths.items() if name != self.ground]
        for name, path in self.motion.paths.items():
            swept += [path.at(point) for point in self.points[name]]
        every = np.vstack(swept)
        every = every[np.isfinite(every).all(axis=1)]
        self.hull.append(outermost(every))
        return every.min(axis=0), every.max(axis=0)

    def _travel(self) -> tuple[float, str | None, tuple[np.ndarray, np.ndarray]]:
        frames = len(self.motion.t)
        moving = {name: path for name, path in self.motion.paths.items() if name != self.ground}
        leader = max(moving, key=lambda name: self.bodies[name].get("mass", 0.0))
        centre = moving[leader].p
        beside = [path.at(p) - centre for name, path in moving.items() for p in [*self.points[name], np.zeros(3)]]
        every = np.vstack([spread(b, frames) for b in beside])
        low, high = np.nanmin(every, axis=0), np.nanmax(every, axis=0)
        reach = 2 * float(np.linalg.norm(np.maximum(np.abs(low), np.abs(high))))
        size = max(reach, self._largest())
        bound = any(side["body"] == self.ground for joint in self.joints.values() for side in _ends(joint))
        far = FAR_ALONE if len(moving) == 1 else FAR
        if bound or size == 0 or self.diagonal < far * size:
            return self.diagonal, None, (low, high)
        return size, leader, (np.minimum(low, -0.15 * size), np.maximum(high, 0.15 * size))

    def _largest(self) -> float:
        """The longest side of any shape, wheel or ball [m]; 0 where there is none."""
        given = [shape for body in self.bodies.values() for shape in body["shapes"]]
        given += [outline for part in self.parts.values() for outline in part.get("outlines", {}).values()]
        given += [part["numbers"] for part in self.parts.values() if {"Rolling", "Tyre"} & set(part["kinds"])]
        sizes = [
            factor * float(np.ravel(one[key]).max())
            for one in given
            for key, factor in (("size", 1), ("length", 1), ("radius", 2), ("radius1", 2))
            if one.get(key) is not None
        ]
        return max(sizes, default=0.0)

    def surround(self, points: np.ndarray) -> None:
        """Make sure that points (frames, 3) that move with the leader are seen when the camera follows it."""
        if self.leader is not None:
            beside = points - self.motion.paths[self.leader].p
            beside = beside[np.isfinite(beside).all(axis=1)]
            low, high = self.around
            self.around = (
                np.minimum(low, beside.min(axis=0, initial=0)),
                np.maximum(high, beside.max(axis=0, initial=0)),
            )

    def _unit_range(self) -> tuple[float, float]:
        whole = self.size or self._largest() or 1.0
        extents = np.sort(self.high - self.low)
        # along one line there is room for larger symbols
        share = 0.014 if extents[1] > 0.1 * whole or self.leader or not self.planar else 0.03
        return 0.0028 * whole, share * whole

    def _within(self, unit: float) -> float:
        return float(np.clip(unit, self._least, self._most))

    def length(self, body: str) -> float:
        """From the farthest of the points that a body is used by to another one, or to beyond its middle [m]."""
        points = self.points.get(body, np.zeros((0, 3)))
        if len(points) == 1:
            return 2 * float(np.linalg.norm(points[0]))
        return float(np.linalg.norm(points[:, None] - points[None], axis=2).max(initial=0.0))

    @contextmanager
    def sized_for(self, *sides: Data) -> Iterator[None]:
        """What is drawn meanwhile has a size that suits these frames: that of the shortest link that begins there."""
        gaps = [np.inf]
        for side in sides:
            grounded = side["body"] == self.ground
            points = self._feet if grounded else self.points.get(side["body"], np.zeros((0, 3)))
            apart = np.linalg.norm(points - side["point"], axis=1)
            gaps.append((FOOT if grounded else SYMBOL) * float(apart[apart > 1e-9].min(initial=np.inf)))
        with self.sized(max(min(gaps), SMALLEST * self.unit)):
            yield

    @contextmanager
    def sized(self, unit: float) -> Iterator[None]:
        """What is drawn meanwhile has this unit, within bounds."""
        before, self.unit = self.unit, self._within(unit)
        try:
            yield
        finally:
            self.unit = before

    def clear_of_ground(self, path: Path, inside: object, end: object) -> np.ndarray:
        """The end of what reaches from a point inside to it, or as far as that comes without touching ground."""
        a, b, share = np.asarray(inside, dtype=float), np.asarray(end, dtype=float), 1.0
        for place, normal in self._floors():
            high, low = ((path.at(point) - place) @ normal for point in (a, b))
            through = (low < self.unit) & (high > low)
            if through.any():
                share = min(share, float(((high - self.unit) / np.where(through, high - low, 1))[through].min()))
        return a + max(share, 0.0) * (b - a)

    def _floors(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Planes of the ground that something rolls on or touches: a point, and what is up."""
        for part in self.parts.values():
            side = part["frames"].get("on")
            if side is not None and side["body"] == self.ground and not part.get("heights"):
                yield np.array(side["point"]), np.array(side["rotation"])[:, 1 if self.planar else 2]

    def _arrow_scale(self, forces: Iterable[np.ndarray]) -> float:
        """Metres per newton, so that a large one of these forces (frames, 3) is about a quarter of the picture."""
        sizes = [np.linalg.norm(force, axis=1) for force in forces]
        large = max((float(np.quantile(s, 0.95)) for s in sizes if np.isfinite(s).all()), default=0.0)
        return 0.22 * max(self.size, 12 * self.unit) / large if large > 0 else 0.0


def _ends(joint: Data) -> tuple[Data, Data]:
    return joint["first"], joint["second"]


def _distinct(points: list[list[float]]) -> np.ndarray:
    kept: list[np.ndarray] = []
    for p in map(np.array, points):
        if all(np.linalg.norm(p - other) > 1e-9 for other in kept):
            kept.append(p)
    return np.array(kept).reshape(-1, 3)


def outermost(points: np.ndarray) -> np.ndarray:
    """Those of the points (n, 3) that lie farthest out, looking along 26 directions."""
    return points if len(points) <= len(_SPHERE) else points[np.unique((points @ _SPHERE.T).argmax(axis=0))]


def corners(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The eight corners of a box, (8, 3)."""
    return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
