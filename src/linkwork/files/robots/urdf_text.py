"""Model → URDF: trees of revolute, prismatic, fixed and free joints, with dampers, friction, limits and gears."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np

from linkwork.components import shapes
from linkwork.components.bodies import read_rotation
from linkwork.components.free_joint import Free as FreeJoint
from linkwork.components.joints import Fixed, Prismatic, Revolute
from linkwork.components.laws import Damper, Friction, Limits
from linkwork.components.relations import Gear
from linkwork.core.errors import ModelError
from linkwork.core.model import Model
from linkwork.files.robots.chain import Carried, Chain, Numbers, chain_of, inertia_of, laws_of, refuse
from linkwork.files.robots.tree import Placement

TYPES = {Revolute: "revolute", Prismatic: "prismatic", Fixed: "fixed", FreeJoint: "floating"}
LARGE = 1e30
"""Effort and velocity of a drive that has no limits."""


def text(model: Model) -> str:
    """The whole file; what URDF cannot hold is an error that names it."""
    numbers = Numbers(model)
    chain = chain_of(model, numbers, (Gear,), "URDF")
    if chain.loops:
        loop = chain.loops[0]
        raise ModelError(
            "closes a loop.", component=loop.name, remedy="URDF holds trees: save as .xml (MJCF) or .toml."
        )
    gravity = [numbers.one(g, model.name) for g in model.gravity]
    if gravity != [0, 0, -9.81]:
        raise ModelError(f"gravity is {gravity}.", component=model.name, remedy="URDF means (0, 0, -9.81).")
    lines = [f"<robot name={quoteattr(model.name)}>", '  <link name="ground"/>']
    for name, carried in chain.bodies.items():
        if name != "ground":
            lines += _link(carried, numbers)
            lines += _joint(carried, chain, numbers)
    return "\n".join(['<?xml version="1.0"?>', *lines, "</robot>", ""])


def row(values: object) -> str:
    """Numbers in one text, each read back as the same bits."""
    return " ".join(repr(float(x)) for x in np.ravel(np.asarray(values, dtype=float)))


def rpy(R: np.ndarray) -> list[float]:
    """Angles about the fixed axes x, y, z of a rotation."""
    pitch = float(np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])))
    if np.hypot(R[0, 0], R[1, 0]) > 1e-9:
        return [float(np.arctan2(R[2, 1], R[2, 2])), pitch, float(np.arctan2(R[1, 0], R[0, 0]))]
    return [0.0, pitch, float(np.arctan2(-R[0, 1], R[1, 1]))]


def _origin(place: Placement) -> str:
    return f'<origin xyz="{row(place.p)}" rpy="{row(rpy(place.R))}"/>'


def _link(carried: Carried, numbers: Numbers) -> list[str]:
    mass, I, place = inertia_of(carried, numbers)
    words = " ".join(f'i{"xyz"[i]}{"xyz"[j]}="{float(I[i, j])!r}"' for i in range(3) for j in range(i, 3))
    lines = [f"  <link name={quoteattr(carried.body.name)}>"]
    lines.append(f'    <inertial>{_origin(place)}<mass value="{mass!r}"/><inertia {words}/></inertial>')
    for shape in carried.body.shapes:
        look = _geometry(shape)
        if look is not None:
            there = place @ _placed(shape, numbers, carried.body.name)
            lines.append(f"    <visual>{_origin(there)}<geometry>{look}</geometry></visual>")
    return [*lines, "  </link>"]


def _placed(shape: shapes.Shape, numbers: Numbers, owner: str) -> Placement:
    R, _ = read_rotation(shape.rotation, owner)
    p = [*(numbers.one(x, owner) for x in shape.at), 0.0][:3]
    turned = {"x": [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], "y": [[1, 0, 0], [0, 0, 1], [0, -1, 0]]}
    along = np.array(turned.get(getattr(shape, "axis", "z"), np.eye(3)), dtype=float)
    return Placement(np.array(p), numbers(R, owner) @ (along if isinstance(shape, shapes.Cylinder) else np.eye(3)))


def _geometry(shape: shapes.Shape) -> str | None:
    """Boxes, cylinders, balls; others are not drawn."""
    if isinstance(shape, shapes.Box):
        return f'<box size="{row(shape.size)}"/>'
    if isinstance(shape, shapes.Cylinder):
        return f'<cylinder radius="{float(shape.radius)!r}" length="{float(shape.length)!r}"/>'
    return f'<sphere radius="{float(shape.radius)!r}"/>' if isinstance(shape, shapes.Sphere) else None


def _joint(carried: Carried, chain: Chain, numbers: Numbers) -> list[str]:
    joint, name = carried.joint, carried.body.name
    if joint is None:
        head = f'  <joint name={quoteattr(f"{name}-floating")} type="floating">'
        return [*_framed(head, carried), "  </joint>"]
    kind = next((word for cls, word in TYPES.items() if isinstance(joint, cls)), None)
    if kind is None:
        refuse(joint, "URDF")
    if kind == "floating" and carried.sign < 0:
        raise ModelError("its first body floats.", component=joint.name, remedy="Let the ground be the first one.")
    laws = laws_of(joint, (Damper, Friction, Limits), "URDF")
    limits = laws.get(Limits)
    if kind == "revolute" and limits is None:
        kind = "continuous"
    lines = _framed(f'  <joint name={quoteattr(joint.name)} type="{kind}">', carried)
    if kind in ("revolute", "continuous", "prismatic"):
        lines.append(f'    <axis xyz="{row(carried.axis)}"/>')
    if kind in ("revolute", "prismatic"):
        low, high = (-LARGE, LARGE) if limits is None else (limits.lower, limits.upper)
        low, high = (-LARGE if low is None else low), (LARGE if high is None else high)
        low, high = numbers.one(low, joint.name), numbers.one(high, joint.name)
        lines.append(f'    <limit lower="{low!r}" upper="{high!r}" effort="{LARGE!r}" velocity="{LARGE!r}"/>')
    damping = numbers.one(laws[Damper].damping, joint.name) if Damper in laws else 0.0
    friction = numbers.one(laws[Friction].coulomb, joint.name) if Friction in laws else 0.0
    if damping or friction:
        lines.append(f'    <dynamics damping="{damping!r}" friction="{friction!r}"/>')
    return [*lines, *_mimic(carried, chain, numbers), "  </joint>"]


def _framed(head: str, carried: Carried) -> list[str]:
    ends = f"<parent link={quoteattr(carried.parent)}/><child link={quoteattr(carried.body.name)}/>"
    return [head, f"    {_origin(carried.place)}{ends}"]


def _mimic(carried: Carried, chain: Chain, numbers: Numbers) -> list[str]:
    joint = carried.joint
    for gear in chain.gears:
        if gear.driven.owner is joint:
            said = gear.__dict__["_said"].arguments
            ratio, phase = (numbers.one(said.get(w, 0.0), gear.name) for w in ("ratio", "phase"))
            return [f'    <mimic joint={quoteattr(gear.driver.owner.name)} multiplier="{ratio!r}" offset="{phase!r}"/>']
    return []
