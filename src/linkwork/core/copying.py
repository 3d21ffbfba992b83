"""Copies of models, in this process (`copy`) and for others (`pickle`, `multiprocessing`).

A copy in this process shares the symbols of the original, which never change, so that functions written with them serve
both; everything that can change is its own. A pickled model gets symbols of its own, the same in all its parts. What
was derived and compiled is not copied: it is made again when it is needed.
"""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any, Self

import casadi as ca

from linkwork.core.errors import ModelError

SYMBOLIC = (ca.SX, ca.MX, ca.DM, ca.Function, ca.Sparsity)
DERIVED = "memory"
"""The attribute that holds what is derived from a model; a copy begins with an empty one."""


class Copied:
    """A model that can be copied and pickled: its state is what it was given, not what was derived from it."""

    name: str

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        twin.__dict__.update({key: copy.deepcopy(value, memo) for key, value in _given(self).items()})
        twin.__dict__[DERIVED] = {}
        return twin

    def __copy__(self) -> Self:
        """As deep as `deepcopy`: parts that belonged to two models would obey neither."""
        return copy.deepcopy(self)

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        try:
            content, symbols = _as_bytes(self, _given(self))
        except Exception as error:
            raise _culprit(self, error) from error
        return _unpacked, (type(self), content, symbols)


def _given(model: Copied) -> dict[str, object]:
    return {key: value for key, value in vars(model).items() if key != DERIVED}


def _unpacked(kind: Any, content: bytes, symbols: str) -> Any:
    model = kind.__new__(kind)
    reader = ca.StringDeserializer(symbols)
    kept = [reader.unpack() for _ in range(reader.unpack())]
    model.__dict__.update(_Unpickler(io.BytesIO(content), model, kept).load())
    model.__dict__[DERIVED] = {}
    return model


def _as_bytes(model: Copied, state: object, *, alone: object = None) -> tuple[bytes, str]:
    """The state as bytes, and the expressions in it as text: together, so that they go on sharing their symbols."""
    file = io.BytesIO()
    pickler = _Pickler(file, model, alone)
    pickler.dump(state)
    writer = ca.StringSerializer()
    writer.pack(len(pickler.kept))
    for expression in pickler.kept:
        writer.pack(expression)
    return file.getvalue(), writer.encode()


class _Pickler(pickle.Pickler):
    """Leaves expressions and the model itself to whoever reads.

    alone: of the model's parts only this one is written, to see whether it can be.
    """

    def __init__(self, file: io.BytesIO, model: Copied, alone: object = None):
        super().__init__(file, protocol=5)
        self.kept: list[object] = []
        self._places: dict[int, int] = {}
        self._model, self._alone = model, alone

    def persistent_id(self, obj: object) -> Any:
        if obj is self._model:
            return "model"
        if isinstance(obj, SYMBOLIC):
            place = self._places.setdefault(id(obj), len(self.kept))
            if place == len(self.kept):
                self.kept.append(obj)
            return place
        if self._alone is not None and obj is not self._alone and self._belongs(obj):
            return "another part"
        return None

    def _belongs(self, obj: object) -> bool:
        own = getattr(obj, "__dict__", {})
        return own.get("model") is self._model or own.get("graph") is self._model


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, model: Copied, kept: list[object]):
        super().__init__(file)
        self._model, self._kept = model, kept

    def persistent_load(self, pid: Any) -> Any:
        return self._model if pid == "model" else self._kept[pid]


def _culprit(model: Copied, error: Exception) -> ModelError:
    """Which part of the model cannot be pickled, and why."""
    for name, part in (vars(model).get("components") or vars(model).get("elements") or {}).items():
        for key, value in vars(part).items():
            try:
                _as_bytes(model, value, alone=part)
            except Exception as reason:
                return _unpicklable(name, key, reason)
    return _unpicklable(model.name, "", error)


def _unpicklable(name: str, key: str, reason: Exception) -> ModelError:
    what = f"its {key.strip('_').replace('_', ' ')}" if key else "it"
    return ModelError(
        f"{what} cannot be sent to another process: {reason}.",
        component=name,
        remedy="Use functions with a name, from the top of a module (no lambda), or build the model over there.",
    )
