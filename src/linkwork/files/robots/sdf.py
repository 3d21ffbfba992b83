"""SDF: links and joints of one model, read into a model of ours. Loops are kept: every joint is a joint.

Links that fixed joints hold together are one body. What no joint holds to `world` floats, as in the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwork.components.coordinate import Coordinate
from linkwork.components.inertia import Inertia
from linkwork.components.joint import Joint
from linkwork.components.laws import Damper, Friction, Limits, Spring
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.model import Model
from linkwork.files.robots import xml_tree
from linkwork.files.robots.report import Report
from linkwork.files.robots.sdf_frames import MODEL, Frames, pose_of
from linkwork.files.robots.sdf_looks import look
from linkwork.files.robots.tree import RENAMED, STILL, Part, Placement, rigid_body, usable
from linkwork.files.robots.xml_tree import Element

GRAVITY = [0.0, 0.0, -9.8]
"""SDF's own where a world gives none [m/s²]."""
WORLD = "world"
JOINTS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "ball": "spherical",
    "universal": "universal",
    "revolute2": "universal",
}
TAGS = {
    "sdf": {"world", "model"},
    "world": {"model", "gravity"},
    "model": {"pose", "link", "joint", "frame", "static"},
    "link": {"pose", "inertial", "visual", "collision", "gravity", "kinematic"},
    "joint": {"pose", "parent", "child", "axis", "axis2"},
    "axis": {"xyz", "limit", "dynamics", "use_parent_model_frame", "mimic"},
}
LOST = {"include": "brings another file along", "model": "is a model inside another"}
"""What would be missing."""
ENDLESS = 1e3
"""Limits beyond this are none [m or rad]."""


def load(path: Path, *, folder: Path | None = None) -> Model:
    """The model of a file; folder: where meshes may lie."""
    return build(xml_tree.read(path), path.parent if folder is None else folder)


def build(root: Element, folder: Path) -> Model:
    """The model that a tree describes."""
    if root.tag != "sdf":
        root.fail(f"the root is {root.said}.", "An SDF file begins with <sdf>.")
    return _Builder(root, folder).model()


