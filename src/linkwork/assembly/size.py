"""What straight-line code for many bodies takes, told before it is derived: nobody should wait for it unawares."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from linkwork.components.bodies import Body
from linkwork.core.errors import LinkworkWarning, ModelError, callers_level
from linkwork.core.memory import free_memory

if TYPE_CHECKING:
    from linkwork.core.model import Model

MANY = 400
"""Bodies from which deriving straight-line code takes so long that it is told."""
BODY_BYTES, BODY_SECONDS = 2.5e6, 0.1
"""What a body takes, in space, until there is code: measured on trees of 200 and 1,000."""
MATRICES = 30
"""Full matrices, as large as the state, that are in memory at once where equations are linearized."""


def check_size(model: Model, available: float | None = None) -> None:
    """LinkworkWarning where straight-line code for all bodies takes long; ModelError where it does not fit at all."""
    bodies = len(model.of_type(Body))
    if bodies < MANY:
        return
    needed = BODY_BYTES * bodies
    _fit(model, f"straight-line code for {bodies} bodies", needed, available)
    warnings.warn(
        LinkworkWarning(
            f"{model.name}: its {bodies} bodies become straight-line code, which takes about {needed / 2**30:.2g} GiB "
            f"and {BODY_SECONDS * bodies / 60:.2g} minutes or more. Where all components have kernels, "
            "m.simulate(…) takes these instead (see docs/large.md)."
        ),
        stacklevel=callers_level(),
    )


def check_matrices(model: Model, available: float | None = None) -> None:
    """ModelError where full matrices of all coordinates do not fit into the memory that is free."""
    bodies = len(model.of_type(Body))
    if bodies < MANY // 2:
        return
    states = bodies * (6 if model.is_planar else 13)
    _fit(model, f"full matrices for {bodies} bodies", 8.0 * MATRICES * states**2, available)


def _fit(model: Model, what: str, needed: float, available: float | None) -> None:
    free = free_memory() if available is None else available
    if needed > free:
        raise ModelError(
            f"{what} need about {needed / 2**30:.3g} GiB, {free / 2**30:.3g} are free.",
            component=model.name,
            remedy="Take a part of the model, or a machine with more memory; m.simulate(…) takes kernels where all "
            "components have them.",
        )
