"""The JSON Schema of model files, from declared arguments: `python -m linkwork.files.models.schema FILE`."""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any, get_args

from linkwork.components.bodies import Body, Solid
from linkwork.components.joint import Joint
from linkwork.components.unknowns import State
from linkwork.components.variables import Variable
from linkwork.core import registry
from linkwork.core.component import Component, Constraint
from linkwork.core.declared import Argument, arguments_of
from linkwork.core.plain_data import Record
from linkwork.files.models.saving import VERSION, is_text

NUMBER: Record = {"$ref": "#/$defs/number"}
EXPRESSION: Record = {"type": "string", "minLength": 1}
VALUE: Record = {"type": ["number", "boolean", "string", "array"]}


def schema() -> Record:
    """What a model file may hold."""
    words = {w: c for w, c in registry.components.items() if c.__module__.startswith("linkwork.") and w != "ground"}
    symbol = {"type": ["number", "object"], "properties": {"value": {"type": "number"}, "unit": {"type": "string"}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Linkwork model file",
        "type": "object",
        "required": ["linkwork", "model"],
        "additionalProperties": False,
        "properties": {
            "linkwork": {"const": VERSION, "description": "version of the format"},
            "model": _model(),
            "parameter": {"type": "object", "additionalProperties": symbol},
            "input": {"type": "object", "additionalProperties": symbol},
            "table": {"type": "object", "additionalProperties": _table()},
            "submodel": {"type": "object", "additionalProperties": _submodel()},
            "component": {
                "type": "object",
                "properties": {"ground": {"properties": {"shapes": _list(EXPRESSION)}, "additionalProperties": False}},
                "additionalProperties": {"$ref": "#/$defs/component"},
            },
        },
        "$defs": {
            "number": {"type": ["number", "string"], "description": "a number, or an expression"},
            "coordinate": _object({"start": NUMBER, "rate": NUMBER, "laws": _list(EXPRESSION)}),
            "component": {
                "type": "object",
                "required": ["type"],
                "properties": {"type": {"enum": sorted([*words, "connect"])}},
                "allOf": [_case(word) for word in sorted([*words, "connect"])],
            },
            "connect": _object({"type": {}, "ends": _list(EXPRESSION)}, ["ends"]),
            **{word: _component(cls) for word, cls in sorted(words.items())},
        },
    }


def _object(properties: Record, required: list[str] | None = None) -> Record:
    content: Record = {"type": "object", "properties": properties, "additionalProperties": False}
    return content | ({"required": required} if required else {})


def _list(items: Record) -> Record:
    return {"type": "array", "items": items}


def _case(word: str) -> Record:
    return {"if": {"properties": {"type": {"const": word}}}, "then": {"$ref": f"#/$defs/{word}"}}


def _model() -> Record:
    words: Record = {
        "name": {"type": "string"},
        "gravity": {"type": ["array", "string"], "description": "m/s²: 2 numbers in the plane, 3 in space"},
        "coordinates": _list({"type": "string"}),
        "natural": {"type": "string", "description": "formulation of a run unless it is told which"},
        "check_units": {"type": "boolean"},
    }
    return _object(words, ["name"])


def _table() -> Record:
    numbers = _list({"type": "number"})
    kinds = {"enum": ["linear", "cubic", "hold", "jumps"]}
    return _object({"times": numbers, "values": numbers, "kind": kinds, "ends": {"enum": ["held", "periodic"]}})


def _submodel() -> Record:
    inside = {"type": "object", "additionalProperties": EXPRESSION}
    return _object({"at": EXPRESSION, "plane": {"type": "boolean"}, "interface": inside})


def _component(cls: type[Component]) -> Record:
    arguments = {w: a for w, a in arguments_of(cls.__init__).items() if w not in ("self", "name")}
    required = [w for w, a in arguments.items() if a.default is inspect.Parameter.empty and not w.startswith("*")]
    properties: Record = {"type": {}} | {w.lstrip("*"): _argument(w, a) for w, a in arguments.items()}
    doc = (inspect.getdoc(cls) or "").partition("\n\n")[0].replace("\n", " ")
    return {"description": doc} | _object(properties | _later(cls), required)


def _later(cls: type[Component]) -> Record:
    properties: Record = {}
    if issubclass(cls, Solid):
        properties["shapes"] = _list(EXPRESSION)
    if issubclass(cls, Body):
        words = ("position", "rotation", "angle", "quaternion", "velocity", "spin")
        properties |= {"start": _object(dict.fromkeys(words, VALUE)), "particles": _list(VALUE)}
    if issubclass(cls, Joint):
        properties["free"] = _object({label: {"$ref": "#/$defs/coordinate"} for label in cls.free})
    if issubclass(cls, Constraint):
        properties["compliance"] = EXPRESSION
    if issubclass(cls, Variable):
        properties |= {"start": NUMBER, "rate": NUMBER, "laws": _list(EXPRESSION)}
    if issubclass(cls, State):
        properties["follow"] = _object({"function": EXPRESSION, "things": _list(EXPRESSION)})
    return properties


def _argument(word: str, argument: Argument) -> Record:
    said = ", ".join(filter(None, (argument.kind.unit, argument.kind.range.said if argument.kind.range else "")))
    about = {"description": f"{argument.meaning}{f' [{said}]' if said else ''}"} if argument.meaning or said else {}
    if word.startswith("*"):
        return about | _list(VALUE)
    if is_text(argument.hint):
        return about | {"type": "string"}
    least: Record = {}
    if argument.kind.range is not None:
        least = {"> 0": {"exclusiveMinimum": 0}, "≥ 0": {"minimum": 0}}.get(argument.kind.range.said, {})
    return about | {"type": _types(argument.hint)} | least


def _types(hint: Any) -> list[str]:
    """JSON types of an argument: numbers and lists as such, and anything as an expression."""
    while hasattr(hint, "__metadata__"):
        hint = get_args(hint)[0]
    said = str(hint)
    types = ["string"]
    if "float" in said or "int" in said.split("'") or hint is Any or "SX" in said:
        types.append("number")
    if "bool" in said or hint is Any:
        types.append("boolean")
    if "Sequence" in said or "ndarray" in said or "tuple" in said or "list" in said or hint is Any:
        types.append("array")
    return [*types, "object"] if "Mapping" in said else types


def text() -> str:
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
