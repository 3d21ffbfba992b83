"""An input that would have to be differentiated: a source that determines the state of a store."""

from __future__ import annotations

from linkwork.core.errors import ModelError


class InputRateNeeded(ModelError):
    """Raised where the rate of an input would be needed, which a run does not know."""

    def __init__(self, name: str):
        super().__init__(
            "the time derivative of an input would be needed to find its effort or flow.",
            component=name,
            remedy="Give that source as an expression of g.t, or put a compliance or resistor between.",
        )
