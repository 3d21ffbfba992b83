"""`lw.load("x.toml")`: whatever a file holds, by its suffix."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import shown

READERS: dict[str, str] = {
    ".toml": "linkwork.files.models.loading",
    ".urdf": "linkwork.files.robots.urdf",
    ".xml": "linkwork.files.robots.mjcf",
    ".sdf": "linkwork.files.robots.sdf",
    ".json": "linkwork.files.graphs",
    ".nc": "linkwork.files.results",
    ".csv": "linkwork.files.results",
}
"""By suffix: the module whose `load` reads such a file, imported when there is one to read."""
OPTIONS = {".urdf": ("folder", "floating"), ".xml": ("folder", "contacts"), ".sdf": ("folder",), ".toml": ("fmus",)}
USUAL = {"folder": None, "floating": False, "contacts": True, "fmus": False}


def load(
    file: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    floating: bool = False,
    contacts: bool = True,
    fmus: bool = False,
) -> Any:
    """What is in a file: a model (.toml), a robot (.urdf, .sdf), a MuJoCo scene (.xml), a bond graph (.json), a result.

    Nothing in a file is executed, and nothing outside of its folder is read. What of a robot is not taken is told by a
    warning and by `m.findings`. folder: where files that a robot names (meshes) may lie, its own unless given;
    floating: whether its root moves freely, else it is fixed to the ground; contacts: whether shapes of a scene touch
    the planes of its world; fmus: whether a model may name FMUs in its folder, whose code its runs execute.
    """
    if not isinstance(file, str | os.PathLike):
        raise UnknownName("file", shown(file), [])
    path = Path(file)
    suffix = path.suffix.lower()
    reader = READERS.get(suffix)
    if reader is None:
        raise UnknownName("kind of file", path.suffix, READERS, component=str(path))
    options = {
        "folder": None if folder is None else Path(folder),
        "floating": floating,
        "contacts": contacts,
        "fmus": fmus,
    }
    given = {word: x for word, x in options.items() if x is not USUAL[word]}
    known = OPTIONS.get(suffix, ())
    if unknown := [word for word in given if word not in known]:
        raise ModelError(
            f"takes no {unknown[0]}=….",
            component=str(path),
            remedy=f"Such a file takes {', '.join(known) or 'no options'}.",
        )
    return import_module(reader).load(path, **given)
