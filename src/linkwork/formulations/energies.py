"""Energies and who accounts for their change: stored, lost, or supplied from outside.

What a spring stores changes by motion, and by whatever else its stiffness depends on: time, inputs, states of the
user's own. The second part comes from outside. It is never differentiated, as inputs may jump: with E the energy and
P its rate by motion alone, E(t) − E(0) − ∫P dt was supplied. So E goes to the supplied energy, and P to its rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.formulations.maximal_view import MaximalView
from linkwork.geometry import SX, Number, as_vector, dot

if TYPE_CHECKING:
    from linkwork.formulations.contributions import Contributions


def kinetic_of(view: MaximalView, body: Body) -> SX:
    """[J]"""
    frame = view.body(body)
    w = frame.R.T @ frame.w
    inertia = dot(w, SX(body.inertia) @ w) if not view.planar else body.inertia * w[2] ** 2
    return SX(body.mass * dot(frame.v, frame.v) / 2 + inertia / 2)


def weight_of(view: MaximalView, body: Body) -> SX:
    """Potential of gravity [J]."""
    return -body.mass * dot(as_vector(view.model.gravity), view.body(body).p)


Own = Sequence[tuple[SX, SX]]
"""(symbol, rate) of states that belong to the component itself, such as the bristles of a contact."""


def is_given(view: MaximalView, energy: Number, own: Own = ()) -> bool:
    """Whether it depends on more than the motion and parameters: on time, inputs, states of the user's own."""
    expression = energy if isinstance(energy, SX) else SX(energy)
    if expression.is_constant():
        return False
    more = {s.element_hash() for s, _ in own}
    used = (s.element_hash() for s in ca.symvar(expression))
    return any(symbol not in view.own_symbols and symbol not in more for symbol in used)


def by_motion(view: MaximalView, stored: SX, own: Own = ()) -> SX:
    """Rate of an energy [W], by motion and the component's own states alone."""
    moving, rates = view.moving()
    return ca.jtimes(stored, ca.vertcat(moving, *(s for s, _ in own)), ca.vertcat(rates, *(r for _, r in own)))


def given_by_bodies(view: MaximalView, acceleration: SX) -> tuple[SX, SX]:
    """(E, P) of bodies whose mass, inertia or weight is given over time; acceleration: of all, in the order of v."""
    energy, rate = SX(0), SX(0)
    gravity = is_given(view, as_vector(view.model.gravity))
    for body in view.bodies:
        mass = is_given(view, body.mass)
        if mass or gravity:
            weight = weight_of(view, body)
            energy, rate = energy + weight, rate + by_motion(view, weight)
        if mass or is_given(view, SX(body.inertia)):
            energy += kinetic_of(view, body)
            rate += ca.dot(_momentum(view, body), acceleration[view.slice(body)])
    return energy, rate


def _momentum(view: MaximalView, body: Body) -> SX:
    """∂T/∂v, in the order of its speeds."""
    frame = view.body(body)
    return view.space.both(body.mass * frame.v, view.space.inertia(SX(body.inertia)) @ (frame.R.T @ frame.w))


def work_states(
    view: MaximalView,
    contributions: Contributions,
    velocity: SX,
    multipliers: SX,
    acceleration: SX,
    servos: SX | None = None,
) -> list[tuple[str, SX, SX]]:
    """States that integrate what was lost and what was supplied, where there is any."""
    at_rest = ca.substitute(velocity, view.speeds, SX.zeros(view.speeds.numel(), 1))  # −b: what constraints impose
    supply = contributions.supply + (0 if servos is None else servos) - given_by_bodies(view, acceleration)[1]
    if velocity.numel():
        supply += ca.dot(multipliers, at_rest)
    work = []
    for name, power in (("energy.dissipated", contributions.dissipation), ("energy.supplied", supply)):
        power = ca.simplify(power)
        if not power.is_zero() or (contributions.contacts and name == "energy.dissipated"):  # impacts lose at once
            work.append((name, SX.sym(name), power))
    return work
