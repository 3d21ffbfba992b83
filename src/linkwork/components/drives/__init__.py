"""Electrics, drive trains and heat."""

from linkwork.components.drives import (
    electrics,
    motors,
    shafts,
    thermal,
    transmissions,
)

__all__ = [
    "electrics",
    "motors",
    "shafts",
    "thermal",
    "transmissions",
]
