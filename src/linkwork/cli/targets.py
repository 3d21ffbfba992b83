"""Files that a command will write, looked at before the work starts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from linkwork.core.errors import LinkworkError


def check_target(path: Path | None, suffixes: Sequence[str]) -> None:
    """Find out before a long run, not after it, that a file cannot be written."""
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        remedy = f"Use one of: {', '.join(suffixes)}."
        raise LinkworkError(f"the suffix {path.suffix!r} is not known.", component=str(path), remedy=remedy)
    if not os.access(path.parent, os.W_OK):
        remedy = "Check that the folder exists and that you may write there."
        raise LinkworkError("cannot be written.", component=str(path), remedy=remedy)
