"""Signals: controllers, filters, sampling, sensors, tables."""

from linkwork.components.control import (
    blocks,
    linear_systems,
    pid,
    sampled,
    sensors,
    tables,
)

__all__ = [
    "blocks",
    "linear_systems",
    "pid",
    "sampled",
    "sensors",
    "tables",
]
