"""The joint contract, and the free coordinates that laws act on."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from inspect import get_annotations
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

import numpy as np

from linkwork.components import by_closure
from linkwork.components.bodies import Ground, Particle, Solid
from linkwork.components.coordinate import Coordinate as Coordinate
from linkwork.core import kinds
from linkwork.core.component import Constraint, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.plain_data import Record
from linkwork.geometry import SX, Number, Pose, Vector, as_vector, rotations

if TYPE_CHECKING:
    from linkwork.core.model import Model

First: TypeAlias = Annotated[
    Marker | Solid | None,
    "frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port, J.port_a)`",
]
Second: TypeAlias = Annotated[
    Marker | Solid | None,
    "frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too",
]
Point: TypeAlias = Annotated[
    Vector | None, kinds.vector["m"], "where the joint is in the world at the start poses, if bodies are joined"
]
Axis: TypeAlias = Annotated[
    Vector | None,
    kinds.vector,
    "direction of its main axis: in the world with bodies, in the frames' own axes with frames",
]

UNITS = {"angle": "rad", "rx": "rad", "ry": "rad", "rz": "rad"}


class JointCoordinate(Coordinate):
    """A free coordinate of a joint."""

    def __init__(self, joint: Joint, index: int, name: str):
        super().__init__()
        self.joint, self.index, self.label = joint, index, name
        self.unit = joint.unit_of(name)
        self.turns = name in joint.turning

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self.joint.name}.{self.label}"

    @property
    def owner(self) -> Joint:
        return self.joint


PORTS = ("port_a", "port_b")


@dataclass(frozen=True)
class JointPort:
    """Where a joint can be connected to a frame of a body: `m.connect(crank.at(0.5, 0), O.port_b)`."""

    owner: Joint
    which: int

    @property
    def label(self) -> str:
        return PORTS[self.which]

    @property
    def name(self) -> str:
        return f"{self.owner.name}.{self.label}"

    def join(self, frame: Marker) -> None:
        self.owner.join(self.which, frame)

    def __repr__(self) -> str:
        return f"<mechanical port {self.name}>"


class Joint(Constraint):
    """Attaches frame M of a first body to frame N of a second one.

    To add a joint: 1. subclass and decorate with `@component`; 2. name the `free` coordinates, in a tuple or, so that
    editors know them, as attributes (`angle: JointCoordinate`); 3. write
    `closure(M, N)`: the scalars that must vanish; `motion(*free)`: the pose of N seen from M; `measure(M, N)`: the
    free coordinates read back. Poses have p, x, y, z. Everything else (Jacobian, reactions, planar form, compliant
    form, recursion) follows from these three. Rows that vanish identically in the plane are dropped. `closure` alone
    will do (AME): the joint is then held by its rows in every formulation, and what its coordinates are is found.
    """

    word = "joint"
    free: ClassVar[tuple[str, ...]] = ()
    plane: tuple[str, ...] | None = None
    """Those of `free` that exist in a planar model; None: the joint is for space only."""
    units: dict[str, str] = {}
    main = "z"
    """Which axis of the frames is the joint's main axis."""
    turning: tuple[str, ...] = ("angle", "angle1", "angle2")
    """Coordinates that count full turns."""

    regular = False
    """Whether its equations are independent wherever its coordinates put the second frame. Only what a class says of
    itself counts: those derived from it may close otherwise."""
    ball = False
    """Whether its last three coordinates are a free rotation (rx, ry, rz), better kept as Euler parameters."""
    vector = True
    """Whether those three are a rotation vector, which wraps at half a turn; else angles, one after the other."""
    sphere = False
    """Whether the origin of N stays at a `length` from that of M."""
    length: Number
    """Of the arm of such a joint [m]."""

    def __init_subclass__(cls, **options: object) -> None:
        """Coordinates that are declared as attributes are `free`."""
        super().__init_subclass__(**options)
        hints = ((label, getattr(hint, "__name__", hint)) for label, hint in get_annotations(cls).items())
        if declared := tuple(label for label, hint in hints if str(hint).endswith("JointCoordinate")):
            cls.free = declared

    @classmethod
    def notes(cls) -> list[str]:
        def listed(labels: tuple[str, ...]) -> str:
            return ", ".join(f"{label} [{cls.unit_of(label)}]" for label in labels) or "none"

        plane = "space only" if cls.plane is None else f"in the plane: {listed(cls.plane)}"
        return [f"Free coordinates: {listed(cls.free)}; {plane}."]

    @classmethod
    def unit_of(cls, label: str) -> str:
        """Unit of a free coordinate."""
        return cls.units.get(label) or UNITS.get(label.rstrip("0123456789"), "m")

    def __init__(self, name: str, first: First, second: Second, *, point: Point = None, axis: Axis = None):
        super().__init__(name)
        self._ends, self._point, self._axis = (first, second), point, axis
        self._check_ends()
        self._frames: tuple[int, tuple[Marker, Marker]] | None = None
        self._chosen: by_closure.Chosen | None = None
        self.coordinates = tuple(JointCoordinate(self, i, label) for i, label in enumerate(self.free))

    def _check_ends(self) -> None:
        first, second = self._ends
        for end in (first, second):
            if not isinstance(end, (Solid, Marker, NoneType)):
                raise ModelError(
                    f"{end!r} is neither a body nor a frame.",
                    component=self.name,
                    remedy="Give `body.at(x, y)` or a body with point=(…).",
                )
        if first is None or second is None:
            return
        if _body(first) is _body(second):
            raise ModelError(
                f"joins {_body(first).name!r} to itself.",
                component=self.name,
                remedy="A joint needs two different bodies.",
            )
        if self._point is not None and isinstance(first, Marker) and isinstance(second, Marker):
            raise ModelError(
                "point is given, but both ends are frames already.",
                component=self.name,
                remedy="Give two bodies with point=…, or two frames without it.",
            )

    @property
    def port_a(self) -> JointPort:
        """Its port on the first body: twist and wrench of frame M."""
        return JointPort(self, 0)

    @property
    def port_b(self) -> JointPort:
        """Its port on the second body: twist and wrench of frame N."""
        return JointPort(self, 1)

    def join(self, which: int, frame: Marker) -> None:
        """Let a frame of a body be M (0) or N (1)."""
        ends = self._ends
        if ends[which] is not None:
            raise ModelError(
                "is connected already.", component=f"{self.name}.{PORTS[which]}", remedy="Connect it once."
            )
        self._ends = (frame, ends[1]) if which == 0 else (ends[0], frame)
        try:
            self._check_ends()
        except ModelError:
            self._ends = ends
            raise
        self._frames = None
        if self.model is not None and self._joined:
            self._complete(self.model)

    @property
    def _joined(self) -> bool:
        return None not in self._ends

    @abstractmethod
    def closure(self, M: Pose, N: Pose) -> list[SX]:
        raise NotImplementedError

    def motion(self, *free: Any) -> Pose:
        raise ModelError(
            f"{type(self).__name__} does not say where its second frame is for given coordinates.",
            component=self.name,
            remedy="Write its `motion`.",
        )

    def place(self, *guided: Any) -> Pose:
        """Where the origin of N is seen from M, in a joint whose last three coordinates are a free rotation."""
        raise ModelError("it guides no point.", component=self.name, remedy="Use `motion`.")

    def measure(self, M: Pose, N: Pose) -> list[SX]:
        assert self._chosen is not None
        six = by_closure.read(M, N, self._chosen.angle)
        return [six[self._chosen.number[label]] if label in self._chosen.number else SX(0) for label in self.free]

    @property
    def measured(self) -> bool:
        """Whether it leaves it open how its coordinates are read: they are found from its equations."""
        return type(self).measure is Joint.measure

    @property
    def explicit(self) -> bool:
        """Whether it says where its second frame is for given coordinates; else its equations alone hold it."""
        return type(self).motion is not Joint.motion

    @property
    def always_regular(self) -> bool:
        """Whether its own class says that its equations never depend on each other."""
        return bool(vars(type(self)).get("regular", False))

    def clearance(self, label: str, M: Pose, N: Pose) -> SX:
        """Share of a turning coordinate's rate that counts turns: less than 1 near a pole, where it may be anything."""
        return SX(1)

    @property
    def first(self) -> Marker:
        return self.markers()[0]

    @property
    def second(self) -> Marker:
        return self.markers()[1]

    def markers(self) -> tuple[Marker, Marker]:
        """Frames M and N, found anew whenever the model has changed (start poses may place them)."""
        if not self._joined:
            port = PORTS[self._ends.index(None)]
            raise ModelError(
                f"its {port} is not connected.",
                component=self.name,
                remedy=f"m.connect(body.port, {self.name}.{port}), or give both frames where the joint is made.",
            )
        revision = -1 if self.model is None else self.model.revision
        if self._frames is None or self._frames[0] != revision:
            self._frames = (revision, (self._resolved(0), self._resolved(1)))
        return self._frames[1]

    def moved(self, values: Mapping[str, Number]) -> Pose:
        """Pose of N seen from M for the given coordinates by label; 0 where none is given."""
        return self.motion(*(values.get(label, 0) for label in self.free))

    def guessed(self, values: Mapping[str, Any]) -> Pose:
        """About where N is seen from M for these coordinates."""
        values = kinds.mapping.taken("values", values, self.name)
        if self.explicit:
            return self.moved(values)
        if self._chosen is None:
            return by_closure.pose_of([0.0] * 6)
        six: list[Any] = self._chosen.pose.tolist()
        for label, k in self._chosen.number.items():
            six[k] = values.get(label, 0)
        return by_closure.pose_of(six)

    def rows(self, view: View) -> list[SX]:
        return self.closure(view.frame(self.first), view.frame(self.second))

    def alignment(self, which: int) -> np.ndarray:
        """Rotation that turns frame `which` so that its main axis points along `axis`."""
        return rotations.align(self._direction(self._axis), self.main)

    def _resolved(self, which: int) -> Marker:
        end, other = (e.at() if isinstance(e, Particle) else e for e in (self._ends[which], self._ends[1 - which]))
        if isinstance(end, Marker):
            return end if self._axis is None else Marker(end.body, end.pose @ self._turned(which), end.in_world)
        if self._point is None and isinstance(other, Marker):
            return Marker(end, self._resolved(1 - which).at_start, in_world=True)
        point = self._point if self._point is not None else self._default_point()
        place = Pose(as_vector(point), *_plain_rotation())
        return Marker(end, place if self._axis is None else place @ self._turned(which), in_world=True)

    def _default_point(self) -> SX:
        first, second = self._ends
        chosen = first if isinstance(second, Ground) else second
        assert chosen is not None
        return _body(chosen).start_pose().p

    def _turned(self, which: int) -> Pose:
        return _rotated(self.alignment(which).tobytes())

    def _direction(self, axis: Any) -> np.ndarray:
        try:
            d = np.array([float(c) for c in axis])
        except (TypeError, ValueError, RuntimeError):
            raise ModelError(
                "axis must be numbers.", component=self.name, remedy="For instance axis=(0, 1, 0)."
            ) from None
        if d.size not in (2, 3) or not np.linalg.norm(d) > 0:
            raise ModelError(
                f"axis {tuple(axis)} has no direction.", component=self.name, remedy="Give a nonzero vector."
            )
        return d

    def attached(self, model: Model) -> None:
        if model.is_planar:
            if self.plane is None:
                raise ModelError(
                    f"a {type(self).__name__} joint has no meaning in the plane.",
                    component=self.name,
                    remedy="Use a spatial model (gravity with 3 numbers), or revolute, prismatic, distance.",
                )
            self.coordinates = tuple(c for c in self.coordinates if c.label in self.plane)
        if self._axis is not None and model.is_planar and self.main == "z":
            raise ModelError("the axis is z in the plane.", component=self.name, remedy="Leave axis out.")
        if self._joined:
            self._complete(model)

    def said_later(self) -> Record:
        return super().said_later() | {c.label: c.said() for c in self.coordinates}

    def _complete(self, model: Model) -> None:
        """What can be known of it once both its frames are known."""
        if not self.explicit or self.measured:
            self._choose(model)

    def _choose(self, model: Model) -> None:
        """Find out what its coordinates are."""
        self._chosen = chosen = by_closure.choose(self, model)
        for c in self.coordinates if self.measured else ():
            k = chosen.number[c.label]
            c.unit, c.turns = ("rad" if k >= 3 else "m"), k == chosen.angle and not model.is_planar

    if not TYPE_CHECKING:  # type checkers know the attributes that are declared

        def __getattr__(self, name: str) -> JointCoordinate:
            for c in self.__dict__.get("coordinates", ()):
                if c.label == name:
                    return c
            if name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(
                f"{type(self).__name__} {self.__dict__.get('name', '')!r} has no {name!r};"
                f" its free coordinates are {', '.join(self.free) or 'none'}."
            )

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.free})


@lru_cache(maxsize=1024)
def _rotated(numbers: bytes) -> Pose:
    """A rotation in place; many joints share theirs."""
    R = np.frombuffer(numbers).reshape(3, 3)
    spin = float(np.arctan2(R[1, 0], R[0, 0])) if np.allclose(R[:, 2], (0, 0, 1)) else None
    return Pose(as_vector((0, 0)), SX(R), None if spin is None else SX(spin))


def _body(end: Marker | Solid) -> Solid:
    body: Solid = end.body if isinstance(end, Marker) else end
    return body


def _plain_rotation() -> tuple[SX, SX]:
    return SX(np.eye(3)), SX(0)


EVERY_JOINT = frozenset(
    "name model made_by compliance coordinates _said _said_first _open _ends _point _axis _frames _chosen".split()
)
"""What a joint holds whatever its class."""


def says_nothing_more(joint: Joint) -> bool:
    """Whether its equations hang on its class alone: one of the library, with no lengths or laws of its own in them."""
    own = type(joint).__module__.startswith("linkwork.") and joint.explicit and not joint.measured
    return own and joint.__dict__.keys() <= EVERY_JOINT
