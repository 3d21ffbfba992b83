"""Rigid contacts where a formulation has solved for v̇ already: their forces are left open.

What was solved says how the whole answers to forces F at the contacts, v̇ = a₀ + X F: X keeps the joints, and has all
that networks join to bodies rigidly. With any metric M, M v̇ + Aᵀλ = M a₀ + M X F is the same motion: a₀ and X keep
A v̇ = γ by themselves, so that λ vanishes. In this form the modes of contacts decide on F, and impulses have the same X.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from linkwork.contact.places import forces_of
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.formulations.network import Solved
from linkwork.geometry import SX


def left_open(eq: Equations) -> Equations:
    """The same equations, no longer solved for v̇."""
    forces = forces_of(eq.contacts.places)
    metric = _metric(eq.motion.mass)
    alone = without_contacts(eq)
    response = ca.jacobian(eq.motion.force, forces)
    return replace(
        eq,
        symbols=replace(eq.symbols, multipliers=SX.sym("lambda", eq.constraints.velocity.numel())),
        motion=replace(eq.motion, mass=metric, force=ca.densify(metric @ alone), explicit=False),
        contacts=replace(eq.contacts, push=metric @ (response @ forces)),
    )


def without_contacts(eq: Equations) -> SX:
    """v̇ where nothing touches."""
    forces = forces_of(eq.contacts.places)
    return ca.substitute(eq.motion.force, forces, SX.zeros(forces.numel(), 1))


def _metric(mass: SX) -> SX:
    """The masses; 1 in place of none."""
    diagonal = ca.densify(ca.diag(mass))
    return ca.sparsify(mass + ca.diag(ca.if_else(diagonal == 0, 1, 0)))


def refuse_rates(eq: Equations, solved: Solved) -> None:
    """Forces of contacts jump: nothing may depend on how fast they change."""
    forces = forces_of(eq.contacts.places)
    times = zip(solved.system.equations, solved.index.times, strict=True)
    owners = [e.owner for e, k in times if k and ca.depends_on(e.residual, forces)]
    if ca.depends_on(eq.constraints.gamma, forces):
        owners.append(eq.contacts.places[0].owner)
    if owners:
        raise ModelError(
            "its equations ask how fast the forces of rigid contacts change, which jump.",
            component=owners[0],
            remedy="Use m.contact(…), which is springy, or put a spring between the component and the mechanism.",
        )
