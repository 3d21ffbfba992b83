"""Connecting ports: potentials become equal, flows sum up to zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.components.coordinate import Coordinate
from linkwork.core.component import Component, full_name
from linkwork.core.errors import ModelError
from linkwork.core.port import ROTATIONAL, TRANSLATIONAL, FramePort, Port, PortComponent
from linkwork.core.registry import verb

if TYPE_CHECKING:
    from linkwork.core.model import Model


class Flange(Port):
    """A coordinate of the mechanism as a port: its value is the potential, the effort on it the flow."""

    def __init__(self, coordinate: Coordinate):
        self.coordinate = coordinate
        super().__init__(coordinate.owner, "", ROTATIONAL if coordinate.is_angle else TRANSLATIONAL)

    @property
    def name(self) -> str:
        return self.__dict__["coordinate"].name


class Connection(Component):
    """Ports that are joined in one node."""

    word = "connection"

    def __init__(self, name: str, ports: list[Port]):
        super().__init__(name)
        self.joined = ports


@verb
def connect(model: Model, *ends: Port | PortComponent | Coordinate) -> Connection:
    """Join ports, all of one kind: electric with electric, a flange with `O.angle`, an output with inputs.

    A component with a single port stands for it; coordinates of joints are flanges.
    """
    if len(ends) < 2:
        raise ModelError("one end only.", component="connect", remedy="Give two or more ports.")
    ports = [port_of(end) for end in ends]
    for port in ports:
        if port.owner.model is not model:
            raise ModelError(
                "belongs to no model or to another one.", component=port.name, remedy="Add it to this model first."
            )
    domains = {port.domain.name: port for port in ports}
    if len(domains) > 1:
        named = ", ".join(f"{port.name} is {kind}" for kind, port in domains.items())
        raise ModelError(
            f"ports of different kinds cannot be joined: {named}.",
            component=ports[0].name,
            remedy="Put a component between that has both kinds of ports, such as a motor or a cylinder.",
        )
    numbers = (k for k in range(1, 10**6) if full_name(f"connection{k}") not in model.components)
    made: Connection = model.add(Connection(f"connection{next(numbers)}", ports))
    return made


class SeveralPorts(ModelError):
    """A component that stands for none of its ports alone."""


def port_of(end: object) -> Port:
    """The port that something stands for."""
    if isinstance(end, Port):
        return end
    if isinstance(end, Coordinate):
        return Flange(end)
    if isinstance(end, FramePort):
        raise ModelError(
            "a frame port sits on its body already.",
            component=end.name,
            remedy="Give the component another frame, `body.at(…)`.",
        )
    if isinstance(end, PortComponent):
        ports = [p for p in end.ports.values() if isinstance(p, Port)]
        if len(ports) == 1:
            return ports[0]
        names = ", ".join(p.name for p in ports) or "no port at all"
        raise SeveralPorts(f"has {len(ports)} ports.", component=end.name, remedy=f"Say which: {names}.")
    raise ModelError(f"{end!r} is no port.", component="connect", remedy="Give `component.port` or `joint.angle`.")
