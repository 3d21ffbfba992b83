"""What makes two functions, or two other things that a component holds, the same: by what they are made of.

A function that is written once in a loop is made anew in every turn. Two of them do the same if they have the same code
and hold the same things; whether numbers in two things are equal is all that is asked of numbers here.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from types import CellType, FunctionType
from typing import Any

import numpy as np

from linkwork.geometry import SX

DEEP = 8
"""Functions in functions that are looked into; deeper ones are the same only if they are one and the same."""


def same(thing: Any, depth: int = 0) -> Hashable:
    """A key that two things share only if they are equal; what holds other things is the same only as itself."""
    if thing is None or isinstance(thing, bool | str | bytes):
        return type(thing).__name__, thing
    if type(thing) in (int, float) or isinstance(thing, np.number):
        return type(thing).__name__, repr(thing)  # 0.0 and -0.0 are equal, and not the same
    if type(thing) is SX and thing.numel() == 1:
        return "expression", thing.element_hash()
    if type(thing) is tuple:
        return tuple(same(x, depth + 1) for x in thing)
    if type(thing) is FunctionType and depth < DEEP:
        return of_function(thing, depth)
    return "itself", id(thing)


def of_function(function: FunctionType, depth: int = 0) -> Hashable:
    """By code, and by what it holds."""
    held = contents(function)
    if held is None:
        return "itself", id(function)
    words = tuple(function.__kwdefaults__ or ())
    return function.__code__, id(function.__globals__), words, tuple(same(x, depth + 1) for x in held)


def contents(function: FunctionType) -> list[Any] | None:
    """Defaults, and what it has taken from where it was written; None: nobody knows."""
    if vars(function):
        return None
    try:
        taken = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # one of them is empty yet
        return None
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *taken]


def holding(function: FunctionType, held: Sequence[Any]) -> FunctionType:
    """The same function with other contents, in the order of `contents`."""
    count, words = len(function.__defaults__ or ()), list(function.__kwdefaults__ or {})
    defaults, by_word, taken = held[:count], held[count : count + len(words)], held[count + len(words) :]
    closure = tuple(CellType(x) for x in taken)
    twin = FunctionType(function.__code__, function.__globals__, function.__name__, tuple(defaults), closure)
    twin.__kwdefaults__ = dict(zip(words, by_word, strict=True)) or None
    return twin
