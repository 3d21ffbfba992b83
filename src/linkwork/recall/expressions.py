"""Expressions as one text, which keeps what they share, and which symbols of a model are in them."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from linkwork.geometry import SX


def written(expressions: Sequence[SX], symbols: SX) -> tuple[str, list[str]]:
    """Their text, and the names of all symbols in them that are not among these."""
    free = ca.Function("kept", [symbols], list(expressions), {"allow_free": True, "max_io": 0}).free_sx()
    own = ca.vertcat(SX(0, 1), *free)
    text: str = ca.Function("kept", [symbols, own], list(expressions), {"max_io": 0}).serialize()
    return text, [x.name() for x in free]


def read(text: str, symbols: SX, names: Sequence[str]) -> list[SX]:
    """The expressions again, in these symbols and in new ones of these names."""
    own = ca.vertcat(SX(0, 1), *(SX.sym(name) for name in names))
    expressions: list[SX] = ca.Function.deserialize(text).call([symbols, own], True, False)
    return expressions
