"""A progress bar that only long runs get to see."""

from __future__ import annotations

import signal
import threading
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console

from linkwork.core.activity import announced_to

if TYPE_CHECKING:
    import rich.progress


_PATIENCE = 0.5  # seconds without a bar: most runs are over by then, and a flicker is worse than nothing


class ProgressBar:
    """Call it with the fraction done, 0 … 1; inside `with`, on a terminal, it shows a bar once it takes long, and what
    is being done: deriving, compiling, running, ….

    It also remembers Ctrl-C: libraries called while equations are derived can swallow the interrupt, and it would be
    lost without a second reminder as soon as the run begins.
    """

    def __init__(self, title: str, *, quiet: bool = False):
        self._title = title
        self._console = Console(stderr=True)
        self._wanted = not quiet and self._console.is_terminal
        self._bar: rich.progress.Progress | None = None
        self._stage, self._done = "", 0.0
        self._lock, self._over = threading.Lock(), False
        self._timer = threading.Timer(_PATIENCE, self._show)
        self._announced: AbstractContextManager[None] | None = None
        self._interrupted = False
        self._previous: Any = None

    def _interrupt(self, *_: object) -> None:
        self._interrupted = True
        raise KeyboardInterrupt

    def __call__(self, fraction: float) -> None:
        if self._interrupted:
            raise KeyboardInterrupt
        self._done = fraction
        self._update()

    def stage(self, what: str) -> None:
        """What begins now."""
        self._stage = what
        self._update()

    def _update(self) -> None:
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done, description=self._described())

    def _described(self) -> str:
        return f"{self._title}: {self._stage}" if self._stage else self._title

    def _show(self) -> None:
        """From a thread of its own, as what takes long may be one call of a library."""
        with self._lock:
            if not self._over:
                self._bar = self._open()

    def __enter__(self) -> ProgressBar:
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._interrupt)
        if self._wanted:
            self._timer.daemon = True
            self._timer.start()
        self._announced = announced_to(self.stage)
        self._announced.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
        if self._announced is not None:
            self._announced.__exit__(kind, error, trace)
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()

    def _open(self) -> rich.progress.Progress:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        bar = Progress(*columns, console=self._console, transient=True)
        bar.add_task(self._described(), total=1.0)
        bar.start()
        return bar
