"""A function of a Program as a list of stages over one vector of numbers, run by the C library (schedule.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from linkwork.compile.bound import Bound
from linkwork.core.errors import LinkworkError
from linkwork.core.program import BEST, FAST, NativeFunction
from linkwork.integrate.handover import check_length, pointer
from linkwork.integrate.native import schedule_binding as native
from linkwork.integrate.ordering import Structure
from linkwork.large.elimination import Fronts
from linkwork.large.kernel import Kernel

Stage: TypeAlias = dict[str, Any]
"""What C is told of it, by the names in schedule.h."""
INDEX_LIMIT = 2**31 - 1
"""Numbers that one schedule can reach."""


@dataclass(frozen=True)
class System:
    """The matrix of a schedule: (front, place in it, place of the number) of its entries; places of softness."""

    fronts: Fronts
    felt: np.ndarray
    front: np.ndarray
    at: np.ndarray
    entry: np.ndarray
    softness: int
    soft: int


class Schedule:
    """Stages, in the order in which they run; places are indices into the vector."""

    def __init__(self, arguments: Sequence[int]):
        """arguments: sizes; they are at the beginning, one after the other."""
        self.arguments = list(arguments)
        self.starts = np.concatenate([[0], np.cumsum(arguments)]).astype(np.int64).tolist()
        self.size = int(sum(arguments))
        self.stages: list[Stage] = []
        self.kept: list[object] = []
        self.kernels: list[NativeFunction] = []
        self.called: dict[int, Kernel] = {}
        """By stage: the kernel that it calls."""
        self._known: set[int] = set()
        self.kernel_work, self.widest = 0, 1
        self.fronts: native.Fronts | None = None
        self.system: System | None = None

    def room(self, count: int) -> int:
        """Place of so many more numbers."""
        begin = self.size
        self.size += int(count)
        if self.size > INDEX_LIMIT:
            raise MemoryError
        return begin

    def _stage(self, kind: int, **facts: object) -> None:
        self.stages.append({"kind": kind, **facts})

    def call(self, kernel: Kernel, gather: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Run for every row of `gather`; → places of the results, (instances, outputs)."""
        count = len(gather)
        target = self.room(count * kernel.outputs)
        self._holds(kernel, gather)
        self._stage(
            native.CALL, count=count, target=target, inputs=gather.shape[1], outputs=kernel.outputs,
            table_width=table.shape[1], kernel=kernel.function.address, gather=_indices(gather),
            table=np.ascontiguousarray(table, dtype=float),
        )  # fmt: skip
        return target + np.arange(count * kernel.outputs, dtype=np.int64).reshape(count, kernel.outputs)

    def sweep(
        self, kernel: Kernel, target: int, gather: np.ndarray, table: np.ndarray, scatter: np.ndarray | None = None
    ) -> None:
        """Run for every row of `gather`, one after the other, as each may need what those before it have given.

        target: room for the results; scatter: where the last ones of each instance are added, (instances, so many)."""
        count = len(gather)
        added = np.zeros((count, 0), dtype=np.int64) if scatter is None else scatter
        self._holds(kernel, gather)
        self._stage(
            native.SWEEP, count=count, target=target, inputs=gather.shape[1], outputs=kernel.outputs,
            table_width=table.shape[1], kernel=kernel.function.address, gather=_indices(gather),
            table=np.ascontiguousarray(table, dtype=float), scatter=_indices(added), source=added.shape[1],
        )  # fmt: skip

    def _holds(self, kernel: Kernel, gather: np.ndarray) -> None:
        """The next stage calls it."""
        self.called[len(self.stages)] = kernel
        self.widest = max(self.widest, gather.shape[1])
        self.kernel_work = max(self.kernel_work, kernel.function.work_size)
        if id(kernel.function) not in self._known:
            self._known.add(id(kernel.function))
            self.kernels.append(kernel.function)

    def zero(self, target: int, count: int) -> None:
        self._stage(native.ZERO, target=target, count=count)

    def set(self, values: np.ndarray) -> int:
        """The same numbers in every call; → where they are."""
        target = self.room(values.size)
        table = np.ascontiguousarray(values, dtype=float)
        self._stage(native.SET, target=target, count=values.size, table=table)
        return target

    def add(self, scatter: np.ndarray, gather: np.ndarray, factor: float = 1.0) -> None:
        """w[scatter] += factor · w[gather]."""
        if gather.size:
            self._stage(
                native.ADD, count=gather.size, gather=_indices(gather), scatter=_indices(scatter), factor=factor
            )

    def take(self, gather: np.ndarray, factor: float = 1.0) -> int:
        """Copies in a row; → where they are."""
        target = self.room(gather.size)
        if gather.size:
            self._stage(native.TAKE, count=gather.size, target=target, gather=_indices(gather), factor=factor)
        return target

    def largest(self, gather: np.ndarray, weights: np.ndarray) -> int:
        return self._reduced(native.LARGEST, gather, weights)

    def largest_slope(self, gather: np.ndarray, moved: np.ndarray, weights: np.ndarray) -> int:
        """How the largest moves where these numbers move by those at `moved`."""
        target = self.room(1)
        table = np.ascontiguousarray(weights, dtype=float).ravel()
        self._stage(
            native.LARGEST_SLOPE, count=gather.size, target=target, gather=_indices(gather), scatter=_indices(moved),
            table=table,
        )  # fmt: skip
        return target

    def squares(self, gather: np.ndarray, weights: np.ndarray) -> int:
        return self._reduced(native.SQUARES, gather, weights)

    def _reduced(self, kind: int, gather: np.ndarray, weights: np.ndarray) -> int:
        target = self.room(1)
        table = np.ascontiguousarray(weights, dtype=float).ravel()
        self._stage(kind, count=gather.size, target=target, gather=_indices(gather), table=table)
        return target

    def limit(self, target: int, count: int, size: int) -> None:
        """Shorten a vector so that what is at `size` is at most 1."""
        self._stage(native.LIMIT, target=target, count=count, source=size)

    def soften(self, target: int, source: int, least: float, slope: float, most: float) -> None:
        self._stage(native.SOFTEN, target=target, source=source, table=np.array([least, slope, most]))

    def factor(
        self, fronts: Fronts, felt: np.ndarray, entries: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]
    ) -> tuple[int, int]:
        """Places of the softness, which must be set before `factorise`, and of the margins.

        entries: (front, place in it, place of the number) of everything that is in the matrix."""
        unknowns = felt.size
        area, softness, soft, margin = (self.room(k) for k in (fronts.area, 1, unknowns, unknowns))
        spread = [[np.ravel(x) for x in np.broadcast_arrays(*part)] for part in entries]
        front, at, entry = (np.concatenate([np.zeros(0, dtype=np.int64), *(x[k] for x in spread)]) for k in range(3))
        self.system = System(fronts, felt, front, at, entry, softness, soft)
        by_front = np.argsort(front, kind="stable")
        counts = np.bincount(front, minlength=fronts.order.size)
        wide = {
            "place": fronts.place + area,
            "entries": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            "first": fronts.first,
            "leads": fronts.leads,
        }
        words = ("order", "pivots", "own", "child", "sibling", "index", "into", "behind")
        narrow = {k: getattr(fronts, k) for k in words}
        narrow |= {"at": _indices(at[by_front]), "entry": _indices(entry[by_front])}
        self.kept += [fronts, felt, wide, narrow]
        self.fronts = native.Fronts(
            count=fronts.order.size, unknowns=unknowns, area=fronts.area,
            widest=int(fronts.order.max(initial=0)), softness=softness, soft=soft, margin=margin,
            felt=pointer(felt, ctypes.c_double),
            **{k: pointer(x, ctypes.c_int64) for k, x in wide.items()},
            **{k: pointer(x, ctypes.c_int32) for k, x in narrow.items()},
        )  # fmt: skip
        return softness, margin

    def factorise(self) -> None:
        self._stage(native.FACTOR)

    def solve(self, source: int, refinements: int) -> int:
        """→ where the solution is."""
        assert self.fronts is not None
        target = self.room(3 * self.fronts.unknowns + self.fronts.widest)
        self._stage(native.SOLVE, source=source, target=target, count=refinements)
        return target

    def multiply(self, target: int, first: np.ndarray, second: np.ndarray) -> None:
        """w[target …] = w[first] · w[second]."""
        self._stage(native.MULTIPLY, count=first.size, target=target, gather=_indices(first), scatter=_indices(second))

    def function(
        self, name: str, results: Sequence[tuple[int, int]], structure: Structure | None = None
    ) -> ScheduleFunction:
        """results: place and size of each; structure: of the one result, where that is a sparse square matrix."""
        return ScheduleFunction(self, name, results, structure)

    def made(self) -> ctypes.Array[native.Stage]:
        """The stages as C has them."""
        array = (native.Stage * len(self.stages))()
        for entry, facts in zip(array, self.stages, strict=True):
            for word, value in facts.items():
                if isinstance(value, np.ndarray):
                    self.kept.append(value)
                    value = pointer(value, ctypes.c_double if word == "table" else ctypes.c_int32)
                setattr(entry, word, value)
        return array


