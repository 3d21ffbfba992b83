"""`linkwork studio [MODEL]`: a page in the browser to draw, run and understand mechanisms."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.text import Text

from linkwork.cli.guard import DONE
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record

NEEDED = ("starlette", "uvicorn", "websockets", "latex2mathml")
"""Packages of the extra."""


def studio(
    name: str | None,
    *,
    address: str,
    port: int,
    folder: Path,
    settings: Sequence[str],
    time_limit: float,
    open_browser: bool,
) -> int:
    """Serve the studio until Ctrl-C; name: of the model that new tabs begin with."""
    if missing := [package for package in NEEDED if find_spec(package) is None]:
        raise LinkworkError(
            f"the studio needs {', '.join(missing)}, which is not installed.", remedy="pip install 'linkwork[studio]'"
        )
    if not folder.is_dir():
        raise LinkworkError("is no folder.", component=str(folder), remedy="Give one that exists with --folder.")
    if not time_limit > 0:
        raise LinkworkError(f"--time-limit {time_limit:g}.", remedy="Give seconds, > 0.")
    from linkwork.studio.server.processes import warm_up

    threading.Thread(target=warm_up, daemon=True).start()  # it takes a second or two, and so does what follows
    text, hints = _opened(name, settings)
    from linkwork.studio.server.serving import bound, serve, url
    from linkwork.studio.server.settings import Limits, Settings

    chosen = Settings(folder.resolve(), address, port, limits=Limits(seconds=time_limit))
    listening, chosen = bound(replace(chosen, first=text, first_hints=hints))
    console = Console()

    def begun() -> None:
        console.print(Text.assemble("studio at ", (url(chosen), "green"), "  (Ctrl-C ends it)"), soft_wrap=True)
        console.print(Text(f"models in {chosen.folder}", "dim"), soft_wrap=True)
        if open_browser:
            webbrowser.open(url(chosen))

    serve(chosen, listening, begun)
    return DONE


def _opened(name: str | None, settings: Sequence[str]) -> tuple[str | None, Record | None]:
    """The model as the text of a model file, and what it says of itself.

    Python files are run here, for who has started the command, and nowhere else.
    """
    if name is None:
        return None, None
    from linkwork.cli.models import find
    from linkwork.files.models.saving import content_of
    from linkwork.files.models.toml_text import written

    case = find(name, settings)
    content = content_of(case.model)
    for parameter, value in case.parameters.items():
        content["parameter"][parameter]["value"] = value
    return written(content), {"name": case.name, "duration": case.duration, "show": list(case.show)}
