"""Expressions that many components have in common: written once, with symbols, and put in by one call for each.

A call does the same operations on the same operands as writing them again would do, with the same simplifications, and
takes the time of two or three of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from linkwork.geometry.vectors import SX


class Pattern:
    """Results by arguments; all of them are dense where they are put in."""

    def __init__(self, name: str, arguments: Sequence[SX], results: Sequence[SX]):
        self._function = ca.Function(name, list(arguments), list(results))

    def __call__(self, *given: SX) -> list[SX]:
        results: list[SX] = self._function.call(list(given))
        return results
