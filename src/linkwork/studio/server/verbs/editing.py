"""Change the document. Every verb makes one version, which is one step of undo."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from linkwork.core.component import path_name
from linkwork.core.declared import arguments_of
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.plain_data import Record
from linkwork.files.models.saving import is_text
from linkwork.studio.server.patching import edited
from linkwork.studio.server.references import renamed, speaks_of
from linkwork.studio.server.session import Session
from linkwork.studio.server.tree import class_of
from linkwork.studio.server.typed import value_of
from linkwork.studio.server.verbs.inspecting import described

NAMED = ("parameter", "input", "table", "submodel", "component")
"""Sections whose entries have names; no name stands in two of them."""
LISTS = ("laws", "shapes", "particles", "ends")
"""Words that hold several expressions."""


def set_(session: Session, name: str, argument: str, value: Any) -> Record:
    """Change what is said of a component, parameter or the model: mass, free.angle.start, start.position, value, …

    value: as typed, with a unit where one likes; null: nothing is said of it any more.
    """
    data = session.document.data()
    _set(session, data, name, argument, value)
    return _done(session, data)


def add(session: Session, kind: str, name: str | None = None, arguments: dict[str, Any] | None = None) -> Record:
    """Add a component (or parameter, input) of a kind; name: one that is free unless given."""
    data = session.document.data()
    made = _add(data, kind, name, arguments or {})
    return _done(session, data) | {"name": made}


def remove(session: Session, names: list[str]) -> Record:
    """Take components away, and with them whatever cannot be without them: joints of a body, forces on it."""
    data = session.document.data()
    gone = _remove(data, names)
    return _done(session, data) | {"removed": gone}


def rename(session: Session, name: str, to: str) -> Record:
    """Call a component, parameter, input or table otherwise, in all expressions too."""
    data = session.document.data()
    _rename(data, name, to)
    return _done(session, data)


def replace(session: Session, text: str) -> Record:
    """The whole text at once."""
    session.document.change(text)
    return session.changed()


def undo(session: Session) -> Record:
    """Back to the version before."""
    session.document.step(-1)
    return session.changed()


def redo(session: Session) -> Record:
    """Forward again."""
    session.document.step(1)
    return session.changed()


def batch(session: Session, steps: list[dict[str, Any]]) -> Record:
    """Several changes that are one step of undo; if one cannot be made, none is."""
    data = session.document.data()
    answers: list[Any] = []
    for step in steps:
        said = dict(step)
        verb = said.pop("verb", None)
        if verb not in STEPS:
            raise UnknownName("change", str(verb), STEPS, component="batch")
        try:
            answers.append(STEPS[verb](session, data, **said))
        except TypeError:
            raise LinkworkError(f"{verb} does not take {', '.join(said)}.", component="batch") from None
    return _done(session, data) | {"answers": answers}


def _done(session: Session, data: Record) -> Record:
    session.document.change(edited(session.document.text, data))
    return session.changed()


# ---------------------------------------------------------------------- on plain data


def section_of(data: Record, name: str) -> str:
    """Which section a name stands in."""
    for section in NAMED:
        if name in data.get(section, {}):
            return section
    raise UnknownName("component", name, [n for s in NAMED for n in data.get(s, {})])


def _set(session: Session, data: Record, name: str, argument: str, value: Any) -> None:
    if name == "ground":
        data.setdefault("component", {}).setdefault("ground", {})
    holder = data.setdefault("model", {}) if name == "model" else data[section_of(data, name)][name]
    if not isinstance(holder, dict):  # torque = 10.0
        holder = data[section_of(data, name)][name] = {"value": holder}
    *path, last = argument.split(".")
    unit, word = _meant(session, data, name, argument)
    for key in path:
        inner = holder.setdefault(key, {})
        if not isinstance(inner, dict):
            raise LinkworkError(f"there is no {argument}.", component=name)
        holder = inner
    if value is None:
        holder.pop(last, None)
    elif last in LISTS:
        holder[last] = _several(value)
    else:
        holder[last] = value_of(value, unit, word=word)
    _tidy(data, name)


def _meant(session: Session, data: Record, name: str, argument: str) -> tuple[str, bool]:
    """Unit of an argument, and whether it is a word; it must exist."""
    known = {entry["name"]: entry for entry in described(session, name, data)["arguments"]}
    if argument not in known:
        raise UnknownName("argument", argument, known, component=name)
    entry = known[argument]
    return str(entry["unit"]), bool(entry.get("text"))


def _several(value: Any) -> list[Any]:
    """A list of expressions: as such, or as a text with commas between them."""
    if isinstance(value, list):
        return value
    parts, depth, begin = [], 0, 0
    text = str(value)
    for k, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter in ",;" and depth == 0:
            parts.append(text[begin:k])
            begin = k + 1
    return [part.strip() for part in [*parts, text[begin:]] if part.strip()]


def _tidy(data: Record, name: str) -> None:
    """Tables that say nothing any more go."""
    told = data.get("component", {}).get(name)
    if not isinstance(told, dict):
        return
    for word in ("free", "start"):
        inner = told.get(word)
        if isinstance(inner, dict):
            told[word] = inner = {w: x for w, x in inner.items() if x not in ({}, [])}
            for label in inner:
                if isinstance(inner[label], dict):
                    inner[label] = {w: x for w, x in inner[label].items() if x != []}
            if not {w: x for w, x in inner.items() if x != {}}:
                del told[word]
    for word in LISTS:
        if told.get(word) == [] and word != "ends":
            del told[word]
    if name == "ground" and not told:
        del data["component"]["ground"]


def _add(data: Record, kind: str, name: str | None, arguments: Record) -> str:
    taken = {n for section in NAMED for n in data.get(section, {})} | {"ground"}
    made = name or next(n for k in range(1, 10**6) if (n := f"{kind}{k}") not in taken)
    path_name(made)
    if made in taken:
        raise LinkworkError("the name is taken already.", component=made, remedy="Choose another name.")
    if kind in ("parameter", "input"):
        value = value_of(arguments.get("value", 0.0), str(arguments.get("unit", "")))
        data.setdefault(kind, {})[made] = {"value": value} | ({"unit": u} if (u := arguments.get("unit")) else {})
        return made
    cls = class_of(kind)
    if cls is None and kind != "connect":
        raise UnknownName("kind of component", kind, _kinds())
    declared = {} if cls is None else arguments_of(cls.__init__)
    told: Record = {"type": kind}
    for word, value in arguments.items():
        argument = declared.get(word)
        if isinstance(value, dict) or word in LISTS or f"*{word}" in declared or argument is None:
            told[word] = value
        else:
            told[word] = value_of(value, argument.kind.unit, word=is_text(argument.hint))
    data.setdefault("component", {})[made] = told
    return made


def _kinds() -> list[str]:
    from linkwork.core import registry

    return [*registry.components, "connect", "parameter", "input"]


def _remove(data: Record, names: list[str]) -> list[str]:
    gone: list[str] = []
    left = list(names)
    while left:
        name = left.pop()
        if name in gone:
            continue
        section = section_of(data, name)
        del data[section][name]
        gone.append(name)
        for other in ("component", "submodel"):
            left += [n for n, told in data.get(other, {}).items() if n != "ground" and _needs(told, name)]
    return gone


def _needs(told: Any, name: str) -> bool:
    return speaks_of(told, {name})


def _rename(data: Record, name: str, to: str) -> None:
    section = section_of(data, name)
    if section == "submodel":
        raise LinkworkError("submodels keep their names here.", component=name, remedy="Change it in the text.")
    if name == to:
        return
    path_name(to)
    if to == "ground" or any(to in data.get(other, {}) for other in NAMED):
        raise LinkworkError("the name is taken already.", component=to, remedy="Choose another name.")
    data[section] = {to if key == name else key: x for key, x in data[section].items()}
    for other in ("component", "submodel", "model"):
        content = data.get(other, {})
        if other == "model":
            if isinstance(content.get("gravity"), str):
                content["gravity"] = renamed(content["gravity"], name, to)
        else:
            data[other] = {key: renamed(told, name, to) for key, told in content.items()}
    coordinates = data.get("model", {}).get("coordinates")
    if isinstance(coordinates, list):
        data["model"]["coordinates"] = [to if x == name else x for x in coordinates]
    for empty in ("component", "submodel"):
        if data.get(empty) == {}:
            del data[empty]


STEPS: dict[str, Callable[..., Any]] = {
    "set": lambda session, data, name, argument, value: _set(session, data, name, argument, value),
    "add": lambda session, data, kind, name=None, arguments=None: _add(
        data, kind, name, copy.deepcopy(arguments or {})
    ),
    "remove": lambda session, data, names: _remove(data, list(names)),
    "rename": lambda session, data, name, to: _rename(data, name, to),
}
"""Changes that may be part of a batch."""
