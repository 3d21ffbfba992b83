"""Arrows: applied forces and torques, reactions of joints; traces of points."""

from __future__ import annotations

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.studio import colours, figures, meshes
from linkwork.studio.motion import Path, spread
from linkwork.studio.scene import Arrow, Item, Trace
from linkwork.studio.stage import ARROW, Stage
from linkwork.studio.symbols.ground import road
from linkwork.studio.symbols.registry import symbol
from linkwork.studio.tyres import tyre_forces


def arrow(stage: Stage, name: str, group: str, at: Path, vectors: np.ndarray, colour: str) -> None:
    """From a frame along vectors [m], (frames, 3)."""
    if np.isfinite(vectors).all():
        stage.arrows.append(Arrow(name, group, spread(at.p, len(vectors)), vectors, colour, at.on))


@symbol("Force")
def force(stage: Stage, name: str, part: Data) -> None:
    """An arrow as long as the force is large, at the point where it acts."""
    at = stage.motion.frame(part["frames"]["at"])
    arrow(stage, name, "force", at, stage.motion.vector(f"{name}.f") * stage.force_scale, colours.FORCE)


@symbol("Torque", planar=True)
def turning(stage: Stage, name: str, part: Data) -> None:
    """A round arrow whose sense is that of the torque."""
    u, path = stage.unit, stage.motion.frame(part["frames"]["at"])
    moment = stage.motion.channel(f"{name}.mz")
    arc = figures.arc(4 * u, -0.4, 3.8)
    end, along = arc[-1], (arc[-1] - arc[-2]) / np.linalg.norm(arc[-1] - arc[-2])
    across = np.array([-along[1], along[0]])
    head = np.array([end + 2 * u * along, end + u * across, end - u * across])
    items: list[Item] = [
        stage.stroke(arc, colours.FORCE, ARROW, 0.5),
        stage.area(head, fill=colours.FORCE, edge=None, layer=ARROW),
    ]
    largest = np.abs(moment).max()
    size = np.sqrt(np.abs(moment) / largest) if largest > 0 else np.zeros_like(moment)
    size = np.maximum(size, 1e-6)
    still = np.zeros((len(moment), 4)) + (1.0, 0.0, 0.0, 0.0)
    scale = np.column_stack([size * np.where(moment < 0, -1.0, 1.0), size, size])
    stage.add(name, "force", items, Path(spread(path.p, len(moment)), still), scale)


@symbol("Torque", planar=False)
def axial(stage: Stage, name: str, part: Data) -> None:
    """An arrow along the axis it turns about."""
    vectors = stage.motion.vector(f"{name}.m")
    largest = float(np.linalg.norm(vectors, axis=1).max())
    scale = 0.18 * stage.size / largest if largest > 0 else 0.0
    arrow(stage, name, "force", stage.motion.frame(part["frames"]["at"]), vectors * scale, colours.BODIES[5])


@symbol("Tyre")
def tyre(stage: Stage, name: str, part: Data) -> None:
    """The ground, and where the wheel touches it, two arrows: the load, and the grip along the road."""
    road(stage, name, part)
    load, grip, touch = tyre_forces(stage, name, part)
    for vectors in (load, grip):
        arrow(stage, name, "force", touch, vectors * stage.force_scale, colours.FORCE)


def reactions(stage: Stage) -> None:
    """What joints do to their second bodies."""
    for name, joint in stage.joints.items():
        if stage.motion.knows(joint["first"], joint["second"]):
            at = stage.motion.frame(joint["second"])
            vector = stage.motion.vector(f"{name}.reaction.f") * stage.reaction_scale
            arrow(stage, name, "reaction", at, vector, colours.REACTION)


@symbol("Point")
def trace(stage: Stage, name: str, part: Data) -> None:
    """A dot and its path."""
    side = part["frames"]["marker"]
    path, u = stage.motion.frame(side), stage.unit
    dot: Item = (
        stage.area(figures.circle(0.8 * u), fill=colours.INK, edge=None, layer=ARROW)
        if stage.planar
        else (stage.surface(meshes.sphere(0.9 * u), colours.INK))
    )
    stage.add(name, "element", [dot], path)
    if side["body"] != stage.ground:
        stage.traces.append(Trace(name, path.p, stage.colours[side["body"]]))
