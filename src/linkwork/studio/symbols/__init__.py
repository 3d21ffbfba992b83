"""Symbols: how each kind of component is drawn. Components know nothing of it; a registry maps class names here."""

from __future__ import annotations

from linkwork.studio.symbols import (  # noqa: F401  (registration)
    arrows,
    elements,
    flat_joints,
    ground,
    ropes,
    solid_joints,
)
from linkwork.studio.symbols.registry import draw_joint, draw_part, symbol

__all__ = ["draw_joint", "draw_part", "symbol"]
