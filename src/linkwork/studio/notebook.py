"""What a notebook shows of a model: its picture at the start, and what `check` says of it."""

from __future__ import annotations

import warnings
from base64 import b64encode
from html import escape

from linkwork.components.bodies import Body
from linkwork.core.model import Model

MANY = 30
"""Bodies beyond which showing a model would take longer than one waits for a look."""


def as_html(model: Model) -> str:
    """Heading, picture and table; what cannot be made is left out, because showing a model must not fail."""
    heading = f"<p><code>{escape(repr(model))}</code></p>"
    bodies = sum(isinstance(part, Body) for part in model.components.values())
    if bodies > MANY:
        more = "<code>m.check()</code> and <code>m.evaluate().snapshot(0)</code>"
        return f"{heading}<p>{bodies} bodies: {more} show more.</p>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return heading + _picture(model) + _table(model)


def _picture(model: Model) -> str:
    try:
        png = model.evaluate().snapshot(0.0)._repr_png_()  # type: ignore[attr-defined]
    except Exception:  # a circuit has no picture; what is wrong with the model stands in the table
        return ""
    return (
        f'<img style="max-width:100%" alt="{escape(model.name)}" src="data:image/png;base64,{b64encode(png).decode()}">'
    )


def _table(model: Model) -> str:
    try:
        return model.check()._repr_html_()
    except Exception as error:
        return f"<p>{escape(str(error))}</p>"


Model.register("_repr_html_", as_html)
