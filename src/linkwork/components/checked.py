"""Numbers and expressions that components are given, checked where they are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from linkwork.core.errors import ModelError
from linkwork.core.kinds import is_number, shown
from linkwork.geometry import SX


@dataclass(frozen=True)
class Range:
    """What a number must be: positive, or 0 as well (`zero`), and at most `most`."""

    what: str
    value: Any
    zero: bool = False
    most: float | None = None

    def verify(self, name: str, number: Any) -> None:
        """Refuse another number; name: who has been given it."""
        if is_number(number):
            if (number > 0 or (self.zero and number == 0)) and (self.most is None or number <= self.most):
                return
        remedy = f"Give a positive number{' or 0' if self.zero else ''} (SI units)."
        if self.most is not None:
            remedy = f"It lies between 0 and {self.most:g}."
        raise ModelError(f"{self.what} {shown(number)}.", component=name, remedy=remedy)


def positive(name: str, what: str, given: Any, *, zero: bool = False, most: float | None = None) -> list[Range]:
    """Refuse what is no positive number (zero: or zero); what holds symbols is returned: their values come later."""
    wanted = Range(what, given, zero, most)
    if isinstance(given, SX) and given.numel() == 1:
        return [wanted]
    wanted.verify(name, given)
    return []


def nonzero(name: str, what: str, given: Any) -> None:
    """Refuse what is no number other than zero; symbols are let through."""
    if isinstance(given, SX) and given.numel() == 1:
        return
    if not is_number(given) or given == 0:
        raise ModelError(f"{what} {shown(given)}.", component=name, remedy="Give a number other than 0 (SI units).")


def one(what: str, given: Any) -> SX:
    """What a method of a component or law gave, as one symbolic number."""
    try:
        made = SX(given)
    except (NotImplementedError, TypeError, RuntimeError, OverflowError):
        made = SX(0, 1)
    if made.numel() != 1 or isinstance(given, bool):
        raise ModelError(f"{what} gives {shown(given)}.", remedy="It gives one number or expression.")
    return made


def many(what: str, given: Any, kind: type | None = None) -> list[Any]:
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
