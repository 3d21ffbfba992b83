"""What expressions of a model file can make, by name: laws, shapes, outlines, pulleys, poses; nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from typing import Any

import casadi as ca

from linkwork.components import laws, shapes
from linkwork.components.contacts import outlines
from linkwork.components.laws import Law
from linkwork.components.ropes import Pulley
from linkwork.core.compliance import Compliance
from linkwork.core.errors import LinkworkError
from linkwork.core.kinds import signed
from linkwork.geometry import SX, Number, Pose, as_vector


def _classes(module: Any, base: type) -> dict[str, type]:
    classes = {name: x for name, x in vars(module).items() if isinstance(x, type) and issubclass(x, base)}
    return {name: x for name, x in classes.items() if x is not base and x.__module__ == module.__name__}


LAWS = _classes(laws, Law)
SHAPES = _classes(shapes, shapes.Shape)
OUTLINES = _classes(outlines, outlines.Outline)


def column(numbers: Sequence[Number]) -> SX:
    """A column of numbers and expressions."""
    return SX(ca.vertcat(*numbers))


def matrix(rows: Sequence[Sequence[Number]]) -> SX:
    """Rows of numbers and expressions."""
    return SX(ca.vertcat(*(ca.horzcat(*row) for row in rows)))


def pose(place: Sequence[Number], rows: Sequence[Sequence[Number]], turn: Number | None = None) -> Pose:
    """A pose from its place, its matrix and its angle about z, where that is all."""
    return Pose(as_vector(place), matrix(rows), None if turn is None else SX(turn))


def _one_of_these(cls: type) -> Callable[..., Any]:
    def make(*args: Any, **named: Any) -> Any:
        try:
            return cls(*args, **named)
        except TypeError as error:
            said = str(error).replace(f"{cls.__name__}.__init__()", cls.__name__).replace("__init__()", cls.__name__)
            raise LinkworkError(f"{said}.") from None

    return make


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _one_of_these(cls) for name, cls in LAWS.items()},
    **{f"shapes.{name}": _one_of_these(cls) for name, cls in SHAPES.items()},
    **{f"outlines.{name}": _one_of_these(cls) for name, cls in OUTLINES.items()},
    "Pulley": _one_of_these(Pulley),
    "Compliance": _one_of_these(Compliance),
    "column": column,
    "matrix": matrix,
    "pose": pose,
    "signed": signed,
}


def name_of(thing: object) -> str | None:
    """The name by which something like this is made; None: it cannot be."""
    cls = type(thing)
    for prefix, known in (("", LAWS), ("shapes.", SHAPES), ("outlines.", OUTLINES)):
        if known.get(cls.__name__) is cls:
            return prefix + cls.__name__
    return cls.__name__ if cls in (Pulley, Compliance) and is_dataclass(cls) else None
