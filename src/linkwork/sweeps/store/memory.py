"""Outcomes in the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.errors import ModelError
from linkwork.core.plain_data import Record
from linkwork.simulation.cost import check_memory
from linkwork.sweeps.outcome import FAILED, PENDING, Outcome, places
from linkwork.sweeps.store.contents import Contents
from linkwork.sweeps.store.store import Store

if TYPE_CHECKING:
    import xarray


class Memory(Store):
    """Arrays with a row per case."""

    def __init__(self, contents: Contents):
        self._contents, self._record = contents, Record()
        cases, width = contents.cases, sum(q.size for q in contents.layout)
        try:
            check_memory(contents.name, cases, width)
        except ModelError as error:
            raise ModelError(
                f"the result: {error.cause}", component=error.component,
                remedy='Have it written: to="study.zarr"; or keep less of each case.',
            ) from None  # fmt: skip
        self.done = np.zeros(cases, dtype=bool)
        self._values = np.full((cases, width), np.nan)
        self._status = np.full(cases, PENDING, dtype="<U8")
        self._end = np.full(cases, np.nan)
        self._texts: dict[int, tuple[str, str]] = {}
        self._engine = np.full(cases, "", dtype=object)

    def add(self, case: int, outcome: Outcome) -> None:
        self._values[case], self._status[case], self._end[case] = outcome.values, outcome.status, outcome.end
        self._engine[case] = outcome.engine
        if outcome.reason or outcome.warnings:
            self._texts[case] = outcome.reason, outcome.warnings
        self.done[case] = True
        self.failures += outcome.status == FAILED

    def close(self, record: Record) -> None:
        self._record = record

    def release(self) -> None:
        pass

    def dataset(self) -> xarray.Dataset:
        reasons = np.array([self._texts.get(k, ("", ""))[0] for k in range(self.done.size)], dtype=object)
        warnings = np.array([self._texts.get(k, ("", ""))[1] for k in range(self.done.size)], dtype=object)
        held = {"status": self._status.astype(object), "reason": reasons, "warnings": warnings, "end_time": self._end,
                "engine": self._engine}  # fmt: skip
        for quantity in self._contents.layout:
            columns = self._values[:, places(self._contents.layout)[quantity.name]]
            held[quantity.name] = columns if quantity.dimension else columns[:, 0]
        return self._contents.dataset(held, self._record)
