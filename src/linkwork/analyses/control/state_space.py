"""Linearisations as python-control knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.analyses.linearization.linearization import Linearization
from linkwork.core.errors import LinkworkError

if TYPE_CHECKING:
    import control


def state_space(linear: Linearization) -> control.StateSpace:
    """The same as control.StateSpace of the package `control`, with names of states, inputs and outputs; it takes no
    dots in them, so `pin.angle` is `pin_angle` there."""
    try:
        import control
    except ImportError:
        raise LinkworkError(
            "python-control is needed for this and is not installed.",
            component=linear.model,
            remedy="pip install 'linkwork[control]'",
        ) from None
    return control.StateSpace(
        linear.A, linear.B, linear.C, linear.D, name=_undotted([linear.model])[0],
        states=_undotted(linear.state_names), inputs=_undotted(linear.input_names),
        outputs=_undotted(linear.output_names),
    )  # fmt: skip


def _undotted(names: list[str]) -> list[str]:
    return [name.replace(".", "_") for name in names]


Linearization.register("state_space", state_space)
