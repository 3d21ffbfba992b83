"""Oil: passages, stores, pumps, valves, cylinders."""

from linkwork.components.hydraulics import (
    cylinder,
    passages,
    pumps,
    stores,
    valves,
)

__all__ = [
    "cylinder",
    "passages",
    "pumps",
    "stores",
    "valves",
]
