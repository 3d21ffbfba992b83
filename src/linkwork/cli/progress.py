"""A progress bar that only long runs get to see."""

from __future__ import annotations

import signal
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    import rich.progress


_PATIENCE = 0.3  # seconds without a bar: most runs are over by then, and a flicker is worse than nothing


class ProgressBar:
    """Call it with the fraction done, 0 … 1; inside `with`, on a terminal, it shows a bar once the run takes long.

    It also remembers Ctrl-C: libraries called while equations are derived can swallow the interrupt, and it would be
    lost without a second reminder as soon as the run begins.
    """

    def __init__(self, title: str, *, quiet: bool = False):
        self._title = title
        self._console = Console(stderr=True)
        self._wanted = not quiet and self._console.is_terminal
        self._started = time.perf_counter()
        self._bar: rich.progress.Progress | None = None
        self._interrupted = False
        self._previous: Any = None

    def _interrupt(self, *_: object) -> None:
        self._interrupted = True
        raise KeyboardInterrupt

    def __call__(self, fraction: float) -> None:
        if self._interrupted:
            raise KeyboardInterrupt
        if self._bar is None and (not self._wanted or time.perf_counter() - self._started < _PATIENCE):
            return
        if self._bar is None:
            self._bar = self._open()
        self._bar.update(self._bar.task_ids[0], completed=fraction)

    def __enter__(self) -> ProgressBar:
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
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
        bar.add_task(self._title, total=1.0)
        bar.start()
        return bar
