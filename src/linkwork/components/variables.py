"""Generalised coordinates and what they carry: bodies placed by position matrices (SYM), conditions between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Unpack

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate, check_start
from linkwork.core.compliance import ComplianceWords
from linkwork.core.component import Component, Constraint, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import expression, text
from linkwork.core.plain_data import Record
from linkwork.core.registry import component
from linkwork.geometry import SX, Number, Pose, dot

if TYPE_CHECKING:
    from linkwork.core.model import Model

Position: TypeAlias = Pose | SX | np.ndarray | Sequence[Sequence[Number]]
"""A position matrix: a pose, or 4×4 numbers or expressions."""


@component
class Variable(Component, Coordinate):
    """A generalised coordinate: a number that positions may depend on, by its `symbol`.

    `rate` is the symbol of its speed; `start(value)` is met exactly. Laws act on it as on a joint's coordinate. It has
    no mass of its own: what it moves has.
    """

    turns = False
    kept_apart = (*Component.kept_apart, "laws", "value", "speed")

    def __init__(
        self,
        name: str,
        *,
        guess: Annotated[Number, "where assembly begins to look"] = 0.0,
        unit: Annotated[str, text, "of the number"] = "rad",
    ):
        Component.__init__(self, name)
        Coordinate.__init__(self)
        self.unit, self.guess = unit, check_start(name, guess)
        self.symbol, self.rate = SX.sym(name), SX.sym(f"{name}.rate")

    @property
    def owner(self) -> Variable:
        return self

    def said_later(self) -> Record:
        return super().said_later() | {"coordinate": self.said()}

    def markers(self) -> tuple[Marker, ...]:
        return ()


@component
class Guide(Constraint):
    """Places a body by a position matrix (SYM (1)): `pose` is a Pose (`rotz(q) @ shift(x, y)`) or a 4×4 matrix.

    It may depend on variables, parameters and time `m.t`; speeds, accelerations and the mass matrix follow.
    """

    def __init__(
        self,
        name: str,
        body: Annotated[Body, "what is placed"],
        pose: Annotated[Position, "of its mass centre and axes, of variables and m.t"],
    ):
        super().__init__(name)
        if not isinstance(body, Body):
            raise ModelError(f"{body!r} is not a body.", component=name, remedy="Give what m.body(…) returned.")
        self.body, self.pose = body, _read(pose, body.name)

    def attached(self, model: Model) -> None:
        other = next((g for g in model.of_type(Guide) if g.body is self.body and g is not self), None)
        if other is not None:
            raise ModelError(
                f"{self.body.name!r} is placed by {other.name!r} already.",
                component=self.name,
                remedy="One position matrix per body; further knowledge is a joint or a condition.",
            )
        _check_symbols(self.name, ca.vertcat(self.pose.p, ca.vec(self.pose.R)), model)
        _check_rigid(self.body.name, self.pose)
        if model.is_planar:
            self.pose = _in_plane(self.body.name, self.pose)

    def enforce(self, how: str, **compliance: Unpack[ComplianceWords]) -> Constraint:
        if how == "compliant":
            raise ModelError(
                "a position matrix is exact.", component=self.name, remedy="Use joints where you want compliance."
            )
        return super().enforce(how, **compliance)

    def markers(self) -> tuple[Marker, ...]:
        return (self.body.at(),)

    def rows(self, view: View) -> list[SX]:
        frame, pose = view.frame(self.body.at()), self.pose
        apart = frame.p - pose.p
        if view.planar:
            assert frame.turn is not None and pose.turn is not None
            return [apart[0], apart[1], frame.turn - pose.turn]
        turned = [(dot(frame.R[:, j], pose.R[:, i]) - dot(frame.R[:, i], pose.R[:, j])) / 2 for i, j in _PAIRS]
        return [apart[0], apart[1], apart[2], *turned]


_PAIRS = ((2, 1), (0, 2), (1, 0))


@component
class Condition(Constraint):
    """Equations between variables (and parameters, and time) that must hold: each expression must vanish.

    So intermediate variables can be given implicitly: `m.condition("loop", l1*sin(q) - l2*sin(alpha))`.
    """

    def __init__(self, name: str, *equations: Annotated[Number, expression, "what must vanish, of variables and m.t"]):
        super().__init__(name)
        if not equations:
            raise ModelError("has no equation.", component=name, remedy="Give expressions that must vanish.")
        self.equations = [SX(e) for e in equations]

    def attached(self, model: Model) -> None:
        _check_symbols(self.name, ca.vertcat(*self.equations), model)
        known = {v.symbol.name() for v in model.of_type(Variable)}
        for k, e in enumerate(self.equations):
            if not known & {s.name() for s in ca.symvar(e)}:
                raise ModelError(
                    f"equation {k + 1} contains no variable: {e}.",
                    component=self.name,
                    remedy="Write it with the symbols of m.variable(…) or k.q.",
                )

    enforce = Guide.enforce

    def rows(self, view: View) -> list[SX]:
        return list(self.equations)


def _read(pose: Any, name: str) -> Pose:
    """A pose from whatever a user calls a position matrix."""
    if isinstance(pose, Pose):
        return pose
    try:
        matrix = pose if isinstance(pose, SX) else SX(ca.vertcat(*(ca.horzcat(*row) for row in pose)))
    except (TypeError, NotImplementedError, RuntimeError):
        matrix = SX(0, 0)
    if matrix.shape != (4, 4):
        raise ModelError(
            f"its position matrix is {type(pose).__name__} of shape {matrix.shape}.",
            component=name,
            remedy="Give a pose, for instance rotz(q[0]) @ shift(0, -1, 0), or a homogeneous 4×4 matrix.",
        )
    last = matrix[3, :] - SX([[0, 0, 0, 1]])
    if not ca.simplify(last).is_zero():
        raise ModelError(
            f"the last row of its position matrix is {matrix[3, :]}.", component=name, remedy="It must be (0, 0, 0, 1)."
        )
    return Pose(matrix[:3, 3], matrix[:3, :3])


def _check_symbols(name: str, expression: SX, model: Model) -> None:
    """Every symbol must be one the model knows: a stranger could never get a value."""
    known = ca.vertcat(
        model.t,
        model.all_symbols(),
        *(v.symbol for v in model.of_type(Variable)),
    )
    strangers = [s.name() for s in ca.symvar(expression) if not ca.depends_on(known, s)]
    if strangers:
        raise ModelError(
            f"depends on {', '.join(strangers)}, which this model does not know.",
            component=name,
            remedy="Use symbols of m.variable(…), m.parameter(…), m.input(…), k.q, or m.t; rates are not allowed here.",
        )


def _check_rigid(name: str, pose: Pose) -> None:
    """RᵀR = 1 and det R = 1 wherever the symbols are (SYM (2)), and no constant is without a value."""
    constants = [x for x in (*ca.vertsplit(ca.vec(pose.R)), *ca.vertsplit(pose.p)) if not ca.symvar(x)]
    if not all(np.isfinite(float(ca.evalf(x))) for x in constants):
        raise ModelError("its position matrix holds no finite number.", component=name, remedy="Look for nan and inf.")
    symbols = ca.vertcat(*ca.symvar(pose.R))
    f = ca.Function("R", [symbols], [ca.densify(pose.R)])
    random = np.random.default_rng(5)
    for _ in range(5):
        R = np.array(f(random.uniform(0.1, 0.9, symbols.numel())))
        if not np.all(np.isfinite(R)):
            continue
        skewed, size = float(np.abs(R.T @ R - np.eye(3)).max()), float(np.linalg.det(R))
        if skewed > 1e-9 or abs(size - 1) > 1e-9:
            raise ModelError(
                f"its position matrix is not a rigid motion: determinant {size:.6g}, columns off orthonormal by "
                f"{skewed:.3g}.",
                component=name,
                remedy="The columns of its 3×3 part are the body's axes: unit length, perpendicular, right-handed.",
            )


def _in_plane(name: str, pose: Pose) -> Pose:
    """The same pose with its angle about z, which counts full turns."""
    off = ca.vertcat(pose.p[2], pose.R[2, :2].T, pose.R[:2, 2])
    if not ca.simplify(off).is_zero():
        raise ModelError("its position leaves the plane.", component=name, remedy="Give gravity 3 numbers for space.")
    if pose.turn is not None:
        return pose
    c, s = ca.simplify(pose.R[0, 0]), ca.simplify(pose.R[1, 0])
    if c.is_op(ca.OP_COS) and s.is_op(ca.OP_SIN) and ca.is_equal(c.dep(0), s.dep(0), 5):
        return Pose(pose.p, pose.R, c.dep(0))
    if c.is_constant() and s.is_constant():
        return Pose(pose.p, pose.R, SX(float(np.arctan2(float(s), float(c)))))
    raise ModelError(
        "the angle of its position matrix cannot be read.",
        component=name,
        remedy="Write it as rotz(angle) @ shift(x, y), or use a spatial model (gravity with 3 numbers).",
    )
