"""The numbers in a component, apart from what it is: components that differ in them alone share their kernels.

A slot is a number that a kernel takes as an argument. Its value is a number, or an expression of parameters. What else
a component holds (words, functions, expressions of time and inputs, zeros) is part of what it is: its key.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Ground, Solid
from linkwork.components.joint import Joint
from linkwork.components.joint_frames import body_of_frame, frame_as_given
from linkwork.components.laws import Law
from linkwork.core.component import Component, Marker
from linkwork.geometry import SX, Pose

if TYPE_CHECKING:
    from linkwork.core.model import Model

Slot: TypeAlias = float | SX
Give: TypeAlias = Callable[[Slot], Any]
"""Takes a number, and says what stands for it: a symbol, in a kernel."""

DERIVED = {
    "name", "model", "coordinates", "shapes", "given", "particle_places", "_open", "_said", "_said_first",
}  # fmt: skip
"""Attributes that hold nothing of what a component does, or are read otherwise."""
PLACED = {"_ends", "_point", "_axis", "_axis2", "_frames", "_chosen"}
"""Those by which a joint finds its frames, which are read themselves."""


class Unfit(Exception):
    """Why a model cannot be run by kernels: a component, and what of it."""

    def __init__(self, component: str, cause: str):
        super().__init__(f"{component}: {cause}")
        self.component, self.cause = component, cause


class Reader:
    """Walks through what a component holds."""

    def __init__(self, model: Model, ends: Callable[[Solid], Any], give: Give | None = None):
        """ends: the body, of a prototype, that stands for one of the model; give: what stands for a number; None:
        numbers are only collected."""
        self.model, self.ends = model, ends
        self.slots: list[Slot] = []
        self.collects = give is None
        self.give: Give = self._collect if give is None else give
        self.parameters = {s.element_hash() for s in model.symbols(model.parameters)}
        self.key: list[object] = []

    def _collect(self, x: Slot) -> int:
        self.slots.append(x)
        return 0

    def component(self, component: Component) -> dict[str, Any]:
        """Its attributes, with slots for their numbers."""
        self.key.append(type(component))
        held: dict[str, Any] = {}
        skipped = DERIVED | PLACED if isinstance(component, Joint) else DERIVED
        for word, value in vars(component).items():
            if word in skipped:
                continue
            self.key.append(word)
            held[word] = self.value(component.name, word, value)
        if isinstance(component, Joint):
            held["_ends"] = tuple(self.end(component, which) for which in (0, 1))
            held |= {"_axis": None, "_point": None, "_frames": None}
        return held

    def value(self, owner: str, word: str, value: Any) -> Any:
        if value is None or isinstance(value, bool | str):
            self.key.append(value)
            return value
        if isinstance(value, int | float | np.number):
            return self.number(float(value))
        if isinstance(value, SX):
            return self.expression(value)
        if type(value) in (list, tuple):
            self.key.append((type(value), len(value)))
            return type(value)(self.value(owner, word, x) for x in value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "if":
            self.key.append(value.shape)
            return np.array([self.number(float(x)) for x in value.ravel()], dtype=object).reshape(value.shape)
        if isinstance(value, Marker):
            return self.marker(owner, value)
        if callable(value) and not isinstance(value, Component):
            self.key.append(id(value))
            return value
        raise Unfit(owner, f"its {word.strip('_').replace('_', ' ')} ({type(value).__name__}) is not a number")

    def number(self, x: float) -> Any:
        """Zeros are part of what a component is: without damping nothing is lost."""
        self.key.append(x != 0)
        return self.give(x) if x != 0 else 0

    def expression(self, x: SX) -> Any:
        self.key.append(x.shape)
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
        for word, value in vars(law).items():
            if word not in ("_open", "_changed", "_said"):
                self.key.append(word)
                twin.__dict__[word] = self.value(owner, word, value)
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


def _floats(x: SX) -> list[float]:
    """Of a constant, column by column; several times as quick as by way of a matrix of numbers."""
    return [float(e) for e in x.elements()]  # type: ignore[arg-type]  # scalars of CasADi are numbers, too


def _planar_pose(x: SX, y: SX, c: SX, s: SX, turn: SX) -> Pose:
    R = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
    return Pose(ca.vertcat(x, y, 0), R, SX(turn))


def _spatial_pose(numbers: list[Any]) -> Pose:
    return Pose(ca.vertcat(*numbers[:3]), ca.reshape(ca.vertcat(*numbers[3:]), 3, 3))
