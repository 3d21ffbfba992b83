"""What a joint exchanges with its two bodies, as numbers: the twist it sees and the wrench it gives (ACA's ports).

Views of the channels of a result: of a whole run, or of one instant (`m.evaluate()`). A is the first body, B the
second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.plain_data import Data
from linkwork.core.reaction import from_quaternion
from linkwork.core.result import Result

_SIDES = {"A": "first", "B": "second"}


@dataclass(frozen=True)
class KinematicPort:
    """The motion of a joint's frame on one of its bodies; world axes, one row per sample.

    r [m], v [m/s], a [m/s²]: place, velocity and acceleration of the origin, shape (samples, 3);
    T: its axes as columns, shape (samples, 3, 3); omega [rad/s], epsilon [rad/s²]: of the body, shape (samples, 3).
    """

    r: np.ndarray
    v: np.ndarray
    a: np.ndarray
    T: np.ndarray
    omega: np.ndarray
    epsilon: np.ndarray

    @property
    def axis(self) -> np.ndarray:
        """Unit vector along the joint, shape (samples, 3)."""
        return self.T[:, :, 2]

    @classmethod
    def of(cls, result: Result, joint: str, end: str) -> KinematicPort:
        """From the channels of the body that carries the frame; end: "A" (first) or "B" (second)."""
        side = _side(result, joint, end)
        body, samples = side["body"], result.t.size
        if body == result.description.get("ground"):
            none = np.zeros((samples, 3))
            r, v, a, omega, epsilon = none, none, none, none, none
            R = np.broadcast_to(np.eye(3), (samples, 3, 3))
        else:
            r, v, a, omega, epsilon = (_vector(result, f"{body}.{k}") for k in ("", "v", "a", "w", "alpha"))
            R = from_quaternion(*(result[f"{body}.q{i}"] for i in range(4)))
        arm = R @ np.asarray(side["point"], dtype=float)
        swing = np.cross(omega, arm)
        return cls(
            r=r + arm,
            v=v + swing,
            a=a + np.cross(epsilon, arm) + np.cross(omega, swing),
            T=R @ np.asarray(side["rotation"], dtype=float),
            omega=omega,
            epsilon=epsilon,
        )


@dataclass(frozen=True)
class WrenchPort:
    """All that an axial joint does to one of its bodies: what its constraint, its laws and its servos give together.

    F [N]: force; M [N·m]: moment about P; P [m]: the joint's point on body A for both ends, so that F_A = −F_B and
    M_A = −M_B. World axes, shape (samples, 3) each.
    """

    P: np.ndarray
    F: np.ndarray
    M: np.ndarray

    def power(self, port: KinematicPort) -> np.ndarray:
        """Power [W] that flows into the body whose twist is given, shape (samples,)."""
        velocity = port.v + np.cross(port.omega, self.P - port.r)
        return np.einsum("ij,ij->i", self.F, velocity) + np.einsum("ij,ij->i", self.M, port.omega)

    @classmethod
    def of(cls, result: Result, joint: str, end: str) -> WrenchPort:
        """From the joint's reaction and the efforts along and about its axis; end: "A" (first) or "B" (second)."""
        _side(result, joint, end)
        A, B = KinematicPort.of(result, joint, "A"), KinematicPort.of(result, joint, "B")
        sign, place, label = (1.0, B.r, "reaction") if end == "B" else (-1.0, A.r, "port1")
        if f"{joint}.slide" not in result or f"{joint}.angle" not in result:
            raise ModelError(
                "has no wrench port: its efforts do not act along and about one axis.",
                component=joint,
                remedy="Use result.reaction(…), or an axial or cylindrical joint.",
            )
        F = _vector(result, f"{joint}.{label}.f") + sign * _effort(result, f"{joint}.slide") * A.axis
        M = _vector(result, f"{joint}.{label}.m") + sign * _effort(result, f"{joint}.angle") * A.axis
        return cls(P=A.r, F=F, M=M + np.cross(place - A.r, F))


def _side(result: object, joint: str, end: str) -> Data:
    if not isinstance(result, Result):
        raise LinkworkError(f"{result!r} is not a result.", component=joint, remedy="Give what m.simulate(…) returned.")
    joints = result.description.get("joints", {})
    if joint not in joints:
        raise UnknownName("joint", joint, joints)
    if end not in _SIDES:
        raise LinkworkError(f"has no end {end!r}.", component=joint, remedy="Use 'A' (first) or 'B' (second body).")
    if joints[joint]["dimension"] != 3:
        raise ModelError("lies in the plane.", component=joint, remedy="Ports are those of a spatial model.")
    return joints[joint][_SIDES[end]]


def _vector(result: Result, prefix: str) -> np.ndarray:
    return np.stack([result[f"{prefix}{axis}"] for axis in "xyz"], axis=1)


def _effort(result: Result, coordinate: str) -> np.ndarray:
    """Effort on the second body, shape (samples, 1); a coordinate without laws has no channel of it."""
    name = f"{coordinate}.effort"
    return result[name][:, None] if name in result else np.zeros((result.t.size, 1))
