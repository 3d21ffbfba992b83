"""`linkwork inverse MODEL`: the forces and torques that a motion needs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.cli.drives import drives
from linkwork.cli.kinematics import driven
from linkwork.cli.models import Case
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Data
from linkwork.core.result import Result


def inverse(
    name: str,
    duration: float | None,
    *,
    drive: Sequence[str],
    motion: Path | None,
    actuators: Sequence[str],
    options: Data,
    **shown: Any,
) -> int:
    """Efforts for drives or for the motion in a saved result; shown: as for `linkwork kinematics`."""
    if motion is not None and drive:
        raise LinkworkError("both --motion and --drive.", component=name, remedy="Give one of them.")

    def move(case: Case) -> Result:
        more = {"parameters": case.parameters, "actuators": list(actuators) or None, **options}
        if motion is not None:
            result = case.model.inverse_dynamics(Result.load(motion), duration, **more)
        else:
            length = duration if duration is not None or "csv:" in " ".join(drive) else case.duration
            result = case.model.inverse_dynamics(drives(drive), length, **more)
        result.record["show"] = [name for x in result.record["actuators"] for name in _efforts(result, x)]
        return result

    return driven(name, move, **shown)


def _efforts(result: Result, coordinate: str) -> list[str]:
    """The actuator's effort; the whole effort too, where other laws add to it."""
    actuator, whole = f"{coordinate}.actuator", f"{coordinate}.effort"
    alone = whole not in result or np.allclose(result[whole], result[actuator], rtol=1e-9, atol=1e-12)
    return [actuator] if alone else [actuator, whole]