class _Builder:
    def __init__(self, root: Element, folder: Path):
        self.root, self.folder, self.report = root, folder, Report()
        self.version = _version(root)
        within = root.first("world") or root
        models = within.all("model")
        if len(models) != 1:
            root.fail(f"there are {len(models)} models.", "Give a file with one <model>.")
        self.gravity, self.model_element = within.inner_numbers("gravity", 3, GRAVITY), models[0]
        self.names: set[str] = {"ground"}
        self.parts: dict[str, Part] = {}
        self.joints: dict[str, Joint] = {}

    def model(self) -> Model:
        model = self.model_element
        self._look_for_strangers()
        self.frames, self.stand = Frames(model), pose_of(model)
        self.links = self._named("link")
        self.joint_elements = self._named("joint")
        if not self.links:
            model.fail("there is no <link>.")
        self.made = Model(usable(model.text("name"), set()), gravity=tuple(self.gravity))
        self.made.natural = "minimal"
        self.parts[WORLD] = Part(self.made.ground, STILL)
        for members in self._rigid():
            self._body(members)
        for name, element in self.joint_elements.items():
            if element.text("type") != "fixed":
                self._joint(name, element)
        for element in self.joint_elements.values():
            self._mimic(element)
        return self.report.give_to(self.made)

    def _look_for_strangers(self) -> None:
        model = self.model_element
        inner = [*model.all("link"), *model.all("joint")]
        axes = [axis for joint in model.all("joint") for word in ("axis", "axis2") for axis in joint.all(word)]
        for element in [self.root, *self.root.all("world"), model, *inner, *axes]:
            kind = "axis" if element.tag == "axis2" else element.tag
            for child in element.children:
                if child.tag in LOST and child.tag not in TAGS[kind]:
                    child.fail(f"{child.said} {LOST[child.tag]}, which would be missing.", "Write it out.")
                if child.tag not in TAGS[kind]:
                    self.report.left_out(child, f"<{child.tag}> is not understood.")

    def _named(self, tag: str) -> dict[str, Element]:
        elements: dict[str, Element] = {}
        for element in self.model_element.all(tag):
            name = element.text("name")
            if name in elements:
                element.fail(f"there is a {tag} {name!r} already.")
            elements[name] = element
        return elements

    # ------------------------------------------------------------------ bodies

    def _rigid(self) -> list[list[str]]:
        """Links that fixed joints hold together; the world, and what is held to it, come first."""
        group = {name: {name} for name in [WORLD, *self.links]}
        for element in self.joint_elements.values():
            ends = [self._end(element, word) for word in ("parent", "child")]
            if element.text("type") == "fixed":
                joined = group[ends[0]] | group[ends[1]]
                group |= dict.fromkeys(joined, joined)
        if self.model_element.inner("static", "false") in ("true", "1"):
            group = dict.fromkeys(group, set(group))
        order = [WORLD, *self.links]
        groups: list[list[str]] = []
        for name in order:
            if not any(name in members for members in groups):
                groups.append([n for n in order if n in group[name]])
        return groups

    def _end(self, joint: Element, word: str) -> str:
        name = joint.inner(word)
        if name != WORLD and name not in self.links:
            error = UnknownName("link", name, [*self.links, WORLD])
            joint.fail(error.cause, error.remedy)
        return name

    def _body(self, members: list[str]) -> None:
        if members[0] == WORLD:
            for name in members[1:]:
                self.parts[name] = Part(self.made.ground, self._place(name))
        else:
            self._moving(members)
        for name in members:
            if name == WORLD:
                continue
            if name != members[0]:
                self.made.point(usable(name, self.names), self.parts[name].at())
            look(self.links[name], self.parts[name], self.folder, self.report)

    def _moving(self, members: list[str]) -> None:
        first, element = members[0], self.links[members[0]]
        base = self._place(first)
        places = {name: base.inverse() @ self._place(name) for name in members}
        whole: Inertia | None = None
        for name in members:
            own = self._inertia(self.links[name]).rotated(places[name].R).moved(places[name].p)
            whole = own if whole is None else whole + own
        assert whole is not None
        try:
            body, frame = rigid_body(self.made, usable(first, self.names), whole, base)
        except LinkworkError as error:
            element.fail(f"{element.said}: {error.cause}", error.remedy)
        if body.name != first:
            self.report.left_out(element, RENAMED)
        self.parts |= {name: Part(body, frame @ place) for name, place in places.items()}

    def _place(self, link: str) -> Placement:
        """Of a link in the world."""
        return self.stand @ self.frames.of(link, self.links[link])

    def _inertia(self, link: Element) -> Inertia:
        for word, usual in (("gravity", "true"), ("kinematic", "false")):
            if link.inner(word, usual) not in (usual, str(int(usual == "true"))):
                link.fail(f"<{word}> of {link.said} is not {usual}.", "Bodies without gravity or inertia are not read.")
        inertial = link.first("inertial")
        if inertial is None:
            self.report.left_out(link, "has no <inertial>: it is 1 kg and 1 kg·m², as SDF says.")
            return Inertia(1.0, np.eye(3))
        place = pose_of(inertial)
        moments = inertial.first("inertia")
        xx, yy, zz, xy, xz, yz = (
            (usual if moments is None else moments.inner_numbers(f"i{k}", 1, [usual])[0])
            for k, usual in (("xx", 1.0), ("yy", 1.0), ("zz", 1.0), ("xy", 0.0), ("xz", 0.0), ("yz", 0.0))
        )
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        try:
            return Inertia(inertial.inner_numbers("mass", 1, [1.0])[0], place.R @ matrix @ place.R.T, place.p)
        except LinkworkError as error:
            inertial.fail(f"{link.said}: {error.cause}", error.remedy)

    # ------------------------------------------------------------------ joints

    def _joint(self, name: str, element: Element) -> None:
        kind = element.text("type")
        if kind not in JOINTS:
            error = UnknownName("type of joint", kind, [*JOINTS, "fixed"])
            element.fail(f"{element.said}: {error.cause}", error.remedy)
        said = usable(name, self.names)
        if said != name:
            self.report.left_out(element, RENAMED)
        here = self.stand @ self.frames.of(name, element)
        ends = [self._end(element, word) for word in ("parent", "child")]
        places = [STILL if end == WORLD else self._place(end) for end in ends]
        M, N = (self.parts[end].at(place.inverse() @ here) for end, place in zip(ends, places, strict=True))
        words = ("axis", "axis2")[: 2 if JOINTS[kind] == "universal" else 0 if kind == "ball" else 1]
        named: dict[str, Any] = {word: tuple(self._axis(element, word)) for word in words}
        try:
            made = getattr(self.made, JOINTS[kind])(said, M, N, **named)
        except LinkworkError as error:
            element.fail(f"{element.said}: {error.cause}", error.remedy)
        self.joints[name] = made
        for word, coordinate in zip(words, made.coordinates, strict=False):
            axis = element.first(word)
            if axis is not None:
                self._limits(axis, kind, coordinate)
                self._dynamics(axis, coordinate)

    def _axis(self, joint: Element, word: str) -> list[float]:
        """In the frame of the joint; older files give it in that of the model."""
        axis = joint.first(word)
        xyz = None if axis is None else axis.first("xyz")
        if axis is None or xyz is None:
            return [0.0, 0.0, 1.0]
        given = axis.inner_numbers("xyz", 3)
        if not np.linalg.norm(given) > 1e-12:
            joint.fail(f"the axis of {joint.said} has no direction.")
        in_model = self.version < (1, 5) or axis.inner("use_parent_model_frame", "false") in ("true", "1")
        frame = xyz.attributes.get("expressed_in") or (MODEL if in_model and self.version < (1, 7) else "")
        return self.frames.turned(given, frame, joint) if frame else given

    def _limits(self, axis: Element, kind: str, coordinate: Coordinate) -> None:
        limit = axis.first("limit")
        if limit is None:
            return
        lower, upper = (_bound(limit, word, side) for word, side in (("lower", -1.0), ("upper", 1.0)))
        if any(limit.first(word) is not None for word in ("effort", "velocity", "stiffness", "dissipation")):
            self.report.left_out(limit, "effort, velocity, stiffness and dissipation of limits are not taken.")
        if kind == "continuous" or max(-lower, upper) >= ENDLESS:
            if kind != "continuous" and min(-lower, upper) < ENDLESS:
                self.report.left_out(limit, "limits on one side only are not taken.")
            return
        if not lower < upper or not lower <= 0 <= upper:
            said = "leave nothing free" if not lower < upper else "do not hold where the file shows it"
            self.report.left_out(limit, f"limits that {said} are not taken.")
            return
        coordinate.law(Limits(lower, upper))

    def _dynamics(self, axis: Element, coordinate: Coordinate) -> None:
        dynamics = axis.first("dynamics")
        if dynamics is None:
            return
        sizes = {w: dynamics.inner_numbers(w, 1, [0.0])[0] for w in ("damping", "friction", "spring_stiffness")}
        for word, size in sizes.items():
            if size < 0:
                dynamics.fail(f"{word} {size:g}.", "Give a positive number or 0.")
        if sizes["damping"]:
            coordinate.law(Damper(sizes["damping"]))
        if sizes["friction"]:
            coordinate.law(Friction(sizes["friction"]))
        if sizes["spring_stiffness"]:
            rest = dynamics.inner_numbers("spring_reference", 1, [0.0])[0]
            coordinate.law(Spring(sizes["spring_stiffness"], rest=rest))

    def _mimic(self, element: Element) -> None:
        """follower = multiplier · (leader − reference) + offset."""
        axis = element.first("axis")
        mimic = None if axis is None else axis.first("mimic")
        if mimic is None:
            return
        own, leader = self.joints.get(element.text("name")), self.joints.get(mimic.text("joint"))
        if own is None or leader is None or own is leader or any(len(j.coordinates) != 1 for j in (own, leader)):
            mimic.fail(f"{element.said} cannot follow {mimic.text('joint')!r}.", "Joints with one coordinate can.")
        ratio, offset, reference = (
            mimic.inner_numbers(word, 1, [usual])[0]
            for word, usual in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
        )
        follower = own.coordinates[0]
        follower.value = follower.speed = None  # where it starts follows
        said = usable(f"{own.name}-mimic", self.names)
        self.made.gear(said, leader.coordinates[0], follower, ratio=ratio, phase=offset - ratio * reference)


def _version(root: Element) -> tuple[int, int]:
    try:
        major, minor = root.attributes.get("version", "1.6").split(".")[:2]
        return int(major), int(minor)
    except ValueError:
        root.fail(f"version {root.attributes.get('version', '')[:20]!r} is none of SDF.", "Write 1.6, for instance.")


def _bound(limit: Element, word: str, side: float) -> float:
    """A limit; what is infinite, or not given, is none."""
    text = limit.inner(word, "").lower().lstrip("+-")
    return side * np.inf if text in ("", "inf", "infinity") else limit.inner_numbers(word, 1)[0]
