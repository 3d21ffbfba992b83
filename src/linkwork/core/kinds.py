"""What arguments may be: a kind reads what was given, and gives it as the library takes it, or refuses it.

What is only unusual is taken: numpy's numbers, 0-d arrays, fractions. Lists and arrays are copied, so that changing
them afterwards changes nothing by stealth.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, Generic, NamedTuple, NoReturn, TypeAlias, TypeVar

import casadi as ca
import numpy as np

from linkwork.core.errors import LinkworkError, ModelError
from linkwork.core.real_numbers import is_number, number_in, said, shown
from linkwork.geometry import SX, Number

__all__ = ["is_number", "number_in", "said", "shown"]


class Refused(Enum):
    """What a kind gives for something that it is not."""

    REFUSED = "refused"


REFUSED: Final = Refused.REFUSED
T = TypeVar("T")
S = TypeVar("S")
Reader: TypeAlias = Callable[[object], T | Refused]
TURN = 2 * math.pi


class Signed(float):
    """A number whose sign is meant."""

    def __repr__(self) -> str:
        return f"lw.signed({float(self)!r})"


def signed(value: object) -> Signed:
    """A number that is negative on purpose, where one would be taken for a slip: `lw.Spring(lw.signed(-50.0))`."""
    plain = number_in(value)
    if plain is None:
        raise ModelError(f"signed({shown(value)}).", remedy="Give a finite number.")
    return Signed(plain)


def names_in(given: Any) -> tuple[Any, ...]:
    """Names that were asked for, one or several; what is none is told later, with those that are known."""
    single = isinstance(given, (str, bytes)) or (isinstance(given, np.ndarray) and not given.ndim)
    several = isinstance(given, (Sequence, np.ndarray, set, dict)) and not single
    return tuple(x if isinstance(x, (str, int)) else said(x) for x in (given if several else (given,)))


@dataclass(frozen=True)
class Range:
    """Numbers that are meant: in words ("> 0"), and as a test.

    slip: others only look like a slip, which the value of a parameter is not: it is there to be varied.
    """

    said: str
    holds: Callable[[float], bool]
    slip: bool = False


@dataclass(frozen=True)
class Kind(Generic[T]):
    """wanted: what to give, for the message; read: the value as the library takes it, or REFUSED.

    unit: of its numbers, `positive["N/m"]`; range: where they lie, of expressions once their symbols have values;
    choices: all there are, where these are few.
    """

    wanted: str
    read: Reader[T]
    cause: str = "{word} {given}."
    unit: str = ""
    range: Range | None = None
    choices: tuple[object, ...] = ()

    def __getitem__(self, unit: str) -> Kind[T]:
        """The same in a unit."""
        return replace(self, unit=unit)

    def taken(self, word: str, given: object, owner: str | None) -> T:
        """The value, or a ModelError that names the owner and the word."""
        try:
            value = self.read(given)
        except LinkworkError as error:
            raise ModelError(f"{word} {error.cause}", component=owner, remedy=error.remedy) from None
        if value is REFUSED:
            self.refuse(word, given, owner)
        return value

    def refuse(self, word: str, given: object, owner: str | None) -> NoReturn:
        raise ModelError(self.cause.format(word=word, given=shown(given)), component=owner, remedy=self.wanted)

    def __or__(self, other: Kind[S]) -> Kind[T | S]:
        """Whatever one of them takes; the words are this one's."""

        def read(given: object) -> T | S | Refused:
            value = self.read(given)
            return other.read(given) if value is REFUSED else value

        return Kind(self.wanted, read, self.cause, self.unit, self.range)

    def saying(self, wanted: str | None = None, cause: str | None = None) -> Kind[T]:
        """The same with other words."""
        return replace(self, wanted=wanted or self.wanted, cause=cause or self.cause)


class Claim(NamedTuple):
    """An expression that must lie in a kind's range once its symbols have values; word: of what it was given for."""

    word: str
    value: SX
    kind: Kind

    def holds(self, number: float) -> bool:
        """Whether a value that the expression has is in its range."""
        assert self.kind.range is not None
        return math.isfinite(number) and self.kind.range.holds(number)

    def verify(self, number: float, owner: str) -> None:
        """Refuse a value that the expression has."""
        if not self.holds(number):
            self.kind.refuse(self.word, number, owner)


def claims(word: str, value: object, kind: Kind) -> Iterator[Claim]:
    """What is left to verify of a value that was taken: expressions in it, where the kind has a range."""
    if kind.range is None or kind.range.slip:
        return
    for part in value if isinstance(value, (tuple, list)) else (value,):
        if isinstance(part, SX) and not part.is_constant():
            yield Claim(word, part, kind)


