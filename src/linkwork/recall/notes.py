"""What was found out about equations, kept on disk under what tells them from all others: plain data, by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import casadi as ca

from linkwork.compile import cache
from linkwork.compile.identity import GIVEN
from linkwork.core.equations import Equations
from linkwork.core.equations.at import KEEP

Data: TypeAlias = Any
"""What JSON can hold: numbers to the last digit, texts, lists, mappings."""
KEY = "key"
"""Under which equations remember what tells them from all others."""
FOUND = "found"
"""Under which they remember that an earlier process has derived them."""


def named(eq: Equations, identity: str | None, key: str) -> Equations:
    """The same equations, of which it is known from now on what they follow from.

    identity: that of their functions, where it hangs on less than all of the model.
    """
    eq.memory[KEY], eq.memory[GIVEN] = key, identity or key
    eq.memory[KEEP] = lambda name, make: _function(eq, name, make)
    return eq


def _function(eq: Equations, name: str, make: Callable[[], ca.Function]) -> ca.Function:
    made: list[ca.Function] = []

    def text() -> Data:
        made.append(make())
        return made[0].serialize()

    kept = noted(eq, f"function {name}", text)
    return made[0] if made else ca.Function.deserialize(kept)


def found(eq: Equations) -> Equations:
    """The same equations, of which it is known from now on that they were not derived here."""
    eq.memory[FOUND] = True
    return eq


def is_found(eq: Equations) -> bool:
    return FOUND in eq.memory


def named_after(eq: Equations, changed: Equations, change: str) -> Equations:
    """Equations that follow from others by a change of this name."""
    key: str | None = eq.memory.get(KEY)
    if key is None:
        return changed
    changed = found(changed) if is_found(eq) else changed
    return named(changed, cache.key_of(eq.memory[GIVEN], change), cache.key_of(key, change))


def noted(eq: Equations, name: str, find: Callable[[], Data]) -> Data:
    """What `find` finds out about equations, or an earlier process has; it must follow from them and their model."""
    key = eq.memory.get(KEY)
    if key is None:
        return find()
    place = cache.key_of("note", key, name)
    data = cache.load(place)
    if data is not None:
        try:
            return json.loads(data)
        except ValueError:  # as if it were not there
            pass
    told = find()
    cache.store(place, json.dumps(told).encode())
    return told
