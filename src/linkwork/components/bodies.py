"""Bodies: mass, inertia and where they start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.components.shape import Shape
from linkwork.core import kinds
from linkwork.core.component import Component, Marker
from linkwork.core.errors import ModelError
from linkwork.core.kinds import REFUSED, Claim, anything, claims, nonnegative, numbers, quantity, shown
from linkwork.core.plain_data import Record
from linkwork.core.registry import component
from linkwork.geometry import SX, Number, Pose, Vector, as_vector, embedding, is_scalar, rotations

if TYPE_CHECKING:
    from linkwork.core.model import Model

MASS = replace(quantity.saying("Give mass ≥ 0, in kilograms.", "mass {given} kg."), range=nonnegative.range)
Mass: TypeAlias = Annotated[Number, MASS["kg"], "its mass"]
Rotation: TypeAlias = Number | Sequence[Number] | Sequence[Sequence[Number]] | np.ndarray | Pose
"""An angle about z [rad], a 3×3 matrix, a quaternion (w, x, y, z), or a pose."""
Inertia: TypeAlias = Number | Sequence[Number] | Sequence[Sequence[Number]] | np.ndarray
moment = quantity.saying("Give Izz ≥ 0, in kg·m².", "inertia {given}.")
INERTIA = replace(moment, cause="moment of inertia {given} kg·m².", range=nonnegative.range)


@dataclass
class Start:
    """What the user said of the start; None where nothing was said. World axes."""

    position: SX | None = None
    rotation: SX | None = None
    turn: SX | None = None
    velocity: SX | None = None
    spin: SX | None = None


class Solid(Component):
    """Something frames can be attached to."""

    word = "body"

    def __init__(self, name: str):
        super().__init__(name)
        self.shapes: list[Shape] = []

    def at(self, x: Number | Vector = 0, y: Number = 0, z: Number = 0, *, rotation: Rotation | None = None) -> Marker:
        """A frame on this body at (x, y[, z]) in body axes, origin = mass centre.

        rotation: an angle about z [rad], a 3×3 matrix, or a quaternion (w, x, y, z); none: parallel to the body.
        """
        if not is_scalar(x):  # at((x, y)), as one thing
            if not all(_is_zero(c) for c in (y, z)):
                raise ModelError(
                    f"a frame at {shown(x)}, and {shown((y, z))} beside it.",
                    component=self.name,
                    remedy="Give at(x, y, z) or at((x, y, z)).",
                )
            x, y, z = (vector_in(x, "a frame at", self.name)[i] for i in range(3))
        x, y, z = (quantity.taken("a frame at", c, self.name) for c in (x, y, z))
        if self.model is not None and self.model.is_planar and not _is_zero(z):
            raise ModelError(f"a frame at z = {z}.", component=self.name, remedy="A planar model has z = 0.")
        R, turn = read_rotation(rotation, self.name)
        return Marker(self, Pose(as_vector((x, y, z)), R, turn))

    @property
    def port(self) -> Marker:
        """The frame in its mass centre, as something to connect: `m.connect(rod.port, joint.port_a)`."""
        return self.at()

    def shape(self, *shapes: Shape) -> Self:
        """Say what it looks like: shapes in body axes (`linkwork.components.shapes`). They have no mass."""
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise ModelError(
                    f"{shape!r} is not a shape.", component=self.name, remedy="Give e.g. shapes.Box((0.2, 0.1, 0.1))."
                )
            read_rotation(shape.rotation, self.name)
            self.shapes.append(shape.checked(self.name))
        return self

    def said_later(self) -> Record:
        return super().said_later() | {"shapes": tuple(self.shapes)}

    def start_pose(self) -> Pose:
        raise NotImplementedError


def frame_of(end: object, name: str) -> Marker:
    """The frame that was given, or the one at a body's mass centre; name: who asks."""
    if isinstance(end, Solid):
        return end.at()
    if not isinstance(end, Marker):
        raise ModelError(f"{end!r} is not a frame.", component=name, remedy="Give `body.at(…)` or a body.")
    return end


