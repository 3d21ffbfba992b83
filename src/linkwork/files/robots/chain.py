"""A model as a tree of bodies, for files of others: bodies with the joints that carry them, and what closes loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Particle, Solid
from linkwork.components.joint import Joint
from linkwork.components.laws import Law
from linkwork.components.points import Point
from linkwork.components.relations import Gear
from linkwork.core.component import Component, Marker
from linkwork.core.errors import ModelError
from linkwork.core.model import Model
from linkwork.files.robots.tree import STILL, Placement
from linkwork.geometry import SX

MAIN = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass
class Carried:
    """A body and the joint that carries it; None: it floats.

    frame: of the joint on the body, in body axes; place: of the joint on the parent, in the parent's frame; sign: −1
    where the body is the first one of its joint.
    """

    body: Solid
    joint: Joint | None = None
    parent: str = "ground"
    frame: Placement = STILL
    place: Placement = STILL
    sign: float = 1.0

    @property
    def axis(self) -> list[float]:
        """Of the joint, in its frame."""
        assert self.joint is not None
        return [self.sign * x for x in MAIN[self.joint.main]]


@dataclass
class Chain:
    """The tree of a model by names of bodies, parents first; loops: joints that close one; gears: of coordinates."""

    bodies: dict[str, Carried] = field(default_factory=dict)
    loops: list[Joint] = field(default_factory=list)
    gears: list[Gear] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)


class Numbers:
    """Numbers of expressions, at the defaults of parameters."""

    def __init__(self, model: Model):
        self._p = ca.vertcat(SX(0, 1), *model.symbols(model.parameters))
        self._values = list(model.parameters.values())

    def __call__(self, x: Any, owner: str) -> np.ndarray:
        try:
            return np.array(ca.Function("x", [self._p], [ca.densify(SX(x))])(self._values))
        except RuntimeError:
            raise ModelError(
                "depends on more than parameters.", component=owner, remedy="Such a file holds numbers only."
            ) from None

    def one(self, x: Any, owner: str) -> float:
        return float(self(x, owner).item())

    def placement(self, marker: Marker) -> Placement:
        pose = marker.local
        return Placement(self(pose.p, marker.body.name).ravel(), self(pose.R, marker.body.name))


def chain_of(model: Model, numbers: Numbers, taken: tuple[type, ...], kind: str) -> Chain:
    """The tree of a spatial model; what is neither a body nor a joint, point or one of `taken` is refused."""
    if model.is_planar:
        raise ModelError("is planar.", component=model.name, remedy=f"{kind} files hold spatial models.")
    chain, joints = Chain(), []
    for component in model.components.values():
        if isinstance(component, Particle) or not isinstance(component, (Solid, Joint, Point, *taken)):
            refuse(component, kind)
        if isinstance(component, Joint):
            joints.append(component)
        elif isinstance(component, Gear):
            chain.gears.append(component)
        elif isinstance(component, Point):
            chain.points.append(component)
    bodies = [c for c in model.components.values() if isinstance(c, Body)]
    chain.bodies["ground"] = Carried(model.ground)
    waiting = list(joints)
    while waiting:
        ready = [j for j in waiting if any(m.body.name in chain.bodies for m in j.markers())]
        if not ready:
            floating = next(b for b in bodies if b.name not in chain.bodies)
            chain.bodies[floating.name] = Carried(floating, place=_start(floating, numbers))
            continue
        joint = ready[0]
        waiting.remove(joint)
        _carry(chain, joint, numbers)
    for body in bodies:
        if body.name not in chain.bodies:
            chain.bodies[body.name] = Carried(body, place=_start(body, numbers))
    return chain


def _start(body: Body, numbers: Numbers) -> Placement:
    pose = body.start_pose()
    return Placement(numbers(pose.p, body.name).ravel(), numbers(pose.R, body.name))


def _carry(chain: Chain, joint: Joint, numbers: Numbers) -> None:
    M, N = joint.markers()
    known = [m.body.name in chain.bodies for m in (M, N)]
    if all(known):
        chain.loops.append(joint)
        return
    parent, child = (M, N) if known[0] else (N, M)
    above = chain.bodies[parent.body.name]
    place = above.frame.inverse() @ numbers.placement(parent)
    sign = 1.0 if known[0] else -1.0
    body: Any = child.body
    chain.bodies[body.name] = Carried(body, joint, parent.body.name, numbers.placement(child), place, sign)


def refuse(component: Component, kind: str) -> NoReturn:
    """Say that a file cannot hold something."""
    raise ModelError(
        f"is a {type(component).__name__}, which {kind} files do not hold.",
        component=component.name,
        remedy="Save the model as .toml, or take it out.",
    )


def laws_of(joint: Joint, taken: tuple[type[Law], ...], kind: str) -> dict[type[Law], Any]:
    """Laws of a joint with one coordinate, by class; dampers and the like add up to one only if they are alone."""
    by_class: dict[type[Law], Any] = {}
    for coordinate in joint.coordinates:
        for law in coordinate.laws:
            plain = len(joint.coordinates) == 1 and type(law) in taken and type(law) not in by_class
            if not plain:
                raise ModelError(
                    f"has the law {type(law).__name__}, which {kind} files do not hold here.",
                    component=coordinate.name,
                    remedy="Save the model as .toml, or take it off.",
                )
            by_class[type(law)] = law
    return by_class


def inertia_of(carried: Carried, numbers: Numbers) -> tuple[float, np.ndarray, Placement]:
    """Mass, matrix in body axes, and where the body's axes are in its frame."""
    body: Any = carried.body
    matrix = numbers(body.inertia, body.name)
    return numbers.one(body.mass, body.name), matrix, carried.frame.inverse()
