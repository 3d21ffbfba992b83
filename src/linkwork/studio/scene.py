"""A scene: what is to be seen, as neutral data. Renderers read it and know nothing of mechanisms or results.

Lengths in m, times in s, world axes; quaternions are (w, x, y, z). In a planar scene everything lies at z = 0 and items
with a higher `layer` cover those with a lower one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from linkwork.core.scales import scale_for
from linkwork.studio.meshes import smooth_normals
from linkwork.studio.motion import Anchor

FLOOR, LAND = "floor", "land"
"""Names of nodes of the group "ground" that shadows fall on: what is drawn below everything, and terrain as given."""


@dataclass(frozen=True)
class Surface:
    """Triangles in the node's axes: vertices (n, 3), faces (m, 3)."""

    vertices: np.ndarray
    faces: np.ndarray
    colour: str
    opacity: float = 1.0

    @cached_property
    def normals(self) -> np.ndarray:
        """Unit normals at the corners of faces (m, 3, 3)."""
        return smooth_normals(self.vertices, self.faces)


@dataclass(frozen=True)
class Area:
    """A plane figure: rings of points (n, 2), the outer one first, then holes; fill None: only its edge is drawn."""

    rings: tuple[np.ndarray, ...]
    fill: str | None
    edge: str | None
    width: float
    """Of the edge [m]."""
    layer: int = 0
    opacity: float = 1.0


@dataclass(frozen=True)
class Stroke:
    """Straight pieces through points (n, 3), of a width [m]."""

    points: np.ndarray
    colour: str
    width: float
    layer: int = 0


Item = Surface | Area | Stroke


@dataclass(frozen=True)
class Span:
    """From one place to another, on bodies: a node's x axis points from a to b, or back.

    length: what its items reach [m], where it is stretched to the distance; None where it is not.
    """

    a: Anchor
    b: Anchor
    length: float | None = None
    back: bool = False


@dataclass
class Node:
    """Something that moves as one: items in its own axes, its poses over time, and how it is stretched.

    position (frames, 3), quaternion (frames, 4), scale (frames, 3) or None; one frame means that it stays put.
    group: "body", "ground", "joint", "element", "force" or "reaction"; what can be switched on and off together.
    """

    name: str
    group: str
    items: list[Item]
    position: np.ndarray = field(default_factory=lambda: np.zeros((1, 3)))
    quaternion: np.ndarray = field(default_factory=lambda: np.array([[1.0, 0.0, 0.0, 0.0]]))
    scale: np.ndarray | None = None
    on: Anchor | None = None
    """Where it hangs, if it moves with a body."""
    between: Span | None = None
    """What it reaches between, if its poses follow from those of two bodies."""


@dataclass(frozen=True)
class Arrow:
    """An arrow from points along vectors [m], both (frames, 3)."""

    name: str
    group: str
    points: np.ndarray
    vectors: np.ndarray
    colour: str
    on: Anchor | None = None


@dataclass(frozen=True)
class Trace:
    """The path of a point, (frames, 3)."""

    name: str
    points: np.ndarray
    colour: str


@dataclass(frozen=True)
class Curve:
    """A channel to plot along with the motion, (frames,)."""

    name: str
    unit: str
    values: np.ndarray


@dataclass(frozen=True)
class Label:
    """A name written beside a point that moves, (frames, 3)."""

    text: str
    points: np.ndarray
    on: Anchor


@dataclass
class Scene:
    """All of it. t: times of the frames; low, high: corners of what is seen; up, towards: unit vectors of the view.

    towards: from the mechanism to the camera. unit: a length that suits symbols [m]. hull: points (n, 3) that a picture
    must not cut off; where a body is followed, as they lie at the start.
    """

    title: str
    planar: bool
    t: np.ndarray
    nodes: list[Node]
    arrows: list[Arrow]
    traces: list[Trace]
    curves: list[Curve]
    labels: list[Label]
    low: np.ndarray
    high: np.ndarray
    hull: np.ndarray
    up: np.ndarray
    towards: np.ndarray
    unit: float
    speed: float = 1.0
    """Seconds of motion per second of playing."""
    follow: str | None = None
    beside: np.ndarray = field(default_factory=lambda: np.zeros(3))
    """From the body that is followed to the middle of what is seen [m]."""
    show: dict[str, bool] = field(default_factory=dict)
    """Which groups are shown at first; those that are not named are."""
    scales: dict[str, float] = field(default_factory=dict)
    """Of arrows by their groups [m/N]; those of torques have none."""

    def is_floor(self, node: Node) -> bool:
        """Whether it is ground that shadows fall on."""
        return node.group == "ground" and node.name in (FLOOR, LAND)

    @property
    def diagonal(self) -> float:
        return float(np.linalg.norm(self.high - self.low))

    def arrow_scales(self) -> dict[str, tuple[float, str, float, str]]:
        """Of each group of arrows: a round force [N], how it is written, how long its arrow is [m], its colour."""
        scales = {}
        for group, scale in self.scales.items():
            arrows = [a for a in self.arrows if a.group == group]
            if not arrows or not scale > 0:
                continue
            rough = 0.12 * max(float(np.ptp(self.hull, axis=0).max()), 12 * self.unit) / scale
            power = 10.0 ** np.floor(np.log10(rough))
            force = float(max(k * power for k in (1, 2, 5) if k * power <= rough * (1 + 1e-9)))
            shown = scale_for("N", force)
            scales[group] = (force, f"{force * 10.0**-shown.exponent:g} {shown.unit}", force * scale, arrows[0].colour)
        return scales

    def bodies(self) -> list[str]:
        return [node.name for node in self.nodes if node.group == "body"]

    def frame_at(self, time: float) -> int:
        """The frame nearest to a time."""
        return int(np.abs(self.t - time).argmin())
