"""Open a document: an example, a file of the folder, a text or a link; begin a new one; tell its state."""

from __future__ import annotations

import os
from pathlib import Path

from linkwork import examples as catalogue
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.errors import LinkworkError
from linkwork.core.model import Model
from linkwork.core.plain_data import Record
from linkwork.files.models.saving import content_of
from linkwork.files.models.toml_text import written
from linkwork.files.opening import load
from linkwork.studio.server import links
from linkwork.studio.server.document import EMPTY, EMPTY_SPATIAL
from linkwork.studio.server.safety import inside
from linkwork.studio.server.session import Session
from linkwork.studio.server.settings import LARGEST_TEXT

READ = (".toml", ".urdf", ".xml")
"""Suffixes of files that hold a model."""
FILE_LIMIT, ENTRY_LIMIT = 500, 20_000
DEEPEST = 4
"""Folders inside each other that are looked into."""
GRAPHS = ("dc-motor", "edited-graph", "hoist-drive", "hydraulic-line", "quarter-car")
"""Examples that are bond graphs by themselves, which no model file holds."""


def examples(session: Session) -> list[Record]:
    """Names and titles of the mechanisms that come with the package."""
    return [{"name": name, "title": catalogue.title(name)} for name in catalogue.names() if name not in GRAPHS]


def files(session: Session) -> Record:
    """Model files of the folder and of those below, and where it is; large trees are not walked to their ends."""
    base = session.folder.resolve()
    entries: list[Record] = []
    looked = 0
    for place, folders, names in os.walk(base):
        here = Path(place).relative_to(base)
        folders[:] = sorted(f for f in folders if not f.startswith(".")) if len(here.parts) < DEEPEST else []
        looked += len(names)
        for name in sorted(names):
            path = Path(place, name)
            if name.startswith(".") or path.suffix.lower() not in READ or not path.is_file():
                continue
            if path.resolve().is_relative_to(base):
                entries.append({"path": (here / name).as_posix(), "bytes": path.stat().st_size})
        if looked > ENTRY_LIMIT or len(entries) >= FILE_LIMIT:
            break
    return {"folder": str(base), "files": entries[:FILE_LIMIT]}


def open_(session: Session, example: str | None = None, file: str | None = None, text: str | None = None) -> Record:
    """Make something the document: an example's name, a file of the folder, or a text (a model file's or a link's)."""
    if sum(x is not None for x in (example, file, text)) != 1:
        raise LinkworkError("an example, a file or a text is opened.", component="open", remedy="Give one of them.")
    if example is not None:
        return _example(session, example)
    if file is not None:
        return _file(session, file)
    assert text is not None
    content = links.text_of(text) if links.is_link(text) else text
    if len(content.encode("utf-8", "replace")) > LARGEST_TEXT:
        raise LinkworkError("the model is too large.", remedy=f"At most {LARGEST_TEXT} bytes are read.")
    return session.opened(content, None)


def new(session: Session, planar: bool = True) -> Record:
    """An empty model."""
    return session.opened(EMPTY if planar else EMPTY_SPATIAL, None)


def state(session: Session) -> Record:
    """Everything the page shows of the document."""
    return session.state()


def _example(session: Session, name: str) -> Record:
    module = catalogue.module(name)
    model = module.model()
    if isinstance(model, BondGraph) or not isinstance(model, Model):
        raise LinkworkError("is a bond graph by itself; the studio is for mechanisms.", component=name)
    hints = {"name": name, "duration": getattr(module, "DURATION", None), "show": list(getattr(module, "SHOW", ()))}
    return session.opened(written(content_of(model)), None, hints)


def _file(session: Session, name: str) -> Record:
    path = inside(session.folder, name)
    if path.suffix.lower() not in READ:
        raise LinkworkError("is no model file.", component=name, remedy=f"Open one that ends in {', '.join(READ)}.")
    if not path.is_file():
        raise LinkworkError("there is no such file.", component=name, remedy="Choose one from the list.")
    if path.stat().st_size > LARGEST_TEXT:
        raise LinkworkError("is too large.", component=name, remedy=f"At most {LARGEST_TEXT} bytes are read.")
    if path.suffix.lower() == ".toml":
        try:
            return session.opened(path.read_text("utf-8"), name)
        except UnicodeDecodeError:
            raise LinkworkError("is no text in UTF-8.", component=name, remedy="Save it as UTF-8.") from None
    return session.opened(written(content_of(load(path))), None, {"name": name})
