"""Functions of numbers, arrays and expressions alike: CasADi's, with messages that name the function."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import Any, Protocol, overload

import casadi as ca
import numpy as np

from linkwork.geometry.vectors import SX, Number


class Unary(Protocol):
    """A function of one number, array or expression."""

    @overload
    def __call__(self, x: SX, /) -> SX: ...
    @overload
    def __call__(self, x: np.ndarray, /) -> np.ndarray: ...
    @overload
    def __call__(self, x: float, /) -> float: ...


class Binary(Protocol):
    """A function of two."""

    @overload
    def __call__(self, a: SX, b: Number, /) -> SX: ...
    @overload
    def __call__(self, a: float, b: SX, /) -> SX: ...
    @overload
    def __call__(self, a: np.ndarray, b: np.ndarray | float, /) -> np.ndarray: ...
    @overload
    def __call__(self, a: float, b: np.ndarray, /) -> np.ndarray: ...
    @overload
    def __call__(self, a: float, b: float, /) -> float: ...


class Choice(Protocol):
    """`then` where a condition holds, else `otherwise`."""

    def __call__(self, condition: SX | bool, then: Number, otherwise: Number, /) -> SX: ...


def _named(name: str, *words: str) -> Any:
    call = getattr(ca, name)
    arguments = ", ".join(words)

    @wraps(call)
    def function(*args: object) -> object:
        try:
            return call(*args)
        except (NotImplementedError, RuntimeError, OverflowError, SystemError) as error:
            given = ", ".join(type(x).__name__ for x in args)
            raise TypeError(
                f"lw.{name}({arguments}) was given ({given}): give numbers, arrays or expressions that fit each other."
            ) from error

    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(word, inspect.Parameter.POSITIONAL_ONLY) for word in words]
    )
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}({arguments}) of numbers, arrays or expressions."
    return function


acos: Unary = _named("acos", "x")
asin: Unary = _named("asin", "x")
atan: Unary = _named("atan", "x")
cos: Unary = _named("cos", "x")
exp: Unary = _named("exp", "x")
fabs: Unary = _named("fabs", "x")
floor: Unary = _named("floor", "x")
log: Unary = _named("log", "x")
sin: Unary = _named("sin", "x")
sqrt: Unary = _named("sqrt", "x")
tan: Unary = _named("tan", "x")
tanh: Unary = _named("tanh", "x")
atan2: Binary = _named("atan2", "y", "x")
fmax: Binary = _named("fmax", "x", "y")
fmin: Binary = _named("fmin", "x", "y")
if_else: Choice = _named("if_else", "condition", "then", "otherwise")
