"""Which names an expression speaks of; and the same expression with one of them changed."""

from __future__ import annotations

import re
from typing import Any

from linkwork.core import registry
from linkwork.core.declared import arguments_of
from linkwork.core.plain_data import Record
from linkwork.files.language import nodes
from linkwork.files.language.operations import FUNCTIONS
from linkwork.files.language.parser import ExpressionError, parse
from linkwork.files.models.loading import LATER
from linkwork.files.models.made import FUNCTIONS as MADE
from linkwork.files.models.names import said
from linkwork.files.models.saving import is_text

MADE_HERE = {*MADE, "der"}
_NAME = re.compile(r"`[^`\n]*`|\w+")


def names_in(node: nodes.Node, own: frozenset[str] = frozenset()) -> set[str]:
    """Names of the model in an expression; own: those that are arguments or values with names."""
    return {name.name for name in _names(node, own)}


def _names(node: nodes.Node, own: frozenset[str]) -> list[nodes.Name]:
    if isinstance(node, nodes.Name):
        return [] if node.name in own and not node.quoted else [node]
    if isinstance(node, nodes.Function):
        return _names(node.body, own | set(node.names))
    if isinstance(node, nodes.Block):
        names: list[nodes.Name] = []
        for name, value in node.values:
            names += _names(value, own)
            own = own | {name}
        return names + _names(node.body, own)
    return [name for child in _children(node) for name in _names(child, own)]


def _children(node: nodes.Node) -> list[nodes.Node]:
    if isinstance(node, nodes.Attribute | nodes.Index):
        return [node.of]
    if isinstance(node, nodes.Call):
        inner = [*node.arguments, *(x for _, x in node.named)]
        return inner if is_function(node.of) else [node.of, *inner]
    if isinstance(node, nodes.Unary):
        return [node.x]
    if isinstance(node, nodes.Chain):
        return [node.first, *(x for _, x in node.rest)]
    return list(node.items) if isinstance(node, nodes.List) else []


def is_function(node: nodes.Node) -> bool:
    """Whether a call of it is one of a function of the language: sin(…), Damper(…), shapes.Box(…)."""
    if isinstance(node, nodes.Attribute) and isinstance(node.of, nodes.Name) and not node.of.quoted:
        return f"{node.of.name}.{node.name}" in MADE or node.of.name == "shapes"
    return isinstance(node, nodes.Name) and not node.quoted and (node.name in FUNCTIONS or node.name in MADE_HERE)


def speaks_of(part: Any, names: set[str]) -> bool:
    """Whether what a file says of a component speaks of one of these names."""

    def look(content: Any) -> bool:
        if isinstance(content, str):
            try:
                return bool(names_in(parse(content)) & names)
            except ExpressionError:
                return False
        if isinstance(content, dict):
            return any(look(x) for x in content.values())
        return isinstance(content, list) and any(look(x) for x in content)

    if not isinstance(part, dict):
        return look(part)
    return any(
        look(x) or (word not in LATER and isinstance(x, dict) and any(look(key) for key in x))
        for word, x in part.items()
        if not _is_word(part, word)
    )


def renamed(part: Any, name: str, to: str) -> Any:
    """What a file says of a component with a name changed in all its expressions, and nothing else."""

    def change(content: Any) -> Any:
        if isinstance(content, str):
            return _renamed(content, name, to)
        if isinstance(content, dict):
            return {key: change(x) for key, x in content.items()}
        return [change(x) for x in content] if isinstance(content, list) else content

    if not isinstance(part, dict):
        return change(part)
    changed: Record = {}
    for word, x in part.items():
        if _is_word(part, word):
            changed[word] = x
        elif word not in LATER and isinstance(x, dict):  # a mapping from parts of the model
            changed[word] = {change(key): change(value) for key, value in x.items()}
        else:
            changed[word] = change(x)
    return changed


def _is_word(part: Record, word: str) -> bool:
    """Whether a text is meant as such, and is no expression."""
    if word in ("type", "unit"):
        return True
    cls = registry.components.get(part.get("type", ""))
    argument = None if cls is None else arguments_of(cls.__init__).get(word)
    return argument is not None and is_text(argument.hint)


def _renamed(text: str, name: str, to: str) -> str:
    try:
        places = [n for n in _names(parse(text), frozenset()) if n.name == name]
    except ExpressionError:
        return text
    for place in sorted(places, key=lambda n: -n.at):
        old = _NAME.match(text, place.at)
        if old is not None:
            text = text[: place.at] + said(to) + text[old.end() :]
    return text
