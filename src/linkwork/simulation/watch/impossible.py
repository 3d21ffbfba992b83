"""States that cannot be: oil below absolute vacuum, heat below 0 K, volumes below nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from linkwork.components.hydraulics.cylinder import HydraulicCylinder
from linkwork.components.hydraulics.passages import VACUUM, Chamber
from linkwork.core.errors import IntegrationError
from linkwork.core.port import HYDRAULIC, THERMAL, Port, PortComponent
from linkwork.core.result import Result
from linkwork.simulation.watch.evidence import Evidence

if TYPE_CHECKING:
    from linkwork.core.model import Model

BOILING = 0.1
"""Share of the atmosphere below vacuum that is let pass: where oil boils its pressure still falls by a millionth of its
bulk modulus for each volume that is drawn out."""
ROUNDING = 1e-3
"""Kelvins that a solver may be below zero."""
EMPTY = 1e-6
"""Share of its largest volume below which a chamber is empty."""
MORE_VOLUME = "Give it more volume, or the piston an end stop."


def impossible(run: Evidence, result: Result) -> IntegrationError | None:
    """The error for the first quantity that is below what it can be."""
    violations: list[tuple[int, str, str, str]] = []
    for channel, least, component, said, remedy in _limits(run.model):
        if channel in run.result and (below := run.result[channel] < least).any():
            first = int(np.argmax(below))
            violations.append((first, component, f"{said} ({run.result[channel][first]:.6g}", remedy))
    if not violations:
        return None
    first, component, said, remedy = min(violations)
    return IntegrationError(
        f"{said}) at t = {run.result.t[first]:.6g} s.",
        component=component,
        remedy=f"{remedy} See error.partial.",
        partial=result,
    )


def _limits(model: Model) -> Iterator[tuple[str, float, str, str, str]]:
    """(channel, least value, component, what it would mean, remedy)."""
    for c in model.of_type(PortComponent):
        for port in c.ports.values():
            if isinstance(port, Port) and port.domain is HYDRAULIC:
                remedy = "Oil tears there: put a volume (m.chamber, capacity=… of a line) next to it, which boils."
                yield f"{port.name}.p", VACUUM * (1 + BOILING), c.name, "its pressure is below vacuum", remedy
            elif isinstance(port, Port) and port.domain is THERMAL:
                remedy = "Check heat sources that draw more heat than there is."
                yield f"{port.name}.T", -ROUNDING, c.name, "its temperature is below 0 K", remedy
        for name in _volumes(c):
            yield name, 0.0, c.name, "its volume is negative", MORE_VOLUME


def _volumes(c: PortComponent) -> list[str]:
    """Channels of volumes that oil is pressed out of."""
    sides = ("volume", "head_volume", "rod_volume")
    return [f"{c.name}.{side}" for side in sides] if isinstance(c, (Chamber, HydraulicCylinder)) else []


def emptied(run: Evidence) -> str | None:
    """The first component with a volume that is used up where a run ends: no pressure would hold the piston there."""
    for c in run.model.of_type(PortComponent):
        for name in _volumes(c):
            if name in run.result and run.result[name][-1] <= EMPTY * run.result[name].max():
                return c.name
    return None
