"""In which order the constrained equations of a mechanism are eliminated, and which of its bodies are light.

A body is light where forces pass through it that belong to bodies a thousand times as heavy: carried by it, or in a
loop with it. Its own mass then says nothing of those forces.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.evaluated import Evaluated
from linkwork.algebra.proximal import Order
from linkwork.components.bodies import Body
from linkwork.components.contacts.approach import bounding_radius
from linkwork.components.contacts.between import Between
from linkwork.components.joint import Joint, JointCoordinate
from linkwork.core.component import Constraint, Marker
from linkwork.core.courses import in_time
from linkwork.core.equations import Row
from linkwork.core.model import parts_of
from linkwork.core.port import PortComponent
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.tree import Tree, spanning_tree
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model
    from linkwork.formulations.charts import Chart
    from linkwork.formulations.constraint_rows import Rows
    from linkwork.formulations.tree_view import TreeView

PIVOT_CHANGE = 100.0
"""Factor by which a parameter may change before networks choose their pivots anew."""
LIGHT = 1e-3
"""Share of the mass whose forces pass through it below which a body is light."""


class Sizes:
    """Masses and sizes of a model's bodies in numbers, for the parameters it is prepared for."""

    def __init__(self, model: Model):
        values, held = _sizes_of(model)
        names = [body.name for body in model.of_type(Body)]
        n, spatial = len(names), 1 if model.is_planar else 9
        self.mass = dict(zip(names, np.abs(values[:n]).tolist(), strict=True))
        inertias = _smallest(model, values[n : n + spatial * n].reshape(n, spatial))
        self.inertia = dict(zip(names, inertias, strict=True))
        """The smallest principal moment [kg·m²]."""
        self.arm = dict.fromkeys(names, 0.0)
        """Distance of the farthest joint from the mass centre [m]."""
        lengths = values[n + spatial * n :].tolist()
        arm = self.arm
        for name, length in zip(held, lengths, strict=False):
            if length > arm[name]:
                arm[name] = length
        largest = max(filter(math.isfinite, lengths), default=0.0)
        gyration = (self.inertia[name] / mass for name, mass in self.mass.items() if mass > 0)
        self.length = magnitude(largest, math.sqrt(max(filter(math.isfinite, gyration), default=0.0)))
        """Order of magnitude of the parts [m]: a power of ten; 1 where nothing tells, and near 1 m."""


def magnitude(arm: float, gyration: float) -> float:
    """The power of ten nearest to the longest arm [m], or to the radius of gyration of a body that nothing holds but
    at its mass centre; 1 where nothing tells, and near 1 m."""
    largest = arm if arm > 0 else gyration
    exponent = round(math.log10(largest)) if largest > 0 else 0
    return 10.0**exponent if abs(exponent) > 1 else 1.0


def _arms(model: Model) -> list[Marker]:
    return [m for c in model.of_type(Constraint) for m in c.markers() if isinstance(m.body, Body)]


def _values(model: Model) -> list[float]:
    return [*{**model.parameters, **model.nominal}.values(), *model.input_values().values()]


def _sizes_of(model: Model) -> tuple[np.ndarray, list[str]]:
    """Masses, inertias and lengths, for the parameters that the model is prepared for; and whose arms come first."""
    function, held = _function(model)
    return function([0.0, *_values(model)]), held


def _function(model: Model) -> tuple[Callable[[list[float]], np.ndarray], list[str]]:
    """Masses, inertias and lengths by t, parameters and inputs; NaN where they need a state. The first lengths are
    those of arms of these bodies."""
    key = "sizes", model.all_symbols().numel()  # tables join them when they are first seen
    if key not in model.memory:
        bodies, arms = model.of_type(Body), _arms(model)
        column = ca.vertcat(SX(0, 1), *(ca.vec(ca.densify(x)) for x in _sizes(model, bodies, arms)))
        given, symbols = in_time([column], model.courses), ca.vertcat(model.t, model.all_symbols())
        f = ca.Function("sizes", [symbols], given, {"allow_free": True})
        if f.has_free():
            free = ca.vertcat(*f.free_sx())
            f = ca.Function("sizes", [symbols], ca.substitute(given, [free], [SX.nan(free.numel())]))
        model.memory[key] = Evaluated(f), [m.body.name for m in arms]
    return model.memory[key]


