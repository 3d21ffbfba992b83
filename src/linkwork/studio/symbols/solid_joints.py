"""Joints of spatial mechanisms: barrels, balls, sleeves and crosses."""

from __future__ import annotations

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.studio import colours, figures, meshes
from linkwork.studio.scene import Item, Surface
from linkwork.studio.stage import Stage
from linkwork.studio.symbols.flat_joints import is_driven, slide_range
from linkwork.studio.symbols.registry import symbol
from linkwork.studio.symbols.ropes import sheave_width


def pedestal(stage: Stage, name: str, joint: Data, gap: float, aside: float = 0.0) -> None:
    """A foot below a joint on the ground, that ends `gap` below its centre [m]; aside: along a level axis z [m]."""
    u = stage.unit
    for side in (joint["first"], joint["second"]):
        if side["body"] == stage.ground:
            up, axis = stage.up, np.array(side["rotation"])[:, 2]
            point = np.array(side["point"]) - (aside * axis if abs(axis @ up) < 0.7 else 0.0)
            top = point - gap * up
            low = stage.clear_of_ground(stage.motion.paths[stage.ground], point, top - 5 * u * up) + u * up
            tall = float((top - low) @ up)
            if tall < u:
                continue
            foot = meshes.moved(meshes.along(up, meshes.frustum(2.6 * u, 1.5 * u, tall)), (top + low) / 2)
            plate = meshes.moved(meshes.along(up, meshes.box((8 * u, 8 * u, u))), low - 0.5 * u * up)
            stage.add(name, "ground", [stage.surface(part, colours.GROUND) for part in (foot, plate)])
            stage.include((low - u * up)[None])


@symbol("Revolute", "Rotational", planar=False)
def hinge(stage: Stage, name: str, joint: Data) -> None:
    """A barrel about the z axis."""
    u = stage.unit
    thick = max(_thickness(stage, name, side) for side in (joint["first"], joint["second"]))
    long = thick + 2 * u if thick > 1.5 * u else 3 * u
    pedestal(stage, name, joint, 1.2 * u, aside=long - u if thick > 1.5 * u else 0.0)
    path = stage.motion.frame(joint["second"])
    half = min(float(abs(stage.clear_of_ground(path, (0, 0, 0), (0, 0, way * long))[2])) for way in (-1, 1))
    stage.add(name, "joint", [stage.surface(meshes.cylinder(1.7 * u, 2 * half), colours.METAL)] if half else [], path)
    laws = {law for laws in joint.get("laws", {}).values() for law in laws}
    if {"Motion", "Effort"} & laws or is_driven(stage, f"{name}.angle"):
        stage.add(name, "joint", _drive(stage), stage.motion.frame(joint["first"]))


def _thickness(stage: Stage, name: str, side: Data) -> float:
    """How far the wheel of a gear or belt reaches along its axis [m]; 0 where there is none."""
    reach, own = 0.0, f"{name}.angle"
    for part in stage.parts.values():
        ends = [part.get("coordinates", {}).get(key) for key in ("driver", "driven")]
        if own in ends and "Belt" in part["kinds"]:
            radius = abs(part["numbers"]["radius2" if ends.index(own) else "radius1"])
            reach = max(reach, 0.5 * sheave_width(stage, radius))
        if own in ends and "Gear" in part["kinds"]:
            wheels = (n for n in stage.nodes if n.name == side["body"] and n.group == "body")
            items = [item for node in wheels for item in node.items if isinstance(item, Surface)]
            along = [(item.vertices - side["point"]) @ np.array(side["rotation"])[:, 2] for item in items]
            reach = max([reach, *(float(np.abs(z).max()) for z in along)])
    return reach


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
    item = stage.surface(meshes.sphere(1.8 * stage.unit), colours.METAL)
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
        bar = meshes.along(axis, meshes.cylinder(0.8 * u, 5.5 * u))
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
    path = motion.frame(rail)
    pad = 8 * u if rail["body"] == stage.ground else 5 * u
    along = np.eye(3)[axis]
    low, high = (
        float(stage.clear_of_ground(path, end * along, (end + way * pad) * along)[axis])
        for end, way in ((low, -1), (high, 1))
    )
    middle = np.zeros(3)
    middle[axis] = (low + high) / 2
    if axis == 0:
        bar = meshes.box((high - low, 1.6 * u, 1.6 * u))
        cover = meshes.box((6 * u, 3.6 * u, 3.6 * u))
    else:
        bar, cover = meshes.cylinder(u, high - low), meshes.cylinder(1.9 * u, 6 * u)
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
