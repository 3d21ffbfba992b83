"""Reading the arguments of a call by the kinds of their words, before anything else happens.

What is wrong is told by component, argument and remedy.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from linkwork.core.errors import LinkworkError, ModelError
from linkwork.core.kinds import Kind

F = TypeVar("F", bound=Callable[..., object])


def checked(
    call: F,
    words: Mapping[str, Kind] | Callable[[Any], Mapping[str, Kind]],
    owner: Callable[[Mapping[str, object]], object],
    noted: Callable[[Any, str, Any, Kind], None] | None = None,
    kept: Callable[[Any, Mapping[str, object]], Callable[[], None] | None] | None = None,
) -> F:
    """The same call; its arguments are read by the kinds of their words first.

    words: kinds by argument, or a function of the first argument that gives them; owner: of the arguments, whose name
    a message begins with; noted: is told the first argument, and word, value and kind of each that was read; kept: is
    told the first argument and all arguments as they were read, and gives what to call after the call. A default is
    taken as it is, and so is None where None is the default.
    """
    signature = inspect.signature(call)
    parameters = signature.parameters
    plain = _Plain(signature)

    @wraps(call)
    def read(*args: object, **named: object) -> Any:
        bound: _Bound | inspect.BoundArguments | None = plain.bind(args, named)
        if bound is None:
            try:
                bound = signature.bind(*args, **named)
            except TypeError:
                return call(*args, **named)  # Python says what is missing or too much
        given = bound.arguments
        known = words(args[0]) if callable(words) else words
        for word, value in given.items():
            parameter = parameters[word]
            if value is parameter.default:
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                given[word] = {
                    w: _read(known[w], w, v, given, owner) if w in known and v is not None else v
                    for w, v in value.items()
                }
            elif word in known:
                several = parameter.kind is parameter.VAR_POSITIONAL
                kind = known[word]
                given[word] = (
                    tuple(_read(kind, word, v, given, owner) for v in value)
                    if several
                    else _read(kind, word, value, given, owner)
                )
                if noted is not None:
                    noted(args[0], word, given[word], kind)
        after = None if kept is None else kept(args[0], given)
        result = call(*bound.args, **bound.kwargs)
        if after is not None:
            after()
        return result

    return read  # type: ignore[return-value]


class _Bound:
    """Arguments by name, in the order of the signature, and how to hand them on: those of
    `inspect.BoundArguments` that are asked for here."""

    def __init__(self, arguments: dict[str, Any], positional: int):
        self.arguments, self._positional = arguments, positional

    @property
    def args(self) -> tuple[Any, ...]:
        return tuple(self.arguments.values())[: self._positional]

    @property
    def kwargs(self) -> dict[str, Any]:
        return dict(list(self.arguments.items())[self._positional :])


class _Plain:
    """Binds arguments of a signature that has nothing unusual, in a tenth of the time that `inspect` takes."""

    def __init__(self, signature: inspect.Signature):
        kinds = inspect.Parameter
        parameters = signature.parameters.values()
        self._usual = all(p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY) for p in parameters)
        self._positional = [p.name for p in parameters if p.kind is kinds.POSITIONAL_OR_KEYWORD]
        self._order, self._known = tuple(signature.parameters), frozenset(signature.parameters)
        self._needed = frozenset(p.name for p in parameters if p.default is p.empty)

    def bind(self, args: tuple[object, ...], named: dict[str, object]) -> _Bound | None:
        """None: `inspect` has to look at it, or Python to refuse it."""
        if not self._usual or len(args) > len(self._positional):
            return None
        given = dict(zip(self._positional, args, strict=False))
        if not named.keys() <= self._known or not given.keys().isdisjoint(named):
            return None
        given.update((name, named[name]) for name in self._order if name in named)
        return _Bound(given, len(args)) if self._needed <= given.keys() else None


def _read(kind: Kind, word: str, value: object, given: Mapping[str, object], owner: Callable[..., object]) -> object:
    try:
        return kind.taken(word, value, None)
    except LinkworkError as error:
        said = owner(given)
        name = said if isinstance(said, str) and said else error.component
        cause = error.cause if error.cause.startswith(word) else f"{word}: {error.cause}"
        raise ModelError(cause, component=name, remedy=error.remedy) from None


def method(**words: Kind) -> Callable[[F], F]:
    """Decorator of methods: kinds by argument; messages begin with the name of the object."""

    def decorate(call: F) -> F:
        return checked(call, words, name_of_first)

    return decorate


def name_of_first(given: Mapping[str, object]) -> object:
    """The name of the object whose method it is, or of the model that a verb is given."""
    return getattr(next(iter(given.values()), None), "name", None)


def record(**words: Kind) -> Callable[[type], type]:
    """Decorator of frozen dataclasses (under `@dataclass`): reads these fields by their kinds."""

    def decorate(cls: Any) -> Any:
        further = getattr(cls, "__post_init__", None)

        def read(self: object) -> None:
            for word, kind in words.items():
                value = getattr(self, word)
                if value is not None or getattr(type(self), word, value) is not None:
                    object.__setattr__(self, word, kind.taken(word, value, type(self).__name__))
            if further is not None:
                further(self)

        cls.__post_init__ = read
        return cls

    return decorate
