"""`m.save("x.toml")`: a model as a file that reads back as the same to the last bit; as URDF or MJCF for others."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from linkwork.components.coordinate import Coordinate
from linkwork.core.errors import LinkworkError, LinkworkWarning, callers_level
from linkwork.core.model import Model
from linkwork.core.registry import verb
from linkwork.files.atomic import replacing
from linkwork.files.models.saving import content_of
from linkwork.files.models.toml_text import written
from linkwork.files.robots import mjcf_text, urdf_text

OTHERS = {".urdf": urdf_text.text, ".xml": mjcf_text.text}
"""What writes files of others, by suffix."""


@verb
def save(model: Model, file: str | os.PathLike[str]) -> None:
    """Write the model to a file, whole or not at all: everything it holds, functions as expressions.

    file: its name, ending in .toml: `lw.load` gives the model back, and with it the same results to the last bit.
    .urdf takes trees, .xml (MJCF) loops as well, of what these formats know; what they cannot hold is an error.
    """
    path = Path(file)
    if path.suffix in OTHERS:
        text = OTHERS[path.suffix](model)
        if starts := [c.name for c in _coordinates(model) if any(x is not None and x != 0 for x in (c.value, c.speed))]:
            said = (
                f"{model.name}: {path.suffix} files hold no start values: those of {', '.join(starts)} are not in it."
            )
            warnings.warn(LinkworkWarning(said), stacklevel=callers_level())
    elif path.suffix == ".toml":
        text = written(content_of(model))
    else:
        raise LinkworkError(
            f"a model is not saved as {path.suffix or 'a file without a suffix'}.",
            component=str(path),
            remedy="Give a name that ends in .toml, .urdf or .xml.",
        )
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")


def _coordinates(model: Model) -> list[Coordinate]:
    return [
        c for part in model.components.values() for c in getattr(part, "coordinates", ()) if isinstance(c, Coordinate)
    ]
