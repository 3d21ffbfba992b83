"""What works between a frame of one body and a frame of another: contacts, rolling, tyres."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from linkwork.components.bodies import frame_of
from linkwork.components.given import Place
from linkwork.core.component import Component, Frame, Marker, View
from linkwork.core.errors import ModelError

if TYPE_CHECKING:
    from linkwork.core.model import Model

At: TypeAlias = Annotated[Place, "frame of what touches"]
On: TypeAlias = Annotated[Place | None, "frame of what is touched, the ground's unless given"]


class Between(Component):
    """at: frame of what touches; on: frame of what it touches, the ground's unless given."""

    at: Marker
    on: Marker

    def __init__(self, name: str, at: At, on: On = None):
        super().__init__(name)
        self.at = frame_of(at, name)
        if on is not None:
            self.on = frame_of(on, name)

    def attached(self, model: Model) -> None:
        if "on" not in self.__dict__:
            self.on = model.ground.at()
        if self.at.body is self.on.body:
            raise ModelError("touches its own body.", component=self.name, remedy="Give frames of two bodies.")

    def markers(self) -> tuple[Marker, ...]:
        return self.at, self.on

    def frames(self, view: View) -> tuple[Frame, Frame]:
        return view.frame(self.at), view.frame(self.on)
