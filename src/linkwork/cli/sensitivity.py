"""`linkwork sensitivity MODEL`: derivatives of channels with respect to parameters, as a table, a plot and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from linkwork.cli.guard import DONE
from linkwork.cli.models import find
from linkwork.cli.startup import import_matplotlib
from linkwork.cli.targets import check_target
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Data
from linkwork.files.atomic import replacing
from linkwork.plots import formats


def sensitivity(
    name: str,
    duration: float | None,
    *,
    channels: Sequence[str],
    parameters: Sequence[str],
    options: Data,
    settings: Sequence[str],
    plot_file: Path | None,
    save_file: Path | None,
    quiet: bool,
) -> int:
    """Differentiate the channels of the model called `name` over `duration` [s] by its parameters (all if none)."""
    check_target(plot_file, formats.SUFFIXES)
    check_target(save_file, (".json",))
    case = find(name, settings)
    duration = case.duration if duration is None else duration
    if duration is None:
        raise LinkworkError("no duration.", component=name, remedy="Give one: linkwork sensitivity MODEL DURATION.")
    if not channels:
        raise LinkworkError("no channel.", component=name, remedy="Say of what: --of piston.x; may be repeated.")
    chosen = {key: value for key, value in options.items() if value is not None}
    derivatives = case.model.sensitivity(
        list(channels), list(parameters) or None, duration, parameters=case.parameters, **chosen
    )
    if plot_file is not None:
        import_matplotlib()
        result = derivatives.to_result()
        result.plot(*result, file=plot_file)
    if save_file is not None:
        content = {
            "model": case.name,
            "parameters": derivatives.parameters,
            "t": derivatives.t.tolist(),
            "derivatives": [
                {"of": c, "to": p, "unit": derivatives.unit(c, p), "values": derivatives[c, p].tolist()}
                for c, p in derivatives.pairs()
            ],
        }
        with replacing(save_file) as draft:
            draft.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if not quiet:
        console = Console()
        console.print(Text(derivatives.table()), soft_wrap=True)
        for path in (plot_file, save_file):
            if path is not None:
                console.print(Text.assemble("wrote ", (str(path), "green")), soft_wrap=True)
    return DONE
