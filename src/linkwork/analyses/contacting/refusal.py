"""What cannot be asked of a model with rigid contacts, told in words."""

from __future__ import annotations

from typing import Any

from linkwork.core.errors import ModelError
from linkwork.core.unilateral import Unilateral

FORMULATIONS = ("absolute", "minimal", "compliant", "auto")


def refuse_contacts(model: Any, what: str) -> None:
    """Raise if the model has contacts that open and close: `what` is not defined across their changes."""
    found = model.of_type(Unilateral)
    if found:
        raise ModelError(
            f"it opens, closes, sticks or slides by events, which {what} does not cover.",
            component=found[0].name,
            remedy="Use m.simulate(…), or m.contact(…) and lw.Friction(…), which are smooth.",
        )


def check_choice(model: Any, formulation: str, loops: str, stabilised: bool) -> None:
    """Raise where contacts cannot be simulated as asked."""
    found = model.of_type(Unilateral)
    if not found:
        return
    wrong = None
    if formulation not in FORMULATIONS:
        wrong = f"formulation {formulation!r}", f"Use one of {', '.join(FORMULATIONS)}."
    elif loops == "partition":
        wrong = "loops='partition'", "Leave it out: loops are closed by multipliers then."
    elif stabilised:
        wrong = "Baumgarte's stabilisation", "Use stabilisation='projection'."
    if wrong:
        raise ModelError(f"a rigid contact does not work with {wrong[0]}.", component=found[0].name, remedy=wrong[1])