def _sizes(model: Model, bodies: list[Body], arms: list[Marker]) -> list[SX]:
    """Masses, inertias and lengths."""
    given = [SX(b.mass) for b in bodies] + [SX(b.inertia) for b in bodies] + [ca.norm_2(m.local.p) for m in arms]
    given += [ca.fabs(SX(j.length)) for j in model.of_type(Joint) if hasattr(j, "length")]
    outlines = (x for c in model.of_type(Between) for x in (getattr(c, "shape", None), getattr(c, "other", None)))
    return given + [SX(size) for x in outlines if x is not None and (size := bounding_radius(x)) is not None]


def structure_depends(model: Model, names: Sequence[str]) -> bool:
    """Whether other values of these parameters and inputs may change the structure."""
    if model.of_type(PortComponent):
        return True
    sizes = ca.vertcat(SX(0, 1), *(ca.vec(ca.densify(x)) for x in _sizes(model, model.of_type(Body), _arms(model))))
    return bool(ca.depends_on(sizes, ca.vertcat(SX(0, 1), *model.symbols(names))))


def _smallest(model: Model, inertias: np.ndarray) -> list[float]:
    """Smallest principal moments of inertias, a row for each; the last ones are kept, as most parameters are others."""
    if inertias.shape[1] == 1:
        return list(inertias[:, 0].tolist())
    known: tuple[bytes, list[float]] | None = model.memory.get("principal moments")
    key = inertias.tobytes()
    if known is None or known[0] != key:
        known = model.memory["principal moments"] = key, lapack.eigvalsh(inertias.reshape(-1, 3, 3))[:, 0].tolist()
    return known[1]


class Weighed:
    """A spanning tree, and what passes through its bodies."""

    def __init__(self, sizes: Sizes, tree: Tree, ties: list[set[str]]):
        """ties: bodies that constraints other than joints hold to each other (one alone: to the ground)."""
        self.mass, self.inertia, self.arm = sizes.mass, sizes.inertia, sizes.arm
        self.tree, self.ties = tree, ties
        self.heaviest = max(self.mass.values(), default=0.0)
        self.passed = self._passed()
        """By body, the mass [kg] whose forces pass through it."""

    def _passed(self) -> dict[str, float]:
        carried = dict(self.mass)
        for link in reversed(self.tree.links):
            if link.parent.name in carried:
                carried[link.parent.name] += carried[link.body.name]
        parent = {link.body.name: link.parent.name for link in self.tree.links}
        loops: list[set[str]] = []
        for ends in [{j.first.body.name, j.second.body.name} for j in self.tree.cut] + self.ties:
            first, *others = sorted(ends)
            ways = [_between(first, other, parent) for other in others or [""]]
            loop = set[str]().union(*ways) & set(carried)
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
        sizes = (self.arm[body], own, max(self.arm.values()), 1.0)
        return passed * next(x for x in sizes if x > 0) ** 2

    @property
    def light(self) -> list[str]:
        """Bodies that are light, in mass or in a moment of inertia."""

        def is_light(name: str) -> bool:
            passed, arm = self.passed[name], self.arm[name]
            return self.mass[name] <= LIGHT * passed * (passed != self.mass[name]) or (
                self.inertia[name] <= LIGHT**2 * passed * arm**2
            )

        return [name for name in self.mass if is_light(name)]


def _between(a: str, b: str, parent: dict[str, str]) -> set[str]:
    """Bodies on the way from a to b along the tree, without the one where the way turns."""

    def upwards(name: str) -> list[str]:
        chain = [name]
        while chain[-1] in parent:
            chain.append(parent[chain[-1]])
        return chain

    first, second = upwards(a), upwards(b)
    return set(first) ^ set(second)


def length_of(model: Model) -> float:
    return structure_of(model).length


def scales(view: MaximalView) -> np.ndarray:
    """Natural unit of each coordinate, then of each speed: per second, or per √(length/1 m) s if that is longer."""
    q, v = view.lengths()
    length = length_of(view.model)
    return np.concatenate([np.where(q, length, 1.0), np.where(v, length, 1.0) / np.sqrt(max(length, 1.0))])


