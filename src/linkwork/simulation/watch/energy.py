"""Energies at work in a run, and what of them is missing."""

from __future__ import annotations

import numpy as np

from linkwork.core.result import Result
from linkwork.simulation.description.facts import Facts
from linkwork.simulation.watch.evidence import Evidence

ROUNDING = 1e3 * np.finfo(float).eps
REST_SPEED = 1e-7
"""Speed of what is at rest, in natural units (m/s, unless the mechanism is very small or large)."""
FINE = 1e-8
"""Relative tolerance that is taken into account at most: coarse ones must not excuse themselves."""


def missing(result: Result) -> np.ndarray | None:
    """Energy that came from nowhere since the start, at each sample [J]; None where a part of it is not known."""
    parts = ("energy.total", "energy.dissipated", "energy.supplied")
    if any(name not in result for name in parts) or set(parts) & set(result.record.get("left out", ())):
        return None
    total, lost, supplied = (result[name] for name in parts)
    balance = total + lost - supplied
    return balance - balance[0] if balance.size else balance


NAMES = ("energy.kinetic", "energy.potential", "energy.total", "energy.dissipated", "energy.supplied")


def at_work(result: Result) -> np.ndarray:
    """Energy that has moved until each sample [J]: the zero of a potential is arbitrary, so only its changes count."""
    known = [result[name] for name in NAMES if name in result]
    moved = np.max([np.maximum.accumulate(x) - np.minimum.accumulate(x) for x in known], axis=0)
    if "energy.kinetic" in result:
        moved = np.maximum(moved, np.maximum.accumulate(result["energy.kinetic"]))
    else:  # a bond graph: its stores have energies of their own, which together may not change
        for name in ("energy.total", *(n for n in result if n.endswith(".energy"))):
            moved = np.maximum(moved, np.maximum.accumulate(np.abs(result[name])))
    return moved


def moved_at_all(result: Result) -> float:
    """What `at_work` is at the last sample [J], without all that it was before."""
    if "energy.kinetic" not in result:
        return float(at_work(result)[-1])
    columns = [result.channels.column[name] for name in NAMES if name in result]
    parts = result.data[:, columns]
    most = parts.max(axis=0)
    return float(max((most - parts.min(axis=0)).max(), most[0]))  # the first is the kinetic energy


def noise(run: Evidence) -> float:
    """What rounding and the tolerances may make of energies [J]: these go with all that is stored."""
    return noise_of(run.result, run.facts, size=run.size, unit=run.unit, rtol=run.rtol)


def noise_of(result: Result, facts: Facts, *, size: float, unit: float, rtol: float) -> float:
    """The same of a mechanism of this size, with this natural unit [m]."""
    stored = max(float(np.abs(result[name]).max(initial=0.0)) for name in NAMES if name in result)
    mass = float(facts.mass.sum())
    weight = mass * facts.gravity
    allowed = min(rtol, FINE) + ROUNDING
    return mass * (REST_SPEED * unit) ** 2 + allowed * weight * size + 10 * allowed * stored
