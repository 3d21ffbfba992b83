"""MJCF: contacts of simple shapes with planes of the world: balls, ellipsoids, boxes, and the ends of capsules."""

from __future__ import annotations

import numpy as np

from linkwork.components.contacts import outlines
from linkwork.files.robots.mjcf_frames import placed_geom
from linkwork.files.robots.mjcf_geoms import SIZES
from linkwork.files.robots.mjcf_scene import BodyPart, Scene
from linkwork.files.robots.tree import Part, Placement
from linkwork.files.robots.xml_tree import Element

CONTACT_LIMIT = 60
"""Contacts of one model: more are left to the user."""


def touch(scene: Scene, root: Element, wanted: bool) -> None:
    """Add rigid contacts between planes of the world and simple shapes that move; tell of all others."""
    flags = [flag for option in root.all("option") for flag in option.all("flag")]
    if any(flag.attributes.get("contact") == "disable" for flag in flags):
        return None
    for section in root.all("contact"):
        for element in section.children:
            scene.report.left_out(element, "contacts are found by shapes: pairs and exclusions are not taken.")
    touching = [x for x in scene.geoms if any(_bits(x[0]))]
    planes = [x for x in touching if x[0].attributes.get("type") == "plane"]
    others = [x for x in touching if x[0].attributes.get("type", "sphere") != "plane"]
    for geom, part, _ in planes:
        if part.part.body is not scene.model.ground:
            scene.report.left_out(geom, "a plane that moves touches nothing.")
    flat = [x for x in planes if x[1].part.body is scene.model.ground]
    moving = [x for x in others if x[1].part.body is not scene.model.ground]
    if moving and (len(moving) > 1 or not flat):
        scene.report.left_out(moving[0][0], "shapes touch planes of the world, not each other: add m.rigid_contact(…).")
    made = 0
    for plane, ground, frame in flat:
        for geom, part, inner in moving:
            if not _meet(plane, geom):
                continue
            if not wanted:
                scene.report.left_out(geom, "makes no contact, as contacts=False says.")
                continue
            if made >= CONTACT_LIMIT:
                return scene.report.left_out(geom, f"more than {CONTACT_LIMIT} contacts: this one is left out.")
            made += _contact(scene, plane, ground, frame, geom, part, inner)
    return None


def _bits(geom: Element) -> tuple[int, int]:
    """What it is and what it touches, as bits."""
    kind, other = (geom.number(word, 1.0) for word in ("contype", "conaffinity"))
    if not (0 <= kind < 2**32 and 0 <= other < 2**32):
        geom.fail(f"contype and conaffinity of {geom.said} are no bits.")
    return int(kind), int(other)


def _meet(a: Element, b: Element) -> bool:
    (kind, other), (kind_b, other_b) = _bits(a), _bits(b)
    return bool(kind & other_b or kind_b & other)


def _contact(
    scene: Scene, plane: Element, ground: BodyPart, frame: Placement, geom: Element, part: BodyPart, inner: Placement
) -> int:
    place, size = placed_geom(scene.compiler, geom)
    kind = geom.attributes.get("type", "sphere")
    on = Part(ground.part.body, ground.part.place @ frame @ scene.compiler.placement(plane)).at()
    friction = max(g.leading("friction", 1.0) for g in (plane, geom))
    balls = {"sphere": [0.0], "capsule": [-1.0, 1.0]}.get(kind, [])
    name = geom.attributes.get("name") or f"{part.part.body.name}-{kind}"
    if len(size) < SIZES.get(kind, 0):
        geom.fail(f"{geom.said} needs {SIZES[kind]} sizes.")
    for side in balls:
        at = inner @ place @ Placement(np.array([0.0, 0.0, side * size[1] if side else 0.0]), np.eye(3))
        scene.model.rigid_contact(
            scene.name(f"{name}-contact"), part.part.at(at), on, radius=size[0], friction=friction
        )
    if kind in ("box", "ellipsoid"):
        shape = outlines.Box(tuple(2 * x for x in size[:3])) if kind == "box" else outlines.Ellipsoid(tuple(size[:3]))
        scene.model.rigid_contact(
            scene.name(f"{name}-contact"), part.part.at(inner @ place), on, shape=shape, friction=friction
        )
        return 1
    if not balls:
        scene.report.left_out(geom, f"shapes of the kind {kind!r} touch nothing: add m.rigid_contact(…).")
    return len(balls)
