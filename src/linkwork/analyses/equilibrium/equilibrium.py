"""Static equilibrium: where a mechanism stays if it is left at rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.equilibrium.balance import Balance, Search
from linkwork.analyses.equilibrium.settle import settle
from linkwork.analyses.linearization.independent import Candidates
from linkwork.analyses.linearization.linearization import Linearization
from linkwork.analyses.linearization.linearize import linearization
from linkwork.analyses.linearization.operating_point import At, Point, operating_point, placement_of
from linkwork.assembly.numbers import Numbers
from linkwork.core.equations import Placement
from linkwork.core.errors import LinkworkError, ModelError
from linkwork.core.registry import verb
from linkwork.core.result import Result
from linkwork.simulation.description.describe import describe

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass(frozen=True, repr=False)
class Equilibrium:
    """A state at rest in which all forces balance. Give it as `at=` to other analyses.

    state        y = [q, v, z] of the formulation, v = 0
    placement    the same as every formulation can read it
    coordinates  joint coordinates [rad, m], generalised coordinates and first-order states, by name
    result       all channels (efforts, reactions, …) at this one state; `equilibrium["O.reaction.fx"]` reads one
    residual     largest acceleration that is left [m/s², rad/s²]
    stable       whether no small deviation grows or drifts away (from the linearisation, see its `verdict`)
    indifferent  coordinates along which there is no stiffness: the balance holds all along
    """

    model: str
    formulation: str
    state: np.ndarray
    placement: Placement
    coordinates: dict[str, float]
    result: Result
    residual: float
    iterations: int
    indifferent: list[str]
    linearization: Linearization
    time: float = 0.0

    @property
    def stable(self) -> bool:
        return self.linearization.stable

    def __getitem__(self, channel: str) -> float:
        return float(self.result[channel][0])

    def __str__(self) -> str:
        kind = self.linearization.verdict
        lines = [f"{self.model}: {kind} equilibrium; residual {self.residual:.1e}, {self.iterations} iterations"]
        width = max((len(name) for name in self.coordinates), default=0)
        for name, x in self.coordinates.items():
            unit = self.result.unit(name) if name in self.result else ""
            lines.append(f"  {name:<{width}}  {0.0 if abs(x) < 1e-12 else x:.6g} {unit}".rstrip())
        if self.indifferent:
            lines.append(f"  indifferent: no stiffness along {', '.join(self.indifferent)}")
        return "\n".join(lines)

    __repr__ = __str__


@verb
def equilibrium(
    model: Model,
    *,
    at: At | None = None,
    formulation: str = "absolute",
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    time: float | None = None,
) -> Equilibrium:
    """Find where the mechanism rests: v = 0, v̇ = 0, ż = 0, with constraints, loops and first-order states.

    at: where to look first (default: the assembled start): an Assembly, an Equilibrium or (result, time).
    The search follows the forces as if through honey, so that it ends at a stable equilibrium; only from a start that
    is an unstable one itself it ends there. Forces and motions that depend on time are taken at `time` [s] (default:
    that of `at`, or 0); parameters and inputs keep one value. Dry friction is smoothed: at rest it holds nothing.
    """
    point = operating_point(model, at, formulation, parameters, inputs, time)
    local = point.candidates.local
    check_rest(model, point)
    point.y[local.nq : local.nq + local.nv] = 0.0
    point.y = local.closed(point.t, point.y, point.p)
    balance = Balance(local, point.t, point.p)
    search = settle(balance, point.y)
    if not search.arrived:
        raise _moving(point, search)
    point.y = search.snapshot.y
    return _result(model, point, search)


def _result(model: Model, point: Point, search: Search) -> Equilibrium:
    local, ready = point.candidates.local, point.ready
    (values,) = ready.program.function("outputs")(point.t, point.y, point.p)
    record = {"model": model.name, "formulation": ready.formulation, "status": "finished"}
    result = Result([point.t], [values], ready.program.channels, record=record, description=describe(model, point.p))
    channels = {name: float(column[0]) for name, column in result.items()}
    first_order = dict(zip(local.eq.states.names[local.nq + local.nv :], point.y[local.nq + local.nv :], strict=True))
    shown = [c.name for c in point.candidates.groups[0]] or [c.name for c in point.candidates.groups[1]]
    own = {name: float(first_order[name]) for name in local.z_names}
    return Equilibrium(
        model=model.name,
        formulation=ready.formulation,
        state=point.y,
        placement=placement_of(model, ready, channels, first_order, point.p),
        coordinates={name: channels[name] for name in shown} | own,
        result=result,
        residual=float(np.abs(search.snapshot.steps * search.snapshot.acceleration).max(initial=0.0)),
        iterations=search.iterations,
        indifferent=_indifferent(point, search),
        linearization=linearization(model, point, []),
        time=point.t,
    )


def check_rest(model: Model, point: Point) -> None:
    """A motion law that moves leaves nothing at rest. Seen in absolute coordinates, which build no motion in."""
    numbers = Numbers(model, point.p, point.t)
    assembled = point.ready.assembly.state
    q, v, z = np.split(assembled, [numbers.eq.q.numel(), numbers.eq.q.numel() + numbers.eq.v.numel()])
    rest = np.zeros_like(v)
    _, speed, _ = numbers.constraints(q, rest, z)
    _, _, gamma = numbers.dynamics(q, rest, z)
    for what, values in (("speed", speed), ("acceleration", gamma)):
        moving = [(row, abs(x)) for row, x in zip(numbers.eq.constraints.rows, values, strict=True) if abs(x) > 1e-9]
        if moving:
            row, size = max(moving, key=lambda item: item[1])
            raise ModelError(
                f"its prescribed motion has the {what} {size:.4g} at {point.t:g} s, so nothing comes to rest.",
                component=row.owner,
                remedy="Replace it by a constant Motion(…), or simulate until the mechanism has settled.",
            )


def _indifferent(point: Point, search: Search) -> list[str]:
    """Coordinates that can move without any force."""
    here = search.snapshot
    _, _, loose = here.newton()
    if not loose.size:
        return []
    moved = _movement(point.candidates, point, here.steps * (here.Z @ loose[: here.n]))
    names = [name for name, x in moved.items() if x > 1e-6 * max(max(moved.values()), 1e-12)]
    first = [
        n for n, row in zip(point.candidates.local.z_names, loose[here.n :], strict=True) if np.any(np.abs(row) > 0.1)
    ]
    return names + first


def _movement(candidates: Candidates, point: Point, steps: np.ndarray) -> dict[str, float]:
    """How much each joint coordinate (or body, where no joint coordinate moves) changes along displacements."""
    H = candidates.local.tangent(point.t, point.y, point.p)[0]
    for group in range(3):
        by_q, _ = candidates.gradients(group, point.t, point.y, point.p)
        sizes = np.linalg.norm(np.nan_to_num(by_q @ H @ steps), axis=1)
        moved = {c.name: float(x) for c, x in zip(candidates.groups[group], sizes, strict=True)}
        if any(x > 1e-6 for x in moved.values()):
            return moved
    return {}


def _moving(point: Point, search: Search) -> LinkworkError:
    """Say what kept moving when the search gave up."""
    local, here = point.candidates.local, search.snapshot
    point.y = here.y
    moved = _movement(point.candidates, point, (here.steps * here.acceleration)[:, None])
    rates = here.r[here.n :]
    if moved and max(moved.values()) > here.vague:
        name, size = max(moved.items(), key=lambda item: item[1])
        unit = local.eq.observation.outputs[name][0] if name in local.eq.observation.outputs else "rad"
        return ModelError(
            f"there is no equilibrium: {name} keeps moving, accelerated by {size:.4g} {unit}/s² at the end.",
            component=name.rpartition(".")[0] or name,
            remedy="Hold it with a spring, a stop or a constant Motion, remove the load that drives it, or start "
            "nearer to the equilibrium you expect.",
        )
    name = local.z_names[int(np.argmax(np.abs(rates)))] if rates.size else local.name
    return ModelError(
        "there is no equilibrium: it keeps changing.",
        component=name,
        remedy="Check the equation of this state, or start nearer to the equilibrium you expect.",
    )
