"""three.js, as trimesh carries it: one script, to be put into the page, so that a page needs nothing from outside."""

from __future__ import annotations

import zipfile
from functools import cache
from importlib.resources import files
from io import BytesIO

from linkwork.core.errors import LinkworkError

BEGIN, END = "<script>", "var camera"
"""In trimesh's page the libraries stand between these; its own viewer comes after them."""


@cache
def three() -> str:
    """The script that defines `THREE`."""
    try:
        packed = (files("trimesh") / "resources/templates/viewer.zip").read_bytes()
        with zipfile.ZipFile(BytesIO(packed)) as archive:
            page = archive.read(archive.namelist()[0]).decode("utf-8")
    except ModuleNotFoundError:
        raise LinkworkError(
            "trimesh, which carries the viewer's front end, is not installed.", remedy="pip install 'trimesh>=4.4,<6'"
        ) from None
    except (OSError, zipfile.BadZipFile) as error:
        raise _changed() from error
    whole = page.partition(BEGIN)[2].partition(END)[0]
    # the first library alone is three.js itself; the loaders and controls after it are not needed
    core = max(whole.split("\n"), key=len)
    licence = whole.partition("*/")[0].partition("/**")[2]
    if "REVISION" not in core or "</script" in core:
        raise _changed()
    return f"/**{licence}*/\n{core}"


def _changed() -> LinkworkError:
    return LinkworkError(
        "the installed trimesh does not carry three.js where it is expected.",
        remedy="Install another version: pip install 'trimesh>=4.4,<6'",
    )
