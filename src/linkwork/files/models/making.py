"""Components from what a file says of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from linkwork.components.bodies import Body
from linkwork.components.plane import Plane
from linkwork.core.component import Component, naming, path_name
from linkwork.core.errors import ModelError
from linkwork.core.plain_data import Record


@contextmanager
def inside_of(name: str) -> Iterator[str]:
    """The last part of a name, which is completed by the names of the submodels it is in."""
    begin, _, own = name.rpartition(".")
    if begin:
        path_name(name)
        with naming(begin):
            yield own
    else:
        yield own


def make(cls: type[Component], name: str, told: Record, several: str | None, within: Plane | None) -> Component:
    """The component, in the model (or plane) of the reader; several: the argument of which there are many."""
    signature = inspect.signature(cls.__init__)
    if within is not None and cls is Body:
        return within.body(name, **told)
    positional: list[Any] = []
    named = dict(told)
    if several is not None:
        many = named.pop(several, [])
        if not isinstance(many, list):
            raise ModelError(f"{several} is no list.", remedy="Write [ … ].")
        for word, p in list(signature.parameters.items())[2:]:
            if p.kind is p.VAR_POSITIONAL:
                break
            positional.append(named.pop(word) if word in named else _default(word, p))
        positional += many
    try:
        signature.bind(None, name, *positional, **named)
    except TypeError as error:
        raise ModelError(f"{error}.", remedy="Give it in the table of the component.") from None
    return cls(name, *positional, **named)


def _default(word: str, p: inspect.Parameter) -> Any:
    if p.default is p.empty:
        raise ModelError(f"missing a required argument: {word!r}.")
    return p.default
