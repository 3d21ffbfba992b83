"""Closing loops of control: what a feedback adds to the inputs, in the channels of a formulation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.components.control.feedback import Feedback, check_inputs
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError, UnknownName
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


def fed_back(eq: Equations, model: Model) -> Equations:
    """The equations with all feedbacks acting. A channel is read as the formulation observes it, so that the same
    controller serves all of them."""
    for feedback in model.of_type(Feedback):
        eq = _closed(eq, model, feedback)
    return eq


def _closed(eq: Equations, model: Model, feedback: Feedback) -> Equations:
    check_inputs(feedback.name, feedback.inputs, model.inputs)
    outputs = eq.observation.outputs
    for name in feedback.readings:
        if name not in outputs:
            raise UnknownName("channel", name, outputs, component=feedback.name)
    read = ca.vertcat(SX(0, 1), *(outputs[name][1] for name in feedback.readings))
    inputs = ca.vertcat(*model.symbols(feedback.inputs))
    _check_states_alone(eq, feedback, inputs)
    added = ca.vertcat(*feedback.added().values())
    given = ca.substitute(added, feedback.measured, read) if feedback.readings else added

    def rewrite(expressions: list[SX]) -> list[SX]:
        rewritten = ca.substitute(expressions, [feedback.measured], [read])
        return ca.substitute(rewritten, [inputs], [inputs + given])

    return replace(eq.map(rewrite), symbols=eq.symbols)


def _check_states_alone(eq: Equations, feedback: Feedback, inputs: SX) -> None:
    """What it reads must be known before it acts."""
    for name in feedback.readings:
        if ca.depends_on(eq.observation.outputs[name][1], ca.vertcat(inputs, eq.a, eq.multipliers)):
            raise ModelError(
                f"it reads {name!r}, which depends at once on what it does.",
                component=feedback.name,
                remedy="Let it read coordinates, rates and states: name other outputs=[…] in m.linearize(…).",
            )
