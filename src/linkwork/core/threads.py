"""BLAS with one thread while a verb runs: matrices of mechanisms are small, and threads that wait for each other on a
busy machine take a hundred times as long as one alone.

Nothing is changed before a matrix is large enough for BLAS to ask other threads, and everything is as it was when the
last verb has ended.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

SHARED = 64 * 64
"""Numbers in a matrix from which BLAS shares the work."""

_lock = threading.Lock()
_verbs = 0
"""That run now, in whichever thread."""
_before: list[tuple[Any, int]] = []
"""Libraries that have been told, and how many threads they had."""
_seen: tuple[bool, bool] | None = None
"""Which of the packages that bring a BLAS were there when libraries were looked for."""


def single_threaded(function: F) -> F:
    """Decorator: what `alone` changes lasts until the function ends."""

    @functools.wraps(function)
    def wrapper(*args: object, **options: object) -> Any:
        global _verbs
        with _lock:
            _verbs += 1
        try:
            return function(*args, **options)
        finally:
            with _lock:
                _verbs -= 1
                if not _verbs:
                    _restore()

    return cast(F, wrapper)


def alone(numbers: int) -> None:
    """One thread from here to the end of the verb, if a matrix of so many numbers is worth it."""
    global _seen
    if numbers < SHARED or not _verbs:
        return
    present = "numpy" in sys.modules, "scipy.linalg" in sys.modules
    if present == _seen and _before:
        return
    from threadpoolctl import ThreadpoolController

    with _lock:
        told = {library.filepath for library, _ in _before}
        for library in ThreadpoolController().lib_controllers:
            if library.user_api == "blas" and library.filepath not in told:
                _before.append((library, library.get_num_threads()))
                library.set_num_threads(1)
        _seen = present


def _restore() -> None:
    global _seen
    for library, count in _before:
        library.set_num_threads(count)
    _before.clear()
    _seen = None
