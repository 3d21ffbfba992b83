"""The same random network as a model with ports and as a bond graph; what each of them says at the start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.graph_equations import graph_equations
from linkwork.formulations.flattening import flatten
from linkwork.formulations.network import numbers_of, solve_system
from linkwork.geometry import SX
from linkwork.structure.system import System

from .agreement import Interpreted
from .networks import OFF, ON, Ambiguous, Branch, Network, Nodal, solve

ZERO = 1e-25
"""What is smaller in the exact solution is what its refinement has left of nothing."""
KINDS = {"electric": "RRRRLLCCVVIISST", "hydraulic": "RRRRRLLCCVI", "thermal": "GGGGGCCVI"}


def sample(rng: np.random.Generator, domain: str, decades: float, kinds: str | None = None) -> Network:
    """Two to seven nodes, values over so many decades; tried until it has one solution."""
    kinds = kinds or KINDS[domain]
    while True:
        nodes = int(rng.integers(2, 8))
        pairs = [(int(rng.integers(0, k)), k) for k in range(1, nodes)]
        while len(pairs) < nodes or any(sum(k in p for p in pairs) < 2 for k in range(1, nodes)) or rng.random() < 0.6:
            a, b = rng.choice(nodes, 2, replace=False)
            pairs.append((int(a), int(b)))
        net = Network(nodes, [], domain)
        for n, (a, b) in enumerate(pairs):
            kind = str(rng.choice(list(kinds)))
            if domain != "electric" and kind in "CVI" and 0 not in (a, b) and (kind != "I" or domain == "thermal"):
                kind = kinds[0]
            if domain != "electric" and kind in "CVI" and b == 0:
                a, b = b, a  # towards the ground: branch from the node
            if domain != "electric" and kind in "CVI":
                a, b = max(a, b), min(a, b)
            if rng.random() < 0.5 and domain == "electric":
                a, b = b, a
            made = _branch(rng, f"{kind}{n}", kind, (a, b), nodes, decades)
            if domain == "thermal" and kind in "VC":  # kelvins
                made = replace(made, value=abs(made.value), start=abs(made.start))
            net.branches.append(made)
        try:
            net.exact = solve(net)
        except Ambiguous:
            continue
        return net


def _branch(
    rng: np.random.Generator, name: str, kind: str, ends: tuple[int, int], nodes: int, decades: float
) -> Branch:
    value = float(10 ** rng.uniform(-decades / 2, decades / 2))
    if kind == "S":
        return Branch(name, kind, ends, float(rng.integers(0, 2)))
    if kind == "T":
        c, d = (int(k) for k in rng.choice(nodes, 2, replace=False))
        return Branch(name, kind, (*ends, c, d), float(10 ** rng.uniform(-1, 1)))
    if kind in "VI":
        return Branch(name, kind, ends, float(rng.normal()), rate=float(rng.normal()))
    return Branch(name, kind, ends, value, start=float(rng.normal()) if kind in "LC" else 0.0)


def _source(b: Branch, sign: int) -> Callable[[SX], SX]:
    return lambda t: sign * (b.value + b.rate * t)


def _temperature(net: Network, b: Branch) -> float:
    """Where a heat capacity starts; where others determine that, as they say."""
    return sum(s * (x.value if x.kind == "V" else x.start) for s, x in net.excess.get(b.name, [(1, b)]))


def _ports(m: lw.Model, net: Network, b: Branch, named: bool) -> list[Any]:
    """Ports of a new component for a branch, in the order of its ends; the ground's are left out where it has none."""
    value = m.parameter(f"of-{b.name}", b.value) if named and b.kind in "RLCTG" else b.value
    given, taken, start = _source(b, 1), _source(b, -1), None if b.name in net.excess else b.start
    if net.domain == "electric":
        electric = {
            "R": lambda: m.resistor(b.name, resistance=value),
            "L": lambda: m.inductor(b.name, inductance=value, current=start),
            "C": lambda: m.capacitor(b.name, capacitance=value, voltage=start),
            "V": lambda: m.voltage_source(b.name, given),
            "I": lambda: m.current_source(b.name, taken),
            "D": lambda: m.ideal_diode(b.name, on=ON, off=OFF),
            "S": lambda: m.switch(b.name, closed=b.value, on=0.0, off=float("inf")),
            "T": lambda: m.transformer(b.name, ratio=value),
        }
        made = electric[b.kind]()
        return [made.p1, made.n1, made.p2, made.n2] if b.kind == "T" else [made.p, made.n]
    if net.domain == "hydraulic":
        hydraulic = {
            "R": lambda: m.hydraulic_line(b.name, resistance=value),
            "L": lambda: m.hydraulic_line(b.name, inertance=value, flow=start),
            "C": lambda: m.chamber(b.name, volume=value, bulk_modulus=1.0, pressure=start),
            "V": lambda: m.pressure_source(b.name, given),
            "I": lambda: m.flow_source(b.name, given),
        }
        made = hydraulic[b.kind]()
        return [made.a, made.b] if b.kind in "RLI" else [made.a]
    thermal = {
        "G": lambda: m.heat_conductor(b.name, conductance=value),
        "C": lambda: m.heat_capacity(b.name, capacity=value, temperature=_temperature(net, b)),
        "V": lambda: m.temperature_source(b.name, given),
        "I": lambda: m.heat_source(b.name, taken),
    }
    made = thermal[b.kind]()
    return [made.a, made.b] if b.kind == "G" else [made.a]