def _indices(places: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(places, dtype=np.int32).ravel()


class ScheduleFunction:
    """A schedule that satisfies `NativeFunction`."""

    def __init__(
        self, schedule: Schedule, name: str, results: Sequence[tuple[int, int]], structure: Structure | None = None
    ):
        self.name = name
        self.in_sizes = tuple(schedule.arguments)
        self.out_sizes = tuple(size for _, size in results)
        dense = ((np.array([0, size], dtype=np.int32), np.arange(size, dtype=np.int32)) for size in self.out_sizes)
        self.out_patterns = tuple(dense) if structure is None else ((structure.column_start, structure.row),)
        self.structure = structure
        """Its whole diagonal is there, and the order of its elimination is known."""
        self.work_size = schedule.size + schedule.widest + schedule.kernel_work
        sizes = [np.array(x, dtype=np.int64) for x in (schedule.arguments, [p for p, _ in results], self.out_sizes)]
        stages = schedule.made()
        fronts = ctypes.pointer(schedule.fronts) if schedule.fronts is not None else None
        self._native = native.Schedule(
            len(schedule.arguments), len(results), len(stages), schedule.size, schedule.kernel_work,
            *(pointer(x, ctypes.c_int64) for x in sizes), ctypes.cast(stages, ctypes.POINTER(native.Stage)), fronts,
            schedule.widest,
        )  # fmt: skip
        self.schedule, self.results = schedule, list(results)
        self._kept = sizes, stages, fronts
        self._kernels = schedule.kernels
        self.parts = list(schedule.kernels)
        """Whose code may be exchanged for better."""
        self._code = Bound(native.runner(), ctypes.addressof(self._native))
        self.address = self._code.address

    @property
    def tier(self) -> str:
        """Of its kernels: the best, if all are."""
        return BEST if all(getattr(f, "tier", BEST) == BEST for f in self._kernels) else FAST

    @property
    def instructions(self) -> int:
        return sum(getattr(f, "instructions", 0) for f in self._kernels)

    @property
    def better_seconds(self) -> float:
        """Wall time that better code took beside runs."""
        return sum(getattr(f, "better_seconds", 0.0) for f in self._kernels)

    def __call__(self, *args: object, out: np.ndarray | None = None) -> list[np.ndarray]:
        """out: where the first result goes."""
        given = [np.ascontiguousarray(x, dtype=float).ravel() for x in args]
        if tuple(x.size for x in given) != self.in_sizes:
            raise LinkworkError(f"function {self.name!r} takes {self.in_sizes} numbers, not {[x.size for x in given]}.")
        results = [np.empty(size) for size in self.out_sizes]
        if out is not None:
            pointer(out, ctypes.c_double)  # refuses what is not numbers in a row
            results[0] = check_length("out", out, self.out_sizes[0])
        work = np.empty(self.work_size)
        pointers = [(ctypes.c_void_p * max(len(x), 1))(*(a.ctypes.data for a in x)) for x in (given, results)]
        self._code.entry(*(ctypes.addressof(x) for x in pointers), work.ctypes.data)
        return results
