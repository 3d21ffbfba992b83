"""Joints of planar mechanisms, as textbooks draw them."""

from __future__ import annotations

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.studio import colours, figures
from linkwork.studio.motion import Path
from linkwork.studio.scene import Area, Item
from linkwork.studio.stage import ELEMENT, JOINT, Stage
from linkwork.studio.symbols.registry import symbol

PIN = 24
"""Corners of a pin: round enough at its size, and a chain has many."""


@symbol("Revolute", "Spherical", "Joint", planar=True)
def pin(stage: Stage, name: str, joint: Data) -> None:
    """A ring; on the ground it stands on a hatched support; driven ones have an arrow around it."""
    u = stage.unit
    second = stage.motion.frame(joint["second"])
    for side in (joint["first"], joint["second"]):
        if side["body"] == stage.ground:
            support(stage, name, np.array(side["point"]))
    stage.add(name, "joint", [stage.area(figures.circle(u, corners=PIN), fill=colours.PAPER, layer=JOINT + 5)], second)
    laws = [law for laws in joint.get("laws", {}).values() for law in laws]
    first = stage.motion.frame(joint["first"])
    if {"Motion", "Effort"} & set(laws) or is_driven(stage, f"{name}.angle"):
        stage.add(name, "joint", drive(stage), first)
    if "Damper" in laws:
        pot(stage, name, first, second, 3.1 * u if "Spring" in laws else 2.2 * u)
    if "Spring" in laws:
        angle = np.linspace(0, 4.5 * np.pi, 60)
        spiral = np.column_stack([np.cos(angle), np.sin(angle)]) * (1.3 * u + angle * 0.09 * u)[:, None]
        stage.add(name, "joint", [stage.stroke(spiral, colours.SPRING, JOINT + 3)], second)


def pot(stage: Stage, name: str, first: Path, second: Path, radius: float) -> None:
    """A rotary damper: an open ring on the first body, and a vane in it on the second."""
    u = stage.unit
    ring, wide = figures.arc(radius, 0.75, 2 * np.pi - 0.75), 0.5 * u
    vane = np.array([[u, 0.0], [radius - 0.35 * u, 0.0]])
    blade = np.array([[radius - 0.35 * u, -wide], [radius - 0.35 * u, wide]])
    stage.add(name, "joint", [stage.stroke(ring, colours.METAL, JOINT + 3, 0.32)], first)
    stage.add(name, "joint", [stage.stroke(line, colours.INK, JOINT + 4, 0.35) for line in (vane, blade)], second)


def is_driven(stage: Stage, coordinate: str) -> bool:
    """Whether something other than an instrument or a relation is connected to a coordinate: a motor, a shaft."""
    return any(
        coordinate in part.get("coordinates", {}).values()
        and not any("Sensor" in kind or kind == "Relation" for kind in part["kinds"])
        for part in stage.parts.values()
    )


def support(stage: Stage, name: str, point: np.ndarray) -> None:
    """A triangle below a point of the ground, and hatching below it."""
    u = stage.unit
    down = np.array([0.0, -1.0]) if stage.up[1] > -0.5 else np.array([0.0, 1.0])
    p = point[:2]
    foot, side = p + 5 * u * down, np.array([3.2 * u, 0.0])
    wide = 1.5 * side if down[1] < 0 else -1.5 * side
    items: list[Item] = [stage.area(np.array([p, foot - side, foot + side]), fill="#e9edf0", layer=1)]
    items.append(stage.stroke(np.array([foot - 1.5 * side, foot + 1.5 * side]), colours.INK, 2))
    items += [
        stage.stroke(h, colours.INK, 1, 0.18) for h in figures.hatching(foot - wide, foot + wide, 1.5 * u, 1.6 * u)
    ]
    stage.add(name, "ground", items)
    stage.include(np.array([[*(foot - 1.6 * side + 1.6 * u * down), 0], [*(foot + 1.6 * side), 0]]))


def drive(stage: Stage) -> list[Item]:
    """A round arrow: a motor."""
    u, radius = stage.unit, 3.4 * stage.unit
    arc = figures.arc(radius, -0.6, 3.6)
    end, along = arc[-1], (arc[-1] - arc[-2]) / np.linalg.norm(arc[-1] - arc[-2])
    across = np.array([-along[1], along[0]])
    head = np.array([end + 1.9 * u * along, end + 0.9 * u * across, end - 0.9 * u * across])
    return [
        stage.stroke(arc, colours.FORCE, JOINT + 3, 0.4),
        stage.area(head, fill=colours.FORCE, edge=None, layer=JOINT + 3),
    ]


