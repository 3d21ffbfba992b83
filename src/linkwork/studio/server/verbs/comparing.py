"""The same motion in several formulations, and how far apart they are."""

from __future__ import annotations

from linkwork.core.activity import announced_to
from linkwork.core.plain_data import Record
from linkwork.studio.page import base64_of
from linkwork.studio.server.session import Session
from linkwork.studio.server.verbs.running import planned_duration

USUAL = ("absolute", "minimal", "points", "bondgraph", "compliant")
"""Formulations that are compared unless others are named."""
CURVE_LIMIT = 8
"""Channels whose curves are sent."""


def compare(
    session: Session,
    duration: float | None = None,
    formulations: list[str] | None = None,
    channels: list[str] | None = None,
    rtol: float = 1e-8,
    parameters: dict[str, float] | None = None,
) -> Record:
    """The table of agreement, and curves of the channels that were asked for, else of those that differ most."""
    shown = list(channels or [])
    with announced_to(lambda stage: session.progress(stage)):
        comparison = session.model.compare(
            formulations or list(USUAL),
            planned_duration(session, duration),
            channels=shown or None,
            rtol=rtol,
            parameters=session.parameters | (parameters or {}),
            progress=lambda share: session.progress("comparing", share),
        )
    names = (list(comparison.chosen) or comparison.suggested())[:CURVE_LIMIT]
    curves = {
        run: {
            "t": base64_of(result.t, double=True),
            "values": {name: base64_of(result[name], double=True) for name in names if name in result},
        }
        for run, result in comparison.results.items()
    }
    return {"table": comparison.to_dict(), "text": repr(comparison), "channels": names, "curves": curves}
