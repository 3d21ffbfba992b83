"""Plain data of a model file → model. Every error says the file, the line, the column, and the nearest valid name."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from linkwork.components.bodies import Body, Solid
from linkwork.components.coordinate import Coordinate
from linkwork.components.cosimulation.cosimulation import Cosimulation
from linkwork.components.kinematics import Kinematics
from linkwork.components.plane import Plane, plane
from linkwork.components.unknowns import State
from linkwork.components.wiring.connections import connect
from linkwork.core import kinds, registry
from linkwork.core.compliance import Compliance
from linkwork.core.component import Component, Constraint, Marker, full_name, path_name
from linkwork.core.declared import Argument, arguments_of
from linkwork.core.errors import ModelError
from linkwork.core.model import Model
from linkwork.core.plain_data import Data
from linkwork.core.signal import Table
from linkwork.core.submodel import Submodel
from linkwork.files.folder import inside
from linkwork.files.language.parser import parse
from linkwork.files.models.dimensions import misfits
from linkwork.files.models.making import inside_of, make
from linkwork.files.models.places import Path as Keys
from linkwork.files.models.reader import Reader
from linkwork.files.models.saving import GROUP, VERSION, has_texts_as_keys, is_text
from linkwork.files.models.scope import ModelScope

SIZE_LIMIT = 16_000_000
"""Bytes of a model file."""
SECTIONS = ("linkwork", "model", "parameter", "input", "table", "submodel", "component")
MODEL = ("name", "gravity", "coordinates", "natural", "check_units")
LATER = ("start", "rate", "laws", "free", "shapes", "particles", "compliance", "follow")
"""Words of a component beside the arguments of its constructor."""


def load(path: Path, fmus: bool = False) -> Model:
    """The model in a file; fmus: whether it may name FMUs, whose code a run executes."""
    try:
        size = path.stat().st_size
        if size > SIZE_LIMIT:
            raise ModelError(f"has {size} bytes.", component=str(path), remedy=f"At most {SIZE_LIMIT} are read.")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror or error}.", component=str(path)) from error
    except UnicodeDecodeError as error:
        raise ModelError("is no text in UTF-8.", component=str(path), remedy="Save it as UTF-8.") from error
    return loads(text, path, fmus)


def loads(text: str, path: Path, fmus: bool = False) -> Model:
    """The model in a text; path: what the text is called, and beside which other files are looked for."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ModelError(f"is no TOML: {error}.", component=str(path)) from None
    except (RecursionError, ValueError) as error:
        raise ModelError(f"is no TOML that can be read: {error}.", component=str(path)) from None
    return _Builder(content, text, path, fmus).model()


