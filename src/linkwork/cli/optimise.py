"""`linkwork optimise MODEL`: better parameters for a simple goal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from linkwork.analyses.sensitivity.objectives import Final, Integral, Scalar
from linkwork.cli.guard import CANCELLED, DONE, FAILED, complain
from linkwork.cli.models import find
from linkwork.cli.targets import check_target
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Data
from linkwork.files.atomic import replacing


def optimise(
    name: str,
    duration: float | None,
    *,
    minimise: str | None,
    maximise: str | None,
    over: Sequence[str],
    subject: Sequence[str],
    options: Data,
    settings: Sequence[str],
    save_file: Path | None,
    quiet: bool,
) -> int:
    """Optimise the model called `name` over `duration` [s]; the exit code is 1 if nothing better was found."""
    check_target(save_file, (".json",))
    if (minimise is None) == (maximise is None):
        raise LinkworkError("no goal, or two.", component=name, remedy="Give --minimise final:piston.x, or --maximise.")
    goal = _scalar(minimise if minimise is not None else str(maximise))
    if not over:
        raise LinkworkError("there is nothing to vary.", component=name, remedy="Give --over NAME=LOW:HIGH.")
    ranges = dict(range_in(text, "--over") for text in over)
    limits = [(_scalar(what), *bounds) for what, bounds in (range_in(text, "--subject") for text in subject)]
    case = find(name, settings)
    duration = case.duration if duration is None else duration
    if duration is None:
        raise LinkworkError("no duration.", component=name, remedy="Give one: linkwork optimise MODEL DURATION.")
    chosen = {key: value for key, value in options.items() if value is not None}
    start = {key: value for key, value in case.parameters.items() if key in ranges}
    fixed = {key: value for key, value in case.parameters.items() if key not in ranges}
    best = case.model.optimise(
        goal, ranges, duration, minimise=maximise is None, constraints=limits, start=start, parameters=fixed,
        **chosen,
    )  # fmt: skip
    if save_file is not None:
        content = {
            "model": case.name,
            "objective": best.objective,
            "start": best.start,
            "parameters": best.parameters,
            "gradient": best.gradient,
            "improved": best.improved,
            "message": best.message,
            "attempts": [
                {"start": a.start, "parameters": a.parameters, "objective": a.objective, "status": a.status}
                for a in best.attempts
                if a.objective is not None
            ],
            "history": [{"parameters": v.parameters, "objective": v.objective} for v in best.history],
        }
        with replacing(save_file) as draft:
            draft.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if not quiet:
        console = Console()
        console.print(Text(str(best)), soft_wrap=True)
        if save_file is not None:
            console.print(Text.assemble("wrote ", (str(save_file), "green")), soft_wrap=True)
    if best.cancelled:
        complain("Cancelled", "the best point found until then was kept.")
        return CANCELLED
    return DONE if best.improved else FAILED


def _scalar(text: str) -> Scalar:
    """ "final:piston.x", "integral:piston.x" or "square:piston.x" (the integral of its square)."""
    kind, colon, channel = text.partition(":")
    channel = channel.strip()
    if colon and channel:
        if kind == "final":
            return Final(channel)
        if kind == "integral":
            return Integral(channel)
        if kind == "square":
            return Integral(lambda c: c[channel] ** 2, name=f"{channel}²")
    raise LinkworkError(
        f"{text!r} is not a goal.",
        remedy="Write final:CHANNEL, integral:CHANNEL or square:CHANNEL (integral of the square).",
    )


def range_in(text: str, option: str) -> tuple[str, tuple[float | None, float | None]]:
    """ "L=0.1:2" as ("L", (0.1, 2.0)); nothing on one side of the colon: no bound there."""
    name, equals, bounds = text.rpartition("=")
    lower, colon, upper = bounds.partition(":")
    try:
        if not equals or not colon or not name.strip():
            raise ValueError
        return name.strip(), (float(lower) if lower.strip() else None, float(upper) if upper.strip() else None)
    except ValueError:
        raise LinkworkError(
            f"{text!r} is not a range.",
            component=option,
            remedy="Write NAME=LOWER:UPPER, for instance L=0.1:2 or k=1:.",
        ) from None