def steps(view: MaximalView) -> np.ndarray:
    """Natural unit of a displacement along each speed."""
    return np.where(view.lengths()[1], length_of(view.model), 1.0)


class Structure(NamedTuple):
    """What equations take from the numbers in a model, beyond the numbers themselves."""

    light: tuple[str, ...]
    """Bodies that are light."""
    length: float
    """Order of magnitude of the parts [m]."""
    massless: tuple[str, ...]
    """Bodies without mass, or without inertia about some axis."""
    numbers: tuple[float, ...] = ()
    """Values of parameters by which networks choose their pivots: within `FAR` of those they are to be solved for."""


def structure_of(model: Model) -> Structure:
    """For the values of parameters that the model is prepared for."""
    known, values = model.memory.get("structure", (None, {}))
    if known is None or values != model.nominal:
        if "weighed" not in model.memory:
            model.memory["weighed"] = spanning_tree(model), _ties(model)  # which no number changes
        known = Structure(*_of_sizes(model), _numbers(model))
        model.memory["structure"] = known, dict(model.nominal)
    return known


def chosen_by(model: Model) -> tuple[bytes, tuple[float, ...]]:
    """The numbers by which anything in equations is chosen, for the parameters that the model is prepared for: sizes of
    bodies, and where there are networks, all parameters."""
    values = tuple({**model.parameters, **model.nominal}.values()) if model.of_type(PortComponent) else ()
    return _sizes_of(model)[0].tobytes(), values


def _of_sizes(model: Model) -> tuple[tuple[str, ...], float, tuple[str, ...]]:
    """Light bodies, order of magnitude and massless bodies; kept for other numbers, which may give the same sizes."""
    values = _sizes_of(model)[0]
    last: tuple[bytes, tuple[tuple[str, ...], float, tuple[str, ...]]] | None = model.memory.get("of sizes")
    key = values.tobytes()
    if last is None or last[0] != key:
        sizes = Sizes(model)
        light = () if _all_heavy(sizes) else tuple(Weighed(sizes, *model.memory["weighed"]).light)
        massless = tuple(name for name in light if not sizes.mass[name] > 0 or not sizes.inertia[name] > 0)
        last = model.memory["of sizes"] = key, (light, sizes.length, massless)
    return last[1]


def _all_heavy(sizes: Sizes) -> bool:
    """Whether no body can be light, whatever passes through it: never more than the mass of all."""
    total = sum(sizes.mass.values())
    return all(
        mass > LIGHT * total and sizes.inertia[name] > LIGHT**2 * total * sizes.arm[name] ** 2
        for name, mass in sizes.mass.items()
    )


def _numbers(model: Model) -> tuple[float, ...]:
    """Of the values that pivots were chosen for so far, those nearest to the present ones; else these themselves."""
    if not model.of_type(PortComponent):
        return ()
    values = tuple({**model.parameters, **model.nominal}.values())
    known: list[tuple[float, ...]] = model.memory.setdefault("numbers", [])
    near = (
        k
        for k in known
        if all(1 / PIVOT_CHANGE < abs(x / y) < PIVOT_CHANGE for x, y in zip(values, k, strict=True) if x and y)
    )
    nearest = next(near, None)
    if nearest is None:
        known.append(values)
    return values if nearest is None else nearest


def weighed(model: Model, placed: Sequence[Body] = ()) -> Weighed:
    """The spanning tree in which light bodies are no tips, if that can be."""
    return Weighed(Sizes(model), spanning_tree(model, placed, structure_of(model).light), _ties(model))


def _ties(model: Model) -> list[set[str]]:
    """Bodies that each constraint other than a joint holds: gears, relations, rolling, motions of joints in a tree."""
    ties = []
    for constraint in model.of_type(Constraint):
        if not isinstance(constraint, Joint):
            held = [x for x in parts_of(vars(constraint).values()) if isinstance(x, (Marker, JointCoordinate))]
            ends = [m for x in held for m in ([x] if isinstance(x, Marker) else [x.joint.first, x.joint.second])]
            ties.append({m.body.name for m in ends})
    return [bodies for bodies in ties if bodies]


