"""What a model consists of, as bytes: the same for two models if, and only if, the same equations follow from them.

Everything that can be reached from a model is written down, in a fixed order: plain numbers and texts by value, objects
by their class and attributes (one that was met already by its number), expressions all together, so that they go on
sharing their symbols. What was derived from the model is left out. What cannot be written down so that nothing is
forgotten raises `NoKey`.
"""

from __future__ import annotations

import hashlib
import marshal
import struct
from collections.abc import Iterable
from enum import Enum
from functools import cache, cached_property
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.core.courses import Courses
from linkwork.core.port import FramePort, Quantity
from linkwork.core.signal import Table
from linkwork.geometry import SX
from linkwork.recall.classes import PLAIN, NoKey, facts_of, is_own, shows_all
from linkwork.recall.given_functions import text_of, traced

if TYPE_CHECKING:
    from linkwork.core.model import Model

OF_MODEL = frozenset({"memory", "revision", "nominal", "findings", "submodels", "courses", "_joining"})
"""What is derived from it, or said by whoever prepares it; what varies over time comes last."""
OF_ALL = frozenset({"_said", "_said_first", "_changed", "_frames"})
"""What model files are written from, who is told of changes, and what is derived when it is first asked for."""
EXPRESSIONS = (SX, ca.DM)
EXPRESSION = ("expression",)
"""Tuples say what follows; all that is a model's own is something else, so that neither is taken for the other."""
ORDER = 1
"""Of a text of equal value: to be raised when the meaning of the bytes changes."""


