"""Model → plain data of a model file: what the user has said of every component, in the order it was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import Any, get_args, get_origin

from linkwork.components.bodies import Start
from linkwork.components.contacts.rolling import SpeedCondition
from linkwork.components.coordinate import Coordinate
from linkwork.components.forces import Force, Torque
from linkwork.components.kinematics import Kinematics
from linkwork.components.laws import Free
from linkwork.components.plane import Plane
from linkwork.components.plane_body import PlaneBody
from linkwork.components.wiring.connections import Attachment, Connection
from linkwork.core import registry
from linkwork.core.compliance import Compliance
from linkwork.core.component import Component, Marker
from linkwork.core.declared import Declared, arguments_of
from linkwork.core.errors import ModelError
from linkwork.core.model import Model
from linkwork.core.plain_data import Record
from linkwork.core.said import Said
from linkwork.core.signal import Table
from linkwork.files.language.writing import Sheet, Unwritable
from linkwork.files.models.dimensions import misfits
from linkwork.files.models.names import Names
from linkwork.files.models.toml_text import Inline
from linkwork.files.models.values import Roles, Values

VERSION = 1
"""Of the schema."""
GROUP = "linkwork.components"
"""Entry points of packages that bring components along."""


def content_of(model: Model) -> Record:
    """Everything a model holds, as plain data."""
    tables = _tables(model)
    values = Values(Names(model, {id(table): name for name, table in tables.items()}))
    content: Record = {
        "linkwork": VERSION,
        "model": _model(model, values),
        "parameter": {name: _symbol(model, name, value) for name, value in model.parameters.items()},
        "input": {name: _symbol(model, name, value) for name, value in model.inputs.items()},
        "table": {name: _table(table) for name, table in tables.items()},
        "submodel": {name: _submodel(part, values) for name, part in model.submodels.items()},
        "component": {c.name: _component(c, values) for c in model.components.values() if _is_said(c)},
    }
    return {word: x for word, x in content.items() if x}


def _is_said(component: Component) -> bool:
    """Whether the user has made it, or has said something of it (the ground)."""
    if component.made_by:
        return False
    return component.name != "ground" or bool(component.said_later()["shapes"])


def _model(model: Model, values: Values) -> Record:
    kind = "Kinematics" if isinstance(model, Kinematics) else "Model"
    if type(model).__name__ != kind:
        raise ModelError(
            f"is a {type(model).__name__}, a class of your own.",
            component=model.name,
            remedy="Save a lw.Model: a file holds no code of a class.",
        )
    record: Record = {"name": model.name, "gravity": values.plain(list(model.gravity))}
    if isinstance(model, Kinematics):
        record["coordinates"] = [c.name for c in model.coordinates]
    if model.natural != type(model).natural:
        record["natural"] = model.natural
    if any(misfits(model)):
        record["check_units"] = False
    return record


def _symbol(model: Model, name: str, value: float) -> Inline:
    unit = model.units.get(name, "")
    return Inline(value=value, unit=unit) if unit else Inline(value=value)


def _tables(model: Model) -> dict[str, Table]:
    """Tables that components hold or that expressions look up, by the names they get."""
    by_id: dict[int, Table] = {id(table): table for table, *_ in model.courses.looked_up()}
    for component in model.components.values():
        for table in _tables_in([*_said_of(component).values(), component.said_later()]):
            by_id[id(table)] = table
    taken = {*model.components, *model._symbols, *model.submodels}
    names = (name for k in range(1, 10**6) if (name := f"table{k}") not in taken)
    return dict(zip(names, by_id.values(), strict=False))


def _tables_in(given: Any) -> Iterator[Table]:
    if isinstance(given, Table):
        yield given
    elif isinstance(given, Mapping):
        yield from _tables_in(list(given.values()))
    elif isinstance(given, list | tuple):
        for part in given:
            yield from _tables_in(part)
    elif isinstance(given, Declared) and not isinstance(given, Component):
        yield from _tables_in(list(_said_of(given).values()))


def _table(table: Table) -> Record:
    jumps = bool((table.times[1:] <= table.times[:-1]).any())
    record: Record = {"times": table.times.tolist(), "values": table.values.tolist()}
    if jumps:
        return record | {"kind": "jumps"}
    return record | {
        word: x for word, x, usual in (("kind", table.kind, "linear"), ("ends", table.ends, "held")) if x != usual
    }


def _submodel(part: Any, values: Values) -> Record:
    record: Record = {"plane": True} if isinstance(part, Plane) else {}
    record["at"] = values.text(part.at)
    inside = {name: x for name, x in part.interface.items() if values.names.part(x) or isinstance(x, Marker)}
    if inside:
        record["interface"] = Inline({name: values.text(x) for name, x in inside.items()})
    return record


def _said_of(thing: Any) -> Record:
    said: Said | None = thing.__dict__.get("_said")
    return {} if said is None else said.arguments


def _component(component: Component, values: Values) -> Record:
    if isinstance(component, Connection | Attachment):
        ends = [component.frame, *component.joined] if isinstance(component, Attachment) else component.joined
        return {"type": "connect", "ends": [_told(component, "ends", values.text, end) for end in ends]}
    said: Said | None = component.__dict__.get("_said")
    if said is not None and said.strange:
        raise ModelError(
            f"its {', '.join(sorted(said.strange))} was changed by hand, which no argument of it says.",
            component=component.name,
            remedy="Give it where the component is made.",
        )
    record: Record = {} if component.name == "ground" else {"type": word_of(component)}
    given = dict(_said_of(component))
    if isinstance(component, PlaneBody):
        given.pop("plane")
    declared = arguments_of(type(component).__init__)
    for word, value in given.items():
        argument = declared.get(word) or declared.get(f"*{word}")
        if argument is not None and value is argument.default:
            continue
        if argument is not None and is_text(argument.hint):
            record[word] = value
        elif f"*{word}" in declared:
            record[word] = [_told(component, word, values.plain, x) for x in value]
        elif isinstance(value, Mapping):
            record[word] = Inline(
                {
                    key
                    if argument is not None and has_texts_as_keys(argument.hint)
                    else _told(component, word, values.text, key): _told(component, word, values.plain, x)
                    for key, x in value.items()
                }
            )
        elif value is not None:
            record[word] = _told(component, word, values.plain, value, roles_of(component))
    return record | _later(component, values)


def word_of(component: Component) -> str:
    """The word by which a component is made, if a file can say it."""
    cls = type(component)
    if isinstance(component, PlaneBody):
        return "body"
    known = {c: word for word, c in registry.components.items()}
    word = next((known[c] for c in cls.__mro__ if c in known and c.__name__ == cls.__name__), None)
    if word is None or not (registry.components[word].__module__.startswith("linkwork.") or word in installed()):
        raise ModelError(
            f"is a {cls.__name__}, which is no component of Linkwork or of an installed package.",
            component=component.name,
            remedy=f"Let a package bring it along, by an entry point of the group {GROUP!r}.",
        )
    return word


def installed() -> set[str]:
    """Words of components that installed packages bring along."""
    return {point.name for point in entry_points(group=GROUP)}


def is_text(hint: Any) -> bool:
    """Whether an argument is a text, as it is declared."""
    while hasattr(hint, "__metadata__"):
        hint = get_args(hint)[0]
    return hint is str


def has_texts_as_keys(hint: Any) -> bool:
    """Whether an argument maps names to something, as it is declared."""
    while hasattr(hint, "__metadata__"):
        hint = get_args(hint)[0]
    return any(get_origin(h) is Mapping and get_args(h)[0] is str for h in (hint, *get_args(hint)))


def roles_of(component: Component) -> Roles:
    """What the functions of a component are given, beside numbers."""
    things = _said_of(component).get("things")
    if things is not None:
        coordinate = "moving" if isinstance(component, SpeedCondition) else ""
        return dict(enumerate(coordinate if isinstance(x, Coordinate) else "frame" for x in things))
    return {"a": "frame", "b": "frame"} if isinstance(component, Force | Torque) else {}


def _told(component: Component, word: str, write: Any, *args: Any) -> Any:
    """What is written of an argument; what cannot be is told by its component."""
    try:
        return write(*args)
    except Unwritable as error:
        raise ModelError(
            f"its {word} cannot be written to a file: {error}.",
            component=component.name,
            remedy="Give numbers, expressions, tables, or functions that take symbols (lw.sin, lw.if_else).",
        ) from None


def _later(component: Component, values: Values) -> Record:
    """What was said of it after it was made."""
    first: Record = component.__dict__.get("_said_first", {})
    record: Record = {}
    for word, now in component.said_later().items():
        before = first.get(word)
        if isinstance(now, Start):
            told = _told(component, "start", _start, now, component, values)
            if told:
                record["start"] = Inline(told)
        elif word == "shapes":
            new = now[len(before or ()) :]
            if new:
                record["shapes"] = [_told(component, "shape", values.text, shape) for shape in new]
        elif word == "particles" and now:
            record["particles"] = [_told(component, word, values.plain, _three(place)) for place in now]
        elif isinstance(now, Compliance):
            record["compliance"] = values.text(now)
        elif word == "follow" and now:
            record["follow"] = Inline(
                function=_told(component, word, values.text, now[0], _frames(now[1])),
                things=[_told(component, word, values.text, thing) for thing in now[1]],
            )
        elif word not in ("particles", "compliance", "follow") and now != before:
            told = _coordinate(component, word, now, before, values)
            if word == "coordinate":
                record |= told
            else:
                record.setdefault("free", {})[word] = told
    return record


def _frames(things: tuple[Any, ...]) -> Roles:
    return {k: "frame" for k, x in enumerate(things) if hasattr(x, "body")}


def _three(place: Any) -> list[Any]:
    return [place[i] for i in range(3)]


def _coordinate(component: Component, word: str, now: Any, before: Any, values: Values) -> Record:
    """Laws and start of a coordinate, beside those that the constructor has given it."""
    laws, value, rate = now
    given = before[0] if before else ()
    kept = laws[: len(given)] == given
    new = laws[len(given) :] if kept else (Free(), *laws)
    record: Record = {}
    if value is not None:
        record["start"] = _told(component, f"{word}.start", values.plain, value)
    if rate is not None:
        record["rate"] = _told(component, f"{word}.rate", values.plain, rate)
    if new:
        record["laws"] = [_told(component, f"law on its {word}", values.text, law) for law in new]
    return record


def _start(given: Start, component: Any, values: Values) -> Record:
    planar = component.model.is_planar
    record: Record = {}
    for word in ("position", "velocity", "spin"):
        vector = getattr(given, word)
        if vector is None:
            continue
        parts = [vector[i] for i in range(3)]
        if planar:
            parts = parts[:2] if word != "spin" else parts[2:]
        told = values.plain(parts)
        record[word] = told if not (planar and word == "spin") else values.plain(parts[0])
    if given.rotation is not None:
        sheet = Sheet(values.names.atoms())
        parts = [given.rotation[i, j] for i in range(3) for j in range(3)]
        sheet.prepare([*parts, *([] if given.turn is None else [given.turn])])
        text = values.rotation(given.rotation, given.turn, sheet) or "0"
        record["rotation"] = "".join(sheet.definitions) + text
    return record
