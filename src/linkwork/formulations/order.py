"""In which order the constrained equations of a mechanism are eliminated, and which of its bodies are light.

A body is light where forces pass through it that belong to bodies a thousand times as heavy: carried by it, or in a
loop with it. Its own mass then says nothing of those forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.core.component import Constraint
from linkwork.core.equations import Row
from linkwork.core.proximal import Order
from linkwork.formulations.tree import Tree, spanning_tree
from linkwork.geometry import SX

LIGHT = 1e-3
"""Share of the mass whose forces pass through it below which a body is light."""


class Weighed:
    """Masses and sizes of a model's bodies in numbers, along a spanning tree."""

    def __init__(self, model: Any, tree: Tree):
        self.tree = tree
        bodies, joints = model.of_type(Body), [link.joint for link in tree.links if link.joint is not None] + tree.cut
        arms = [m for j in joints for m in (j.first, j.second) if isinstance(m.body, Body)]
        given = [SX(b.mass) for b in bodies] + [SX(b.inertia) for b in bodies] + [m.local.p for m in arms]
        values = _numbers(model, given)
        n = len(bodies)
        self.mass = {b.name: abs(float(x.squeeze())) for b, x in zip(bodies, values, strict=False)}
        self.inertia = {b.name: _smallest(x) for b, x in zip(bodies, values[n:], strict=False)}
        """The smallest principal moment [kg·m²]."""
        self.size = dict.fromkeys(self.mass, 0.0)
        """Distance of the farthest joint from the mass centre [m]."""
        for marker, arm in zip(arms, values[2 * n :], strict=True):
            self.size[marker.body.name] = max(self.size[marker.body.name], float(np.linalg.norm(arm)))
        self.passed = self._passed()
        """By body, the mass [kg] whose forces pass through it."""

    def _passed(self) -> dict[str, float]:
        carried = dict(self.mass)
        for link in reversed(self.tree.links):
            if link.parent.name in carried:
                carried[link.parent.name] += carried[link.body.name]
        parent = {link.body.name: link.parent.name for link in self.tree.links}
        loops: list[set[str]] = []
        for joint in self.tree.cut:
            loop = _between(joint.first.body.name, joint.second.body.name, parent) & set(carried)
            for other in [x for x in loops if x & loop]:
                loops.remove(other)
                loop |= other
            loops.append(loop)
        for loop in loops:
            heaviest = max((carried[name] for name in loop), default=0.0)
            carried |= dict.fromkeys(loop, heaviest)
        return carried

    def weight(self, body: str, position: bool) -> float:
        """The mass [kg] that passes through a body, or the moment of inertia [kg·m²] that goes with it."""
        passed = self.passed[body] or max(self.mass.values()) or 1.0
        if position:
            return passed
        own = np.sqrt(self.inertia[body] / self.mass[body]) if self.mass[body] > 0 else 0.0
        sizes = (self.size[body], own, max(self.size.values()), 1.0)
        return passed * next(x for x in sizes if x > 0) ** 2

    @property
    def light(self) -> list[str]:
        """Bodies that are light, in mass or in a moment of inertia."""

        def is_light(name: str) -> bool:
            passed, arm = self.passed[name], self.size[name]
            return self.mass[name] <= LIGHT * passed * (passed != self.mass[name]) or (
                self.inertia[name] <= LIGHT**2 * passed * arm**2
            )

        return [name for name in self.mass if is_light(name)]


def _numbers(model: Any, expressions: list[SX]) -> list[np.ndarray]:
    """Their values at the start, for the parameters that a run is prepared for; NaN where they need a state."""
    values = {**model.parameters, **model.inputs, **model.nominal}
    symbols = ca.vertcat(model.t, *model.symbols(values))
    f = ca.Function("f", [symbols], expressions, {"allow_free": True})
    if f.has_free():
        free = ca.vertcat(*f.free_sx())
        expressions = ca.substitute(expressions, [free], [SX.nan(free.numel())])
    return [np.array(x) for x in ca.Function("f", [symbols], expressions).call([[0.0, *values.values()]])]


def _smallest(inertia: np.ndarray) -> float:
    return float(inertia.squeeze()) if inertia.size == 1 else float(np.linalg.eigvalsh(inertia)[0])


def _between(a: str, b: str, parent: dict[str, str]) -> set[str]:
    """Bodies on the way from a to b along the tree, without the one where the way turns."""

    def upwards(name: str) -> list[str]:
        found = [name]
        while found[-1] in parent:
            found.append(parent[found[-1]])
        return found

    first, second = upwards(a), upwards(b)
    return set(first) ^ set(second)


