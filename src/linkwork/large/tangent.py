"""A schedule within another one, and how its numbers move along directions: stage by stage, by the chain rule.

A number w of the schedule moves by ẇ. Kernels have slopes that AD derives (`Kernel.slope`), copies and sums are linear,
and K x = b gives K ẋ = ḃ − K̇ x with the factors that are there: so nothing is derived but what a kind has, and time and
memory stay linear in the model. Refinements are differentiated as they are made; how soft rows are is held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from linkwork.integrate.native import schedule_binding as native
from linkwork.large.kernel import Kernel
from linkwork.large.schedule import Schedule, Stage

Places: TypeAlias = np.ndarray


def slope_of(
    target: Schedule, kernel: Kernel, gather: Places, rates: Places, table: np.ndarray, none: int
) -> Places:  # fmt: skip
    """Places of how the results of a kernel move, where what it gathers moves by what is at `rates`; none: not."""
    moves = np.any(rates != none, axis=0)
    slope = kernel.slope(tuple(moves.tolist())) if moves.any() else None
    if slope is None:
        return np.full(len(gather) * kernel.outputs, none)
    return target.call(slope, np.hstack([gather, rates[:, moves]]), table).ravel()


class Tangent:
    """What is in `source`, done in `target`."""

    def __init__(
        self, target: Schedule, source: Schedule, arguments: Sequence[Places], directions: Sequence[Sequence[Places]],
        none: int, *, switching: bool = False,
    ):  # fmt: skip
        """arguments: places in the target of the numbers of each argument of the source; directions: of each, places
        of how these move; none: place of a zero, for what does not. switching: see `switches`."""
        self.target, self.source, self.none = target, source, none
        self.switches: list[list[Places]] = []
        """Places of numbers that change their sign where a kernel may jump or bend; of each, how they move, too."""
        self._switching = switching
        self.at = np.full(source.size, -1, dtype=np.int64)
        """By place in the source: place in the target."""
        self.moved = [np.full(source.size, none, dtype=np.int64) for _ in directions]
        """The same of how it moves, by direction."""
        begin = sum(source.arguments)
        self.at[:begin] = np.concatenate([np.ravel(x) for x in arguments])
        for moved, direction in zip(self.moved, directions, strict=True):
            moved[:begin] = np.concatenate([np.ravel(x) for x in direction])
        self._factored = False
        for number, stage in enumerate(source.stages):
            self._number = number
            WAYS[stage["kind"]](self, stage)

    def results(self, place: int, size: int) -> tuple[Places, list[Places]]:
        """Places of a result of the source, and of how it moves along each direction."""
        span = slice(place, place + size)
        return self.at[span], [moved[span] for moved in self.moved]

    # Where numbers go ------------------------------------------------------------------------------------------------

    def _put(self, stage: Stage, place: int | np.integer[Any], count: int) -> slice:
        """The target of a stage begins at this place."""
        span = slice(stage["target"], stage["target"] + count)
        self.at[span] = place + np.arange(count)
        return span

    def _again(self, stage: Stage, count: int) -> int:
        """The place of a target that is written anew, or fresh room for it."""
        place = int(self.at[stage["target"]]) if count else 0
        return place if place >= 0 else self.target.room(count)

    def _still(self, span: slice) -> None:
        for moved in self.moved:
            moved[span] = self.none

    def _moving(self, moved: Places, places: Places) -> None:
        """Room, with zeros, for how these numbers move that have not moved so far."""
        fresh = np.unique(places[moved[places] == self.none])
        if fresh.size:
            begin = self.target.room(fresh.size)
            self.target.zero(begin, fresh.size)
            moved[fresh] = begin + np.arange(fresh.size)

    # Kernels ---------------------------------------------------------------------------------------------------------

    def _call(self, stage: Stage) -> None:
        kernel, count, table = self.source.called[self._number], stage["count"], stage["table"]
        places = stage["gather"].reshape(count, -1)
        gather = self.at[places]
        span = self._put(stage, self.target.call(kernel, gather, table)[0, 0], count * kernel.outputs)
        self._watch(places, table)
        for moved in self.moved:
            moved[span] = self._called(kernel, gather, moved[places], table)

    def _sweep(self, stage: Stage) -> None:
        """What an instance reads is not changed by those after it, so that slopes may follow when all are done."""
        kernel, count, table = self.source.called[self._number], stage["count"], stage["table"]
        places, size = stage["gather"].reshape(count, -1), count * kernel.outputs
        scatter = stage["scatter"].reshape(count, stage["source"])
        span = self._put(stage, self.target.room(size), size)
        gather = self.at[places]
        self.target.sweep(kernel, int(self.at[span.start]), gather, table, self.at[scatter])
        self._watch(places, table)
        for moved in self.moved:
            moved[span] = self.none
            if np.all(moved[places] == self.none):
                continue
            begin = self.target.room(size)
            moved[span] = begin + np.arange(size)
            self._moving(moved, scatter.ravel())
            rates = moved[places]
            moves = np.any(rates != self.none, axis=0)
            slope = kernel.slope(tuple(moves.tolist()))
            if slope is None:
                self.target.zero(begin, size)
            else:
                self.target.sweep(slope, begin, np.hstack([gather, rates[:, moves]]), table, moved[scatter])

    def _watch(self, places: Places, table: np.ndarray) -> None:
        switches = self.source.called[self._number].switches
        if not self._switching or switches is None:
            return
        gather = self.at[places]
        found = [self.target.call(switches, gather, table).ravel()]
        found += [self._called(switches, gather, moved[places], table) for moved in self.moved]
        self.switches.append(found)

    def _called(self, kernel: Kernel, gather: Places, rates: Places, table: np.ndarray) -> Places:
        """How the results of a kernel move, where what it gathers moves by what is at `rates`."""
        return slope_of(self.target, kernel, gather, rates, table, self.none)

    # Vectors ---------------------------------------------------------------------------------------------------------

    def _zero(self, stage: Stage) -> None:
        count = stage["count"]
        place = self._again(stage, count)
        self.target.zero(place, count)
        self._still(self._put(stage, place, count))

    def _set(self, stage: Stage) -> None:
        self._still(self._put(stage, self.target.set(stage["table"]), stage["count"]))

    def _add(self, stage: Stage) -> None:
        gather, scatter, factor = stage["gather"], stage["scatter"], stage["factor"]
        self.target.add(self.at[scatter], self.at[gather], factor)
        for moved in self.moved:
            moving = moved[gather] != self.none
            self._moving(moved, scatter[moving])
            self.target.add(moved[scatter[moving]], moved[gather[moving]], factor)

    def _take(self, stage: Stage) -> None:
        gather, factor = stage["gather"], stage["factor"]
        span = self._put(stage, self.target.take(self.at[gather], factor), gather.size)
        for moved in self.moved:
            moved[span] = self._copied(moved[gather], factor)

    def _copied(self, places: Places, factor: float = 1.0) -> Places:
        if np.all(places == self.none):
            return places
        return self.target.take(places, factor) + np.arange(places.size)

    def _multiply(self, stage: Stage) -> None:
        first, second, count = stage["gather"], stage["scatter"], stage["count"]
        span = self._put(stage, self._product(self.at[first], self.at[second]), count)
        for moved in self.moved:
            moved[span] = self.none
            for a, b in ((moved[first], self.at[second]), (moved[second], self.at[first])):
                moving = np.flatnonzero(a != self.none)
                if moving.size:
                    product = self._product(a[moving], b[moving]) + np.arange(moving.size)
                    self._moving(moved, span.start + moving)
                    self.target.add(moved[span.start + moving], product)

    def _product(self, first: Places, second: Places) -> int:
        place = self.target.room(first.size)
        self.target.multiply(place, first, second)
        return place

    # Sizes -----------------------------------------------------------------------------------------------------------

    def _largest(self, stage: Stage) -> None:
        places, weights = stage["gather"], stage["table"]
        span = self._put(stage, self.target.largest(self.at[places], weights), 1)
        for moved in self.moved:
            still = np.all(moved[places] == self.none)
            moved[span] = self.none if still else self.target.largest_slope(self.at[places], moved[places], weights)

    def _squares(self, stage: Stage) -> None:
        """What softness is judged by, which is held."""
        self._still(self._put(stage, self.target.squares(self.at[stage["gather"]], stage["table"]), 1))

    def _limit(self, stage: Stage) -> None:
        """By the same share."""
        size, span = int(self.at[stage["source"]]), slice(stage["target"], stage["target"] + stage["count"])
        self.target.limit(int(self.at[span.start]), stage["count"], size)
        for moved in self.moved:
            if np.any(moved[span] != self.none):
                moved[span] = self._copied(moved[span])
                self.target.limit(int(moved[span.start]), stage["count"], size)

    # The system ------------------------------------------------------------------------------------------------------

    def _soften(self, stage: Stage) -> None:
        self._enter()
        least, slope, most = stage["table"].tolist()
        self.target.soften(int(self.at[stage["target"]]), int(self.at[stage["source"]]), least, slope, most)

    def _factor(self, stage: Stage) -> None:
        self._enter()
        self.target.factorise()

    def _enter(self) -> None:
        """The matrix, when all that is in it is known."""
        system = self.source.system
        assert system is not None
        if self._factored:
            return
        self._factored = True
        self.at[system.softness], margin = self.target.factor(
            system.fronts, system.felt, [(system.front, system.at, self.at[system.entry])]
        )
        unknowns = np.arange(system.felt.size)
        assert self.target.system is not None
        self.at[system.soft + unknowns] = self.target.system.soft + unknowns
        self.at[system.soft + unknowns.size + unknowns] = margin + unknowns
        self._rows, self._columns = system.fronts.unknowns_at(system.front, system.at)

    def _solve(self, stage: Stage) -> None:
        system = self.source.system
        assert system is not None
        n = system.felt.size
        every = np.arange(n)
        right = slice(stage["source"], stage["source"] + n)
        steps = [self.target.solve(int(self.at[right.start]), 0)]
        for _ in range(stage["count"]):
            steps.append(self.target.solve(self._softened(steps[-1]), 0))
        span = self._put(stage, self._sum(steps), n)
        for moved in self.moved:
            entries = moved[system.entry]
            if np.all(moved[right] == self.none) and np.all(entries == self.none):
                moved[span] = self.none
                continue
            rate = self.target.take(moved[right])
            rates: list[int] = []
            for step in steps:
                if rates:
                    rate = self._softened(rates[-1])
                self._less(rate, entries, step)
                rates.append(self.target.solve(rate, 0))
            moved[span] = self._sum(rates) + every

    def _softened(self, step: int) -> int:
        """What is left of the right side where softness was added, as `solve` of the C library has it."""
        assert self.target.system is not None
        every = np.arange(self.target.system.felt.size)
        return self.target.take(self._product(step + every, self.target.system.soft + every) + every, -1.0)

    def _sum(self, parts: list[int]) -> int:
        assert self.target.system is not None
        every = np.arange(self.target.system.felt.size)
        total = self.target.take(parts[0] + every)
        for part in parts[1:]:
            self.target.add(total + every, part + every)
        return total

    def _less(self, rate: int, entries: Places, solution: int) -> None:
        """rate −= K̇ x."""
        rows, columns = self._rows, self._columns
        for i, j, kept in ((rows, columns, entries != self.none), (columns, rows, rows != columns)):
            moving = np.flatnonzero(kept & (entries != self.none))
            if moving.size:
                product = self._product(entries[moving], solution + j[moving])
                self.target.add(rate + i[moving], product + np.arange(moving.size), -1.0)


WAYS: dict[int, Callable[[Tangent, Stage], None]] = {
    native.CALL: Tangent._call,
    native.ZERO: Tangent._zero,
    native.ADD: Tangent._add,
    native.TAKE: Tangent._take,
    native.LARGEST: Tangent._largest,
    native.SQUARES: Tangent._squares,
    native.LIMIT: Tangent._limit,
    native.SOFTEN: Tangent._soften,
    native.FACTOR: Tangent._factor,
    native.SOLVE: Tangent._solve,
    native.MULTIPLY: Tangent._multiply,
    native.SET: Tangent._set,
    native.SWEEP: Tangent._sweep,
}
