"""Model: what exists. Bodies, joints, forces, parameters; no mathematics of any formulation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, overload

import casadi as ca
import numpy as np

from linkwork.algebra.evaluated import Evaluated
from linkwork.core import kinds, registry
from linkwork.core.component import Component, Marker, full_name
from linkwork.core.copying import Copied
from linkwork.core.courses import Courses
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.face import Face, ModelFace
from linkwork.core.finding import Finding
from linkwork.core.pieces import OverTime
from linkwork.core.plain_data import Record
from linkwork.core.said import unnoticed
from linkwork.core.submodel import Builder, Submodel, inserted
from linkwork.core.symbol import Symbol
from linkwork.geometry import SX, Number

if TYPE_CHECKING:
    from linkwork.core.equations import Equations


C = TypeVar("C", bound=Component)
B = TypeVar("B", bound=Submodel)
HELD = ("components", "submodels", "_symbols", "parameters", "inputs", "units")
"""Dictionaries of what a model holds, by name."""


PARAMETER = kinds.number.saying("Give a number.", "{given} is not a finite number.")


class Model(Face, ModelFace, Copied):
    """A mechanism, planar or spatial.

    gravity: acceleration of gravity [m/s²] in world axes; 2 numbers make a planar model, 3 a spatial one.
    Components are added by `m.<component>(name, …)`, see `dir(m)`; what can be done with it is `m.<verb>(…)`.
    """

    natural = "absolute"
    """The formulation a run takes unless it is told which."""

    def __init__(self, name: str, gravity: object = (0, -9.81)):
        self.name = kinds.text.taken("name", name, "Model")
        self.gravity = _gravity(gravity, name)
        self.dimension = len(self.gravity)
        self.t: SX = Symbol(SX.sym("t"))
        """Time [s], for expressions of your own."""
        self.courses = Courses(self.t)
        """Tables and derivatives of inputs: numbers that follow time, after the inputs in p."""
        self.components: dict[str, Component] = {}
        self._joining: list[str] = []
        """Names of components that are joining the model now, the outermost first."""
        self.submodels: dict[str, Submodel] = {}
        self._symbols: dict[str, SX] = {}
        self.parameters: dict[str, float] = {}
        self.inputs: dict[str, float] = {}
        self.nominal: dict[str, float] = {}
        """Values of parameters by which the structure of equations is chosen, where they are not the defaults."""
        self.redundant = False
        """Whether the equations that are prepared have redundant rows."""
        self.units: dict[str, str] = {}
        self.findings: list[Finding] = []
        """What of the file it was read from was not taken."""
        self.revision = 0
        self.memory: dict[Hashable, Any] = {}
        """Whatever verbs want to keep until the model changes (equations, programs)."""
        world: Any = registry.components["ground"]
        self.ground = self.add(world("ground"))

    def __setattr__(self, name: str, value: object) -> None:
        """Whatever is changed by hand (`m.gravity = …`) makes what was derived from it obsolete."""
        if name == "gravity" and "memory" in self.__dict__:
            value = _gravity(value, self.name, self.dimension)
            self.changed()
        object.__setattr__(self, name, value)

    @property
    def is_planar(self) -> bool:
        return self.dimension == 2

    def add(self, component: C) -> C:
        """Add a component made elsewhere, for instance a joint of your own class."""
        if not isinstance(component, Component) or "name" not in vars(component):
            raise ModelError(
                f"{kinds.shown(component)} is not a component.",
                component=self.name,
                remedy="Give an object of a class derived from lw.Joint, lw.Force, …, whose __init__ calls super's.",
            )
        made: type = type(component)
        if missing := _missing(made):
            raise ModelError(
                f"it has no {' and no '.join(f'`{name}`' for name in missing)}.",
                component=component.name,
                remedy=f"Write them in the class {type(component).__name__}; the docstring of its base class says how.",
            )
        self._claim(component.name)
        for part in parts_of(vars(component).values()):
            owner = part.body if isinstance(part, Marker) else getattr(part, "owner", part)
            if isinstance(owner, Component) and owner is not component and self.components.get(owner.name) is not owner:
                raise ModelError(
                    f"{getattr(part, 'name', owner.name)!r} belongs to another model.",
                    component=component.name,
                    remedy=f"Use this model's {owner.word}.",
                )
        if self._joining:
            component.made_by = self._joining[-1]
        component.model = self
        self.components[component.name] = component
        self._joining.append(component.name)
        try:
            with unnoticed(component):
                component.attached(self)  # may connect its ports, so it must be found here already
        except BaseException:
            del self.components[component.name]
            raise
        finally:
            self._joining.pop()
        component.__dict__["_said_first"] = component.said_later()
        self.changed()
        return component

    @contextmanager
    def prepared_for(self, parameters: Mapping[str, float] | None, *, redundant: bool = False) -> Iterator[None]:
        """Structure is chosen for these values of parameters inside, and for rows that are redundant or not."""
        before = self.nominal, self.redundant
        self.nominal, self.redundant = dict(parameters or {}), redundant
        try:
            yield
        finally:
            self.nominal, self.redundant = before

    def changed(self) -> None:
        """Forget what was derived from an earlier state of the model."""
        self.revision += 1
        self.memory.clear()

    def parameter(self, name: str, value: float, *, unit: str = "") -> SX:
        """A named number that can be changed without deriving or compiling anything again."""
        return self._symbol(name, value, unit, self.parameters)

    def input(self, name: str, value: float = 0.0, *, unit: str = "") -> SX:
        """A named signal; `simulate(…, inputs={name: number, (times, values), lw.Table or function})` drives it."""
        return self.courses.input(name, self._symbol(name, value, unit, self.inputs))

    def _symbol(self, name: str, value: float, unit: str, kind: dict[str, float]) -> SX:
        name = full_name(name)
        self._claim(name)
        default = kinds.number.saying("Give a finite default.", "{given} is not a finite number.")
        number, self.units[name] = default.taken(name, value, name), kinds.text.taken("unit", unit, name)
        kind[name] = float(number)
        self._symbols[name] = Symbol(SX.sym(name))
        self.changed()
        return self._symbols[name]

    @overload
    def insert(self, submodel: type[B], name: str, *, at: Marker | None = None, **arguments: object) -> B: ...
    @overload
    def insert(self, submodel: Builder, name: str, *, at: Marker | None = None, **arguments: object) -> Submodel: ...
    def insert(self, submodel: object, name: str, *, at: Marker | None = None, **arguments: object) -> Submodel:
        """Build a submodel, a function or a class derived from lw.Submodel, as part `name` of this model.

        at: the frame where it is; arguments: whatever else it takes.
        """
        return inserted(self, submodel, name, at, arguments)

    def _snapshot(self) -> Record:
        """What the model holds now, for `_restore`."""
        return {word: dict(getattr(self, word)) for word in HELD}

    def _restore(self, before: Record) -> None:
        """Take away whatever has been added since."""
        for word in HELD:
            held = getattr(self, word)
            held.clear()
            held.update(before[word])
        self.changed()

    def _claim(self, name: str) -> None:
        if name in self.components or name in self._symbols or name in self.submodels:
            raise ModelError("the name is taken already.", component=name, remedy="Choose another name.")

    def symbols(self, names: Iterable[str]) -> list[SX]:
        return [self._symbols[n] for n in names]

    def input_values(self, eq: Equations | None = None) -> dict[str, float]:
        """Inputs at their defaults, then all that follows time (in these equations) at t = 0: the second part of p."""
        return self.inputs | self.courses.values(taken=None if eq is None else eq.signals.taken)

    def p_at(
        self,
        eq: Equations,
        given: np.ndarray | dict[str, float] | None = None,
        t: float = 0.0,
        signals: Mapping[str, OverTime] | None = None,
    ) -> np.ndarray:
        """p of these equations at time t [s]: parameters, inputs, and all that follows time.

        given: values of parameters by name; or parameters and inputs as numbers; signals: what drives inputs, by name.
        """
        if not isinstance(given, np.ndarray):
            given = np.concatenate([self.parameter_values(given), list(self.inputs.values())])
        own = len(self.parameters) + len(self.inputs)
        if not signals and not eq.signals.taken:
            return np.array(given[:own], dtype=float)
        p = np.concatenate([given[:own], list(self.courses.values(t, signals, eq.signals.taken).values())])
        for name, signal in (signals or {}).items():
            p[len(self.parameters) + list(self.inputs).index(name)] = signal(t) if callable(signal) else signal
        return p

    def all_symbols(self) -> SX:
        """p: parameters, inputs, and all that follows time."""
        count = len(self._symbols), len(self.courses.taken)
        known: tuple[tuple[int, int], SX] | None = self.memory.get("all symbols")
        if known is None or known[0] != count:
            symbols = ca.vertcat(SX(0, 1), *self.symbols([*self.parameters, *self.inputs]), *self.courses.symbols)
            known = self.memory["all symbols"] = count, symbols
        return known[1]

    def of_type(self, kind: type[C]) -> list[C]:
        """Components of a class, in the order in which they were added."""
        key, count = ("components", kind), len(self.components)  # one that joins is there before it has changed all
        known: tuple[int, list[C]] | None = self.memory.get(key)
        if known is None or known[0] != count:
            known = self.memory[key] = count, [c for c in self.components.values() if isinstance(c, kind)]
        return known[1].copy()

    def __getitem__(self, name: str) -> Any:
        if isinstance(name, str) and name in self.submodels:
            return self.submodels[name]
        if not isinstance(name, str) or name not in self.components:
            raise UnknownName("component", kinds.said(name), self.components, component=self.name)
        return self.components[name]

    def parameter_values(self, given: dict[str, float] | None = None) -> np.ndarray:
        """Values in the order of `parameters`, defaults replaced by those given."""
        given = dict(given or {})
        for name in given:
            if name not in self.parameters:
                raise UnknownName("parameter", name, self.parameters, component=self.name)
        values = [given.get(n, default) for n, default in self.parameters.items()]
        known: tuple[list[float], np.ndarray] | None = self.memory.get("acceptable parameters")
        if known is not None and all(type(x) is float for x in values) and known[0] == values:
            return known[1].copy()
        read = [PARAMETER.taken(name, value, name) for name, value in zip(self.parameters, values, strict=True)]
        self._verify(read)
        array = np.array(read, dtype=float)
        self.memory["acceptable parameters"] = array.tolist(), array
        return array.copy()

    def _verify(self, values: list[float]) -> None:
        """Refuse values of parameters that make an argument of a component or law leave its range."""
        claims, function = self._claimed()
        if not claims:
            return
        if "values of claims" not in self.memory:
            self.memory["values of claims"] = Evaluated(function)
        for (owner, claim), value in zip(claims, self.memory["values of claims"](values).tolist(), strict=True):
            claim.verify(value, owner)

    def _claimed(self) -> tuple[list[tuple[str, kinds.Claim]], ca.Function]:
        """What must hold of the parameters, and its values by theirs."""
        if "claims" not in self.memory:
            claims = [pair for c in self.components.values() for pair in _claims(c) if self._is_known(pair[1].value)]
            p = ca.vertcat(SX(0, 1), *self.symbols(self.parameters))
            values = ca.vertcat(SX(0, 1), *(claim.value for _, claim in claims))
            self.memory["claims"] = claims, ca.Function("claims", [p], [ca.densify(values)])
        claimed: tuple[list[tuple[str, kinds.Claim]], ca.Function] = self.memory["claims"]
        return claimed

    def _is_known(self, value: SX) -> bool:
        """Whether an expression depends on parameters alone."""
        own = {symbol.element_hash() for symbol in self.symbols(self.parameters)}
        return all(symbol.element_hash() in own for symbol in ca.symvar(value))

    def __repr__(self) -> str:
        space = "planar" if self.is_planar else "spatial"
        return f"<Model {self.name!r}, {space}, {len(self.components) - 1} components>"


def _gravity(given: object, name: str, dimension: int | None = None) -> tuple[Number, ...]:
    """Gravity as a tuple of numbers or expressions; dimension: how many there must be."""
    read = kinds.quantities.read(given)
    if read is kinds.REFUSED:
        raise ModelError(
            f"gravity is {kinds.shown(given)}.",
            component=name,
            remedy="Give finite numbers [m/s²]: 2 in the plane, 3 in space.",
        )
    if len(read) not in ((2, 3) if dimension is None else (dimension,)):
        raise ModelError(f"gravity has {len(read)} components.", component=name, remedy="Give 2 (plane) or 3 (space).")
    return tuple(read)


def _claims(component: Component) -> Iterator[tuple[str, kinds.Claim]]:
    """(whose, what) must hold of a component, and of the laws on its coordinates."""
    yield from ((component.name, claim) for claim in component.claims())
    for coordinate in getattr(component, "coordinates", (component,)):
        for law in getattr(coordinate, "laws", ()):
            yield from ((coordinate.name, claim) for claim in law.claims())


@cache
def _missing(cls: type) -> list[str]:
    """Methods that a class owes: its base class only says what they must do."""
    return [name for name in dir(cls) if getattr(getattr(cls, name, None), "__isabstractmethod__", False)]


def parts_of(held: Iterable[object]) -> Iterator[object]:
    """What a component holds: frames, coordinates, other components, in lists and dictionaries too."""
    for part in held:
        if isinstance(part, (list, tuple)):
            yield from parts_of(part)
        elif isinstance(part, dict):
            yield from parts_of([*part, *part.values()])
        else:
            yield part


def acceptable(model: Model, rows: np.ndarray) -> np.ndarray:
    """Whether each row of values of parameters, in their order, is one that `parameter_values` takes."""
    fine = np.isfinite(rows).all(axis=1)
    claims, function = model._claimed()
    if claims and fine.any():
        values = np.array(function(ca.DM(rows[fine].T))).reshape(len(claims), -1)
        columns = np.broadcast_to(values, (len(claims), int(fine.sum()))).tolist()
        kept = [[claim.holds(x) for x in column] for (_, claim), column in zip(claims, columns, strict=True)]
        fine[fine] = np.all(kept, axis=0)
    return fine