@dataclass
class _Builder(Reader):
    fmus: bool = False

    def model(self) -> Model:
        self.known_words((), self.content, SECTIONS, "section")
        version = self.content.get("linkwork")
        if version != VERSION:
            self.fail(
                ("linkwork",), f"version {kinds.shown(version)} of the format.", f"This reads linkwork = {VERSION}."
            )
        self._built = self._begun()
        self.scope = ModelScope(self._built, self.path.parent)
        self._symbols()
        self._tables()
        components = self.section("component")
        for name in components:
            self._component(name, components[name])
        for name in components:
            self._further(name, components[name])
        self._submodels()
        if isinstance(self._built, Kinematics):
            self._coordinates(self._built)
        for keys, function in self.functions:
            with self.told(keys):
                function.verify()
        if self.section("model").get("check_units", True):
            for misfit in misfits(self._built):
                at: Keys = ("component", misfit.component, misfit.word)
                self.fail(at, f"{misfit.component}: {misfit.cause}", "Correct the expression, or a parameter's unit.")
        return self._built

    # ------------------------------------------------------------------ the model itself

    def _begun(self) -> Model:
        given = self.section("model")
        self.known_words(("model",), given, MODEL, "word")
        keys: Keys = ("model", "gravity")
        name = self.plain_text(("model", "name"), given.get("name"))
        gravity = given.get("gravity", [0, -9.81])
        kind = Kinematics if "coordinates" in given else Model
        with self.told(keys):
            if isinstance(gravity, str):  # of parameters, which are not there yet
                size = len(getattr(parse(gravity), "items", ()))
                made = kind(name, gravity=(0,) * size)
            else:
                made = kind(name, gravity=gravity)
        natural = given.get("natural")
        if natural is not None:
            from linkwork.formulations import formulations

            if natural not in formulations:
                self.unknown(("model", "natural"), "formulation", natural, formulations)
            made.natural = natural
        return made

    def _coordinates(self, model: Kinematics) -> None:
        known = {v.name: v for v in model.components.values() if hasattr(v, "symbol") and isinstance(v, Coordinate)}
        names = self.section("model")["coordinates"]
        if not isinstance(names, list):
            self.fail(("model", "coordinates"), "is no list of names.")
        for k, name in enumerate(names):
            if name not in known:
                self.unknown(("model", "coordinates", k), "variable", name, known)
        model.coordinates = [known[name] for name in names]  # type: ignore[misc]

    def _symbols(self) -> None:
        model = self._built
        for section, add in (("parameter", model.parameter), ("input", model.input)):
            for name, given in self.section(section).items():
                keys: Keys = (section, name)
                told = given if isinstance(given, dict) else {"value": given}
                self.known_words(keys, told, ("value", "unit"), "word")
                with self.told(keys), inside_of(name) as own:
                    add(own, told.get("value", 0.0), unit=told.get("unit", ""))
        gravity = self.section("model").get("gravity")
        if isinstance(gravity, str):
            model.gravity = self.value(("model", "gravity"), gravity)

    def _tables(self) -> None:
        for name, given in self.section("table").items():
            keys: Keys = ("table", name)
            self.known_words(keys, self.mapping(keys, given), ("times", "values", "kind", "ends"), "word")
            with self.told(keys):
                path_name(name)
                self._built._claim(name)
                times, values = given.get("times", ()), given.get("values", ())
                if given.get("kind") == "jumps":
                    self.scope.tables[name] = Table.with_jumps(times, values)
                else:
                    options = {word: given[word] for word in ("kind", "ends") if word in given}
                    self.scope.tables[name] = Table(times, values, **options)

    # ------------------------------------------------------------------ submodels and planes

    def _submodels(self) -> None:
        model, told = self._built, self.section("submodel")
        for name in told:
            if name not in model.submodels:
                self._submodel(name)
        model.submodels = {name: model.submodels[name] for name in told}
        for name, given in told.items():
            for word, text in self.mapping(("submodel", name, "interface"), given.get("interface", {})).items():
                model.submodels[name].interface[word] = self.value(("submodel", name, "interface", word), text)

    def _submodel(self, name: str) -> None:
        keys: Keys = ("submodel", name)
        given = self.mapping(keys, self.section("submodel")[name])
        self.known_words(keys, given, ("at", "plane", "interface"), "word")
        at = self.value((*keys, "at"), given["at"]) if "at" in given else None
        with self.told(keys):
            if at is not None and not isinstance(at, Marker):
                raise ModelError(f"at={kinds.shown(at)} is no frame.", remedy="Write ground.at(0, 0).")
            path_name(name)
            with inside_of(name) as own:
                if given.get("plane"):
                    plane(self._built, own, at=at)
                else:
                    self._built._claim(full_name(own))
                    self._built.submodels[name] = Submodel(self._built, name, at)

    def _plane_of(self, name: str) -> Plane | None:
        """The plane that a component is in, made if it is not there yet."""
        begin = name.rpartition(".")[0]
        told = self.section("submodel").get(begin)
        if not isinstance(told, dict) or not told.get("plane"):
            return None
        if begin not in self._built.submodels:
            self._submodel(begin)
        submodel = self._built.submodels[begin]
        return submodel if isinstance(submodel, Plane) else None

    # ------------------------------------------------------------------ components

    def _component(self, name: str, given: Any) -> None:
        keys: Keys = ("component", name)
        given = self.mapping(keys, given)
        if name == "ground":
            self.known_words(keys, given, ("shapes",), "word")
            return self._shapes(keys, self._built.ground, given)
        word = self.plain_text((*keys, "type"), given.get("type"))
        if word == "connect":
            return self._connection(name, given)
        cls = self._class((*keys, "type"), word)
        arguments = {w: a for w, a in arguments_of(cls.__init__).items() if w not in ("self", "name")}
        within = self._plane_of(name)
        plain = {w.lstrip("*"): a for w, a in arguments.items()}
        self.known_words(keys, given, ("type", *plain, *LATER), f"argument of {word}")
        told = {w: self._argument((*keys, w), x, plain[w]) for w, x in given.items() if w in plain and w != "rate"}
        if "rate" in plain and "rate" in given and cls is not State:
            told["rate"] = self._argument((*keys, "rate"), given["rate"], plain["rate"])
        several = next((w.lstrip("*") for w in arguments if w.startswith("*")), None)
        named = told.get("file") if issubclass(cls, Cosimulation) else None
        if named is not None:
            told["file"] = self._fmu((*keys, "file"), named)
        with self.told(keys, told), inside_of(name) as own:
            made = make(cls, own, told, several, within)
            if named is not None:
                made.__dict__["_said"].arguments["file"] = named
            if made.model is None:
                (self._built if within is None else within).add(made)
        if made.name != name:
            self.fail(keys, f"is called {made.name!r} in the model.", "Give it that name.")
        self._start(keys, made, given)
        self._shapes(keys, made, given)

    def _fmu(self, keys: Keys, named: Any) -> str:
        """The path of an FMU that the file names; refused unless the user has allowed it."""
        if not self.fmus:
            self.fail(
                keys,
                f"names the FMU {kinds.shown(named)}, whose code a run would execute.",
                "If you trust it: lw.load(…, fmus=True), or --allow-fmus behind a command.",
            )
        with self.told(keys):
            return str(inside(self.path.parent, named))

    def _connection(self, name: str, given: Data) -> None:
        keys: Keys = ("component", name)
        self.known_words(keys, given, ("type", "ends"), "word")
        ends = given.get("ends")
        if not isinstance(ends, list):
            self.fail((*keys, "ends"), "are no list of ports.", 'Write ends = ["a.p", "b.n"].')
        ports = [self.value((*keys, "ends", k), end) for k, end in enumerate(ends)]
        with self.told(keys), inside_of(name):
            made = connect(self._built, *ports)
            if made.name != name:
                self._built._claim(name)
                del self._built.components[made.name]
                made.name = name
                self._built.components[name] = made

    def _class(self, keys: Keys, word: str) -> type[Component]:
        """A component of Linkwork, or of a package that is installed."""
        cls = registry.components.get(word)
        if cls is not None and cls.__module__.startswith("linkwork.") and word != "ground":
            return cls
        points = {point.name: point for point in entry_points(group=GROUP)}
        if word not in points:
            own = [w for w, c in registry.components.items() if c.__module__.startswith("linkwork.") and w != "ground"]
            self.unknown(keys, "component", word, [*own, "connect", *points])
        with self.told(keys):
            loaded = points[word].load()
            if not isinstance(loaded, type) or not issubclass(loaded, Component):
                raise ModelError(f"what the package brings along as {word!r} is no component.")
            return loaded

    def _argument(self, keys: Keys, value: Any, argument: Argument) -> Any:
        if is_text(argument.hint):
            return value
        if isinstance(value, dict):
            plain = has_texts_as_keys(argument.hint)
            return {key if plain else self._key(keys, key): self.value((*keys, key), x) for key, x in value.items()}
        return self.value(keys, value)

    def _key(self, keys: Keys, key: str) -> Any:
        value = self.value(keys, key)
        try:
            hash(value)
        except TypeError:
            self.fail(keys, f"{key!r} is no part of the model.")
        return value

    # ------------------------------------------------------------------ what is said later

    def _start(self, keys: Keys, made: Component, given: Data) -> None:
        if not isinstance(made, Body) or "start" not in given:
            return
        words = ("position", "rotation", "angle", "quaternion", "velocity", "spin")
        told = self.mapping((*keys, "start"), given["start"])
        self.known_words((*keys, "start"), told, words, "word")
        values = {word: self.value((*keys, "start", word), x) for word, x in told.items()}
        with self.told((*keys, "start"), values):
            Body.start(made, **values)

    def _shapes(self, keys: Keys, made: Component, given: Data) -> None:
        for k, text in enumerate(self.listed((*keys, "shapes"), given.get("shapes", []))):
            if not isinstance(made, Solid):
                self.fail((*keys, "shapes"), "is no body: it has no shape.")
            shape = self.value((*keys, "shapes", k), text)
            with self.told((*keys, "shapes", k)):
                made.shape(shape)

    def _further(self, name: str, given: Any) -> None:
        keys: Keys = ("component", name)
        if name == "ground" or given.get("type") == "connect":
            return
        made = self._built.components[name]
        declared = {w.lstrip("*") for w in arguments_of(type(made).__init__)}
        if isinstance(made, Coordinate):
            self._coordinate(keys, made, {w: given[w] for w in ("start", "rate", "laws") if w in given})
        elif isinstance(made, State) and "rate" in given:
            made.rate = self.value((*keys, "rate"), given["rate"])
        elif unfit := [w for w in ("start", "rate", "laws") if w in given and w not in declared]:
            if not (unfit == ["start"] and isinstance(made, Body)):
                self.fail((*keys, unfit[0]), f"{unfit[0]!r} says nothing of it.", "Coordinates of joints: free.angle.")
        for label, told in self.mapping((*keys, "free"), given.get("free", {})).items():
            own = {c.label: c for c in getattr(made, "coordinates", ()) if hasattr(c, "label")}
            if label not in own:
                self.unknown((*keys, "free", label), "free coordinate", label, own)
            self._coordinate((*keys, "free", label), own[label], told)
        self._rest(keys, made, given)

    def _rest(self, keys: Keys, made: Component, given: Data) -> None:
        if "particles" in given:
            places = [
                self.value((*keys, "particles", k), x)
                for k, x in enumerate(self.listed((*keys, "particles"), given["particles"]))
            ]
            with self.told((*keys, "particles")):
                if not isinstance(made, Body):
                    raise ModelError("is no body.", component=made.name)
                made.particles(*places)
        if "compliance" in given:
            soft = self.value((*keys, "compliance"), given["compliance"])
            if not isinstance(soft, Compliance) or not isinstance(made, Constraint):
                self.fail((*keys, "compliance"), "is for constraints.", 'Write compliance = "Compliance(error=1e-6)".')
            made.compliance = soft
        if "follow" in given:
            told = self.mapping((*keys, "follow"), given["follow"])
            function = self.value((*keys, "follow", "function"), told.get("function"))
            things = [
                self.value((*keys, "follow", "things", k), x)
                for k, x in enumerate(self.listed((*keys, "follow", "things"), told.get("things", [])))
            ]
            if not isinstance(made, State) or not callable(function):
                self.fail((*keys, "follow"), "is for states, and needs a function.")
            made.follow(function, *things)

    def _coordinate(self, keys: Keys, coordinate: Coordinate, given: Any) -> None:
        told = self.mapping(keys, given)
        self.known_words(keys, told, ("start", "rate", "laws"), "word")
        values = {word: self.value((*keys, word), told[word]) for word in ("start", "rate") if word in told}
        with self.told(keys):
            if values:
                coordinate.start(values.get("start"), rate=values.get("rate"))
        for k, text in enumerate(self.listed((*keys, "laws"), told.get("laws", []))):
            law = self.value((*keys, "laws", k), text)
            with self.told((*keys, "laws", k)):
                coordinate.law(law)
