"""What a force derives once for each view: its loads, energies, switches and channels ask for the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from linkwork.core.component import View

T = TypeVar("T")
_derived: WeakKeyDictionary[View, dict[tuple[object, object], Any]] = WeakKeyDictionary()
"""They go with their view."""


def once_per_view(method: Callable[[Any, View], T]) -> Callable[[Any, View], T]:
    """A method that derives something from a view, made to do so once for each."""

    @wraps(method)
    def once(component: Any, view: View) -> T:
        known = _derived.setdefault(view, {})
        key = component, method
        if key not in known:
            known[key] = method(component, view)
        return known[key]

    return once
