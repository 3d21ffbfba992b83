"""Numbers and expressions that components are given, checked where they are given."""

from __future__ import annotations

from typing import Any, TypeVar, overload

import casadi as ca
import numpy as np

from linkwork.core.errors import ModelError
from linkwork.core.kinds import shown
from linkwork.geometry import SX

T = TypeVar("T")


def one(what: str, given: Any) -> SX:
    """What a method of a component or law gave, as one symbolic number."""
    try:
        made = given if type(given) is SX else SX(given)
    except (NotImplementedError, TypeError, RuntimeError, OverflowError):
        made = SX(0, 1)
    if made.numel() != 1 or isinstance(given, bool):
        raise ModelError(f"{what} gives {shown(given)}.", remedy="It gives one number or expression.")
    return made


@overload
def many(what: str, given: object, kind: None = None) -> list[SX]: ...
@overload
def many(what: str, given: object, kind: type[T]) -> list[T]: ...
def many(what: str, given: object, kind: type[T] | None = None) -> list[SX] | list[T]:
    """What a method gave, as a list: of symbolic numbers, or of things of a kind."""
    if not isinstance(given, (list, tuple)):
        raise ModelError(f"{what} gives {shown(given)}.", remedy="It gives a list.")
    if kind is None:
        return [one(what, x) for x in given]
    for x in given:
        if not isinstance(x, kind):
            raise ModelError(f"{what} gives {shown(x)} in its list.", remedy=f"It gives a list of lw.{kind.__name__}.")
    return list(given)


def expression(what: str, given: Any) -> SX:
    """What a function of the user's gave, as one symbolic number."""
    try:
        made = ca.densify(SX(given))
    except (NotImplementedError, TypeError, RuntimeError):
        raise ModelError(f"{what} gives {shown(given)}.", remedy="It gives a number or an expression.") from None
    if made.numel() != 1:
        raise ModelError(f"{what} gives {made.numel()} values.", remedy="It gives one number.")
    if not _is_regular(made):
        raise ModelError(
            f"{what} gives nan or inf.", remedy="It is called once with symbols: use lw.sin, not math.sin, and so on."
        )
    return made


def _is_regular(x: SX) -> bool:
    """Whether no constant in it is nan or inf."""
    f = ca.Function("x", ca.symvar(x), [x])
    constants = (f.instruction_constant(k) for k in range(f.n_instructions()) if f.instruction_id(k) == ca.OP_CONST)
    return all(np.isfinite(c) for c in constants)
