"""Object code kept on disk between runs.

The directory is `$LINKWORK_CACHE`, else `linkwork` in the user's cache directory; `LINKWORK_CACHE=off` disables it.
Nothing here ever raises because of the disk: a cache that cannot be read or written is a cache miss.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

MAGIC: Final = b"LINKWORK"
FORMAT: Final = 1
HEADER: Final = struct.Struct("<8sIQ32s")
"""Magic, format, length of the payload in bytes, SHA-256 of key and payload."""
SUFFIX: Final = ".object"
LIMIT: Final = 512 * 2**20
"""Bytes on disk beyond which the files used longest ago are removed."""


def directory() -> Path | None:
    """Where objects are kept; None where the cache is off."""
    chosen = os.environ.get("LINKWORK_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen).expanduser()
    try:
        return _user_cache() / "linkwork"
    except RuntimeError:  # no home directory
        return None


def _user_cache() -> Path:
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    base = os.environ.get("XDG_CACHE_HOME", "")
    return Path(base) if os.path.isabs(base) else Path.home() / ".cache"


def key_of(*parts: str) -> str:
    """Name of the object made from these parts; parts that are cut elsewhere give another name."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(struct.pack("<Q", len(data)))
        digest.update(data)
    return digest.hexdigest()


def load(key: str) -> bytes | None:
    """The stored payload, or None where there is none that is whole and made for this key."""
    where = directory()
    if where is None:
        return None
    path = where / f"{key}{SUFFIX}"
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if len(data) < HEADER.size:
        return None
    magic, version, length, checksum = HEADER.unpack_from(data)
    payload = data[HEADER.size :]
    if magic != MAGIC or version != FORMAT or length != len(payload) or checksum != _checksum(key, payload):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # marks the use, so that trimming removes what was used longest ago
    return payload


def store(key: str, payload: bytes) -> None:
    """Keep a payload. Written beside its place and moved there, so a reader never sees half a file."""
    where = directory()
    if where is None:
        return
    temporary = None
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=where, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(HEADER.pack(MAGIC, FORMAT, len(payload), _checksum(key, payload)))
            file.write(payload)
        os.replace(temporary, where / f"{key}{SUFFIX}")
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return
    if int(key[:2], 16) % 32 == 0:  # one store in 32: listing a large directory costs more than a store
        trim(where)


def trim(where: Path, limit: int = LIMIT) -> None:
    """Remove the files used longest ago until at most `limit` bytes remain, and what interrupted writers left."""
    found: list[tuple[float, int, Path]] = []
    with contextlib.suppress(OSError):
        for path in where.iterdir():
            with contextlib.suppress(OSError):  # another process may have removed it
                facts = path.stat()
                if path.suffix == SUFFIX:
                    found.append((facts.st_mtime, facts.st_size, path))
                elif path.suffix == ".tmp" and facts.st_mtime < time.time() - 3600:
                    path.unlink()
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= limit:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def _checksum(key: str, payload: bytes) -> bytes:
    return hashlib.sha256(key.encode() + payload).digest()
