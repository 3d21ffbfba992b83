"""Laws, forces and further constraints of a mechanism as elements of its multibond graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import casadi as ca

from linkwork.bondgraph.elements import C, MSe, R, Se
from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.forces import Spring
from linkwork.components.joint import Joint
from linkwork.components.laws import Law
from linkwork.components.relations import Relation
from linkwork.core.component import Constraint, Element, Load
from linkwork.core.equations import Row
from linkwork.core.errors import ModelError
from linkwork.core.port import PortComponent
from linkwork.core.unilateral import Contact
from linkwork.formulations.bondgraph.net import Feed, Multibond, Softness, colour_of
from linkwork.formulations.bondgraph.networks import networks
from linkwork.formulations.contributions import Contributions
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.order import structure_of
from linkwork.geometry import SX, Number

if TYPE_CHECKING:
    from linkwork.core.model import Model


Net = TypeVar("Net", bound=Multibond)


def multibond(
    view: MaximalView,
    contributions: Contributions,
    *,
    joints: str,
    softness: Softness | None = None,
    opened: Sequence[str] = (),
) -> Multibond:
    """The whole mechanism as a graph. opened: flow sources that are to be efforts instead."""
    return filled(Multibond(view, joints, softness or {}, tuple(opened)), contributions)


def filled(net: Net, contributions: Contributions) -> Net:
    """The same with all that the mechanism of its view has."""
    view, model = net.view, net.model
    _refuse_massless(model)
    for body in view.bodies:
        net.body(body)
    for variable in view.variables:
        net.variable(variable)
    net.tree_joints()
    position = dict(contributions.position)
    for joint in model.of_type(Joint):
        if not view.holds(joint):
            net.joint(joint)
    for constraint in model.of_type(Constraint):
        if not isinstance(constraint, Joint) and not view.holds(constraint):
            _constraint(net, contributions, constraint)
    for joint in model.of_type(Joint):
        for c in joint.coordinates:
            _laws(net, contributions, c, position)
    for variable in view.variables:
        _laws(net, contributions, variable, position)
    for element in model.of_type(Element):
        _element(net, element)
    for contact in contributions.contacts:
        _touch(net, contact)
    _ports(net, contributions)
    net.graph.prune()
    net.graph.closed = "its moduli depend on positions that it does not keep"
    return net


def _refuse_massless(model: Model) -> None:
    for name in structure_of(model).massless:
        raise ModelError(
            "it has no mass or inertia: a bond graph stores the momentum of every body.",
            component=name,
            remedy='Use formulation="absolute", "minimal", "points" or "acausal", or give it some.',
        )


def _laws(net: Multibond, contributions: Contributions, c: Coordinate, position: dict[Row, SX]) -> None:
    if c.motion is not None and not net.view.prescribes(c):
        _motion(net, contributions, c, position)
    for k, law in enumerate(law for law in c.laws if law is not c.motion):
        _law(net, c, law, f"{c.name}-{type(law).__name__.lower()}{k + 1 if k else ''}".replace(".", "-"))


def _motion(net: Multibond, contributions: Contributions, c: Coordinate, position: dict[Row, SX]) -> None:
    """A prescribed coordinate: its rate is imposed."""
    view, motion = net.view, c.motion
    assert motion is not None
    words = {"displacement": "motion", "speed": "speed", "acceleration": "acceleration"}
    row = Row(c.name, words[motion.level])
    if motion.level == "displacement":
        value: SX = ca.jacobian(SX(motion.path(view.t)), view.t)
    elif motion.level == "speed":
        value = SX(motion.path(view.t))
    else:
        value = next(symbol for name, symbol, _ in contributions.first_order if name == f"{c.name}.speed")
    kind = colour_of(c)
    here = position.get(row, SX(0, 1))
    net.block(f"{c.name}-motion".replace(".", "-"), net.coordinate(c), [row], here, c.owner.name, kind, value)


def _law(net: Multibond, c: Coordinate, law: Law, name: str) -> None:
    """A law that only stores is a C, one that only loses an R, any other an effort."""
    view, at = net.view, net.coordinate(c)
    kind = colour_of(c)
    group, label = c.owner.name, type(law).__name__.lower()
    x, v = SX.sym("x"), SX.sym("v")
    effort = SX(law.effort(view.t, x, v))
    stores = not ca.simplify(SX(law.potential(x))).is_zero()
    loses = not ca.simplify(SX(law.dissipation(x, v))).is_zero()
    by_rate, by_place = ca.depends_on(effort, v), ca.depends_on(effort, ca.vertcat(x, view.t))
    if stores and not loses and not by_rate:
        store = C(
            name,
            lambda d: -SX(law.effort(view.t, d, SX(0))),
            displacement=view.coordinate(c),
            energy=lambda d: SX(law.potential(d)),
        )
        net.graph.bond(at, net.graph.add(store, group=group, label=label), kind=kind)
    elif loses and not stores and not by_place:
        resistor = R(name, lambda f: -SX(law.effort(view.t, SX(0), f)))
        net.graph.bond(at, net.graph.add(resistor, group=group, label=label), kind=kind)
    else:
        value = SX(law.effort(view.t, view.coordinate(c), view.rate(c)))
        net.graph.bond(net.graph.add(_source(net, name, value), group=group, label=label), at, kind=kind)


def _source(net: Multibond, name: str, value: Number, size: int = 1) -> Se:
    """A given effort: Se where it is made of numbers and parameters, MSe where anything modulates it."""
    constants = {p.element_hash() for p in net.model.symbols(net.model.parameters)}
    steady = all(s.element_hash() in constants for s in ca.symvar(SX(value)))
    return (Se if steady else MSe)(name, value, size)


def _constraint(net: Multibond, contributions: Contributions, constraint: Constraint) -> None:
    """Any other equation: its rate collects shares of the coordinates (relations) or of the bodies' speeds."""
    rows = [(row, x, True) for row, x in contributions.position if row.owner == constraint.name]
    rows += [(row, x, False) for row, x in contributions.speed if row.owner == constraint.name]
    for k, (row, expression, at_position) in enumerate(rows):
        rate = net.view.time_derivative(expression) if at_position else expression
        name = f"{constraint.name}-{k + 1}"
        if isinstance(constraint, Relation):
            feeds, value = _by_coordinates(net, constraint, row.unit), -ca.jacobian(expression, net.view.t)
        else:
            feeds, value = _by_bodies(net, rate)
        at = net.combined(name, feeds, "translation", constraint.name, label=constraint.name)
        net.block(name, at, [row], expression if at_position else SX(0, 1), constraint.name, "translation", value)


