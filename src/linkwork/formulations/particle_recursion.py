"""Momentum equations of a tree of particles, solved from the tips inwards: PRT (18)–(25) in operations per body."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from linkwork.algebra.proximal import KKT, Definite, Order
from linkwork.formulations.contributions import Contributions
from linkwork.formulations.particle_chain import Chain, Loads, Step
from linkwork.geometry import SX


class Recursion:
    """Momentum of the tree solved from the tips inwards; multipliers of cut joints and other rows beside it.

    I + A of all bodies:  Σ S ᵀ(I m + Aᵀλ − f) = 0 for what each joint carries, Σ A m = c, m = X m_parent + S u.
    """

    def __init__(self, chain: Chain, by_body: SX, order: Order, contributions: Contributions):
        """by_body: of rows that are left, by the bodies' speeds."""
        self.chain, self.count = chain, by_body.shape[0]
        self.jacobian = chain.at_first(by_body.T)
        self.refined = order.uneven
        rotors = chain.rotors(contributions) or {}
        self.free = {step.name: step.free if not _any(rotors, step.name) else None for step in chain.steps}
        """Which parts of its motion a joint lets go altogether: none where a rotor hangs on them."""
        inertia = dict(chain.inertia)
        self.factors: dict[str, tuple[SX, SX, SX]] = {}
        for step in reversed(chain.steps):
            I, S, n, free = inertia[step.name], step.S, step.S.shape[1], self.free[step.name]
            rest = self._rest(step)
            pull = I @ S if free is None else I[:, free]
            own = ca.diag(rotors[step.name]) if _any(rotors, step.name) else SX(n, n)
            D, L = _factors(S.T @ pull + own if free is None else I[free, free])
            half = ca.solve(L, pull[rest, :].T) if n and rest else SX(n, len(rest))
            self.factors[step.name] = D, L, half
            if step.parent is not None and rest:
                left = I[rest, rest] - half.T @ ((1 / D) * half) if n else I[rest, rest]
                X = step.X[rest, :]
                added = X.T @ ca.triu2symm(ca.triu(left)) @ X
                inertia[step.parent] = ca.sparsify(ca.triu2symm(ca.triu(inertia[step.parent] + added)))
        self.columns = self._inwards(self.jacobian)
        if self.count:
            schur = SX(self.count, self.count)
            for step in chain.steps:
                z = self.columns.get(step.name)
                if z is not None and z.nnz():
                    schur += z.T @ ((1 / self.factors[step.name][0]) * z)
            felt = list(order.felt) if order.felt else None
            self.schur = Definite(ca.triu2symm(ca.triu(schur)), felt, order.softness)

    def _rest(self, step: Step) -> list[int]:
        return [k for k in range(step.S.shape[0]) if k not in (self.free[step.name] or ())]

    def _inwards(self, loads: Loads) -> dict[str, SX]:
        """L⁻¹Sᵀ of what acts on everything that each joint carries."""
        acting, efforts = dict(loads), dict[str, SX]()
        for step in reversed(self.chain.steps):
            f = acting.get(step.name)
            if f is None or not f.nnz():
                continue
            D, L, half = self.factors[step.name]
            free, rest = self.free[step.name], self._rest(step)
            along = step.S.T @ f if free is None else f[free, :]
            z = ca.sparsify(_forward(L, along))
            efforts[step.name] = z
            if step.parent is not None and rest:
                passed = f[rest, :] - half.T @ ((1 / D) * z) if z.nnz() else f[rest, :]
                passed = ca.sparsify(step.X[rest, :].T @ passed)
                acting[step.parent] = acting[step.parent] + passed if step.parent in acting else passed
        return efforts

    def _outwards(self, along: Mapping[str, SX]) -> dict[str, SX]:
        """Motions of all bodies from what acts along their joints."""
        motions: dict[str, SX] = {}
        for step in self.chain.steps:
            D, L, half = self.factors[step.name]
            n, size = step.S.shape
            motion = SX(n, 1) if step.parent is None else step.X @ motions[step.parent]
            if size:
                free, rest = self.free[step.name], self._rest(step)
                z = (1 / D) * along.get(step.name, SX(size, 1))
                if rest and step.parent is not None:
                    z -= (1 / D) * (half @ motion[rest])
                u = _backward(L, z)
                if free is None:
                    motion = motion + step.S @ u
                else:
                    motion[free] = u
            motions[step.name] = motion
        return motions

    def solve(self, loads: Loads, own: SX, c: SX) -> tuple[dict[str, SX], SX, SX]:
        """(motions of all bodies beside their drift, accelerations of variables: none, λ)."""
        motions, multipliers = self._once(loads, c)
        if not self.refined:
            return motions, own, multipliers
        left = {
            name: loads[name] - I @ motions[name] - (self.jacobian[name] @ multipliers if self.count else 0)
            for name, I in self.chain.inertia.items()
        }
        more, added = self._once(left, c - self._rows(motions))
        return {name: motions[name] + more[name] for name in motions}, own, multipliers + added

    def _rows(self, motions: Loads) -> SX:
        return sum((self.jacobian[name].T @ m for name, m in motions.items()), SX(self.count, 1))

    def _once(self, loads: Loads, c: SX, *, soft: bool = False) -> tuple[dict[str, SX], SX]:
        along = self._inwards(loads)
        if not self.count:
            return self._outwards(along), SX(0, 1)
        b = -c
        for name, z in self.columns.items():
            if name in along:
                b += z.T @ ((1 / self.factors[name][0]) * along[name])
        left = self.schur.once(b) if soft else self.schur.solve(b)
        for name, z in self.columns.items():
            if z.nnz():
                along[name] = along.get(name, SX(z.shape[0], 1)) - z @ left
        return self._outwards(along), left

    def project(self, residual: SX) -> SX:
        """The smallest displacement (mass as the metric) of particles that takes the residual away, softly."""
        motions = self._once({}, -residual, soft=True)[0]
        return self.chain.displacements(motions, SX(0, 1))

    def margins(self) -> SX:
        """Share of each row that those eliminated before it do not determine, squared: 0 in singular positions."""
        return self.schur.margins()


