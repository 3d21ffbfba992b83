"""Outcomes in a Zarr folder: chunk by chunk, with a journal of those whose chunk is not whole yet."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record
from linkwork.sweeps.outcome import FAILED, PENDING, Outcome, places
from linkwork.sweeps.store.contents import Contents, import_xarray
from linkwork.sweeps.store.journal import Journal, recovered
from linkwork.sweeps.store.store import Store
from linkwork.sweeps.store.zarr_format import ArrayFormat, write_group

if TYPE_CHECKING:
    import xarray

CHUNK_BYTES = 4e6
"""Of all numbers of the cases in a chunk, about."""
ROW_LIMIT = 5000
"""Cases in a chunk."""
ENGINE = "<U16"
TEXT = "<U240"
"""Reasons and warnings are cut off after so many letters."""


@dataclass
class _Block:
    """Cases of a chunk that is not whole yet."""

    values: np.ndarray
    status: np.ndarray
    reason: np.ndarray
    warnings: np.ndarray
    end_time: np.ndarray
    engine: np.ndarray

    @classmethod
    def empty(cls, rows: int, width: int) -> _Block:
        return cls(
            np.full((rows, width), np.nan),
            np.full(rows, PENDING, "<U8"),
            np.full(rows, "", dtype=TEXT),
            np.full(rows, "", dtype=TEXT),
            np.full(rows, np.nan),
            np.full(rows, "", dtype=ENGINE),
        )

    def write(self, row: int, outcome: Outcome) -> None:
        self.values[row], self.status[row], self.end_time[row] = outcome.values, outcome.status, outcome.end
        self.reason[row], self.warnings[row], self.engine[row] = outcome.reason, outcome.warnings, outcome.engine

    def outcome(self, row: int) -> Outcome:
        status, reason, warnings, engine = (str(x[row]) for x in (self.status, self.reason, self.warnings, self.engine))
        return Outcome(status, reason, float(self.end_time[row]), warnings, self.values[row], engine)


class Folder(Store):
    """Takes up a sweep that is there, if it is the same."""

    def __init__(self, path: str | os.PathLike[str], contents: Contents, fingerprint: str, *, record: Record):
        """record: what is said of it from the beginning."""
        self.path, self._contents = Path(path), contents
        self._width = sum(q.size for q in contents.layout)
        self._rows = int(np.clip(CHUNK_BYTES / 8 / max(self._width, 1), 1, min(ROW_LIMIT, contents.cases)))
        self._fingerprint, self._record = fingerprint, record
        self._arrays = self._formats()
        self._blocks: dict[int, _Block] = {}
        self._lock: IO[bytes] | None = None
        self.done = np.zeros(contents.cases, dtype=bool)
        with self._told():
            if not self._is_there():
                self._create()
            self._claim()
            self._resume()
            self._journal = Journal(self.path / ".journal")

    # A new one, or the one that is there ------------------------------------------------------------------------------

    def _formats(self) -> dict[str, ArrayFormat]:
        contents, n = self._contents, self._contents.cases

        def per_case(name: str, kind: str, fill: str | None, **attributes: str) -> ArrayFormat:
            return ArrayFormat(name, ("case",), (n,), self._rows, kind, fill, tuple(attributes.items()))

        # Texts have no fill value: readers would take what equals it for missing.
        arrays = [per_case("status", "<U8", None), per_case("reason", TEXT, None), per_case("warnings", TEXT, None)]
        arrays += [per_case("end_time", "<f8", "NaN", units="s"), per_case("engine", ENGINE, None)]
        for q in contents.layout:
            dimensions, attributes = contents.described(q)
            shape = (n, q.size) if q.dimension else (n,)
            arrays.append(ArrayFormat(q.name, dimensions, shape, self._rows, attributes=tuple(attributes.items())))
        arrays += [per_case(name, "<f8", "NaN", units=unit) for name, (_, unit) in contents.columns.items()]
        for name, (x, unit) in contents.dimensions.items():
            arrays.append(ArrayFormat(name, (name,), (x.size,), x.size, attributes=(("units", unit),)))
        return {array.name: array for array in arrays}

    def _is_there(self) -> bool:
        """Whether the same sweep has been here before; another one, or anything else, is not to be overwritten."""
        if not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir())):
            return False
        try:
            before = json.loads((self.path / ".zattrs").read_text(encoding="utf-8")).get("fingerprint", "")
        except (OSError, ValueError):
            before = ""
        if before == self._fingerprint:
            return True
        raise LinkworkError(
            "holds another sweep: another model, design, duration or choice of what is kept."
            if before
            else "exists, and is no sweep.",
            component=str(self.path),
            remedy="Give another path, or delete it first.",
        )

    def _create(self) -> None:
        """Beside its place first: half of one would be taken for something else."""
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        try:
            self._describe(draft)
            for name, (x, _) in {**self._contents.columns, **self._contents.dimensions}.items():
                self._arrays[name].write(draft, x)
            self._arrays["status"].write(draft, np.full(self.done.size, PENDING, "<U8"))
            if self.path.exists():
                self.path.rmdir()
            os.replace(draft, self.path)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    def _describe(self, folder: Path) -> None:
        words = " ".join(name for name in self._contents.columns if " " not in name)
        attributes = {**self._contents.attributes(self._record), "fingerprint": self._fingerprint}
        write_group(folder, self._arrays, attributes | ({"coordinates": words} if words else {}))

    def _claim(self) -> None:
        """Two that write at once would spoil it."""
        try:
            import fcntl
        except ImportError:  # Windows
            return
        self._lock = open(self.path / ".lock", "wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise LinkworkError(
                "is being written by another process.", component=str(self.path), remedy="Wait for it, or end it."
            ) from None

    def _resume(self) -> None:
        """Find out what is there."""
        for number in range(self._arrays["status"].chunks):
            status = self._arrays["status"].read_chunk(self.path, number)
            assert status is not None  # it was written when the folder was made
            mine = self._cases_of(number)
            self.done[mine] = (known := status[: mine.stop - mine.start]) != PENDING
            self.failures += int(np.count_nonzero(known == FAILED))
            if self.done[mine].any() and not self.done[mine].all():
                self._blocks[number] = self._read(number)
        for case, outcome in recovered(self.path / ".journal"):
            if case < self.done.size and not self.done[case] and outcome.values.size == self._width:
                self._store(case, outcome)
        self._write(list(self._blocks))
        (self.path / ".journal").unlink(missing_ok=True)

    def _read(self, number: int) -> _Block:
        block = _Block.empty(self._rows, self._width)
        for name in ("status", "reason", "warnings", "engine", "end_time"):
            chunk = self._arrays[name].read_chunk(self.path, number)
            if chunk is not None:
                getattr(block, name)[:] = chunk
        for name, place in places(self._contents.layout).items():
            chunk = self._arrays[name].read_chunk(self.path, number)
            if chunk is not None:
                block.values[:, place] = chunk.reshape(self._rows, -1)
        return block

    # What comes -------------------------------------------------------------------------------------------------------

    def add(self, case: int, outcome: Outcome) -> None:
        with self._told():
            self._journal.add(case, outcome)
            self._store(case, outcome)
            number = case // self._rows
            if self.done[self._cases_of(number)].all():
                self._write([number])
                self._journal.keep(self._left())

    def close(self, record: Record) -> None:
        self._record = {**self._record, **record}
        with self._told():
            self._write(list(self._blocks))
            self._describe(self.path)
            self._journal.close()
            (self.path / ".journal").unlink(missing_ok=True)
            (self.path / ".lock").unlink(missing_ok=True)

    def release(self) -> None:
        self._journal.close()
        if self._lock is not None:
            self._lock.close()

    def dataset(self) -> xarray.Dataset:
        xarray = import_xarray()
        try:
            import zarr  # noqa: F401
        except ImportError:  # then all of it is read now
            held = {name: array.read(self.path) for name, array in self._arrays.items()}
            return self._contents.dataset(held, {**self._record, "fingerprint": self._fingerprint})
        dataset = xarray.open_zarr(self.path, chunks=None, consolidated=True, decode_timedelta=False)
        return dataset.set_coords([*self._contents.columns])

    def _cases_of(self, number: int) -> slice:
        return slice(number * self._rows, min((number + 1) * self._rows, self.done.size))

    def _store(self, case: int, outcome: Outcome) -> None:
        number, row = divmod(case, self._rows)
        if number not in self._blocks:
            self._blocks[number] = _Block.empty(self._rows, self._width)
        self._blocks[number].write(row, outcome)
        self.done[case] = True
        self.failures += outcome.status == FAILED

    def _write(self, numbers: list[int]) -> None:
        """Chunks of these blocks, the status last: it tells what is there. Whole ones are forgotten."""
        for number in numbers:
            block, mine = self._blocks[number], self._cases_of(number)
            rows = mine.stop - mine.start
            for name, place in places(self._contents.layout).items():
                columns = block.values[:rows, place]
                array = self._arrays[name]
                array.write_chunk(self.path, number, columns if len(array.shape) > 1 else columns[:, 0])
            for name in ("reason", "warnings", "engine", "end_time", "status"):
                self._arrays[name].write_chunk(self.path, number, getattr(block, name)[:rows])
            if self.done[mine].all():
                del self._blocks[number]

    def _left(self) -> list[tuple[int, Outcome]]:
        """Outcomes of blocks that are not whole."""
        return [
            (number * self._rows + row, block.outcome(row))
            for number, block in self._blocks.items()
            for row in range(self._rows)
            if block.status[row] != PENDING
        ]

    def _told(self) -> _Telling:
        return _Telling(self)


class _Telling:
    """What the disk refuses, in words, with what is safe."""

    def __init__(self, folder: Folder):
        self._folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            done = self._folder.done
            raise LinkworkError(
                f"cannot be written: {error.strerror or error}. {int(done.sum())} of {done.size} cases are kept.",
                component=str(self._folder.path),
                remedy="Make room, or check that you may write there; the same call then goes on with the others.",
            ) from error
