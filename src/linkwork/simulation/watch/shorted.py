"""Ideal switches that short what holds a voltage: their current would have no end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.components.drives.electrics import Capacitor, ElectricTwoPort, IdealDiode, Switch, VoltageSource
from linkwork.components.wiring.connections import Connection
from linkwork.core.port import ELECTRIC, Port
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


def shorted(model: Model, capacitor: str) -> tuple[str, list[str]] | None:
    """(ideal switch, what it shorts) in a ring without resistance through this capacitor; None: there is no such."""
    store = next((c for c in model.of_type(Capacitor) if c.name == capacitor), None)
    if store is None:
        return None
    node = _nodes(model)
    ideal = [c for c in model.of_type(ElectricTwoPort) if _is_ideal(c)]
    holding = [c for c in model.of_type(ElectricTwoPort) if isinstance(c, (Capacitor, VoltageSource))]
    for through in ([*ideal], [*ideal, *holding]):  # first what shorts it alone
        ring = _ring(store, [c for c in through if c is not store], node)
        switches = [c.name for c in ring if _is_ideal(c)]
        if switches:
            others = [c.name for c in ring if c.name not in switches]
            return switches[0], [capacitor, *others, *switches[1:]]
    return None


def _is_ideal(c: ElectricTwoPort) -> bool:
    """Whether it may lead without any resistance."""
    return isinstance(c, (Switch, IdealDiode)) and SX(c.on).is_zero()


def _nodes(model: Model) -> dict[Port, Port]:
    """By port: one of those that it is joined to."""
    nearer = {port: port for c in model.of_type(ElectricTwoPort) for port in (c.p, c.n)}

    def root(port: Port) -> Port:
        while nearer.setdefault(port, port) is not port:
            port = nearer[port]
        return port

    for connection in model.of_type(Connection):
        joined = [port for port in connection.joined if port.domain is ELECTRIC]
        for port in joined[1:]:
            nearer[root(port)] = root(joined[0])
    return {port: root(port) for port in list(nearer)}


def _ring(store: ElectricTwoPort, others: list[ElectricTwoPort], node: dict[Port, Port]) -> list[ElectricTwoPort]:
    """The shortest way back from the end of a component to its beginning, through others; none: empty."""
    ways: dict[Port, list[ElectricTwoPort]] = {node[store.n]: []}
    waiting = [node[store.n]]
    for here in waiting:
        for c in others:
            for near, far in ((node[c.p], node[c.n]), (node[c.n], node[c.p])):
                if near is here and far not in ways:
                    ways[far] = [*ways[here], c]
                    waiting.append(far)
    return ways.get(node[store.p], [])
