"""How far two results of one model lie apart, channel by channel and in groups of channels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from linkwork.core import names
from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result

GROUPS = ("positions", "speeds", "accelerations", "joint coordinates", "reactions", "energies", "others")
_PLACES = {"x", "y", "z", "angle", "q0", "q1", "q2", "q3"}
_MOVERS = re.compile(r"(v|w|a|alpha)[xyz]")
_OWN_BUSINESS = re.compile(r"solver\.step|residual\..*|.*\.multiplier\d+")
"""What belongs to the way of solving, not to the motion."""


@dataclass(frozen=True)
class Deviation:
    """Largest distance from the reference over time.

    absolute: in the unit of the channel (of a group: of its worst channel); relative: to the largest value of the
    reference in that channel (of a group: in all its channels of equal unit); NaN where the reference is zero.
    """

    absolute: float
    relative: float


def group_of(channel: str, result: Result) -> str | None:
    """The group of a channel, or None for what is not compared: multipliers, residuals, step sizes."""
    if _OWN_BUSINESS.fullmatch(channel):
        return None
    joints = result.description.get("joints", {})
    owner, what = names.split(channel, {*joints, *result.description.get("bodies", {})})
    if owner == "energy":
        return "energies"
    if owner in joints:
        if what.startswith(("reaction.", "port1.")):
            return "reactions"
        return "others" if what.endswith((".effort", ".power")) else "joint coordinates"
    if what in _PLACES:
        return "positions"
    if _MOVERS.fullmatch(what):
        return "speeds" if what[0] in "vw" else "accelerations"
    return "others"


def comparable(result: Result, reference: Result, undetermined: Iterable[str]) -> list[str]:
    """Channels that both have and that both must agree on; `undetermined` joints have no unique reaction."""
    joints = tuple(undetermined)
    return [name for name in reference if name in result and group_of(name, reference) and not is_open(name, joints)]


def is_open(channel: str, undetermined: Iterable[str]) -> bool:
    """Whether it is a reaction of a joint (or rolling contact) without a unique one, or the effort of its servo."""
    return any(
        channel.startswith((f"{joint}.reaction.", f"{joint}.port1."))
        or channel in (f"{joint}.normal", f"{joint}.ahead", f"{joint}.aside")
        or (channel.startswith(f"{joint}.") and channel.endswith(".effort"))
        for joint in undetermined
    )


def difference(result: Result, reference: Result, channel: str) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] that both have, and result − reference there. Euler parameters are compared up to their common sign."""
    t, here, there = _common(result.t, reference.t)
    x, x0 = result[channel][here], reference[channel][there]
    owner, _, what = channel.rpartition(".")
    if re.fullmatch(r"q[0-3]", what) and all(f"{owner}.q{i}" in reference for i in range(4)):
        both = [(result[f"{owner}.q{i}"][here], reference[f"{owner}.q{i}"][there]) for i in range(4)]
        x = np.where(sum(a * b for a, b in both) < 0, -x, x)
    return t, x - x0


def deviation(result: Result, reference: Result, channel: str) -> Deviation:
    """Of one channel."""
    apart = _largest(difference(result, reference, channel)[1])
    return Deviation(apart, _ratio(apart, _largest(reference[channel])))


def by_group(deviations: Mapping[str, Deviation], reference: Result) -> dict[str, Deviation]:
    """The worst channel of each group; relative to the largest value of equal unit, as single channels may vanish."""
    scale: dict[tuple[str, str], float] = {}
    for name in deviations:
        key = (group_of(name, reference) or "", reference.unit(name))
        scale[key] = max(scale.get(key, 0.0), _largest(reference[name]))
    worst_of: dict[str, Deviation] = {}
    for group in GROUPS:
        names = [name for name in deviations if group_of(name, reference) == group]
        if names:
            ratios = [_ratio(deviations[n].absolute, scale[group, reference.unit(n)]) for n in names]
            known = [r for r in ratios if not np.isnan(r)]
            worst = max(deviations[name].absolute for name in names)
            worst_of[group] = Deviation(worst, max(known) if known else float("nan"))
    return worst_of


def _common(t: np.ndarray, t0: np.ndarray) -> tuple[np.ndarray, np.ndarray | slice, np.ndarray | slice]:
    """Times in both, and where they are: a run that stops at an event ends earlier than others."""
    if np.array_equal(t, t0):
        return t, slice(None), slice(None)
    both, here, there = np.intersect1d(t, t0, return_indices=True)
    if not both.size:
        raise LinkworkError("the two results have no time in common.", remedy="Run both with the same output times.")
    return both, here, there


def _largest(x: np.ndarray) -> float:
    return float(np.max(np.abs(x), initial=0.0))


def _ratio(apart: float, scale: float) -> float:
    return apart / scale if scale > 0 else float("nan")
