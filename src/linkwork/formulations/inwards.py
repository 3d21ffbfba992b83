"""Forces along the tree, from the tips inwards: what each tree joint must carry (Newton and Euler)."""

from __future__ import annotations

from typing import Any

import casadi as ca

from linkwork.geometry import SX, cross


def joint_wrenches(view: Any, balance: SX) -> dict[str, tuple[SX, SX]]:
    """By body: force and moment at its mass centre (world axes) that its tree joint puts on it.

    balance: M V̇ − f of every body, all forces but those of tree joints in f, in the order of the view's speeds.
    """
    need: dict[str, tuple[SX, SX]] = {}
    for body in view.bodies:
        part = balance[view.slice(body)]
        if view.planar:
            need[body.name] = (ca.vertcat(part[0], part[1], 0), ca.vertcat(0, 0, part[2]))
        else:
            need[body.name] = (part[:3], view.body(body).R @ part[3:6])
    for link in reversed(view.links):
        parent = link.parent
        if parent.name in need:
            force, moment = need[link.body.name]
            f, m = need[parent.name]
            arm = view.body(link.body).p - view.body(parent).p
            need[parent.name] = (f + force, m + moment + cross(arm, force))
    return need
