"""A gallery: one page that shows models with their pictures, plots and code, and leads to their animations."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.bondgraph.graph import BondGraph
from linkwork.files.atomic import replacing

if TYPE_CHECKING:
    from linkwork.core.result import Result

THUMBNAIL = 0.66
"""Height over width."""
STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #26323c; margin: 0 auto; max-width: 1180px; padding: 24px; }
h1 { font-size: 26px; margin: 0 0 4px; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: 22px; margin-top: 22px; }
article { border: 1px solid #d9dee2; border-radius: 10px; overflow: hidden; display: flex; flex-direction: column; }
article > a { background: #fff; border-bottom: 1px solid #e6eaed; }
article img { width: 100%; aspect-ratio: 1 / 0.66; object-fit: contain; display: block; }
article div { padding: 12px 16px 14px; }
h2 { font-size: 17px; margin: 0 0 4px; }
p { margin: 0 0 8px; }
a { color: #2a6a9e; text-decoration: none; }
a:hover { text-decoration: underline; }
summary { cursor: pointer; color: #2a6a9e; }
details img { aspect-ratio: auto; max-height: 420px; margin: 8px 0; }
pre { font: 12px/1.45 ui-monospace, monospace; background: #f6f8f9; padding: 10px; overflow-x: auto; }
"""


@dataclass(frozen=True)
class Exhibit:
    """One entry: name, one line on what it is, its code; its picture, where that leads to, and its plot, if any."""

    name: str
    title: str
    code: str
    picture: str
    target: str
    plot: str


def exhibit(folder: Path, name: str, title: str, code: str, result: Result, graph: BondGraph | None = None) -> Exhibit:
    """Write the files of one entry: NAME.png and NAME.html where something moves, NAME-plot.svg.

    graph: a bond graph, whose drawing is shown where nothing moves.
    """
    from linkwork.studio.build import build_scene
    from linkwork.studio.page import page
    from linkwork.studio.picture import picture

    moves = any(f"{body}.x" in result for body in result.description.get("bodies", {}))
    if moves:
        scene = build_scene(result)
        with replacing(folder / f"{name}.html") as draft:
            draft.write_text(page(scene), encoding="utf-8")
        with replacing(folder / f"{name}.png") as draft:
            frame = scene.frame_at(scene.t[0] + 0.37 * (scene.t[-1] - scene.t[0]))
            picture(scene, frame, notes=False, shape=THUMBNAIL).savefig(draft, dpi=110)
    elif graph is not None:
        graph.save(folder / f"{name}.svg")
    plot = f"{name}-plot.svg" if result.record.get("show") else ""
    if plot:
        result.plot(file=folder / plot)
    picture_file = f"{name}.png" if moves else f"{name}.svg" if graph is not None else plot
    return Exhibit(name, title, code, picture_file, f"{name}.html" if moves else picture_file, plot)


def write_index(folder: Path, exhibits: list[Exhibit], heading: str = "Linkwork gallery") -> Path:
    """index.html over all entries."""
    cards = "\n".join(_card(entry) for entry in exhibits)
    text = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{html.escape(heading)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{html.escape(heading)}</h1>\n"
        f"<p>Pictures of mechanisms lead to animations that play in the browser; run any of them with "
        f"<code>linkwork view NAME</code>.</p>\n"
        f'<div class="grid">\n{cards}\n</div>\n</body>\n</html>\n'
    )
    path = folder / "index.html"
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")
    return path


def _card(entry: Exhibit) -> str:
    name = html.escape(entry.name)
    target, shown = html.escape(entry.target), html.escape(entry.picture)
    picture = f'<a href="{target}"><img src="{shown}" alt="{name}" loading="lazy"></a>'
    plot = f'<details><summary>Plot</summary><img src="{html.escape(entry.plot)}" alt="plot of {name}"></details>'
    code = f"<details><summary>Code</summary><pre>{html.escape(entry.code)}</pre></details>"
    return (
        f'<article id="{name}">{picture}<div><h2>{name}</h2><p>{html.escape(entry.title)}</p>'
        f"{plot if entry.plot not in ('', entry.picture) else ''}{code}</div></article>"
    )
