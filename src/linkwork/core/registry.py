"""What a Model can hold and do, by name: `m.revolute(…)` finds a component here, `m.simulate(…)` a verb."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping
from typing import Any, TypeVar

from linkwork.core import places, words
from linkwork.core.component import Component
from linkwork.core.errors import ModelError
from linkwork.core.face import Face, Parts
from linkwork.core.interrupts import listening
from linkwork.core.kinds import Kind
from linkwork.core.late import Registry, promise
from linkwork.core.methods import Brought
from linkwork.core.progress.showing import showing
from linkwork.core.threads import single_threaded

C = TypeVar("C", bound=type[Component])
F = TypeVar("F", bound=Callable[..., Any])

components: MutableMapping[str, type[Component]] = Registry(places.COMPONENTS)
verbs: MutableMapping[str, Callable[..., Any]] = Registry(places.VERBS)
promise(Parts, places.COMPONENTS)
promise(Face, places.VERBS)


def component(cls: C) -> C:
    """Class decorator: makes `PointOnLine` available as `m.point_on_line(name, …)`."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
    home = places.COMPONENTS.get(name, cls.__module__)
    if home != cls.__module__ and not cls.__module__.startswith("linkwork."):
        raise ModelError(
            f"m.{name} exists already.",
            component=cls.__name__,
            remedy="Give your class another name than a built-in one.",
        )
    components[name] = cls
    setattr(Parts, name, Brought(name, cls))
    return cls


def verb(function: F) -> F:
    """Function decorator: makes `simulate(model, …)` available as `m.simulate(…)`; its arguments are read by kind."""
    return verb_with()(function)


def verb_with(**own: Kind) -> Callable[[F], F]:
    """The same with kinds of arguments that mean something else in this verb than in others."""

    def decorate(function: F) -> F:
        verbs[function.__name__] = read = words.checked_as_verb(**own)(listening(showing(single_threaded(function))))
        read.__doc__ = words.told(function)
        setattr(Face, function.__name__, read)
        return read

    return decorate
