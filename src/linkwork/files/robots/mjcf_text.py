"""Model → MJCF: bodies, hinges, slides, ball and free joints, loops as equalities, gears, springs, dampers, limits."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np

from linkwork.components.free_joint import Free as FreeJoint
from linkwork.components.joint import Joint
from linkwork.components.joints import Fixed, Prismatic, Revolute, Spherical
from linkwork.components.laws import Damper, Limits, Spring
from linkwork.components.relations import Gear
from linkwork.core.errors import ModelError
from linkwork.core.model import Model
from linkwork.files.robots.chain import Carried, Chain, Numbers, chain_of, inertia_of, laws_of, refuse
from linkwork.files.robots.tree import Placement
from linkwork.files.robots.urdf_text import row

APART = 0.1
"""Distance [m] along the axis of a revolute joint at which its two points are."""
TYPES = {Revolute: "hinge", Prismatic: "slide", Spherical: "ball", FreeJoint: "free"}


def text(model: Model) -> str:
    """The whole file; what MJCF cannot hold is an error that names it."""
    numbers = Numbers(model)
    chain = chain_of(model, numbers, (Gear,), "MJCF")
    gravity = [numbers.one(g, model.name) for g in model.gravity]
    head = [f"<mujoco model={quoteattr(model.name)}>", '  <compiler angle="radian" inertiafromgeom="false"/>']
    lines = [*head, f'  <option gravity="{row(gravity)}"/>', "  <worldbody>", *_inside("ground", chain, numbers, 2)]
    return "\n".join([*lines, "  </worldbody>", *_equalities(chain, numbers), "</mujoco>", ""])


def _inside(name: str, chain: Chain, numbers: Numbers, depth: int) -> list[str]:
    """Sites where loops close, and the bodies that this one carries."""
    indent = "  " * depth
    lines = [f"{indent}{site}" for site in _sites(name, chain, numbers)]
    for child, carried in chain.bodies.items():
        if carried.parent != name or child == "ground":
            continue
        lines.append(f"{indent}<body name={quoteattr(child)} {_place(carried.place)}>")
        lines += [f"{indent}  {line}" for line in _joint(carried, numbers)]
        mass, I, place = inertia_of(carried, numbers)
        full = row(_turned(I, place.R))
        lines.append(f'{indent}  <inertial pos="{row(place.p)}" mass="{mass!r}" fullinertia="{full}"/>')
        lines += _inside(child, chain, numbers, depth + 1)
        lines.append(f"{indent}</body>")
    return lines


def _turned(I: np.ndarray, R: np.ndarray) -> list[float]:
    """Moments in the axes of the frame: MJCF's fullinertia has no orientation of its own."""
    J = R @ I @ R.T
    return [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]


def _place(place: Placement) -> str:
    return f'pos="{row(place.p)}" xyaxes="{row(place.R[:, :2].T)}"'


def _joint(carried: Carried, numbers: Numbers) -> list[str]:
    joint = carried.joint
    if joint is None:
        return ["<freejoint/>"]
    if isinstance(joint, Fixed):
        return []
    kind = next((word for cls, word in TYPES.items() if isinstance(joint, cls)), None)
    if kind is None or (kind == "free" and (carried.sign < 0 or carried.parent != "ground")):
        refuse(joint, "MJCF")
    laws = laws_of(joint, (Spring, Damper, Limits), "MJCF")
    words = [f"<joint name={quoteattr(joint.name)}", f'type="{kind}"']
    if kind in ("hinge", "slide"):
        words.append(f'axis="{row(carried.axis)}"')
    if Damper in laws:
        words.append(f'damping="{numbers.one(laws[Damper].damping, joint.name)!r}"')
    if Spring in laws:
        stiffness, rest = (numbers.one(getattr(laws[Spring], w), joint.name) for w in ("stiffness", "rest"))
        words.append(f'stiffness="{stiffness!r}" springref="{rest!r}"')
    if Limits in laws:
        low, high = laws[Limits].lower, laws[Limits].upper
        if low is None or high is None:
            raise ModelError("has one limit only.", component=joint.name, remedy="MJCF has two.")
        words.append(f'range="{row([numbers.one(x, joint.name) for x in (low, high)])}"')
    return [" ".join(words) + "/>"]


def _equalities(chain: Chain, numbers: Numbers) -> list[str]:
    lines = [line for joint in chain.loops for line in _closed(joint)]
    for gear in chain.gears:
        said = gear.__dict__["_said"].arguments
        ratio, phase = (numbers.one(said.get(w, 0.0), gear.name) for w in ("ratio", "phase"))
        pair = f"joint1={quoteattr(gear.driven.owner.name)} joint2={quoteattr(gear.driver.owner.name)}"
        lines.append(f'    <joint {pair} polycoef="{row([phase, ratio, 0, 0, 0])}"/>')
    return ["  <equality>", *lines, "  </equality>"] if lines else []


def _ends(joint: Joint) -> list[tuple[str, tuple[float, float, float]]]:
    """Points that stay together: (ending of the name of their sites, place in the joint's frames)."""
    if isinstance(joint, Spherical):
        return [("", (0.0, 0.0, 0.0))]
    if isinstance(joint, Revolute):  # two points of its axis
        return [("-low", (0.0, 0.0, -APART)), ("-high", (0.0, 0.0, APART))]
    raise ModelError(
        f"closes a loop as a {type(joint).__name__}.",
        component=joint.name,
        remedy="MJCF closes loops where points stay together: use m.spherical or m.revolute there, or save as .toml.",
    )


def _sites(name: str, chain: Chain, numbers: Numbers) -> list[str]:
    lines = []
    for joint in chain.loops:
        for which, marker in enumerate(joint.markers()):
            if marker.body.name != name:
                continue
            frame = chain.bodies[name].frame.inverse() @ numbers.placement(marker)
            for ending, place in _ends(joint):
                p = frame.p + frame.R @ np.array(place)
                lines.append(f'<site name={quoteattr(f"{joint.name}{ending}-{which + 1}")} pos="{row(p)}"/>')
    return lines


def _closed(joint: Joint) -> list[str]:
    lines = []
    for ending, _ in _ends(joint):
        sites = " ".join(f"site{k}={quoteattr(f'{joint.name}{ending}-{k}')}" for k in (1, 2))
        lines.append(f"    <connect name={quoteattr(joint.name + ending)} {sites}/>")
    return lines