@component
class Ground(Solid):
    """The world frame, fixed."""

    def start_pose(self) -> Pose:
        return Pose(as_vector((0, 0)), SX.eye(3), SX(0))


@component
class Body(Solid):
    """A rigid body."""

    def __init__(
        self,
        name: str,
        *,
        mass: Mass,
        inertia: Annotated[
            Inertia,
            anything["kg·m²"],
            "at the mass centre in body axes: one number (plane); (Ixx, Iyy, Izz[, Ixy, Ixz, Iyz]) or a 3×3 matrix"
            " (space), whose off-diagonal numbers are the matrix elements (products of inertia with their sign)",
        ],
    ):
        super().__init__(name)
        self.mass = mass
        self.inertia: Any = inertia
        self.given = Start()
        self.particle_places: list[SX] = []
        """Where the particles are that stand for it in `points`; none: chosen by its joints."""

    def attached(self, model: Model) -> None:
        self.mass = MASS.taken("mass", self.mass, self.name)
        self.inertia = read_inertia(self.inertia, model.is_planar, self.name)
        self._weigh()
        self._weighed = True

    def __setattr__(self, name: str, value: object) -> None:
        """What is changed by hand later is read as it was at first."""
        if not self.__dict__.get("_weighed") or self.model is None or name not in ("mass", "inertia"):
            return super().__setattr__(name, value)
        before = self.__dict__[name]
        super().__setattr__(name, read_inertia(value, self.model.is_planar, self.name) if name == "inertia" else value)
        try:
            self._weigh()
        except ModelError:
            super().__setattr__(name, before)
            raise

    def said_later(self) -> Record:
        return super().said_later() | {"start": replace(self.given), "particles": tuple(self.particle_places)}

    def claims(self) -> Iterator[Claim]:
        yield from super().claims()
        if isinstance(self.inertia, SX):
            yield from claims("inertia", ca.vertsplit(ca.diag(self.inertia)), INERTIA)

    def _weigh(self) -> None:
        if not isinstance(self.mass, SX) and not isinstance(self.inertia, SX):
            check_mass(self.name, float(self.mass), np.asarray(self.inertia, dtype=float))

    def particles(self, *places: Vector) -> Self:
        """Place the particles that stand for it in formulation "points" [m], body axes; PRT's 1, 2, 4 (plane: 1, 2).

        One more place is that of the dependent particle, PRT's 3. A particle on the joint that carries the body, at its
        centre or on its axis, belongs to both bodies. Without places, particles are put there. `m.particles()` tells.
        """
        n = embedding(self.model is not None and self.model.is_planar).along
        if len(places) not in (n, n + 1):
            raise ModelError(
                f"{len(places)} places for particles.",
                component=self.name,
                remedy=f"Give {n}, or {n + 1} with that of the dependent particle.",
            )
        self.particle_places = [self._checked("a particle at", place, (2,)) for place in places]
        _check_apart(self.particle_places, n == 2, self.name)
        if self.model is not None:
            self.model.changed()
        return self

    def start(
        self,
        *,
        position: Vector | None = None,
        angle: Number | None = None,
        rotation: Rotation | None = None,
        quaternion: Vector | None = None,
        velocity: Vector | None = None,
        spin: Number | Vector | None = None,
    ) -> Self:
        """Where the body starts: a guess for positions, which assembly moves as little as it must.

        position (x, y[, z]) of the mass centre [m]; angle [rad] (plane), rotation matrix or quaternion (w, x, y, z);
        velocity of the mass centre [m/s] and spin [rad/s] (ω, or (ωx, ωy, ωz) in world axes) must be consistent.
        """
        said = [k for k in (angle, rotation, quaternion) if k is not None]
        if len(said) > 1:
            raise ModelError(
                "angle, rotation and quaternion exclude each other.", component=self.name, remedy="Give one."
            )
        if position is not None:
            self.given.position = self._checked("position", position, (2,))
        if said:
            R, turn = read_rotation(said[0], self.name, "angle" if angle is not None else "rotation")
            if turn is None and self.model is not None and self.model.is_planar:
                raise ModelError("the rotation leaves the plane.", component=self.name, remedy="Give `angle` [rad].")
            self.given.rotation, self.given.turn = R, turn
        if velocity is not None:
            self.given.velocity = self._checked("velocity", velocity, (2,))
        if spin is not None:
            self.given.spin = self._checked("spin", (0, 0, spin) if is_scalar(spin) else spin, (0, 1))
        if self.model is not None:
            self.model.changed()
        return self

    def _checked(self, what: str, given: object, idle: tuple[int, ...]) -> SX:
        """A start vector, refused where it is not finite, or says something that a planar model would ignore."""
        vector = vector_in(given, what, self.name)
        if self.model is not None and self.model.is_planar and not all(_is_zero(vector[i]) for i in idle):
            raise ModelError(f"{what} {given} leaves the plane.", component=self.name, remedy="Use a spatial model.")
        return vector

    def start_pose(self) -> Pose:
        position = as_vector((0, 0)) if self.given.position is None else self.given.position
        if self.given.rotation is None:
            return Pose(position, SX(ca.DM.eye(3)), SX(0))
        return Pose(position, self.given.rotation, self.given.turn)


