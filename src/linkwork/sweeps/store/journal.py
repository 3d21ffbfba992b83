"""The journal: outcomes one after the other, in the order in which they came, until their chunk is whole.

A record is a head (mark, case, lengths, checksum), the numbers, and the texts. What a crash left half written is told
by its checksum, and cut off.
"""

from __future__ import annotations

import json
import os
import struct
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from linkwork.sweeps.outcome import Outcome

HEAD = struct.Struct("<4sQQQI")
MARK = b"case"
PATIENCE = 1.0
"""s after which what was written goes to the disk itself: that long a power cut may reach back, a crash never."""


class Journal:
    """Appends outcomes to a file."""

    def __init__(self, path: Path):
        self._path = path
        self._file = open(path, "ab")
        self._synced = time.monotonic()

    def add(self, case: int, outcome: Outcome) -> None:
        """When this returns, the outcome survives the end of this process."""
        before = self._file.tell()
        try:
            self._file.write(_record(case, outcome))
            self._file.flush()
            if time.monotonic() - self._synced > PATIENCE:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError:
            self._cut(before)
            raise

    def keep(self, left: Iterable[tuple[int, Outcome]]) -> None:
        """Forget all but these."""
        draft = self._path.with_name(f"{self._path.name}.part")
        draft.write_bytes(b"".join(_record(case, outcome) for case, outcome in left))
        self._file.close()
        os.replace(draft, self._path)
        self._file = open(self._path, "ab")

    def close(self) -> None:
        self._file.close()

    def _cut(self, length: int) -> None:
        """Take back what was half written."""
        try:
            self._file.close()
        except OSError:
            pass  # what was to be written does not fit: it is cut off now
        os.truncate(self._path, length)
        self._file = open(self._path, "ab")


def _record(case: int, outcome: Outcome) -> bytes:
    numbers = np.ascontiguousarray(outcome.values, dtype="<f8").tobytes()
    texts = json.dumps([outcome.status, outcome.reason, outcome.end, outcome.warnings, outcome.engine]).encode()
    return HEAD.pack(MARK, case, len(numbers), len(texts), zlib.crc32(texts, zlib.crc32(numbers))) + numbers + texts


def recovered(path: Path) -> Iterator[tuple[int, Outcome]]:
    """All whole records of a journal; nothing where there is none."""
    try:
        file = open(path, "rb")
    except FileNotFoundError:
        return
    with file:
        while len(head := file.read(HEAD.size)) == HEAD.size:
            mark, case, numbers, texts, checksum = HEAD.unpack(head)
            body = file.read(numbers + texts) if mark == MARK else b""
            if len(body) < numbers + texts or mark != MARK or zlib.crc32(body) != checksum:
                return
            status, reason, end, warnings, *engine = json.loads(body[numbers:])  # older ones do not tell the engine
            values = np.frombuffer(body[:numbers], dtype="<f8")
            yield case, Outcome(status, reason, end, warnings, values, *engine)
