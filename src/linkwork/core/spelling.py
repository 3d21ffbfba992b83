"""Types as they are written: for signatures that `help` shows, and for the stub that type checkers read."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Annotated, Any, Union, get_args, get_origin

from linkwork.geometry import Number, Vector

ALIASES = {"Vector": Vector, "Number": Number}
"""Unions that have a name, the largest first."""


class Spelled(str):
    """A type as it is written, without quotes."""

    __repr__ = str.__str__


class Speller:
    """Writes types, and remembers what they need to be imported: spelling → (module, name)."""

    def __init__(self) -> None:
        self._needed: dict[str, tuple[str, str]] = {}

    def imports(self) -> list[tuple[str, str]]:
        """(module, name, or `name as spelling`) of all that was written."""
        return [(module, name if name == s else f"{name} as {s}") for s, (module, name) in self._needed.items()]

    def __call__(self, hint: object) -> Spelled:
        """What is declared beside a type (`Annotated`) is left out."""
        origin, args = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self(args[0])
        if origin in (Union, types.UnionType):
            return Spelled(" | ".join(self._union(args)))
        if hint in (None, type(None)):
            return Spelled("None")
        if hint is ...:
            return Spelled("...")
        if isinstance(hint, list):
            return Spelled(f"[{', '.join(map(self, hint))}]")
        if origin is None:
            return self._named(hint)
        return Spelled(f"{self._named(Callable if origin is Callable else origin)}[{', '.join(map(self, args))}]")

    def _union(self, args: tuple[object, ...]) -> list[str]:
        names: list[str] = []
        left = list(args)
        for name, alias in ALIASES.items():
            if set(get_args(alias)) <= set(left):
                left = [a for a in left if a not in get_args(alias)]
                names.append(self._needs(name, "linkwork.geometry"))
        return [*names, *sorted(map(self, left), key=lambda text: text == "None")]

    def _named(self, cls: Any) -> Spelled:
        name, module = cls.__name__, cls.__module__
        if module == "builtins":
            return Spelled(name)
        return self._needs(name, "linkwork.geometry" if name == "SX" else module)

    def _needs(self, name: str, module: str) -> Spelled:
        """The name, or a longer one where another module has a thing of this name too."""
        said = name
        if self._needed.get(name, (module, name)) != (module, name):
            said = module.rpartition(".")[2].title().replace("_", "") + name
        self._needed[said] = module, name
        return Spelled(said)
