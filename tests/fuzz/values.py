"""Values that nobody should give, and some that are only unusual. Each has a label, by which outcomes are counted."""

from __future__ import annotations

import decimal
import fractions
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import linkwork as lw

NAN, INF = math.nan, math.inf

PLAIN: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "nan": lambda: NAN,
    "inf": lambda: INF,
    "-inf": lambda: -INF,
    "-1": lambda: -1,
    "0": lambda: 0,
    "-0.001": lambda: -0.001,
    "90": lambda: 90,
    "1e300": lambda: 1e300,
    "-1e300": lambda: -1e300,
    "1e-300": lambda: 1e-300,
    "10**400": lambda: 10**400,
    "10**30": lambda: 10**30,
    "-10**25": lambda: -(10**25),
    "complex": lambda: 1 + 2j,
    "Decimal": lambda: decimal.Decimal("0.5"),
    "Fraction": lambda: fractions.Fraction(1, 2),
    "empty text": lambda: "",
    "text": lambda: "tip",
    "text of a number": lambda: "1.0",
    "text with a dot": lambda: "b.x",
    "text with a newline": lambda: "a\nb",
    "long text": lambda: "x" * 5000,
    "bytes": lambda: b"x",
    "empty list": list,
    "empty tuple": lambda: (),
    "empty dictionary": dict,
    "one in a list": lambda: [1.0],
    "two in a tuple": lambda: (0.1, 0.2),
    "three in a list": lambda: [1.0, 2.0, 3.0],
    "four in a tuple": lambda: (1.0, 2.0, 3.0, 4.0),
    "nan in a tuple": lambda: (0.0, NAN),
    "text in a list": lambda: ["a", "b"],
    "None in a list": lambda: [None, None, None],
    "ragged list": lambda: [[1, 2], [3]],
    "times and values": lambda: ([0.0, 1.0], [0.0, 1.0]),
    "list of times and values": lambda: [[0.0, 1.0], [0.0, 1.0]],
    "long list": lambda: [0.1] * 3000,
    "range": lambda: range(3),
    "generator": lambda: (x for x in (1.0, 2.0)),
    "set": lambda: {1, 2},
    "dictionary": lambda: {"a": 1},
    "dictionary of numbers": lambda: {1: 2},
    "empty array": lambda: np.zeros(0),
    "0-d array": lambda: np.array(0.5),
    "array of 2": lambda: np.array([0.1, 0.2]),
    "array of 3": lambda: np.ones(3),
    "array of nan": lambda: np.full(3, NAN),
    "3x3 array": lambda: np.eye(3),
    "3x3 array of ones": lambda: np.ones((3, 3)),
    "2x2x2 array": lambda: np.ones((2, 2, 2)),
    "array of text": lambda: np.array(["a", "b"]),
    "array of objects": lambda: np.array([None, "a"], dtype=object),
    "float32": lambda: np.float32(0.5),
    "int64": lambda: np.int64(2),
    "numpy bool": lambda: np.bool_(True),
    "complex array": lambda: np.array([1j, 2j]),
    "object": lambda: object(),
    "type": lambda: int,
    "Ellipsis": lambda: ...,
    "slice": lambda: slice(0, 2),
    "path": lambda: Path("/nonexistent/folder/file"),
    "exception": lambda: ValueError("x"),
    "DM": lambda: ca.DM(0.5),
    "DM of 3": lambda: ca.DM([1, 2, 3]),
    "MX": lambda: ca.MX.sym("mx"),
    "stranger": lambda: ca.SX.sym("stranger"),
    "stranger of 3": lambda: ca.SX.sym("strangers", 3),
    "empty expression": lambda: ca.SX(0, 1),
    "constant expression": lambda: ca.SX(2.0),
    "nan expression": lambda: ca.SX(NAN),
    "function of nothing": lambda: lambda: 0.0,
    "function of t": lambda: lambda t: 0.1 * t,
    "function of many": lambda: lambda a, b, c, d, e: 0.0,
    "gives None": lambda: lambda *a, **k: None,
    "gives a tuple": lambda: lambda *a, **k: (1.0, 2.0),
    "gives text": lambda: lambda *a, **k: "x",
    "gives nan": lambda: lambda *a, **k: NAN,
    "gives a truth value": lambda: lambda *a, **k: True,
    "gives a constant": lambda: lambda *a, **k: 1.0,
    "gives an array": lambda: lambda *a, **k: np.ones(3),
    "gives a stranger": lambda: lambda *a, **k: ca.SX.sym("stranger"),
    "raises": lambda: _raises,
    "law": lambda: lw.Spring(10.0),
    "table": lambda: lw.Table([0, 1], [0, 1]),
    "pose": lambda: lw.rotz(0.1),
    "model": lambda: lw.Model("other"),
    "class": lambda: lw.Model,
    "solver": lambda: lw.Radau(),
}


def _raises(*args: Any, **named: Any) -> Any:
    raise ZeroDivisionError("in a function of the user's")


def of_models(scene: Any) -> dict[str, Callable[[], Any]]:
    """Values that belong to a model: to this one, or to another."""
    return {
        "time": lambda: scene.model.t,
        "parameter": lambda: scene.parameter,
        "root of time": lambda: lw.sqrt(scene.model.t - 1),
        "body": lambda: scene.body,
        "frame": lambda: scene.body.at(0.1, 0),
        "coordinate": lambda: scene.joint.coordinates[0],
        "ground": lambda: scene.model.ground,
        "joint": lambda: scene.joint,
        "parameter of another model": lambda: scene.other.parameter,
        "body of another model": lambda: scene.other.body,
        "frame of another model": lambda: scene.other.body.at(0.1, 0),
        "coordinate of another model": lambda: scene.other.joint.coordinates[0],
        "joint of another model": lambda: scene.other.joint,
    }
