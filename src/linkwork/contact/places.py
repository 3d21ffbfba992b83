"""Rigid contacts seen through a formulation's view: their gaps, slips and forces, what they lose, what they push."""

from __future__ import annotations

import casadi as ca

from linkwork.core.component import MovingView
from linkwork.core.unilateral import Contact, Unilateral
from linkwork.geometry import SX


def contacts_of(unilateral: Unilateral, view: MovingView, length: float) -> list[Contact]:
    """Its places, with rates of gaps, and symbols for the forces; length: of the mechanism [m]."""
    made = []
    for place in unilateral.places(view):
        gap = SX(0, 1) if place.gap is None else ca.densify(SX(place.gap))
        slip = ca.densify(SX(place.slip)) if place.slip.numel() else SX(0, 1)
        made.append(
            Contact(
                name=place.name,
                gap=gap,
                speed=view.time_derivative(gap) if gap.numel() else gap,
                slip=slip,
                normal=SX(place.press) if place.gap is None else SX.sym(f"{place.name}.normal"),
                tangential=SX.sym(f"{place.name}.friction", slip.numel()),
                friction=SX(place.friction),
                static=SX(place.static),
                restitution=SX(place.restitution),
                rest=SX(place.rest),
                noise=SX(place.noise) * (1 if place.gap is None else length),
                bound=ca.vertcat(*place.bound),
                units=place.units,
                owner=unilateral.name,
                directions=place.directions,
            )
        )
    return made


def power_of(contact: Contact, view: MovingView) -> tuple[SX, SX]:
    """(lost by sliding, put in by surfaces that move by themselves) [W]."""
    rows = ca.vertcat(contact.speed, contact.slip)
    forces = ca.vertcat(contact.normal if contact.opens else SX(0, 1), contact.tangential)
    moved = ca.substitute(rows, view.speeds, SX.zeros(view.speeds.numel(), 1))
    return -ca.dot(contact.tangential, contact.slip), -ca.dot(forces, moved)


def forces_of(contacts: list[Contact]) -> SX:
    """Symbols of all their forces."""
    return ca.vertcat(SX(0, 1), *(ca.vertcat(c.normal if c.opens else SX(0, 1), c.tangential) for c in contacts))


def push_of(contacts: list[Contact], view: MovingView) -> SX:
    """Generalised forces of contacts in the order of the bodies' speeds."""
    push = SX.zeros(view.v.numel(), 1)
    for contact in contacts:
        if contact.opens:
            push += ca.jacobian(contact.speed, view.v).T @ contact.normal
        if contact.slip.numel():
            push += ca.jacobian(contact.slip, view.v).T @ contact.tangential
    return push
