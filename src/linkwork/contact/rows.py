"""Rigid contacts in the equations of a formulation: one set of equations for all modes, which are states that jump.

Open: no force. Closed: A_n v̇ = γ_n, and its multiplier is the normal force N. Stuck: A_t v̇ = γ_t as well. Sliding:
friction T = −μ N d acts along the direction d of the slip. Where the mode changes is an event that stops the run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import casadi as ca

from linkwork.core.equations import Equations, Row
from linkwork.core.program import Event
from linkwork.core.unilateral import Closure, Contact, Mode
from linkwork.geometry import SX, norm

SLACK = 1e-14
"""Depth [lengths of the mechanism] at which a gap counts as closed: above rounding, far below the last rebound."""
MARGIN = 1e-9
"""Share by which friction must exceed its limit to slip."""
SLOW = 1e-9
"""Slip [lengths per second, or rad/s] below which its direction is the one it started with: what solvers leave of a
slip that is none."""
SLIP_TOLERANCE = 1e-12
"""Slip [the same] against its direction that is none: of something at rest whose friction is at its limit."""
BACK = 4e-9
"""Slip [the same] against its direction that cannot be rounding."""
FORCE = 1e9
"""Forces that count as none in an ordinary one."""


def with_contacts(eq: Equations) -> Equations:
    """The same equations with the rows, modes, events and channels of their contacts."""
    if not eq.contacts.places:
        return eq
    added = _Added(eq)
    for contact in eq.contacts.places:
        added.add(contact)
    added.record_sums()
    return added.equations()


class _Added:
    """Collects rows and modes contact by contact."""

    def __init__(self, eq: Equations):
        self.eq = eq
        self.symbols: list[SX] = []
        self.names: list[str] = []
        self.events: list[tuple[Event, SX]] = []
        self.outputs: dict[str, tuple[str, SX]] = {}
        self.parts: list[tuple[Contact, SX, SX, SX]] = []
        """Contact, closed, stuck, direction in which it slides."""
        self.places: list[tuple[int | None, int | None, tuple[int, ...]]] = []

    def _state(self, name: str) -> tuple[int, SX]:
        symbol = SX.sym(name)
        self.symbols.append(symbol)
        self.names.append(name)
        return self.eq.y.numel() + len(self.symbols) - 1, symbol

    def _unit(self, c: Contact) -> float:
        """Of its slip."""
        return self.eq.states.length if c.units[1] == "m/s" else 1.0

    def add(self, c: Contact) -> None:
        count = c.slip.numel()
        where, closed = self._state(f"{c.name}.closed") if c.opens else (None, SX(1))
        stick, stuck = self._state(f"{c.name}.stuck") if count else (None, SX(0))
        aims = [self._state(f"{c.name}.direction{k + 1}") for k in range(count)]
        aim = ca.vertcat(*(s for _, s in aims))
        self.places.append((where, stick, tuple(k for k, _ in aims)))
        self.parts.append((c, closed, stuck, _direction(c.slip, aim, self._unit(c))))
        self._watch(c, closed, stuck, aim)
        self._record(c, closed, stuck)

    def _watch(self, c: Contact, closed: SX, stuck: SX, aim: SX) -> None:
        """Events, in natural units; what cannot happen in a mode has a value that never changes."""
        length, force = self.eq.states.length, FORCE * c.noise

        def locate(name: str, active: SX, value: SX, pace: SX | float = 0.0, grain: SX | float = 0.0) -> None:
            g = ca.vertcat(ca.if_else(active > 0.5, value, 1), ca.if_else(active > 0.5, pace, 0), grain, 0)
            self.events.append((Event(f"{c.name} {name}", -1, "stop", c), g))

        if c.opens:
            locate("hits", 1 - closed, c.gap / length + SLACK, c.bound[0] / length, c.bound[1] / length)
            locate("lifts", closed, (c.normal + c.noise) / force)
        if c.slip.numel():
            locate("slips", stuck, (c.static * c.normal * (1 + MARGIN) + c.noise - norm(c.tangential)) / force)
            slip = c.slip / self._unit(c)
            ahead = ca.dot(slip, aim)
            # Two of them have turned by 60°, or gone back through zero.
            turned = ahead + SLIP_TOLERANCE if slip.numel() == 1 else ahead - norm(slip) / 2 + SLOW / 2
            locate("stops", closed * (1 - stuck), turned)
            # One that began within rounding of zero, and then went the other way, has no zero there.
            locate("turns", closed * (1 - stuck), turned + BACK)

    def _record(self, c: Contact, closed: SX, stuck: SX) -> None:
        if c.opens:
            self.outputs[f"{c.name}.gap"] = ("m", c.gap)
            self.outputs[f"{c.name}.normal"] = ("N", c.normal)
        for word, share in c.directions.items():
            self.outputs[f"{c.name}.{word}"] = ("N", ca.dot(share, c.tangential) if share.numel() else SX(0))
        for k in range(c.slip.numel()):
            number = "" if c.slip.numel() == 1 else str(k + 1)
            self.outputs[f"{c.name}.friction{number}"] = (c.units[0], c.tangential[k])
            self.outputs[f"{c.name}.slip{number}"] = (c.units[1], c.slip[k])
        self.outputs[f"{c.name}.mode"] = ("", closed * (2 - stuck) if c.slip.numel() else 2 * closed)

    def record_sums(self) -> None:
        """Forces of components with several places, all together."""
        places = self.eq.contacts.places
        for owner in dict.fromkeys(c.owner for c in places):
            mine = [c for c in places if c.owner == owner and c.opens]
            if mine and mine[0].name != owner:
                for word in ("normal", *mine[0].directions):
                    parts = [self.outputs[f"{c.name}.{word}"][1] for c in mine]
                    self.outputs[f"{owner}.{word}"] = ("N", sum(parts, SX(0)))

    def _rows(self) -> _Rows:
        """Normals first, then friction."""
        normals = [(c, closed) for c, closed, _, _ in self.parts if c.opens]
        rubbing = [part for part in self.parts if part[0].slip.numel()]
        speeds = ca.vertcat(SX(0, 1), *(c.speed for c, _ in normals), *(c.slip for c, *_ in rubbing))
        forces = ca.vertcat(SX(0, 1), *(c.normal for c, _ in normals), *(c.tangential for c, *_ in rubbing))
        stuck = [flag for c, _, flag, _ in rubbing for _ in range(c.slip.numel())]
        flags = ca.vertcat(SX(0, 1), *(closed for _, closed in normals), *stuck)
        normal_of = {c.name: k for k, (c, _) in enumerate(normals)}
        friction_of: dict[str, tuple[int, ...]] = {}
        count = len(normals)
        slack, given = ca.diag(1 - flags), SX.zeros(speeds.numel(), 1)
        for c, closed, held, d in rubbing:
            friction_of[c.name] = tuple(range(count, count + c.slip.numel()))
            for k, row in enumerate(friction_of[c.name]):
                share = (1 - held) * closed * c.friction * d[k]
                if c.opens:
                    slack[row, normal_of[c.name]] = share
                else:
                    given[row] = -share * c.normal
            count += c.slip.numel()
        modes = [
            Mode(closed, held, aims, normal_of.get(c.name), friction_of.get(c.name, ()))
            for (c, *_), (closed, held, aims) in zip(self.parts, self.places, strict=True)
        ]
        gaps = ca.vertcat(SX(0, 1), *(closed * c.gap for c, closed in normals))
        return _Rows(speeds, forces, flags, slack, given, gaps, modes)

    def equations(self) -> Equations:
        eq, made = self.eq, self._rows()
        symbols, motion, constraints, observed = eq.symbols, eq.motion, eq.constraints, eq.observation
        count, held = eq.multipliers.numel(), constraints.position.numel()
        n, total = made.gaps.numel(), made.speeds.numel()
        drift = -ca.jtimes(made.speeds, ca.vertcat(eq.q, eq.t), ca.vertcat(motion.qdot, 1))
        if eq.z.numel() and ca.depends_on(made.speeds, eq.z):  # speeds that motion laws integrate
            drift -= ca.jtimes(made.speeds, eq.z, motion.zdot)
        A = ca.jacobian(made.speeds, eq.v)
        # Rows at position level come first: joints, normals, then joints at speed level, friction.
        joints = [*range(held), *range(held + n, count + n)]
        contacts = [*range(held, held + n), *range(count + n, count + total)]

        def merged(own: SX, more: SX) -> SX:
            return ca.vertcat(own[:held, :], more[:n, :], own[held:, :], more[n:, :])

        slack = SX(count + total, count + total)
        slack[contacts, contacts] = made.slack
        by_force = A if eq.contacts.push is None else ca.jacobian(eq.contacts.push, made.forces).T
        pull = merged(constraints.jacobian, -by_force)
        names = [Row(c.name, "normal") for c in eq.contacts.places if c.opens]
        friction = [Row(c.name, "friction", k) for c in eq.contacts.places for k in range(c.slip.numel())]
        improved = eq.algebraic.improved
        return replace(
            eq,
            symbols=replace(
                symbols, z=ca.vertcat(eq.z, *self.symbols), multipliers=merged(eq.multipliers, made.forces)
            ),
            states=replace(
                eq.states,
                names=[*eq.states.names, *self.names],
                unweighted=[*eq.states.unweighted, *(True for _ in self.symbols)],
                held=eq.states.held | set(self.names),
            ),
            motion=replace(
                motion,
                zdot=ca.vertcat(motion.zdot, SX.zeros(len(self.symbols), 1)),
                order=motion.order and motion.order.renumbered(dict(enumerate(joints)), count + total),
            ),
            constraints=replace(
                constraints,
                position=ca.vertcat(constraints.position, made.gaps),
                velocity=merged(constraints.velocity, made.flags * made.speeds),
                jacobian=merged(constraints.jacobian, ca.diag(made.flags) @ A),
                gamma=merged(constraints.gamma, made.flags * drift + made.given),
                rows=[*constraints.rows[:held], *names, *constraints.rows[held:], *friction],
            ),
            observation=replace(
                observed, events=[*observed.events, *self.events], outputs=observed.outputs | self.outputs
            ),
            algebraic=replace(eq.algebraic, improved=None if improved is None else ca.vertcat(improved, *self.symbols)),
            contacts=replace(
                eq.contacts,
                closure=Closure(pull, A, slack, joints, contacts, drift, made.modes),
            ),
        )


class _Rows(NamedTuple):
    """All rows of contacts: speeds, multipliers, 1 where they hold, and what holds for the multiplier where not."""

    speeds: SX
    forces: SX
    flags: SX
    slack: SX
    given: SX
    gaps: SX
    modes: list[Mode]


def _direction(slip: SX, aim: SX, unit: float) -> SX:
    """Unit vector along the slip; goes on through a zero of the slip as it was, so that the equations have no kink."""
    if slip.numel() <= 1:
        return aim
    forward = ca.if_else(ca.dot(slip, aim) < 0, -1, 1) * slip / unit + SLOW * aim
    return forward / ca.sqrt(ca.fmax(ca.dot(forward, forward), 1e-60))
