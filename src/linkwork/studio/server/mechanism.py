"""The model that a document describes, made by the ordinary loader; or why there is none."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from linkwork.core.errors import LinkworkError
from linkwork.core.model import Model
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.files.models.loading import loads
from linkwork.formulations import can_move
from linkwork.studio.build import build_scene
from linkwork.studio.page import scene_data
from linkwork.studio.server.answers import told

CALLED = "model.toml"
"""What messages of the loader call the text."""
STILL = "Nothing moves yet. Draw a link between two points, or add a body: then there is something to run."
_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+)\Z", re.DOTALL)
_HEADING = re.compile(r"\s*\[\s*component\s*\.\s*(?:\"(?P<quoted>(?:\\.|[^\"\\])*)\"|(?P<bare>[\w-]+))")


@dataclass
class Mechanism:
    """One version of a document, as far as it can be understood.

    model: None where the text does not load; parameters: their values in this version. Versions that differ in values
    of parameters only share one model, so that nothing is derived or compiled again.
    """

    model: Model | None = None
    parameters: dict[str, float] = field(default_factory=dict)
    problem: Record | None = None
    check: Record | None = None
    start: Result | None = None
    """All channels at the assembled start, where there is one."""
    scene: Record | None = None
    structure: str = ""

    @property
    def ready(self) -> Model:
        """The model, or an error that says why there is none."""
        if self.model is None:
            problem = self.problem or {}
            raise LinkworkError(
                str(problem.get("message", "there is no model.")),
                component=problem.get("component"),
                remedy=problem.get("remedy") or "Correct the model, or undo.",
            )
        return self.model


def mechanism_of(text: str, folder: Path, before: Mechanism | None) -> Mechanism:
    """The model in a text, checked and drawn; before: the last one, which may be the same but for parameters."""
    try:
        structure, parameters = _split(text)
        if before is not None and before.model is not None and before.structure == structure:
            made = Mechanism(before.model, parameters, structure=structure)
        else:
            made = Mechanism(loads(text, folder / CALLED), parameters, structure=structure)
    except LinkworkError as error:
        return Mechanism(problem=problem_of(error, text, folder))
    except Exception as error:  # whatever the loader stumbles over must not end the tab
        return Mechanism(problem=told(error) | {"line": None})
    made.check = _checked(made)
    made.start, made.scene = _drawn(made)
    return made


@lru_cache(maxsize=32)
def structure_of(text: str) -> str:
    """Everything of a model but values of parameters, as one text."""
    return _split(text)[0]


def _split(text: str) -> tuple[str, dict[str, float]]:
    """Everything but values of parameters, as one text; and these values."""
    try:
        data = tomllib.loads(text)
        given = data.get("parameter", {})
        values = {name: x.get("value", 0.0) if isinstance(x, dict) else x for name, x in given.items()}
        if not all(type(x) in (int, float) for x in values.values()):
            return text, {}
        data["parameter"] = {name: x.get("unit") if isinstance(x, dict) else None for name, x in given.items()}
        return json.dumps(data, default=str), {name: float(x) for name, x in values.items()}
    except (tomllib.TOMLDecodeError, AttributeError, RecursionError, ValueError):
        return text, {}  # the loader says what is wrong with it


def problem_of(error: LinkworkError, text: str, folder: Path) -> Record:
    """An error of the loader: line, and the component whose table the line is in."""
    place = _PLACE.match(error.component or "")
    if place is None:
        return told(error) | {"line": None}
    line = int(place["line"])
    component = component_at(text, line)
    return {
        "message": f"line {line}: {error.cause}",
        "component": component,
        "remedy": error.remedy,
        "line": line,
        "column": int(place["column"]),
    }


def component_at(text: str, line: int) -> str | None:
    """The component whose table a line (counted from 1) stands in."""
    for row in reversed(text.splitlines()[:line]):
        if heading := _HEADING.match(row):
            return heading["bare"] or json.loads(f'"{heading["quoted"]}"')
        if row.lstrip().startswith("["):
            return None
    return None


def _checked(made: Mechanism) -> Record:
    model = made.ready
    if not can_move(model):
        return {
            "ok": True,
            "mobility": None,
            "redundant": [],
            "unique": {},
            "messages": [_message("note", "", STILL, model)],
        }
    try:
        report = model.check(parameters=made.parameters)
    except LinkworkError as error:
        message = _message("error", error.component or "", f"{error.cause} {error.remedy or ''}".strip(), model)
        return {"ok": False, "mobility": None, "redundant": [], "unique": {}, "messages": [message]}
    except Exception as error:
        message = _message("error", "", str(told(error)["message"]), model)
        return {"ok": False, "mobility": None, "redundant": [], "unique": {}, "messages": [message]}
    return {
        "ok": report.ok,
        "mobility": report.degrees_of_freedom if report.ok else None,
        "redundant": [{"component": name, "direction": where} for name, where in report.redundant],
        "unique": report.unique,
        "messages": [_message(*line, model) for line in report.lines],
    }


def _message(level: str, component: str, text: str, model: Model) -> Record:
    """component: one name or several; what is no component (the model itself) is none."""
    names = [name for name in component.split(", ") if name in model.components]
    return {"level": level, "text": text, "component": names[0] if names else None, "components": names}


def _drawn(made: Mechanism) -> tuple[Result | None, Record | None]:
    """All channels at the start, and the picture of it; None where it does not assemble, or nothing has a place."""
    try:
        start = made.ready.evaluate(parameters=made.parameters)
    except Exception:  # the check has said why
        return None, None
    try:
        return start, scene_data(build_scene(start, plot=()))
    except Exception:  # a circuit has no picture
        return start, None
