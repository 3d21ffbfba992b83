"""`linkwork inverse MODEL`: the forces and torques that a motion needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linkwork.cli.drives import drives
from linkwork.cli.kinematics import driven
from linkwork.cli.models import Case
from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result


def inverse(
    name: str,
    duration: float | None,
    *,
    drive: Sequence[str],
    motion: Path | None,
    actuators: Sequence[str],
    options: Mapping[str, Any],
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
        result.record["show"] = [f"{x}.{what}" for x in result.record["actuators"] for what in ("actuator", "effort")]
        return result

    return driven(name, move, **shown)
