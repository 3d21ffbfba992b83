"""Signals: controllers, filters, sampling, sensors."""

from linkwork.components.control import (
    blocks,
    linear_systems,
    pid,
    sampled,
    sensors,
)

__all__ = [
    "blocks",
    "linear_systems",
    "pid",
    "sampled",
    "sensors",
]
