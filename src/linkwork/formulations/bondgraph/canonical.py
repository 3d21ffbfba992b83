"""The canonical junction structure (ACA section 2): a body is a 1-junction of its twist, a constraint a 0-junction.

The same mechanism with one multibond per port, twist and wrench in one: transformers carry a body's twist to its frame,
the 0-junction subtracts the two, and the relative twist's 1-junction holds the flow constraints (blocked directions)
and the effort constraints (free directions, with their laws).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi as ca

from linkwork.bondgraph.elements import EulerGyrator, I, Junction, Se
from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.core.component import Marker
from linkwork.core.equations import Equations
from linkwork.formulations.bondgraph import lagrange
from linkwork.formulations.bondgraph.net import Feed, Multibond
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


def formulate(model: Model, **options: Any) -> Equations:
    """As `lagrange`, with this junction structure."""
    return lagrange.formulate(model, structure=CanonicalMultibond, **options)


class CanonicalMultibond(Multibond):
    """Twists are (velocity of the mass centre in world axes, rotation in body axes), as the view's speeds are."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._turning: dict[str, Junction] = {}

    def body(self, body: Body) -> None:
        g, name, size = self.graph, body.name, self.nt + self.nr
        twist = g.junction(f"{name}-twist", 1, group=name, label=f"twist {name}")
        self.rotation[name] = self.translation[name] = twist
        mass = ca.diagcat(body.mass * SX.eye(self.nt), SX(body.inertia))
        store = g.add(I(f"{name}-I", mass, size), group=name, label="m, J")
        g.bond(twist, store)
        if not self.planar:
            gyrator = EulerGyrator(f"{name}-EJS", size=size, inertia=store.name)
            g.bond(twist, g.add(gyrator, group=name, label="ω×J"))
        weight = ca.vertcat(*(body.mass * c for c in self.model.gravity), SX(self.nr, 1))
        if not ca.simplify(weight).is_zero():
            g.bond(g.add(Se(f"{name}-weight", ca.densify(weight), size), group=name, label="m g"), twist)

    def inertias(self) -> list[str]:
        return [*(f"{b.name}-I" for b in self.view.bodies), *(f"{v.name}-MSf" for v in self.view.variables)]

    def known_flows(self) -> dict[str, SX]:
        return {f"{body.name}-I": self.view.v[self.view.slice(body)] for body in self.view.bodies}

    def rotation_of(self, body: Body) -> SX:
        """Which part of the twist is rotation."""
        return ca.horzcat(SX(self.nr, self.nt), SX.eye(self.nr))

    def turning(self, body: Body) -> Junction:
        feeds = [Feed(self.translation[body.name], self.rotation_of(body))]
        if body.name not in self._turning:
            self._turning[body.name] = self.combined(f"{body.name}-rotation", feeds, "rotation", body.name, label="ω")
        return self._turning[body.name]

    def by_speeds(self, body: Body, modulus: SX) -> list[Feed]:
        return [Feed(self.translation[body.name], modulus)] if modulus.nnz() else []

    def hinge(self, marker: Marker) -> Junction:
        if marker not in self._hinges:
            name = f"{marker.body.name}-point{len(self._hinges) + 1}"
            feeds = [self.hinge_of(marker)]
            self._hinges[marker] = self.combined(name, feeds, "translation", marker.body.name, label="point")
        return self._hinges[marker]

    def hinge_of(self, marker: Marker) -> Feed:
        """A point's velocity in body axes, straight from the twist."""
        R = self.space.on_true(self.view.body(marker.body).R.T)
        return Feed(self.translation[marker.body.name], ca.horzcat(R, self.arm(marker.local.p)))

    def relative(self, joint: Joint) -> tuple[Junction, Junction]:
        """One junction for both: (velocity, rotation) of N seen from M in the axes of M."""
        if joint.name not in self._relative:
            M, N = joint.first, joint.second
            frame = self.view.frame(M)
            feeds = []
            if isinstance(N.body, Body):
                to_M = frame.R.T @ self.view.body(N.body).R
                feeds.append(self._carried(N, self.space.on_true(to_M), self.space.on_axial(to_M)))
            if isinstance(M.body, Body):
                local = M.local.R.T
                p = frame.R.T @ (self.view.frame(N).p - frame.p)
                first = self._carried(M, self.space.on_true(local), self.space.on_axial(local))
                turned = ca.vertcat(self.arm(p), SX(self.nr, self.nr)) @ self.space.on_axial(local)
                first.modulus += turned @ self.rotation_of(M.body)
                feeds.append(Feed(first.junction, -first.modulus))
            at = self.combined(f"{joint.name}-relative", feeds, "", joint.name, label="relative twist")
            self._relative[joint.name] = (at, at)
        return self._relative[joint.name]

    def _carried(self, marker: Marker, along: SX, about: SX) -> Feed:
        """The twist of a frame, turned into other axes, as a share of its body's."""
        there = self.hinge_of(marker)
        return Feed(there.junction, ca.vertcat(along @ there.modulus, about @ self.rotation_of(marker.body)))

    def along_twist(self, joint: Joint, by_velocity: SX, by_rotation: SX) -> list[Feed]:
        at, _ = self.relative(joint)
        return [Feed(at, ca.horzcat(by_velocity, by_rotation))]
