"""How long a run takes, without what is derived and compiled on its way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from linkwork.core.program import Program


class Building:
    """Time spent on making functions since now: of a program, and of those that take its place during a run."""

    def __init__(self, program: Program):
        self._before: dict[int, tuple[Program, float]] = {}
        self._preparing = 0.0
        self._note(program)

    def timed(self, prepare: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, which prepares another program, on this account."""

        def again(*args: Any) -> Any:
            clock = time.perf_counter()
            ready = prepare(*args)
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
