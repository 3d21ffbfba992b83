"""The numbers in a component, apart from what it is: components that differ in them alone share their kernels.

A slot is a number that a kernel takes as an argument. Its value is a number, or an expression of parameters. What else
a component holds (words, functions, expressions of time and inputs, zeros) is part of what it is: its key. So is a
number that may not be an expression, or that a class of the user's does not declare, as code may ask what it is.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from inspect import ismethod
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeAlias

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Ground, Solid
from linkwork.components.contacts.outlines import Convex, Outline
from linkwork.components.joint import Joint, JointCoordinate
from linkwork.components.joint_frames import body_of_frame, frame_as_given
from linkwork.components.laws import Law
from linkwork.core.component import Component, Constraint, Marker
from linkwork.core.courses import Courses
from linkwork.core.signal import Table
from linkwork.geometry import SX, Pose
from linkwork.large.attributes import DERIVED, PLACED, found_by, is_own, takes_expressions
from linkwork.large.borrowed import CourseOfOne
from linkwork.large.sameness import contents, holding, same

if TYPE_CHECKING:
    from linkwork.core.model import Model

Slot: TypeAlias = float | SX
Give: TypeAlias = Callable[[Slot], Any]
"""Takes a number, and says what stands for it: a symbol, in a kernel."""

HELD = (int, float, np.number, Table, FunctionType)
"""What of the things that a function holds may be other things in another one."""


class Unfit(Exception):
    """Why a model cannot be run by kernels: a component, and what of it."""

    def __init__(self, component: str, cause: str):
        super().__init__(f"{component}: {cause}")
        self.component, self.cause = component, cause


class Reader:
    """Walks through what a component holds."""

    def __init__(
        self,
        model: Model,
        ends: Callable[[Solid], Any],
        give: Give | None = None,
        borrow: Callable[[Joint, dict[str, Any]], Joint] | None = None,
        *,
        courses: Courses | None = None,
        strict: bool = False,
    ):
        """ends: the body, of a prototype, that stands for one of the model; give: what stands for a number; borrow: the
        joint that stands for one whose coordinates are read; courses: a prototype's. None: all is only collected.

        strict: every number of the user's classes is part of the key, and so is every table.
        """
        self.model, self.ends, self.borrow, self.strict, self._courses = model, ends, borrow, strict, courses
        self.slots: list[Slot] = []
        self.tables: list[Table] = []
        """Those that are looked up by time alone."""
        self.joints: list[Joint] = []
        """Those of the model whose coordinates it reads."""
        self._borrowed: dict[Joint, Joint] = {}
        self.collects = give is None
        self.give: Give = self._collect if give is None else give
        self.parameters = {s.element_hash() for s in model.symbols(model.parameters)}
        self._states: dict[int, int] = {}
        """Symbols of its own, by hash: a number for each."""
        self.doubtful = False
        """Whether code of the user's has numbers that may be more to it than numbers."""
        self.key: list[object] = []
        self._thing: object = None
        self._fixed = False
        """Whether numbers are part of the key."""

    def _collect(self, x: Slot) -> int:
        self.slots.append(x)
        return 0

    def component(self, component: Component) -> dict[str, Any]:
        """Its attributes, with slots for their numbers."""
        self.key += [type(component), isinstance(component, Constraint) and component.compliance is not None]
        if any("__slots__" in vars(c) for c in type(component).__mro__ if not c.__module__.startswith("linkwork.")):
            self.key.append(("itself", id(component)))
        skipped = DERIVED | found_by(component)
        is_joint = isinstance(component, Joint)
        held = self._attributes(component, component.name, skipped | PLACED if is_joint else skipped)
        if isinstance(component, Joint):
            held["_ends"] = tuple(self.end(component, which) for which in (0, 1))
            held |= {"_axis": None, "_point": None, "_frames": None}
        return held

    def _attributes(self, thing: Component | Law, owner: str, skipped: set[str]) -> dict[str, Any]:
        before, held = (self._thing, self._fixed), {}
        self.doubtful |= is_own(thing)
        made: Any = type(thing)
        for word, value in vars(thing).items():
            if word not in skipped:
                self.key.append(word)
                declared = takes_expressions(made, word)
                undeclared = self.strict and is_own(thing)
                self._thing, self._fixed = thing, undeclared if declared is None else not declared
                held[word] = self.value(owner, word, value)
        self._thing, self._fixed = before
        return held

    def value(self, owner: str, word: str, value: Any) -> Any:
        """What stands for something that is held."""
        if value is None or isinstance(value, bool | str | np.bool_):
            self.key.append(value)
            return value
        if isinstance(value, int | float | np.number):
            return self._by_value(value) if self._fixed else self.number(float(value))
        if isinstance(value, SX):
            return self.expression(value)
        if type(value) in (list, tuple):
            self.key.append((type(value), len(value)))
            return type(value)(self.value(owner, word, x) for x in value)
        if type(value) is dict:
            self.key.append((dict, tuple(same(x) for x in value)))
            return {name: self.value(owner, word, x) for name, x in value.items()}
        if isinstance(value, np.ndarray) and value.dtype.kind in "if":
            return self._array(value)
        if isinstance(value, Marker):
            return self.marker(owner, value)
        if isinstance(value, Table):
            return self._table(value)
        if isinstance(value, Outline):
            return self._outline(owner, word, value)
        if isinstance(value, Component | JointCoordinate):
            return self._other(owner, value)
        if ismethod(value) and value.__self__ is self._thing:
            self.key.append(("method", value.__func__))
            return _Method(value.__func__)
        if type(value) is FunctionType and not self.strict:
            return self._function(owner, word, value)
        if callable(value) or is_own(self._thing):
            self.key.append(same(value))
            return value
        raise Unfit(owner, f"its {word.strip('_').replace('_', ' ')} ({type(value).__name__}) is not a number")

    def _by_value(self, x: Any) -> Any:
        self.key.append(same(x))
        return x

    def number(self, x: float) -> Any:
        """Zeros are part of what a component is: without damping nothing is lost."""
        self.key.append(x != 0)
        return self.give(x) if x != 0 else 0

    def _array(self, value: np.ndarray) -> np.ndarray:
        self.key.append((value.shape, value.dtype.str))
        if self._fixed or value.dtype.kind == "i":
            self.key.append(value.tobytes())
            return value
        return np.array([self.number(float(x)) for x in value.ravel()], dtype=object).reshape(value.shape)

    def expression(self, x: SX) -> Any:
        self.key.append(x.shape)
        if x.is_scalar() and x.is_symbolic() and not self._is_known(x):
            self.key.append(("state", self._states.setdefault(x.element_hash(), len(self._states))))
            return x
        if self._fixed:
            self.key.append(tuple(x[i, j].element_hash() for i in range(x.shape[0]) for j in range(x.shape[1])))
            return x
        entries = SX(*x.shape)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                entry = x[i, j]
                if entry.is_constant():
                    entries[i, j] = self.number(float(entry))
                elif all(s.element_hash() in self.parameters for s in ca.symvar(entry)):
                    self.key.append("parameter")
                    entries[i, j] = self.give(entry)
                else:
                    self.key.append(entry.element_hash())
                    entries[i, j] = entry
        return entries

    def _is_known(self, symbol: SX) -> bool:
        """Whether a symbol is the model's."""
        key = "known symbols", len(self.model.courses.taken)
        if key not in self.model.memory:
            symbols = ca.symvar(ca.vertcat(self.model.t, self.model.all_symbols()))
            self.model.memory[key] = {s.element_hash() for s in symbols}
        return symbol.element_hash() in self.model.memory[key]

    def _table(self, table: Table) -> Table:
        """Looked up by time it is as good as any other; by something else its numbers are in the code."""
        if self.strict:
            self.key.append(same(table))
            return table
        self.key.append("table")
        self.tables.append(table)
        return table if self._courses is None else CourseOfOne(len(self.tables) - 1, self._courses)

    def _function(self, owner: str, word: str, function: FunctionType) -> Any:
        """With slots for the numbers that it holds: its defaults, and what it has taken from where it was written."""
        held = contents(function)
        if held is None or not any(isinstance(x, HELD) and not isinstance(x, bool) for x in held):
            self.key.append(same(function))
            return function
        self.doubtful = True
        self.key.append((function.__code__, id(function.__globals__), tuple(function.__kwdefaults__ or ())))
        twins = [self._held_by_function(owner, word, x) for x in held]
        return function if self.collects else holding(function, twins)

    def _held_by_function(self, owner: str, word: str, x: Any) -> Any:
        if isinstance(x, HELD) and not isinstance(x, bool):
            return self.value(owner, word, x)
        self.key.append(same(x))
        return x

    def _outline(self, owner: str, word: str, outline: Outline) -> Outline:
        self.key.append(type(outline))
        if isinstance(outline, Convex) or is_own(outline):
            self.key.append(same(outline))
            return outline
        twin = copy.copy(outline)
        for name, x in vars(outline).items():
            object.__setattr__(twin, name, self.value(owner, word, x))
        return twin

    def _other(self, owner: str, other: Component | JointCoordinate) -> Any:
        """A body, or a joint of which it reads coordinates, that stands for one of the model."""
        if isinstance(other, Solid):
            body = self.ends(other)
            self.key.append("ground" if isinstance(other, Ground) else body)
            return body
        joint = other.joint if isinstance(other, JointCoordinate) else other
        if not isinstance(joint, Joint) or not joint.explicit or joint.measured:
            raise Unfit(owner, f"it is tied to {other.name}")
        if joint not in self.joints:
            self.joints.append(joint)
            held = self.component(joint)
            self.key.append(tuple(c.label for c in joint.coordinates))
            if self.borrow is not None:
                self._borrowed[joint] = self.borrow(joint, held)
        self.key.append(self.joints.index(joint))
        if isinstance(other, JointCoordinate):
            self.key.append(other.label)
        if joint not in self._borrowed:
            return None
        twin = self._borrowed[joint]
        return getattr(twin, other.label) if isinstance(other, JointCoordinate) else twin

    def end(self, joint: Joint, which: int) -> Marker | None:
        """A frame of a joint; where nothing but numbers was given, these are turned without symbols."""
        given = frame_as_given(joint, which) if self.collects else None
        if given is None or not (given[0].p.is_constant() and given[0].R.is_constant()):
            return self.marker(joint.name, joint.markers()[which])
        body = body_of_frame(joint, which)
        number = self.ends(body)
        self.key.append("ground" if isinstance(body, Ground) else number)
        pose, turned = given
        R = turned if pose.R.is_eye() else np.reshape(_floats(pose.R), (3, 3)).T @ turned
        p = _floats(pose.p)
        if not self.model.is_planar:
            self.slots += [*p, *R.ravel(order="F").tolist()]
        elif pose.turn is None or not np.allclose(turned[:, 2], (0, 0, 1)):
            raise Unfit(joint.name, "one of its frames leaves the plane")
        else:
            turn = float(pose.turn) + float(np.arctan2(turned[1, 0], turned[0, 0]))
            self.slots += [p[0], p[1], float(R[0, 0]), float(R[1, 0]), turn]
        return None

    def marker(self, owner: str, marker: Marker) -> Marker | None:
        """The same frame on a body of the prototype; None where there is none yet."""
        body = self.ends(marker.body)
        self.key.append("ground" if isinstance(marker.body, Ground) else body)
        local = marker.local
        if not self.model.is_planar:
            numbers = self._numbers(ca.veccat(local.p, local.R))
        elif local.turn is None:
            raise Unfit(owner, "one of its frames leaves the plane")
        else:
            numbers = self._numbers(ca.veccat(local.p, local.R, local.turn), [0, 1, 3, 4, 12])
        if self.collects:
            return None
        return Marker(body, _planar_pose(*numbers) if self.model.is_planar else _spatial_pose(numbers))

    def _numbers(self, column: SX, chosen: list[int] | None = None) -> list[Any]:
        """Of a frame: a slot for each, zeros among them; chosen: only these."""
        if column.is_constant():
            numbers = ca.DM(column).full().ravel().tolist()
            numbers = numbers if chosen is None else [numbers[k] for k in chosen]
            if self.collects:
                self.slots += numbers
                return []
            return [self.give(x) for x in numbers]
        entries = []
        column = ca.densify(column) if chosen is None else ca.densify(column)[chosen]
        for k in range(column.numel()):
            entry = column[k]
            if not all(s.element_hash() in self.parameters for s in ca.symvar(entry)):
                self.key.append(entry.element_hash())
                entries.append(entry)
            else:
                self.key.append("constant" if entry.is_constant() else "parameter")
                entries.append(self.give(float(entry) if entry.is_constant() else entry))
        return entries

    def law(self, owner: str, law: Law) -> Law:
        self.key.append(type(law))
        twin = copy.copy(law)
        twin.__dict__.update(self._attributes(law, owner, {"_open", "_changed", "_said"}))
        bind(twin)
        twin.__dict__.update(_open={}, _changed=())
        return twin

    def body(self, body: Body) -> tuple[Any, Any]:
        """Mass, and inertia: Izz, or the six numbers of the matrix."""
        self.key.append("body")
        planar = self.model.is_planar
        if self.collects and not isinstance(body.mass, SX) and not isinstance(body.inertia, SX):
            self.key += [True] * (2 if planar else 7)
            flat = np.asarray(body.inertia, dtype=float).ravel()[[0] if planar else [0, 4, 8, 1, 2, 5]]
            self.slots += [float(body.mass), *flat.tolist()]
            return None, None
        J = SX(body.inertia)
        six = [J] if planar else [J[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        slots = []
        for x in (SX(body.mass), *six):
            if not all(s.element_hash() in self.parameters for s in ca.symvar(x)):
                raise Unfit(body.name, "its mass or inertia is given over time")
            self.key.append(x.is_constant())
            slots.append(self.give(float(x) if x.is_constant() else x))
        return slots[0], slots[1] if planar else tuple(slots[1:])


class _Method:
    """A method of the thing itself among its attributes, which is to be one of what stands for it."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function


def bind(twin: Any) -> None:
    """Methods among the attributes of a copy are its own."""
    for word, value in vars(twin).items():
        if isinstance(value, _Method):
            twin.__dict__[word] = MethodType(value.function, twin)


def _floats(x: SX) -> list[float]:
    """Of a constant, column by column; several times as quick as by way of a matrix of numbers."""
    return [float(e) for e in x.elements()]  # type: ignore[arg-type]  # scalars of CasADi are numbers, too


def _planar_pose(x: SX, y: SX, c: SX, s: SX, turn: SX) -> Pose:
    R = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
    return Pose(ca.vertcat(x, y, 0), R, SX(turn))


def _spatial_pose(numbers: list[Any]) -> Pose:
    return Pose(ca.vertcat(*numbers[:3]), ca.reshape(ca.vertcat(*numbers[3:]), 3, 3))
