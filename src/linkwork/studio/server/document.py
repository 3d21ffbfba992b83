"""What a tab works on: the text of a model file, all its earlier versions, and their copy on disk."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linkwork.core.errors import LinkworkError, ModelError
from linkwork.core.plain_data import Record
from linkwork.files.atomic import replacing
from linkwork.files.models.toml_text import Inline, written
from linkwork.studio.server.archive import forget_runs
from linkwork.studio.server.settings import AUTOSAVES, LARGEST_TEXT

VERSION_LIMIT = 200
CHARACTER_LIMIT = 20_000_000
"""Of all versions together; the oldest are forgotten first."""
FILE_LIMIT = 100
"""Documents of tabs."""
EMPTY = 'linkwork = 1\n\n[model]\nname = "mechanism"\ngravity = [0, -9.81]\n'
EMPTY_SPATIAL = 'linkwork = 1\n\n[model]\nname = "mechanism"\ngravity = [0, 0, -9.81]\n'


@dataclass
class Origin:
    """What was opened: where it is saved in the folder, the text that was saved or opened last, and what it says of
    itself (name, duration, channels to show). All versions that were made from it belong to it, so that undoing past
    an opening never saves one model over another."""

    path: str | None = None
    saved: str | None = None
    hints: Record = field(default_factory=dict)


class Document:
    """Versions of a text; each change makes one, undo and redo go among them. All is kept in `file` at every change."""

    def __init__(self, file: Path | None, text: str = EMPTY, hints: Record | None = None):
        self._file = file
        self.versions: list[tuple[str, Origin]] = [(text, Origin(hints=hints or {}))]
        self.place = 0
        self.number = 0
        """Counts every change, undo and redo included: what a page shows is up to date if it has this one."""
        self.unkept: str | None = None
        """Why there is no copy on disk; None: there is one."""

    @property
    def text(self) -> str:
        return self.versions[self.place][0]

    @property
    def origin(self) -> Origin:
        return self.versions[self.place][1]

    @property
    def path(self) -> str | None:
        return self.origin.path

    @property
    def hints(self) -> Record:
        return self.origin.hints

    @property
    def is_saved(self) -> bool:
        return self.origin.saved == self.text

    @property
    def can_undo(self) -> bool:
        return self.place > 0

    @property
    def can_redo(self) -> bool:
        return self.place < len(self.versions) - 1

    def data(self) -> Record:
        """The text as plain data; ModelError where it is no TOML."""
        try:
            return tomllib.loads(self.text)
        except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
            raise ModelError(f"the text is no TOML: {error}.", remedy="Correct it in the text, or undo.") from None

    def change(self, text: str) -> None:
        """A new version, from which there is nothing to redo."""
        if text != self.text:
            self._add(text, self.origin)

    def step(self, by: int) -> None:
        """Undo (−1) or redo (+1)."""
        if not 0 <= self.place + by < len(self.versions):
            raise LinkworkError(f"there is nothing to {'undo' if by < 0 else 'redo'}.")
        self.place += by
        self._moved()

    def opened(self, text: str, path: str | None, hints: Record | None = None) -> None:
        """Another model takes its place; going back to the one before is one step of undo."""
        self._add(text, Origin(path, None if path is None else text, hints or {}))

    def saved_as(self, path: str) -> None:
        """It was saved there as it is."""
        self.origin.path, self.origin.saved = path, self.text
        self._moved()

    def _add(self, text: str, origin: Origin) -> None:
        if len(text.encode("utf-8", "replace")) > LARGEST_TEXT:
            raise LinkworkError("the model is too large.", remedy=f"At most {LARGEST_TEXT} bytes are taken.")
        del self.versions[self.place + 1 :]
        self.versions.append((text, origin))
        self.place += 1
        while len(self.versions) > VERSION_LIMIT or (
            len(self.versions) > 2 and sum(len(text) for text, _ in self.versions) > CHARACTER_LIMIT
        ):
            del self.versions[0]
            self.place -= 1
        self._moved()

    def _moved(self) -> None:
        self.number += 1
        self.keep()

    # ------------------------------------------------------------------ on disk

    def keep(self) -> None:
        """Write everything, whole or not at all: a worker may be ended at any time. That it fails stops no edit."""
        if self._file is None:
            return
        try:
            self._write(self._file)
            self.unkept = None
        except LinkworkError as error:
            self.unkept = error.cause
        except OSError as error:
            self.unkept = f"{error.strerror or error}."

    def _write(self, file: Path) -> None:
        origins = list({id(origin): origin for _, origin in self.versions}.values())
        places = {id(origin): k for k, origin in enumerate(origins)}
        content = {
            "format": 1,
            "origins": [vars(origin) for origin in origins],
            "versions": [[text, places[id(origin)]] for text, origin in self.versions],
            "place": self.place,
            "number": self.number,
        }
        file.parent.mkdir(exist_ok=True)
        with replacing(file.with_suffix(".toml")) as draft:
            draft.write_text(self.text, encoding="utf-8", errors="replace")
        with replacing(file) as draft:
            draft.write_text(json.dumps(content), encoding="utf-8")


def kept(folder: Path, tab: str) -> Path:
    """Where the document of a tab is kept."""
    return folder / AUTOSAVES / f"{tab}.json"


def forget_old(folder: Path) -> None:
    """Of documents of tabs that were closed long ago, only so many are kept."""
    try:
        files = sorted((folder / AUTOSAVES).glob("*.json"), key=lambda file: -file.stat().st_mtime)
        for file in files[FILE_LIMIT:]:
            file.unlink(missing_ok=True)
            file.with_suffix(".toml").unlink(missing_ok=True)
            forget_runs(folder, file.stem)
    except OSError:
        return


def restored(folder: Path, tab: str, first: str | None, hints: Record | None = None) -> Document:
    """The document of a tab as it was left, or a new one; first: its text unless it is empty."""
    file = kept(folder, tab)
    try:
        content = json.loads(file.read_text("utf-8"))
        origins = [Origin(**origin) for origin in content["origins"]]
        made = Document(file)
        made.versions = [(str(text), origins[k]) for text, k in content["versions"]]
        made.place, made.number = int(content["place"]), int(content["number"])
        if not 0 <= made.place < len(made.versions):
            raise ValueError
        return made
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return Document(file, EMPTY if first is None else first, hints)


# ---------------------------------------------------------------------- data → text


def text_of(data: Record) -> str:
    """Plain data as the text of a model file, laid out as `m.save` does."""
    return written({section: _laid_out(section, content) for section, content in data.items() if content != {}})


def _laid_out(section: str, content: Any) -> Any:
    if not isinstance(content, dict):
        return content
    if section in ("parameter", "input"):
        return {name: Inline(x) if isinstance(x, dict) else x for name, x in content.items()}
    if section in ("component", "submodel"):
        return {name: _part(x) if isinstance(x, dict) else x for name, x in content.items()}
    return content


def _part(content: Record) -> Record:
    return {w: x if w == "free" or not isinstance(x, dict) else Inline(x) for w, x in content.items()}
