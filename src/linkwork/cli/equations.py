"""`linkwork equations MODEL`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from linkwork.cli.guard import DONE
from linkwork.cli.models import find
from linkwork.core.errors import LinkworkError

FORMS = ("text", "latex", "sympy", "python", "c")


def equations(name: str, *, formulation: str, form: str, target: Path | None, settings: Sequence[str]) -> int:
    """Print the equations of a model in one of the FORMS, or write them to a file (C: to a folder)."""
    case = find(name, settings)
    sheet = case.model.equations(formulation, parameters=case.parameters)
    if form == "c":
        for path in sheet.write_c(target or Path(f"{Path(name).stem}_c")):
            print(path)
        return DONE
    if form == "latex":
        text = sheet.latex(document=target is not None)
    elif form == "python":
        text = sheet.python()
    elif form == "sympy":
        text = sheet.sympy().source()
    else:
        text = sheet.text()
    if target is None:
        _print(text)
    else:
        _write(target, text)
        print(target)
    return DONE


def _print(text: str) -> None:
    """Terminals that know no Greek letters get question marks; a reader who has seen enough (`| head`) is no error."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LinkworkError(
            f"cannot be written: {error.strerror}.",
            component=str(path),
            remedy="Check that the folder exists and that you may write there.",
        ) from error
