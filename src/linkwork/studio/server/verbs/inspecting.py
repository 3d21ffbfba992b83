"""What the inspector shows: arguments of a component with their units, kinds of components, parameters, choices."""

from __future__ import annotations

import inspect
from typing import Any

from linkwork.components.bodies import Body, Solid
from linkwork.components.joint import Joint
from linkwork.components.unknowns import State
from linkwork.components.variables import Variable
from linkwork.core import registry
from linkwork.core.component import Component, Constraint
from linkwork.core.declared import Argument, arguments_of
from linkwork.core.errors import UnknownName
from linkwork.core.plain_data import Record
from linkwork.files.models.saving import is_text
from linkwork.files.models.toml_text import value_text
from linkwork.studio.server.session import Session
from linkwork.studio.server.tree import class_of, family_of

FORMULATIONS = {
    "auto": "the fastest by the shape of the mechanism",
    "absolute": "absolute coordinates and multipliers; takes every mechanism",
    "minimal": "joint coordinates; trees by an O(n) recursion, loops by cut joints",
    "points": "equivalent particles: no angles, no rotation matrices",
    "compliant": "blocked directions become stiff springs and dampers",
    "bondgraph": "read off the bond graph, joints held by multipliers",
    "bondgraph-minimal": "read off the bond graph in joint coordinates",
    "bondgraph-canonical": "read off the graph in canonical form",
    "bondgraph-rc": "read off the graph with compliant joints",
    "bondgraph-zcp": "read off the graph through its zero-order paths",
    "acausal": "port equations sorted, reduced in index and torn",
}
"""A sentence on each formulation that is offered."""
SOLVERS = {
    "auto": "radau where the equations are stiff, else dopri5",
    "dopri5": "Runge–Kutta of order 5 with step control",
    "dop853": "Runge–Kutta of order 8, for tight tolerances",
    "radau": "implicit, order 5, for stiff equations",
    "rk4": "Runge–Kutta of order 4 with a fixed step",
    "generalized_alpha": "implicit, fixed step, with numerical damping",
    "hht": "Hilber–Hughes–Taylor, fixed step",
    "newmark": "Newmark's method, fixed step",
    "cvodes": "SUNDIALS, for comparison",
    "idas": "SUNDIALS for implicit equations, for comparison",
}
_START = {
    "position": ("m", "where its mass centre starts, world axes"),
    "angle": ("rad", "how far it is turned at the start"),
    "rotation": ("", "angle, matrix or quaternion at the start"),
    "velocity": ("m/s", "of its mass centre at the start"),
    "spin": ("rad/s", "angular velocity at the start"),
}


def component(session: Session, name: str) -> Record:
    """All that is said of a component, parameter, input or of the model itself, argument by argument."""
    return described(session, name, session.document.data())


def described(session: Session, name: str, data: Record) -> Record:
    """The same in data that may not be the document's yet."""
    if name == "model":
        return _model(data.get("model", {}))
    for section in ("parameter", "input"):
        if name in data.get(section, {}):
            return _symbol(section, name, data[section][name])
    told = data.get("component", {}).get(name)
    if told is None and name != "ground":
        raise UnknownName("component", name, data.get("component", {}))
    told = told or {}
    kind = "ground" if name == "ground" else str(told.get("type", ""))
    cls = registry.components["ground"] if name == "ground" else class_of(kind)
    arguments = [] if cls is None else [*_arguments(cls, told), *_later(cls, told)]
    if kind == "connect":
        arguments = [_entry("ends", told.get("ends"), doc="ports that are joined")]
    start = session.mechanism.start
    channels = [c for c in start.channels if c.name.startswith(f"{name}.")] if start is not None else []
    return {
        "name": name,
        "kind": kind,
        "family": "body" if name == "ground" else family_of(kind),
        "doc": _doc(cls),
        "arguments": arguments,
        "channels": [{"name": c.name, "unit": c.unit} for c in channels],
    }


def kinds(session: Session) -> list[Record]:
    """Every kind of component that can be added, with its arguments."""
    entries = []
    for word in registry.components:
        cls = class_of(word)
        if cls is not None and cls.__module__.startswith("linkwork."):
            entries.append(
                {"kind": word, "family": family_of(word), "doc": _doc(cls), "arguments": _arguments(cls, {})}
            )
    return entries


def parameters(session: Session) -> list[Record]:
    """Parameters with the range that a slider offers: from nothing to twice the value unless it is zero."""
    model, entries = session.model, []
    for name, value in session.parameters.items():
        low, high = (min(0.0, 2 * value), max(0.0, 2 * value)) if value else (-1.0, 1.0)
        entries.append({"name": name, "value": value, "unit": model.units.get(name, ""), "low": low, "high": high})
    return entries


