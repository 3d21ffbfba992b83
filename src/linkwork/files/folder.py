"""Files that other files name: they lie in the folder of the one that names them, or below it."""

from __future__ import annotations

from pathlib import Path

from linkwork.core.errors import LinkworkError
from linkwork.core.kinds import shown

NAME_LIMIT = 1000
"""Characters of a path."""


def inside(folder: Path, name: object) -> Path:
    """The path of a file in the folder; refused where it leads out of it."""
    if not isinstance(name, str | Path) or not str(name) or len(str(name)) > NAME_LIMIT or "\0" in str(name):
        raise LinkworkError(f"{shown(name)} is no name of a file.")
    root = folder.resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise LinkworkError(
            f"the file {str(name)!r} lies outside of the folder {str(folder)!r}.",
            remedy="Put it beside the file that names it, or below.",
        )
    return path


def beside(base: Path, folder: Path, name: object) -> Path:
    """The path of a file that one in `base` names: seen from there, else from the folder; never outside of this."""
    if isinstance(name, str) and name and len(name) <= NAME_LIMIT and "\0" not in name:
        near = (base.resolve() / name).resolve()
        if near.is_relative_to(folder.resolve()) and near.is_file():
            return near
    return inside(folder, name)
