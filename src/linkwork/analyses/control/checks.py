"""What must hold of a linearisation before a controller can be made from it."""

from __future__ import annotations

from linkwork.analyses.linearization.linearization import Linearization
from linkwork.core.errors import ModelError
from linkwork.core.kinds import is_number, shown


def check_linear(linear: Linearization, what: str) -> None:
    """Raise where there is nothing to control or to measure (`what`: "input" or "output"), or no state to stay at."""
    if not (linear.inputs if what == "input" else linear.outputs):
        made = "m.input(…)" if what == "input" else "outputs=[…] in m.linearize(…)"
        raise ModelError(f"there is no {what}.", component=linear.model, remedy=f"Name one: {made}.")
    if not linear.state_names:
        raise ModelError("there are no states.", component=linear.model, remedy="Free a coordinate of it.")
    if not linear.steady:
        raise ModelError(
            "it is neither at rest nor in steady motion there, so that its equations change at once.",
            component=linear.model,
            remedy="Linearise at an equilibrium: m.linearize(m.equilibrium()), or start it at rest.",
        )


def check_period(period: float | None, model: str) -> None:
    if period is not None and not (is_number(period) and period > 0):
        raise ModelError(f"period={shown(period)} is not a time.", component=model, remedy="Give seconds > 0.")


def check_resting(linear: Linearization) -> None:
    if linear.moving:
        raise ModelError(
            "the operating point moves, so that there is no state to stay at.",
            component=linear.model,
            remedy="Linearise at an equilibrium: m.linearize(m.equilibrium()).",
        )
