"""An input that would have to be differentiated: a source that determines the state of a store."""

from __future__ import annotations

from linkwork.core.errors import ModelError


class InputRateNeeded(ModelError):
    """The rate of an input would be needed, which a run does not know."""


def input_rate_needed(name: str) -> InputRateNeeded:
    """The error, for the element whose effort or flow cannot be told."""
    return InputRateNeeded(
        "the time derivative of an input would be needed to find its effort or flow.",
        component=name,
        remedy="Give that source as an expression of g.t, or put a compliance or resistor between.",
    )
