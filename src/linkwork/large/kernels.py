"""The functions of one kind of component: its prototype's equations, cut into what a schedule calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeAlias

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.core.component import Component
from linkwork.core.equations import Row
from linkwork.core.errors import LinkworkError
from linkwork.core.program import Event
from linkwork.geometry import SX, Pose
from linkwork.large.borrowed import NAME as BORROWED
from linkwork.large.kernel import Entry, Kernel, kernel_of
from linkwork.large.prototypes import NAME, Prototype
from linkwork.large.slots import Unfit

ENERGIES = ("energy.kinetic", "energy.potential", "energy.dissipated", "energy.supplied")
"""Channels that are sums over all components."""
RESIDUALS = ("residual.position", "residual.velocity")
"""Channels that are the largest over all components."""
ACCOUNTS = ("energy.dissipated", "energy.supplied")
"""States that are shared by all components."""


class Kind:
    """Components that share their kernels."""

    def __init__(self, prototype: Prototype, name: str, fixed: Sequence[bool]):
        """name: of its first component; fixed: which slots are numbers, not expressions of parameters."""
        self.name, self.fixed = name, list(fixed)
        eq = self.eq = prototype.equations
        self._alone = prototype
        self._refuse()
        names, n = eq.states.names[eq.q.numel() + eq.v.numel() :], eq.z.numel()
        self.accounts = {names[k]: k for k in eq.states.accounts}
        self.borrowed = {k: names[k] for k in range(n) if names[k].startswith(BORROWED)}
        """States of joints beside it, by their names in the prototype."""
        self.own_states = [k for k in range(n) if k not in eq.states.accounts and k not in self.borrowed]
        self.state_names = [names[k] for k in self.own_states]
        recording = eq.states.unweighted[eq.q.numel() + eq.v.numel() :]
        self.counting = [recording[k] for k in self.own_states]
        self.rows: list[Row] = eq.constraints.rows
        self.positions = eq.constraints.position.numel()
        self._table = [s for s, fix in zip(prototype.slots, fixed, strict=True) if fix]
        self.lifted = [s for s, fix in zip(prototype.slots, fixed, strict=True) if not fix]
        self._known: list[tuple[SX, Entry]] = []
        self.taken = eq.signals.taken
        """What it follows over time: tables of its own (`CourseOfOne`), those that it shares, derivatives of inputs."""
        self.shares: dict[str, object] = {}
        """What it adds to the equations of implicit methods (see `newton`), by the name of their form."""
        self._parts = self._places()

    def _refuse(self) -> None:
        """What kernels do not cover yet: the model then takes straight-line code."""
        eq = self.eq
        if eq.algebraic.improved is not None or eq.contacts.places or eq.motion.explicit:
            raise Unfit(self.name, "it is solved together with others")
        if eq.states.held or eq.constraints.projected is not None:
            raise Unfit(self.name, "its constraints are not ideal")

    def _places(self) -> dict[int, Entry]:
        """What each symbol is, by its hash."""
        eq, places = self.eq, {}
        own = {k: n for n, k in enumerate(self.own_states)}
        parts = {"t": eq.t, "q": eq.q, "v": eq.v, "a": eq.a, "multipliers": eq.multipliers}
        for what, symbols in parts.items():
            for k, s in enumerate(ca.vertsplit(symbols)):
                places[s.element_hash()] = what, k
        for k, s in enumerate(ca.vertsplit(eq.z)):
            if k in own:
                places[s.element_hash()] = "z", own[k]
            elif k in self.borrowed:
                places[s.element_hash()] = "borrowed", list(self.borrowed).index(k)
        for k, taken in enumerate(self.taken):
            places[taken.symbol.element_hash()] = "taken", k
        for k, s in enumerate(self.lifted):
            places[s.element_hash()] = "lifted", k
        return places

    def p_entries(self, symbols: Sequence[SX]) -> None:
        """p of the whole model, in its order."""
        for k, s in enumerate(symbols):
            self._parts.setdefault(s.element_hash(), ("p", k))
            self._known.append((s, ("p", k)))

    def know(self, symbols: SX, what: str) -> None:
        """Further symbols that kernels take, by the name of what they are."""
        for k, s in enumerate(ca.vertsplit(symbols)):
            self._parts[s.element_hash()] = what, k

    def p_of(self, slots: np.ndarray, p: np.ndarray, parameters: Sequence[str], taken: np.ndarray) -> np.ndarray:
        """p of the prototype's equations for one component; slots: its numbers, p and parameters: the model's; taken:
        which of what follows the model's inputs in p it follows over time."""
        model, n = self._alone.component.model, len(parameters)
        assert model is not None
        known = dict(zip(parameters, p[:n], strict=True))
        known |= {s.name(): x for s, x in zip(self._alone.slots, slots, strict=True)}
        values, inputs = (known.get(name, value) for name, value in model.parameters.items()), n + len(model.inputs)
        return np.array([*values, *p[n:inputs], *p[inputs + taken]], dtype=float)

    # Expressions -----------------------------------------------------------------------------------------------------

    def alone(self, expressions: list[SX], *, accounts: bool = False) -> list[SX]:
        """Without the masses beside it; accounts: and without what was lost and supplied so far."""
        gone = ca.vertcat(SX(0, 1), *self._alone.masses, *(self.eq.z[k] for k in self.accounts.values() if accounts))
        return ca.substitute(expressions, [gone], [SX.zeros(gone.numel(), 1)])

    @cached_property
    def force(self) -> SX:
        return ca.densify(self.alone([self.eq.motion.force])[0])

    @cached_property
    def pushed(self) -> list[int]:
        """Speeds on which it has a force."""
        return [k for k, x in enumerate(ca.vertsplit(self.force)) if not x.is_zero()]

    @cached_property
    def rates(self) -> tuple[list[int], list[int], SX]:
        """States (accounts among them) whose rates need no solution, the others, and all rates."""
        eq = self.eq
        zdot = ca.densify(self.alone([eq.motion.zdot])[0]) if eq.z.numel() else SX(0, 1)
        solution = ca.vertcat(eq.a, eq.multipliers)
        mine = [k for k in range(zdot.numel()) if k not in self.borrowed]
        later = [k for k in mine if ca.depends_on(zdot[k], solution)]
        return [k for k in mine if k not in later], later, zdot

    @cached_property
    def jacobian(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and speeds of the entries of A that are in a kernel."""
        rows, columns = self.eq.constraints.jacobian.sparsity().get_triplet()
        return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)

    @cached_property
    def inertia(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the lower triangle of the mass matrix; empty where it has no mass of its own."""
        if self._alone.masses or not self.eq.motion.mass.nnz():
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        rows, columns = ca.tril(self.eq.motion.mass).sparsity().get_triplet()
        return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)

    @property
    def component(self) -> Component:
        """That of its prototype."""
        return self._alone.component

    @property
    def is_body(self) -> bool:
        return not isinstance(self._alone.component, Joint) and bool(self.inertia[0].size)

    def entry_lists(self) -> tuple[SX, SX]:
        """M (lower triangle) and A, as columns of their entries."""
        return _entries(ca.tril(self.eq.motion.mass)) if self.inertia[0].size else SX(0, 1), _entries(
            self.eq.constraints.jacobian
        )

    # Kernels ---------------------------------------------------------------------------------------------------------

    @cached_property
    def dynamics(self) -> Kernel | None:
        """[q̇ of a body; M; A; f where there is any; γ; Φ; rates that need no solution]."""
        eq = self.eq
        mass, A = self.entry_lists()
        early, _, zdot = self.rates
        force = ca.vertcat(SX(0, 1), *(self.force[k] for k in self.pushed))
        qdot = eq.motion.qdot if self.is_body else SX(0, 1)
        parts = [qdot, mass, A, force, eq.constraints.gamma, eq.constraints.position, *(zdot[k] for k in early)]
        return self.kernel("dynamics", parts)

    def dynamics_parts(self) -> dict[str, int]:
        """Where each part of `dynamics` begins."""
        sizes = {
            "qdot": self.eq.q.numel() if self.is_body else 0,
            "mass": self.inertia[0].size,
            "jacobian": self.jacobian[0].size,
            "force": len(self.pushed),
            "gamma": len(self.rows),
            "position": self.positions,
            "rates": len(self.rates[0]),
        }
        return dict(zip(sizes, np.concatenate([[0], np.cumsum(list(sizes.values()))]).tolist(), strict=False))

    @cached_property
    def late_rates(self) -> Kernel | None:
        """Rates that need accelerations or multipliers."""
        _, later, zdot = self.rates
        return self.kernel("late_rates", [zdot[k] for k in later]) if later else None

    @cached_property
    def constraints(self) -> Kernel | None:
        """[M; A; Φ; A v − b]."""
        rows = self.eq.constraints
        return self.kernel("constraints", [*self.entry_lists(), rows.position, rows.velocity])

    @cached_property
    def speeds(self) -> Kernel | None:
        """A v − b."""
        return self.kernel("speeds", [self.eq.constraints.velocity]) if self.rows else None

    @cached_property
    def retract(self) -> Kernel | None:
        """q of a body moved by a step, which stands where accelerations do."""
        return self.kernel("retract", [self.eq.motion.retract(self.eq.q, self.eq.a)]) if self.is_body else None

    @cached_property
    def channels(self) -> list[tuple[str, str, SX]]:
        """(name, unit, value) of its own channels."""
        outputs = self.eq.observation.outputs
        own = [name for name in outputs if not _of_others(name)]
        values = self.alone([outputs[name][1] for name in own], accounts=True) if own else []
        return [(name, outputs[name][0], value) for name, value in zip(own, values, strict=True)]

    @property
    def coordinate_names(self) -> list[str]:
        """Of a joint, as its prototype calls them."""
        component = self._alone.component
        return [c.name for c in component.coordinates] if isinstance(component, Joint) else []

    @cached_property
    def energies(self) -> list[SX]:
        outputs = self.eq.observation.outputs
        return [SX(x) for x in self.alone([SX(outputs[name][1]) for name in ENERGIES], accounts=True)]

    @cached_property
    def outputs(self) -> Kernel | None:
        """[channels; energies; largest of Φ and of A v − b, where there are any]."""
        outputs = self.eq.observation.outputs
        largest = [outputs[name][1] for name in RESIDUALS] if self.holds else []
        return self.kernel("outputs", [*(x for _, _, x in self.channels), *self.energies, *largest])

    @property
    def holds(self) -> bool:
        """Whether it has equations that must vanish, or would without the springs that are in their place."""
        return bool(self.rows) or self.is_soft

    @property
    def is_soft(self) -> bool:
        """Whether equations of it are springs."""
        return bool(self.eq.constraints.softness)

    @property
    def events(self) -> list[tuple[Event, SX]]:
        return self.eq.observation.events

    @property
    def event_places(self) -> list[tuple[int, int]]:
        """(first, count) of the values of each event: g, or g with its bounds."""
        sizes = [g.numel() for _, g in self.events]
        return list(zip(np.concatenate([[0], np.cumsum(sizes)]).astype(int).tolist(), sizes, strict=False))

    @cached_property
    def event_values(self) -> Kernel | None:
        eq = self.eq
        values = self.alone([SX(g) for _, g in self.events]) if self.events else []
        if values and ca.depends_on(ca.vertcat(*values), ca.vertcat(eq.a, eq.multipliers)):
            raise Unfit(self.name, "its events depend on forces or accelerations")
        return self.kernel("events", values)

    @cached_property
    def measures(self) -> Kernel | None:
        """[joint coordinates; their rates; ∂rates/∂v]: for the start."""
        joint = self._alone.component
        if not isinstance(joint, Joint) or not joint.coordinates:
            return None
        outputs = self.eq.observation.outputs
        values = ca.vertcat(*(outputs[c.name][1] for c in joint.coordinates))
        rates = ca.vertcat(*(outputs[f"{c.name}.rate"][1] for c in joint.coordinates))
        return self.kernel("measures", [values, rates, ca.vec(ca.densify(ca.jacobian(rates, self.eq.v)))])

    def frames(self) -> SX:
        """p, R and turn of the frames of a joint on their bodies, one after the other."""
        joint = self._alone.component
        assert isinstance(joint, Joint)
        return ca.vertcat(*(_flat(marker.local) for marker in joint.markers()))

    def motion(self) -> tuple[SX, SX]:
        """Symbols for its coordinates; p, R and turn of frame N seen from M."""
        joint = self._alone.component
        assert isinstance(joint, Joint)
        c = SX.sym("c", len(joint.coordinates))
        return c, _flat(joint.guessed({k.label: c[i] for i, k in enumerate(joint.coordinates)}))

    def rods(self) -> SX:
        """Lengths that tell how large it is [m]: arms from mass centres to the joint, and that of a rod."""
        joint = self._alone.component
        if not isinstance(joint, Joint):
            return SX(0, 1)
        arms = [ca.norm_2(m.local.p) for m in joint.markers() if isinstance(m.body, Body)]
        return ca.vertcat(*arms, *([ca.fabs(SX(joint.length))] if hasattr(joint, "length") else []))

    def numbers(
        self, value: SX, table: np.ndarray, lifted: np.ndarray, p: np.ndarray, *more: tuple[SX, np.ndarray]
    ) -> np.ndarray:
        """An expression of the slots for every component, (members, numbers), at t = 0; more: symbols and numbers."""
        symbols = [s for s, place in self._known if place[0] == "p"]
        arguments = [_column(self._table), _column(self.lifted), self.eq.t, _column(symbols)]
        if ca.depends_on(value, ca.vertcat(SX(0, 1), *(x.symbol for x in self.taken))):
            raise Unfit(self.name, "where it starts hangs on a table")
        f = ca.Function("numbers", [*arguments, *(s for s, _ in more)], [ca.densify(value)])
        n = len(table)
        given = np.tile(p[: len(symbols)], (n, 1))
        wide = [ca.DM(x.T) for x in (table, lifted, np.zeros((n, 1)), given, *(x for _, x in more))]
        return np.array(f.map(n)(*wide)).T.reshape(n, value.numel())

    def kernel(self, name: str, parts: Sequence[SX]) -> Kernel | None:
        """A function of what its symbols are, and of the slots that are numbers; None where it has no results."""
        value = ca.densify(ca.vertcat(SX(0, 1), *(SX(x) for x in parts)))
        if not value.numel():
            return None
        table = {s.element_hash() for s in self._table}
        used = [s for s in ca.symvar(value) if s.element_hash() not in table]
        strangers = [s.name() for s in used if s.element_hash() not in self._parts]
        if strangers:
            raise Unfit(self.name, f"it depends on {', '.join(strangers)}")
        used.sort(key=lambda s: self._parts[s.element_hash()])
        f = ca.Function(name, [_column(used), _column(self._table)], [value], {"cse": True})
        try:
            return kernel_of(f, tuple(self._parts[s.element_hash()] for s in used))
        except LinkworkError as error:
            raise LinkworkError(error.cause, component=self.name, remedy=error.remedy) from error


def _of_others(channel: str) -> bool:
    """Whether a channel of a prototype is not its component's: of bodies and joints beside it, or of the whole."""
    return channel.startswith(("energy.", "residual.")) or (channel[:1] == NAME and channel[1:2] != ".")


def _flat(pose: Pose) -> SX:
    return ca.densify(ca.vertcat(pose.p, ca.vec(pose.R), SX(0) if pose.turn is None else pose.turn))


def _entries(x: SX) -> SX:
    """Those that are not zero by structure, column by column."""
    return ca.reshape(x.nz[:], x.nnz(), 1) if x.nnz() else SX(0, 1)


def _column(symbols: Sequence[SX]) -> SX:
    return ca.vertcat(SX(0, 1), *symbols)


Pick: TypeAlias = Callable[[Kind], Kernel | None]
