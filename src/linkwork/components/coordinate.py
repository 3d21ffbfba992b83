"""A scalar that moves: it has a start value, a rate, and laws that act on it (ACA's complementarity rule)."""

from __future__ import annotations

import warnings
from typing import Any, Self

from linkwork.components.laws import Free, Law, Motion
from linkwork.core.errors import LinkworkWarning, ModelError
from linkwork.core.kinds import quantity, seem_degrees
from linkwork.geometry import Number

start = quantity.saying("Give a finite number.")


def check_start(name: str, given: object) -> Number:
    """A start value is a finite number, or an expression of parameters."""
    return start.taken("starts at", given, name)


class Coordinate:
    """What coordinates of joints and generalised coordinates have in common."""

    name: str
    unit: str
    turns: bool
    """Whether full turns must be counted, because the pose itself does not tell them."""

    def __init__(self) -> None:
        self.laws: tuple[Law, ...] = ()
        self.value: Number | None = None
        self.speed: Number | None = None

    @property
    def owner(self) -> Any:
        """The component it belongs to."""
        raise NotImplementedError

    @property
    def is_angle(self) -> bool:
        return self.unit == "rad"

    @property
    def effort_unit(self) -> str:
        return "N·m" if self.is_angle else "N"

    def touched(self) -> None:
        """Tell the model that it has changed."""
        if self.owner.model is not None:
            self.owner.model.changed()

    def said(self) -> tuple[tuple[Law, ...], Number | None, Number | None]:
        """Laws, start value and start rate."""
        return self.laws, self.value, self.speed

    @property
    def motion(self) -> Motion | None:
        return next((law for law in self.laws if isinstance(law, Motion)), None)

    def law(self, law: Law) -> Self:
        """Add a law. Efforts add up; a second motion is refused, as it would prescribe the flow twice."""
        if not isinstance(law, Law):
            raise ModelError(
                f"{law!r} is not a law.", component=self.name, remedy="Give lw.Spring(…), lw.Damper(…), lw.Effort(…)…"
            )
        if getattr(type(law).effort, "__isabstractmethod__", False):
            raise ModelError(
                f"the law {type(law).__name__} has no effort.",
                component=self.name,
                remedy="Write its method effort(self, t, x, v).",
            )
        if isinstance(law, Motion) and self.motion is not None:
            raise ModelError(
                "the motion is prescribed twice.",
                component=self.name,
                remedy="Exactly one of flow or effort can be given per free direction: remove one Motion.",
            )
        if isinstance(law, Free):
            self.laws = ()
        else:
            self.laws = (*self.laws, law)
            law._changed = (*law._changed, self.touched)
        self.touched()
        return self

    def start(self, value: Number | None = None, *, rate: Number | None = None) -> Self:
        """Start value [m or rad] and rate; both are met exactly, or assembly says why not."""
        value, rate = (None if given is None else check_start(self.name, given) for given in (value, rate))
        if self.is_angle and seem_degrees(value):
            warnings.warn(
                LinkworkWarning(f"{self.name} starts at {value:g} rad; {value:g}° is written {value:g} * lw.deg."),
                stacklevel=2,
            )
        if value is not None:
            self.value = value
        if rate is not None:
            self.speed = rate
        self.touched()
        return self

    def __repr__(self) -> str:
        return f"<coordinate {self.name} [{self.unit}]>"
