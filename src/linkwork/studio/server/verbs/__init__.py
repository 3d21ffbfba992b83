"""What a page can ask for, by name. Each verb is a function `name(session, …)` of one of the modules here; arguments
are those of the request, and their annotations say what is taken."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.kinds import shown
from linkwork.core.plain_data import Record
from linkwork.studio.server.session import Session

MODULES: dict[str, tuple[str, ...]] = {
    "opening": ("examples", "files", "open", "new", "state"),
    "inspecting": ("component", "kinds", "parameters", "formulations", "solvers"),
    "editing": ("set", "add", "remove", "rename", "replace", "undo", "redo", "batch"),
    "running": ("run", "result", "channels", "energy", "forget"),
    "comparing": ("compare",),
    "graph": ("bondgraph",),
    "equations": ("equations",),
    "modes": ("modes", "root_locus"),
    "keeping": ("save", "save_result", "figure", "picture", "page", "link", "python"),
    "drawing": ("sketch", "draw", "move_pin", "resize", "erase", "mobility"),
    "dragging": ("grab", "drag", "release", "trace"),
}
"""Verbs by the module that holds them; a name that Python has taken ends with an underscore there."""
VERBS = {verb: module for module, verbs in MODULES.items() for verb in verbs}
_WORDS = {
    float: "a number",
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def answer(session: Session, request: Record) -> Any:
    """What a request asks for."""
    verb = request["verb"]
    given = {word: x for word, x in request.items() if word not in ("id", "verb")}
    return perform(session, verb, given)


def perform(session: Session, verb: str, given: Record) -> Any:
    """One verb with its arguments, each of the type that it declares."""
    call = function_of(verb)
    types = _types(call)
    for word, value in given.items():
        if word not in types:
            raise UnknownName(f"argument of {verb}", word, types)
        if not _is_a(value, types[word]):
            wanted = " or ".join(_WORDS.get(t, str(t)) for t in _plain(types[word]) if t is not NoneType)
            raise LinkworkError(f"{word} {shown(value)}.", component=verb, remedy=f"Give {wanted}.")
    missing = [w for w, p in inspect.signature(call).parameters.items() if p.default is p.empty and w in types]
    if unsaid := [word for word in missing if word not in given]:
        raise LinkworkError(f"{unsaid[0]} is not given.", component=verb, remedy="Give it in the request.")
    return call(session, **given)


def function_of(verb: str) -> Callable[..., Any]:
    """The function of a verb."""
    if verb not in VERBS:
        raise UnknownName("verb", verb, VERBS)
    module = import_module(f"{__name__}.{VERBS[verb]}")
    function: Callable[..., Any] = getattr(module, f"{verb}_", None) or getattr(module, verb)
    return function


@cache
def _types(call: Callable[..., Any]) -> Record:
    hints = get_type_hints(call)
    return {word: hints[word] for word in list(inspect.signature(call).parameters)[1:]}


def _plain(hint: Any) -> tuple[Any, ...]:
    """The types of an annotation, without what is inside of lists and tables."""
    if hint is Any:
        return (object,)
    if get_origin(hint) in (UnionType, Union):
        return tuple(t for part in get_args(hint) for t in _plain(part))
    return (get_origin(hint) or hint,)


def _is_a(value: object, hint: Any) -> bool:
    types = _plain(hint)
    if isinstance(value, bool):
        return bool in types or object in types
    if isinstance(value, int) and float in types:
        return True
    if isinstance(value, list) and list in types:
        inner = [
            a for part in (get_args(hint) if get_origin(hint) in (UnionType, Union) else [hint]) for a in get_args(part)
        ]
        return not inner or all(_is_a(x, inner[0]) for x in value)
    return isinstance(value, types)