class Content:
    """Of a model, and of what else is to be told from all others (`more`).

    things: its objects, in the order in which they are met; symbols: all that are in it.
    """

    def __init__(self, model: Model, more: object = None):
        self.model = model
        self.things: list[object] = []
        self.numbers: dict[int, int] = {}
        self._facts: list[object] = []
        self._expressions: list[SX] = []
        self._classes: dict[type, int] = {}
        self._number(model)
        for component in model.components.values():  # so that no chain of them is as deep as it is long
            self._number(component)
        if not is_own(type(model)):
            raise NoKey(type(model).__qualname__)
        self._attributes(model, OF_MODEL)
        for component in model.components.values():
            self._class(type(component))
            self._attributes(component)
        self._add(more, None, "")
        self._courses(model.courses)
        f = ca.Function("content", [], self._expressions, {"allow_free": True, "max_io": 0})
        self.symbols = ca.vertcat(SX(0, 1), *f.free_sx())
        self.digest = _digest([struct.pack("<Q", ORDER), marshal.dumps(self._facts, 2), f.serialize().encode()])

    def place(self, symbol: SX) -> int:
        """Which of its symbols one is; -1: it is none of them."""
        known = [x.element_hash() for x in ca.vertsplit(self.symbols)] if self.symbols.numel() else []
        return known.index(symbol.element_hash()) if symbol.element_hash() in known else -1

    def _number(self, thing: object) -> None:
        self.numbers[id(thing)] = len(self.things)
        self.things.append(thing)

    def _attributes(self, thing: object, left_out: frozenset[str] = frozenset()) -> None:
        derived = _derived(type(thing))  # type: ignore[arg-type]
        for word, value in vars(thing).items():
            if word not in derived and word not in left_out:
                self._facts.append(word)
                self._add(value, thing, word)
        self._facts.append(("end",))

    def _add(self, value: Any, owner: object, word: str) -> None:
        """owner, word: the object it was reached from, and by which of its attributes."""
        kind = type(value)
        if kind in PLAIN:
            self._facts.append(value)
        elif kind is tuple or kind is list:
            self._facts.append((kind.__name__, len(value)))
            for x in value:
                self._add(x, owner, word)
        elif kind is dict:
            self._facts.append(("dict", len(value)))
            for key, x in value.items():
                self._add(key, owner, word)
                self._add(x, owner, word)
        elif isinstance(value, EXPRESSIONS):
            self._expression(value)
        elif id(value) in self.numbers:
            self._facts.append(("again", self.numbers[id(value)]))
        elif kind in _RARE:
            _RARE[kind](self, value)
        elif callable(value):
            self._callable(value, owner, word)
        else:
            self._object(value)

    def _expression(self, value: SX | ca.DM) -> None:
        self._facts.append(EXPRESSION)  # the text of all has their sizes and patterns, too
        self._expressions.append(SX(value) if isinstance(value, ca.DM) else value)

    def _array(self, value: np.ndarray | np.generic) -> None:
        if value.dtype.kind not in "biufcSU":
            raise NoKey(f"an array of {value.dtype}")
        self._facts += [("array", value.dtype.str, *value.shape), value.tobytes()]

    def _set(self, value: Iterable[object]) -> None:
        held = list(value)
        if not all(type(x) is str for x in held):
            raise NoKey("a set of other things than names")
        self._facts.append(("set", *sorted(map(str, held))))

    def _function_of_numbers(self, value: ca.Function) -> None:
        self._facts += [("function of numbers",), value.serialize()]

    def _callable(self, value: Any, owner: object, word: str) -> None:
        """A class, a method, or a function that somebody gave."""
        if isinstance(value, type):
            self._class(value)
        elif isinstance(value, MethodType) and (text := _text_of_method(value)) is not None:
            self._facts += [("method", len(text)), *text]
            self._add(value.__self__, owner, word)
        else:
            self._function(value, owner, word)

    def _function(self, value: Any, owner: object, word: str) -> None:
        try:
            given = traced(value, owner, word, self.model.t)
        except NoKey:
            if isinstance(value, FunctionType):
                self._own_function(value)
            elif isinstance(value, Table):
                self._table(value)
            else:
                self._object(value)
        else:
            self._facts.append(("traced",))
            self._add(given, None, "")

    def _own_function(self, value: FunctionType) -> None:
        text = text_of(value)
        if text is None:
            raise NoKey(value.__qualname__)
        self._number(value)
        self._facts += [("function", len(text)), *text]
        held = [x.cell_contents for x in value.__closure__ or ()]
        self._add([held, value.__defaults__, value.__kwdefaults__], value, "closure")

    def _class(self, kind: type) -> None:
        if kind not in self._classes:
            self._classes[kind] = len(self._classes)
            self._facts += facts_of(kind)
        self._facts.append(("class", self._classes[kind]))

    def _object(self, value: Any) -> None:
        kind = type(value)
        self._number(value)
        self._class(kind)
        if not shows_all(kind):
            raise NoKey(f"{kind.__module__}.{kind.__qualname__}")
        if isinstance(value, Enum):
            self._facts.append(value.name)
        elif isinstance(value, tuple):
            self._facts.append(len(value))
            for x in value:
                self._add(x, value, "")
        else:
            self._attributes(value)

    def _table(self, table: Table) -> None:
        self._number(table)
        self._class(type(table))
        self._add([table._times, table._values, table.kind, table.ends], None, "")

    def _quantity(self, quantity: Quantity) -> None:
        """Symbols of its derivatives are made when they are first asked for; nothing hangs on which there are."""
        self._number(quantity)
        self._class(Quantity)
        self._add([{**vars(quantity), "chain": quantity.symbol}], None, "")

    def _frame_port(self, port: FramePort) -> None:
        """Symbols that stand for its motion and its wrench are made in the same way."""
        self._number(port)
        self._class(FramePort)
        held = {word: value for word, value in vars(port).items() if word not in ("_symbols", "_wrench")}
        self._add([held], None, "")

    def _courses(self, courses: Courses) -> None:
        """Last, as functions that are called here may ask for more of them."""
        self._number(courses)
        self._class(type(courses))
        self._add([courses.t, courses.taken, courses.inputs, courses._time], None, "")
        self._add([list(x) for x in courses.looked_up()], None, "")


_RARE: dict[type, Any] = {
    np.ndarray: Content._array,
    set: Content._set,
    frozenset: Content._set,
    ca.Function: Content._function_of_numbers,
    range: lambda content, value: content._facts.append(("range", value.start, value.stop, value.step)),
    complex: lambda content, value: content._facts.append(value),
    bytes: lambda content, value: content._facts.append(value),
    Quantity: Content._quantity,
    FramePort: Content._frame_port,
} | dict.fromkeys((np.float64, np.int64, np.bool_, np.int32, np.float32), Content._array)


def _text_of_method(method: MethodType) -> list[object] | None:
    """What tells a method of this package, beside the object whose it is; None: it is not one."""
    return text_of(method.__func__) if isinstance(method.__func__, FunctionType) else None


@cache
def _derived(kind: type) -> frozenset[str]:
    """Attributes that follow from the others."""
    held = ((word, x) for cls in kind.__mro__ for word, x in vars(cls).items())
    return OF_ALL | {word for word, x in held if isinstance(x, cached_property)}


def _digest(parts: list[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(struct.pack("<Q", len(part)))
        digest.update(part)
    return digest.hexdigest()
