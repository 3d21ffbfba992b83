"""Runs of a tab on disk: a tab that comes back, to a server that was started again, finds what it had computed."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.files import results
from linkwork.files.atomic import replacing
from linkwork.studio.server.settings import ARCHIVED_BYTES, AUTOSAVES

INDEX = "index.json"


class Archive:
    """The folder of a tab's runs: a result file for each, and a list of what each was asked for with.

    Nothing here stops a tab: a run that cannot be written is not there after a new start, one that cannot be read is
    not there either.
    """

    def __init__(self, folder: Path, tab: str):
        self._folder = folder / AUTOSAVES / f"{tab}-runs"

    def listed(self) -> list[Record]:
        """What is known of each run that is there, the oldest first."""
        try:
            told = json.loads((self._folder / INDEX).read_text("utf-8"))
            return [one for one in told["runs"] if self._file(one["run"]).is_file()]
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def read(self, run: str) -> Result:
        """The result of a run; LinkworkError where it is damaged or gone."""
        return results.load(self._file(run))

    def write(self, told: list[Record], made: dict[str, Result]) -> None:
        """The runs that are there from now on; made: those of them that are not on disk yet."""
        with contextlib.suppress(OSError, LinkworkError):
            self._folder.mkdir(parents=True, exist_ok=True)
            for run, result in made.items():
                if result.data.nbytes <= ARCHIVED_BYTES:
                    results.save(result, self._file(run))
            kept = self._within_bounds(told)
            with replacing(self._folder / INDEX) as draft:
                draft.write_text(json.dumps({"format": 1, "runs": kept}), encoding="utf-8")
            names = {self._file(one["run"]).name for one in kept} | {INDEX}
            for file in self._folder.iterdir():
                if file.name not in names:
                    file.unlink(missing_ok=True)

    def clear(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _within_bounds(self, told: list[Record]) -> list[Record]:
        """The latest of them that fit."""
        kept: list[Record] = []
        used = 0
        for one in reversed(told):
            file = self._file(one["run"])
            size = file.stat().st_size if file.is_file() else ARCHIVED_BYTES
            if used + size < ARCHIVED_BYTES:
                used += size
                kept.insert(0, one)
        return kept

    def _file(self, run: str) -> Path:
        return self._folder / f"{Path(str(run)).name}.nc"


def forget_runs(folder: Path, tab: str) -> None:
    """Of a tab that was closed long ago."""
    Archive(folder, tab).clear()
