"""One case after the other, here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from linkwork.sweeps.backends.backend import Backend, Deliver
from linkwork.sweeps.side_by_side import in_turn
from linkwork.sweeps.single import together
from linkwork.sweeps.study import Study


class Serial(Backend):
    """In the calling thread."""

    name: ClassVar[str] = "serial"

    def __init__(self, workers: int | None = None):
        super().__init__(1)

    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> None:
        side = together(study)
        if side is not None:
            in_turn(side, cases, deliver)
            return
        for case in cases:
            deliver(case, study.run(case))
