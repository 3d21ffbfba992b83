"""Connecting ports: potentials become equal, flows sum up to zero."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from linkwork.components.bodies import Solid
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import JointPort
from linkwork.core.component import Component, Marker, full_name
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


class Attachment(Component):
    """A frame of a body with the mechanical ports that sit on it."""

    word = "connection"

    def __init__(self, name: str, frame: Marker, ports: list[JointPort | FramePort]):
        super().__init__(name)
        self.frame, self.joined = frame, ports


@verb
def connect(
    model: Model, *ends: Port | PortComponent | Coordinate | JointPort | FramePort | Marker | Solid
) -> Connection | Attachment:
    """Join ports, all of one kind: electric with electric, a flange with `O.angle`, an output with inputs.

    A component with a single port stands for it; coordinates of joints are flanges. Mechanical ports (`A.port_a` of a
    joint, `self.frame("a")` of a component of your own) go to one frame of a body: `rod.at(0.5, 0)` or `rod.port`.
    """
    if len(ends) < 2:
        raise ModelError("one end only.", component="connect", remedy="Give two or more ports.")
    if any(isinstance(end, (Marker, Solid, JointPort, FramePort)) for end in ends):
        return _attached(model, *ends)
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
    made: Connection = model.add(Connection(_free_name(model), ports))
    return made


def _free_name(model: Model) -> str:
    return next(name for k in count(1) if full_name(name := f"connection{k}") not in model.components)


def _attached(model: Model, *ends: object) -> Attachment:
    """Let mechanical ports sit on a frame of a body."""
    frames = [end.at() if isinstance(end, Solid) else end for end in ends if isinstance(end, (Marker, Solid))]
    ports = [end for end in ends if isinstance(end, (JointPort, FramePort))]
    for end in ends:
        if not isinstance(end, (Marker, Solid, JointPort, FramePort)):
            raise ModelError(
                f"{getattr(end, 'name', end)} is not a mechanical port, as the others are.",
                component="connect",
                remedy="Join frames of bodies with ports of joints; coordinates (`O.angle`) with flanges.",
            )
    if len(frames) != 1:
        names = ", ".join(port.name for port in ports) or "connect"
        raise ModelError(
            f"{len(frames)} frames of bodies.",
            component=names,
            remedy="Give one. Where two joints meet, put a body between (its mass may be 0); two frames of bodies are "
            "held together by m.fixed(…).",
        )
    (frame,) = frames
    for owner in (frame.body, *(port.owner for port in ports)):
        if owner.model is not model:
            raise ModelError(
                "belongs to no model or to another one.", component=owner.name, remedy="Add it to this model first."
            )
    for port in ports:
        port.join(frame)
    made: Attachment = model.add(Attachment(_free_name(model), frame, ports))
    return made


class SeveralPorts(ModelError):
    """A component that stands for none of its ports alone."""


def port_of(end: object) -> Port:
    """The port that something stands for."""
    if isinstance(end, Port):
        return end
    if isinstance(end, Coordinate):
        return Flange(end)
    if isinstance(end, PortComponent):
        ports = [p for p in end.ports.values() if isinstance(p, Port)]
        if len(ports) == 1:
            return ports[0]
        names = ", ".join(p.name for p in ports) or "no port at all"
        raise SeveralPorts(f"has {len(ports)} ports.", component=end.name, remedy=f"Say which: {names}.")
    raise ModelError(f"{end!r} is not a port.", component="connect", remedy="Give `component.port` or `joint.angle`.")
