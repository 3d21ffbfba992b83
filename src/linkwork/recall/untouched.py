"""Whether what derives equations is what the files of this package say.

A test, or somebody who tries something out, may exchange a function or a class of it while a program runs. Then nothing
that was kept is taken, and nothing is kept.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from types import FunctionType, ModuleType

from linkwork.recall.classes import PACKAGE, ROOT, functions_in, is_standard

DERIVING = "algebra assembly bondgraph components contact core formulations geometry structure".split()
"""Folders whose code equations hang on."""
LIBRARY = os.path.dirname(os.__file__) + os.sep
LIBRARIES = ("numpy", "casadi")
GENERATED = ("<string>", "<frozen", "namedtuple_")
SPEAKING = ("builtins", "collections", "types", "typing")
"""Whose objects are types, or functions of Python's own, and nothing that was put in the place of a function."""


def is_untouched() -> bool:
    """Whether every function and class in the modules that are loaded stands in a file of this package."""
    for name, module in list(sys.modules.items()):
        package, _, rest = name.partition(".")
        if package == PACKAGE and rest.partition(".")[0] in DERIVING:
            if not all(_is_declared(held) for held in _held(module)):
                return False
    return True


def _held(module: ModuleType) -> Iterator[object]:
    """All that can be called."""
    for held in list(vars(module).values()):
        if callable(held):
            yield held
        if isinstance(held, type) and held.__module__ == module.__name__:
            for value in list(vars(held).values()):
                yield from (value,) if type(value) is FunctionType else functions_in(value)


def _is_declared(held: object) -> bool:
    if type(held) is _lru_cache_wrapper:
        held = held.__wrapped__
    if type(held) is FunctionType:
        where = held.__code__.co_filename
        return where.startswith(ROOT) or _is_of_a_library(held, where)
    kind = held if isinstance(held, type) else type(held)
    module = kind.__module__.partition(".")[0]
    return module == PACKAGE or (is_standard(kind) if isinstance(held, type) else module in SPEAKING)


def _is_of_a_library(function: FunctionType, where: str) -> bool:
    home = (function.__module__ or "").partition(".")[0]
    if where.startswith(GENERATED):
        return home != "__main__"
    return (where.startswith(LIBRARY) and "site-packages" not in where) or home in LIBRARIES
