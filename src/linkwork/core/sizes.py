"""Equations whose parts do not fit together are refused before anything is computed with them."""

from __future__ import annotations

from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.geometry import SX


def check_sizes(eq: Equations, model: str) -> Equations:
    """The same equations; ModelError names the component whose quantity is a vector, or the model."""
    for values in (eq.observation.outputs, eq.observation.probes):
        for name, (_, value) in values.items():
            _one(name.rpartition(".")[0] or name, name, value)
    for event, value in eq.observation.events:
        if value.shape != (4, 1):  # with bounds of how fast it changes
            _one(event.name, "its event", value)
    n = eq.layout
    rows = eq.constraints.jacobian.shape[0]  # fewer than conditions where a formulation closes joints by itself
    wanted = {
        "the rates of coordinates": (eq.motion.qdot, (n.q, 1)),
        "the forces": (eq.motion.force, (n.v, 1)),
        "the rates of states": (eq.motion.zdot, (n.z, 1)),
        "the accelerations": (eq.a, (n.v, 1)),
        "the mass matrix": (eq.motion.mass, (n.v, n.v)),
        "the constraints": (eq.constraints.position, (eq.constraints.position.numel(), 1)),
        "the conditions on speeds": (eq.constraints.velocity, (eq.constraints.velocity.numel(), 1)),
        "the derivatives of constraints": (eq.constraints.jacobian, (rows, n.v)),
        "what accelerations must meet": (eq.constraints.gamma, (rows, 1)),
    }
    for what, (value, shape) in wanted.items():
        if value.shape != shape and not (0 in shape and not value.numel()):
            raise ModelError(
                f"{what} have the shape {value.shape}, not {shape}.",
                component=model,
                remedy="A component has a vector where one number is meant, or the other way round.",
            )
    return eq


def _one(owner: str, name: str, value: SX) -> None:
    if value.numel() != 1:
        raise ModelError(
            f"{name} has {value.numel()} values.",
            component=owner,
            remedy="It must be one number: look for a vector among what the component was given.",
        )
