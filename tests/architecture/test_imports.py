"""No module needs itself: imports make no circle, those within functions counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (SOURCE / "linkwork").rglob("*.py")
}


def imports(node: ast.AST) -> Iterator[ast.ImportFrom]:
    """All of a module but those that only type checkers see."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom):
            yield child
        yield from imports(child)


def needs(module: str) -> set[str]:
    found = set()
    for line in imports(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        names = [f"{line.module}.{alias.name}" for alias in line.names]
        found |= {name if name in MODULES else str(line.module) for name in names}
    return (found & MODULES.keys()) - {module}


def test_imports_make_no_circle():
    order = list(TopologicalSorter({module: needs(module) for module in MODULES}).static_order())  # raises for a circle
    assert len(order) == len(MODULES)
