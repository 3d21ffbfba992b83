"""Rigid contacts in an FMU: what its runtime needs to decide how they go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.contact.delassus import expressions
from linkwork.core.courses import in_time
from linkwork.core.equations import Equations
from linkwork.core.unilateral import Mode
from linkwork.export.c_source import Routine
from linkwork.simulation.interruptions.joint_loads import JointLoads
from linkwork.simulation.prepare import Prepared

if TYPE_CHECKING:
    from linkwork.core.model import Model

SLIPS = 2
"""Directions of the slip of a contact, at most."""


@dataclass(frozen=True)
class RigidContacts:
    """Those of one model."""

    names: list[str]
    modes: list[Mode]
    units: list[float]
    """Of the slip of each."""
    length: float
    """Of the mechanism [m]."""
    rows: int
    joints: int
    """Rows of constraints beside theirs."""
    lost: int
    """Where the energy that was lost is among the states."""
    supplied: int | None
    loads: JointLoads | None
    """Of joints that stick."""


def contacts_of(model: Model, ready: Prepared) -> RigidContacts | None:
    """None: there are none."""
    eq = ready.equations
    closure, places = eq.contacts.closure, eq.contacts.places
    if closure is None:
        return None
    states, length = list(eq.states.names), eq.states.length
    return RigidContacts(
        names=[c.name for c in places],
        modes=closure.modes,
        units=[length if c.units[1] == "m/s" else 1.0 for c in places],
        length=length,
        rows=closure.speeds.size1(),
        joints=len(closure.joints),
        lost=states.index("energy.dissipated"),
        supplied=states.index("energy.supplied") if "energy.supplied" in states else None,
        loads=JointLoads.of(model, ready),
    )


def snapshot_routine(eq: Equations) -> Routine:
    """Masses, joints and contacts at one state: matrices row by row, one after the other."""
    flat = ca.vertcat(*(ca.vec(x.T) for x in expressions(eq)))
    if eq.signals.courses is not None:
        (flat,) = in_time([flat], eq.signals.courses)
    f = ca.Function("snapshot", [eq.t, eq.y, eq.p], [ca.densify(flat)], {"cse": True})
    return Routine("snapshot", f, ("numbers",), "masses, joints and contacts, from which it is decided how these go on")


def tables(contacts: RigidContacts) -> tuple[list[str], dict[str, object]]:
    """Lines of C, and fields of the model that name what they define."""
    rows = [_row(mode, unit) for mode, unit in zip(contacts.modes, contacts.units, strict=True)]
    names = [f'    "{_plain(name)}",' for name in contacts.names]
    lines = ["static const fmu_mode modes[] = {", *rows, "};", ""]
    lines += ["static const char *const contact_names[] = {", *names, "};", ""]
    fields: dict[str, object] = {
        "contacts": len(contacts.modes), "contact_rows": contacts.rows, "contact_joints": contacts.joints,
        "modes": "modes", "contact_names": "contact_names", "length": repr(float(contacts.length)),
        "lost": contacts.lost, "supplied": -1 if contacts.supplied is None else contacts.supplied,
    }  # fmt: skip
    loads = contacts.loads
    if loads is None:
        return lines, fields
    arrays = (
        ("int32_t", "load_at", loads.at),
        ("int32_t", "load_after", loads.after),
        ("double", "load_lag", loads.lags),
    )
    for kind, name, values in arrays:
        numbers = [repr(float(x)) if kind == "double" else str(x) for x in values]
        lines.append(f"static const {kind} {name}[] = {{{', '.join(numbers)}}};")
    return [*lines, ""], fields | {"loads": len(loads.at)} | {name: name for _, name, _ in arrays}


def _row(mode: Mode, unit: float) -> str:
    def number(place: int | None) -> int:
        return -1 if place is None else place

    def pair(places: tuple[int, ...]) -> str:
        return "{" + ", ".join(str(x) for x in (*places, -1, -1)[:SLIPS]) + "}"

    states = f"{number(mode.closed)}, {number(mode.stuck)}, {pair(mode.direction)}"
    rows = f"{number(mode.normal)}, {len(mode.tangential)}, {pair(mode.tangential)}"
    return f"    {{{states}, {rows}, {float(unit)!r}}},"


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() and c not in '"\\?' else "_" for c in text)
