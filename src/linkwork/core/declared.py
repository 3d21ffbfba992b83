"""Declared arguments: `stiffness: Annotated[Number, positive["N/m"], "of the spring"]`, in the signature of a
constructor, is all that is said of an argument. Check, unit, help and documentation come from there."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import Parameter
from typing import Annotated, Any, ClassVar, get_origin

from linkwork.core import kinds
from linkwork.core.arguments import checked
from linkwork.core.kinds import Claim, Kind
from linkwork.core.said import Said


@dataclass(frozen=True)
class Argument:
    """An argument as its constructor declares it."""

    name: str
    hint: Any = Any
    kind: Kind = kinds.anything
    meaning: str = ""
    default: Any = Parameter.empty

    def __str__(self) -> str:
        """`stiffness [N/m, > 0] = 1e5: of the spring`."""
        said = ", ".join(filter(None, (self.kind.unit, self.kind.range.said if self.kind.range else "")))
        default = "" if self.default is Parameter.empty else f" = {self.default!r}"
        return f"{self.name}{f' [{said}]' if said else ''}{default}: {self.meaning}"


@cache
def arguments_of(call: Callable[..., object]) -> dict[str, Argument]:
    """What a constructor or function declares, by name; what is not declared is anything."""
    call = inspect.unwrap(call)
    return {
        ("*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else "") + name: _declared(call, p)
        for name, p in inspect.signature(call).parameters.items()
    }


def _declared(call: Callable[..., object], p: Parameter) -> Argument:
    hint = evaluated(p.annotation, call)
    said = hint.__metadata__ if get_origin(hint) is Annotated else ()
    kind = next((x for x in said if isinstance(x, Kind)), kinds.anything)
    return Argument(p.name, hint, kind, next((x for x in reversed(said) if isinstance(x, str)), ""), p.default)


def evaluated(annotation: object, call: Callable[..., object]) -> Any:
    """The type that an annotation of a function means; Any where there is none."""
    if not isinstance(annotation, str):
        return Any if annotation is Parameter.empty else annotation
    try:
        return eval(annotation, call.__globals__)
    except Exception:  # a name that only type checkers know declares nothing
        return Any


class Declared:
    """What is made with declared arguments: each is read by its kind; of symbols, the ranges are verified later."""

    arguments: ClassVar[Mapping[str, Kind]] = {}
    """Kinds of arguments whose constructor does not declare them."""
    _known: ClassVar[Mapping[str, Kind]]

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "__init__" in cls.__dict__ and list(inspect.signature(cls.__init__).parameters)[1:] != ["name"]:
            call = checked(cls.__init__, lambda made: type(made)._kinds(), cls._owner, cls._noted, cls._made_with)
            cls.__init__ = call  # type: ignore[method-assign]

    @classmethod
    def _kinds(cls) -> Mapping[str, Kind]:
        """Kinds of the arguments that the class and those it is made from declare, by name, where there are any."""
        if "_known" not in cls.__dict__:
            classes = [c for c in reversed(cls.__mro__) if issubclass(c, Declared) and "__init__" in vars(c)]
            declared = [a for c in classes for a in arguments_of(vars(c)["__init__"]).values()]
            cls._known = {a.name: a.kind for a in declared if a.kind is not kinds.anything} | dict(cls.arguments)
        return cls._known

    @staticmethod
    def _owner(given: Mapping[str, object]) -> Any:
        """Whose name a message begins with."""
        return type(given["self"]).__name__

    def _made_with(self, given: Mapping[str, object]) -> Callable[[], None] | None:
        """Remember what it is made with: the arguments of the outermost constructor; gives what to call at its end."""
        if "_said" in self.__dict__:
            return None
        words = inspect.signature(type(self).__init__).parameters
        said = Said({word: x for word, x in given.items() if word not in ("self", "name")}, words)
        self.__dict__["_said"] = said

        def close() -> None:
            said.closed = True

        return close

    def _remember(self, word: str, value: object) -> None:
        """Note that an attribute is changed by hand."""
        said: Said | None = self.__dict__.get("_said")
        if said is not None:
            said.change(word, value)

    def _noted(self, word: str, value: object, kind: Kind) -> None:
        """Remember an expression whose range is not known yet."""
        open_ = self.__dict__.setdefault("_open", {})
        open_.pop(word, None)
        if any(kinds.claims(word, value, kind)):
            open_[word] = value

    def _changed_to(self, word: str, value: object) -> Any:
        """The value that an attribute is given by hand, read as it was at first."""
        kind = None if value is None else self._kinds().get(word)
        if kind is None:
            return value
        value = kind.taken(word, value, self._owner({"self": self, "name": self.__dict__.get("name")}))
        self._noted(word, value, kind)
        return value

    def claims(self) -> Iterator[Claim]:
        """What must hold once parameters have values."""
        known = self._kinds()
        for word, value in self.__dict__.get("_open", {}).items():
            yield from kinds.claims(word, value, known[word])
