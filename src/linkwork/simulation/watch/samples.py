"""Samples that the watch needs beside those that were asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.core.result import Result, described_by
from linkwork.integrate import Trajectory

ENOUGH = 64
"""Samples that show how far energies swing; a run that is asked for its end alone would seem to be at rest."""


def with_watch(times: np.ndarray) -> np.ndarray:
    """Times [s] to be recorded: those asked for, and more where they are few."""
    if times.size >= ENOUGH or not times.size or times[-1] <= 0:
        return times
    return np.union1d(times, np.linspace(0.0, times[-1], ENOUGH))


def asked_for(result: Result, path: Trajectory, times: np.ndarray) -> tuple[Result, Trajectory]:
    """The same without the samples that only the watch asked for."""
    recorded = with_watch(times)
    if recorded is times:
        return result, path
    extra = np.setdiff1d(recorded, times)
    keep = ~np.isin(path.t, extra)
    if keep.size and not path.ok:
        keep[-1] = True  # where it ended
    if keep.all():
        return result, path
    fewer = Result(
        result.t[keep], result.data[keep], result.channels,
        record=result.record, events=result.events, description=described_by(result),
    )  # fmt: skip
    return fewer, replace(path, t=path.t[keep], y=path.y[keep], step=path.step[keep])