@component
class Particle(Body):
    """A point mass: it has a place, but no extent. Whatever is attached to it acts at that place."""

    def __init__(self, name: str, *, mass: Mass):
        super().__init__(name, mass=mass, inertia=0)

    def attached(self, model: Model) -> None:
        self.inertia = 0 if model.is_planar else np.zeros((3, 3))
        super().attached(model)

    def at(self, x: Number | Vector = 0, y: Number = 0, z: Number = 0, *, rotation: Rotation | None = None) -> Marker:
        if not all(_is_zero(c) for c in (x, y, z)):
            raise ModelError(
                f"a frame at ({x}, {y}, {z}) on a particle.",
                component=self.name,
                remedy="A particle is a point: attach things at (0, 0), or use m.body(…).",
            )
        return super().at(rotation=rotation)


def _check_apart(places: list[SX], planar: bool, name: str) -> None:
    """Refuse particles in one place, on one line, in one plane: they do not tell how the body lies, or its inertia."""
    if not all(place.is_constant() for place in places):
        return
    first, *others = (np.array(ca.DM(place)).ravel()[: embedding(planar).along] for place in places)
    arms = [place - first for place in others]
    known: list[np.ndarray] = []
    for arm, where in zip(arms, ("in one place", "on one line", "in one plane"), strict=False):
        across = arm - sum(((arm @ e) * e for e in known), np.zeros_like(arm))
        size = float(np.linalg.norm(across))
        if not size > 1e-3 * max(float(np.linalg.norm(x)) for x in arms):
            raise ModelError(f"its particles lie {where}.", component=name, remedy="Place them well apart.")
        known.append(across / size)


def _is_zero(x: object) -> bool:
    return x.is_zero() if isinstance(x, SX) else is_scalar(x) and x == 0


def vector_in(given: object, what: str, name: str) -> SX:
    """2 or 3 finite numbers or expressions, as a column; name: who asks for it."""
    read = kinds.vector.read(given)
    if read is REFUSED:
        raise ModelError(
            f"{what} {shown(given)} is not a vector.", component=name, remedy="Give 2 or 3 finite numbers."
        )
    return as_vector(read)


def read_rotation(rotation: Any, name: str, what: str = "rotation") -> tuple[SX, SX | None]:
    """(matrix, angle about z if that is all) of whatever a user calls a rotation."""
    if rotation is None:
        return SX.eye(3), SX(0)
    if isinstance(rotation, Pose):
        return rotation.R, rotation.turn
    if is_scalar(rotation):
        rotation = kinds.angle.taken(what, rotation, name)
        return rotations.about_z(rotation), SX(rotation)
    if isinstance(rotation, SX) and rotation.shape in ((3, 3), (4, 1)):
        return (rotation if rotation.shape == (3, 3) else rotations.from_quaternion(rotation)), None
    array = numbers.read(rotation)
    array = np.zeros(0) if array is REFUSED else array
    if array.shape == (4,):
        if abs(array @ array) < 1e-12:
            raise ModelError("the quaternion is zero.", component=name, remedy="Give (1, 0, 0, 0) for no rotation.")
        R = np.array(ca.DM(rotations.from_quaternion(ca.DM(array / np.linalg.norm(array)))))
    elif array.shape == (3, 3):
        R = array
    else:
        raise ModelError(
            f"cannot read {what} {shown(rotation)}.",
            component=name,
            remedy="Give an angle, a 3×3 matrix or a quaternion.",
        )
    if not rotations.is_rotation(R):
        raise ModelError(
            "the matrix is not a rotation (columns must be orthonormal, determinant +1).",
            component=name,
            remedy="Check its columns: they are the frame's axes.",
        )
    if np.allclose(R[2], (0, 0, 1)) and np.allclose(R[:, 2], (0, 0, 1)):
        return SX(ca.DM(R)), SX(float(np.arctan2(R[1, 0], R[0, 0])))
    return SX(ca.DM(R)), None


