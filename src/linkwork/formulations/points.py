"""Point coordinates (PRT): bodies as particles; no angles and no rotation matrices in the state.

Particles on joint centres and axes belong to both bodies, so that revolute and spherical constraints vanish. Momentum
equations are generated from the tips of the tree inwards and projected on what each joint leaves free, PRT (18)–(25):
`particle_chain` writes them, `particle_recursion` solves them for r̈. Loops: cut joints with multipliers. Distances (and
what joints the particles do not absorb) are kept by projection, or by Baumgarte's terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint, JointCoordinate
from linkwork.contact.places import push_of
from linkwork.core.component import Constraint
from linkwork.core.equations import Deferred, Equations, Motion, Row
from linkwork.formulations import observe
from linkwork.formulations.constraint_rows import Rows, gamma_of, split_rows
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.energies import work_states
from linkwork.formulations.equations_of_parts import equations_of_parts
from linkwork.formulations.left_open import left_open, without_contacts
from linkwork.formulations.order import order_of
from linkwork.formulations.particle_chain import Chain, Loads
from linkwork.formulations.particle_projection import Surface
from linkwork.formulations.particle_recursion import Recursion, Together
from linkwork.formulations.particle_view import PointsView
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX, Wrench

if TYPE_CHECKING:
    from linkwork.core.model import Model


def formulate(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
) -> Equations:
    """r̈ of the particles that are states, explicitly; multipliers of cut joints (and other rows) put in."""
    view = PointsView(model)
    contributions = gather(model, view)
    rows = split_rows(view, contributions, softness)
    chain = Chain(view, stabilisation)
    n, own = view.points.numel(), len(view.variables)
    a = SX.sym("a", n)
    moving = chain.accelerations(a)
    acceleration = chain.of_bodies(moving, a[n - own :])
    acting, own_loads = _acting(view, chain, contributions, rows)
    by_body = ca.jacobian(rows.velocity, view.v)
    order = order_of(view, rows.names, by_body)
    rotors = chain.rotors(contributions)
    together = order.weights or order.massless or own or rotors is None or (contributions.inertias and order.uneven)
    tree = Together if together else Recursion
    momentum = tree(chain, by_body, order.away(rows.position), contributions)
    loads = {name: acting[name] - needed for name, needed in chain.momentum(chain.drift).items()}
    resting = chain.of_bodies(chain.drift, SX(own, 1))
    motions, own_rates, multipliers = momentum.solve(
        loads, own_loads, gamma_of(view, contributions, rows, stabilisation) - by_body @ resting
    )
    motions = {name: motion + chain.drift[name] for name, motion in motions.items()}
    surface = Surface(view, rows, lambda order: tree(chain, by_body, order, contributions), order)
    owners = [name for name, _, _, _ in view.fresh for _ in range(view.width)]
    owners += [v.name for v in view.variables]
    eq = equations_of_parts(
        view,
        contributions,
        _observed(view, contributions, rows, chain, acting, moving, acceleration, surface),
        q=view.points,
        v=view.velocities,
        a=a,
        motion=Motion(view.velocities, SX.eye(n), chain.of_states(motions, own_rates), view.retract),
        jacobian=SX(0, n),
        gamma=SX(0, 1),
        rows=rows,
        names=owners * 2,
        counters=view.counters(),
        first_order=chain.first_order,
        stabilisation=stabilisation,
        softness=softness,
        start=view.start,
    )
    (multipliers,) = view.in_states([multipliers])
    margins = Deferred(lambda: view.in_states([momentum.margins()]))
    explicit = _explicit(eq.solved(eq.motion.force, multipliers), surface, rows, margins)
    return left_open(_with_rows(explicit)) if contributions.contacts else explicit


def _explicit(solved: Equations, surface: Surface, rows: Rows, margins: Deferred) -> Equations:
    """ṙ and r̈ follow from the states alone: nothing is left to solve, only to project."""
    constraints = replace(
        solved.constraints,
        position=surface.position,
        velocity=surface.velocity,
        rows=[],
        projected=Deferred(surface.projected),
        singular_rows=rows.names or None,
        margins=margins if rows.names else None,
    )
    identity = SX.eye(solved.v.numel())
    return replace(solved, motion=replace(solved.motion, mass=identity), constraints=constraints)


def _with_rows(eq: Equations) -> Equations:
    """The same with rows for all that projection keeps, which r̈ fulfils already: contacts need to know of them."""
    rows = eq.constraints
    A = ca.jacobian(rows.velocity, eq.v)
    names = [Row("particles", f"equation {k + 1}", k) for k in range(A.shape[0])]
    return replace(eq, constraints=replace(rows, jacobian=A, gamma=A @ without_contacts(eq), rows=names))


def _acting(view: PointsView, chain: Chain, contributions: Contributions, rows: Rows) -> tuple[dict[str, SX], SX]:
    """What acts on each body, as force and moment about its particle 1, PRT (2), (3), and on variables."""
    push = push_of(contributions.contacts, view) - rows.soft_pull
    for c, effort in contributions.efforts.items():
        push += ca.jacobian(view.rate(c), view.v).T @ effort
    wrenches = chain.at_first(push)
    for _, load in contributions.loads:
        if isinstance(load.marker.body, Body):
            name = load.marker.body.name
            arm = view.frame(load.marker).p - chain.first(name)
            wrench = Wrench(load.force, load.torque).moved(arm)
            wrenches[name] += wrench.column[chain.rows]
    return wrenches, push[push.numel() - len(view.variables) :]


def _observed(
    view: PointsView,
    contributions: Contributions,
    rows: Rows,
    chain: Chain,
    acting: Loads,
    moving: Loads,
    acceleration: SX,
    surface: Surface,
) -> observe.Observed:
    """Reactions: cut joints by their rows; tree joints by the momentum of what they carry, PRT (16), (20)."""
    by_body = ca.jacobian(rows.all_velocity, view.v)
    pull = rows.all_pull
    added, owed = chain.added(contributions)
    outside = chain.at_first(rows.soft_pull - by_body.T @ pull - owed - added @ acceleration)
    carried = {name: x - acting[name] - outside[name] for name, x in chain.momentum(moving).items()}
    for step in reversed(chain.steps):
        if step.parent is not None:
            carried[step.parent] += step.X.T @ carried[step.name]
    joints = {link.joint.name: link for link in view.links if link.joint is not None}

    def of_body(body: Body, point: SX) -> Wrench:
        """What its tree joint puts on a body, about a point."""
        return Wrench.of_column(chain.spatial(carried[body.name])).moved(chain.first(body.name) - point)

    def servo(c: Coordinate) -> SX:
        if not isinstance(c, JointCoordinate) or not view.prescribes(c):
            return -sum((pull[k] for k in rows.of(c.name)), SX(0))
        child = joints[c.joint.name].body
        wrench = of_body(child, view.frame(view.freedoms[child.name].child).p)
        return view.freedoms[child.name].driven[c].power(wrench)

    def of_joint(joint: Joint, body: Body) -> Wrench:
        if joint.name not in joints:
            return observe.pull_of_rows(view, body, by_body, pull, rows.of(joint.name))
        child = joints[joint.name].body
        wrench = of_body(child, view.body(child).p)
        for c in view.freedoms[child.name].driven:
            effort = ca.jacobian(view.rate(c), view.v[view.slice(child)]).T @ servo(c)
            wrench -= Wrench.of_speeds(effort, view.body(child).R)
        return wrench if body is child else -wrench.moved(view.body(child).p - view.body(body).p)

    servos = sum((servo(c) * view.rate(c) for f in view.freedoms.values() for c in f.driven), SX(0))
    return observe.Observed(
        acceleration=acceleration,
        pull=of_joint,
        servo=servo,
        multipliers={},
        held=rows.by_owner(view.model.of_type(Constraint)),
        position=ca.vertcat(surface.inner, rows.all_position),
        velocity=ca.vertcat(surface.inner_speed, rows.all_velocity),
        work=work_states(view, contributions, rows.all_velocity, pull, acceleration, servos),
    )
