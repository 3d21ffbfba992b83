"""Types of what components are given, for their signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

from linkwork.components.bodies import Solid
from linkwork.components.coordinate import Coordinate
from linkwork.core.component import Marker
from linkwork.core.port import Port, PortComponent
from linkwork.geometry import SX, Number

Place: TypeAlias = Marker | Solid
"""A frame, or a body: the frame at its mass centre."""
Course: TypeAlias = Number | Callable[[SX], Number]
"""A number or expression, or a function of t."""
Source: TypeAlias = Course | Port | PortComponent
"""A signal: a number, expression, function of t or table; an output, or a component with one."""
End: TypeAlias = Annotated[
    Port | PortComponent | Coordinate | None,
    "what its port of this name is joined to: a port, a coordinate, or a component with one port; None: done later",
]
"""What a port is joined to."""
Signal: TypeAlias = Annotated[
    Source | None, "a number, expression, function of t, table or signal; None: a port that is connected later"
]