def read_inertia(inertia: object, planar: bool, name: str) -> Any:
    """The number Izz (plane) or the 3×3 matrix (space), symbolic where the user gave symbols."""
    parts = inertia if isinstance(inertia, (list, tuple)) else None
    if planar:
        if not is_scalar(inertia):
            raise ModelError("a planar body has one moment of inertia.", component=name, remedy="Give one number, Izz.")
        return moment.taken("inertia", inertia, name)
    if isinstance(inertia, SX) and inertia.shape == (3, 3):
        return inertia
    rows = REFUSED if isinstance(inertia, SX) else numbers.read(inertia)
    if rows is not REFUSED and rows.shape == (3, 3):
        return rows
    if rows is not REFUSED and rows.shape in ((3,), (6,)):
        parts = rows.tolist()
    elif parts is None or len(parts) not in (3, 6) or any(quantity.read(c) is REFUSED for c in parts):
        parts = None
    if parts is None:
        raise ModelError(
            "a spatial body needs its inertia as (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or a 3×3 matrix.",
            component=name,
            remedy="A thin rod along x, for instance, has (m·r²/2, m·l²/12, m·l²/12).",
        )
    xx, yy, zz, xy, xz, yz = [*parts, 0, 0, 0][:6]
    matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    if any(isinstance(c, SX) for c in parts):
        return ca.vertcat(*(ca.horzcat(*row) for row in matrix))
    return numbers.read(matrix)


def check_mass(name: str, mass: float, inertia: np.ndarray) -> None:
    """Refuse what cannot be integrated; what can, but no real body has, is for `check` to report."""
    if not np.isfinite(mass) or mass < 0:
        raise ModelError(
            f"mass {mass:g} kg is negative." if mass < 0 else f"mass {mass} kg.",
            component=name,
            remedy="Give mass ≥ 0; 0 for a link whose mass does not matter and which joints hold.",
        )
    if inertia.ndim == 0:
        if not np.isfinite(inertia) or inertia < 0:
            raise ModelError(
                f"moment of inertia {float(inertia):g} kg·m² is negative." if inertia < 0 else f"inertia {inertia}.",
                component=name,
                remedy="Give Izz ≥ 0; a uniform rod has m·l²/12.",
            )
        return
    other = inertia.T  # np.allclose takes three times as long, and every run asks this of every body
    if not (np.isfinite(inertia).all() and (abs(inertia - other) <= 1e-15 + 1e-9 * abs(other)).all()):
        raise ModelError(
            "the inertia matrix is not symmetric.", component=name, remedy="Ixy must equal Iyx, and so on."
        )
    smallest = float(lapack.eigvalsh(inertia)[0])
    if smallest < -1e-12 * np.abs(inertia).max():
        raise ModelError(
            f"the inertia matrix has a negative principal moment, {smallest:g} kg·m².",
            component=name,
            remedy="Check the signs of the products of inertia; no moment of inertia is below 0.",
        )


def triangle_violation(inertia: np.ndarray) -> float:
    """By how much [kg·m²] the largest principal moment exceeds the sum of the others; ≤ 0 for a real body."""
    if inertia.ndim == 0:
        return 0.0
    moments = lapack.eigvalsh(inertia)
    return float(moments[2] - moments[0] - moments[1])
