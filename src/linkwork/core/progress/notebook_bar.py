"""A progress bar in a notebook, that only what takes long gets to see."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from html import escape
from typing import Any

from linkwork.core.progress import PATIENCE

PAUSE = 0.1
"""s between two looks at it: as often as an eye wants."""


class NotebookBar:
    """Told of stages and of the share that is done. `show` is IPython's display."""

    def __init__(self, title: str, show: Callable[..., Any], html: Callable[[str], Any]):
        self._title, self._show, self._html = title, show, html
        self._stage, self._done = "", 0.0
        self._began = self._last = time.perf_counter()
        self._handle: Any = None

    def share(self, done: float) -> None:
        self._done = done
        self._look()

    def stage(self, what: str) -> None:
        self._stage = what
        self._look()

    def _look(self) -> None:
        now = time.perf_counter()
        if now - self._began < PATIENCE or (self._handle is not None and now - self._last < PAUSE):
            return
        self._last, html = now, self._html(self._text(now - self._began))
        if self._handle is None:
            self._handle = self._show(html, display_id=True)
        else:
            self._handle.update(html)

    def _text(self, seconds: float) -> str:
        what = f"{self._title}: {self._stage}" if self._stage else self._title
        bar = f'<progress max="1" value="{self._done:.4f}" style="width:20em"></progress>'
        return f"{bar} {self._done:.0%} {escape(what)}, {seconds:.1f} s"

    def close(self) -> None:
        """Nothing is left of it."""
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
