"""URDF: links and joints of a robot, read into a model.

Links that fixed joints hold together are one body; their frames stay as points. The root is fixed to the ground, unless
it is to float.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.components import shapes
from linkwork.components.inertia import Inertia
from linkwork.components.joint import Joint
from linkwork.components.laws import Damper, Friction, Limits, Motion
from linkwork.components.mesh_files import check_readable, scale_of
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.model import Model
from linkwork.files.folder import beside
from linkwork.files.robots import xml_tree
from linkwork.files.robots.report import Report
from linkwork.files.robots.tree import RENAMED, STILL, Part, Placement, from_rpy, rigid_body, usable
from linkwork.files.robots.xml_tree import Element

GRAVITY = (0.0, 0.0, -9.81)
"""URDF has none of its own [m/s²]."""
JOINTS = {
    "revolute": ("revolute", ("angle",)),
    "continuous": ("revolute", ("angle",)),
    "prismatic": ("prismatic", ("slide",)),
    "planar": ("planar", ()),
    "floating": ("free", ()),
}
"""By type: the component, and its coordinate that laws act on."""
TAGS = {
    "robot": {"link", "joint", "material"},
    "link": {"inertial", "visual", "collision"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"},
}
ENDLESS = 1e3
"""Limits beyond this are none [m or rad]."""


@dataclass
class Link:
    """A link, and the joint that carries it."""

    element: Element
    inertia: Inertia | None
    joint: Element | None = None
    parent: str = ""
    origin: Placement = STILL


def load(path: Path, *, folder: Path | None = None, floating: bool = False) -> Model:
    """The model of a robot; folder: where meshes may lie; floating: whether its root is free to move."""
    return build(xml_tree.read(path), path.parent if folder is None else folder, floating)


def build(root: Element, folder: Path, floating: bool = False) -> Model:
    """The model that a tree describes."""
    if root.tag != "robot":
        root.fail(f"the root is {root.said}.", "A URDF file begins with <robot>.")
    return _Builder(root, folder, floating).model()


class _Builder:
    def __init__(self, root: Element, folder: Path, floating: bool):
        self.root, self.folder, self.floating = root, folder, floating
        self.report = Report()
        self.names: set[str] = {"ground"}
        self.parts: dict[str, Part] = {}
        self.worlds: dict[str, Placement] = {}
        self.joints: dict[str, Joint] = {}

    def model(self) -> Model:
        self._look_for_strangers()
        links = self._links()
        order = self._order(links)
        self.made = Model(self.root.attributes.get("name") or "robot", gravity=GRAVITY)
        self.made.natural = "minimal"
        held = {name: self._holder(links, name) for name in order}
        for name in order:
            if held[name] == name:
                self._body(name, links, [n for n in order if held[n] == name])
        for name in order:
            if links[name].joint is not None and held[name] == name:
                self._joint(links[name], name)
        for name in order:
            self._mimic(links[name])
        return self.report.give_to(self.made)

    def _look_for_strangers(self) -> None:
        for element in [self.root, *self.root.all("link"), *self.root.all("joint")]:
            for child in element.children:
                if child.tag not in TAGS[element.tag]:
                    self.report.left_out(child, f"<{child.tag}> is not understood.")
                elif child.tag in ("calibration", "safety_controller"):
                    self.report.left_out(child, f"<{child.tag}> says nothing of how the robot moves by itself.")

    # ------------------------------------------------------------------ the tree

    def _links(self) -> dict[str, Link]:
        links: dict[str, Link] = {}
        for element in self.root.all("link"):
            name = element.text("name")
            if name in links:
                element.fail(f"there is a link {name!r} already.")
            links[name] = Link(element, self._inertia(element))
        if not links:
            self.root.fail("there is no <link>.")
        for joint in self.root.all("joint"):
            ends = [self._end(joint, word, links) for word in ("parent", "child")]
            child = links[ends[1]]
            if child.joint is not None:
                joint.fail(f"{ends[1]!r} has a parent already: {child.joint.said}.", "A URDF robot is a tree.")
            child.joint, child.parent, child.origin = joint, ends[0], _origin(joint)
        return links

    def _end(self, joint: Element, word: str, links: dict[str, Link]) -> str:
        element = joint.first(word)
        if element is None:
            joint.fail(f"{joint.said} has no <{word}>.")
        name = element.text("link")
        if name not in links:
            error = UnknownName("link", name, links)
            element.fail(error.cause, error.remedy)
        return name

    def _order(self, links: dict[str, Link]) -> list[str]:
        """Parents before their children."""
        roots = [name for name, link in links.items() if link.joint is None]
        if len(roots) != 1:
            said = ", ".join(roots[:5]) or "none: they go in a circle"
            self.root.fail(f"{len(roots)} links have no parent ({said}).", "A URDF robot is one tree.")
        children: dict[str, list[str]] = {}
        for name, link in links.items():
            children.setdefault(link.parent, []).append(name)
        order, stack = [], roots
        while stack:
            name = stack.pop()
            order.append(name)
            stack += reversed(children.get(name, []) if name else [])
        if len(order) < len(links):
            lost = next(link for name, link in links.items() if name not in order)
            lost.element.fail(f"{lost.element.said} is not joined to the root.", "Joints must not go in a circle.")
        return order

    def _holder(self, links: dict[str, Link], name: str) -> str:
        """The first link up the tree that a fixed joint does not hold; the root itself."""
        link = links[name]
        while link.joint is not None and link.joint.text("type") == "fixed":
            name = link.parent
            link = links[name]
        return name

    def _inertia(self, link: Element) -> Inertia | None:
        inertial = link.first("inertial")
        if inertial is None:
            return None
        mass, moments = inertial.first("mass"), inertial.first("inertia")
        if mass is None or moments is None:
            inertial.fail(f"<inertial> of {link.said} needs <mass> and <inertia>.")
        ixx, iyy, izz, ixy, ixz, iyz = (moments.number(f"i{k}", 0.0) for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
        place = _origin(inertial)
        matrix = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        try:
            return Inertia(mass.number("value"), place.R @ matrix @ place.R.T, place.p)
        except LinkworkError as error:
            inertial.fail(f"{link.said}: {error.cause}", error.remedy)

    # ------------------------------------------------------------------ bodies

    def _body(self, name: str, links: dict[str, Link], members: list[str]) -> None:
        """All links that are rigid with one: a body, or the ground."""
        places: dict[str, Placement] = {name: STILL}
        whole = links[name].inertia
        for member in members[1:]:
            link = links[member]
            places[member] = places[link.parent] @ link.origin
            if link.inertia is not None:
                there = link.inertia.rotated(places[member].R).moved(places[member].p)
                whole = there if whole is None else whole + there
        link = links[name]
        above = self.worlds.get(link.parent, STILL)
        for member in members:
            self.worlds[member] = above @ link.origin @ places[member]
        if link.joint is None and not self.floating:
            if whole is not None and whole.mass > 0:
                self.report.left_out(
                    link.element, "is fixed to the ground, its mass moves nothing (floating=True frees it)."
                )
            self.parts |= {m: Part(self.made.ground, places[m]) for m in members}
        else:
            self._moving(name, link, whole, places)
        for member in members:
            if member != name:
                self._point(links[member], member)
            self._look(links[member].element, self.parts[member])

    def _moving(self, name: str, link: Link, whole: Inertia | None, places: dict[str, Placement]) -> None:
        if whole is None:
            self.report.left_out(link.element, "has no mass: it is a body without one.")
            whole = Inertia(0.0)
        try:
            body, frame = rigid_body(self.made, usable(name, self.names), whole, self.worlds[name])
        except ModelError as error:
            link.element.fail(f"{link.element.said}: {error.cause}", error.remedy)
        if body.name != name:
            self.report.left_out(link.element, RENAMED)
        self.parts |= {m: Part(body, frame @ place) for m, place in places.items()}

    def _point(self, link: Link, name: str) -> None:
        self.made.point(usable(name, self.names), self.parts[name].at())

    def _look(self, link: Element, part: Part) -> None:
        if link.first("collision") is not None:
            self.report.left_out(link, "<collision> makes no contact: add m.contact(…) where it touches something.")
        for visual in link.all("visual"):
            geometry = visual.first("geometry")
            for element in [] if geometry is None else geometry.children:
                shape = self._shape(element, part.place @ _origin(visual), _colour(visual, self.root))
                if shape is not None:
                    part.body.shape(shape)

    def _shape(self, element: Element, place: Placement, colour: str | None) -> shapes.Shape | None:
        looks: Any = {"at": tuple(place.p.tolist()), "rotation": place.R.tolist(), "colour": colour}
        try:
            if element.tag == "box":
                return shapes.Box(tuple(element.numbers("size", 3)), **looks).checked("box")
            if element.tag == "cylinder":
                size = element.number("radius"), element.number("length")
                return shapes.Cylinder(*size, "z", **looks).checked("cylinder")
            if element.tag == "sphere":
                return shapes.Sphere(element.number("radius"), **looks).checked("sphere")
            if element.tag == "mesh":
                return self._mesh(element, looks)
        except LinkworkError as error:
            self.report.left_out(element, f"{error.cause}")
            return None
        self.report.left_out(element, f"<{element.tag}> is no shape that is known.")
        return None

    def _mesh(self, element: Element, looks: Any) -> shapes.Shape | None:
        scale = element.numbers("scale", 3, [1.0, 1.0, 1.0])
        name = element.text("filename")
        plain = name.removeprefix("package://").removeprefix("file://").removeprefix("model://")
        file = beside(element.file.parent, self.folder, plain)
        if not file.is_file():
            self.report.left_out(element, f"there is no such mesh in {str(self.folder)!r}: give folder=….")
            return None
        check_readable(file)
        return shapes.Mesh(str(file), scale_of(scale), **looks).checked("mesh")

    # ------------------------------------------------------------------ joints

    def _joint(self, link: Link, name: str) -> None:
        element = link.joint
        assert element is not None
        kind = element.text("type")
        if kind not in JOINTS:
            error = UnknownName("type of joint", kind, [*JOINTS, "fixed"])
            element.fail(error.cause, error.remedy)
        word, labels = JOINTS[kind]
        given = element.text("name")
        said = usable(given, self.names)
        if said != given:
            self.report.left_out(element, RENAMED)
        M, N = self.parts[link.parent].at(link.origin), self.parts[name].at()
        named: dict[str, Any] = {} if kind == "floating" else {"axis": tuple(_axis(element))}
        try:
            made = getattr(self.made, word)(said, M, N, **named)
        except LinkworkError as error:
            element.fail(f"{element.said}: {error.cause}", error.remedy)
        self.joints[given] = made
        for label in labels:
            coordinate = getattr(made, label)
            coordinate.start(0.0, rate=0.0)
            self._limits(element, kind, coordinate)
            self._dynamics(element, coordinate)
        if not labels and element.first("dynamics") is not None:
            self.report.left_out(element, "<dynamics> of a joint with several coordinates is not taken.")

    def _limits(self, element: Element, kind: str, coordinate: Any) -> None:
        limit = element.first("limit")
        if limit is None:
            return
        lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if kind != "continuous" and lower < upper and max(-lower, upper) < ENDLESS:
            coordinate.law(Limits(lower, upper))
        elif kind != "continuous" and lower >= upper:
            self.report.left_out(limit, f"limits {lower:g} … {upper:g} leave nothing free: they are not taken.")
        if "effort" in limit.attributes or "velocity" in limit.attributes:
            self.report.left_out(
                limit, "effort and velocity bound what a drive can do, and move nothing by themselves."
            )

    def _dynamics(self, element: Element, coordinate: Any) -> None:
        dynamics = element.first("dynamics")
        if dynamics is None:
            return
        for word, law in (("damping", Damper), ("friction", Friction)):
            size = dynamics.number(word, 0.0)
            if size < 0:
                dynamics.fail(f"{word} {size:g} of {element.said}.", "Give a positive number or 0.")
            if size > 0:
                coordinate.law(law(size))

    def _mimic(self, link: Link) -> None:
        mimic = None if link.joint is None else link.joint.first("mimic")
        if mimic is None or link.joint is None:
            return
        own, name = link.joint.text("name"), mimic.text("joint")
        fixed = {joint.text("name") for joint in self.root.all("joint") if joint.text("type") == "fixed"}
        if own in fixed:
            return self.report.left_out(link.joint, "is fixed, and follows nothing.")
        if name not in self.joints and name not in fixed:
            error = UnknownName("joint", name, self.joints)
            mimic.fail(error.cause, error.remedy)
        driven = self.joints[own]
        driver = self.joints.get(name)
        if name == own or any(len(joint.coordinates) != 1 for joint in (driven, driver) if joint is not None):
            mimic.fail(f"{link.joint.said} cannot follow {name!r}.", "Joints with one coordinate can.")
        ratio, phase = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        follower = driven.coordinates[0]
        follower.value = follower.speed = None  # where it starts follows
        if driver is None:
            follower.law(Motion(phase))
        else:
            said = usable(f"{own}-mimic", self.names)
            self.made.gear(said, driver.coordinates[0], follower, ratio=ratio, phase=phase)


def _origin(element: Element) -> Placement:
    origin = element.first("origin")
    if origin is None:
        return STILL
    zero = [0.0, 0.0, 0.0]
    return Placement(np.array(origin.numbers("xyz", 3, zero)), from_rpy(*origin.numbers("rpy", 3, zero)))


def _axis(joint: Element) -> list[float]:
    element = joint.first("axis")
    axis = [1.0, 0.0, 0.0] if element is None else element.numbers("xyz", 3, [1.0, 0.0, 0.0])
    if not np.linalg.norm(axis) > 1e-12:
        joint.fail(f"the axis of {joint.said} has no direction.")
    return axis


def _colour(visual: Element, root: Element) -> str | None:
    material = visual.first("material")
    if material is not None and material.first("color") is None:
        name = material.attributes.get("name")
        material = next((m for m in root.all("material") if m.attributes.get("name") == name), None)
    colour = None if material is None else material.first("color")
    if colour is None:
        return None
    rgba = colour.numbers("rgba", None, [0.5, 0.5, 0.5, 1.0])
    return "#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in [*rgba, 0.5, 0.5, 0.5][:3])
