"""A progress bar that only long runs get to see."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.console import Console

_PATIENCE = 0.3  # seconds without a bar: most runs are over by then, and a flicker is worse than nothing


class ProgressBar:
    """Call it with the fraction done, 0 … 1; inside `with`, on a terminal, it shows a bar once the run takes long."""

    def __init__(self, title: str, *, quiet: bool = False):
        self._title = title
        self._console = Console(stderr=True)
        self._wanted = not quiet and self._console.is_terminal
        self._started = time.perf_counter()
        self._bar: Any = None

    def __call__(self, fraction: float) -> None:
        if self._bar is None and (not self._wanted or time.perf_counter() - self._started < _PATIENCE):
            return
        if self._bar is None:
            self._bar = self._open()
        self._bar.update(self._bar.task_ids[0], completed=fraction)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _open(self) -> Any:
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
