"""Mechanisms that come with the package: `linkwork run slider-crank`.

Each module has `model(**options)`, how long to run (`DURATION`, s) and what to plot first (`SHOW`).
"""

from __future__ import annotations

import ast
import pkgutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from linkwork.core.errors import UnknownName


def names() -> list[str]:
    """Names of the examples, as one types them."""
    return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def title(name: str) -> str:
    """First line of an example's docstring, read without running the example."""
    spec = find_spec(_module_name(name))
    if spec is None or spec.origin is None:
        raise UnknownName("example", name, names())
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def module(name: str) -> ModuleType:
    """The module of an example."""
    if name.replace("_", "-") not in names():
        raise UnknownName("example", name, names())
    return import_module(_module_name(name))


def _module_name(name: str) -> str:
    return f"{__name__}.{name.replace('-', '_')}"
