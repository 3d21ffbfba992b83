"""MJCF: what has been read of a scene so far, by the names of the file."""

from __future__ import annotations

from dataclasses import dataclass, field

from linkwork.components.joint import Joint
from linkwork.core.model import Model
from linkwork.files.robots.mjcf_frames import Compiler
from linkwork.files.robots.report import Report
from linkwork.files.robots.tree import Part, Placement, usable
from linkwork.files.robots.xml_tree import Element


@dataclass(frozen=True)
class BodyPart:
    """A body of the file: its frame on a body of the model, and where it is in the world at the start."""

    part: Part
    world: Placement


@dataclass(frozen=True)
class JointPart:
    """A joint of the file; ref: MuJoCo's coordinate where ours is 0."""

    joint: Joint
    kind: str
    ref: float


@dataclass
class Scene:
    """The model that is being built, and what its parts are called in the file."""

    model: Model
    report: Report
    compiler: Compiler
    names: set[str]
    bodies: dict[str, BodyPart] = field(default_factory=dict)
    joints: dict[str, JointPart] = field(default_factory=dict)
    sites: dict[str, tuple[Part, Placement]] = field(default_factory=dict)
    geoms: list[tuple[Element, BodyPart, Placement]] = field(default_factory=list)

    def name(self, wanted: str) -> str:
        """A name that is free in the model."""
        return usable(wanted, self.names)

    def armature(self, element: Element, joint: Joint, inertia: float) -> None:
        """Inertia along a coordinate, as that of a rotor behind a gear."""
        if inertia < 0:
            element.fail(f"armature {inertia:g} of {element.said}.", "Give a positive number or 0.")
        coordinate = joint.coordinates[0]
        name = self.name(f"{joint.name}-armature")
        if coordinate.is_angle:
            self.model.shaft_inertia(name, coordinate, inertia=inertia)
        else:
            self.model.slide_mass(name, coordinate, mass=inertia)
