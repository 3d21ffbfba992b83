"""Submodels: parts of a model that are described once and inserted many times (ACA: disc, wheelset, vehicle)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from linkwork.core import kinds
from linkwork.core.component import Component, Marker, checked_name, full_name, naming
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.face import Parts
from linkwork.core.plain_data import Data, Record
from linkwork.geometry import SX, Number

if TYPE_CHECKING:
    from linkwork.core.model import Model

C = TypeVar("C", bound=Component)
B = TypeVar("B", bound="Submodel")
Builder: TypeAlias = Callable[..., Data | None]
"""A function that adds the components of a submodel and returns its interface."""


class Submodel(Parts):
    """A part of a model with names, parameters and frames of its own.

    To write one: a function `def wheel(s, radius=0.3): …`, or a class derived from this one with
    `def build(self, radius=0.3): …`, in which `s` (`self`) takes components as a model does: `s.body("hub", …)` is
    "front.hub" in a model with `m.insert(wheel, "front", radius=0.2)`. Submodels may hold others: `s.insert(…)`.
    What `build` returns, {name: frame, port or component}, and what a class assigns to `self`, can be read from
    outside (`front.rim`), as can all components by their names (`front.hub`). A class derived from another one may
    replace the submodels it is made of where these are named as attributes (`wheel = Disc`).
    """

    def __init__(self, model: Model, name: str, at: Marker | None):
        if not hasattr(model, "submodels"):
            raise ModelError(f"{kinds.shown(model)} is not a model.", component="Submodel", remedy="Use m.insert(…).")
        self.model, self.name, self.ground = model, name, model.ground
        self.at = model.ground.at(*(0.0,) * model.dimension) if at is None else at
        """The frame where it is: the world's origin, unless it is inserted elsewhere."""
        self.interface: Record = {}
        """What `build` has returned: name → frame, port, component."""

    def build(self, *args: Any, **arguments: Any) -> Data | None:
        """Adds the components; its arguments are those of `insert`."""
        raise NotImplementedError

    @property
    def t(self) -> SX:
        """Time [s]."""
        return self.model.t

    @property
    def is_planar(self) -> bool:
        return self.model.is_planar

    @property
    def gravity(self) -> tuple[Number, ...]:
        return self.model.gravity

    def naming(self) -> AbstractContextManager[None]:
        return naming(self.name)

    def add(self, component: C) -> C:
        """Add a component of a class of your own."""
        return self.model.add(component)

    def parameter(self, name: str, value: float, *, unit: str = "") -> SX:
        """A named number of this submodel, "front.radius" in the model."""
        with naming(self.name):
            return self.model.parameter(name, value, unit=unit)

    def input(self, name: str, value: float = 0.0, *, unit: str = "") -> SX:
        """A named signal of this submodel."""
        with naming(self.name):
            return self.model.input(name, value, unit=unit)

    @overload
    def insert(self, submodel: type[B], name: str, *, at: Marker | None = None, **arguments: object) -> B: ...
    @overload
    def insert(self, submodel: Builder, name: str, *, at: Marker | None = None, **arguments: object) -> Submodel: ...
    def insert(self, submodel: object, name: str, *, at: Marker | None = None, **arguments: object) -> Submodel:
        """A submodel as part of this one."""
        with naming(self.name):
            return inserted(self.model, submodel, name, self.at if at is None else at, arguments)

    def connect(self, *ends: Any) -> Component:
        """Join ports, all of one kind, as `m.connect` does."""
        with naming(self.name):
            return self.model.connect(*ends)

    def __getitem__(self, name: str) -> Any:
        known = self.parts()
        if name not in known:
            raise UnknownName("part", kinds.said(name), known, component=self.name)
        return known[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "interface" not in self.__dict__:
            raise AttributeError(name)
        known = self.parts()
        if name not in known:
            raise AttributeError(str(UnknownName("part", name, known, component=self.name)))
        return known[name]

    def parts(self) -> Record:
        """What is in it, by the names it has in here: components, submodels, and what `build` has returned."""
        begin = f"{self.name}."
        held = {**self.model.components, **self.model.submodels}
        own = {name.removeprefix(begin): part for name, part in held.items() if name.startswith(begin)}
        return {name: part for name, part in own.items() if "." not in name} | self.interface

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {', '.join(self.parts())}>"


def inserted(model: Model, submodel: object, name: str, at: Marker | None, arguments: Data) -> Submodel:
    """Builds a submodel in a model; one that fails leaves nothing behind."""
    name = full_name(checked_name(name))
    if at is not None and (not isinstance(at, Marker) or model.components.get(at.body.name) is not at.body):
        raise ModelError(
            f"at={kinds.shown(at)} is not a frame of this model.",
            component=name,
            remedy="Give body.at(…) or ground.at(…).",
        )
    model._claim(name)
    made, build = _begun(model, submodel, name, at)
    given = inspect.signature(build)
    if at is not None and "at" in given.parameters:
        arguments = {"at": at, **arguments}
    try:
        given.bind(**arguments)
    except TypeError as error:
        known = ", ".join(map(str, given.parameters.values())) or "nothing"
        raise ModelError(f"{error}.", component=name, remedy=f"The submodel takes {known}.") from None
    before = model._snapshot()
    model.submodels[name] = made
    try:
        with naming(name):
            returned = build(**arguments)
        if returned is not None and not isinstance(returned, Mapping):
            raise ModelError(
                f"its function returns {kinds.shown(returned)}.",
                component=name,
                remedy="Return {name: frame, port or component}, or nothing.",
            )
        made.interface.update(returned or {})
    except BaseException:
        model._restore(before)
        raise
    return made


def _begun(model: Model, submodel: object, name: str, at: Marker | None) -> tuple[Submodel, Builder]:
    """The empty submodel, and what fills it."""
    if isinstance(submodel, type) and issubclass(submodel, Submodel) and submodel is not Submodel:
        made = submodel(model, name, at)
        return made, made.build
    if not callable(submodel) or isinstance(submodel, type):
        raise ModelError(
            f"{kinds.shown(submodel)} is not a submodel.",
            component=name,
            remedy="Give a function whose first argument takes the components, or a class derived from lw.Submodel.",
        )
    made = Submodel(model, name, at)
    return made, _with(submodel, made)


def _with(function: Builder, made: Submodel) -> Builder:
    """The function with its first argument given; its signature shows the others."""

    def build(**arguments: object) -> Data | None:
        return function(made, **arguments)

    signature = inspect.signature(function)
    if not signature.parameters:
        raise ModelError(
            f"{getattr(function, '__name__', function)}() takes no argument.",
            component=made.name,
            remedy="Its first argument is what the components are added to: def wheel(s, radius): …",
        )
    build.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])  # type: ignore[attr-defined]
    return build
