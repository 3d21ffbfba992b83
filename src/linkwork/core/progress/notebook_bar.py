"""A progress bar in a notebook, that only what takes long gets to see."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from html import escape
from typing import Any

from linkwork.core.progress import PATIENCE

PAUSE = 0.1
"""s between two looks at it: as often as an eye wants."""
TICK = 0.5
"""s after which its clock goes on, whatever is announced meanwhile."""


class NotebookBar:
    """Told of stages and of the share that is done. `show` is IPython's display."""

    tick: float | None = TICK

    def __init__(self, title: str, show: Callable[..., Any], html: Callable[[str], Any]):
        self._title, self._show, self._html = title, show, html
        self._stage, self._done = "", 0.0
        self._began = self._last = time.perf_counter()
        self._handle: Any = None
        self._lock, self._over = threading.Lock(), False
        self._cell = copy_context()  # which cell it is shown in, for the other thread
        self.began = time.monotonic()

    def share(self, done: float) -> None:
        self._done = done
        self._look()

    def stage(self, what: str) -> None:
        self._stage = what
        self._look()

    def open(self) -> None:
        """From another thread, as what takes long may be one call of a library; each `tick` again."""
        self._cell.run(self._draw)

    def _look(self) -> None:
        now = time.perf_counter()
        if now - self._began >= PATIENCE and (self._handle is None or now - self._last >= PAUSE):
            self._draw()

    def _draw(self) -> None:
        with self._lock:
            if self._over:
                return
            self._last = now = time.perf_counter()
            html = self._html(self._text(now - self._began))
            if self._handle is None:
                self._handle = self._show(html, display_id=True)
            else:
                self._handle.update(html)

    def _text(self, seconds: float) -> str:
        what = ": ".join(filter(None, (self._title, self._stage)))
        bar = f'<progress max="1" value="{self._done:.4f}" style="width:20em"></progress>'
        return f"{bar} {self._done:.0%} {escape(what)}, {seconds:.1f} s"

    def close(self) -> None:
        """Nothing is left of it."""
        with self._lock:
            self._over = True
            if self._handle is not None:
                self._handle.update(self._html(""))


def notebook_bar(title: str) -> NotebookBar | None:
    """None: this is no notebook."""
    known = sys.modules.get("IPython")
    shell = known.get_ipython() if known is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display

    return NotebookBar(title, display, HTML)
