"""Scene → one HTML page that plays by itself: the scene as data, three.js, and the player."""

from __future__ import annotations

import base64
import html
import json
import re
from importlib.resources import files
from typing import Final

import numpy as np

from linkwork.core.plain_data import Record
from linkwork.core.scales import scale_for
from linkwork.studio.front_end import three
from linkwork.studio.motion import Anchor
from linkwork.studio.scene import Area, Item, Node, Scene, Stroke, Surface

PIECES: Final = ("geometry", "palette", "flock", "plot", "world", "outline", "eye", "panel", "player")
"""Of the player's script, in the order in which they need each other."""


def player_script() -> str:
    """The script that defines `LinkworkPlayer`; it needs `THREE`, and runs as a classic script or as a module."""
    pieces = "\n".join(_player_file(f"{name}.js") for name in PIECES)
    return f'(() => {{\n"use strict";\n{pieces}\n}})();\n'


def player_style() -> str:
    """The style sheet of players; all its names begin with lw-."""
    return _player_file("player.css")


def _player_file(name: str) -> str:
    return (files("linkwork.studio") / "player" / name).read_text("utf-8")


def page(scene: Scene, *, live: int = 0) -> str:
    """The whole page; live: unless 0, more frames follow from the server that serves it, which counts its pages so."""
    data = json.dumps(scene_data(scene, live=live), separators=(",", ":")).replace("</", "<\\/")
    parts = {
        "TITLE": html.escape(scene.title or "Linkwork"),
        "STYLE": player_style(),
        "SCENE": data,
        "THREE": three(),
        "PLAYER": player_script() + _player_file("file_page.js"),
    }
    return re.sub(r"%([A-Z]+)%", lambda match: parts[match[1]], _player_file("page.html"))


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
        "scales": {
            group: {"text": text, "length": length, "colour": colour}
            for group, (_, text, length, colour) in scene.arrow_scales().items()
        },
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
        "t": base64_of(scene.t[rows], double=True),
        "seen": scene.hull.tolist(),
        "nodes": [_moving(node, rows) for node in scene.nodes],
        "arrows": [
            {"v": base64_of(a.vectors[rows])} | ({} if a.on else {"p": base64_of(a.points[rows])}) for a in scene.arrows
        ],
        "traces": [base64_of(trace.points[rows]) for trace in scene.traces],
        "curves": [base64_of(curve.values[rows]) for curve in scene.curves],
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


def base64_of(values: np.ndarray, *, double: bool = False) -> str:
    """Numbers as base64 text, little-endian."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8" if double else "<f4").tobytes()).decode("ascii")


def _node(node: Node) -> Record:
    known: Record = {"name": node.name, "group": node.group, "items": [_item(item) for item in node.items]}
    if node.on is not None:
        known["on"] = _anchor(node.on)
    elif node.between is not None:
        span = node.between
        known["between"] = {"a": _anchor(span.a), "b": _anchor(span.b), "length": span.length, "back": span.back}
    elif len(node.position) == 1:
        known["p"], known["q"] = node.position[0].tolist(), node.quaternion[0].tolist()
    return known


def _moving(node: Node, rows: slice) -> dict[str, str] | None:
    moving: dict[str, str] = {}
    if node.between is not None:
        return None
    double = node.group == "body"
    if node.on is None and len(node.position) > 1:
        moving = {
            "p": base64_of(node.position[rows], double=double),
            "q": base64_of(node.quaternion[rows], double=double),
        }
    if node.scale is not None:
        moving["s"] = base64_of(node.scale[rows])
    return moving or None


def _anchor(on: Anchor | None) -> Record | None:
    return None if on is None else {"body": on.body, "p": on.point.tolist(), "q": on.quaternion.tolist()}


def _item(item: Item) -> Record:
    if isinstance(item, Surface):
        return {
            "kind": "surface",
            "vertices": base64_of(item.vertices),
            "faces": base64.b64encode(np.ascontiguousarray(item.faces, dtype="<u4").tobytes()).decode("ascii"),
            "colour": item.colour,
            "opacity": item.opacity,
        }
    if isinstance(item, Area):
        return {
            "kind": "area",
            "rings": [base64_of(ring) for ring in item.rings],
            "fill": item.fill,
            "edge": item.edge,
            "width": item.width,
            "layer": item.layer,
            "opacity": item.opacity,
        }
    assert isinstance(item, Stroke)
    return {
        "kind": "stroke",
        "points": base64_of(item.points),
        "colour": item.colour,
        "width": item.width,
        "layer": item.layer,
    }
