"""What may touch, lift off, stick and slide: the contract of rigid contacts, and what is left of them in equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from linkwork.core.component import Component, Marker, View
from linkwork.geometry import SX, Number


@dataclass(frozen=True)
class Place:
    """One place of contact as a component describes it through a view.

    gap [m]: ≥ 0, its gradient is the direction of the normal force; None: always closed (dry friction in a joint).
    slip [m/s or rad/s]: relative speeds across it, none, one or two; what friction works against.
    press [N or N·m]: given normal force, where there is no gap.
    friction, static: coefficients of sliding and of sticking friction; restitution: share of the speed that returns.
    rest [m/s]: rebounds slower than this end the bouncing; noise [N or N·m]: forces that count as none in a
    mechanism of 1 m.
    """

    name: str
    gap: SX | None
    slip: SX
    friction: Number = 0.0
    static: Number = 0.0
    restitution: Number = 0.0
    rest: Number = 1e-5
    noise: Number = 1e-9
    press: Number = 0.0
    units: tuple[str, str] = ("N", "m/s")
    """Of friction and slip."""
    bound: tuple[Number, Number] = (0.0, 0.0)
    """Rate of the gap at most [m/s], and a way [m] on which nothing is passed over; 0: not known."""
    directions: Mapping[str, SX] = field(default_factory=dict)
    """By name: share of friction along each slip in a direction of its own ("ahead", "aside")."""


class Unilateral(Component):
    """Anything with places that open and close, stick and slide by events.

    To add one: subclass, decorate with `@component`, and return its places, written in the frames of the view.
    """

    def places(self, view: View) -> list[Place]:
        raise NotImplementedError

    def markers(self) -> tuple[Marker, ...]:
        """The frames it works between, if it does."""
        return ()


@dataclass(frozen=True)
class Contact:
    """A place in the states of a formulation: what its gap and slip are, and the symbols of its forces."""

    name: str
    gap: SX
    """[m]; empty where there is none."""
    speed: SX
    """Rate of the gap [m/s]."""
    slip: SX
    normal: SX
    """Force that keeps the gap from closing further [N], a symbol; an expression where there is no gap."""
    tangential: SX
    """Friction along `slip` [N], symbols."""
    friction: SX
    static: SX
    restitution: SX
    rest: SX
    noise: SX
    bound: SX
    """Rate of the gap at most [m/s], and a way [m] on which nothing is passed over."""
    units: tuple[str, str] = ("N", "m/s")
    owner: str = ""
    """The component that has this place among others."""
    directions: Mapping[str, SX] = field(default_factory=dict)
    """As of a place."""

    @property
    def opens(self) -> bool:
        return bool(self.gap.numel())


@dataclass(frozen=True)
class Mode:
    """Where the mode of a contact is among the states y: 1 closed, 1 stuck, direction in which it slides."""

    closed: int | None
    stuck: int | None
    direction: tuple[int, ...]
    normal: int | None
    """Its rows among those of all contacts."""
    tangential: tuple[int, ...]


@dataclass(frozen=True)
class Closure:
    """What modes add to the equations:  M v̇ + Bᵀλ = f,  A v̇ + C λ = γ.

    Rows of A that are not closed, or not stuck, are empty; C then says what their multiplier is: 0, or friction.
    """

    pull: SX
    """B, all rows whatever their mode."""
    speeds: SX
    """Jacobian of the contacts' own rows, whatever their mode: gaps' rates, then slips."""
    slack: SX
    """C."""
    joints: list[int]
    contacts: list[int]
    """Rows of each kind."""
    drift: SX
    """γ of the contacts' rows, whatever their mode."""
    modes: list[Mode] = field(default_factory=list)