def length_of(model: Any) -> float:
    """Order of magnitude of the mechanism's parts [m]: a power of ten; 1 where nothing tells, and near 1 m."""
    markers = [m for c in model.of_type(Constraint) for m in c.markers() if isinstance(m.body, Body)]
    given = [ca.norm_2(m.local.p) for m in markers]
    given += [ca.fabs(SX(j.length)) for j in model.of_type(Joint) if hasattr(j, "length")]
    values = [x.item() for x in _numbers(model, given)] if given else []
    largest = max((x for x in values if np.isfinite(x)), default=0.0)
    exponent = round(np.log10(largest)) if largest > 0 else 0
    return 10.0**exponent if abs(exponent) > 1 else 1.0


def scales(view: Any) -> np.ndarray:
    """Natural unit of each coordinate, then of each speed; of speeds per second, or per √(length/g) if that is longer."""
    q, v = view.lengths()
    length = length_of(view.model)
    return np.concatenate([np.where(q, length, 1.0), np.where(v, length, 1.0) / np.sqrt(max(length, 1.0))])


def steps(view: Any) -> np.ndarray:
    """Natural unit of a displacement along each speed."""
    return np.where(view.lengths()[1], length_of(view.model), 1.0)


def weighed(model: Any, placed: Sequence[Body] = ()) -> Weighed:
    """The spanning tree in which light bodies are no tips, if that can be."""
    first = Weighed(model, spanning_tree(model, placed))
    return Weighed(model, spanning_tree(model, placed, first.light)) if first.light else first


def order_of(view: Any, names: list[Row], by_body: SX, columns: Any = None, placed: Sequence[Body] = ()) -> Order:
    """For rows with these names, whose Jacobian by the bodies' speeds is `by_body`.

    columns: where a body's speeds are in the system; None: the system is in other speeds, and all rows are left.
    """
    known = weighed(view.model, placed)
    rows: dict[str, list[int]] = {}
    for k, row in enumerate(names):
        rows.setdefault(row.owner, []).append(k)
    links = list(reversed(known.tree.links))
    held = {link.body.name: rows.get(link.joint.name, []) if link.joint else [] for link in links}
    pairs = [(columns(link.body), held[link.body.name]) for link in links] if columns else []
    touched = _touched(view, by_body)
    length = length_of(view.model)
    size = [length if any(row.values()) else 1.0 for row in touched]
    return Order(pairs, _felt(view, known, touched), size, _weights(known, touched, held))


def _touched(view: Any, by_body: SX) -> list[dict[str, bool]]:
    """By row: the bodies in it → whether they enter by their position, or by their rotation alone."""
    pattern = by_body.sparsity()
    split = 2 if view.planar else 3
    found: list[dict[str, bool]] = [{} for _ in range(pattern.size1())]
    owner = {k: (b.name, k - view.slice(b).start < split) for b in view.bodies for k in _range(view.slice(b))}
    for i, j in zip(pattern.row(), pattern.get_col(), strict=True):
        if j in owner:
            name, position = owner[j]
            found[i][name] = found[i].get(name, False) or position
    return found


def _range(part: slice) -> range:
    return range(part.start, part.stop)


def _felt(view: Any, known: Weighed, touched: list[dict[str, bool]]) -> list[SX | None]:
    """What each row would feel of the bodies in it, if these were free; of light ones, as if they were not light."""
    bodies, light = {b.name: b for b in view.bodies}, set(known.light)

    def of(name: str, position: bool) -> SX:
        if name in light:
            return 1 / SX(known.weight(name, position))
        inertia = SX(bodies[name].inertia)
        return 1 / SX(bodies[name].mass if position else inertia if view.planar else ca.trace(inertia) / 3)

    return [sum((of(name, by_position) for name, by_position in row.items()), SX(0)) if row else None for row in touched]


def _weights(known: Weighed, touched: list[dict[str, bool]], held: dict[str, list[int]]) -> dict[int, SX]:
    """Rows that light bodies hang on: those of the joints that carry them, and all that are in no tree."""
    light = set(known.light)
    carrying = {k: name for name, rows in held.items() for k in rows}
    weights: dict[int, SX] = {}
    for k, row in enumerate(touched):
        for name in light & set(row):
            if carrying.get(k, name) == name:
                weights[k] = SX(max(known.weight(name, row[name]), float(weights.get(k, 0.0))))
    return weights
