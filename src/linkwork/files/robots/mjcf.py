"""MJCF: bodies, joints, equalities and actuators of a MuJoCo scene, read into a model.

Bodies without joints are one with what they are in; a body with several joints gets bodies without mass between them.
Equalities are rigid. Coordinates of joints count from the position in which the file shows them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.inertia import Inertia
from linkwork.components.joint import Joint
from linkwork.components.laws import Damper, Friction, Limits, Spring
from linkwork.core.errors import LinkworkError
from linkwork.core.model import Model
from linkwork.files.robots import xml_tree
from linkwork.files.robots.mjcf_actuators import actuate
from linkwork.files.robots.mjcf_contacts import touch
from linkwork.files.robots.mjcf_defaults import MAIN, Defaults, included
from linkwork.files.robots.mjcf_equalities import equate
from linkwork.files.robots.mjcf_frames import Compiler, unit
from linkwork.files.robots.mjcf_geoms import Geoms
from linkwork.files.robots.mjcf_scene import BodyPart, JointPart, Scene
from linkwork.files.robots.report import Report
from linkwork.files.robots.tree import RENAMED, STILL, Part, Placement, rigid_body, usable
from linkwork.files.robots.xml_tree import Element

SECTIONS = ("compiler", "default", "option", "asset", "worldbody", "equality", "actuator", "contact")
LOOKS = ("visual", "statistic", "size", "custom", "sensor", "keyframe")
"""Sections that move nothing."""
LOST = ("composite", "flexcomp", "replicate", "attach", "plugin")
"""What makes bodies that would be missing."""
JOINTS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
JOINT_WORDS = {
    "name", "class", "type", "pos", "axis", "range", "limited", "damping", "stiffness", "springref", "armature",
    "frictionloss", "ref", "group", "user", "margin", "solreflimit", "solimplimit", "solreffriction",
    "solimpfriction", "align",
}  # fmt: skip
OPTIONS = {"gravity": "", "density": "0", "viscosity": "0", "wind": "0 0 0"}
DEEPEST = 150
"""Bodies inside each other."""


def load(path: Path, *, folder: Path | None = None, contacts: bool = True) -> Model:
    """The model of a scene; folder: where files that it names may lie; contacts: whether its shapes touch planes."""
    root = xml_tree.read(path)
    if root.tag == "robot":
        from linkwork.files.robots import urdf

        return urdf.build(root, path.parent if folder is None else folder)
    return build(root, path.parent if folder is None else folder, contacts)


def build(root: Element, folder: Path, contacts: bool = True) -> Model:
    """The model that a tree describes."""
    if root.tag != "mujoco":
        root.fail(f"the root is {root.said}.", "An MJCF file begins with <mujoco>.")
    return _Builder(included(root, folder), folder, contacts).model()


class _Builder:
    def __init__(self, root: Element, folder: Path, contacts: bool):
        self.contacts, self.total = contacts, 0.0
        self.root, self.report, self.compiler = root, Report(), Compiler()
        for element in root.all("compiler"):
            for word in self.compiler.read(element):
                self.report.left_out(element, f"{word}={element.attributes[word][:40]!r} is not understood.")
        self.defaults = Defaults(root)
        meshes = {_asset_name(e): e for asset in root.all("asset") for e in self._assets(asset)}
        self.geoms = Geoms(self.compiler, meshes, root.file.parent, folder, self.report)
        self.names: set[str] = {"ground"}

    def _assets(self, asset: Element) -> list[Element]:
        return [self.defaults.applied(e, MAIN) for e in asset.all("mesh")]

    def model(self) -> Model:
        made = Model(self.root.attributes.get("model") or "scene", gravity=self._gravity())
        made.natural = "minimal"
        self.scene = scene = Scene(made, self.report, self.compiler, self.names)
        for element in self.root.children:
            if element.tag in LOOKS:
                self.report.left_out(element, f"<{element.tag}> moves nothing.")
            elif element.tag not in SECTIONS:
                self.report.left_out(element, f"<{element.tag}> is not understood.")
        scene.bodies["world"] = world = BodyPart(Part(made.ground, STILL), STILL)
        for element in self.root.all("worldbody"):
            self._inside(element, world, MAIN, STILL, 0)
        self._scale()
        touch(scene, self.root, self.contacts)
        for section, take in (("equality", equate), ("actuator", actuate)):
            for element in self.root.all(section):
                for child in element.children:
                    take(scene, self.defaults.applied(child, MAIN))
        return self.report.give_to(made)

    def _scale(self) -> None:
        """Give all bodies together the mass that the compiler is told."""
        wanted = self.compiler.total_mass
        if wanted > 0 and self.total > 0:
            for body in self.scene.model.of_type(Body):
                share = wanted / self.total
                body.mass, body.inertia = body.mass * share, body.inertia * share

    def _gravity(self) -> tuple[float, ...]:
        gravity = [0.0, 0.0, -9.81]
        for option in self.root.all("option"):
            gravity = option.numbers("gravity", 3, gravity)
            for word, value in option.attributes.items():
                if OPTIONS.get(word) not in ("", value):
                    self.report.left_out(option, f"{word} is for MuJoCo's own solver, or not understood.")
            for flag in option.all("flag"):
                self.report.left_out(flag, "flags of MuJoCo are not taken.")
                if flag.attributes.get("gravity") == "disable":
                    gravity = [0.0, 0.0, 0.0]
        return tuple(gravity)

    # ------------------------------------------------------------------ bodies

    def _inside(self, element: Element, part: BodyPart, inherited: str, frame: Placement, depth: int) -> None:
        """Everything in a body; frame: of a <frame> in it, seen from the body."""
        if depth > DEEPEST:
            element.fail(f"more than {DEEPEST} bodies inside each other.")
        for child in element.children:
            if child.tag == "body":
                self._body(child, part, inherited, frame, depth)
            elif child.tag == "frame":
                name = child.attributes.get("childclass", inherited)
                self._inside(child, part, name, frame @ self.compiler.placement(child), depth + 1)
            elif child.tag == "geom":
                self._geom(self.defaults.applied(child, inherited), part, frame)
            elif child.tag == "site":
                self._site(self.defaults.applied(child, inherited), part, frame)
            elif child.tag in LOST:
                child.fail(f"{child.said} makes bodies or forces, which would be missing.", "Write them out.")
            elif child.tag not in ("joint", "freejoint", "inertial", "camera", "light"):
                self.report.left_out(child, f"<{child.tag}> is not understood.")

    def _body(self, element: Element, above: BodyPart, inherited: str, frame: Placement, depth: int) -> None:
        name = element.attributes.get("childclass", inherited)
        here = frame @ self.compiler.placement(element)
        world = above.world @ here
        if "mocap" in element.attributes or element.number("gravcomp", 0.0):
            self.report.left_out(element, "mocap and gravcomp are not taken.")
        joints = [self.defaults.applied(e, name) for e in element.children if e.tag in ("joint", "freejoint")]
        said = element.attributes.get("name", "")
        standing = not joints and above.part.body is self.scene.model.ground and not self.compiler.total_mass > 0
        inertia = None if standing else self._inertia(element, name)
        self.total += 0.0 if inertia is None else inertia.mass
        if not joints:
            part = self._rigid(element, above, here, world, inertia, said)
        else:
            part = self._moving(element, above, here, world, inertia, said, joints)
        if said in self.scene.bodies:
            element.fail(f"there is a body {said!r} already.")
        if said:
            self.scene.bodies[said] = part
        self._inside(element, part, name, STILL, depth + 1)

    def _rigid(
        self, element: Element, above: BodyPart, here: Placement, world: Placement, inertia: Inertia | None, said: str
    ) -> BodyPart:
        """A body without joints: fixed to the one it is in."""
        ends = above.part.at(here)
        if inertia is None or inertia.mass == 0 or above.part.body is self.scene.model.ground:
            place = Part(above.part.body, above.part.place @ here)
            self.scene.model.point(usable(said or "frame", self.names), place.at())
            return BodyPart(place, world)
        name = usable(said or "body", self.names)
        body, frame = self._made(element, name, inertia, world)
        part = BodyPart(Part(body, frame), world)
        self.scene.model.fixed(usable(f"{name}-fixed", self.names), ends, part.part.at())
        return part

    def _moving(
        self,
        element: Element,
        above: BodyPart,
        here: Placement,
        world: Placement,
        inertia: Inertia | None,
        said: str,
        joints: list[Element],
    ) -> BodyPart:
        if inertia is None:
            inertia = Inertia(0.0)
        name = usable(said or "body", self.names)
        if said and name != said:
            self.report.left_out(element, RENAMED)
        carrier, place = above.part, here
        for k, joint in enumerate(joints):
            last = k == len(joints) - 1
            part_name = name if last else usable(f"{name}-{k + 1}", self.names)
            body, frame = self._made(element, part_name, inertia if last else Inertia(0.0), world)
            part = Part(body, frame)
            self._joint(joint, carrier, place, part, name)
            carrier, place = part, STILL
        return BodyPart(carrier, world)

    def _made(self, element: Element, name: str, inertia: Inertia, world: Placement) -> tuple[Any, Placement]:
        try:
            return rigid_body(self.scene.model, name, inertia, world)
        except LinkworkError as error:
            element.fail(f"{element.said}: {error.cause}", error.remedy)

    def _inertia(self, element: Element, inherited: str) -> Inertia | None:
        inertial = element.first("inertial")
        how = self.compiler.inertia
        if inertial is not None and how != "true":
            return self._given(inertial)
        if how == "false":
            return None
        whole: Inertia | None = None
        stack = [(child, STILL) for child in element.children]
        while stack:
            child, frame = stack.pop(0)
            if child.tag == "frame":
                stack = [(x, frame @ self.compiler.placement(child)) for x in child.children] + stack
            if child.tag != "geom":
                continue
            geom = self.defaults.applied(child, inherited)
            try:
                own = self.geoms.inertia(geom)
            except LinkworkError as error:
                if error.component == geom.place:
                    raise
                geom.fail(f"{geom.said} of {element.said}: {error.cause}", error.remedy or "Give <inertial>.")
            if own is not None:
                own = own.rotated(frame.R).moved(frame.p)
                whole = own if whole is None else whole + own
        return whole

    def _given(self, inertial: Element) -> Inertia:
        place = self.compiler.placement(inertial)
        if "fullinertia" in inertial.attributes:
            xx, yy, zz, xy, xz, yz = inertial.numbers("fullinertia", 6)
            matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            matrix = np.diag(inertial.numbers("diaginertia", 3, [0.0, 0.0, 0.0]))
        return Inertia(inertial.number("mass"), place.R @ matrix @ place.R.T, place.p)

    def _geom(self, geom: Element, part: BodyPart, frame: Placement) -> None:
        self.scene.geoms.append((geom, part, frame))
        shape = self.geoms.shape(geom, part.part.place @ frame)
        if shape is not None:
            part.part.body.shape(shape)

    def _site(self, site: Element, part: BodyPart, frame: Placement) -> None:
        place = frame @ self.compiler.placement(site)
        name = site.attributes.get("name")
        if name is not None:
            self.scene.sites[name] = Part(part.part.body, part.part.place @ place), part.world @ place
            self.scene.model.point(usable(name, self.names), self.scene.sites[name][0].at())

    # ------------------------------------------------------------------ joints

    def _joint(self, element: Element, carrier: Part, here: Placement, part: Part, owner: str) -> None:
        kind = "free" if element.tag == "freejoint" else element.attributes.get("type", "hinge")
        if kind not in JOINTS:
            element.fail(f"{element.said} is of the type {kind[:30]!r}.", f"It is one of {', '.join(JOINTS)}.")
        for word in element.attributes.keys() - JOINT_WORDS:
            self.report.left_out(element, f"{word!r} of joints is not understood.")
        given = element.attributes.get("name", "")
        name = usable(given or f"{owner}-joint", self.names)
        if given and name != given:
            self.report.left_out(element, RENAMED)
        pivot = Placement(np.array(element.numbers("pos", 3, [0.0, 0.0, 0.0])), np.eye(3)) if kind != "free" else STILL
        M, N = carrier.at(here @ pivot), part.at(pivot)
        axis = unit(element, "axis", element.numbers("axis", 3, [0.0, 0.0, 1.0]))
        named: Any = {"axis": tuple(axis)} if kind in ("hinge", "slide") else {}
        made: Joint = getattr(self.scene.model, JOINTS[kind])(name, M, N, **named)
        ref = 0.0
        if kind in ("hinge", "slide"):
            ref = self._laws(element, kind, made)
        elif any(
            element.number(w, 0.0) for w in ("damping", "stiffness", "armature", "frictionloss") if kind == "ball"
        ):
            self.report.left_out(element, "springs, dampers and inertia of a ball joint are not taken.")
        elif kind == "ball" and "range" in element.attributes:
            self.report.left_out(element, "the range of a ball joint is not taken.")
        self.scene.joints[given or name] = JointPart(made, kind, ref)

    def _laws(self, element: Element, kind: str, joint: Joint) -> float:
        """Springs, dampers, limits and inertia along a coordinate; gives its value where the file shows it."""
        turned = (lambda x: self.compiler.angle(x)) if kind == "hinge" else (lambda x: x)
        coordinate = joint.coordinates[0]
        coordinate.start(0.0, rate=0.0)
        ref = turned(element.number("ref", 0.0))
        if ref:
            self.report.left_out(element, "its coordinate is 0 where MuJoCo's is `ref`.")
        for word in ("stiffness", "damping"):
            if len(element.numbers(word, None, [0.0])) > 1:
                element.fail(f"{word} of {element.said} is a polynomial.", "Give one number.")
        stiffness, damping = element.number("stiffness", 0.0), element.number("damping", 0.0)
        for word, value in (("stiffness", stiffness), ("damping", damping)):
            if value < 0:
                element.fail(f"{word} {value:g} of {element.said}.", "Give a positive number or 0.")
        if stiffness:
            coordinate.law(Spring(stiffness, rest=turned(element.number("springref", 0.0)) - ref))
        if damping:
            coordinate.law(Damper(damping))
        if element.number("frictionloss", 0.0) > 0:
            coordinate.law(Friction(element.number("frictionloss")))
            self.report.left_out(element, "frictionloss is dry friction that fades below 1 mm/s or 1 mrad/s.")
        self._limits(element, coordinate, turned, ref)
        armature = element.number("armature", 0.0)
        if armature:
            self.scene.armature(element, joint, armature)
        return ref

    def _limits(self, element: Element, coordinate: Any, turned: Any, ref: float) -> None:
        said = element.attributes.get("limited", "auto")
        automatic = said == "auto" and self.compiler.autolimits and "range" in element.attributes
        if said != "true" and not automatic:
            return
        low, high = (turned(x) - ref for x in element.numbers("range", 2))
        if not low < high:
            element.fail(f"the range of {element.said} is empty.")
        coordinate.law(Limits(low, high))


def _asset_name(element: Element) -> str:
    return element.attributes.get("name") or Path(element.attributes.get("file", "")).stem
