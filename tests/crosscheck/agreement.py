"""How far two formulations of one mechanism are apart, channel by channel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.analyses.prepare import Choice, prepare

KINDS = {
    "acceleration": re.compile(r"\.(a[xyz]|alpha[xyz])$"),
    "load": re.compile(r"\.(reaction|port1)\.[fm][xyz]$|\.(effort|power|tension|multiplier\d+)$"),
    "energy": re.compile(r"^energy\."),
    "speed": re.compile(r"\.(v[xyz]|w[xyz]|rate)$"),
}
"""Channels of a kind share a scale, the largest of them, at least 1 in SI units; all others are positions or laws."""


def kind_of(channel: str) -> str:
    return next((kind for kind, pattern in KINDS.items() if pattern.search(channel)), "position")


def comparable(model: lw.Model, report: lw.Report) -> Any:
    """Which channels the physics determines: reactions only where they are unique."""

    def chosen(channel: str) -> bool:
        owner = channel.split(".")[0]
        if channel.startswith(("residual", "solver")):
            return False
        if "multiplier" in channel:  # of a joint they depend on how its equations are written
            return not isinstance(model[owner], lw.Joint) and not report.redundant
        return not (".reaction." in channel or ".port1." in channel) or report.unique[owner]

    return chosen


def at_start(model: lw.Model, formulation: str) -> dict[str, np.ndarray]:
    """All channels at the assembled start, by CasADi's interpreter: nothing is compiled."""
    ready = prepare(model, Choice(formulation))
    values = np.array(ready.program.symbolic("outputs")(0.0, ready.state, ready.p)).ravel()
    names = [c.name for c in ready.program.channels]
    return {name: values[k : k + 1] for k, name in enumerate(names)}


def differences(a: Mapping[str, np.ndarray], b: Mapping[str, np.ndarray], chosen: Any) -> dict[str, tuple[float, str]]:
    """By kind: the largest difference relative to the scale of its kind, and the channel it is at."""
    names = [name for name in a if name in b and chosen(name)]
    scale: dict[str, float] = {}
    for name in names:
        kind = kind_of(name)
        scale[kind] = max(scale.get(kind, 1.0), float(np.abs(a[name]).max()))
    worst: dict[str, tuple[float, str]] = {}
    for name in names:
        x, y = np.asarray(a[name]), np.asarray(b[name])
        if quaternion := re.fullmatch(r"(.*)\.q[0-3]", name):
            parts = [f"{quaternion[1]}.q{i}" for i in range(4)]
            y = y * np.sign(sum(np.asarray(a[p]) * np.asarray(b[p]) for p in parts))
        off = float(np.abs(x - y).max()) / scale[kind_of(name)]
        if not off <= worst.get(kind_of(name), (0.0, ""))[0]:  # NaN counts as worst
            worst[kind_of(name)] = (off, name)
    return worst
