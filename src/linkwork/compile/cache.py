"""Object code kept on disk between runs.

The folder is `$LINKWORK_CACHE`, else `linkwork` in the user's cache directory; `LINKWORK_CACHE=off` (or 0, false, no)
disables it. Every file is sealed with a secret of the user's own (see cache_folder.py): one that this user did not
write, or that was changed since, is a miss. Nothing here ever raises because of the disk: a cache that cannot be read
or written is a cache miss.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import hmac
import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from linkwork.compile.cache_folder import directory, secret, usable

__all__ = ["HEADER", "LIMIT", "SUFFIX", "directory", "key_of", "load", "store", "trim"]

MAGIC: Final = b"LINKWORK"
FORMAT: Final = 2
HEADER: Final = struct.Struct("<8sIQ32s")
"""Magic, format, length of the payload in bytes, HMAC-SHA-256 of all that, the key and the payload."""
SUFFIX: Final = ".object"
LIMIT: Final = 512 * 2**20
"""Bytes on disk beyond which the files used longest ago are removed."""
BATCH: Final = 500
"""Files that are looked for at a time, of those used longest ago."""


def key_of(*parts: str) -> str:
    """Name of the object made from these parts; parts that are cut elsewhere give another name."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(struct.pack("<Q", len(data)))
        digest.update(data)
    return digest.hexdigest()


def load(key: str) -> bytes | None:
    """The stored payload, or None where there is none that is whole and that this user made for this key."""
    where = directory()
    if where is None:
        return None
    try:
        with usable(where) as folder:
            data = folder.read(f"{key}{SUFFIX}", LIMIT)
    except OSError:
        return None
    if len(data) < HEADER.size:
        return None
    magic, version, length, seal = HEADER.unpack_from(data)
    payload = data[HEADER.size :]
    if magic != MAGIC or version != FORMAT or length != len(payload):
        return None
    return payload if hmac.compare_digest(seal, _seal(key, payload)) else None


def store(key: str, payload: bytes) -> None:
    """Keep a payload."""
    where = directory()
    if where is None:
        return
    try:
        with usable(where) as folder:
            folder.write(f"{key}{SUFFIX}", HEADER.pack(MAGIC, FORMAT, len(payload), _seal(key, payload)), payload)
            if int(key[:2], 16) % 32 == 0:  # one store in 32: listing a large folder costs more than a store
                trim(folder.path)
    except OSError:
        return


def trim(where: Path, limit: int = LIMIT) -> None:
    """Remove the files used longest ago until at most `limit` bytes remain, and what interrupted writers left."""
    total = sum(size for _, size, _ in _files(where))  # of thousands: no list of them is ever made
    while total > limit:
        oldest = heapq.nsmallest(BATCH, _files(where))
        if not oldest:
            return
        for _, size, path in oldest:
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size
            if total <= limit:
                return


def _files(where: Path) -> Iterator[tuple[float, int, str]]:
    """When each was used last, its size in bytes, its path."""
    with contextlib.suppress(OSError), os.scandir(where) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # another process may have removed it
                facts = entry.stat(follow_symlinks=False)
                if entry.name.endswith(SUFFIX):
                    yield facts.st_mtime, facts.st_size, entry.path
                elif entry.name.endswith(".tmp") and facts.st_mtime < time.time() - 3600:
                    os.unlink(entry.path)


def _seal(key: str, payload: bytes) -> bytes:
    sealed = struct.pack("<8sIQ", MAGIC, FORMAT, len(payload)) + key.encode() + payload
    return hmac.digest(secret(), sealed, "sha256")
