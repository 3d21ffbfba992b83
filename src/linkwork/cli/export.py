"""`linkwork export MODEL`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linkwork.cli.guard import DONE
from linkwork.cli.models import find
from linkwork.cli.targets import check_target


def export(
    name: str,
    *,
    fmu: Path | None,
    version: str,
    formulation: str,
    duration: float | None,
    binary: bool,
    settings: Sequence[str],
) -> int:
    """Write a model for other simulators: as an FMU, MODEL.fmu unless a file is named."""
    target = fmu or Path(f"{Path(name).stem}.fmu")
    check_target(target, (".fmu",))
    case = find(name, settings)
    length = duration or case.duration or 10.0
    print(
        case.model.fmu(
            target,
            version=version,
            formulation=formulation,
            duration=length,
            parameters=case.parameters,
            binary=binary,
        )
    )
    return DONE
