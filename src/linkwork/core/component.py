"""Contracts of what a model is made of. Formulations see these, never `Revolute` or `Spring`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Unpack

from linkwork.core.arguments import method
from linkwork.core.compliance import Compliance, ComplianceWords
from linkwork.core.declared import Declared
from linkwork.core.errors import ModelError
from linkwork.core.kinds import text
from linkwork.core.plain_data import Record
from linkwork.geometry import SX, Number, Pose, Twist, as_vector, is_scalar

if TYPE_CHECKING:
    from linkwork.core.model import Model


_inside: ContextVar[str] = ContextVar("inside", default="")
"""The name of the submodel that is being built, with a dot behind it: whatever is made now is part of it."""


@contextmanager
def naming(prefix: str) -> Iterator[None]:
    """Names given inside are completed by that of a submodel."""
    token = _inside.set(f"{prefix}.")
    try:
        yield
    finally:
        _inside.reset(token)


def checked_name(name: str) -> str:
    """The name itself, if channels and file formats can carry it."""
    if not isinstance(name, str) or not name or any(c in name for c in " .*?[]/,"):
        raise ModelError(
            f"{name!r} cannot be a name.", remedy="Use letters, digits, '-' and '_', for instance 'crank_2'."
        )
    return name


def path_name(name: str) -> str:
    """The name itself, which may be that of a part of a submodel: "front.hub"."""
    for part in name.split(".") if isinstance(name, str) else [name]:
        checked_name(part)
    return name


def full_name(name: str) -> str:
    """The name in the model, behind that of the submodel that is being built: "hub" in "front" is "front.hub"."""
    prefix = _inside.get()
    own = name.removeprefix(prefix) if isinstance(name, str) else name  # made by a part that has its full name already
    return prefix + checked_name(own)


class Component(Declared):
    """Anything with a name in a model."""

    word = "own"
    """What a message calls it: "Use this model's body"."""

    kept_apart: ClassVar[tuple[str, ...]] = ("model", "name", "made_by", "compliance", "particle_places")
    """Attributes that methods of its own set, which `said_later` tells."""

    made_by = ""
    """The component that has made this one while it joined the model; "": the user has."""

    @staticmethod
    def _owner(given: Mapping[str, object]) -> Any:
        return given.get("name")

    def __init__(self, name: str):
        self.name = full_name(name)
        self.model: Model | None = None

    def __setattr__(self, name: str, value: object) -> None:
        """Whatever is changed by hand (`body.mass = 3`) makes what was derived from the model obsolete."""
        model = self.__dict__.get("model")
        if model is not None:
            value = self._changed_to(name, value)
        object.__setattr__(self, name, value)
        if name not in self.kept_apart:
            self._remember(name, value)
        if model is not None and name != "model" and not name.startswith("_"):
            model.changed()

    @classmethod
    def notes(cls) -> list[str]:
        """Lines for its documentation, after its arguments."""
        return []

    def said_later(self) -> Record:
        """What was said of it beside the arguments of its constructor, by word: starts, laws, shapes."""
        return {}

    def attached(self, model: Model) -> None:
        """Called when the component joins a model: the place to check it against the model."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


@dataclass(frozen=True, eq=False)
class Marker:
    """A frame fixed on a body, given in body axes, or in the world at the body's start pose."""

    body: Any
    pose: Pose
    in_world: bool = False

    @property
    def local(self) -> Pose:
        """Pose in the body frame (origin at the mass centre); kept until the model changes."""
        if not self.in_world:
            return self.pose
        model = self.body.model
        if model is None:
            return self.body.start_pose().inverse() @ self.pose
        pose: Pose | None = model.memory.get(("local", self))
        if pose is None:
            pose = model.memory["local", self] = self.body.start_pose().inverse() @ self.pose
        return pose

    @property
    def at_start(self) -> Pose:
        """Pose in the world when the body is where its start data put it."""
        return self.pose if self.in_world else self.body.start_pose() @ self.pose

    @property
    def port(self) -> Marker:
        """Itself, as something to connect: `m.connect(crank.at(0.5, 0).port, A.port_a)`."""
        return self

    def __repr__(self) -> str:
        return f"<frame on {self.body.name}>"


@dataclass(frozen=True)
class Frame(Pose):
    """A pose that moves: v velocity of its origin, w angular velocity, both in world axes."""

    v: SX = field(default_factory=lambda: SX(3, 1))
    w: SX = field(default_factory=lambda: SX(3, 1))

    @property
    def twist(self) -> Twist:
        """At its origin."""
        return Twist(self.v, self.w)


class View(Protocol):
    """What a formulation shows of the moving mechanism to joints, laws and forces (all symbolic, world axes)."""

    t: SX
    planar: bool

    def frame(self, marker: Marker) -> Frame: ...

    def coordinate(self, coordinate: Any) -> SX: ...

    def rate(self, coordinate: Any) -> SX: ...

    def reaction(self, joint: Any) -> tuple[SX, SX]:
        """Force and moment of a joint on its second body, at its second frame: for rates and channels only."""
        ...


