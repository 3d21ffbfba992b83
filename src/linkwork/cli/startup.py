"""What makes a short command start quickly."""

from __future__ import annotations

import gc
import sys
from typing import Any


def collect_rarely() -> None:
    """Let garbage collection wait: imports make many objects and no garbage, yet a tenth of their time is looking."""
    gc.set_threshold(200_000)


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


def _nothing(of: Any) -> str:
    return ""