def formulations(session: Session) -> list[Record]:
    """Formulations that a run can take; which one it takes unless it is told."""
    natural = session.mechanism.model.natural if session.mechanism.model is not None else "absolute"
    return [{"name": name, "doc": doc, "default": name == natural} for name, doc in FORMULATIONS.items()]


def solvers(session: Session) -> list[Record]:
    """Solvers that a run can take."""
    return [{"name": name, "doc": doc, "default": name == "auto"} for name, doc in SOLVERS.items()]


# ---------------------------------------------------------------------- arguments


def _doc(cls: type[Component] | None) -> str:
    return "" if cls is None else (inspect.getdoc(cls) or "").partition("\n\n")[0].replace("\n", " ")


def _arguments(cls: type[Component], told: Record) -> list[Record]:
    declared = {w: a for w, a in arguments_of(cls.__init__).items() if w not in ("self", "name")}
    return [_declared(word, argument, told) for word, argument in declared.items() if not word.startswith("**")]


def _declared(word: str, argument: Argument, told: Record) -> Record:
    plain = word.lstrip("*")
    empty = argument.default is inspect.Parameter.empty
    entry = _entry(
        plain,
        told.get(plain),
        unit=argument.kind.unit,
        doc=argument.meaning,
        default=None if empty or argument.default is None else str(argument.default),
    )
    entry["required"] = empty and not word.startswith("*")
    entry["range"] = argument.kind.range.said if argument.kind.range else ""
    entry["text"] = is_text(argument.hint)
    if choices := argument.kind.choices:
        entry["choices"] = list(choices)
    return entry


def _entry(name: str, value: Any, *, unit: str = "", doc: str = "", default: str | None = None) -> Record:
    """shown: as one would type it; None where nothing is said."""
    return {
        "name": name,
        "value": value,
        "shown": _shown(value),
        "unit": unit,
        "default": default,
        "doc": doc,
        "editable": True,
    }


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(x, str) for x in value):
        return ", ".join(value)
    return value_text(value)


def _later(cls: type[Component], told: Record) -> list[Record]:
    """What is said of a component beside the arguments of its constructor."""
    entries: list[Record] = []
    if issubclass(cls, Body):
        start = told.get("start") if isinstance(told.get("start"), dict) else {}
        entries += [
            _entry(f"start.{word}", start.get(word) if start else None, unit=unit, doc=doc)
            for word, (unit, doc) in _START.items()
        ]
    if issubclass(cls, Joint):
        free = told.get("free") if isinstance(told.get("free"), dict) else {}
        for label in cls.free:
            said = free.get(label, {}) if free else {}
            entries += _coordinate(f"free.{label}.", label, said if isinstance(said, dict) else {}, cls.unit_of(label))
    if issubclass(cls, Variable):
        entries += _coordinate("", "value", told, str(told.get("unit", "rad")))
    if issubclass(cls, State):
        entries.append(_entry("rate", told.get("rate"), doc="its derivative, an expression"))
    if issubclass(cls, Solid):
        entries.append(_entry("shapes", told.get("shapes"), doc="what it looks like: shapes.Box([0.2, 0.1, 0.1]), …"))
    if issubclass(cls, Constraint):
        entries.append(_entry("compliance", told.get("compliance"), doc="how soft it is: Compliance(error=1e-6)"))
    return entries


def _coordinate(begin: str, label: str, said: Record, unit: str) -> list[Record]:
    return [
        _entry(f"{begin}start", said.get("start"), unit=unit, doc=f"{label} at the start; none: what the loops leave"),
        _entry(f"{begin}rate", said.get("rate"), unit=f"{unit}/s", doc=f"speed of {label} at the start"),
        _entry(f"{begin}laws", said.get("laws"), doc="what acts along it: Spring(k), Damper(d), Effort(f), Motion(f)"),
    ]


def _model(told: Record) -> Record:
    arguments = [
        _entry("name", told.get("name"), doc="of the model"),
        _entry("gravity", told.get("gravity", [0, -9.81]), unit="m/s²", doc="2 numbers in the plane, 3 in space"),
        _entry("natural", told.get("natural"), doc="formulation of a run unless it is told which"),
    ]
    arguments[0]["text"] = arguments[2]["text"] = True
    doc = "The mechanism itself."
    return {"name": "model", "kind": "model", "family": "model", "doc": doc, "arguments": arguments, "channels": []}


def _symbol(section: str, name: str, told: Any) -> Record:
    said = told if isinstance(told, dict) else {"value": told}
    unit = str(said.get("unit", ""))
    doc = "A named number; runs with other values need no new equations." if section == "parameter" else (
        "A named signal over time."
    )  # fmt: skip
    arguments = [_entry("value", said.get("value"), unit=unit, doc="its value"), _entry("unit", unit, doc="its unit")]
    arguments[1]["text"] = True
    return {"name": name, "kind": section, "family": section, "doc": doc, "arguments": arguments, "channels": []}
