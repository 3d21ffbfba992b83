"""A progress bar in a notebook, that only long runs get to see."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from linkwork.core.activity import announced_to
from linkwork.core.kinds import tell, tell_stage

PATIENCE = 0.5
"""s without a bar: most runs are over by then, and a flicker is worse than nothing."""
PAUSE = 0.1
"""s between two looks at it: as often as an eye wants."""


class NotebookBar:
    """Call it with the share that is done; `stage` with what begins now. `show` is IPython's display."""

    def __init__(self, title: str, show: Callable[..., Any], html: Callable[[str], Any]):
        self._title, self._show, self._html = title, show, html
        self._stage, self._done = "", 0.0
        self._began = self._last = time.perf_counter()
        self._handle: Any = None

    def __call__(self, done: float) -> None:
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
        what = f"{self._title}: {self._stage}" if self._stage and not self._done else self._title
        bar = f'<progress max="1" value="{self._done:.4f}" style="width:20em"></progress>'
        return f"{bar} {self._done:.0%} {escape(what)}, {seconds:.1f} s"

    def close(self) -> None:
        """Nothing is left of it."""
        if self._handle is not None:
            self._handle.update(self._html(""))


@contextmanager
def told(title: str, progress: Callable[..., None] | None) -> Iterator[Callable[..., None] | None]:
    """What to call with the share that is done: the caller's own, the terminal, or in a notebook a bar."""
    bar = _bar(title) if progress is None or progress is tell else None
    if bar is None:
        with announced_to(tell_stage if progress is tell else None):
            yield progress
        return
    try:
        with announced_to(bar.stage):
            yield bar
    finally:
        bar.close()


def _bar(title: str) -> NotebookBar | None:
    """None: this is no notebook."""
    known = sys.modules.get("IPython")
    shell = known.get_ipython() if known is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display

    return NotebookBar(title, display, HTML)
