"""`linkwork kinematics MODEL`: drive a mechanism without dynamics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from linkwork.cli.drives import drives
from linkwork.cli.models import Case, find
from linkwork.cli.report import delivered
from linkwork.cli.targets import check_target
from linkwork.core.errors import IntegrationError
from linkwork.core.plain_data import Data
from linkwork.core.result import Result
from linkwork.files import results
from linkwork.plots import formats


def kinematics(name: str, duration: float | None, *, drive: Sequence[str], options: Data, **shown: Any) -> int:
    """Drive the model called `name` for `duration` [s]; what was reached before a dead centre is kept.

    shown: settings, patterns, plot_file, save_file, quiet, as for `linkwork run`.
    """

    def move(case: Case) -> Result:
        length = duration if duration is not None or "csv:" in " ".join(drive) else case.duration
        return case.model.kinematics(length, drive=drives(drive), parameters=case.parameters, **options)

    return driven(name, move, **shown)


def driven(
    name: str,
    move: Callable[[Case], Result],
    *,
    settings: Sequence[str],
    patterns: Sequence[str],
    plot_file: Path | None,
    save_file: Path | None,
    quiet: bool,
) -> int:
    """Find the model, move it, then save, plot and report as a run does."""
    for path, suffixes in ((plot_file, formats.SUFFIXES), (save_file, results.SUFFIXES)):
        check_target(path, suffixes)
    case = find(name, settings)
    failure = None
    try:
        result = move(case)
    except IntegrationError as error:
        if error.partial is None:
            raise
        result, failure = error.partial, error
    wanted = [word for text in patterns for word in text.replace(",", " ").split()]
    result.record["show"] = wanted or _present(result, [*result.record.get("show", ()), *case.show])
    return delivered(result, failure, plot_file=plot_file, save_file=save_file, quiet=quiet)


def _present(result: Result, patterns: Sequence[str]) -> list[str]:
    """Those of the model's own patterns that find a channel: some are about forces, which this result may not have."""
    return [pattern for pattern in patterns if any(fnmatchcase(name, pattern) for name in result)]
