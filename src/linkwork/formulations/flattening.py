"""Ports and connections of a model, flattened into one set of implicit equations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, TypeVar

import casadi as ca

from linkwork.components.coordinate import Coordinate
from linkwork.components.wiring.connections import Connection, Flange
from linkwork.core.errors import LinkworkError, ModelError
from linkwork.core.port import FramePort, Port, PortComponent, Quantity
from linkwork.formulations.floating import refuse_floating
from linkwork.geometry import SX
from linkwork.structure.system import Equation, parts

if TYPE_CHECKING:
    from linkwork.core.model import Model

COMPARISONS = (ca.OP_EQ, ca.OP_NE, ca.OP_LT, ca.OP_LE)

T = TypeVar("T")


@dataclass
class Flat:
    """Unknowns and equations of all components with ports, and where they touch the mechanism."""

    components: list[PortComponent]
    unknowns: list[Quantity] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    flanges: dict[Coordinate, list[Quantity]] = field(default_factory=dict)
    """By coordinate: its value, and the effort on it, as quantities."""
    frames: list[FramePort] = field(default_factory=list)
    nodes: list[list[Port]] = field(default_factory=list)
    """Ports that are connected to each other."""


def flatten(model: Model) -> Flat:
    flat = Flat(model.of_type(PortComponent))
    own: list[Equation] = []
    by_component: dict[PortComponent, list[SX]] = {}
    for c in flat.components:
        equations = by_component[c] = _equations(c)
        _check_balance(c, len(equations))
        _observe(c)
        flat.unknowns += c.quantities()
        own += [Equation(c.name, f"equation {k + 1}", e) for k, e in enumerate(equations)]
        flat.frames += [p for p in c.ports.values() if isinstance(p, FramePort)]
    flat.nodes = _nodes(model, flat.components)
    for node in flat.nodes:
        _join(flat, node)
    refuse_floating(flat.nodes, by_component)
    flat.equations += own  # after what connections say, so that a component is named where both say too much
    return flat


def _equations(c: PortComponent) -> list[SX]:
    """One by one; those that vanish identically (in the plane) are left out."""
    written = _written(c, "equations", c.equations)
    if isinstance(written, (SX, type(None))):
        raise ModelError(
            "its `equations` return no list.", component=c.name, remedy="Return [expression, …], one for each equation."
        )
    scalars = _written(c, "equations", lambda: [x for e in written for x in parts(e)])
    residuals = [x for x in scalars if not (x.is_constant() and float(x) == 0)]
    for e in residuals:
        if any(e.is_op(k) for k in COMPARISONS):
            raise ModelError(
                f"{e} is a comparison, no equation.", component=c.name, remedy="Write a - b where a is to equal b."
            )
    if _has_nan(ca.vertcat(SX(0, 1), *residuals)):
        raise ModelError(
            "something in its equations is not a number (nan).",
            component=c.name,
            remedy="Check the numbers it was given; functions use lw.sin and the like, not math.sin.",
        )
    return residuals


def _written(c: PortComponent, what: str, write: Callable[[], T]) -> T:
    """What a component says of itself, or whose fault it is that it cannot."""
    try:
        return write()
    except LinkworkError:
        raise
    except NotImplementedError as error:
        if str(error):
            raise _failed(c, what, error) from error
        raise ModelError(f"it has no `{what}`.", component=c.name, remedy=f"Write its method `{what}`.") from error
    except Exception as error:
        raise _failed(c, what, error) from error


def _failed(c: PortComponent, what: str, error: Exception) -> ModelError:
    return ModelError(
        f"its {what} failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}.",
        component=c.name,
        remedy="They are called once with symbols: use lw.sin, lw.if_else and so on, no Python `if` on values.",
    )


def _has_nan(x: SX) -> bool:
    """Whether a constant in an expression is no number."""
    f = ca.Function("f", ca.symvar(x), [x])
    constants = (k for k in range(f.n_instructions()) if f.instruction_id(k) == ca.OP_CONST)
    return any(isnan(f.instruction_constant(k)) for k in constants)


def _observe(c: PortComponent) -> None:
    """Write down once what will be recorded: derivatives that only this asks for must be known to the system too."""
    for port in c.ports.values():
        _ = port.power
    _written(c, "stored and lost", lambda: c.der(SX(c.stored()) + SX(c.lost())))
    _written(c, "channels, {name: (unit, expression)},", lambda: [SX(x) for _, x in c.channels().values()])
    _written(c, "switches, a list,", lambda: [SX(x) for x in c.switches()])


def _check_balance(c: PortComponent, given: int) -> None:
    """One equation for each flow, output and variable (what a port's potential is, others say too)."""
    flows = [q.name for p in c.ports.values() if isinstance(p, Port) for q in p.quantities[1:]]
    wrenches = [q.name for p in c.ports.values() if isinstance(p, FramePort) for q in p.quantities]
    outputs = [p.name for p in c.ports.values() if isinstance(p, Port) and p.output]
    needed = [*flows, *wrenches, *outputs, *(q.name for q in c.variables.values())]
    if given != len(needed):
        off = abs(given - len(needed))
        many = "one equation" if off == 1 else f"{off} equations"
        raise ModelError(
            f"it has {many} too {'many' if given > len(needed) else 'few'}: {given} for"
            f" {', '.join(needed) or 'nothing to determine'}.",
            component=c.name,
            remedy="A component gives one equation for each flow of its ports, each output and each variable.",
        )


def _nodes(model: Model, components: list[PortComponent]) -> list[list[Port]]:
    """Ports that are joined, directly or through others; ports that nothing is joined to stand alone."""
    node_of: dict[Port, list[Port]] = {}
    for c in components:
        for port in c.ports.values():
            if isinstance(port, Port):
                node_of[port] = [port]
    flanges: dict[Coordinate, Port] = {}
    for connection in model.of_type(Connection):
        ends = []
        for port in connection.joined:
            if isinstance(port, Flange):
                port = flanges.setdefault(port.coordinate, port)
                node_of.setdefault(port, [port])
            ends.append(port)
        first = node_of[ends[0]]
        for port in ends[1:]:
            other = node_of[port]
            if other is not first:
                first.extend(other)
                for p in other:
                    node_of[p] = first
    by_id: dict[int, list[Port]] = {id(node): node for node in node_of.values()}
    return list(by_id.values())


def _join(flat: Flat, node: list[Port]) -> None:
    """Equal potentials, flows that sum up to zero."""
    for port in node:
        if isinstance(port, Flange):
            flat.flanges[port.coordinate] = port.quantities
            flat.unknowns += port.quantities
    names = ", ".join(p.name for p in node)
    if not node[0].domain.flow:
        outputs = [p for p in node if p.output]
        if len(outputs) != 1:
            said = "no output determines it" if not outputs else f"{len(outputs)} outputs determine it"
            raise ModelError(
                f"{said} (joined: {names}).",
                component=(outputs or node)[0].name,
                remedy="Connect each input to exactly one output.",
            )
    for port in node[1:]:
        flat.equations.append(Equation(port.name, f"joined to {node[0].name}", node[0].potential - port.potential))
    if node[0].domain.flow:
        total = sum((p.flow for p in node), SX(0))
        text = f"sum of {node[0].domain.flow}" + (f" at {names}" if len(node) > 1 else ", nothing is joined to it")
        flat.equations.append(Equation(node[0].owner.name, text, total))