def _instance(cls: type[T]) -> Reader[T]:
    return lambda given: given if isinstance(given, cls) else REFUSED


def _number(test: Callable[[float], bool] = lambda x: True) -> Reader[float]:
    def read(given: object) -> float | Refused:
        value = number_in(given)
        return value if value is not None and test(value) else REFUSED

    return read


def _quantity(test: Callable[[float], bool] = lambda x: True) -> Reader[Number]:
    """One number, or one expression: what an expression is worth is known later."""

    def read(given: object) -> Number | Refused:
        if not isinstance(given, SX):
            value = number_in(given)
            return value if value is not None and test(value) else REFUSED
        if given.numel() != 1:
            return REFUSED
        if given.is_constant() and not (math.isfinite(x := float(ca.evalf(given))) and test(x)):
            return REFUSED
        return given

    return read


def ranged(said: str, holds: Callable[[float], bool], wanted: str, *, slip: bool = False) -> Kind[Number]:
    """One number of a range, or one expression."""
    return Kind(wanted, _quantity(holds), range=Range(said, holds, slip))


def _callable(given: object) -> Callable[..., Any] | Refused:
    return given if callable(given) else REFUSED


def _truth(given: object) -> bool | Refused:
    if isinstance(given, (bool, np.bool_)):
        return bool(given)
    return bool(given) if isinstance(given, int) and given in (0, 1) else REFUSED


def _count(least: int, most: float) -> Reader[int]:
    def read(given: object) -> int | Refused:
        value = number_in(given)
        return int(value) if value is not None and value == math.floor(value) and least <= value <= most else REFUSED

    return read


def _sequence(each: Kind[T], sizes: tuple[int, ...] | None = None, *, empty: bool = True) -> Reader[tuple[T, ...]]:
    """Several of one kind, as a tuple: a list may be changed afterwards."""

    def read(given: object) -> tuple[T, ...] | Refused:
        if isinstance(given, (str, bytes, Mapping, set)):
            return REFUSED
        if isinstance(given, (SX, ca.DM)):
            parts = [given[i] for i in range(given.numel())] if given.is_vector() else []
        else:
            if not isinstance(given, (Sequence, np.ndarray)) or getattr(given, "ndim", 1) == 0:  # nor what has no end
                return REFUSED
            parts = list(given)
        if (sizes is not None and len(parts) not in sizes) or not (parts or empty):
            return REFUSED
        values = [x for part in parts if (x := each.read(part)) is not REFUSED]
        return tuple(values) if len(values) == len(parts) else REFUSED

    return read


def _array(given: object, kind: type = float) -> np.ndarray | Refused:
    """Numbers in rows and columns, as an array that cannot be changed."""
    try:
        array: np.ndarray = np.array(given, dtype=kind)
    except Exception:  # whatever numpy meets in there
        return REFUSED
    if not np.all(np.isfinite(array)):
        return REFUSED
    array.setflags(write=False)
    return array


def _matrix(given: object) -> SX | np.ndarray | float | tuple[object, ...] | Refused:
    """Rows of numbers or expressions."""
    if isinstance(given, SX):
        fine = not given.is_constant() or np.all(np.isfinite(np.array(ca.evalf(given))))
        return given if fine and given.numel() else REFUSED
    if isinstance(given, (list, tuple)):
        rows = [_sequence(quantity)(row) if isinstance(row, (list, tuple)) else _quantity()(row) for row in given]
        sizes = {len(row) if isinstance(row, tuple) else -1 for row in rows if row is not REFUSED}
        if not any(row is REFUSED for row in rows) and len(sizes) == 1 and 0 not in sizes:
            return tuple(rows)
    value = number_in(given)
    array = _array(given) if value is None else value
    return array if array is not REFUSED and np.ndim(array) <= 2 and np.size(array) else REFUSED


def seem_degrees(value: object) -> bool:
    """Whether an angle [rad] is a whole number beyond a turn, as 90 is: it was given in degrees."""
    return isinstance(value, (int, float)) and abs(value) > TURN and float(value).is_integer()


def _angle(given: object) -> Number | Refused:
    """An angle [rad]: a whole number beyond a turn means degrees."""
    value = _quantity()(given)
    if isinstance(value, (int, float)) and seem_degrees(value):
        raise LinkworkError(
            f"{value:g} rad are {value / TURN:.3g} turns.",
            remedy=f"Angles are in radians: write {value:g} * lw.deg for degrees.",
        )
    return value


def _progress(given: object) -> Callable[..., object] | None | Refused:
    """A function; True: one that writes to the terminal. Classes make something; they are told nothing."""
    if isinstance(given, (bool, np.bool_)):
        return tell if given else None
    return given if callable(given) and not isinstance(given, type) else REFUSED


