"""What cannot be asked of a model whose runs are interrupted, told in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.components.contacts.outlined import Outlined
from linkwork.components.control.discrete import Discrete
from linkwork.core.errors import ModelError
from linkwork.core.unilateral import Unilateral

if TYPE_CHECKING:
    from linkwork.core.model import Model


def refuse_contacts(model: Model, what: str) -> None:
    """Raise if the model has contacts that open and close: `what` is not defined across their changes."""
    contacts = model.of_type(Unilateral)
    if contacts:
        raise ModelError(
            f"it opens, closes, sticks or slides by events, which {what} does not cover.",
            component=contacts[0].name,
            remedy="Use m.simulate(…), or m.contact(…) and lw.Friction(…), which are smooth.",
        )


def refuse_pairs(model: Model, what: str) -> None:
    """Raise if convex outlines touch each other: `what` does not follow the corners and faces that a run chooses."""
    pairs = [c for c in model.of_type(Outlined) if c.features(model.is_planar) is not None]
    if pairs:
        raise ModelError(
            f"which corners and faces of its outlines touch is chosen during a run, which {what} does not cover.",
            component=pairs[0].name,
            remedy="Use m.simulate(…), or an outline that is a ball.",
        )


def refuse_sampling(model: Model, what: str) -> None:
    """Raise if the model has sampled controllers or FMUs: `what` knows no jumps."""
    discrete = model.of_type(Discrete)
    if discrete:
        raise ModelError(
            f"it acts at single times, which {what} does not cover.",
            component=discrete[0].name,
            remedy="Use m.simulate(…), or a continuous block: m.pid, m.transfer_function, m.state_space.",
        )


def jumping(model: Model) -> str | None:
    """The first component by which states jump during a run, if there is one."""
    return next((c.name for c in [*model.of_type(Unilateral), *model.of_type(Discrete)]), None)


def check_choice(model: Model, formulation: str, loops: str, stabilised: bool) -> None:
    """Raise where contacts cannot be simulated as asked."""
    if loops == "partition":
        refuse_pairs(model, "loops='partition'")
    contacts = model.of_type(Unilateral)
    if not contacts:
        return
    wrong = None
    if loops == "partition":
        wrong = "loops='partition'", "Leave it out: loops are closed by multipliers then."
    elif stabilised:
        wrong = "Baumgarte's stabilisation", "Use stabilisation='projection'."
    if wrong:
        raise ModelError(f"a rigid contact does not work with {wrong[0]}.", component=contacts[0].name, remedy=wrong[1])
