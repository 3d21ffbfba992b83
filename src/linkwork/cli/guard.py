"""Errors end a command with a sentence and an exit code, not with a traceback."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from linkwork.core.errors import LinkworkError, LinkworkWarning, UnknownName

DONE = 0
FAILED = 1
MISUSED = 2
UNEXPECTED = 70
CANCELLED = 130


def guarded(command: Callable[[], int], *, debug: bool) -> int:
    """Run `command`, turn what it raises into a message and an exit code; with `debug`, let errors through."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _shown(warnings.showwarning)
            return command()
    except KeyboardInterrupt:
        complain("Cancelled", "nothing was computed.")
        return CANCELLED
    except LinkworkError as error:
        if debug:
            raise
        complain("Error", str(error))
        return MISUSED if isinstance(error, UnknownName) else FAILED
    except Exception as error:
        if debug:
            raise
        complain(
            "Unexpected error",
            f"{type(error).__name__}: {error}. This is a defect in Linkwork or in the model's own code; "
            "run the same command with --debug to see the traceback.",
        )
        return UNEXPECTED


def _shown(usual: Callable[..., None]) -> Callable[..., None]:
    """Shows what the watch found in red, and other warnings as usual."""

    def show(message: object, category: type[Warning], *place: object, **more: object) -> None:
        if issubclass(category, LinkworkWarning):
            complain("Warning", str(message))
        else:
            usual(message, category, *place, **more)

    return show


def complain(what: str, text: str) -> None:
    """One red paragraph on the standard error stream."""
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True).print(Text.assemble((f"{what}: ", "bold red"), (text, "red")), soft_wrap=True)
