"""MJCF: equalities, which close loops: connect, weld and joint. They are rigid here."""

from __future__ import annotations

import numpy as np

from linkwork.core.component import Marker
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.files.robots.mjcf_frames import from_quaternion, unit
from linkwork.files.robots.mjcf_scene import BodyPart, JointPart, Scene
from linkwork.files.robots.tree import Placement
from linkwork.files.robots.xml_tree import Element


def equate(scene: Scene, element: Element) -> None:
    """Add what an element of <equality> demands."""
    if element.attributes.get("active", "true") == "false":
        return scene.report.left_out(element, "is not active.")
    known = {"connect": _connect, "weld": _weld, "joint": _joint}
    if element.tag not in known:
        return scene.report.left_out(element, f"equalities of the kind <{element.tag}> are not understood.")
    if {"solref", "solimp"} & set(element.attributes):
        scene.report.left_out(element, "is rigid: solref and solimp are not taken.")
    try:
        known[element.tag](scene, element)
    except LinkworkError as error:
        if str(error.component).startswith(str(element.file)):
            raise
        element.fail(f"{element.said}: {error.cause}", error.remedy)
    return None


def _bodies(scene: Scene, element: Element) -> tuple[BodyPart, BodyPart]:
    bodies = []
    for word, default in (("body1", None), ("body2", "world")):
        name = element.text(word, default)
        if name not in scene.bodies:
            error = UnknownName("body", name, scene.bodies)
            element.fail(error.cause, error.remedy)
        bodies.append(scene.bodies[name])
    if bodies[0].part.body is bodies[1].part.body:
        element.fail(f"{element.said} joins a body to itself, or to one that is rigid with it.")
    return bodies[0], bodies[1]


def _sites(scene: Scene, element: Element) -> list[tuple[Marker, Placement]] | None:
    if "site1" not in element.attributes:
        return None
    sites = []
    for word in ("site1", "site2"):
        name = element.text(word)
        if name not in scene.sites:
            error = UnknownName("site", name, scene.sites)
            element.fail(error.cause, error.remedy)
        sites.append((scene.sites[name][0].at(), scene.sites[name][1]))
    return sites


def _name(scene: Scene, element: Element) -> str:
    return scene.name(element.attributes.get("name") or element.tag)


def _connect(scene: Scene, element: Element) -> None:
    """A point of the first body stays on that point of the second where it is at the start."""
    sites = _sites(scene, element)
    if sites is not None:
        scene.model.spherical(_name(scene, element), *(frame for frame, _ in sites))
        return
    first, second = _bodies(scene, element)
    anchor = Placement(np.array(element.numbers("anchor", 3)), np.eye(3))
    there = second.world.inverse() @ first.world @ anchor
    scene.model.spherical(_name(scene, element), first.part.at(anchor), second.part.at(there))


def _weld(scene: Scene, element: Element) -> None:
    """Two bodies keep how they lie to each other."""
    sites = _sites(scene, element)
    if sites is not None:
        scene.model.fixed(_name(scene, element), *(frame for frame, _ in sites))
        return
    first, second = _bodies(scene, element)
    relative = first.world.inverse() @ second.world
    given = element.numbers("relpose", 7, [0.0] * 7)
    if any(given[3:]):
        turned = from_quaternion(unit(element, "relpose", given[3:]))
        relative = Placement(np.array(given[:3]), turned)
    scene.model.fixed(_name(scene, element), first.part.at(relative), second.part.at())


def _joint(scene: Scene, element: Element) -> None:
    """q1 − ref1 is a polynomial of q2 − ref2; without a second joint, a constant."""
    pair = [_single(scene, element, word) for word in ("joint1", "joint2") if word in element.attributes]
    if not pair:
        element.fail(f"{element.said} names no joint1.")
    c = [*element.numbers("polycoef", None, [0.0, 1.0, 0.0, 0.0, 0.0]), 0.0, 0.0, 0.0, 0.0, 0.0][:5]
    follower = pair[0].joint.coordinates[0]
    follower.value = follower.speed = None  # where it starts follows
    if len(pair) == 1:
        scene.model.relation(_name(scene, element), lambda x: x - c[0], follower)
        return
    scene.model.relation(
        _name(scene, element),
        lambda x, y: x - (c[0] + y * (c[1] + y * (c[2] + y * (c[3] + y * c[4])))),
        follower,
        pair[1].joint.coordinates[0],
    )


def _single(scene: Scene, element: Element, word: str) -> JointPart:
    name = element.text(word)
    if name not in scene.joints:
        error = UnknownName("joint", name, scene.joints)
        element.fail(error.cause, error.remedy)
    if scene.joints[name].kind not in ("hinge", "slide"):
        element.fail(f"{name!r} has more than one coordinate.", "A hinge or a slide can be tied.")
    return scene.joints[name]
