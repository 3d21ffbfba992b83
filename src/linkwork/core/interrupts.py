"""Ctrl-C is never lost.

Libraries that are called while equations are derived, and destructors, can swallow the KeyboardInterrupt that Python
raises in them. So an interrupt is repeated until somebody has taken notice: it has left the verb that was called, or
`acknowledge` was called because what was computed so far is kept.
"""

from __future__ import annotations

import _thread
import functools
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

FIRST, AGAIN = 0.3, 0.1
"""s after which an interrupt is repeated: an exception that is on its way up must have time to arrive."""
PATIENCE = 1.0
"""s that an interrupt waits for C code that is about to return."""


class _Ear:
    """Hears Ctrl-C for one verb; the handler that was there before decides what it means."""

    def __init__(self, previous: Callable[..., object]):
        self._previous = previous
        self.pending, self.held = False, False
        self._deaf, self._since = False, 0.0
        self._over, self._lock = threading.Event(), threading.Lock()

    def __call__(self, number: int, frame: object) -> None:
        if self._deaf:
            return
        try:
            self._previous(number, frame)
        except KeyboardInterrupt:
            if not self.pending:
                self.pending, self._since, self._over = True, time.monotonic(), threading.Event()
                threading.Thread(target=self._repeat, args=(self._over,), daemon=True).start()
            if not self.held or time.monotonic() - self._since > PATIENCE:
                raise

    def acknowledge(self) -> None:
        self._deaf = True  # to a repetition that is on its way
        with self._lock:
            self._over.set()
        self.pending = False
        self._deaf = False

    def _repeat(self, over: threading.Event) -> None:
        wait = FIRST
        while not over.wait(wait):
            with self._lock:
                if not over.is_set():
                    _interrupt()
            wait = AGAIN


def _interrupt() -> None:
    """As if Ctrl-C had been pressed; where the system can, by a signal, which also wakes the main thread."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


_listening: list[_Ear] = []


def acknowledge() -> None:
    """Whoever has caught a KeyboardInterrupt and goes on with what there is says so."""
    for ear in _listening:
        ear.acknowledge()


def interrupted() -> bool:
    """Whether Ctrl-C was pressed and nobody has taken notice yet: an error that comes now may be what became of it."""
    return any(ear.pending for ear in _listening)


@contextmanager
def held() -> Iterator[None]:
    """An interrupt in this block waits for its end: raised in what C code calls back, it would be swallowed there."""
    ears = list(_listening) if threading.current_thread() is threading.main_thread() else []
    for ear in ears:
        ear.held = True
    try:
        yield
    finally:
        for ear in ears:
            ear.held = False
    if any(ear.pending for ear in ears):
        raise KeyboardInterrupt


@contextmanager
def heard() -> Iterator[None]:
    """An interrupt in this block ends it with KeyboardInterrupt, unless it is acknowledged within."""
    previous = signal.getsignal(signal.SIGINT)
    nested = isinstance(previous, _Ear)
    if nested or not callable(previous) or threading.current_thread() is not threading.main_thread():
        yield
        return
    ear = _Ear(previous)
    try:
        _listening[:] = [ear]
        signal.signal(signal.SIGINT, ear)
        yield
    except Exception as error:
        if ear.pending:  # it was taken for something else on its way
            raise KeyboardInterrupt from error
        raise
    finally:
        ear.held = True  # what comes now waits until all is in order again
        pending = ear.pending
        ear.acknowledge()
        if signal.getsignal(signal.SIGINT) is ear:
            signal.signal(signal.SIGINT, previous)
        _listening.clear()
        if ear.pending:
            pending = True
            ear.acknowledge()
    if pending:
        raise KeyboardInterrupt


def listening(function: F) -> F:
    """Decorator: no interrupt is lost while the function runs."""

    @functools.wraps(function)
    def wrapper(*args: object, **options: object) -> Any:
        with heard():
            return function(*args, **options)

    return cast(F, wrapper)
