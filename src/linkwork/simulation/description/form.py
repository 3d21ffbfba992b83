"""A description as a form with blanks: what runs with other numbers fill in only where somebody asks.

Which numbers go where is found by describing the model with numbers that differ in every place, and proved by
describing it once more: whatever is no plain copy of one of them (a product, a choice) makes no form, and is described
each time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.core.plain_data import Record
from linkwork.core.result import Later

TRIALS = 2
"""Descriptions with other numbers that a form must agree with."""


@dataclass(frozen=True)
class Blank:
    """A place for one of the numbers."""

    number: int


class _NoForm(Exception):
    """Something depends on the numbers in another way."""


@dataclass(frozen=True)
class Form:
    """A description with blanks."""

    parts: Record

    def filled(self, numbers: np.ndarray) -> Record:
        record: Record = _filled(self.parts, numbers.tolist())
        return record


@dataclass(frozen=True)
class Filled(Later):
    """A form, and the numbers that go into it: a description that is made when it is asked for."""

    form: Form
    numbers: np.ndarray

    def make(self) -> Record:
        return self.form.filled(self.numbers)


def form_of(describe: Callable[[np.ndarray], Record], numbers: np.ndarray) -> Form | None:
    """What `describe` gives for any numbers, in place of these; None: it does more than to copy them."""
    random = np.random.default_rng(1)
    apart = [random.uniform(0.05, 0.4, numbers.size) for _ in range(TRIALS)]
    tried = [numbers, *(np.where(numbers == 0, x, numbers * (1 + x)) for x in apart)]
    try:
        described = [describe(each) for each in tried]
        place = {x: k for k, x in enumerate(tried[1].tolist())}
        return Form(_merged(described, [each.tolist() for each in tried], place))
    except (_NoForm, ValueError, ArithmeticError, RuntimeError):  # of numbers that it was not made for
        return None


def _merged(parts: list[Any], numbers: list[list[float]], place: dict[float, int]) -> Any:
    """The same structure, with blanks where the parts differ."""
    first, *others = parts
    if any(type(x) is not type(first) for x in others):
        raise _NoForm
    if isinstance(first, dict):
        if any(list(x) != list(first) for x in others):
            raise _NoForm
        return {key: _merged([x[key] for x in parts], numbers, place) for key in first}
    if isinstance(first, list):
        if any(len(x) != len(first) for x in others):
            raise _NoForm
        return [_merged(list(each), numbers, place) for each in zip(*parts, strict=True)]
    if all(x == first for x in others):
        return first
    number = place.get(others[0], -1) if isinstance(first, float) else -1
    if number < 0 or any(x != each[number] for x, each in zip(parts, numbers, strict=True)):
        raise _NoForm
    return Blank(number)


def _filled(part: Any, numbers: list[float]) -> Any:
    if isinstance(part, Blank):
        return numbers[part.number]
    if isinstance(part, dict):
        return {key: _filled(x, numbers) for key, x in part.items()}
    if isinstance(part, list):
        return [_filled(x, numbers) for x in part]
    return part
