"""From how many bodies on a model is large; known without anything that makes kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.components.bodies import Body

if TYPE_CHECKING:
    from linkwork.core.model import Model

LARGE = 150
"""Bodies from which kernels are taken unless the user says otherwise: below, straight-line code is soon made, and each
of its steps is quicker."""


def count_bodies(model: Model) -> int:
    return len(model.of_type(Body))
