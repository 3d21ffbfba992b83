"""What a notebook shows of a result: a plot of its main channels above the account of the run."""

from __future__ import annotations

import warnings
from base64 import b64encode

from linkwork.core import summary
from linkwork.core.result import Result


def as_html(result: Result) -> str:
    """Plot and table; where nothing can be plotted, the table alone."""
    return _plot(result) + summary.as_html(result)


def _plot(result: Result) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            png = result.plot()._repr_png_()  # type: ignore[attr-defined]
    except Exception:  # nothing to plot, or nothing finite: showing a result must not fail
        return ""
    return f'<img style="max-width:100%" alt="plot" src="data:image/png;base64,{b64encode(png).decode()}">'


Result.register("_repr_html_", as_html)
