"""Whether what derives equations is what the files of this package say.

A test, or somebody who tries something out, may exchange a function of it while a program runs. Then nothing that was
kept is taken, and nothing is kept.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType

from linkwork.recall.classes import PACKAGE, ROOT

DERIVING = "algebra assembly bondgraph components contact core formulations geometry structure".split()
"""Folders whose code equations hang on."""
LIBRARY = os.path.dirname(os.__file__) + os.sep
LIBRARIES = ("numpy", "casadi")
GENERATED = ("<string>", "<frozen", "namedtuple_")


def is_untouched() -> bool:
    """Whether every function in the modules that are loaded stands in a file of this package."""
    for name, module in list(sys.modules.items()):
        package, _, rest = name.partition(".")
        if package == PACKAGE and rest.partition(".")[0] in DERIVING:
            for function in _functions(module):
                where = function.__code__.co_filename
                if not where.startswith(ROOT) and not _is_of_a_library(function, where):
                    return False
    return True


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    for held in list(vars(module).values()):
        if type(held) is FunctionType:
            yield held
        elif isinstance(held, type) and held.__module__ == module.__name__:
            yield from (x for x in list(vars(held).values()) if type(x) is FunctionType)


def _is_of_a_library(function: FunctionType, where: str) -> bool:
    home = (function.__module__ or "").partition(".")[0]
    if where.startswith(GENERATED):
        return home != "__main__"
    return (where.startswith(LIBRARY) and "site-packages" not in where) or home in LIBRARIES
