"""What a run by kernels has to say against itself, from its own samples: open joints, residuals, energy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from linkwork.core.errors import IntegrationError
from linkwork.core.finding import Finding
from linkwork.core.result import Result, described_by
from linkwork.integrate import Trajectory
from linkwork.large.large_model import LargeModel
from linkwork.simulation.description.facts import facts_of
from linkwork.simulation.watch.balance import MISSING_ENERGY_SHARE
from linkwork.simulation.watch.energy import at_work, missing, noise_of
from linkwork.simulation.watch.residuals import FINE, OPEN_JOINT_GAP, TOLERANCE_FACTOR

Values: TypeAlias = Callable[[float], np.ndarray]
"""Parameters, inputs and all that is followed over time, at a time [s]."""


def _size(large: LargeModel, path: Trajectory, p: Values) -> float:
    """Of the mechanism [m]: its arms, or how far bodies are apart at the start."""
    places = large.places_at(path.y[0], p(0.0))
    return max(large.sizes.length, float(np.ptp(places, axis=0).max(initial=0.0)))


def _worst(large: LargeModel, path: Trajectory, p: Values, sample: int, level: int) -> tuple[str, float]:
    """Owner and size of the largest residual at a sample; level: 0 positions, 1 speeds."""
    f, _, _ = large.functions.constraints
    (residuals,) = f(path.t[sample], path.y[sample], p(path.t[sample]))
    m = large.tables.m
    values = np.abs(residuals[level * m : (level + 1) * m])
    row = int(np.nanargmax(values)) if np.isfinite(values).any() else 0
    return large.row_owners[row], float(values[row])


def _residual(large: LargeModel, path: Trajectory, p: Values, result: Result, level: int) -> np.ndarray:
    """Largest residual at every sample; level: 0 positions, 1 speeds. What springs hold may give way."""
    if not large.softness:
        return np.asarray(result[("residual.position", "residual.velocity")[level]])
    f, _, _ = large.functions.constraints
    m = large.tables.m
    every = (np.abs(f(t, y, p(t))[0][level * m : (level + 1) * m]) for t, y in zip(path.t, path.y, strict=True))
    return np.array([x.max(initial=0.0) for x in every])


def open_joint(large: LargeModel, path: Trajectory, p: Values, result: Result) -> IntegrationError | None:
    """The error for a run whose joints do not hold."""
    size = _size(large, path, p)
    bad = np.flatnonzero(~(_residual(large, path, p, result, 0) <= OPEN_JOINT_GAP * min(size, 1.0)))
    if not bad.size:
        return None
    owner, value = _worst(large, path, p, int(bad[0]), 0)
    keep = max(int(bad[0]), 1)
    partial = Result(
        result.t[:keep], result.data[:keep], result.channels, record=result.record | {"status": "failed"},
        description=result.description,
    )  # fmt: skip
    return IntegrationError(
        f"it is open by {value:.3g} m (or rad) at t = {result.t[bad[0]]:.6g} s (the mechanism's size is {size:.3g} m).",
        component=owner,
        remedy="Something asks for a position that cannot be reached, or steps are too long: check drives and the way "
        f"of the motion, or take a smaller rtol. The {keep} samples before are in error.partial.",
        partial=partial,
    )


def findings(
    large: LargeModel, path: Trajectory, p: Values, result: Result, rtol: float, atol: float
) -> Iterable[Finding]:
    """Residuals far above the tolerances, and an energy balance that does not close."""
    size, unit = _size(large, path, p), large.sizes.length
    layout = large.layout
    speeds = np.abs(path.y[:, layout.q : layout.q + layout.v]).max(initial=0.0)
    for level, (word, reach) in enumerate((("position", size), ("velocity", float(speeds)))):
        allowed = max(TOLERANCE_FACTOR * (rtol * reach + atol * unit), FINE * reach)
        bad = np.flatnonzero(~(_residual(large, path, p, result, level) <= allowed))
        if bad.size:
            owner, value = _worst(large, path, p, int(bad[0]), level)
            yield Finding(
                "residual", owner, float(result.t[bad[0]]),
                f"its {word} equations are off by {value:.2g}, and the tolerances allow {allowed:.2g}. Take a smaller "
                "step or rtol, or stabilisation='projection'.",
            )  # fmt: skip
            return
    yield from _energy(large, result, size, rtol)


def _energy(large: LargeModel, result: Result, size: float, rtol: float) -> Iterable[Finding]:
    off = missing(result)
    if off is None or off.size < 2:
        return
    moved = float(at_work(result)[-1])
    if np.abs(off).max() <= MISSING_ENERGY_SHARE * moved:
        return
    facts = facts_of(described_by(result), {})
    allowed = MISSING_ENERGY_SHARE * moved + noise_of(result, facts, size=size, unit=large.sizes.length, rtol=rtol)
    bad = np.flatnonzero(~(np.abs(off) <= allowed))
    if bad.size:
        yield Finding(
            "energy balance", large.model.name, float(result.t[bad[0]]),
            f"the energy balance does not close: {abs(off[bad[0]]):.3g} J of the {moved:.3g} J at work. Take a smaller "
            f"rtol (now {rtol:g}) or step; verify=True tells which digits hold.",
        )  # fmt: skip
