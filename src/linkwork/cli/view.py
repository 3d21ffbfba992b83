"""`linkwork view MODEL`: simulate and show it in the browser, at the end or while it is computed."""

from __future__ import annotations

import tempfile
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from linkwork.cli.models import Case, find
from linkwork.cli.report import ending
from linkwork.cli.targets import check_target
from linkwork.core.errors import IntegrationError, LinkworkError
from linkwork.core.plain_data import Data
from linkwork.core.result import Result
from linkwork.studio.animation import FILMS, animate
from linkwork.studio.live import LiveView

LAST_LOOK = 10.0
"""s that a live page is served after the run, so that it can fetch the whole."""


def view(
    name: str,
    duration: float | None,
    *,
    options: Data,
    settings: Sequence[str],
    scene: Data,
    file: Path | None,
    live: bool,
    open_browser: bool,
    quiet: bool,
) -> int:
    """Simulate the model called `name` for `duration` [s] and animate it; scene: options of `animate`."""
    check_target(file, (".html", ".htm", *FILMS))
    case = find(name, settings)
    duration = case.duration if duration is None else duration
    if duration is None:
        raise LinkworkError("no duration.", component=name, remedy="Give one: linkwork view MODEL DURATION.")
    chosen = {key: value for key, value in options.items() if value is not None}
    if live:
        result, failure = _watched(case, duration, chosen, scene, open_browser, quiet)
    else:
        result, failure = _simulated(case, duration, chosen, quiet)
    if case.show:
        result.record["show"] = list(case.show)
    if file is None and live:
        return ending(result, failure)
    path = file or Path(tempfile.mkdtemp(prefix="linkwork-")) / f"{case.name}.html"
    animate(result, path, **scene)
    if not quiet:
        Console().print(Text.assemble("wrote ", (str(path), "green")), soft_wrap=True)
    if open_browser and not live:
        webbrowser.open(path.resolve().as_uri())
    return ending(result, failure)


def _simulated(
    case: Case, duration: float, options: Data, quiet: bool, **more: Any
) -> tuple[Result, IntegrationError | None]:
    try:
        made = case.model.simulate(duration, parameters=case.parameters, **options, **more)
    except IntegrationError as failure:
        if failure.partial is None:
            raise
        return failure.partial, failure
    return made, None


def _watched(
    case: Case, duration: float, options: Data, scene: Data, open_browser: bool, quiet: bool
) -> tuple[Result, IntegrationError | None]:
    """Run with a page open that follows; it stays until it has fetched the whole run, or the user ends it."""
    page = LiveView(case.name, **scene)
    try:
        if not quiet:
            Console().print(Text.assemble("live at ", (page.url, "green")), soft_wrap=True)
        if open_browser:
            webbrowser.open(page.url)
        result, failure = _simulated(case, duration, options, quiet, watch=page.update)
        if failure is None:
            page.finish(result)
        else:
            page.fail(str(failure))
        _linger(page)
        return result, failure
    finally:
        page.close()


def _linger(page: LiveView) -> None:
    """Until the whole has been fetched; a page that nobody opens is not waited for long."""
    until = time.monotonic() + LAST_LOOK
    while time.monotonic() < until and not page.fetched:
        time.sleep(0.05)
