"""Symbols: how each kind of component is drawn. Components know nothing of it; a registry maps class names here."""

from __future__ import annotations

from linkwork.studio.symbols import arrows, elements, flat_joints, ground, solid_joints  # noqa: F401  (registration)
from linkwork.studio.symbols.registry import draw_joint, draw_part, symbol

__all__ = ["draw_joint", "draw_part", "symbol"]
