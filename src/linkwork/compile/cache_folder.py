"""The folder of the object cache, and the secret its files are sealed with.

What the folder holds is executed, so it must be the user's own: owned by the user and writable by nobody else. One that
is not is left alone, with a warning, and a private temporary one serves instead. Files are opened by their names within
the opened folder and never through symbolic links, so that neither can be exchanged between a check and its use.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import secrets
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from linkwork.core.errors import LinkworkWarning, callers_level
from linkwork.core.plain_data import Record

OFF: Final = ("0", "false", "no", "off")
ON: Final = ("", "1", "true", "yes", "on")
SECRET: Final = "secret"
SECRET_BYTES: Final = 32

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_BY_FOLDER: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_READ: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MAKE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def directory() -> Path | None:
    """Where `$LINKWORK_CACHE` or the platform wants objects kept; None where the cache is off."""
    chosen = os.environ.get("LINKWORK_CACHE", "").strip()
    if chosen.lower() in OFF:
        return None
    try:
        return own_folder() if chosen.lower() in ON else Path(chosen).expanduser()
    except RuntimeError:  # no home directory
        return None


def own_folder() -> Path:
    """`linkwork` in the user's cache directory; the secret is there even where objects are elsewhere."""
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"]) / "linkwork"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "linkwork"
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "linkwork"


class Folder(NamedTuple):
    """A folder that was found to be the user's own; its files are opened by name, within it."""

    path: Path
    handle: int | None

    def read(self, name: str, most: int) -> bytes:
        """The content of a file of the user's own, of at most that many bytes; OSError where there is none such."""
        handle = os.open(self._place(name), _READ, **self._within())
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode) or not _own(facts) or facts.st_size > most:
                raise PermissionError("not a file of the user's own")
            data = file.read(most + 1)
            with contextlib.suppress(OSError, TypeError, ValueError):
                os.utime(handle)  # marks the use, so that trimming removes what was used longest ago
        return data

    def write(self, name: str, *parts: bytes, replace: bool = True) -> None:
        """Make a file whole beside its place and move it there, so that a reader never sees half of one.

        replace: whether one that is there already gives way; else FileExistsError."""
        draft = f"{secrets.token_hex(8)}.tmp"
        within: Record = {"src_dir_fd": self.handle, "dst_dir_fd": self.handle} if self.handle is not None else {}
        try:
            with os.fdopen(os.open(self._place(draft), _MAKE, 0o600, **self._within()), "wb") as file:
                file.writelines(parts)
            if replace:
                os.replace(self._place(draft), self._place(name), **within)
            else:
                os.link(self._place(draft), self._place(name), **within)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(self._place(draft), **self._within())

    def remove(self, name: str) -> None:
        os.unlink(self._place(name), **self._within())

    def _place(self, name: str) -> str:
        return name if self.handle is not None else str(self.path / name)

    def _within(self) -> Record:
        return {"dir_fd": self.handle} if self.handle is not None else {}


@contextlib.contextmanager
def opened(where: Path) -> Iterator[Folder]:
    """The folder, made if need be; PermissionError where it is not the user's own, OSError where there is none."""
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _BY_FOLDER:
        yield Folder(where, None)
        return
    handle = os.open(where, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if os.lstat(where).st_uid != os.geteuid():  # a symbolic link may be the user's own, not somebody else's
            raise ForeignFolder("belongs to another user")
        facts = os.fstat(handle)
        if not _own(facts):
            mine = facts.st_uid == os.geteuid()
            raise ForeignFolder("can be written by others" if mine else "belongs to another user")
        yield Folder(where, handle)
    finally:
        os.close(handle)


class ForeignFolder(PermissionError):
    """A folder that others could plant code in; the text says why."""


@contextlib.contextmanager
def usable(where: Path) -> Iterator[Folder]:
    """That folder, or a private temporary one where it is not the user's own."""
    try:
        with opened(where) as folder:
            yield folder
            return
    except ForeignFolder as error:
        _tell(where, str(error))
    with opened(_private()) as folder:
        yield folder


@functools.cache
def _tell(where: Path, reason: str) -> None:
    warnings.warn(
        f"{where}: this folder {reason}, so machine code kept there cannot be trusted. A temporary folder is used. "
        "Name one of your own in LINKWORK_CACHE (chmod go-w), or switch the cache off: LINKWORK_CACHE=off.",
        LinkworkWarning,
        stacklevel=callers_level(),
    )


@functools.cache
def _private() -> Path:
    """Made when it is first needed, and removed at the end of the process that made it."""
    path, maker = Path(tempfile.mkdtemp(prefix="linkwork-")), os.getpid()
    atexit.register(lambda: shutil.rmtree(path, ignore_errors=True) if os.getpid() == maker else None)
    return path


def _own(facts: os.stat_result) -> bool:
    """Whether this user owns it and nobody else may write it; of other systems' permissions nothing is known."""
    return not _BY_FOLDER or (facts.st_uid == os.geteuid() and not facts.st_mode & _OTHERS_WRITE)


@functools.cache
def secret() -> bytes:
    """What this user's files are sealed with: kept for the user alone, else made for this process."""
    try:
        with opened(own_folder()) as folder:
            for _ in range(3):
                key = _kept(folder)
                if key is not None:
                    return key
                try:
                    folder.write(SECRET, secrets.token_bytes(SECRET_BYTES), replace=False)
                except FileExistsError:
                    # Another process was faster; but one that others may have read, or that is damaged, gives way.
                    if _kept(folder) is None:
                        folder.remove(SECRET)
    except (OSError, RuntimeError):
        pass
    return secrets.token_bytes(SECRET_BYTES)


def _kept(folder: Folder) -> bytes | None:
    try:
        data = folder.read(SECRET, SECRET_BYTES)
        facts = os.stat(folder._place(SECRET), **folder._within(), follow_symlinks=False)
    except OSError:
        return None
    readable_by_others = _BY_FOLDER and facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return data if len(data) == SECRET_BYTES and not readable_by_others else None
