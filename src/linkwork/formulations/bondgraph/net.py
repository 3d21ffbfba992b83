"""From a mechanism to its multibond graph: rigid bodies (BND figure 2), joints (figure 4), laws and forces.

Rotational flows are in body axes, translational ones in world axes at the inertias and in body axes at the hinges, as
in the paper. A joint compares the twists of its two frames in the axes of the first; transformers pick the components
that are free (coordinates, where laws act) and those that are blocked. Moduli are expressions of the view the graph is
built on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from linkwork.bondgraph.elements import MTF, TF, C, Constraint, EulerGyrator, I, Junction, MSf, R, Se, Sf, column
from linkwork.bondgraph.graph import BondGraph
from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint, JointCoordinate
from linkwork.components.variables import Variable
from linkwork.core.component import Marker
from linkwork.core.equations import Row
from linkwork.formulations.maximal_view import MaximalView, some_rotations
from linkwork.formulations.relative_twist import closure_in_joint, rates_by_twist
from linkwork.geometry import SX, Number

Softness = Mapping[Row, tuple[float, float]]


@dataclass
class Feed:
    """A share of a flow: modulus times the flow of a junction."""

    junction: Junction
    modulus: SX


@dataclass
class Blocked:
    """Where a constraint row is in the graph: which element, which of its components."""

    element: str
    index: int
    spring: str | None = None
    """The C beside it, where it is soft: the element itself is the R then."""


@dataclass
class Multibond:
    """The graph, and where its parts are."""

    view: MaximalView
    joints: str = "lagrange"
    """How blocked flows are enforced: "lagrange" (efforts) or "ideal" (flow sources); soft rows are always R/C."""
    softness: Softness = field(default_factory=dict)
    opened: tuple[str, ...] = ()
    """Flow sources that are efforts all the same."""
    graph: BondGraph = field(init=False)
    blocked: dict[Row, Blocked] = field(default_factory=dict)
    coordinates: dict[Coordinate, Junction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model = self.view.model
        self.planar, self.space = self.view.planar, self.view.space
        self.nr, self.nt = self.space.about, self.space.along
        self.graph = BondGraph(self.model.name)
        self.graph.t = self.view.t
        self.graph.parameters, self.graph.inputs = dict(self.model.parameters), dict(self.model.inputs)
        self.rotation: dict[str, Junction] = {}
        self.translation: dict[str, Junction] = {}
        self._velocity: dict[str, Junction] = {}
        self._values = some_rotations(self.view)
        self._hinges: dict[Marker, Junction] = {}
        self.wanted: dict[str, SX] = {}
        """What the flow of each blocking element should be."""
        self._relative: dict[str, tuple[Junction, Junction]] = {}

    def arm(self, r: SX) -> SX:
        """Ω × r as a matrix on Ω."""
        return -ca.skew(r)[list(self.space.true_axes), list(self.space.axial_axes)]

    # bodies

    def body(self, body: Body) -> None:
        """Figure 2: I and Eulerian junction structure in body axes, I and weight in world axes."""
        g, name = self.graph, body.name
        self.rotation[name] = turning = g.junction(f"{name}-rotation", 1, group=name, label=f"ω {name}")
        self.translation[name] = moving = g.junction(f"{name}-translation", 1, group=name, label=f"v {name}")
        inertia = g.add(I(f"{name}-J", SX(body.inertia), self.nr), group=name, label="J")
        g.bond(turning, inertia, kind="rotation")
        if not self.planar:
            gyrator = g.add(EulerGyrator(f"{name}-EJS", inertia=inertia.name), group=name, label="ω×J")
            g.bond(turning, gyrator, kind="rotation")
        g.bond(moving, g.add(I(f"{name}-m", SX(body.mass), self.nt), group=name, label="m"), kind="translation")
        weight = ca.vertcat(*(body.mass * c for c in self.model.gravity))
        if not ca.simplify(weight).is_zero():
            g.bond(g.add(Se(f"{name}-weight", weight, self.nt), group=name, label="m g"), moving, kind="translation")

    def variable(self, variable: Variable) -> None:
        """A generalised coordinate: a flow source at its rate, whose effort must vanish, as there is no such source."""
        name, kind = variable.name, colour_of(variable)
        at = self.graph.junction(f"{name}-rate", 1, group=name, label=name)
        self.graph.bond(self.graph.add(MSf(f"{name}-MSf", variable.rate), group=name, label="u"), at, kind=kind)
        self.coordinates[variable] = at

    def inertias(self) -> list[str]:
        """The inertias, and what stands for those of variables, in the order of the view's speeds."""
        bodies = [name for body in self.view.bodies for name in (f"{body.name}-m", f"{body.name}-J")]
        return bodies + [f"{v.name}-MSf" for v in self.view.variables]

    def known_flows(self) -> dict[str, SX]:
        """Flows of the inertias: the speeds of the view."""
        flows = {}
        for body in self.view.bodies:
            v = self.view.v[self.view.slice(body)]
            flows[f"{body.name}-m"], flows[f"{body.name}-J"] = v[: self.nt], v[self.nt :]
        return flows

    def turning(self, body: Body) -> Junction:
        """The body's rotation, in body axes."""
        return self.rotation[body.name]

    def by_speeds(self, body: Body, modulus: SX) -> list[Feed]:
        """A share of all speeds of a body, in the order of the view."""
        parts = [
            Feed(self.translation[body.name], modulus[:, : self.nt]),
            Feed(self.rotation[body.name], modulus[:, self.nt :]),
        ]
        return [f for f in parts if f.modulus.nnz()]

    def by_rates(self, rate: SX) -> list[Feed]:
        """Shares of joint rates that are speeds of the view: none here."""
        return []

    def velocity(self, body: Body) -> Junction:
        """The mass centre's velocity in body axes: (4)."""
        if body.name not in self._velocity:
            name = body.name
            self._velocity[name] = self.combined(
                f"{name}-velocity",
                [Feed(self.translation[name], self.space.on_true(self.view.body(body).R.T))],
                "translation",
                name,
                label="v in body axes",
            )
        return self._velocity[body.name]

    def hinge(self, marker: Marker) -> Junction:
        """A point's velocity in body axes: (3)."""
        if marker not in self._hinges:
            body, r = marker.body, ca.simplify(marker.local.p)
            centre = self.velocity(body)
            if r.is_zero():
                self._hinges[marker] = centre
            else:
                n = sum(m.body is body for m in self._hinges) + 1
                self._hinges[marker] = self.combined(
                    f"{body.name}-point{n}",
                    [
                        Feed(centre, SX.eye(self.nt)),
                        Feed(self.rotation[body.name], self.arm(marker.local.p)),
                    ],
                    "translation",
                    body.name,
                    label=f"point {n}",
                )
        return self._hinges[marker]

    def combined(self, name: str, feeds: Sequence[Feed], kind: str, group: str, label: str = "") -> Junction:
        """A 1-junction whose flow is the sum of the feeds: by transformers, and a 0-junction if there are several."""
        g = self.graph
        feeds = _acting(feeds)
        if len(feeds) == 1 and _is_identity(feeds[0].modulus):
            return feeds[0].junction
        target = g.junction(name, 1, group=group, label=label)
        self.give(name, target, feeds, kind)
        return target

    def give(self, name: str, target: Junction, feeds: Sequence[Feed], kind: str) -> None:
        """Make the sum of the feeds the flow of a 1-junction."""
        g, group, feeds = self.graph, target.group, _acting(feeds)
        if not feeds:
            size = self.nr if kind == "rotation" else self.nt
            g.bond(g.add(Sf(f"{name}-rest", 0.0, size), group=group, label="0"), target, kind=kind)
            return
        into = target if len(feeds) == 1 else g.junction(f"{name}-sum", 0, group=group, label="")
        for k, feed in enumerate(feeds):
            own = _kind_of(self, feed.junction, kind)
            if _is_identity(feed.modulus):
                g.bond(feed.junction, into, kind=own)
            elif into is not target and _is_identity(-feed.modulus):
                g.bond(into, feed.junction, kind=own)
            else:
                tf = self._transformer(f"{name}-{k + 1}", feed.modulus, group)
                g.bond(feed.junction, (tf, 0), kind=own)
                g.bond((tf, 1), into, kind=kind)
        if into is not target:
            g.bond(into, target, kind=kind)

    def _transformer(self, name: str, modulus: SX, group: str) -> TF:
        known = ca.symvar(modulus)
        constant = not known or not ca.depends_on(modulus, ca.vertcat(self.view.t, self.view.config))
        tf: TF = (TF if constant else MTF)(f"{name}-{'TF' if constant else 'MTF'}", ca.densify(modulus))
        tf.orthogonal = tf.invertible = modulus.shape[0] == modulus.shape[1] and _is_rotation(modulus, self._values)
        return self.graph.add(tf, group=group, label="")

    # joints

    def tree_joints(self) -> None:
        """Joints whose rates are coordinates of the view: none here."""

    def relative(self, joint: Joint) -> tuple[Junction, Junction]:
        """Relative velocity and rotation of N seen from M, in the axes of M: (5)–(7)."""
        if joint.name in self._relative:
            return self._relative[joint.name]
        M, N = joint.first, joint.second
        RM = self.view.frame(M).R
        turn: list[Feed] = []
        move: list[Feed] = []
        if isinstance(N.body, Body):
            to_M = RM.T @ self.view.body(N.body).R
            turn.append(Feed(self.rotation[N.body.name], self.space.on_axial(to_M)))
            move.append(Feed(self.hinge(N), self.space.on_true(to_M)))
        if isinstance(M.body, Body):
            local = M.local.R.T
            turn.append(Feed(self.rotation[M.body.name], -self.space.on_axial(local)))
            move.append(Feed(self.hinge(M), -self.space.on_true(local)))
            p = RM.T @ (self.view.frame(N).p - self.view.frame(M).p)
            move.append(Feed(self.rotation[M.body.name], -self.arm(p) @ self.space.on_axial(local)))
        name = joint.name
        turning = self.combined(f"{name}-rotation", turn, "rotation", name, label="ω rel")
        moving = self.combined(f"{name}-translation", move, "translation", name, label="v rel")
        self._relative[name] = moving, turning
        return self._relative[name]

    def along_twist(self, joint: Joint, by_velocity: SX, by_rotation: SX) -> list[Feed]:
        moving, turning = self.relative(joint)
        return [Feed(turning, by_rotation), Feed(moving, by_velocity)]

    def coordinate(self, c: Coordinate) -> Junction:
        """The 1-junction of a coordinate's rate, made when something acts there."""
        if c not in self.coordinates:
            assert isinstance(c, JointCoordinate)
            by_velocity, by_rotation = rates_by_twist(self.view, c.joint, c.joint.measure)
            feeds = self.along_twist(c.joint, by_velocity[c.index, :], by_rotation[c.index, :])
            kind = colour_of(c)
            label = f"{c.joint.name}.{c.label}"
            self.coordinates[c] = self.combined(f"{c.joint.name}-{c.label}", feeds, kind, c.joint.name, label=label)
        return self.coordinates[c]

    def joint(self, joint: Joint) -> None:
        """The blocked directions of a joint, those of one kind on one vector bond (C1)."""
        if _is_free(joint, self.view):
            return
        by_velocity, by_rotation = rates_by_twist(self.view, joint, joint.closure)
        rows = closure_in_joint(self.view, joint)
        kept = [not SX(x).is_constant() for x in joint.rows(self.view)]
        kinds: dict[tuple[str, bool], list[int]] = {}
        for k in (k for k in range(len(rows)) if kept[k]):
            mixed = [m[k, :].nnz() > 0 and not ca.simplify(m[k, :]).is_zero() for m in (by_rotation, by_velocity)]
            kind = "rotation" if mixed == [True, False] else "translation"
            soft = self._row(joint.name, k) in self.softness
            kinds.setdefault(("both" if all(mixed) else kind, soft), []).append(k)
        for (kind, soft), mine in kinds.items():
            feeds = self.along_twist(joint, by_velocity[mine, :], by_rotation[mine, :])
            suffix = f"{joint.name}-blocked-{kind}" + ("-soft" if soft else "")
            at = self.combined(suffix, feeds, "rotation" if kind == "rotation" else "translation", joint.name)
            names = [self._row(joint.name, k) for k in mine]
            self.block(suffix, at, names, ca.vertcat(*(rows[k] for k in mine)), joint.name, kind)

    @staticmethod
    def _row(owner: str, k: int) -> Row:
        return Row(owner, f"equation {k + 1}")

    def block(
        self, name: str, at: Junction, rows: list[Row], position: SX, group: str, kind: str, value: Number = 0.0
    ) -> None:
        """Keep a flow at `value`: ideally, by an effort, or by springs and dampers (BND's L element)."""
        g, n = self.graph, len(rows)
        spring: C | None = None
        kind = kind if kind == "rotation" else "translation"
        if rows[0] in self.softness:
            k, d = zip(*(self.softness[r] for r in rows), strict=True)
            at, value = self._beyond(name, at, value, n, kind), 0.0
            if position.numel():
                spring = g.add(C(f"{name}-C", list(k), n, displacement=position), group=group, label="1/k")
                spring.holds = group
                g.bond(at, spring, kind=kind)
            element: R | Sf | Constraint = g.add(R(f"{name}-R", list(d), n), group=group, label="d")
            g.bond(at, element, kind=kind)
        elif self.joints == "ideal" and f"{name}-Sf" not in self.opened:
            element = g.add(Sf(f"{name}-Sf", value, n), group=group, label="0" if SX(value).is_zero() else "drive")
            g.bond(at, element, kind=kind)
        else:
            element = g.add(Constraint(f"{name}-MSe", value, n), group=group, label="λ")
            g.bond(at, element, kind=kind)
        for i, row in enumerate(rows):
            self.blocked[row] = Blocked(element.name, i, None if spring is None else spring.name)
        self.wanted[element.name] = column(value, n, name)

    def _beyond(self, name: str, at: Junction, value: object, size: int, kind: str) -> Junction:
        """Where the flow beyond an imposed one is, so that springs store and dampers lose no power of the drive."""
        imposed = column(value, size, name)
        if imposed.is_zero():
            return at
        g, group = self.graph, at.group
        apart = g.junction(f"{name}-difference", 0, group=group, label="")
        beyond = g.junction(f"{name}-beyond", 1, group=group, label="")
        g.bond(at, apart, kind=kind)
        g.bond(apart, beyond, kind=kind)
        g.bond(apart, g.add(Sf(f"{name}-Sf", imposed, size), group=group, label="drive"), kind=kind)
        return beyond


