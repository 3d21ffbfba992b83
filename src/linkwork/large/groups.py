"""A model as tables: its components by kind, with the bodies they join and the numbers they hold."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Ground
from linkwork.components.events import Event
from linkwork.components.joint import Joint
from linkwork.components.points import Point
from linkwork.core.component import Component, Constraint, Element
from linkwork.core.courses import Taken
from linkwork.core.equations import Row
from linkwork.core.errors import LinkworkError
from linkwork.core.signal import course_of
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX
from linkwork.large.attributes import is_own
from linkwork.large.borrowed import NAME as BORROWED
from linkwork.large.borrowed import CourseOfOne
from linkwork.large.kernel import Entry, Kernel
from linkwork.large.kernels import ACCOUNTS, Kind
from linkwork.large.prototypes import Instance, Prototype, as_named, instance_of, prototype_of
from linkwork.large.slots import Unfit
from linkwork.large.trial import tried

if TYPE_CHECKING:
    from linkwork.core.model import Model

Places: TypeAlias = dict[str, Any]
"""By word: where numbers of that name begin, or where all are, an array with a row for each body."""
KIND_LIMIT = 200
"""Kinds of components beyond which there is no point in kernels: nearly every component is one of its own."""
MANY = f"it is one of more than {KIND_LIMIT} kinds of components"


Softness: TypeAlias = Mapping[str, Mapping[Row, tuple[float, float]]]
"""Stiffness and damping of rows, by the name of the constraint and by its rows as its prototype calls them."""


@dataclass
class Group:
    """Components of one kind, in the order of the model."""

    kind: Kind
    members: list[Component]
    bodies: np.ndarray
    """Numbers of the bodies each one joins, (members, bodies)."""
    table: np.ndarray
    """Slots that are numbers, (members, slots)."""
    lifted: np.ndarray
    """Which of the model's lifted expressions its other slots are."""
    taken: np.ndarray
    """Which of what the model follows over time each one follows, (members, those of the kind)."""
    joints: list[list[Joint]]
    """By member: those whose coordinates it reads."""
    states: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    """Where its own first-order states are in z."""
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Where the rows of each one begin, among all."""
    blocks: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Number of each one's block of rows."""
    borrowed: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    """Where states of these joints are in z, (members, states)."""

    @property
    def own(self) -> np.ndarray:
        """Of groups of bodies, or links: the body of each."""
        return self.bodies[:, -1]

    def gather(self, kernel: Kernel, places: Places, tables: Tables) -> np.ndarray:
        """Where a kernel's inputs are; places: where t, q, v, z, p, lifted, a, multipliers begin."""
        return np.column_stack(
            [np.zeros((len(self.members), 0), dtype=np.int64), *(self.at(e, places, tables) for e in kernel.gathered)]
        )

    def at(self, entry: Entry, places: Places, tables: Tables) -> np.ndarray:
        what, k = entry
        if isinstance(places.get(what), np.ndarray):
            return places[what][self.own, k]
        if what in ("t", "p", "chain"):
            return np.full(len(self.members), places[what] + k)
        if what == "lifted":
            return places[what] + self.lifted[:, k]
        if what in ("z", "zdot"):
            return places[what] + self.states[:, k]
        if what == "borrowed":
            return places["z"] + self.borrowed[:, k]
        if what == "taken":
            return places["p"] + tables.given + self.taken[:, k]
        if what == "multipliers":
            return places[what] + self.rows + k
        size = tables.coordinates if what == "q" else tables.speeds
        return places[what] + size * self.bodies[:, k // size] + k % size


class Tables:
    """All groups of a model, and where everything is."""

    def __init__(
        self, model: Model, stabilisation: Projection | Baumgarte | None = None, softness: Softness | None = None
    ):
        """softness: of the constraints that are springs, by name."""
        self.model = model
        self._softness: Softness = softness or {}
        self.bodies: list[Body] = model.of_type(Body)
        self.coordinates, self.speeds = (3, 3) if model.is_planar else (7, 6)
        self.nq, self.nv = (n * len(self.bodies) for n in (self.coordinates, self.speeds))
        self.parameters = ca.vertcat(SX(0, 1), *model.symbols(model.parameters))
        self._given = [*model.symbols(model.parameters), *model.symbols(model.inputs)]
        self.taken: list[Taken] = []
        """What is followed over time beside the inputs; it follows them in p."""
        self._followed: dict[int, int] = {}
        self._courses: dict[Hashable, Taken] = {}
        self._seen = 0
        """How many of the model's are among them."""
        self._lifted: dict[int, tuple[int, SX]] = {}
        self._numbers = {b.name: k for k, b in enumerate(self.bodies)}
        self._stabilisation = stabilisation
        self.groups = self._grouped()
        self._number_rows()
        self._number_states()

    @property
    def given(self) -> int:
        """Parameters and inputs."""
        return len(self._given)

    @property
    def p(self) -> list[SX]:
        return [*self._given, *(x.symbol for x in self.taken)]

    def _grouped(self) -> list[Group]:
        by_key: dict[Hashable, list[Instance]] = {}
        for component in self.model.components.values():
            if isinstance(component, Ground):
                continue
            if not isinstance(component, (Body, Constraint, Element, Point, Event)):
                raise Unfit(component.name, f"{type(component).__name__} has no kernels")
            _sort(by_key, self._instance(component))
        groups: list[Group] = []
        for alike in by_key.values():
            groups += self._groups(alike)
            if len(groups) > KIND_LIMIT:
                raise Unfit(alike[0].component.name, MANY)
        return groups

    def _instance(self, component: Component, *, strict: bool = False) -> Instance:
        soft = self._softness.get(component.name)
        return instance_of(self.model, component, self._numbers, strict=strict, soft=soft)

    def _groups(self, alike: list[Instance]) -> list[Group]:
        """One; where code looks at numbers, or a table is not looked up by time, one for each that differs in them."""
        try:
            return [self._group(alike)]
        except (LinkworkError, Unfit, _Doubtful) as reason:
            by_key: dict[Hashable, list[Instance]] = {}
            for one in alike:
                _sort(by_key, self._instance(one.component, strict=True))
            if next(iter(by_key)) == alike[0].key:  # there is nothing more to tell them apart by
                raise _unfit(reason, alike[0]) from reason
        try:
            return [self._group(same) for same in by_key.values()]
        except (LinkworkError, Unfit, _Doubtful) as reason:
            raise _unfit(reason, alike[0]) from reason

    def _group(self, alike: list[Instance]) -> Group:
        first = alike[0]
        fixed = [not isinstance(x, SX) for x in first.slots]
        prototype = prototype_of(self.model, first, self._stabilisation)
        self.check_trial(prototype, alike)
        kind = Kind(prototype, first.component.name, fixed)
        return Group(kind, *self._columns(kind, alike, fixed))

    def check_trial(self, prototype: Prototype, alike: list[Instance]) -> None:
        """Components of a kind must do the same."""
        if alike[0].doubtful and not _tried(prototype, alike):
            raise _Doubtful

    def _columns(
        self, kind: Kind, alike: list[Instance], fixed: list[bool]
    ) -> tuple[list[Component], np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[list[Joint]]]:
        """Components of a kind, their bodies, their numbers, and which lifted expressions are theirs."""
        kind.p_entries(self._given)
        table = [[x for x, fix in zip(one.slots, fixed, strict=True) if fix] for one in alike]
        lifted = [[self._lift(x) for x in one.slots if isinstance(x, SX)] for one in alike]
        taken = [[self._take(x, one) for x in kind.taken] for one in alike]
        return (
            [one.component for one in alike],
            np.array([one.bodies for one in alike], dtype=np.int64),
            np.array(table, dtype=float).reshape(len(alike), -1),
            np.array(lifted, dtype=np.int64).reshape(len(alike), -1),
            np.array(taken, dtype=np.int64).reshape(len(alike), -1),
            [one.joints for one in alike],
        )

    def _take(self, taken: Taken, one: Instance) -> int:
        """Number of what a component follows over time: a table of its own in the place of that of its kind."""
        if isinstance(taken.source, CourseOfOne):
            table = one.tables[taken.source.number]
            where = table, taken.scale, taken.shift, taken.order
            if where not in self._courses:
                course_of(table, taken.scale * self.model.t + taken.shift)
                fresh = self.model.courses.taken[self._seen :]
                self._courses.update({(x.source, x.scale, x.shift, x.order): x for x in fresh})
                self._seen += len(fresh)
            taken = self._courses[where]
        number = self._followed.setdefault(taken.symbol.element_hash(), len(self.taken))
        if number == len(self.taken):
            self.taken.append(taken)
        return number

    def _lift(self, x: SX) -> int:
        return self._lifted.setdefault(x.element_hash(), (len(self._lifted), x))[0]

    @property
    def lifted(self) -> list[SX]:
        """Expressions of parameters that are slots somewhere."""
        return [x for _, x in self._lifted.values()]

    @cached_property
    def _place(self) -> dict[str, tuple[Group, int]]:
        return {c.name: (g, k) for g in self.groups for k, c in enumerate(g.members)}

    def in_order(self, *kinds: type[Component]) -> Iterable[tuple[Group, int]]:
        """Components of these kinds in the order of the model: their group, and their number in it."""
        return (self._place[c.name] for c in self.model.components.values() if isinstance(c, kinds))

    def _number_rows(self) -> None:
        """Rows and blocks of joints and other constraints, in the order of the model."""
        self.ends: list[tuple[int, ...]] = []
        self.sizes: list[int] = []
        self.firm: list[bool] = []
        """By block: whether it is a joint, whose rows are independent on each of its bodies alone."""
        for group in self.groups:
            group.rows = np.zeros(len(group.members), dtype=np.int64)
            group.blocks = np.zeros(len(group.members), dtype=np.int64)
        m = 0
        for group, k in self.in_order(Constraint):
            group.rows[k], group.blocks[k] = m, len(self.ends)
            if group.kind.rows:
                self.firm.append(isinstance(group.members[k], Joint))
                self.ends.append(tuple(group.bodies[k].tolist()))
                self.sizes.append(len(group.kind.rows))
                m += len(group.kind.rows)
        self.m = m

    def _number_states(self) -> None:
        """First-order states as straight-line code has them: counters of turns, those of components, work."""
        names: list[str] = []
        counting: list[bool] = []
        for group in self.groups:
            group.states = np.zeros((len(group.members), len(group.kind.own_states)), dtype=np.int64)
        for counts in (True, False):
            for group, k in [*self.in_order(Joint), *self.in_order(Element)]:
                for n, own in enumerate(group.kind.counting):
                    if own is counts:
                        group.states[k, n] = len(names)
                        names.append(named(group, k, group.kind.state_names[n]))
                        counting.append(counts)
        place = {name: k for k, name in enumerate(names)}
        for group in self.groups:
            states = group.kind.borrowed.values()
            where = [[self._followed_turns(place, *_of_model(s, joints)) for s in states] for joints in group.joints]
            group.borrowed = np.array(where, dtype=np.int64).reshape(len(group.members), -1)
        self.accounts = [a for a in ACCOUNTS if any(a in g.kind.accounts for g in self.groups)]
        self.z_names = [*names, *self.accounts]
        self.counting = [*counting, *(False for _ in self.accounts)]

    def _followed_turns(self, place: dict[str, int], joint: Joint, label: str) -> int:
        """Where a coordinate of a joint counts its turns, from the first state of z on."""
        return place[f"{joint.name}.{label}"]

    @property
    def nz(self) -> int:
        return len(self.z_names)

    @property
    def ny(self) -> int:
        return self.nq + self.nv + self.nz

    @property
    def unknowns(self) -> int:
        return self.nv + self.m


def _sort(by_key: dict[Hashable, list[Instance]], one: Instance) -> None:
    if not one.bodies:
        raise Unfit(one.component.name, "it is on the ground alone")
    by_key.setdefault(one.key, []).append(one)
    if len(by_key) > KIND_LIMIT:
        raise Unfit(one.component.name, MANY)


class _Doubtful(Exception):
    """Components of one kind do not do the same."""


def _tried(prototype: Prototype, alike: list[Instance]) -> bool:
    try:
        return tried(prototype, alike)
    except Exception:  # whatever a stranger's code does with numbers where it had symbols
        return False


def _unfit(reason: LinkworkError | Unfit | _Doubtful, one: Instance) -> LinkworkError | Unfit:
    """What is wrong with a class of the user's here may be right in straight-line code."""
    if isinstance(reason, _Doubtful):
        return Unfit(one.component.name, "what it does hangs on more than its numbers")
    if isinstance(reason, Unfit) or not is_own(one.component):
        return reason
    return Unfit(one.component.name, f"its kernel cannot be made, as {reason.cause.rstrip('.')}")


def _of_model(state: str, joints: list[Joint]) -> tuple[Joint, str]:
    """Whose a state of a joint beside a component is: "#joint0.angle" is one of its first joint."""
    number, _, label = state.removeprefix(BORROWED).partition(".")
    return joints[int(number)], label


def named(group: Group, k: int, name: str) -> str:
    """A name in a prototype as it is in the model."""
    return as_named(name, group.members[k])