def _by_coordinates(net: Multibond, relation: Relation, unit: float) -> list[Feed]:
    symbols = [SX.sym("c") for _ in relation.coordinates]
    slope = ca.jacobian(SX(relation.equation(*symbols)) / unit, ca.vertcat(*symbols))
    here = [net.view.coordinate(c) for c in relation.coordinates]
    slope = ca.substitute([slope], symbols, here)[0]
    return [Feed(net.coordinate(c), slope[0, i]) for i, c in enumerate(relation.coordinates)]


def _by_bodies(net: Multibond, rate: SX) -> tuple[list[Feed], SX]:
    view = net.view
    A = ca.jacobian(rate, view.v)
    feeds: list[Feed] = []
    for body in view.bodies:
        feeds += net.by_speeds(body, A[:, view.slice(body)])
    first = view.v.numel() - len(view.variables)
    for k, variable in enumerate(view.variables):
        if A[:, first + k].nnz():
            feeds.append(Feed(net.coordinate(variable), A[:, first + k]))
    return feeds + net.by_rates(rate), -ca.substitute(rate, view.speeds, SX.zeros(view.speeds.numel(), 1))


def _element(net: Multibond, element: Element) -> None:
    if isinstance(element, Spring):
        _spring(net, element)
        return
    view, g = net.view, net.graph
    for k, load in enumerate(element.loads(view)):
        _load(net, load, element.name, k + 1)
    for k, (c, effort) in enumerate(element.efforts(view)):
        source = g.add(_source(net, f"{element.name}-effort{k + 1}", effort), group=c.owner.name, label=element.name)
        source.part = element.name
        g.bond(source, net.coordinate(c), kind=colour_of(c))


def _load(net: Multibond, load: Load, name: str, number: int) -> None:
    """Force and torque on a body, as effort sources in its axes."""
    view, g, body = net.view, net.graph, load.marker.body
    if not isinstance(body, Body):
        return
    R_body = view.body(body).R
    for kind, value, at in (
        ("translation", net.space.true(R_body.T @ load.force), lambda: net.hinge(load.marker)),
        ("rotation", net.space.axial(R_body.T @ load.torque), lambda: net.turning(body)),
    ):
        if not ca.simplify(value).is_zero():
            source = _source(net, f"{name}-{kind}{number}", ca.densify(value), value.numel())
            source.part = name
            g.bond(g.add(source, group=body.name, label=name), at(), kind=kind)


def _touch(net: Multibond, contact: Contact) -> None:
    """A place that may touch: efforts on the rate of its gap and on its slip, which the modes of contacts decide."""
    label, name = contact.name, contact.name.replace(".", "-")
    kind = "rotation" if contact.units[1] == "rad/s" else "translation"
    forces = [("normal", contact.speed, contact.normal)] if contact.opens else []
    forces += [(f"friction{k + 1}", contact.slip[k], x) for k, x in enumerate(ca.vertsplit(contact.tangential))]
    for word, rate, force in forces:
        feeds, _ = _by_bodies(net, rate)
        at = net.combined(f"{name}-{word}", feeds, kind, label, label=label)
        source = net.graph.add(MSe(f"{name}-{word}-MSe", force, 1), group=label, label=word)
        net.graph.bond(source, at, kind=kind)


def _ports(net: Multibond, contributions: Contributions) -> None:
    """What components with ports do to the mechanism: efforts on coordinates, loads on bodies."""
    if contributions.network is not None:
        networks(net, contributions.network)
    numbers: dict[str, int] = {}
    for owner, load in contributions.loads:
        if isinstance(net.model.components.get(owner), PortComponent):
            numbers[owner] = numbers.get(owner, 0) + 1
            _load(net, load, owner, numbers[owner])


def _spring(net: Multibond, spring: Spring) -> None:
    """The elongation's rate is u·(v_B − v_A): a C and an R on its 1-junction."""
    view, g = net.view, net.graph
    length, _, u = spring._state(view)
    feeds = []
    for marker, sign in ((spring.b, 1), (spring.a, -1)):
        if isinstance(marker.body, Body):
            along = net.space.true(view.body(marker.body).R.T @ u).T
            feeds.append(Feed(net.hinge(marker), sign * along))
    at = net.combined(f"{spring.name}-elongation", feeds, "translation", spring.name, label=spring.name)
    parts: list[C | R] = []
    if not SX(spring.stiffness).is_zero():
        parts.append(C(f"{spring.name}-C", SX(spring.stiffness), displacement=length - spring.length))
    if not SX(spring.damping).is_zero():
        parts.append(R(f"{spring.name}-R", lambda f: SX(spring.damping) * f))
    for part in parts or [R(f"{spring.name}-R", lambda f: 0 * f)]:
        g.bond(at, g.add(part, group=spring.name, label="k" if part.symbol == "C" else "d"), kind="translation")
