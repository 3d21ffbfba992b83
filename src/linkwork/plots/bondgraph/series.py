"""Effort, flow and power of bonds over time, as a drawing shows them: checked, thinned, with their units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.bondgraph.graph import Bond, BondGraph
from linkwork.core.errors import LinkworkError, UnknownName

_SAMPLE_LIMIT = 500  # samples that a drawing carries; more would only make the file large
_UNITS = {
    "rotation": ("N·m", "rad/s"),
    "translation": ("N", "m/s"),
    "mechanical": ("N", "m/s"),
    "electrical": ("V", "A"),
    "hydraulic": ("Pa", "m³/s"),
    "thermal": ("K", "W/K"),
}


@dataclass
class Series:
    """t: (samples,) [s]; bonds: name → {"effort", "flow": (samples, size), "power": (samples,) [W]}."""

    t: np.ndarray
    bonds: dict[str, dict[str, np.ndarray]]

    def weights(self) -> dict[str, float]:
        """Share of each bond's mean absolute power in the largest of them, 0 … 1."""
        mean = {name: float(np.mean(np.abs(s["power"]))) for name, s in self.bonds.items()}
        most = max(mean.values(), default=0.0)
        return {name: value / most if most > 0 else 0.0 for name, value in mean.items()}


def units(bond: Bond) -> tuple[str, str]:
    """Units of effort and flow; empty where neither the bond nor its elements say what they are."""
    domains = [bond.kind, bond.tail.element.domain, bond.head.element.domain]
    return next((_UNITS[d] for d in domains if d in _UNITS), ("", ""))


def series(graph: BondGraph, values: Mapping[str, Any]) -> Series:
    """values: {"t": (samples,), bond's name: {"effort": (samples, size), "flow": …, "power": (samples,)}, …}.

    Power may be left out where effort and flow are given: it is their product.
    """
    if not isinstance(values, Mapping):
        raise LinkworkError(
            f"{values!r} are not values of bonds.", component=graph.name, remedy="Give result.bonds.series()."
        )
    if "t" not in values:
        raise LinkworkError("the values have no times.", component=graph.name, remedy="Give them under the key 't'.")
    t = np.asarray(values["t"], dtype=float).reshape(-1)
    if not t.size:
        raise LinkworkError("the values are empty.", component=graph.name, remedy="Give one sample at least.")
    known = {b.name: b for b in graph.bonds}
    kept = np.unique(np.linspace(0, t.size - 1, min(t.size, _SAMPLE_LIMIT)).round().astype(int))
    bonds = {}
    for name, given in values.items():
        if name == "t":
            continue
        if name not in known:
            raise UnknownName("bond", name, known, component=graph.name)
        bonds[name] = {key: array[kept] for key, array in _checked(known[name], given, t.size).items()}
    return Series(t[kept], bonds)


def _checked(bond: Bond, given: Mapping[str, np.ndarray], samples: int) -> dict[str, np.ndarray]:
    made: dict[str, np.ndarray] = {}
    for key in ("effort", "flow", "power"):
        if key not in given:
            continue
        columns = 1 if key == "power" else bond.size
        array = np.asarray(given[key], dtype=float)
        if array.size != samples * columns:
            raise LinkworkError(
                f"its {key} has the shape {array.shape}.",
                component=bond.name,
                remedy=f"{samples} times ask for ({samples}, {columns}).",
            )
        made[key] = array.reshape(samples, columns)
    if "power" not in made:
        if not made.keys() >= {"effort", "flow"}:
            raise LinkworkError(
                "neither its power nor its effort and flow are given.",
                component=bond.name,
                remedy="Give the power, or both others.",
            )
        made["power"] = (made["effort"] * made["flow"]).sum(axis=1, keepdims=True)
    made["power"] = made["power"][:, 0]
    return made
