"""A scene as SVG text: one group of marks per bond, element and box, each with its id and a title to hover."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from linkwork.plots.bondgraph.primitives import Box, Line, Text
from linkwork.plots.bondgraph.scene import Scene
from linkwork.plots.bondgraph.text import FAMILY, Run


def identifier(owner: str) -> str:
    """An id every reader of XML takes: what is not a letter, a digit, '-' or '_' becomes its code."""
    kind, _, name = owner.partition(":")
    return f"{kind}-" + re.sub(r"[^A-Za-z0-9_-]", lambda match: f".{ord(match.group()):x}.", name)


def svg(scene: Scene, *, fixed: bool = True, page: tuple[float, float] | None = None) -> str:
    """SVG text of a scene. fixed: in its own size, else it fills what it is put in; page: size [mm] to fit it in."""
    left, top, right, bottom = scene.frame
    size = f' width="{right - left:.0f}" height="{bottom - top:.0f}"' if fixed else ""
    if page is not None:
        size = f' width="{page[0]:g}mm" height="{page[1]:g}mm"'
    box = f"{left:.1f} {top:.1f} {right - left:.1f} {bottom - top:.1f}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg"{size} viewBox="{box}" font-family={quoteattr(FAMILY)}>'
    return "\n".join([head, f"<title>{escape(scene.graph.name)}</title>", *_owners(scene), "</svg>"]) + "\n"


def _owners(scene: Scene) -> list[str]:
    marks: dict[str, list[str]] = {}
    for part in scene.parts:
        marks.setdefault(part.owner, []).append(_mark(part))
    said = titles(scene)
    made = []
    for owner, content in marks.items():
        kind, _, name = owner.partition(":")
        title = f"<title>{escape(said[owner])}</title>" if owner in said else ""
        made.append(
            f'<g id="{identifier(owner)}" class="{kind}" data-name={quoteattr(name)}>{title}{"".join(content)}</g>'
        )
    return made


def titles(scene: Scene) -> dict[str, str]:
    """What is said of each bond and element when the pointer rests on it."""
    said = {}
    for bond in scene.graph.bonds:
        size = f", {bond.size} components" if bond.size > 1 else ""
        kind = f", {bond.kind}" if bond.kind else ""
        said[f"bond:{bond.name}"] = f"{bond.name}: {bond.tail.element.name} → {bond.head.element.name}{kind}{size}"
    for element in scene.graph.elements.values():
        said[f"element:{element.name}"] = f"{element.symbol} {element.name}"
    return said


def _mark(part: Line | Text | Box) -> str:
    if isinstance(part, Box):
        left, top, right, bottom = part.rectangle
        return (
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" rx="8" '
            f'fill="{part.fill}" stroke="{part.edge}"/>'
        )
    if isinstance(part, Line):
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in part.points)
        return (
            f'<polyline class="{part.role}" points="{points}" fill="none" stroke="{part.colour}" '
            f'stroke-width="{part.width:.2f}" stroke-linecap="round"/>'
        )
    return _text(part)


def _text(part: Text) -> str:
    """One text per run, each of the length it was laid out with, whatever fonts the reader's machine has."""
    x, y = part.at
    weight = ' font-weight="bold"' if part.bold else ""
    made = []
    for run in part.runs:
        shown = run.text.strip()
        before = Run(run.text[: len(run.text) - len(run.text.lstrip())], run.level).width(part.size)
        style = ' font-style="italic"' if run.italic else ""
        long = Run(shown, run.level).width(part.size)
        fit = f' textLength="{long:.1f}" lengthAdjust="spacingAndGlyphs"' if len(shown) > 1 else ""
        made.append(
            f'<text class="{part.role}" x="{x + before:.2f}" y="{y + run.shift * part.size:.2f}" '
            f'font-size="{part.size * run.scale:.2f}" fill="{part.colour}"{weight}{style}{fit}>{escape(shown)}</text>'
        )
        x += run.width(part.size)
    return "".join(made)
