"""A progress bar in a terminal, that only what takes long gets to see."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Protocol

from linkwork.core.progress import PATIENCE

if TYPE_CHECKING:
    from rich.progress import Progress


class TerminalBar:
    """Told of stages and of the share that is done; written to the standard error, where nothing of it is left."""

    tick: float | None = None

    def __init__(self, title: str):
        self._title, self._stage, self._done = title, "", 0.0
        self._progress: Progress | None = None
        self._lock, self._over = threading.Lock(), False
        self.began = time.monotonic()

    def share(self, done: float) -> None:
        self._done = done
        self._update()

    def stage(self, what: str) -> None:
        self._stage = what
        self._update()

    @property
    def description(self) -> str:
        return ": ".join(filter(None, (self._title, self._stage)))

    def _update(self) -> None:
        if self._progress is not None:
            total = 1.0 if self._done else None  # nothing is known of it yet
            self._progress.update(
                self._progress.task_ids[0], completed=self._done, total=total, description=self.description
            )

    def open(self) -> None:
        """From another thread, as what takes long may be one call of a library."""
        with self._lock:
            if not self._over:
                self._progress = self._opened()

    def close(self) -> None:
        with self._lock:
            self._over = True
            if self._progress is not None:
                self._progress.stop()

    def _opened(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        said, share = TextColumn("{task.description}", markup=False), TextColumn("{task.percentage:>3.0f} %")
        bar = Progress(
            said, BarColumn(), share, TimeElapsedColumn(), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True,
            redirect_stdout=sys.stdout is not None and sys.stdout.isatty(),  # lines that are printed go above it
        )  # fmt: skip
        bar.add_task(self.description, total=1.0 if self._done else None)
        bar.start()
        return bar


class Bar(Protocol):
    began: float
    """By the monotonic clock [s]."""
    tick: float | None
    """s after which it wants to be opened again; None: it looks after itself."""

    def open(self) -> None: ...


class _Watcher:
    """Opens bars that are still there after a while: one thread for all of them, which sleeps in between."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._begun = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, bar: Bar | None) -> None:
        """None: what was watched is over."""
        self._bar = bar
        if bar is None:
            return
        if self._thread is None or not self._thread.is_alive():  # a process that was forked has none
            self._begun = threading.Event()
            self._thread = threading.Thread(target=self._run, name="linkwork progress", daemon=True)
            self._thread.start()
        self._begun.set()

    def _run(self) -> None:
        while True:
            self._begun.wait()
            self._begun.clear()
            bar = self._bar
            if bar is None:
                continue
            time.sleep(max(0.0, bar.began + PATIENCE - time.monotonic()))
            while bar is self._bar:
                bar.open()
                if bar.tick is None:
                    break
                time.sleep(bar.tick)


watcher = _Watcher()


def terminal_bar(title: str) -> TerminalBar | None:
    """None: nobody looks at a terminal, or another process writes to it."""
    stream = sys.stderr
    if stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb":
        return None
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and processes.parent_process() is not None:
        return None
    return TerminalBar(title)
