"""What is being done just now, for whoever wants to show it: deriving, assembling, compiling, …

A stage is announced where it begins, a share where it is known; who listens is known to nobody in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import NamedTuple


class _Listener(NamedTuple):
    stage: Callable[[str], object]
    share: Callable[[float], object] | None


_listener: ContextVar[_Listener | None] = ContextVar("listener", default=None)
_part: ContextVar[tuple[float, float]] = ContextVar("part", default=(0.0, 1.0))


def begin(stage: str) -> None:
    """Announce what begins now, in a few words: "deriving the equations"."""
    listener = _listener.get()
    if listener is not None:
        listener.stage(stage)


def reached(share: float) -> None:
    """Announce which share is done, 0 … 1."""
    listener = _listener.get()
    if listener is not None and listener.share is not None:
        first, last = _part.get()
        listener.share(first + (last - first) * share)


def telling(progress: Callable[[float], object] | None) -> Callable[[float], None]:
    """Announces shares, and passes them on to a function."""

    def tell(share: float) -> None:
        reached(share)
        if progress is not None:
            progress(share)

    return tell


@contextmanager
def part(number: int, count: int) -> Iterator[None]:
    """Shares that are reached in this block are those of one of so many parts, the first of which is 0."""
    first, last = _part.get()
    length = (last - first) / max(count, 1)
    token = _part.set((first + number * length, first + (number + 1) * length))
    try:
        yield
    finally:
        _part.reset(token)


@contextmanager
def openended() -> Iterator[None]:
    """Shares in this block say nothing of the whole, as nobody knows how many such parts there will be."""
    first, _ = _part.get()
    token = _part.set((first, first))
    try:
        yield
    finally:
        _part.reset(token)


@contextmanager
def instead() -> Iterator[tuple[Callable[[str], None], Callable[[float], None]]]:
    """What is announced in this block is told to nobody; stages and shares of the whole go through these functions."""
    whole = copy_context()
    token = _listener.set(None)
    try:
        yield lambda stage: whole.run(begin, stage), lambda share: whole.run(reached, share)
    finally:
        _listener.reset(token)


def is_heard() -> bool:
    """Whether somebody listens."""
    return _listener.get() is not None


@contextmanager
def announced_to(
    stage: Callable[[str], object] | None, share: Callable[[float], object] | None = None
) -> Iterator[None]:
    """Stages and shares in this block are told to these functions; none of stages: to whom they were told before."""
    token = _listener.set(_listener.get() if stage is None else _Listener(stage, share))
    try:
        yield
    finally:
        _listener.reset(token)
