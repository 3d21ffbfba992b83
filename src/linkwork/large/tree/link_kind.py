"""Kernels of one kind of link: the articulated-body recursion (Featherstone), cut into what one link does of it.

Between links go the numbers of bodies: twists (v, ω), accelerations and forces at mass centres, in body axes, the
pose of a body seen from the one that carries it, and articulated inertias, their lower triangles column by column.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from linkwork.formulations.articulated import crossed, inverse, motion_map, symmetric
from linkwork.formulations.body_coordinates import body_coordinates
from linkwork.formulations.recursion import child_marker, parent_marker
from linkwork.geometry import SX, Number, Pose, Twist, Wrench, as_vector
from linkwork.large.kernel import Entry, Kernel
from linkwork.large.kernels import Kind
from linkwork.large.slots import Unfit
from linkwork.large.tree.link import LinkPrototype


class LinkKind(Kind):
    """Links that share their kernels."""

    def __init__(self, prototype: LinkPrototype, name: str, fixed: Sequence[bool]):
        self.link, self.chart = prototype, prototype.chart
        self.of_body = body_coordinates(prototype.load.numel() == 3)
        self.space = self.of_body.space
        n, self.freedoms = self.space.size, self.chart.v.numel()
        self._couplings: dict[int, Kernel | None] = {}
        super().__init__(prototype, name, fixed)
        sizes = {
            "relative": self.of_body.config_size,
            "bias": n,
            "articulated": n * (n + 1) // 2,
            "force": n,
            "effort": self.freedoms,
            "projected": n * self.freedoms,
            "inverse": self.freedoms * (self.freedoms + 1) // 2,
            "drive": self.freedoms,
            "carrier acceleration": n,
        }
        known = self.of_body.symbols("relative")
        self.given = {word: SX.sym(word, size) for word, size in sizes.items()} | {"relative": known.config}
        for word, symbols in self.given.items():
            self.know(symbols, word)
        self.relative = Pose(known.frame.p, known.frame.R, known.frame.turn)

    def _refuse(self) -> None:
        eq = self.eq
        if any(event.action == "stop" for event, _ in eq.observation.events):
            raise Unfit(self.name, "it stops the run")
        if eq.algebraic.improved is not None or eq.contacts.places or eq.states.held or eq.contacts.push is not None:
            raise Unfit(self.name, "it is solved together with others")

    def _places(self) -> dict[int, Entry]:
        """Coordinates and speeds of what carries it are found by those of bodies, its own by those of its chart."""
        places = super()._places()
        carrier = self.link.carrier
        for k, s in enumerate(ca.vertsplit(self.chart.q)):
            places[s.element_hash()] = "link q", k
        for k, s in enumerate(ca.vertsplit(self.chart.v)):
            places[s.element_hash()] = "link v", k
        if carrier is not None:
            for k, s in enumerate(ca.vertsplit(carrier.q)):
                places[s.element_hash()] = "carrier q", k
            for k, s in enumerate(ca.vertsplit(carrier.v)):
                axis = int(carrier.S[:, k].sparsity().row()[0])
                places[s.element_hash()] = "carrier twist", self.space.rows.index(axis)
        for s in ca.vertsplit(self.eq.a):
            places.pop(s.element_hash(), None)
        for k, s in enumerate(ca.vertsplit(self.link.load)):
            places[s.element_hash()] = "load", k
        return places

    @property
    def gravity(self) -> Sequence[Number]:
        model = self.link.component.model
        assert model is not None
        return model.gravity

    @property
    def carried(self) -> bool:
        """Whether a body carries it, not the ground."""
        return self.link.carrier is not None

    @cached_property
    def onto(self) -> Pose:
        """The body seen from the joint's frame on it."""
        return child_marker(self.chart).inverse()

    @cached_property
    def S(self) -> SX:
        """Twist of the body relative to what carries it, per unit of each speed."""
        return ca.sparsify(motion_map(self.onto) @ self.chart.S)

    def _twist(self, column: SX) -> SX:
        """A twist at the joint's frame on the body, in its axes, at the mass centre."""
        return Twist.of_column(column).into(self.onto).column

    def _exists(self, column: SX) -> SX:
        """Of six components."""
        return ca.densify(column)[self.space.rows]

    # Outwards: motion ------------------------------------------------------------------------------------------------

    @cached_property
    def motion_sizes(self) -> dict[str, int]:
        """What `moving` gives."""
        q = 0 if self.follows else self.chart.q.numel()
        return {"relative": self.of_body.config_size, "twist": self.space.size, "bias": self.space.size, "qdot": q}

    @property
    def follows(self) -> bool:
        """Whether its coordinates change as its speeds say, with nothing between."""
        q, v = self.chart.qdot, self.chart.v
        return q.numel() == v.numel() and ca.is_equal(q, v, 1)

    @cached_property
    def moving(self) -> Kernel:
        """[pose seen from what carries it; twist; bias acceleration; q̇ of the chart]."""
        chart = self.chart
        relative = parent_marker(chart) @ chart.pose @ self.onto
        own = self._twist(chart.S @ chart.v + chart.drift)
        carrier = self.link.carrier
        before = SX(6, 1) if carrier is None else carrier.S @ carrier.v
        twist = Twist.of_column(before).into(relative).column + own
        bias = crossed(twist, own) + self._twist(chart.bias)
        qdot = SX(0, 1) if self.follows else chart.qdot
        parts = [self.of_body.configuration(relative), self._exists(twist), self._exists(bias), qdot]
        made = self.kernel("moving", self.alone(parts))
        assert made is not None
        return made

    @property
    def driven(self) -> list[SX]:
        """What of it may be given over time."""
        chart = self.chart
        return [ca.vec(x) for x in (chart.pose.p, chart.pose.R, chart.drift, chart.bias)]

    @cached_property
    def moved(self) -> Kernel | None:
        """q moved by a step, which stands where the chart's accelerations do."""
        step = SX.sym("step", self.freedoms)
        self.know(step, "link a")
        return self.kernel("moved", [self.chart.retract(self.chart.q, step)]) if self.chart.q.numel() else None

    @cached_property
    def efforts(self) -> Kernel | None:
        """[efforts along the chart's speeds; pushes on the bodies], None where there are none."""
        parts = self.alone([self.link.efforts, self.link.pushes])
        return None if ca.sparsify(ca.vertcat(*parts)).nnz() == 0 else self.kernel("efforts", parts)

    @cached_property
    def pushing(self) -> list[int]:
        """Speeds of its bodies on which its laws act, beside its own."""
        (pushes,) = self.alone([self.link.pushes])
        return [k for k, x in enumerate(ca.vertsplit(pushes)) if not x.is_zero()]

    @cached_property
    def early_rates(self) -> Kernel | None:
        """Rates of states that need no loads."""
        early, _, zdot = self.rates
        return self.kernel("early_rates", [zdot[k] for k in early]) if early else None

    @cached_property
    def rates(self) -> tuple[list[int], list[int], SX]:
        eq = self.eq
        zdot = ca.densify(self.alone([eq.motion.zdot])[0]) if eq.z.numel() else SX(0, 1)
        later = [k for k in range(zdot.numel()) if ca.depends_on(zdot[k], self.link.load)]
        return [k for k in range(zdot.numel()) if k not in later], later, zdot

    # Inwards: inertia and forces -------------------------------------------------------------------------------------

    @cached_property
    def _solved(self) -> tuple[SX, SX, SX]:
        """U = I S, D⁻¹ = (Sᵀ U)⁻¹, and I less what the joint gives way to."""
        inertia = unpacked(self.given["articulated"], self.space.rows)
        U = inertia @ self.S
        inverted = inverse(self.S.T @ U)
        held = symmetric(inertia - U @ (inverted @ U.T)) if self.freedoms else inertia
        return U, inverted, held

    def _kept(self, U: SX, inverted: SX) -> list[SX]:
        return [ca.vec(ca.densify(U)[self.space.rows, :]), packed(inverted)] if self.freedoms else []

    def _handed_on(self, held: SX) -> SX:
        """An inertia as what carries the body feels it."""
        X = motion_map(self.relative)
        return packed(ca.densify(X.T @ held @ X)[self.space.rows, self.space.rows])

    @cached_property
    def reduced(self) -> Kernel | None:
        """[U; D⁻¹; what it drives; then, for what carries it: inertia, force]."""
        U, inverted, held = self._solved
        force, bias = self.space.six(self.given["force"]), self.space.six(self.given["bias"])
        parts = self._kept(U, inverted)
        pull = force + held @ bias
        if self.freedoms:
            drive = self.given["effort"] - self.S.T @ force
            parts.append(drive)
            pull += U @ (inverted @ drive)
        if self.carried:
            back = Wrench.of_column(pull).out_of(self.relative).column
            parts += [self._handed_on(held), self._exists(back)]
        return self.kernel("reduced", parts)

    @cached_property
    def lightened(self) -> Kernel | None:
        """[U; D⁻¹; then, for what carries it: inertia]: `reduced` without forces."""
        U, inverted, held = self._solved
        return self.kernel("lightened", [*self._kept(U, inverted), *([self._handed_on(held)] if self.carried else [])])

    # Outwards: accelerations -----------------------------------------------------------------------------------------

    def _answer(self, before: SX, bias: SX) -> list[SX]:
        """[v̇; acceleration of the body], for what carries it."""
        ahead = Twist.of_column(before).into(self.relative).column + bias
        if not self.freedoms:
            return [self._exists(ahead)]
        vdot = self._given_inverse() @ (self.given["drive"] - self._given_U().T @ ahead)
        return [vdot, self._exists(ahead + self.S @ vdot)]

    @cached_property
    def accelerated(self) -> Kernel:
        """[v̇; acceleration of the body, with the ground accelerating upwards instead of bodies falling]."""
        fall = ca.vertcat(-as_vector(self.gravity), SX(3, 1))
        before = self.space.six(self.given["carrier acceleration"]) if self.carried else fall
        made = self.kernel("accelerated", self._answer(before, self.space.six(self.given["bias"])))
        assert made is not None
        return made

    @cached_property
    def responding(self) -> Kernel:
        """The same of a system at rest: to what drives its links alone."""
        before = self.space.six(self.given["carrier acceleration"]) if self.carried else SX(6, 1)
        made = self.kernel("responding", self._answer(before, SX(6, 1)))
        assert made is not None
        return made

    # Loops -----------------------------------------------------------------------------------------------------------

    def coupled(self, rows: int) -> Kernel | None:
        """K, forces on the body by so many multipliers → [SᵀK; K as the body that carries it, if any, feels it].

        None where that is nothing: at a body that is fixed to the ground."""
        if rows not in self._couplings:
            symbols = SX.sym("coupling", self.space.size * rows)
            self.know(symbols, "coupling")
            K = SX(6, rows)
            K[self.space.rows, :] = ca.reshape(symbols, self.space.size, rows)
            along = self.S.T @ K
            parts = [ca.vec(along)] if self.freedoms else []
            if self.carried:
                left = K - self._given_U() @ (self._given_inverse() @ along) if self.freedoms else K
                parts.append(ca.vec(ca.densify(motion_map(self.relative).T @ left)[self.space.rows, :]))
            self._couplings[rows] = self.kernel("coupled", parts)
        return self._couplings[rows]

    def _given_U(self) -> SX:
        U = SX(6, self.freedoms)
        U[self.space.rows, :] = ca.reshape(self.given["projected"], self.space.size, self.freedoms)
        return U

    def _given_inverse(self) -> SX:
        return unpacked(self.given["inverse"], list(range(self.freedoms)), self.freedoms)


def packed(matrix: SX) -> SX:
    """The lower triangle of a symmetric matrix, column by column."""
    n, dense = matrix.shape[0], ca.densify(matrix)
    return ca.vertcat(SX(0, 1), *(dense[i, j] for j in range(n) for i in range(j, n)))


def unpacked(column: SX, rows: list[int], size: int = 6) -> SX:
    """The symmetric matrix of which this is the lower triangle, in these rows and columns of a larger one."""
    whole, n = SX(size, size), len(rows)
    places = ((i, j) for j in range(n) for i in range(j, n))
    for k, (i, j) in enumerate(places):
        whole[rows[i], rows[j]] = whole[rows[j], rows[i]] = column[k]
    return whole
