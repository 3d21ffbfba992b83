"""Whether a class is what the files of this package say: then its name and their text stand for all it does.

A user may exchange a method while a program runs (`Spring.effort = …`). Such a class is another one.
"""

from __future__ import annotations

import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import os
import sys
import typing
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType
from typing import Any

from linkwork.core.late import Late

PACKAGE = __name__.partition(".")[0]
ROOT = str(Path(__file__).parents[1]) + os.sep
WRITERS = abc, collections, contextlib, dataclasses, enum, functools
GENERATED = ("<string>", "namedtuple_", *(str(module.__file__) for module in WRITERS))
"""Where methods stand that the standard library writes: of dataclasses, and around others."""
PLAIN = frozenset({str, int, float, bool, type(None)})
BASES = frozenset({object, tuple, abc.ABC, Enum, typing.Generic, typing.Protocol})
"""Whose objects hold nothing but attributes, or items in order."""


OF_OTHERS = "linkwork.components.cosimulation"
"""What stands for files of other programs."""


class NoKey(Exception):
    """Something of which two processes cannot tell whether it is the same."""


def is_own(thing: Any) -> bool:
    """Whether a class or function is declared in a file of this package, under the name it has."""
    module = getattr(thing, "__module__", None) or ""
    return module.partition(".")[0] == PACKAGE and _found(module, thing.__qualname__) is thing


def is_own_text(function: FunctionType) -> bool:
    """Whether the text of a function stands in a file of this package."""
    return function.__code__.co_filename.startswith(ROOT)


def shows_all(kind: type) -> bool:
    """Whether nothing is in objects of a class but its attributes, or items in order: other libraries, and what is
    written in C, keep more where nobody sees it (`functools.partial`, arrays with masks)."""
    return all(
        cls in BASES or (cls.__module__.partition(".")[0] == PACKAGE and not vars(cls).get("__slots__"))
        for cls in kind.__mro__
    )


def _found(module: str, name: str) -> object:
    place: object = sys.modules.get(module)
    for part in name.split("."):
        place = getattr(place, part, None)
    return place


def facts_of(kind: type) -> list[object]:
    """Names of a class and of all it takes methods from, with where each method stands and all plain constants."""
    facts: list[object] = []
    for cls in kind.__mro__:
        facts += [cls.__module__, cls.__qualname__]
        if cls.__module__.partition(".")[0] != PACKAGE:
            if not is_standard(cls):
                raise NoKey(f"{cls.__module__}.{cls.__qualname__}")
            continue
        if cls.__module__.startswith(OF_OTHERS):
            raise NoKey(f"{cls.__module__}.{cls.__qualname__}")
        for name, value in vars(cls).items():
            if name not in _ASIDE:
                _add(facts, name, value)
    return facts


_ASIDE = frozenset(
    "__module__ __doc__ __dict__ __weakref__ __annotations__ __firstlineno__ __static_attributes__ "
    "_abc_impl __abstractmethods__ __parameters__ __orig_bases__ _known".split()
)
"""What says nothing of what a class does."""


def _add(facts: list[object], name: str, value: Any) -> None:
    if type(value) in PLAIN:
        facts += [name, value]
        return
    for function in functions_in(value):
        while function is not None:
            if isinstance(function, FunctionType):
                code = function.__code__
                generated = code.co_filename.startswith(GENERATED) and function.__module__ != "__main__"
                if not generated and not code.co_filename.startswith(ROOT):
                    raise NoKey(f"{code.co_filename}: {function.__qualname__}")
                facts += [name, code.co_name, code.co_firstlineno]
                _check_closed_over(function)
            elif not isinstance(function, BuiltinFunctionType | Late) and callable(function):
                _check(function)
            function = getattr(function, "__wrapped__", None)
    if type(value) is tuple and all(type(x) in PLAIN for x in value):
        facts += [name, value]


def _check_closed_over(function: FunctionType) -> None:
    """A method may have closed over classes and functions of this package, and what decorators of it were given."""
    for cell in function.__closure__ or ():
        held = cell.cell_contents
        if isinstance(held, FunctionType) and not held.__code__.co_filename.startswith((ROOT, *GENERATED)):
            raise NoKey(f"{function.__qualname__} calls {held.__qualname__}")


def functions_in(value: Any) -> list[Any]:
    """Functions, and what can be called like them, in what a class has under a name."""
    if isinstance(value, property):
        return [value.fget, value.fset, value.fdel]
    if isinstance(value, staticmethod | classmethod):
        return [value.__func__]
    if isinstance(value, cached_property):
        return [value.func]
    return [value] if isinstance(value, FunctionType) or (callable(value) and not isinstance(value, type)) else []


def _check(function: object) -> None:
    """Objects that can be called, among the constants of a class."""
    if not is_standard(type(function)) and not is_own(type(function)):
        raise NoKey(repr(function))


@cache
def _libraries() -> frozenset[str]:
    return frozenset({*sys.stdlib_module_names, "numpy", "casadi"} - {"__main__"})


def is_standard(thing: Any) -> bool:
    """Whether a class or function is of Python's own library, or of one that this package stands on."""
    module = getattr(thing, "__module__", None) or ""
    return module.partition(".")[0] in _libraries() or isinstance(thing, MemberDescriptorType)
