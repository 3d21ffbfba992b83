"""What is known by name and loaded when it is first asked for.

A model has a hundred components and twenty verbs; a run needs a handful of each, and the modules of all of them would
take half a second to import. So `places.py` says which module declares each name, and that module is imported when the
name is used: it registers what it declares, as it would if it were imported by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Generic, TypeVar

T = TypeVar("T")


class Late:
    """A method whose module is imported when it is first asked for, and then stands in its place."""

    def __init__(self, name: str, module: str):
        self.name, self.module = name, module

    def __get__(self, held: object, owner: type) -> object:
        import_module(self.module)
        for cls in owner.__mro__:
            if vars(cls).get(self.name) is self:  # the table is out of date
                raise AttributeError(f"{self.module} declares no {self.name}: run python -m linkwork.core.stub")
        return getattr(owner if held is None else held, self.name)


def promise(cls: type, modules: Mapping[str, str]) -> None:
    """Give a class the methods of these names from these modules, unless it has them already."""
    for name, module in modules.items():
        if name not in vars(cls):
            setattr(cls, name, Late(name, module))


class Registry(MutableMapping[str, T], Generic[T]):
    """Name → what a module has registered under it; asking for one that is promised imports its module."""

    def __init__(self, modules: Mapping[str, str]):
        self.modules = modules
        self.loaded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self.loaded and name in self.modules:
            import_module(self.modules[name])
        return self.loaded[name]

    def __setitem__(self, name: str, value: T) -> None:
        self.loaded[name] = value

    def __delitem__(self, name: str) -> None:
        del self.loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self.modules or name in self.loaded

    def __iter__(self) -> Iterator[str]:
        yield from self.modules
        yield from (name for name in self.loaded if name not in self.modules)

    def __len__(self) -> int:
        return len(self.modules.keys() | self.loaded.keys())
