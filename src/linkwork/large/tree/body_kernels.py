"""What every body of a tree does, whatever carries it: its place, its own inertia, its motion as others see it."""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.core.model import Model
from linkwork.formulations.articulated import crossed_force
from linkwork.formulations.body_coordinates import body_coordinates
from linkwork.geometry import SX, Pose, Twist, Wrench, as_vector, cross
from linkwork.large.kernel import Kernel, kernel_of
from linkwork.large.kernels import Kind
from linkwork.large.tree.link_kind import packed, unpacked


class BodyKernels:
    """For all bodies of a model."""

    def __init__(self, model: Model):
        self.model, self.of_body = model, body_coordinates(model.is_planar)
        self.space = self.of_body.space

    def _symbols(self, name: str) -> tuple[Pose, SX]:
        known = self.of_body.symbols(name)
        return Pose(known.frame.p, known.frame.R, known.frame.turn), known.config

    def _spatial(self, name: str) -> tuple[SX, SX]:
        """Six components, and symbols of those that exist."""
        part = SX.sym(name, self.space.size)
        return self.space.six(part), part

    @cached_property
    def placed(self) -> Kernel:
        """(place of what carries it, place seen from there) → place in the world."""
        (carrier, first), (relative, second) = self._symbols("carrier"), self._symbols("relative")
        return plain("placed", [first, second], [self.of_body.configuration(carrier @ relative)])

    @cached_property
    def written(self) -> Kernel:
        """(place) → coordinates as the absolute formulation has them."""
        pose, config = self._symbols("body")
        return plain("written", [config], [self.of_body.in_symbols(pose)])

    @cached_property
    def speeds(self) -> Kernel:
        """(place, twist in body axes) → speeds: world axes along, body axes about."""
        pose, config = self._symbols("body")
        twist, part = self._spatial("twist")
        return plain("speeds", [config, part], [self.space.both(pose.R @ twist[:3], twist[3:])])

    def accelerations(self, kind: Kind) -> Kernel:
        """Rates of the speeds of the bodies of a kind, from accelerations of a falling world."""
        pose, config = self._symbols("body")
        twist, first = self._spatial("twist")
        rate, second = self._spatial("acceleration")
        for symbols, word in ((config, "place"), (first, "twist"), (second, "acceleration")):
            kind.know(symbols, word)
        along = pose.R @ (rate[:3] + cross(twist[3:], twist[:3])) + as_vector(self.model.gravity)
        made = kind.kernel("accelerations", [self.space.both(along, rate[3:])])
        assert made is not None
        return made

    @cached_property
    def response(self) -> Kernel:
        """(place, acceleration of a body at rest) → rates of the speeds."""
        pose, config = self._symbols("body")
        rate, part = self._spatial("acceleration")
        return plain("response", [config, part], [self.space.both(pose.R @ rate[:3], rate[3:])])

    def inertia(self, kind: Kind, *, pushed: bool) -> Kernel:
        """Of the bodies of a kind: [inertia; force that keeps the motion as it is, less what pushes it]."""
        body = kind.component
        assert isinstance(body, Body)
        twist, part = self._spatial("twist")
        pose, config = self._symbols("body")
        push = SX.sym("push", self.space.size)
        for symbols, word in ((part, "twist"), (config, "place"), (push, "push")):
            kind.know(symbols, word)
        J, m = self.space.inertia(SX(body.inertia)), SX(body.mass)
        moved = Twist.of_column(twist)
        force = crossed_force(twist, ca.vertcat(m * moved.velocity, J @ moved.spin))
        if pushed:
            along, about = self.space.split(push)
            force -= Wrench(pose.R.T @ along, about).column
        whole = ca.diagcat(m * SX(ca.DM.eye(3)), J)[self.space.rows, self.space.rows]
        made = kind.kernel("inertia", [packed(whole), ca.densify(force)[self.space.rows]])
        assert made is not None
        return made

    @cached_property
    def load(self) -> Kernel:
        """(articulated inertia, force, acceleration) → what the joint does to the body, but for loops: −(I a + p)."""
        n = self.space.size
        inertia, force, rate = SX.sym("I", n * (n + 1) // 2), SX.sym("p", n), SX.sym("a", n)
        return plain("load", [inertia, force, rate], [-(unpacked(inertia, list(range(n)), n) @ rate + force)])

    def turned(self, rows: int) -> Kernel:
        """(place, entries of Aᵀ of one body, dense) → the same forces in body axes."""
        pose, config = self._symbols("body")
        n = self.space.size
        entries = SX.sym("A", n * rows)
        by_row = ca.reshape(entries, n, rows)
        columns = [self.space.split(by_row[:, k]) for k in range(rows)]
        turned = [self.space.both(pose.R.T @ along, about) for along, about in columns]
        return plain("turned", [config, entries], [ca.vertcat(*turned)])


def plain(name: str, arguments: list[SX], results: list[SX]) -> Kernel:
    """A kernel without slots, which takes all of these numbers in a row."""
    value = ca.densify(ca.vertcat(*results))
    f = ca.Function(name, [ca.vertcat(*arguments), SX(0, 1)], [value], {"cse": True})
    return kernel_of(f)


def crossing(freedoms: int, first: int, second: int) -> Kernel:
    """(D⁻¹, E of some rows, E of others, both column by column) → −Eᵀ D⁻¹ E."""
    inverse = SX.sym("D", freedoms * (freedoms + 1) // 2)
    E, F = SX.sym("E", freedoms * first), SX.sym("F", freedoms * second)
    D = unpacked(inverse, list(range(freedoms)), freedoms)
    value = -(ca.reshape(E, freedoms, first).T @ (D @ ca.reshape(F, freedoms, second)))
    return plain("crossing", [inverse, E, F], [ca.vec(value)])
