"""From the word after the command to a model: an example's name, a Python file, or a file that holds a model."""

from __future__ import annotations

import ast
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from linkwork.bondgraph.graph import BondGraph
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.plain_data import Record
from linkwork.files.opening import READERS, load

if TYPE_CHECKING:
    from linkwork.core.model import Model

_PACKAGE = "linkwork.examples"
_fmus: ContextVar[bool] = ContextVar("whether model files may name FMUs", default=False)


@dataclass(frozen=True)
class Case:
    """A model that is ready to run, with what its module says about running it."""

    name: str
    model: Model
    parameters: dict[str, float]
    duration: float | None
    show: tuple[str, ...]


def example_names() -> list[str]:
    """Names of the examples in the package, as one types them; none where they were left out."""
    return [] if find_spec(_PACKAGE) is None else list(import_module(_PACKAGE).names())


def example_title(name: str) -> str:
    """First line of an example's docstring, read without running the example."""
    return str(import_module(_PACKAGE).title(name))


def find(name: str, settings: Sequence[str] = (), *, graphs: bool = False) -> Case:
    """The model called `name`, built with `settings` ("name=value").

    A setting that `model()` takes as an argument goes there; every other one must be a parameter or an input.
    graphs: whether a bond graph will do as well as a mechanism.
    """
    given = dict(_setting(text) for text in settings)
    module = None if _is_data(name) else _from_file(Path(name)) if name.endswith(".py") else _from_package(name)
    source = _loaded(name) if module is None else _source(module, name)
    accepted = _arguments(source) if inspect.isfunction(source) else []
    options = {key: _literal(given.pop(key)) for key in list(given) if key in accepted}
    model = _built(source, options, name) if inspect.isfunction(source) else source
    if isinstance(model, BondGraph) and not graphs:
        raise LinkworkError(
            "is a bond graph by itself; this command is for mechanisms.",
            component=name,
            remedy=f"Use linkwork run {name} or linkwork check {name}.",
        )
    if not isinstance(getattr(model, "parameters", None), dict):
        raise ModelError(
            f"gives something of type {type(model).__name__} as its model.",
            component=name,
            remedy="Let model() return the Model it has built.",
        )
    inputs: dict[str, float] = getattr(model, "inputs", {})
    parameters = {key: _number(key, value) for key, value in given.items() if key not in inputs}
    for key in parameters:
        if key not in model.parameters:
            known = [*model.parameters, *inputs, *accepted]
            raise UnknownName("parameter or input", key, known, component=name)
    for key in given.keys() - parameters.keys():
        inputs[key] = _number(key, given[key])
        model.changed()
    return Case(
        name=Path(name).stem,
        model=model,
        parameters=parameters,
        duration=getattr(module, "DURATION", None),
        show=tuple(getattr(module, "SHOW", ())),
    )


@contextmanager
def allowing_fmus() -> Iterator[None]:
    """Model files that are found inside may name FMUs: the user has said that their code may run."""
    before = _fmus.set(True)
    try:
        yield
    finally:
        _fmus.reset(before)


def _loaded(name: str) -> Any:
    allowed = _fmus.get() and Path(name).suffix.lower() == ".toml"
    return load(name, fmus=True) if allowed else load(name)


def _is_data(name: str) -> bool:
    """Whether it is the name of a file that holds a model as data."""
    return Path(name).suffix.lower() in READERS


def _built(source: Callable[..., Any], options: Record, name: str) -> Any:
    """The model; what goes wrong in the user's own code is told with its line."""
    try:
        return source(**options)
    except LinkworkError:
        raise
    except Exception as error:
        raise ModelError(
            f"{_place(error, inspect.getfile(source))}{type(error).__name__}: {error}.",
            component=name,
            remedy="Correct it there; --debug shows the whole traceback.",
        ) from error


def _place(error: Exception, file: str) -> str:
    """ "line 5: " of the deepest call in that file, if there is one."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"line {lines[-1]}: " if lines else ""


def _from_package(name: str) -> ModuleType:
    known = example_names()
    if name.replace("_", "-") not in known:
        hint = [*known, *sorted(str(p) for suffix in ("py", "toml") for p in Path().glob(f"*.{suffix}"))]
        raise UnknownName("example or model file", name, hint)
    return import_module(f"{_PACKAGE}.{name.replace('-', '_')}")


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UnknownName("model file", str(path), map(str, path.parent.glob("*.py")))
    spec = spec_from_file_location(f"linkwork_model_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ModelError("cannot be read as a Python file.", component=str(path))
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickling look modules up there
    sys.path.insert(0, str(path.parent.resolve()))  # so that it may import its neighbours, as a script may
    try:
        spec.loader.exec_module(module)
    except LinkworkError:
        raise
    except Exception as error:
        raise ModelError(
            f"does not run: {_place(error, str(path))}{type(error).__name__}: {error}.",
            component=str(path),
            remedy=f"Run it with `python {path}` to see where.",
        ) from error
    return module


def _source(module: ModuleType, name: str) -> Any:
    for attribute in ("model", "m"):
        if hasattr(module, attribute):
            return getattr(module, attribute)
    raise ModelError("defines no model.", component=name, remedy="Give it a function model() that returns a Model.")


def _arguments(function: Callable[..., object]) -> list[str]:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [name for name, argument in inspect.signature(function).parameters.items() if argument.kind in named]


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise LinkworkError(f"{text!r} is not a setting.", component="--set", remedy="Write --set name=value.")
    return name.strip(), value.strip()


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise LinkworkError(
            f"{value!r} is not a number.", component=name, remedy="Parameters and inputs are numbers."
        ) from None


def _literal(value: str) -> object:
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value
