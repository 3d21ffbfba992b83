"""Notebooks as pages of the site, with what their cells show. Cells run in this process, as a notebook runs them."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from base64 import b64encode
from pathlib import Path

FOLDER = Path(__file__).parent / "notebooks"


def executed(path: Path) -> list[tuple[str, str, str, object]]:
    """(kind, source, what was printed, what the last line is) of each cell."""
    names: dict[str, object] = {"__name__": "__main__"}
    found: list[tuple[str, str, str, object]] = []
    for number, cell in enumerate(json.loads(path.read_text("utf-8"))["cells"], 1):
        source = "".join(cell["source"])
        printed, last = io.StringIO(), None
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(printed):
                last = _run(source, names, f"{path.name}, cell {number}")
        found.append((cell["cell_type"], source, printed.getvalue(), last))
    return found


def _run(source: str, names: dict[str, object], where: str) -> object:
    tree = ast.parse(source)
    shown = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec", dont_inherit=True), names)
    if not isinstance(shown, ast.Expr):
        return None
    return eval(compile(ast.Expression(shown.value), where, "eval", dont_inherit=True), names)


def page(path: Path) -> str:
    """Markdown with code, prints and pictures."""
    parts = []
    for kind, source, printed, last in executed(path):
        if kind == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        if printed:
            parts.append(f"```text\n{printed.rstrip()}\n```")
        if last is not None:
            parts.append(_shown(last))
    parts.append(f"[This notebook as a file]({path.name})")
    return "\n\n".join(parts) + "\n"


def _shown(value: object) -> str:
    for word in ("_repr_html_", "_repr_svg_", "_repr_png_"):
        made = getattr(value, word, lambda: None)()
        if made is None:
            continue
        if isinstance(made, bytes):
            made = f'<img alt="" style="max-width:100%" src="data:image/png;base64,{b64encode(made).decode()}">'
        elif word == "_repr_svg_":
            coded = b64encode(made.encode()).decode()
            made = f'<img alt="" style="max-width:100%" src="data:image/svg+xml;base64,{coded}">'
        return "<div>" + re.sub(r"\n\s*", " ", made) + "</div>"
    return f"```text\n{value}\n```"
