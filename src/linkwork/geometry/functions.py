"""Functions of numbers, arrays and expressions alike: CasADi's, with messages that name the function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import casadi as ca


def _named(name: str, *words: str) -> Callable[..., Any]:
    call = getattr(ca, name)
    arguments = ", ".join(words)

    @wraps(call)
    def function(*args: Any) -> Any:
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


acos, asin, atan, cos, exp, fabs, floor, log, sin, sqrt, tan, tanh = (
    _named(name, "x") for name in "acos asin atan cos exp fabs floor log sin sqrt tan tanh".split()
)
atan2, fmax, fmin = _named("atan2", "y", "x"), _named("fmax", "x", "y"), _named("fmin", "x", "y")
if_else = _named("if_else", "condition", "then", "otherwise")
