"""A drawing as the page shows it: bodies with their outlines, and what stands on them, by places on bodies."""

from __future__ import annotations

from linkwork.core.plain_data import Record
from linkwork.studio.server.drawing.figure import outline
from linkwork.studio.server.drawing.frames import Place
from linkwork.studio.server.drawing.sketch import GROUND, JOINTS, Sketch

MOTORS = ("Effort", "Motion")


def view_of(sketch: Sketch) -> Record:
    """Poses [x, y, angle], outlines in body axes, pins, slides, springs, gears; places are {body, x, y, rotation}."""
    kinds = {name: sketch.type_of(name) for name in sketch.components if name != GROUND}
    return {
        "bodies": [_body(sketch, name) for name in sketch.poses if name in sketch.components],
        "joints": [_joint(sketch, name, kind) for name, kind in kinds.items() if kind in JOINTS],
        "points": [_point(sketch, name) for name, kind in kinds.items() if kind == "point"],
        "springs": [_spring(sketch, name) for name, kind in kinds.items() if kind == "spring"],
        "gears": [
            {"name": name} | {w: str(sketch.components[name].get(w, "")) for w in ("driver", "driven", "ratio")}
            for name, kind in kinds.items()
            if kind == "gear"
        ],
        "size": sketch.size(),
    }


def _body(sketch: Sketch, name: str) -> Record:
    pose = sketch.pose(name)
    return {
        "name": name,
        "pose": [pose.x, pose.y, pose.angle],
        "corners": [list(p) for p in outline(sketch.pins_on(name))],
        "drawn": name in sketch.drawn,
        "slides": any(
            sketch.type_of(use.component) == "prismatic" and use.word == "second" for use in sketch.uses_on(name)
        ),
    }


def _joint(sketch: Sketch, name: str, kind: str) -> Record:
    uses, part = sketch.uses_of(name), sketch.components[name]
    laws = [str(law) for free in part.get("free", {}).values() for law in free.get("laws", ())]
    return {
        "name": name,
        "kind": kind,
        "places": [_place(uses[word].place) for word in ("first", "second") if word in uses],
        "motor": next((law for law in laws if law.startswith(MOTORS)), None),
        "plain": all(use.plain for use in uses.values()),
    }


def _point(sketch: Sketch, name: str) -> Record:
    return {"name": name, "places": [_place(use.place) for use in sketch.uses_of(name).values()]}


def _spring(sketch: Sketch, name: str) -> Record:
    uses, part = sketch.uses_of(name), sketch.components[name]
    return {
        "name": name,
        "places": [_place(uses[word].place) for word in ("a", "b") if word in uses],
        "damper": not part.get("stiffness"),
    }


def _place(place: Place) -> Record:
    return {"body": place.body, "x": place.x, "y": place.y, "rotation": place.rotation}
