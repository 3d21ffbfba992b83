"""Networks in which nothing fixes a potential: a circuit without earth, oil without a tank, a shaft held nowhere."""

from __future__ import annotations

import casadi as ca

from linkwork.components.wiring.connections import Flange
from linkwork.core.errors import ModelError
from linkwork.core.port import Port, PortComponent
from linkwork.geometry import SX

WORDS = {"v": "voltage", "p": "pressure", "T": "temperature"}
REMEDY = {
    "electric": "Connect a m.earth(…) to one of its ports.",
    "hydraulic": "Connect a m.tank(…), a pressure source or a chamber.",
    "thermal": "Connect a heat capacity or a temperature source.",
    "rotational": "Connect a m.shaft_inertia(…), a m.shaft_fixed(…) or a joint's angle.",
    "translational": "Connect a m.slide_mass(…), a m.slide_fixed(…) or a joint's slide.",
}


def refuse_floating(nodes: list[list[Port]], equations: dict[PortComponent, list[SX]]) -> None:
    """Raise for ports whose potentials could all be shifted by the same amount without any equation noticing."""
    cluster = {port: k for k, node in enumerate(nodes) for port in node}
    parent = list(range(len(nodes)))

    def root(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    anchored: set[int] = set()
    for component, residuals in equations.items():
        for group, notices in _groups(component, residuals):
            first = cluster[group[0]]
            for port in group[1:]:
                parent[root(cluster[port])] = root(first)
            if notices:
                anchored.add(first)
    anchored |= {k for k, node in enumerate(nodes) if any(isinstance(p, Flange) for p in node)}
    held = {root(k) for k in anchored}
    for k, node in enumerate(nodes):
        domain = node[0].domain
        if not domain.flow or root(k) in held:
            continue
        ports = [p for j, other in enumerate(nodes) if root(j) == root(k) for p in other]
        names = list(dict.fromkeys(p.owner.name for p in ports))
        raise ModelError(
            f"nothing fixes the {WORDS.get(domain.potential, domain.potential)} of"
            f" {', '.join(p.name for p in ports)}: only differences are determined.",
            component=", ".join(names),
            remedy=REMEDY.get(domain.name, "Connect something that does."),
        )


def _groups(component: PortComponent, residuals: list[SX]) -> list[tuple[list[Port], bool]]:
    """Ports of one domain that its equations tie together, and whether a common shift of them is noticed.

    A port in no equation stands alone, unnoticed.
    """
    noticed: list[tuple[list[Port], bool]] = []
    ports = [p for p in component.ports.values() if isinstance(p, Port) and p.domain.flow]
    present = [{s.element_hash() for s in ca.symvar(r)} for r in residuals]
    chains = {p: {s.element_hash() for s in p.quantities[0].chain} for p in ports}
    for kind in dict.fromkeys(p.domain.name for p in ports):
        groups = [[p] for p in ports if p.domain.name == kind]
        for used in present:
            coupled = [g for g in groups if any(chains[p] & used for p in g)]
            if len(coupled) > 1:
                groups = [g for g in groups if g not in coupled] + [[p for g in coupled for p in g]]
        for group in groups:
            mine = set().union(*(chains[p] for p in group))
            concerned = (r for r, used in zip(residuals, present, strict=True) if mine & used)
            noticed.append((group, any(_notices(r, group) for r in concerned)))
    return noticed


def _notices(residual: SX, ports: list[Port]) -> bool:
    """Whether a shift of the ports' potentials, or of a derivative of them, changes a residual."""
    deepest = max(len(p.quantities[0].chain) for p in ports)
    for k in range(deepest):
        chain = [p.quantities[0].chain[k] for p in ports if len(p.quantities[0].chain) > k]
        # Forward, so that what depends on differences alone cancels at once, however nonlinear it is in them.
        slope: SX = ca.jtimes(residual, ca.vertcat(*chain), SX.ones(len(chain), 1))
        if not ca.simplify(slope).is_zero():
            return True
    return False
