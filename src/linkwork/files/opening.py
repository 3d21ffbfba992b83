"""`lw.load("x.toml")`: whatever a file holds, by its suffix."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from linkwork.core.errors import UnknownName
from linkwork.core.kinds import shown
from linkwork.files import graphs, results
from linkwork.files.models import loading

READERS: dict[str, Callable[[Path], Any]] = {
    ".toml": loading.load,
    ".json": graphs.load,
    ".nc": results.load,
    ".csv": results.load,
}
"""By suffix: what reads such a file."""


def load(file: str | os.PathLike[str]) -> Any:
    """What is in a file: a model (.toml), a bond graph (.json), a result (.nc, .csv).

    Nothing in a file is executed, and nothing outside of its folder is read.
    """
    if not isinstance(file, str | os.PathLike):
        raise UnknownName("file", shown(file), [])
    path = Path(file)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UnknownName("kind of file", path.suffix, READERS, component=str(path))
    return reader(path)
