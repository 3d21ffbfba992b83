"""Scene → one HTML page that plays by itself: the scene as data, three.js, and the player."""

from __future__ import annotations

import base64
import html
import json
import re
from importlib.resources import files

import numpy as np

from linkwork.core.plain_data import Record
from linkwork.core.scales import scale_for
from linkwork.studio.front_end import three
from linkwork.studio.motion import Anchor
from linkwork.studio.scene import Area, Item, Node, Scene, Stroke, Surface


def page(scene: Scene, *, live: int = 0) -> str:
    """The whole page; live: unless 0, more frames follow from the server that serves it, which counts its pages so."""
    data = json.dumps(scene_data(scene, live=live), separators=(",", ":")).replace("</", "<\\/")
    here = files("linkwork.studio")
    parts = {
        "TITLE": html.escape(scene.title or "Linkwork"),
        "STYLE": (here / "player.css").read_text("utf-8"),
        "SCENE": data,
        "THREE": three(),
        "PLAYER": "\n".join(
            (here / f"{name}.js").read_text("utf-8") for name in ("geometry", "flock", "plot", "player")
        ),
    }
    return re.sub(r"%([A-Z]+)%", lambda found: parts[found[1]], (here / "page.html").read_text("utf-8"))


def scene_data(scene: Scene, *, live: int = 0) -> Record:
    """Everything the player needs, as JSON."""
    return {
        "title": scene.title,
        "planar": scene.planar,
        "low": scene.low.tolist(),
        "high": scene.high.tolist(),
        "up": scene.up.tolist(),
        "towards": scene.towards.tolist(),
        "unit": scene.unit,
        "speed": scene.speed,
        "follow": scene.follow,
        "beside": scene.beside.tolist(),
        "show": scene.show,
        "live": live,
        "nodes": [_node(node) for node in scene.nodes],
        "arrows": [{"name": a.name, "group": a.group, "colour": a.colour, "on": _anchor(a.on)} for a in scene.arrows],
        "traces": [{"name": trace.name, "colour": trace.colour} for trace in scene.traces],
        "curves": _curves(scene),
        "labels": [{"text": label.text, "on": _anchor(label.on)} for label in scene.labels],
        "motion": motion_data(scene),
    }


def motion_data(scene: Scene, first: int = 0) -> Record:
    """What changes, from a frame on. Bodies' poses in full precision, the rest in single."""
    rows = slice(first, None)
    return {
        "t": packed(scene.t[rows], double=True),
        "seen": scene.seen.tolist(),
        "nodes": [_moving(node, rows) for node in scene.nodes],
        "arrows": [
            {"v": packed(a.vectors[rows])} | ({} if a.on else {"p": packed(a.points[rows])}) for a in scene.arrows
        ],
        "traces": [packed(trace.points[rows]) for trace in scene.traces],
        "curves": [packed(curve.values[rows]) for curve in scene.curves],
    }


def _curves(scene: Scene) -> list[Record]:
    """Names, units, and the units that axes are numbered in; curves of equal unit share an axis."""
    largest: dict[str, float] = {}
    for curve in scene.curves:
        finite = np.abs(curve.values[np.isfinite(curve.values)])
        largest[curve.unit] = max(largest.get(curve.unit, 0.0), float(finite.max(initial=0.0)))
    scales = {unit: scale_for(unit, size) for unit, size in largest.items()}
    return [
        {"name": c.name, "unit": c.unit, "shown": scales[c.unit].unit, "exponent": scales[c.unit].exponent}
        for c in scene.curves
    ]


def packed(values: np.ndarray, *, double: bool = False) -> str:
    """Numbers as base64 text, little-endian."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8" if double else "<f4").tobytes()).decode("ascii")


def _node(node: Node) -> Record:
    known: Record = {"name": node.name, "group": node.group, "items": [_item(item) for item in node.items]}
    if node.on is not None:
        known["on"] = _anchor(node.on)
    elif len(node.position) == 1:
        known["p"], known["q"] = node.position[0].tolist(), node.quaternion[0].tolist()
    return known


def _moving(node: Node, rows: slice) -> dict[str, str] | None:
    moving: dict[str, str] = {}
    double = node.group == "body"
    if node.on is None and len(node.position) > 1:
        moving = {"p": packed(node.position[rows], double=double), "q": packed(node.quaternion[rows], double=double)}
    if node.scale is not None:
        moving["s"] = packed(node.scale[rows])
    return moving or None


def _anchor(on: Anchor | None) -> Record | None:
    return None if on is None else {"body": on.body, "p": on.point.tolist(), "q": on.quaternion.tolist()}


def _item(item: Item) -> Record:
    if isinstance(item, Surface):
        return {
            "kind": "surface",
            "vertices": packed(item.vertices),
            "faces": base64.b64encode(np.ascontiguousarray(item.faces, dtype="<u4").tobytes()).decode("ascii"),
            "colour": item.colour,
            "opacity": item.opacity,
        }
    if isinstance(item, Area):
        return {
            "kind": "area",
            "rings": [packed(ring) for ring in item.rings],
            "fill": item.fill,
            "edge": item.edge,
            "width": item.width,
            "layer": item.layer,
            "opacity": item.opacity,
        }
    assert isinstance(item, Stroke)
    return {
        "kind": "stroke",
        "points": packed(item.points),
        "colour": item.colour,
        "width": item.width,
        "layer": item.layer,
    }
