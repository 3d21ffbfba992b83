"""Writes `places.py`, which module declares what is known by name; `python -m linkwork.core.stub` calls it.

To add a component, a verb or a method of results: declare it in its module. The table is read off the declarations, and
a test tells when it is out of date.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from linkwork.core import places, registry
from linkwork.core.face import Extended
from linkwork.core.late import Late

ROOT = Path(__file__).parents[1]
FILE = Path(places.__file__)
HEAD = (places.__doc__ or "").strip()
ASIDE = (
    "linkwork.__main__",
    "linkwork.cli",
    "linkwork.environments.environment",
    "linkwork.environments.vector",
    "linkwork.examples",
)
"""What declares nothing; environments are derived from classes of Gymnasium, which need not be there."""


def load_all() -> None:
    """Import every module that may declare something."""
    for module in _modules():
        import_module(module)


def text() -> str:
    """The table of all that comes with the library."""
    load_all()
    declared: dict[str, dict[str, str] | dict[str, dict[str, str]]] = {
        "COMPONENTS": _homes(registry.components),
        "VERBS": _homes(registry.verbs),
        "METHODS": {cls.__name__: _homes(dict(_brought(cls))) for cls in _extended()},
        "NAMES": dict(sorted(_public())),
    }
    packages = sorted(p.parent.name for p in ROOT.glob("*/__init__.py"))
    tables = [f"{name}: {_hint(held)} = {_spelled(held)}\n" for name, held in declared.items()]
    return f'"""{HEAD}"""\n\n' + "".join(tables) + f"PACKAGES = {_spelled(packages)}\n"


def _modules() -> Iterator[str]:
    for module in pkgutil.walk_packages([str(ROOT)], "linkwork."):
        if not module.name.startswith(ASIDE):
            yield module.name


def _homes(declared: Mapping[str, object]) -> dict[str, str]:
    """Name → module, by modules, in the order in which each declares them; those of the library alone."""
    homes = [(name, str(getattr(held, "__module__", ""))) for name, held in declared.items()]
    return {n: m for n, m in sorted(homes, key=lambda pair: pair[1]) if m.startswith("linkwork.")}


def _extended() -> list[type]:
    """The classes whose methods come from several modules."""
    return [cls for face in Extended.__subclasses__() for cls in face.__subclasses__()]


def _brought(cls: type) -> Iterator[tuple[str, object]]:
    """Methods that other modules have registered."""
    for word, held in vars(cls).items():
        call = held.__func__ if isinstance(held, staticmethod) else held
        if inspect.isfunction(call) and call.__module__ != cls.__module__ and not isinstance(held, Late):
            yield word, call


def _public() -> Iterator[tuple[str, str]]:
    """The names that `linkwork/__init__.py` imports for type checkers, and from where."""
    for node in ast.parse((ROOT / "__init__.py").read_text("utf-8")).body:
        if isinstance(node, ast.If):
            for line in node.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    yield from ((alias.name, line.module) for alias in line.names)


def _hint(held: Mapping[str, str] | Mapping[str, dict[str, str]]) -> str:
    return "dict[str, dict[str, str]]" if any(isinstance(v, dict) for v in held.values()) else "dict[str, str]"


def _spelled(held: object, indent: str = "") -> str:
    """As a formatter would write it."""
    inner = indent + "    "
    if isinstance(held, str):
        return f'"{held}"'
    if isinstance(held, Mapping):
        lines: Iterable[str] = (f'"{name}": {_spelled(value, inner)}' for name, value in held.items())
        return "{\n" + "".join(f"{inner}{line},\n" for line in lines) + indent + "}"
    assert isinstance(held, list)
    return "(\n" + "".join(f'{inner}"{name}",\n' for name in held) + ")"