@symbol("Prismatic", planar=True)
def slider(stage: Stage, name: str, joint: Data) -> None:
    """A rail on the first body, hatched below on the ground; a sleeve on the second where it is no block itself."""
    u, motion = stage.unit, stage.motion
    rail, block = joint["first"], joint["second"]
    if block["body"] == stage.ground:  # the rail is what stays
        rail, block = block, rail
    low, high = slide_range(motion.frame(rail), motion.frame(block))
    offset = _underside(stage, block)
    grounded = rail["body"] == stage.ground
    pad = 6.5 * u
    R = np.array(rail["rotation"])
    fall = 1.0 if not grounded or R[:, 1] @ stage.up >= -1e-9 else -1.0
    depth = -fall * (offset if grounded else 0.0)
    ends = np.array([[low - pad, depth], [high + pad, depth]])
    path = motion.frame(rail)
    colour = colours.INK if grounded else stage.colours[rail["body"]]
    items: list[Item] = [stage.stroke(ends, colour, 2 if grounded else stage.layers[rail["body"]] + 1, 0.4)]
    if grounded:
        a, b = (ends[0], ends[1]) if fall > 0 else (ends[1], ends[0])
        items += [stage.stroke(h, colours.INK, 1, 0.18) for h in figures.hatching(a, b, 1.5 * u, 1.8 * u)]
    stage.add(name, "ground" if grounded else "joint", items, path)
    stage.include(np.vstack([path.at([*end, 0.0]) for end in ends]))
    if not grounded or (block["body"] not in stage.dressed and len(stage.points[block["body"]]) > 1):
        colour = stage.colours[block["body"]]
        fill = colours.mixed(colour, colours.PAPER, 0.3)
        sleeve = stage.area(figures.rectangle(7 * u, 4.6 * u), fill=fill, layer=JOINT)
        stage.add(name, "joint", [sleeve], motion.frame(block))


def slide_range(rail: Path, block: Path, axis: int = 0) -> tuple[float, float]:
    """Between which places along an axis of the rail the other frame moves [m]."""
    frames = max(len(rail.p), len(block.p))
    R = np.stack([Path(np.zeros((1, 3)), rail.q).at(e) for e in np.eye(3)], axis=2)
    along = np.broadcast_to(R[:, :, axis], (frames, 3))
    slide = np.einsum("ij,ij->i", np.broadcast_to(block.p - rail.p, (frames, 3)), along)
    slide = slide[np.isfinite(slide)]
    return (float(slide.min()), float(slide.max())) if slide.size else (0.0, 0.0)


def _underside(stage: Stage, side: Data) -> float:
    """How far the look of a body reaches below its frame [m]."""
    origin, R = np.array(side["point"]), np.array(side["rotation"])
    if len(stage.points[side["body"]]) > 1 and side["body"] not in stage.dressed:
        return 2.3 * stage.unit
    for node in stage.nodes:
        if node.name == side["body"] and node.group == "body":
            rings = np.vstack([item.rings[0] for item in node.items if isinstance(item, Area)] or [np.zeros((1, 2))])
            return max(float(-((rings - origin[:2]) @ R[:2, 1]).min()), stage.unit)
    return 3 * stage.unit


@symbol("DoublePrismatic", planar=True)
def cross_slide(stage: Stage, name: str, joint: Data) -> None:
    """A rail on each body, across each other, and a block on the second one."""
    u, motion = stage.unit, stage.motion
    first, second = motion.frame(joint["first"]), motion.frame(joint["second"])
    reaches = slide_range(first, second), slide_range(second, first, 1)
    for side, path, axis, (low, high) in zip(("first", "second"), (first, second), (0, 1), reaches, strict=True):
        ends = np.zeros((2, 2))
        ends[:, axis] = low - 6.5 * u, high + 6.5 * u
        body = joint[side]["body"]
        colour = colours.INK if body == stage.ground else stage.colours[body]
        items: list[Item] = [stage.stroke(ends, colour, JOINT + axis, 0.4)]
        if body == stage.ground and not axis:
            items += [
                stage.stroke(h, colours.INK, 1, 0.18) for h in figures.hatching(ends[0], ends[1], 1.5 * u, 1.8 * u)
            ]
        stage.add(name, "joint", items, path)
        stage.include(np.vstack([path.at([*end, 0.0]) for end in ends]))
    block = stage.area(figures.rectangle(4 * u, 4 * u), fill=colours.PAPER, layer=JOINT + 2)
    stage.add(name, "joint", [block], second)


@symbol("Fixed", planar=True)
def weld(stage: Stage, name: str, joint: Data) -> None:
    """A small square; on the ground a support."""
    u = stage.unit
    for side in (joint["first"], joint["second"]):
        if side["body"] == stage.ground:
            support(stage, name, np.array(side["point"]))
    item = stage.area(figures.rectangle(2 * u, 2 * u), fill=colours.INK, layer=JOINT + 5)
    stage.add(name, "joint", [item], stage.motion.frame(joint["second"]))


@symbol("PointOnLine", planar=True)
def slot(stage: Stage, name: str, joint: Data) -> None:
    """A pin in a slot."""
    u, motion = stage.unit, stage.motion
    low, high = slide_range(motion.frame(joint["first"]), motion.frame(joint["second"]))
    outline = figures.link(np.array([[low, 0], [high, 0]]), 1.5 * u)
    layer = 3 if joint["first"]["body"] == stage.ground else ELEMENT
    stage.add(name, "joint", [stage.area(outline, fill=colours.PAPER, layer=layer)], motion.frame(joint["first"]))
    ring = stage.area(figures.circle(u), fill=colours.PAPER, layer=JOINT + 5)
    stage.add(name, "joint", [ring], motion.frame(joint["second"]))


@symbol("Planar", planar=True)
def free(stage: Stage, name: str, joint: Data) -> None:
    """Nothing holds: nothing is drawn."""