def tell(*done: object) -> None:
    """Write how far an analysis has come to the terminal: the share that is done, or step and value."""
    said = f"{done[0]:4.0%}" if len(done) == 1 else " ".join(f"{x:.6g}" for x in done)
    print(f"\r{said}", end="\n" if done == (1.0,) else "", file=sys.stderr, flush=True)


def tell_stage(stage: str) -> None:
    """Write what begins now to the terminal, over what was there."""
    print(f"\r{stage:<40}", end="", file=sys.stderr, flush=True)


anything: Kind[Any] = Kind("", lambda given: given)
number = Kind("Give a finite number.", _number())
instant = number | Kind("", _instance(float))
"""A time, which may lie outside of everything."""
positive_number = Kind("Give a positive number.", _number(lambda x: x > 0))
tolerance = Kind("Give a positive number, such as 1e-8.", _number(lambda x: x >= 1e-60))
nonnegative_number = Kind("Give a positive number or 0.", _number(lambda x: x >= 0))
quantity: Kind[Number] = Kind("Give a finite number or an expression of parameters (SI units).", _quantity())
positive = ranged("> 0", lambda x: x > 0, "Give a positive number (SI units).")
nonnegative = ranged("≥ 0", lambda x: x >= 0, "Give a positive number or 0 (SI units).")
nonzero = ranged("≠ 0", lambda x: x != 0, "Give a number other than 0 (SI units).")
share = ranged("0 … 1", lambda x: 0 <= x <= 1, "It lies between 0 and 1.")
unsigned = ranged(
    "≥ 0 or lw.signed",
    lambda x: x >= 0 or isinstance(x, Signed),
    "Give a positive number or 0 (SI units); lw.signed(…) if the sign is meant.",
    slip=True,
)
"""What is negative by mistake only, unless it is said."""
angle: Kind[Number] = Kind("Give an angle in radians.", _angle)
progress = Kind("Give a function, or True to see it in the terminal.", _progress)
truth = Kind("Give True or False.", _truth)
count = Kind("Give a whole number, at least 1.", _count(1, 1e9))
text = Kind("Give a text.", _instance(str))
expression: Kind[Number] = Kind(
    "Give an expression.", lambda x: x if isinstance(x, SX) and x.numel() else _quantity()(x)
)
function = Kind("Give a function.", _callable)
course = Kind("Give a number, an expression, a function or a table.", _quantity()) | function
mapping = Kind("Give a dictionary, {name: value}.", _instance(Mapping))
numbers = Kind("Give finite numbers.", _array)
unsigned_course = unsigned | function
vector: Kind[tuple[Number, ...]] = Kind("Give 2 or 3 finite numbers or expressions.", _sequence(quantity, (2, 3)))
complex_numbers = Kind("Give numbers.", lambda x: _array(x, complex))
matrix = Kind("Give rows of finite numbers or expressions.", _matrix)
names = Kind("Give a name or a list of names.", _instance(str)) | Kind("", _sequence(text))
directions = unsigned | Kind("", _sequence(unsigned, (2, 3)))
sizes = Kind("Give sizes in metres, > 0.", _sequence(number))
triple = Kind("Give three sizes in metres, > 0.", _sequence(number, (3,)))
quantities: Kind[tuple[Number, ...]] = Kind("Give a list of numbers or expressions.", _sequence(quantity))


tolerances = tolerance | Kind("", _sequence(tolerance, empty=False))


def several(each: Kind[T], wanted: str, *, empty: bool = True) -> Kind[tuple[T, ...]]:
    """A list of things of one kind; empty: whether it may be."""
    return Kind(wanted, _sequence(each, empty=empty))


def at_least(least: float, wanted: str) -> Kind[Number]:
    """A number that is not below another, or an expression."""
    return ranged(f"≥ {least:g}", lambda x: x >= least, wanted)


def or_signal(kind: Kind) -> Kind:
    """Numbers and expressions of a kind, or anything else that may be a signal: a function, a table, a port."""
    return replace(kind, read=lambda x: kind.read(x) if isinstance(x, SX) or is_number(x) else x)


def counted(least: int, most: int) -> Kind[int]:
    """A whole number in a range."""
    return Kind(f"Give a whole number from {least} to {most}.", _count(least, most))


def one_of(*known: object) -> Kind[str | int | float]:
    """One of a few words or numbers."""
    said = ", ".join(map(repr, known[:-1])) + f" or {known[-1]!r}"
    plain = (str, int, float)
    return Kind(
        f"It is {said}.",
        lambda x: x if isinstance(x, plain) and not isinstance(x, bool) and x in known else REFUSED,
        choices=known,
    )
