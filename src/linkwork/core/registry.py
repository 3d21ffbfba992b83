"""What a Model can hold and do, by name: `m.revolute(…)` finds a component here, `m.simulate(…)` a verb."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

components: dict[str, type] = {}
verbs: dict[str, Callable[..., Any]] = {}


def component(cls: C) -> C:
    """Class decorator: makes `PointOnLine` available as `m.point_on_line(name, …)`."""
    components[re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()] = cls
    return cls


def verb(function: F) -> F:
    """Function decorator: makes `simulate(model, …)` available as `m.simulate(…)`."""
    verbs[function.__name__] = function
    return function
