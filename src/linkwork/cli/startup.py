"""What makes a short command start and end quickly."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def short_lived() -> Iterator[None]:
    """Garbage collection for a process that makes much and drops little, and is soon gone.

    It waits while modules are imported (a tenth of their time is looking for garbage that is not there), and it does
    not go through everything one last time before the process ends (0.3 s).
    """
    gc.set_threshold(200_000)
    try:
        yield
    finally:
        gc.freeze()


def import_matplotlib() -> None:
    """Import Matplotlib without the lists of properties that it composes into its own docstrings.

    They take a third of its import time (0.2 s), and nobody asks for help on an artist from inside a command.
    """
    if "matplotlib.figure" in sys.modules:
        return
    from matplotlib import artist as _artist

    artist: Any = _artist
    compose, artist.kwdoc = artist.kwdoc, _nothing
    try:
        import matplotlib.figure  # noqa: F401  (the import is what is wanted)
    finally:
        artist.kwdoc = compose


def _nothing(of: object) -> str:
    return ""
