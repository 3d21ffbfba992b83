"""The components of a document, for the tree beside the picture: from the data alone, so a broken one has it too."""

from __future__ import annotations

import re
from functools import cache

from linkwork.components.bodies import Solid
from linkwork.components.contacts.between import Between
from linkwork.components.joint import Joint
from linkwork.components.points import Point
from linkwork.core import registry
from linkwork.core.component import Component, Constraint, Force
from linkwork.core.plain_data import Record
from linkwork.core.port import PortComponent
from linkwork.core.unilateral import Unilateral
from linkwork.files.language.parser import ExpressionError, parse
from linkwork.studio.server.references import names_in

FAMILIES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("body", (Solid,)),
    ("joint", (Joint,)),
    ("contact", (Between, Unilateral)),
    ("force", (Force,)),
    ("network", (PortComponent,)),
    ("constraint", (Constraint,)),
    ("point", (Point,)),
)
"""Which a component belongs to: the first that fits."""
_BODY = re.compile(r"\A\s*(?:`([^`]+)`|([^\W\d]\w*))\s*(?:\.at\b|\Z)")


@cache
def family_of(kind: str) -> str:
    """Of a type of component, by its word."""
    if kind == "connect":
        return "network"
    try:
        cls = registry.components[kind]
    except KeyError:
        return "other"
    return next((name for name, kinds in FAMILIES if issubclass(cls, kinds)), "other")


def tree_of(data: Record) -> list[Record]:
    """All components, parameters, inputs, tables and submodels, in the order of the file."""
    entries: list[Record] = []
    for section in ("parameter", "input", "table", "submodel"):
        entries += [_entry(name, section, section) for name in _section(data, section)]
    components = _section(data, "component")
    bodies = {name for name, x in components.items() if family_of(_kind(x)) == "body"} | {"ground"}
    for name, content in components.items():
        if name == "ground":
            continue
        kind = _kind(content)
        entry = _entry(name, kind, family_of(kind))
        if isinstance(content, dict) and entry["family"] != "body":
            entry["bodies"] = [body for body in _bodies(content) if body in bodies]
        entries.append(entry)
        if isinstance(content, dict):
            entries += _laws(name, content)
    return entries


def _section(data: Record, section: str) -> Record:
    content = data.get(section)
    return content if isinstance(content, dict) else {}


def _kind(content: object) -> str:
    return str(content.get("type", "")) if isinstance(content, dict) else ""


def _entry(name: str, kind: str, family: str, parent: str | None = None) -> Record:
    begin = name.rpartition(".")[0] or None
    return {"name": name, "kind": kind, "family": family, "parent": parent or begin, "bodies": []}


def _laws(name: str, content: Record) -> list[Record]:
    """Laws on coordinates, each called by its coordinate and its place."""
    free = content.get("free")
    entries = []
    for label, told in (free if isinstance(free, dict) else {}).items():
        laws = told.get("laws", []) if isinstance(told, dict) else []
        for k, law in enumerate(laws if isinstance(laws, list) else []):
            kind = str(law).partition("(")[0]
            entries.append(_entry(f"{name}.{label}[{k}]", kind, "law", name) | {"shown": str(law)})
    return entries


def _bodies(content: Record) -> list[str]:
    """Names that stand before `.at(…)` or alone, each once."""
    names: dict[str, None] = {}
    for value in content.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and (match := _BODY.match(text)):
                names[match[1] or match[2]] = None
            elif isinstance(text, str) and "(" in text:
                try:
                    names |= dict.fromkeys(sorted(names_in(parse(text))))
                except ExpressionError:
                    continue
    return list(names)


def class_of(kind: str) -> type[Component] | None:
    """The class that a word stands for; None: there is none, or it is not made by name."""
    try:
        return None if kind == "ground" else registry.components[kind]
    except KeyError:
        return None
