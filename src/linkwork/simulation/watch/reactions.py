"""Do reactions stay in proportion to what loads the mechanism? Where they do not, equations fight each other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwork.core.finding import Finding
from linkwork.simulation.watch.evidence import Evidence, finding

FORCE_RATIO = 1e6
"""Times the loads. A toggle enlarges forces too, but not by this much."""
REST_ACCELERATION = 1e-9
"""Acceleration of what is at rest, in natural units per s²: forces below it are rounding."""
LOADS = ("spring", "damper", "friction", "limits", "effort", "tension", "fx", "fy", "fz", "normal")


@finding
def reactions(run: Evidence) -> Iterable[Finding]:
    result = run.result
    facts = run.facts
    if not facts.joints or result.t.size < 2:
        return
    largest = float(np.abs(result.data[:, _forces(run)]).max(initial=0.0))
    if largest <= FORCE_RATIO * facts.mass.max(initial=0.0) * facts.gravity:
        return
    names = facts.joints
    sizes = run.axes("f", [f"{joint}.reaction" for joint in names])
    loads = _loads(run)
    wrong = ~(sizes <= FORCE_RATIO * loads)
    if not wrong.any():
        return
    k = int(np.argmax(wrong.any(axis=1)))
    j = int(np.argmax(np.where(np.isfinite(sizes), sizes, np.inf)[k]))
    yield Finding(
        "reactions", names[j], float(result.t[k]),
        f"its reaction grows to {sizes[:, j].max():.2g} N, where the loads are {loads:.2g} N: equations there "
        "contradict each other, or the position is singular.",
    )  # fmt: skip


def _forces(run: Evidence) -> list[int]:
    """Columns of forces in joints; found once for all runs of the same equations."""
    key, memory = ("reactions", len(run.result.channels)), run.equations.memory
    if key not in memory:
        forces = [run.columns.get(end, {}) for end in ("fx", "fy", "fz")]
        memory[key] = [k for where in forces for owner, k in where.items() if owner.endswith(".reaction")]
    columns: list[int] = memory[key]
    return columns


def _loads(run: Evidence) -> float:
    """The largest force [N] that acts from outside, by weight or by inertia, in the whole run."""
    result = run.result
    facts = run.facts
    names, mass = facts.massive, facts.mass
    felt = mass * (run.axes("a", names) + facts.gravity) + facts.inertia * run.axes("alpha", names) / run.size
    acting = [
        column
        for last, where in run.columns.items() if last.rstrip("0123456789") in LOADS
        for owner, column in where.items() if not owner.endswith((".reaction", ".port1"))
    ]  # fmt: skip
    others = np.abs(result.data[:, acting])
    rest = REST_ACCELERATION * float(mass.max(initial=0.0)) * run.unit
    return float(max(np.nanmax(felt, initial=0.0), np.nanmax(others, initial=0.0))) + rest