class MovingView(View, Protocol):
    """A view of a mechanism that also says how fast it moves."""

    v: SX
    """Speeds of all bodies and variables."""
    speeds: SX
    """All speeds that expressions are written in."""

    def time_derivative(self, x: SX) -> SX: ...


class Constraint(Component):
    """Equations that hold between moving frames.

    `rows` vanish at position level; `speed_rows` vanish at velocity level only (nonholonomic, speed drives).
    """

    compliance: Compliance | None = None
    """How soft, where this constraint is enforced by springs in an otherwise ideal model."""

    @method(how=text)
    def enforce(self, how: str, **compliance: Unpack[ComplianceWords]) -> Constraint:
        """ "ideal" (by multipliers or by the choice of coordinates) or "compliant" (by stiff springs and dampers).

        compliance: how soft, as `lw.Compliance` takes it.
        """
        if how not in ("ideal", "compliant"):
            raise ModelError(
                f"{how!r}.", component=self.name, remedy="Constraints are enforced 'ideal' or 'compliant'."
            )
        self.compliance = _compliance(self.name, compliance) if how == "compliant" else None
        if self.model is not None:
            self.model.changed()
        return self

    def said_later(self) -> Record:
        return super().said_later() | {"compliance": self.compliance}

    def markers(self) -> tuple[Marker, ...]:
        return ()

    def rows(self, view: View) -> list[SX]:
        return []

    def speed_rows(self, view: View) -> list[SX]:
        return []

    def held_by(self, view: View, multipliers: list[SX]) -> dict[str, tuple[str, SX]]:
        """Forces to record by name → (unit, value); multipliers: λ of its rows, then of its speed rows, −λ ∂Φ̇/∂v."""
        return {}


def _compliance(owner: str, given: ComplianceWords) -> Compliance:
    """What was given, refused in the name of its owner."""
    if unknown := [word for word in given if word not in Compliance.__dataclass_fields__]:
        raise ModelError(
            f"{unknown[0]!r} says nothing of how soft it is.",
            component=owner,
            remedy=f"Give {', '.join(Compliance.__dataclass_fields__)}.",
        )
    try:
        return Compliance(**given)
    except ModelError as error:
        raise ModelError(error.cause, component=owner, remedy=error.remedy) from None


@dataclass(frozen=True)
class Load:
    """Force [N] acting at a marker's origin and torque [N·m], world axes, on the marker's body."""

    marker: Marker
    force: SX
    torque: SX

    def __post_init__(self) -> None:
        """2 numbers will do in the plane, and one for a torque."""
        for word in ("force", "torque"):
            try:
                given = getattr(self, word)
                alone = word == "torque" and is_scalar(given)
                object.__setattr__(self, word, as_vector((0, 0, given) if alone else given))
            except (TypeError, ValueError, NotImplementedError):
                raise ModelError(
                    f"the {word} of a load is {getattr(self, word)!r}.", remedy="Give 3 numbers or expressions."
                ) from None


@dataclass(frozen=True)
class State:
    """A first-order state: its symbol, its rate ż (both scalar), where it starts, its unit (None: not recorded)."""

    name: str
    symbol: SX
    rate: SX
    start: Number = 0.0
    unit: str | None = ""


class Element(Component):
    """Anything that stores, loses, passes on or supplies energy: forces, and what other domains bring.

    `states` are first-order states of its own; `loads` act on bodies; the energies are for the balance.
    """

    def states(self, view: View) -> list[State]:
        return []

    def loads(self, view: View) -> list[Load]:
        return []

    def efforts(self, view: View) -> list[tuple[Any, SX]]:
        """(coordinate, effort [N or N·m]) along coordinates, beside the loads on bodies."""
        return []

    def potential(self, view: View) -> Number:
        """Stored energy [J]."""
        return 0

    def dissipation(self, view: View) -> Number:
        """Power turned into heat [W], ≥ 0."""
        return 0

    def supply(self, view: View) -> Number:
        """Power that comes in from outside [W], beside that of its loads."""
        return 0

    def switches(self, view: View) -> list[SX]:
        """Expressions at whose zeros the element has a kink: the integrator starts anew there."""
        return []

    def watched(self, view: View) -> dict[str, SX]:
        """What is recorded as an event where it rises through zero: what happens → value."""
        return {}

    def channels(self, view: View) -> dict[str, tuple[str, SX]]:
        """Further quantities to record: name → (unit, value)."""
        return {}

    passive = True
    """Whether its loads only pass energy on that is accounted for elsewhere (stored, lost, or in another domain)."""


class Force(Element):
    """Applied forces.

    To add a force: 1. subclass and decorate with `@component`; 2. return the `loads`; 3. if it stores energy, say
    how much in `potential`, if it loses some, the power in `dissipation`. What is left of the loads' power counts as
    supplied from outside, unless `passive` says that nothing is. `channels` may add quantities to record.
    """

    passive = False

    @abstractmethod
    def loads(self, view: View) -> list[Load]:
        raise NotImplementedError
