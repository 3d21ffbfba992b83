"""Forces along the tree, from the tips inwards: what each tree joint must carry (Newton and Euler)."""

from __future__ import annotations

from typing import Protocol

from linkwork.components.bodies import Body, Solid
from linkwork.core.component import Frame
from linkwork.formulations.tree import Link
from linkwork.geometry import SX, Wrench


class Carried(Protocol):
    """A view of bodies that a tree of joints carries."""

    @property
    def bodies(self) -> list[Body]: ...

    @property
    def links(self) -> list[Link]: ...

    def body(self, body: Solid) -> Frame: ...

    def slice(self, body: Body) -> slice: ...


def joint_wrenches(view: Carried, balance: SX) -> dict[str, Wrench]:
    """By body: what its tree joint puts on it, at its mass centre.

    balance: M V̇ − f of every body, all forces but those of tree joints in f, in the order of the view's speeds.
    """
    need = {body.name: Wrench.of_speeds(balance[view.slice(body)], view.body(body).R) for body in view.bodies}
    for link in reversed(view.links):
        parent = link.parent
        if parent.name in need:
            arm = view.body(link.body).p - view.body(parent).p
            need[parent.name] += need[link.body.name].moved(arm)
    return need
