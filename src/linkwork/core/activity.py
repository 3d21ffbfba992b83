"""What is being done just now, for whoever wants to show it: deriving, assembling, compiling, …

A stage is announced where it begins; who listens is known to nobody in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def begin(stage: str) -> None:
    """Announce what begins now, in a few words: "deriving the equations"."""
    listener = _listener.get()
    if listener is not None:
        listener(stage)


@contextmanager
def announced_to(listener: Callable[[str], None] | None) -> Iterator[None]:
    """Stages that begin in this block are told to this function; None: to whom they were told before."""
    token = _listener.set(_listener.get() if listener is None else listener)
    try:
        yield
    finally:
        _listener.reset(token)
