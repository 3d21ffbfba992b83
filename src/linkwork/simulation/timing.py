"""How long deriving, compiling and running take, each without the others."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar

from linkwork.core.program import Program

P = ParamSpec("P")


class HasProgram(Protocol):
    @property
    def program(self) -> Program: ...


Ready = TypeVar("Ready", bound=HasProgram)


class Building:
    """Time spent on making functions since now: of a program, and of those that take its place during a run."""

    def __init__(self, program: Program):
        self._before: dict[int, tuple[Program, float]] = {}
        self._preparing = 0.0
        self._note(program)

    def timed(self, prepare: Callable[P, Ready]) -> Callable[P, Ready]:
        """The same function, which prepares another program, on this account."""

        def again(*args: P.args, **named: P.kwargs) -> Ready:
            clock = time.perf_counter()
            ready = prepare(*args, **named)
            self._preparing += time.perf_counter() - clock
            self._note(ready.program)
            return ready

        return again

    @property
    def seconds(self) -> float:
        return self._preparing + sum(_spent(program) - before for program, before in self._before.values())

    def _note(self, program: Program) -> None:
        self._before.setdefault(id(program), (program, _spent(program)))


def _spent(program: Program) -> float:
    return program.derive_seconds + program.compile_seconds


class Stopwatch:
    """Of one run, from preparing its program on."""

    def __init__(self) -> None:
        self._began = time.perf_counter()

    def prepared(self, program: Program) -> None:
        self._program, self._derived = program, time.perf_counter() - self._began
        self._before = program.derive_seconds, program.compile_seconds

    def started(self) -> None:
        self.building = Building(self._program)
        self._start = time.perf_counter()

    def timed(self, prepare: Callable[P, Ready]) -> Callable[P, Ready]:
        """What prepares another program during the run, on its account."""
        return lambda *args, **named: self.building.timed(prepare)(*args, **named)

    def stopped(self) -> None:
        self._ran = time.perf_counter() - self._start - self.building.seconds

    @property
    def timings(self) -> dict[str, float]:
        """s, for the record."""
        derived, compiled = self._before
        return {
            "derive": self._derived + self._program.derive_seconds - derived,
            "compile": self._program.compile_seconds - compiled,
            "run": self._ran,
        }