def model_of(net: Network, named: bool = False) -> lw.Model:
    """By components with ports; named: whose values are parameters."""
    m = lw.Model("network")
    grounds = {
        "electric": lambda: m.earth("zero").p,
        "hydraulic": lambda: m.tank("zero").a,
        "thermal": lambda: m.temperature_source("zero", 0.0).a,
    }
    nodes: list[list[Any]] = [[] for _ in range(net.nodes)]
    for b in net.branches:
        for port, node in zip(_ports(m, net, b, named), b.ends, strict=False):
            nodes[node].append(port)
    nodes[0].append(grounds[net.domain]())
    for joined in nodes:
        if len(joined) > 1:
            m.connect(*joined)
    return m


def by_assembly(net: Network) -> Nodal:
    """What the model says at the start, after states that nonlinear equations determine were found."""
    at = {name: float(x[0]) for name, x in Interpreted.of(model_of(net), "absolute").at_start().items()}
    return _by_ports(net, at)


def by_parameters(net: Network) -> Nodal:
    """The same where all values are parameters."""
    return by_model(net, named=True)


def by_model(net: Network, named: bool = False) -> Nodal:
    """What the model says at the start."""
    m = model_of(net, named)
    flat = flatten(m)
    system = System(list(flat.unknowns), flat.equations)
    system.move(m.t, SX(1))
    unknowns = list(flat.unknowns)
    solution = solve_system(flat, system, [], numbers=numbers_of(m))[0].solution
    values = ca.vertcat(*solution.resolved([x.symbol for x in unknowns]))
    states = ca.vertcat(SX(0, 1), *(s for _, s, _, _ in solution.states))
    parameters = ca.vertcat(SX(0, 1), *m.symbols(m.parameters))
    f = ca.Function("out", [m.t, states, parameters], [ca.densify(values)])
    start = [float(x) for *_, x in solution.states]
    said = f(0.0, start, list(m.parameters.values()))
    at = dict(zip((x.name for x in unknowns), np.array(said).ravel(), strict=True))
    return _by_ports(net, at)


def _by_ports(net: Network, at: dict[str, float]) -> Nodal:
    voltage, current = {}, {}
    first, flow = {"electric": ("p", "i"), "hydraulic": ("a", "q"), "thermal": ("a", "heat")}[net.domain]
    second, potential = ("n" if first == "p" else "b"), {"i": "v", "q": "p", "heat": "T"}[flow]
    for b in net.branches:
        if b.kind == "T":
            for side, key in (("1", b.name), ("2", f"{b.name}.2")):
                voltage[key] = at[f"{b.name}.p{side}.v"] - at[f"{b.name}.n{side}.v"]
                current[key] = at[f"{b.name}.p{side}.i"]
            continue
        other = at.get(f"{b.name}.{second}.{potential}", 0.0)
        voltage[b.name] = at[f"{b.name}.{first}.{potential}"] - other
        current[b.name] = at[f"{b.name}.{first}.{flow}"]
    return Nodal([], voltage, current)


