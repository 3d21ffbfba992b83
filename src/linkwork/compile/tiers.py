"""Better code for what is called for long, made while it runs.

Whoever runs functions says from time to time for how long it has done so, and how long it will. Where better code would
save more than it costs to make, a thread makes it, keeps it in the cache and puts it in its place; the numbers stay the
same bit by bit (see `native`), so when that happens is of no consequence.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from linkwork.compile.native import CompiledFunction

SLOWDOWN = 1.8
"""Time that code made at once takes, relative to the best; measured 1.4 to 2.2."""
SECONDS_PER_INSTRUCTION = 60e-6
"""That the best code takes to make; measured 40e-6 for hundreds of instructions, 150e-6 for ten thousands."""


def improve(functions: Iterable[object], ran: float, left: float) -> None:
    """Have better code made for functions that have run for `ran` more seconds and will for about `left`, if it pays.

    What has been run for long already is taken to be run for as long again.
    """
    waiting = improvable(functions)
    if not waiting:
        return
    for f in waiting:
        f.ran += ran
    expected = max(left, *(f.ran for f in waiting))
    cost = SECONDS_PER_INSTRUCTION * sum(f.instructions for f in waiting)
    if expected * (1 - 1 / SLOWDOWN) > cost:
        made = [f.improve() for f in waiting if f.improve is not None]
        for f in waiting:
            f.improve = None
        threading.Thread(target=_make, args=(made,), name="linkwork-compile").start()


def improvable(functions: Iterable[object]) -> list[CompiledFunction]:
    """The code that can be better, of functions that may be made of several: Jacobians that are loops, schedules."""
    own = {id(part): part for f in functions for part in getattr(f, "parts", [getattr(f, "partials", f)])}
    return [cast("CompiledFunction", f) for f in own.values() if getattr(f, "improve", None) is not None]


def _make(functions: list[Callable[[], None]]) -> None:
    """One after the other, until the program ends."""
    for make in functions:
        if not threading.main_thread().is_alive():
            return
        make()
