"""`linkwork linearize MODEL`: eigenvalues and modes; with --locus their paths while a parameter changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from linkwork.cli.guard import DONE
from linkwork.cli.models import Case, find
from linkwork.cli.startup import import_matplotlib
from linkwork.cli.targets import check_target
from linkwork.core.errors import LinkworkError
from linkwork.files.atomic import replacing
from linkwork.plots import formats


def linearize(
    name: str,
    settings: Sequence[str],
    *,
    formulation: str,
    at_equilibrium: bool,
    locus: str | None,
    modes: bool = False,
    plot_file: Path | None,
    save_file: Path | None,
) -> int:
    """Linearise the model called `name` at its start, or at its equilibrium; or follow a parameter."""
    for path, suffixes in ((plot_file, formats.SUFFIXES), (save_file, (".json",))):
        check_target(path, suffixes)
    if modes and locus is not None:
        raise LinkworkError("a root locus has no mode shapes.", component="--modes", remedy="Leave --locus out.")
    wanted = _range(locus) if locus is not None else None
    case = find(name, settings)
    if wanted is not None:
        return _locus(case, *wanted, formulation, at_equilibrium, plot_file, save_file)
    at = case.model.equilibrium(formulation=formulation, parameters=case.parameters) if at_equilibrium else None
    linear = case.model.linearize(at, formulation=formulation, parameters=case.parameters)
    if save_file is not None:
        write(save_file, linear.to_dict())
    if plot_file is not None:
        import_matplotlib()
        (linear.plot_modes if modes else linear.plot)(file=plot_file)
    report("\n".join(str(x) for x in (at, linear) if x is not None), [plot_file, save_file])
    return DONE


def _locus(
    case: Case,
    parameter: str,
    values: np.ndarray,
    formulation: str,
    at_equilibrium: bool,
    plot_file: Path | None,
    save_file: Path | None,
) -> int:
    locus = case.model.root_locus(
        parameter, values, formulation=formulation, parameters=case.parameters, equilibrium=at_equilibrium
    )
    if save_file is not None:
        write(save_file, locus.to_dict())
    if plot_file is not None:
        import_matplotlib()
        locus.plot(file=plot_file)
    report(str(locus), [plot_file, save_file])
    return DONE


def _range(text: str) -> tuple[str, np.ndarray]:
    """NAME=FROM:TO:N."""
    name, _, span = text.partition("=")
    try:
        first, last, count = span.split(":")
        start, end, n = float(first), float(last), int(count)
        if n < 2 or not np.isfinite([start, end]).all():
            raise ValueError
    except ValueError:
        raise LinkworkError(
            f"{text!r} is not a range.",
            component="--locus",
            remedy="Write --locus NAME=FROM:TO:N, for instance k=0:20:41.",
        ) from None
    return name.strip(), np.linspace(start, end, n)


def write(path: Path, content: dict[str, object]) -> None:
    with replacing(path) as draft:
        draft.write_text(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def report(text: str, files: Sequence[Path | None]) -> None:
    console = Console()
    console.print(Text(text), soft_wrap=True)
    for path in files:
        if path is not None:
            console.print(Text.assemble("wrote ", (str(path), "green")), soft_wrap=True)
