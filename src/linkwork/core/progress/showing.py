"""Who shows what a verb is doing: the outermost verb of the main thread, unless somebody listens already."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

from linkwork.core.activity import announced_to, is_heard
from linkwork.core.kinds import tell, tell_stage
from linkwork.core.progress.notebook_bar import NotebookBar, notebook_bar
from linkwork.core.progress.terminal_bar import TerminalBar, terminal_bar, watcher

F = TypeVar("F", bound=Callable[..., Any])

SWITCH = "LINKWORK_PROGRESS"
"""The variable of the environment that switches all bars off."""
OFF = ("0", "false", "no", "off")
TITLES = ("name", "model", "title")
"""What may name that which something is done with."""
_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def silenced(silent: bool = True) -> Iterator[None]:
    """No bars in this block."""
    token = _silent.set(silent or _silent.get())
    try:
        yield
    finally:
        _silent.reset(token)


def showing(function: F) -> F:
    """Decorator: what the function announces is shown, unless its caller wants to be told himself."""

    @functools.wraps(function)
    def wrapper(*args: object, **options: object) -> Any:
        progress = options.get("progress")
        if is_heard() or (progress is not None and progress is not tell):
            return function(*args, **options)
        bar = _bar(_title(args[0]) if args else "")
        if bar is None:
            with announced_to(tell_stage if progress is tell else None):
                return function(*args, **options)
        if progress is tell:  # the bar does it
            options["progress"] = None
        try:
            with announced_to(bar.stage, bar.share):
                bar.stage(function.__name__)
                return function(*args, **options)
        finally:
            watcher.watch(None)
            bar.close()

    return cast(F, wrapper)


def _title(subject: object) -> str:
    return next((x for word in TITLES if isinstance(x := getattr(subject, word, None), str)), "")


def _bar(title: str) -> NotebookBar | TerminalBar | None:
    if _silent.get() or threading.current_thread() is not threading.main_thread():
        return None
    if os.environ.get(SWITCH, "").strip().lower() in OFF:
        return None
    bar = notebook_bar(title) or terminal_bar(title)
    watcher.watch(bar)
    return bar