def graph_of(net: Network) -> BondGraph:
    """A 0-junction for each node, a 1-junction for each branch between two."""
    g = BondGraph("network")
    for k in range(1, net.nodes):
        g.zero(f"n{k}")

    for b in net.branches:
        if b.kind == "T":
            one, two = g.one(f"{b.name}_1"), g.one(f"{b.name}_2")
            for junction, (x, y) in ((one, b.ends[:2]), (two, b.ends[:1:-1])):
                if x:
                    g.bond(f"n{x}", junction)
                if y:
                    g.bond(junction, f"n{y}")
            # f₂ = m f₁ leaves at the second port, where it goes from d to c
            g.chain(one, g.TF(b.name, 1 / b.value), two)
            continue
        a, c = b.ends
        at = g[f"n{a}"] if c == 0 else g.one(f"{b.name}_at")
        if c:
            if a:
                g.bond(f"n{a}", at)
            g.bond(at, f"n{c}")
        value = b.value + b.rate * g.t
        start = 0.0 if b.name in net.excess else b.start
        if b.kind in "RG":
            element = g.R(b.name, b.value if b.kind == "R" else 1 / b.value)
        elif b.kind == "L":
            element = g.I(b.name, b.value, start=start)
        elif b.kind == "C":
            element = g.C(b.name, compliance=b.value, start=start * b.value)
        elif b.kind == "V":
            element = g.Se(b.name, value)
        elif b.kind == "I":
            element = g.Sf(b.name, value)
        elif b.kind == "S":
            element = g.Se(b.name, 0.0) if b.value else g.Sf(b.name, 0.0)
        g.bond(at, element)
    return g


def by_graph(net: Network) -> Nodal:
    """What the bond graph says at the start."""
    g = graph_of(net)
    eq, states = graph_equations(g)
    y = np.concatenate([states.start(np.zeros(0)), np.zeros(eq.layout.y - states.x.numel())])
    f = ca.Function(
        "out", [eq.t, eq.y, eq.p], [ca.densify(ca.vertcat(*(x for _, x in eq.observation.outputs.values())))]
    )
    at = dict(zip(eq.observation.outputs, np.array(f(0.0, y, np.zeros(0))).ravel(), strict=True))
    voltage, current = {}, {}
    for b in net.branches:
        if b.kind == "T":
            voltage[b.name], current[b.name] = at[f"{b.name}.port1.effort"], at[f"{b.name}.port1.flow"]
            voltage[f"{b.name}.2"], current[f"{b.name}.2"] = at[f"{b.name}.port2.effort"], at[f"{b.name}.port2.flow"]
            continue
        voltage[b.name], current[b.name] = at[f"{b.name}.effort"], at[f"{b.name}.flow"]
    return Nodal([], voltage, current)


def deviation(net: Network, got: Nodal) -> float:
    """The largest error: of voltages, of the largest potential; of currents, of the largest current that meets them.

    More cannot be asked: potentials are numbers of 16 digits that count from the ground, so that a difference of two is
    known to some ε of the largest, and a current through a conductance g to ε g of it. That much is let pass.
    """
    exact = net.exact
    assert exact is not None
    top = max(ZERO, *(abs(x) for x in (*exact.potential, *exact.voltage.values())))
    sides = [(b.name, b.ends[:2]) for b in net.branches]
    sides += [(f"{b.name}.2", b.ends[2:]) for b in net.branches if b.kind == "T"]
    at_node = dict.fromkeys(range(net.nodes), 0.0)
    for key, ends in sides:
        for node in ends:
            at_node[node] = max(at_node[node], abs(exact.current[key]))
    least = max(ZERO, 1e-3 * max(at_node.values()))
    conductances = (b.value if b.kind == "G" else 1 / b.value for b in net.branches if b.kind in "RG")
    rounding = 4 * np.finfo(float).eps * top * max(conductances, default=0.0)
    worst = 0.0
    for key, ends in sides:
        voltage, current = abs(got.voltage[key] - exact.voltage[key]), abs(got.current[key] - exact.current[key])
        shares = voltage / top, max(current - rounding, 0.0) / max(least, *(at_node[k] for k in ends))
        if np.isnan(voltage + current):
            return np.nan
        worst = max(worst, *shares)
    return float(worst)
