"""Joints of spatial mechanisms: barrels, balls, sleeves and crosses."""

from __future__ import annotations

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.studio import colours, figures, meshes
from linkwork.studio.scene import Item
from linkwork.studio.stage import Stage
from linkwork.studio.symbols.flat_joints import is_driven, slide_range
from linkwork.studio.symbols.registry import symbol


def pedestal(stage: Stage, name: str, joint: Data, gap: float) -> None:
    """A foot below a joint on the ground, that ends `gap` below its centre [m]."""
    u = stage.unit
    for side in (joint["first"], joint["second"]):
        if side["body"] == stage.ground:
            top = np.array(side["point"]) - gap * stage.up
            foot = meshes.moved(meshes.along(stage.up, meshes.frustum(3 * u, 1.6 * u, 4 * u)), top - 2 * u * stage.up)
            plate = meshes.moved(meshes.along(stage.up, meshes.box((9 * u, 9 * u, u))), top - 4.5 * u * stage.up)
            stage.add(name, "ground", [stage.surface(part, colours.GROUND) for part in (foot, plate)])
            stage.include((top - 5 * u * stage.up)[None])


@symbol("Revolute", "Rotational", planar=False)
def hinge(stage: Stage, name: str, joint: Data) -> None:
    """A barrel about the z axis."""
    u = stage.unit
    pedestal(stage, name, joint, 1.2 * u)
    barrel = [stage.surface(meshes.cylinder(1.9 * u, 7 * u), colours.METAL)]
    stage.add(name, "joint", barrel, stage.motion.frame(joint["second"]))
    laws = {law for laws in joint.get("laws", {}).values() for law in laws}
    if {"Motion", "Effort"} & laws or is_driven(stage, f"{name}.angle"):
        stage.add(name, "joint", _drive(stage), stage.motion.frame(joint["first"]))


def _drive(stage: Stage) -> list[Item]:
    """A round arrow about z: a motor."""
    u = stage.unit
    arc = np.column_stack([figures.arc(3.6 * u, -0.6, 3.6), np.zeros(28)])
    along = arc[-1] - arc[-2]
    cone = meshes.moved(
        meshes.along(along, meshes.frustum(1.1 * u, 0.0, 2.4 * u)), arc[-1] + 1.1 * u * along / np.linalg.norm(along)
    )
    return [stage.surface(part, colours.FORCE) for part in (meshes.tube(arc, 0.45 * u), cone)]


@symbol("Spherical", planar=False)
def ball(stage: Stage, name: str, joint: Data) -> None:
    """A ball; on the ground it sits on a foot."""
    pedestal(stage, name, joint, 0.8 * stage.unit)
    item = stage.surface(meshes.sphere(2.2 * stage.unit), colours.METAL)
    stage.add(name, "joint", [item], stage.motion.frame(joint["second"]))


@symbol("Free")
def nothing(stage: Stage, name: str, joint: Data) -> None:
    """What blocks nothing is not seen."""


@symbol("Joint", planar=False)
def any_joint(stage: Stage, name: str, joint: Data) -> None:
    """A small ball where the second body is held."""
    item = stage.surface(meshes.sphere(1.6 * stage.unit), colours.METAL)
    stage.add(name, "joint", [item], stage.motion.frame(joint["second"]))


@symbol("ParallelAxes", "PerpendicularAxes", "Planar", planar=False)
def nowhere(stage: Stage, name: str, joint: Data) -> None:
    """It holds directions, not places: nothing to be seen."""


@symbol("Fixed", planar=False)
def weld(stage: Stage, name: str, joint: Data) -> None:
    """A small block."""
    item = stage.surface(meshes.box((3 * stage.unit,) * 3), colours.METAL)
    stage.add(name, "joint", [item], stage.motion.frame(joint["second"]))


@symbol("Universal", planar=False)
def cross(stage: Stage, name: str, joint: Data) -> None:
    """Two crossed pins, x of the first frame and y of the second."""
    u, motion = stage.unit, stage.motion
    pedestal(stage, name, joint, 2 * u)
    for side, axis in (("first", "x"), ("second", "y")):
        bar = meshes.along(axis, meshes.cylinder(0.9 * u, 7 * u))
        stage.add(name, "joint", [stage.surface(bar, colours.METAL)], motion.frame(joint[side]))


@symbol("Prismatic", planar=False)
def slider(stage: Stage, name: str, joint: Data) -> None:
    """A square rail on the first body, a sleeve on the second."""
    _guided(stage, name, joint, 0)


@symbol("Cylindrical", "Screw", planar=False)
def piston(stage: Stage, name: str, joint: Data) -> None:
    """A round rail, with a thread if it screws, and a round sleeve."""
    _guided(stage, name, joint, 2)


def _guided(stage: Stage, name: str, joint: Data, axis: int) -> None:
    u, motion = stage.unit, stage.motion
    rail, sleeve = joint["first"], joint["second"]
    if sleeve["body"] == stage.ground:
        rail, sleeve = sleeve, rail
    low, high = slide_range(motion.frame(rail), motion.frame(sleeve), axis)
    low, high = low - 8 * u, high + 8 * u
    middle = np.zeros(3)
    middle[axis] = (low + high) / 2
    if axis == 0:
        bar = meshes.box((high - low, 1.6 * u, 1.6 * u))
        cover = meshes.box((7 * u, 4 * u, 4 * u))
    else:
        bar, cover = meshes.cylinder(u, high - low), meshes.cylinder(2.2 * u, 7 * u)
    items = [stage.surface(meshes.moved(bar, middle), colours.METAL)]
    if "Screw" in joint["kinds"]:
        place = np.linspace(low, high, 400)
        turn = place * 2 * np.pi / (2.5 * u)
        thread = np.column_stack([1.1 * u * np.cos(turn), 1.1 * u * np.sin(turn), place])
        items.append(stage.surface(meshes.tube(thread, 0.35 * u, 5), colours.INK))
    grounded = rail["body"] == stage.ground
    stage.add(name, "ground" if grounded else "joint", items, motion.frame(rail))
    ends = np.zeros((2, 3))
    ends[:, axis] = low, high
    stage.include(np.vstack([motion.frame(rail).at(end) for end in ends]))
    if sleeve["body"] not in stage.dressed and len(stage.points[sleeve["body"]]) > 1:
        stage.add(name, "joint", [stage.surface(cover, colours.METAL)], motion.frame(sleeve))