class Together:
    """The same equations in u of all joints at once: for what the recursion cannot divide by, or has no place for.

    Bodies that are too light to hold in a loop, or have no mass at all (their rows stand in for it), variables of the
    user's own, and inertia by which components with ports couple several coordinates.
    """

    def __init__(self, chain: Chain, by_body: SX, order: Order, contributions: Contributions):
        self.chain = chain
        view, sizes = chain.view, [step.S.shape[1] for step in chain.steps]
        self.own = len(view.variables)
        self.size = sum(sizes) + self.own
        self.T: dict[str, SX] = {}
        """(r̈₁, a) per unit of u."""
        begin = 0
        for step, n in zip(chain.steps, sizes, strict=True):
            T = SX(len(chain.rows), self.size) if step.parent is None else step.X @ self.T[step.parent]
            T[:, begin : begin + n] = step.S if step.parent is None else T[:, begin : begin + n] + step.S
            self.T[step.name] = T
            begin += n
        self.last = SX.eye(self.size)[self.size - self.own :, :]
        self.speeds = ca.vertcat(*(chain.to_speeds(b) @ self.T[b.name] for b in view.bodies), self.last)
        self.added, self.owed = chain.added(contributions)
        mass = self.speeds.T @ self.added @ self.speeds
        for name, T in self.T.items():
            mass += T.T @ chain.inertia[name] @ T
        self.kkt = KKT(ca.sparsify(ca.triu2symm(ca.triu(mass))), by_body @ self.speeds, order)

    def solve(self, loads: Loads, own: SX, c: SX) -> tuple[dict[str, SX], SX, SX]:
        """(motions of all bodies beside their drift, accelerations of variables, λ)."""
        resting = self.chain.of_bodies(self.chain.drift, SX(self.own, 1))
        force = self.last.T @ own - self.speeds.T @ (self.owed + self.added @ resting)
        force += sum((T.T @ loads[name] for name, T in self.T.items()), SX(self.size, 1))
        u, multipliers = self.kkt.solve(force, c)
        return {name: T @ u for name, T in self.T.items()}, self.last @ u, multipliers

    def project(self, residual: SX) -> SX:
        """The smallest displacement (mass as the metric) of particles that takes the residual away, softly."""
        u = self.kkt.project(residual)
        return self.chain.displacements({name: T @ u for name, T in self.T.items()}, self.last @ u)

    def margins(self) -> SX:
        """As of the recursion."""
        return self.kkt.margins()


def _any(rotors: Mapping[str, SX], name: str) -> bool:
    return name in rotors and not rotors[name].is_zero()


def _factors(D: SX) -> tuple[SX, SX]:
    """L D Lᵀ of a small positive definite matrix."""
    n = D.shape[0]
    if not n:
        return SX(0, 1), SX(0, 0)
    d, LT, _ = ca.ldl(ca.densify(D), False)
    return ca.vec(d), LT.T + SX.eye(n)


def _forward(L: SX, b: SX) -> SX:
    return ca.solve(L, ca.densify(b)) if L.shape[0] > 1 else b


def _backward(L: SX, b: SX) -> SX:
    return ca.solve(L.T, ca.densify(b)) if L.shape[0] > 1 else b
