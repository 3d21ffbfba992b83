"""`m.save("x.toml")`: a model as a file that reads back as the same model, to the last bit."""

from __future__ import annotations

import os
from pathlib import Path

from linkwork.core.errors import LinkworkError
from linkwork.core.model import Model
from linkwork.core.registry import verb
from linkwork.files.atomic import replacing
from linkwork.files.models.saving import content_of
from linkwork.files.models.toml_text import written


@verb
def save(model: Model, file: str | os.PathLike[str]) -> None:
    """Write the model to a file, whole or not at all: everything it holds, functions as expressions.

    file: its name, ending in .toml. `lw.load` gives the model back, and with it the same results to the last bit.
    """
    path = Path(file)
    if path.suffix != ".toml":
        raise LinkworkError(
            f"a model is not saved as {path.suffix or 'a file without a suffix'}.",
            component=str(path),
            remedy="Give a name that ends in .toml.",
        )
    text = written(content_of(model))
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")
