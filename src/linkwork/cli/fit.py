"""`linkwork fit MODEL DATA.csv --over k=1:100`: parameters from measurements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from linkwork.cli.guard import CANCELLED, DONE, FAILED, complain
from linkwork.cli.models import find
from linkwork.cli.optimise import range_in
from linkwork.cli.startup import import_matplotlib
from linkwork.cli.targets import check_target
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Data
from linkwork.files.atomic import replacing
from linkwork.plots.formats import SUFFIXES
from linkwork.sweeps.fitted import Fit


def fit(
    name: str,
    data: Path,
    *,
    over: Sequence[str],
    options: Data,
    settings: Sequence[str],
    plot_file: Path | None,
    save_file: Path | None,
    quiet: bool,
) -> int:
    """Fit the model called `name` to a CSV file; the exit code is 1 if the search did not converge."""
    check_target(save_file, (".json",))
    check_target(plot_file, SUFFIXES)
    if not over:
        raise LinkworkError("there is nothing to fit.", component=name, remedy="Give --over NAME or NAME=LOW:HIGH.")
    bounds = dict(range_in(text, "--over") if "=" in text else (text.strip(), (None, None)) for text in over)
    case = find(name, settings)
    start = {key: value for key, value in case.parameters.items() if key in bounds}
    fixed = {key: value for key, value in case.parameters.items() if key not in bounds}
    chosen = {key: value for key, value in options.items() if value is not None}
    fitted = case.model.fit(data, parameters=bounds, start=start, fixed=fixed, **chosen)
    if save_file is not None:
        with replacing(save_file) as draft:
            draft.write_text(json.dumps(_plain(fitted), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if plot_file is not None:
        import_matplotlib()
        fitted.plot(file=plot_file)
    if not quiet:
        console = Console()
        console.print(Text(str(fitted)), soft_wrap=True)
        for path in (plot_file, save_file):
            if path is not None:
                console.print(Text.assemble("wrote ", (str(path), "green")), soft_wrap=True)
    if fitted.cancelled:
        complain("Cancelled", "the best that was found until then was kept.")
        return CANCELLED
    return DONE if fitted.converged else FAILED


def _plain(fitted: Fit) -> Data:
    """JSON has no infinite numbers: what is not told is null."""
    return {
        "model": fitted.model,
        "parameters": fitted.parameters,
        "deviation": {name: x if np.isfinite(x) else None for name, x in fitted.deviation.items()},
        "covariance": [[x if np.isfinite(x) else None for x in row] for row in fitted.covariance.tolist()],
        "misfit": fitted.misfit,
        "converged": fitted.converged,
        "message": fitted.message,
        "not told": [{"shares": dict(d.shares), "strength": d.strength} for d in fitted.unseen],
        "rms residuals": {
            each.channel: float(np.sqrt(np.mean(r**2))) for each, r in zip(fitted.data, fitted.residuals, strict=True)
        },
        "attempts": [
            {"start": dict(a.start), "parameters": dict(a.parameters), "misfit": a.misfit, "status": a.status}
            for a in fitted.attempts if np.isfinite(a.misfit)
        ],
    }  # fmt: skip
