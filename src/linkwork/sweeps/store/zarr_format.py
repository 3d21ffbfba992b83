"""Zarr, version 2: a folder per array, with a file of JSON and one of numbers per chunk. Enough of it to write.

Written by hand, as it is little, needs no package, and is in our hands: a chunk is written whole or not at all, and is
on the disk when it counts. xarray, zarr-python, Julia, C and JavaScript read it.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from linkwork.core.plain_data import Data


@dataclass(frozen=True)
class ArrayFormat:
    """How an array is stored; its first dimension is cut into chunks, the others are whole."""

    name: str
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    rows: int
    """Of the first dimension in a chunk."""
    kind: str = "<f8"
    """As numpy writes a type."""
    fill: str | None = "NaN"
    """Where there is no chunk; None: zeros, or no letters."""
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> bool:
        return self.kind.startswith("<U")

    @property
    def folder(self) -> str:
        """A name that a folder can have."""
        return "".join("_" if c in '/\\:*?"<>|' or not c.isprintable() else c for c in self.name)

    def metadata(self) -> Data:
        return {
            "zarr_format": 2,
            "shape": list(self.shape),
            "chunks": [max(self.rows, 1), *(max(n, 1) for n in self.shape[1:])],
            "dtype": self.kind,
            "compressor": {"id": "zlib", "level": 1} if self.text else None,
            "fill_value": self.fill,
            "order": "C",
            "filters": None,
        }

    def described(self) -> Data:
        return {"_ARRAY_DIMENSIONS": list(self.dimensions), **dict(self.attributes)}

    def chunk_path(self, folder: Path, number: int) -> Path:
        return folder / self.folder / ".".join([str(number), *("0" for _ in self.shape[1:])])

    def write_chunk(self, folder: Path, number: int, rows: np.ndarray) -> None:
        """Rows of one chunk; the last one may be short, and is filled up."""
        whole = np.zeros((max(self.rows, 1), *rows.shape[1:]), dtype=self.kind)
        whole[: len(rows)] = rows
        content = whole.tobytes()
        write_whole(self.chunk_path(folder, number), zlib.compress(content, 1) if self.text else content)

    def read_chunk(self, folder: Path, number: int) -> np.ndarray | None:
        """None where there is none."""
        try:
            content = self.chunk_path(folder, number).read_bytes()
        except FileNotFoundError:
            return None
        raw = zlib.decompress(content) if self.text else content
        return np.frombuffer(raw, dtype=self.kind).reshape(max(self.rows, 1), *self.shape[1:])

    def write(self, folder: Path, values: np.ndarray) -> None:
        """All of it."""
        for number in range(self.chunks):
            self.write_chunk(folder, number, values[number * self.rows : (number + 1) * self.rows])

    def read(self, folder: Path) -> np.ndarray:
        """All of it; what is not there yet is its fill value."""
        whole = np.full(self.shape, "" if self.text else np.nan, dtype=self.kind)
        for number in range(self.chunks):
            chunk = self.read_chunk(folder, number)
            if chunk is not None:
                part = whole[number * self.rows : (number + 1) * self.rows]
                part[:] = chunk[: len(part)]
        return whole

    @property
    def chunks(self) -> int:
        return -(-self.shape[0] // self.rows) if self.rows else 0


def write_group(folder: Path, arrays: Mapping[str, ArrayFormat], attributes: Data) -> None:
    """What there is in the folder, for readers: once for each array, and all together."""
    metadata: dict[str, Data] = {".zgroup": {"zarr_format": 2}, ".zattrs": attributes}
    for array in arrays.values():
        metadata[f"{array.folder}/.zarray"] = array.metadata()
        metadata[f"{array.folder}/.zattrs"] = array.described()
    for name, content in metadata.items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_whole(folder / name, _json(content))
    write_whole(folder / ".zmetadata", _json({"zarr_consolidated_format": 1, "metadata": metadata}))


def _json(content: Data) -> bytes:
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; when this returns, it is on the disk."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(draft, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
