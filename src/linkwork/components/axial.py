"""ACA's joints: the cylindrical joint, sealed by one law along its axis and one about it.

Along each free direction either the flow is given (acceleration μ along, λ about the axis) or its complement, the
effort (force F, torque M): never both, never neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias

from linkwork.components.given import Course
from linkwork.components.joint import Axis, First, JointCoordinate, Point, Second
from linkwork.components.joints import Cylindrical
from linkwork.components.laws import Damper, Effort, Free, Function, Law, Motion, Spring
from linkwork.components.twist_wrench import KinematicPort, WrenchPort
from linkwork.core import kinds
from linkwork.core.errors import ModelError
from linkwork.core.kinds import nonnegative
from linkwork.core.registry import component
from linkwork.geometry import Number

if TYPE_CHECKING:
    from linkwork.core.result import Result

Laws: TypeAlias = Annotated[
    Law | Sequence[Law] | None,
    "along the axis: lw.Motion(…) (the flow is given), or one or several laws for the effort; lw.Free(): it is 0",
]

_WORDS = {"slide": ("translation", "mu", "F"), "angle": ("rotation", "lambda", "M")}


class AxialCoordinate(JointCoordinate):
    """A free direction of an axial joint: a flow or an effort, not both (ACA's complementarity rule)."""

    def law(self, law: Law) -> Self:
        """Add a law. Efforts add up; a flow takes the place of the effort, so one excludes the other."""
        laws = [x for x in (*self.laws, law) if isinstance(x, Law) and not isinstance(x, Free)]
        _complementary(self.joint.name, self.label, laws)
        return super().law(law)


@component
class AxialJoint(Cylindrical):
    """Slides along and turns about the common z axis, with one law for each (space only). Both must be said."""

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        translation: Laws = None,
        rotation: Annotated[Laws, "the same about the axis"] = None,
        point: Point = None,
        axis: Axis = None,
    ):
        super().__init__(name, first, second, point=point, axis=axis)
        self.coordinates = tuple(AxialCoordinate(self, i, label) for i, label in enumerate(self.free))
        said = {"slide": _laws(name, translation), "angle": _laws(name, rotation)}
        missing = [_WORDS[label] for label, laws in said.items() if not laws]
        if missing:
            pairs = " and ".join(f"the {direction} (neither {mu} nor {F} is given)" for direction, mu, F in missing)
            raise ModelError(
                f"open: {pairs}.",
                component=name,
                remedy="Give exactly one of flow (lw.Motion) or effort (lw.Effort, lw.Spring, …; lw.Free() for none).",
            )
        for coordinate in self.coordinates:
            _complementary(name, coordinate.label, said[coordinate.label])
            for law in said[coordinate.label]:
                if not isinstance(law, Free):  # an effort of 0 needs no law
                    coordinate.law(law)

    def kinematic_port(self, end: str, result: Result | None = None) -> KinematicPort:
        """The motion of the joint's frame on body "A" (first) or "B" (second); result: a run, else the start."""
        return KinematicPort.of(self._evaluated(result), self.name, end)

    def wrench_port(self, end: str, result: Result | None = None) -> WrenchPort:
        """All that the joint does to body "A" (first) or "B" (second); result: a run, else the start."""
        return WrenchPort.of(self._evaluated(result), self.name, end)

    def _evaluated(self, result: Result | None) -> Result:
        if result is not None:
            return result
        if self.model is None:
            raise ModelError("is in no model yet.", component=self.name, remedy="Add it, or give a result.")
        return self.model.evaluate()


@component
class FixedIdeal(AxialJoint):
    """Turns freely, does not slide: μ = 0, M = 0. A pin."""

    def __init__(self, name: str, first: First, second: Second, *, point: Point = None, axis: Axis = None):
        super().__init__(name, first, second, translation=Motion(0.0), rotation=Free(), point=point, axis=axis)


@component
class FreeIdeal(AxialJoint):
    """Slides and turns freely: F = 0, M = 0."""

    def __init__(self, name: str, first: First, second: Second, *, point: Point = None, axis: Axis = None):
        super().__init__(name, first, second, translation=Free(), rotation=Free(), point=point, axis=axis)


@component
class SpringIdeal(AxialJoint):
    """Turns freely, almost fixed along the axis: F = c ν + d ν̇ on the first body, M = 0.

    It divides axial forces that rigid joints would leave open.
    """

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        stiffness: Annotated[Number, nonnegative["N/m"], "c, along the axis"],
        damping: Annotated[Number, nonnegative["N·s/m"], "d, along the axis"] = 0.0,
        point: Point = None,
        axis: Axis = None,
    ):
        laws = [Spring(stiffness), Damper(damping)]
        super().__init__(name, first, second, translation=laws, rotation=Free(), point=point, axis=axis)


@component
class FixedControlled(AxialJoint):
    """Does not slide, turns under a given torque: μ = 0, M = f."""

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        torque: Annotated[
            Number | Function, kinds.course["N·m"], "on the second body; or a function of any of t, x (the angle), v"
        ],
        point: Point = None,
        axis: Axis = None,
    ):
        super().__init__(name, first, second, translation=Motion(0.0), rotation=Effort(torque), point=point, axis=axis)


@component
class FreeSlide(AxialJoint):
    """Slides freely, does not turn: F = 0, λ = 0."""

    def __init__(self, name: str, first: First, second: Second, *, point: Point = None, axis: Axis = None):
        super().__init__(name, first, second, translation=Free(), rotation=Motion(0.0), point=point, axis=axis)


@component
class FixedServo(AxialJoint):
    """Does not slide, turns as it is told: μ = 0, and the angle follows a law."""

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        angle: Annotated[Course | None, kinds.course["rad"], "the angle, a function of t"] = None,
        acceleration: Annotated[
            Number | Function | None,
            kinds.course["rad/s²"],
            "λ instead, a function of any of t, x (the angle), v; `joint.angle.start(…)` says where it begins",
        ] = None,
        point: Point = None,
        axis: Axis = None,
    ):
        if (angle is None) == (acceleration is None):
            given = "neither angle nor acceleration is" if angle is None else "angle and acceleration are both"
            raise ModelError(f"{given} given.", component=name, remedy="Give exactly one of them.")
        servo = Motion(angle, acceleration=acceleration)
        super().__init__(name, first, second, translation=Motion(0.0), rotation=servo, point=point, axis=axis)


def _laws(name: str, given: Law | Sequence[Law] | None) -> list[Law]:
    if given is None:
        return []
    laws: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given]
    for law in laws:
        if not isinstance(law, Law):
            raise ModelError(
                f"{law!r} is not a law.", component=name, remedy="Give lw.Motion(…), lw.Spring(…), lw.Free() and so on."
            )
    return laws


def _complementary(joint: str, label: str, laws: list[Law]) -> None:
    """Refuse a flow beside an effort along one free direction."""
    flow = next((law for law in laws if isinstance(law, Motion)), None)
    effort = next((law for law in laws if not isinstance(law, Motion)), None)
    if flow is None or effort is None:
        return
    direction, mu, F = _WORDS[label]
    raise ModelError(
        f"both the flow {mu} (Motion) and the effort {F} ({type(effort).__name__}) of its {direction} are given.",
        component=joint,
        remedy="Give exactly one of flow or effort per free direction.",
    )
