"""Check: degrees of freedom, redundant equations, reactions that are not unique, bodies nobody has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from linkwork.algebra.rank import independent_rows, null_space, rank_of
from linkwork.analyses.check.contacts import inspect_contacts
from linkwork.analyses.check.directions import directions_of
from linkwork.analyses.check.held import AWAY, Held, held_by_kernels
from linkwork.assembly.numbers import Numbers, absolute_equations
from linkwork.assembly.redundancy import loaded, scaled, sharing
from linkwork.components.bodies import triangle_violation
from linkwork.components.variables import Guide
from linkwork.core.component import Constraint, Element
from linkwork.core.errors import AssemblyError
from linkwork.core.port import FramePort, PortComponent
from linkwork.core.registry import verb
from linkwork.core.signal import Inputs
from linkwork.core.unilateral import Unilateral
from linkwork.formulations.maximal_view import MaximalView
from linkwork.signals.inputs import signals_of
from linkwork.simulation.arguments import parameters_of

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass
class Report:
    """What `check` found. `lines` are (severity, component, text) with severity "ok", "note", "warning" or "error"."""

    model: str
    degrees_of_freedom: int = 0
    """Of the speeds."""
    position_freedoms: int = 0
    """Of the positions: more, where some constraints hold for speeds only (rolling)."""
    redundant: list[tuple[str, str]] = field(default_factory=list)
    """(joint, direction) of each equation that follows from the others."""
    unique: dict[str, bool] = field(default_factory=dict)
    """Whether each joint's reaction is determined by the rigid-body equations."""
    singular: bool = False
    lines: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the model can run."""
        return not any(severity == "error" for severity, _, _ in self.lines)

    def add(self, severity: str, component: str, text: str) -> None:
        self.lines.append((severity, component, text))

    def __str__(self) -> str:
        width = max((len(c) for _, c, _ in self.lines), default=0)
        body = "\n".join(f"  {severity:<8} {component:<{width}}  {text}" for severity, component, text in self.lines)
        return f"{self.model}: {'can run' if self.ok else 'cannot run'}\n{body}"

    def _repr_html_(self) -> str:
        cell = '<td style="text-align:left">'
        rows = "".join(f"<tr>{''.join(f'{cell}{escape(word)}</td>' for word in line)}</tr>" for line in self.lines)
        return f"<table>{rows}</table>"


@verb
def check(model: Model, *, parameters: Mapping[str, float] | None = None, inputs: Inputs | None = None) -> Report:
    """Look at the model at its start position, before running it. parameters, inputs: as for `simulate`."""
    chosen = parameters_of(model, parameters)
    model.parameter_values(chosen)
    with model.prepared_for(chosen):
        return _checked(model, chosen, inputs)


def _checked(model: Model, chosen: dict[str, float], inputs: Inputs | None) -> Report:
    report = Report(model.name)
    numbers = Numbers(model, model.p_at(absolute_equations(model), chosen), signals=signals_of(model, inputs).given)
    _masses(report, numbers)
    _connections(report, model, numbers)
    try:
        start = model.assemble(parameters=chosen, inputs=inputs)
    except AssemblyError as error:
        report.add("error", error.component or model.name, f"{error.cause} {error.remedy or ''}")
        return report
    report.add("ok", model.name, f"assembles: {start}")
    nq, nv = numbers.eq.q.numel(), numbers.eq.v.numel()
    q, v, z = start.state[:nq], start.state[nq : nq + nv], start.state[nq + nv :]
    rows, positions = len(numbers.eq.constraints.rows), numbers.eq.constraints.position.numel()
    held = held_by_kernels(model, numbers.eq, start.state, numbers.p)
    A = scaled(numbers, q, v, z) if held is None else np.zeros((0, nv))
    rank = rank_of(A) if held is None else rows - len(held.redundant)
    report.degrees_of_freedom = nv - rank
    report.position_freedoms = nv - (rank if rows == positions else rank_of(A[:positions]))
    report.add("ok", model.name, _freedom(report.degrees_of_freedom, nv, rows, rank))
    if report.position_freedoms > report.degrees_of_freedom:
        more = f"positions have {report.position_freedoms} freedoms: some constraints hold for speeds only."
        report.add("ok", model.name, more)
    _networks(report, model, numbers)
    inspect_contacts(report, numbers, q, v, z)
    if held is None:
        held = Held(_dependent(A, rank), sharing(numbers, A, rank), _nearby(numbers, q, v, z, A, rank))
    _redundancy(report, numbers, q, held)
    _singularity(report, model, rank, held)
    return report


def _freedom(freedom: int, speeds: int, equations: int, rank: int) -> str:
    noun = "degree" if freedom == 1 else "degrees"
    return f"{freedom} {noun} of freedom ({speeds} speeds, {equations} equations, {rank} of them independent)"


def _networks(report: Report, model: Model, numbers: Numbers) -> None:
    """Components with ports, and the states they and others bring."""
    components, states = len(model.of_type(PortComponent)), list(numbers.eq.start.values)
    if components:
        named = f"{len(states)} first-order states ({', '.join(states)})" if states else "no states of their own"
        report.add("ok", model.name, f"{components} components with ports, {named}; more by m.structure()")


def _masses(report: Report, numbers: Numbers) -> None:
    for body in numbers.bodies:
        inertia = np.squeeze(numbers.value(body.inertia))
        excess = triangle_violation(inertia)
        if excess > 1e-9 * np.abs(inertia).max():
            report.add(
                "warning",
                body.name,
                f"no real body has this inertia: its largest principal moment exceeds the sum of the others by "
                f"{excess:.3g} kg·m² (triangle inequality).",
            )


def _connections(report: Report, model: Model, numbers: Numbers) -> None:
    graph = _graph(model)
    view = MaximalView(model)
    loaded = {load.marker.body.name for element in model.of_type(Element) for load in element.loads(view)}
    ports = [port for c in model.of_type(PortComponent) for port in c.ports.values()]
    loaded |= {port.marker.body.name for port in ports if isinstance(port, FramePort)}
    loaded |= {marker.body.name for contact in model.of_type(Unilateral) for marker in contact.markers()}
    placed = {guide.body.name for guide in model.of_type(Guide)}
    holding = {row.owner for row in numbers.eq.constraints.rows}  # components with ports can be joints, too
    placed |= {p.marker.body.name for p in ports if isinstance(p, FramePort) and p.owner.name in holding}
    for body in numbers.bodies:
        if body.name not in graph and body.name not in placed:
            how = "no joint holds it" if body.name in loaded else "nothing is connected to it"
            report.add("note", body.name, f"{how}: it moves freely.")
    reached, queue = {model.ground.name, *placed}, [model.ground.name, *placed]
    while queue:
        more = graph.get(queue.pop(), set()) - reached
        reached |= more
        queue += more
    floating = [b.name for b in numbers.bodies if b.name in graph and b.name not in reached]
    if floating:
        report.add("note", ", ".join(floating), "no chain of joints leads to the ground: they float.")


def _graph(model: Model) -> dict[str, set[str]]:
    """body → bodies that joints, rolling and the like connect it to."""
    graph: dict[str, set[str]] = {}
    for constraint in model.of_type(Constraint):
        names = {marker.body.name for marker in constraint.markers()}
        for name in names:
            graph.setdefault(name, set()).update(names - {name})
    return graph


def _dependent(A: np.ndarray, rank: int) -> list[int]:
    """Rows that depend on those before them."""
    return np.setdiff1d(np.arange(len(A)), independent_rows(A)).tolist() if rank < len(A) else []


def _redundancy(report: Report, numbers: Numbers, q: np.ndarray, held: Held) -> None:
    """Rows that others say as well, and joints whose reaction that leaves open."""
    rows = numbers.eq.constraints.rows
    for k, where in zip(held.redundant, directions_of(numbers, held.redundant, q), strict=True):
        report.redundant.append((rows[k].owner, where))
        report.add("note", rows[k].owner, f"redundant equation: {where} is already held by the other joints.")
    report.unique = {name: name not in held.sharing for name in loaded(numbers.model)}
    if held.sharing:
        report.add(
            "warning",
            ", ".join(held.sharing),
            "reactions are not unique: rigid bodies share the load in a way only their elasticity decides; "
            "motions and the other reactions are.",
        )


def _nearby(numbers: Numbers, q: np.ndarray, v: np.ndarray, z: np.ndarray, A: np.ndarray, rank: int) -> int:
    """The rank after a small admissible displacement; it is not more where all rows are independent."""
    if rank in A.shape:
        return rank
    null = null_space(A) / np.sqrt(numbers.mass())[:, None]
    steps = numbers.units[1]
    away = null @ np.linspace(1, 2, null.shape[1])
    moved = numbers.retract(q, AWAY * away / max(np.abs(null / steps[:, None]).max(initial=0.0), 1e-300))
    moved, _ = numbers.close(moved, 0 * v, z)
    return rank_of(scaled(numbers, moved, v, z))


def _singularity(report: Report, model: Model, rank: int, held: Held) -> None:
    """A position is singular if a small admissible displacement raises the rank."""
    if held.nearby > rank:
        report.singular = True
        report.add(
            "warning",
            model.name,
            f"the start is a singular position: {held.nearby - rank} freedom(s) more than next to it, where branches "
            "of the motion meet. The run passes it, but which way it goes is decided by the start speeds.",
        )
