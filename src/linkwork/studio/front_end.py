"""three.js, as the package jupyter-threejs-sage carries it: one script, put into the page, which then needs no network.

That package holds each version in a folder of its own, as package data meant to be read by others, and keeps old ones.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from linkwork.core.errors import LinkworkError

REVISION: Final = 130
"""Of three.js: the player is written and tested against it."""
PACKAGE: Final = "jupyter-threejs-sage>=130"


@cache
def three() -> str:
    """The script that defines `THREE`."""
    try:
        script = (files("jupyter_threejs_sage") / f"static/r{REVISION}/three.min.js").read_text("utf-8")
    except (ModuleNotFoundError, OSError) as error:
        raise LinkworkError(
            f"three.js r{REVISION}, the front end of animations, is not installed.", remedy=f"pip install '{PACKAGE}'"
        ) from error
    if not re.search(rf"[=:]\s*[\"']{REVISION}[\"']", script) or "REVISION" not in script or "</script" in script:
        raise LinkworkError(
            f"the installed three.js is not r{REVISION}.", remedy=f"pip install --force-reinstall '{PACKAGE}'"
        )
    return script
