"""`linkwork floquet MODEL`: whether a periodic motion is stable."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linkwork.cli.guard import DONE
from linkwork.cli.linearize import report, write
from linkwork.cli.models import find
from linkwork.cli.targets import check_target


def floquet(
    name: str,
    settings: Sequence[str],
    *,
    period: float | None,
    settle: float | None,
    formulation: str,
    save_file: Path | None,
) -> int:
    """Multipliers of the periodic motion at the start of the model called `name`, or after it has settled."""
    check_target(save_file, (".json",))
    case = find(name, settings)
    at = None
    if settle is not None:
        result = case.model.simulate(settle, parameters=case.parameters)
        at = (result, float(result.t[-1]))
    orbit = case.model.floquet(period, at=at, formulation=formulation, parameters=case.parameters)
    if save_file is not None:
        write(save_file, orbit.to_dict())
    report(str(orbit), [save_file])
    return DONE
