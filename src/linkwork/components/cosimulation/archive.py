"""An FMU as an archive: its description is read in place, the rest is unpacked when it is to run, and nowhere else."""

from __future__ import annotations

import shutil
import weakref
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp

from linkwork.core.errors import ModelError

DESCRIPTION = "modelDescription.xml"
DESCRIPTION_LIMIT = 64_000_000
"""Bytes of the description."""
UNPACKED_LIMIT = 4_000_000_000
"""Bytes of all files in an FMU."""
FILE_LIMIT = 100_000
"""Files in an FMU."""
FOLDERS_KEPT = 16
"""FMUs that stay unpacked, for the next run."""


def names_in(file: Path, owner: str) -> list[str]:
    """The files in an FMU; ModelError for one that would write outside of its folder, or without end."""
    with _opened(file, owner) as archive:
        return [entry.filename for entry in archive.infolist()]


def description_in(file: Path, owner: str) -> bytes:
    """The text of its description."""
    with _opened(file, owner) as archive:
        if DESCRIPTION not in archive.namelist():
            raise ModelError(
                f"{file.name} holds no {DESCRIPTION}.", component=owner, remedy="Give the file of an FMU (.fmu)."
            )
        if archive.getinfo(DESCRIPTION).file_size > DESCRIPTION_LIMIT:
            raise ModelError(f"{DESCRIPTION} of {file.name} has over {DESCRIPTION_LIMIT} bytes.", component=owner)
        return archive.read(DESCRIPTION)


class Folder:
    """A folder with all files of an FMU; it is removed when nobody needs it any more."""

    def __init__(self, file: Path):
        self.path = Path(mkdtemp(prefix="linkwork-fmu-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        with _opened(file, file.name) as archive:
            archive.extractall(self.path)


def unpacked(file: Path, owner: str) -> Folder:
    """The files of an FMU; the same folder for the next run."""
    try:
        return _folder(file.resolve(), file.stat().st_mtime_ns)
    except OSError as error:
        raise ModelError(f"{file.name} cannot be unpacked: {error.strerror or error}.", component=owner) from error


@lru_cache(maxsize=FOLDERS_KEPT)
def _folder(file: Path, _changed: int) -> Folder:
    return Folder(file)


@contextmanager
def _opened(file: Path, owner: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as archive:
            _check(archive, file, owner)
            yield archive
    except FileNotFoundError:
        raise ModelError(f"there is no file {str(file)!r}.", component=owner, remedy="Correct its path.") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise ModelError(
            f"{file.name} is no FMU that can be read: {error}.", component=owner, remedy="Export it again."
        ) from error
    except OSError as error:
        raise ModelError(f"{file.name} cannot be read: {error.strerror or error}.", component=owner) from error


def _check(archive: zipfile.ZipFile, file: Path, owner: str) -> None:
    entries = archive.infolist()
    for entry in entries:
        name = entry.filename
        linked = (entry.external_attr >> 16) & 0o170000 == 0o120000
        leads_out = name.startswith("/") or ".." in PurePosixPath(name).parts or any(c in name for c in "\\:\0")
        if leads_out or linked:
            raise ModelError(
                f"{file.name} holds {name[:100]!r}, which leads out of its folder.",
                component=owner,
                remedy="Nothing of it was unpacked. Do not use it, or ask who made it.",
            )
    if len(entries) > FILE_LIMIT or sum(entry.file_size for entry in entries) > UNPACKED_LIMIT:
        raise ModelError(f"{file.name} unpacks to more than {UNPACKED_LIMIT:.0e} bytes.", component=owner)
