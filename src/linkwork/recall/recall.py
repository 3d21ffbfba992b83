"""Equations that an earlier process has derived from the same model, or else derived now and kept for the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.compile import cache
from linkwork.compile.identity import package
from linkwork.core.equations import Equations
from linkwork.recall.content import Content
from linkwork.recall.notes import found, named
from linkwork.recall.packed_equations import Derive, bytes_of, equations_in
from linkwork.recall.untouched import is_untouched

if TYPE_CHECKING:
    from linkwork.core.model import Model

KEPT = "equations kept"


def recalled(model: Model, how: object, derive: Derive) -> Equations:
    """What `derive` gives of the model, found where it was derived before; how: all else that it depends on."""
    content = _content(model, how)
    if content is None or not is_untouched():
        return derive(model)
    key = cache.key_of(KEPT, package(), content.digest)
    data = cache.load(key)
    if data is not None:
        try:
            return found(named(*equations_in(data, content, derive), key))
        except Exception:  # not what it should be: as if it were not there
            pass
    eq = derive(model)
    after = _content(model, how)
    if after is not None and after.digest == content.digest:  # deriving them has changed nothing of what tells it
        try:
            data, identity = bytes_of(eq, after)
        except Exception:  # `NotKept`, and whatever odd objects do when they are looked at
            return eq
        cache.store(key, data)
        named(eq, identity, key)
    return eq


def _content(model: Model, how: object) -> Content | None:
    """None: nothing is kept, or the model has something of which it cannot be told whether it is the same."""
    if cache.directory() is None:
        return None
    try:
        return Content(model, how)
    except Exception:  # `NoKey`, and whatever odd objects and functions do when they are looked at and called
        return None
