"""Equations as bytes: their structure by pickle, with numbers for their expressions and for what is the model's own.

Only classes of this package can be read again, and nothing but their attributes is set; whatever else is in the bytes
is refused. What cannot be written down (functions that have closed over something) raises `NotKept`.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any

import casadi as ca
import numpy as np

from linkwork.geometry import SX
from linkwork.recall.classes import is_own


class NotKept(Exception):
    """Something that cannot be written down."""


class Packer(pickle.Pickler):
    """expressions: those that were met; things: numbers of what stays with the model, by the identity of each."""

    def __init__(self, file: io.BytesIO, things: dict[int, int]):
        super().__init__(file, protocol=5)
        self.expressions: list[SX | ca.DM] = []
        self._things = things
        self._places: dict[int, int] = {}

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, SX | ca.DM):
            return _expression, (self._met(value), isinstance(value, ca.DM))
        if id(value) in self._things:
            return _thing, (self._things[id(value)],)
        if isinstance(value, np.ndarray | np.generic):
            return _array_parts(value)
        if value is range or (isinstance(value, type) and is_own(value)) or value in _PUT_IN:
            return NotImplemented
        if isinstance(value, FunctionType | MethodType | type | ModuleType | ca.Function):
            raise NotKept(repr(value))
        if is_own(type(value)) or type(value) is range:
            return NotImplemented
        raise NotKept(repr(type(value)))

    def place(self, value: SX | ca.DM) -> int:
        """The number of an expression that was met."""
        return self._places[id(value)]

    def _met(self, value: SX | ca.DM) -> int:
        place = self._places.setdefault(id(value), len(self.expressions))
        if place == len(self.expressions):
            self.expressions.append(value)
        return place


def _array_parts(value: np.ndarray | np.generic) -> tuple[Callable[..., object], tuple[object, ...]]:
    if value.dtype.kind not in "biuf":
        raise NotKept(f"an array of {value.dtype}")
    make = _array if isinstance(value, np.ndarray) else _number
    return make, (value.dtype.str, value.shape, value.tobytes())


def _expression(*_: object) -> object:
    raise pickle.UnpicklingError("expressions are put in by whoever reads")


def _thing(*_: object) -> object:
    raise pickle.UnpicklingError("what is the model's own is put in by whoever reads")


def _array(kind: str, shape: tuple[int, ...], data: bytes) -> np.ndarray:
    return np.frombuffer(data, dtype=kind).reshape(shape).copy()


def _number(kind: str, shape: tuple[int, ...], data: bytes) -> Any:
    return np.frombuffer(data, dtype=kind)[0]


_PUT_IN = (_expression, _thing, _array, _number)


class Unpacker(pickle.Unpickler):
    """Gives back what `Packer` took: expressions and things by their numbers."""

    def __init__(self, data: bytes, expressions: Sequence[SX], things: Sequence[object]):
        super().__init__(io.BytesIO(data))

        def expression(number: int, of_numbers: bool) -> object:
            return ca.DM(expressions[number]) if of_numbers else expressions[number]

        self._known: dict[str, Callable[..., object]] = {
            "_expression": expression, "_thing": things.__getitem__, "_array": _array, "_number": _number,
        }  # fmt: skip

    def find_class(self, module: str, name: str) -> Any:
        if module == __name__ and name in self._known:
            return self._known[name]
        if (module, name) == ("builtins", "range"):
            return range
        found = super().find_class(module, name) if module.partition(".")[0] == "linkwork" else None
        if not isinstance(found, type) or not is_own(found):
            raise pickle.UnpicklingError(f"{module}.{name} is not what equations are made of")
        return found


def packed(value: object, things: dict[int, int]) -> tuple[bytes, Packer]:
    """A structure, and what was met in it."""
    file = io.BytesIO()
    packer = Packer(file, things)
    packer.dump(value)
    return file.getvalue(), packer
