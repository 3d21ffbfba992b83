"""Does the energy balance close? Stored + lost − supplied must stay what it was, whatever the model."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca
import numpy as np

from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.variables import Variable
from linkwork.core.component import Element
from linkwork.core.finding import Finding
from linkwork.formulations.energies import by_motion, is_given
from linkwork.formulations.maximal_view import MaximalView
from linkwork.geometry import SX
from linkwork.simulation.watch.energy import at_work, missing, moved_at_all, noise
from linkwork.simulation.watch.evidence import Evidence, finding
from linkwork.simulation.watch.states import absolute_states

NAME = "energy balance"
JUMP = 0.2
"""Change of a rate between two samples, as a share of its largest value, that is one at once."""
MISSING_ENERGY_SHARE = 1e-3
"""Share of the energies at work that may be missing. The examples stay below 3e-7 of it with the default tolerances."""


@finding
def energy_balance(run: Evidence) -> Iterable[Finding]:
    off = missing(run.result)
    if off is None or off.size < 2:
        return
    # Relative to all that moved in the run: at first, next to nothing has.
    if np.abs(off).max() <= MISSING_ENERGY_SHARE * moved_at_all(run.result):
        return
    moved = at_work(run.result)
    allowed = noise(run)
    if np.all(np.abs(off) <= MISSING_ENERGY_SHARE * moved[-1] + allowed):
        return
    first = int(
        np.argmax(
            ~(np.abs(off) <= MISSING_ENERGY_SHARE * np.maximum(moved, MISSING_ENERGY_SHARE * moved[-1]) + allowed)
        )
    )
    worst = int(np.nanargmax(np.abs(off))) if np.isfinite(off).any() else first
    share = abs(off[worst]) / moved[-1] if moved[-1] > 0 else np.inf
    size = f"{abs(off[worst]):.3g} J {'came from' if off[worst] > 0 else 'went'} nowhere, {share:.2g} of the "
    size += f"{moved[-1]:.3g} J at work"
    owner = _mismatched(run, first, worst, off)
    if owner is not None:
        yield Finding(
            NAME, owner, float(run.result.t[first]),
            f"the energy balance does not close ({size}): its force is not what its stored and lost energy say. "
            "Let potential and dissipation agree with the force, or set passive = False.",
        )  # fmt: skip
        return
    jump = _jumped(run, off)
    if jump is not None:
        coordinate, k = jump
        yield Finding(
            NAME, coordinate, float(run.result.t[k]),
            f"the energy balance does not close ({size}): it jumps there, and with it the law on it. Angles of a ball "
            "do so at half a turn, or where two of their axes meet; put laws on angles of joints with fewer freedoms.",
        )  # fmt: skip
        return
    yield Finding(
        NAME, run.model.name, float(run.result.t[first]),
        f"the energy balance does not close: {size}. Take a smaller rtol (now {run.rtol:g}) or step, or another "
        "solver; verify=True tells which digits hold.",
    )  # fmt: skip


def _mismatched(run: Evidence, first: int, last: int, off: np.ndarray) -> str | None:
    """The passive law or force whose work is not what it says it stores and loses, if that explains half of `off`."""
    states = absolute_states(run)
    if states is None:
        return None
    eq, rows = states
    view = MaximalView(run.model)
    imbalances = dict(_imbalances(run, view))
    if not imbalances:
        return None
    values = view.in_states(list(imbalances.values()))
    free = ca.symvar(ca.vertcat(*values))
    known = {s.element_hash() for s in ca.symvar(ca.vertcat(eq.t, view.q, view.v, eq.p))}
    if any(s.element_hash() not in known for s in free):
        return None
    power = ca.Function("power", [eq.t, view.q, view.v, eq.p], [ca.vertcat(*values)], {"cse": True})
    t = run.result.t[: last + 1]
    samples = zip(t, rows, strict=False)
    rates = np.array([np.array(power(x, q, v, run.values(eq, x))).ravel() for x, (q, v, _) in samples])
    work = np.abs(((rates[1:] + rates[:-1]) / 2 * np.diff(t)[:, None]).sum(axis=0))
    worst = int(np.argmax(work))
    return list(imbalances)[worst] if work[worst] > 0.5 * abs(off[last]) else None


def _jumped(run: Evidence, off: np.ndarray) -> tuple[str, int] | None:
    """(coordinate with a law, sample before) that can jump, whose rate does where most of `off` appears at once."""
    steps = np.abs(np.diff(off))
    k = int(np.argmax(steps))
    if not steps[k] > 0.5 * np.abs(off).max():
        return None
    rates = {owner: run.result.data[:, c] for owner, c in run.columns.get("rate", {}).items()}
    acted_on = run.columns.get("effort", {})
    angles = {
        c.name for j in run.model.of_type(Joint) for c in j.coordinates if j.unit_of(c.label) == "rad" and not c.turns
    }
    rates = {name: x for name, x in rates.items() if name in acted_on and name in angles}
    share = {name: abs(x[k + 1] - x[k]) / max(float(np.abs(x).max()), 1e-300) for name, x in rates.items()}
    worst = max(share, key=lambda name: share[name], default=None)
    return (worst, k) if worst is not None and share[worst] > JUMP else None


def _imbalances(run: Evidence, view: MaximalView) -> Iterable[tuple[str, SX]]:
    """(name, power that it puts in though it is passive [W]): zero for those that keep their books."""
    coordinates: list[Coordinate] = [c for j in run.model.of_type(Joint) for c in j.coordinates]
    for c in [*coordinates, *run.model.of_type(Variable)]:
        x, v = view.coordinate(c), view.rate(c)
        for law in c.laws:
            if law is not c.motion and law.passive:
                stored = SX(law.potential(x))
                if not is_given(view, stored):
                    power = SX(law.effort(view.t, x, v)) * v + SX(law.dissipation(x, v)) + by_motion(view, stored)
                    yield c.name, ca.densify(power)
    for element in run.model.of_type(Element):
        if element.passive and not element.states(view):
            stored = SX(element.potential(view))
            if is_given(view, stored):
                continue
            power = SX(element.dissipation(view)) + by_motion(view, stored)
            for load in element.loads(view):
                frame = view.frame(load.marker)
                power += ca.dot(load.force, frame.v) + ca.dot(load.torque, frame.w)
            power += sum((e * view.rate(c) for c, e in element.efforts(view)), SX(0)) - SX(element.supply(view))
            yield element.name, ca.densify(power)