def colour_of(c: Coordinate) -> str:
    """The kind of bond that a coordinate's rate is on."""
    return "rotation" if c.is_angle else "translation"


def _acting(feeds: Sequence[Feed]) -> list[Feed]:
    return [f for f in feeds if f.modulus.nnz() and not ca.simplify(f.modulus).is_zero()]


def _is_free(joint: Joint, view: MaximalView) -> bool:
    return all(SX(row).is_constant() for row in joint.rows(view))


def _is_identity(m: SX) -> bool:
    return m.shape[0] == m.shape[1] and ca.simplify(ca.densify(m) - SX.eye(m.shape[0])).is_zero()


def _kind_of(net: Multibond, junction: Junction, default: str) -> str:
    """Rotation or translation, by what else is on the junction."""
    bonds = net.graph.bonds_of(junction)
    return bonds[0].kind if bonds else default


def _is_rotation(m: SX, values: dict[str, float]) -> bool:
    """Whether a square modulus is a coordinate transformation: probed at random rotations of all bodies."""
    if m.shape == (1, 1):
        return bool(m.is_constant() and abs(abs(float(m)) - 1) < 1e-12)
    symbols = ca.symvar(m)
    f = ca.Function("m", [ca.vertcat(SX(0, 1), *symbols)], [ca.densify(m)])
    sample = np.array(f([values.get(s.name(), 0.3 + 0.1 * (k % 7)) for k, s in enumerate(symbols)]))
    return bool(np.allclose(sample @ sample.T, np.eye(m.shape[0]), atol=1e-9))
