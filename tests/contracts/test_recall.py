"""What tells a model from all others: every argument of every component does, and another process finds the same."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from functools import wraps
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.core import registry
from linkwork.core.component import Marker
from linkwork.core.declared import Argument, arguments_of
from linkwork.recall.classes import NoKey
from linkwork.recall.content import Content

from .every_component import COMPONENTS, model_with

WITHOUT = {"speed_condition": "its function is called with frames"}
"""Components that are told from others by nothing, and why."""
IDLE = {
    ("hydraulic_cylinder", "head_volume"): "without a bulk modulus",
    ("hydraulic_cylinder", "rod_volume"): "without a bulk modulus",
    ("hydraulic_line", "pressure"): "without capacitance",
}
"""Arguments that do nothing in these models."""
TRIED = 200
"""Arguments of numbers, words, functions and frames that are changed, at least."""


def digest(model: lw.Model) -> str:
    try:
        return Content(model).digest
    except NoKey as reason:
        return f"none: {reason}"


def digests() -> dict[str, str]:
    """Of one model for each component."""
    return {name: digest(model_with(name)) for name in COMPONENTS}


def test_another_process_finds_the_same_keys() -> None:
    program = "import json; from tests.contracts.test_recall import digests; print(json.dumps(digests()))"
    surroundings = os.environ | {"PYTHONHASHSEED": "7"}
    run = subprocess.run([sys.executable, "-c", program], env=surroundings, capture_output=True, text=True, check=True)
    there, here = json.loads(run.stdout), digests()
    assert here == there
    assert len(set(here.values())) == len(here), "two models are taken for one"
    assert {name for name, key in here.items() if key.startswith("none")} == set(WITHOUT)


def others(value: Any, argument: Argument) -> list[Any]:
    """Values that are not this one, one of which may be accepted."""
    if argument.kind.choices:
        return [x for x in argument.kind.choices if x != value]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value * 1.25 + 0.125, value * 0.75 or 1.0, value + 1, value / 2 or 1.0]
    if isinstance(value, tuple | list) and value and all(isinstance(x, int | float) for x in value):
        return [tuple(x * 1.25 + 0.125 for x in value), tuple(x * 1.25 for x in value), tuple(-x for x in value)]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return [value * 1.25 + 0.125, value * 1.25]
    if isinstance(value, Marker | lw.Body):
        body = value.body if isinstance(value, Marker) else value
        return [body.at(0.03, 0.02), body.at(0.03, 0.02, 0.0)]
    if callable(value):
        return [lambda t: value(t) * 1.25, lambda x, y: value(x, y) * 1.25]
    if value is None:
        return [0.25, 1, True, (0.25, 0.5), (0.25, 0.5, 0.125), "m", lambda x: 0.25 * x]
    return []


def changed(name: str, word: str, number: int) -> lw.Model:
    """The model with another value of an argument of its component; IndexError: there is none left to try."""
    cls = registry.components[name]
    made, argument = cls.__init__, arguments_of(cls.__init__)[word]

    @wraps(made)
    def init(self: Any, *args: Any, **named: Any) -> None:
        given = inspect.signature(made).bind(self, *args, **named)
        given.apply_defaults()
        if given.arguments["name"] == "x":
            given.arguments[word] = others(given.arguments[word], argument)[number]
        made(*given.args, **given.kwargs)

    cls.__init__ = init
    try:
        return model_with(name)
    finally:
        cls.__init__ = made


def differs(name: str, word: str, before: str) -> bool | None:
    """Whether another value has another key; None: none is accepted."""
    for number in range(7):
        try:
            model = changed(name, word, number)
        except IndexError:
            return None
        except Exception:  # a value that is refused
            continue
        return digest(model) != before
    return None


def tried(name: str) -> dict[str, bool]:
    before = digest(model_with(name))
    words = [w for w in arguments_of(registry.components[name].__init__) if w not in ("self", "name") and w[0] != "*"]
    found = {word: differs(name, word, before) for word in words if (name, word) not in IDLE}
    return {word: said for word, said in found.items() if said is not None}


@pytest.mark.parametrize("name", [n for n in COMPONENTS if n not in WITHOUT])
def test_every_argument_changes_the_key(name: str) -> None:
    assert all(tried(name).values()), [word for word, said in tried(name).items() if not said]


def test_arguments_are_tried() -> None:
    assert sum(len(tried(name)) for name in COMPONENTS) >= TRIED
