"""From a graph's state equations to Equations, which compilers and integrators take.

States are first-order states z. Where efforts enforce flows, the states are in the place of speeds instead, whose
constraints an integrator projects them back to after each step: by the change that needs least kinetic energy.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import Definite
from linkwork.bondgraph.constitutive import matrix
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.graph_channels import Observed, observe
from linkwork.bondgraph.reading.reading import Reading
from linkwork.bondgraph.reading.state_equations import StateEquations, components, state_equations
from linkwork.core.equations import (
    Constraints,
    Deferred,
    Equations,
    Motion,
    Observation,
    Placement,
    Row,
    Start,
    States,
    Symbols,
)
from linkwork.geometry import SX


def graph_equations(graph: BondGraph, method: str = "scap") -> tuple[Equations, StateEquations]:
    """Equations of a graph by itself, and what they were made from. method: how causality is assigned."""
    eq = state_equations(graph, method)
    return equations_of(eq, observe(eq)), eq


def equations_of(eq: StateEquations, recorded: Observed) -> Equations:
    """The equations of states as compilers and integrators take them; recorded: what is recorded."""
    graph = eq.graph
    x, rate = ca.densify(eq.x), ca.densify(eq.rate)
    work = ca.vertcat(SX(0, 1), *(symbol for _, symbol, _ in recorded.integrals))
    work_rate = ca.densify(ca.vertcat(SX(0, 1), *(r for _, _, r in recorded.integrals)))
    kept = ca.vertcat(eq.invariant, eq.position)
    none, held = SX(0, 1), bool(kept.numel())
    jacobian = ca.jacobian(kept, x)
    names = [n.rpartition(".")[0] or n for v in eq.variables for n in components(v.name, v.symbol.numel())]

    def start(placed: Placement) -> np.ndarray:
        return eq.start(placed.parameters) if held else np.zeros(0)

    symbols = Symbols(
        graph.t,
        none,
        x if held else none,
        work if held else ca.vertcat(x, work),
        ca.vertcat(none, *graph.symbols(graph.parameters)),
        ca.vertcat(none, *graph.symbols(graph.inputs)),
        SX.sym("a", x.numel() if held else 0),
        none,
    )
    motion = Motion(
        none,
        SX.eye(x.numel() if held else 0),
        rate if held else none,
        lambda q, _: q,
        zdot=work_rate if held else ca.vertcat(rate, work_rate),
        explicit=True,
    )
    constraints = Constraints(
        none,
        kept,
        jacobian if held else SX(0, 0),
        SX.zeros(kept.numel(), 1),
        [Row(name, "flow") for name in eq.invariant_of] + [Row(name, "position") for name in eq.position_of],
        projected=Deferred(lambda: [none, _projected(eq)]) if held else None,
    )
    observed = Observation(recorded.channels, probes=probes(eq.reading), graph=graph)
    first = 0 if held else x.numel()
    accounts = [first + k for k in range(work.numel())]
    states = States([*names, *(name for name, _, _ in recorded.integrals)], accounts=accounts)
    return Equations(symbols, states, motion, constraints, observed, Start(start))


def probes(reading: Reading) -> dict[str, tuple[str, SX]]:
    """Power, effort and flow of every bond, for after a run."""
    channels: dict[str, tuple[str, SX]] = {}
    for bond in reading.effort:
        channels[f"{bond.name}.power"] = ("W", reading.power(bond))
        for letter, vector in (("e", reading.effort[bond]), ("f", reading.flow[bond])):
            for i in range(bond.size):
                channels[f"{bond.name}.{letter}{i + 1}"] = ("", vector[i])
    return channels


def _projected(eq: StateEquations) -> SX:
    """One Newton step to zero displacements, then one to zero invariants.

    Momenta move as inertias let them, displacements as flows of such momenta would move them, the rest only where it
    must.
    """
    W, momenta = _weights(eq)
    x, invariant = eq.x, eq.invariant
    if eq.position.numel():
        by_momenta = ca.jacobian(eq.rate, x) @ ca.diag(SX(ca.DM([float(m) for m in momenta])))
        moving = by_momenta @ (W @ by_momenta.T)
        keep = SX(ca.DM([float(not m) for m in momenta]))
        moving = ca.diag(keep) @ moving @ ca.diag(keep)
        x = _nearest(x, eq.position, ca.jacobian(eq.position, x), moving)
        x = _unit_rotations(eq, x)
        invariant = ca.substitute(invariant, eq.x, x)
    if not invariant.numel():
        return x
    jacobian = ca.substitute(ca.jacobian(eq.invariant, eq.x), eq.x, x)
    chosen = [i for i, is_momentum in enumerate(momenta) if is_momentum]
    if chosen and ca.sprank(jacobian[:, chosen]) == eq.invariant.numel() or eq.position.numel():
        keep = SX(ca.DM([float(m) for m in momenta]))
        W = ca.diag(keep) @ W @ ca.diag(keep)
    if not eq.graph.of_model:
        toward = W @ jacobian.T
        return x - toward @ ca.solve(ca.densify(jacobian @ toward), invariant)
    return _nearest(x, invariant, jacobian, W)


def _nearest(x: SX, residual: SX, jacobian: SX, W: SX) -> SX:
    """One Newton step to zero residuals, in the metric W⁻¹; some of them may follow from others."""
    toward = W @ jacobian.T
    S = ca.sparsify(ca.triu2symm(ca.triu(jacobian @ toward)))
    return x - toward @ Definite(S).once(residual)


def _unit_rotations(eq: StateEquations, x: SX) -> SX:
    """Signals that are Euler parameters, of unit length again."""
    names = [name for v in eq.variables for name in components(v.name, v.symbol.numel())]
    place = {name: k for k, name in enumerate(names)}
    moved = ca.vertsplit(x)
    for name in place:
        four = [place[n] for k in range(4) if (n := f"{name[:-1]}{k}") in place] if name.endswith(".q0") else []
        if len(four) == 4:
            length = ca.norm_2(x[four])
            for k in four:
                moved[k] = x[k] / length
    return ca.vertcat(*moved)


def _weights(eq: StateEquations) -> tuple[SX, list[bool]]:
    """How easily each state moves, and which are momenta."""
    weights: list[SX] = []
    alike = eq.sizes is not None
    momenta = [False] * eq.x.numel()
    first = 0
    for v in eq.variables:
        n, element = v.symbol.numel(), v.element
        law = getattr(element, "law", None)
        linear = v.kind == "I" and not callable(law) and n == getattr(element, "size", 0)
        weights.append(matrix(law, n) if linear else SX.eye(n))
        for i in range(n):
            momenta[first + i] = v.kind == "I" and not alike
        first += n
    return (ca.diag(SX(ca.DM(eq.sizes**2))) if eq.sizes is not None else ca.diagcat(*weights)), momenta