def order_of(
    view: MaximalView,
    names: list[Row],
    by_body: SX,
    *,
    of_bodies: bool = False,
    by_chart: tuple[list[Chart], SX] | None = None,
) -> Order:
    """For rows with these names, whose Jacobian by the bodies' speeds is `by_body`.

    by_chart: charts of a tree's joints and the rows' Jacobian by their rates, where these are in rows by themselves
    (gears between them);
    of_bodies: whether the system is in the bodies' speeds; else in other speeds, and all rows are left.
    """
    known = weighed(view.model)
    rows: dict[str, list[int]] = {}
    for k, row in enumerate(names):
        rows.setdefault(row.owner, []).append(k)
    links = list(reversed(known.tree.links))
    held = {link.body.name: rows.get(link.joint.name, []) if link.joint else [] for link in links if of_bodies}
    pairs = [(_range(view.slice(link.body)), held[link.body.name]) for link in links if of_bodies]
    touched = _touched(view, by_body)
    length = length_of(view.model)
    size = [length if any(row.values()) else 1.0 for row in touched]
    massless = bool(structure_of(view.model).massless)
    carried = touched if by_chart is None else _with_carried(touched, *by_chart)
    weights = _weights(known, carried, held)
    uneven = bool(names) and min(known.mass.values(), default=0.0) < LIGHT * known.heaviest
    # Where a row stands in for mass, it feels no more than that: a driven tip may be lighter still.
    felt = [1 / weights[k] if k in weights else x for k, x in enumerate(_felt(view, known, touched))]
    regular = of_bodies and all(link.joint is None or link.joint.always_regular for link in links)
    return Order(pairs, felt, size, weights, massless, redundant=view.model.redundant, uneven=uneven, regular=regular)


def ordered(view: TreeView, rows: Rows) -> Order:
    """For the rows that a tree leaves, in the rates of its joints."""
    by_body, by_chart = (ca.jacobian(rows.velocity, x) for x in (view.v, view.chart_rates))
    return order_of(view, rows.names, by_body, by_chart=(view.charts, by_chart))


def _touched(view: MaximalView, by_body: SX) -> list[dict[str, bool]]:
    """By row: the bodies in it → whether they enter by their position, or by their rotation alone."""
    pattern = by_body.sparsity()
    split = view.space.along
    by_row: list[dict[str, bool]] = [{} for _ in range(pattern.size1())]
    owner = {k: (b.name, k - view.slice(b).start < split) for b in view.bodies for k in _range(view.slice(b))}
    for i, j in zip(pattern.row(), pattern.get_col(), strict=True):
        if j in owner:
            name, position = owner[j]
            by_row[i][name] = by_row[i].get(name, False) or position
    return by_row


def _with_carried(touched: list[dict[str, bool]], charts: list[Chart], by_chart: SX) -> list[dict[str, bool]]:
    """The same, with the bodies between which the joints in a row are: either may be the light one."""
    owner = [(chart.link, length) for chart in charts for length in chart.lengths()[1]]
    by_row, pattern = [dict(row) for row in touched], by_chart.sparsity()
    for i, j in zip(pattern.row(), pattern.get_col(), strict=True):
        link, length = owner[j]
        for name in (link.body.name, link.parent.name):
            by_row[i][name] = by_row[i].get(name, False) or length
    return by_row


def _range(part: slice) -> range:
    return range(part.start, part.stop)


def _felt(view: MaximalView, known: Weighed, touched: list[dict[str, bool]]) -> list[SX | None]:
    """What each row would feel of the bodies in it, if these were free; of light ones, as if they were not light."""
    bodies, light = {b.name: b for b in view.bodies}, set(known.light)

    @cache
    def of(name: str, position: bool) -> SX:
        if name in light:
            return 1 / SX(known.weight(name, position))
        inertia = SX(bodies[name].inertia)
        return 1 / SX(bodies[name].mass if position else ca.trace(inertia) / view.space.about)

    return [sum((of(*item) for item in row.items()), SX(0)) if row else None for row in touched]


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
