"""Building a graph in few words: one line per element, chains of bonds.

Mixed into BondGraph. `at` bonds a one-port to a junction at once: power runs from sources to the junction, and from the
junction to everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypedDict, TypeVar, Unpack

from linkwork.bondgraph import elements
from linkwork.bondgraph.constitutive import Function
from linkwork.core.errors import ModelError
from linkwork.geometry import Number

if TYPE_CHECKING:
    from linkwork.bondgraph.graph import Bond

E = TypeVar("E", bound=elements.Element)
Place: TypeAlias = elements.Element | str | tuple[elements.Element | str, int]
"""Where a bond goes: an element or its name, or (element, port number from 0)."""


class About(TypedDict, total=False):
    """What is said of an element beside its law."""

    group: str
    domain: elements.Domains
    label: str


class Building:
    """`g.R("Ra", 0.5, at=loop)` and the like. about: group, domain, label, as in `g.add`."""

    def add(self, element: E, *, group: str = "", domain: elements.Domains = "", label: str = "") -> E:
        raise NotImplementedError

    def bond(self, a: Place, b: Place, *, size: int | None = None, kind: str = "", name: str = "") -> Bond:
        raise NotImplementedError

    def discard(self, element: elements.Element) -> None:
        raise NotImplementedError

    def one(self, name: str, **about: Unpack[About]) -> elements.Junction:
        """1-junction: one flow, efforts balance."""
        return self.add(elements.Junction(name, 1), **about)

    def zero(self, name: str, **about: Unpack[About]) -> elements.Junction:
        """0-junction: one effort, flows balance."""
        return self.add(elements.Junction(name, 0), **about)

    def Se(
        self, name: str, value: Number, *, at: Place | None = None, size: int = 1, **about: Unpack[About]
    ) -> elements.Se:
        """Effort source."""
        return self._placed(elements.Se(name, value, size), at, about)

    def Sf(
        self, name: str, value: Number, *, at: Place | None = None, size: int = 1, **about: Unpack[About]
    ) -> elements.Sf:
        """Flow source: its bond's flow is `value`."""
        return self._placed(elements.Sf(name, value, size), at, about)

    def MSe(
        self, name: str, value: Number, *, at: Place | None = None, size: int = 1, **about: Unpack[About]
    ) -> elements.MSe:
        """Effort source driven by signals: an expression of inputs, time, signals, or efforts and flows of bonds."""
        return self._placed(elements.MSe(name, value, size), at, about)

    def MSf(
        self, name: str, value: Number, *, at: Place | None = None, size: int = 1, **about: Unpack[About]
    ) -> elements.MSf:
        """Flow source driven by signals."""
        return self._placed(elements.MSf(name, value, size), at, about)

    def constraint(
        self,
        name: str,
        value: Number = 0.0,
        *,
        at: Place | None = None,
        size: int = 1,
        displacement: object = None,
        **about: Unpack[About],
    ) -> elements.Constraint:
        """The effort that makes the flow of its bond equal `value`.

        displacement: an expression of signals whose rate is flow − value; it is kept at zero, too.
        """
        return self._placed(elements.Constraint(name, value, size, displacement=displacement), at, about)

    def R(
        self,
        name: str,
        law: object = None,
        *,
        inverse: Function | None = None,
        at: Place | None = None,
        size: int = 1,
        **about: Unpack[About],
    ) -> elements.R:
        """Resistor: e = law · f, or a function f → e; inverse: a function e → f, beside it or alone."""
        return self._placed(elements.R(name, law, size, inverse=inverse), at, about)

    def C(
        self,
        name: str,
        law: object = None,
        *,
        compliance: object = None,
        start: Number = 0.0,
        energy: Function | None = None,
        inverse: Function | None = None,
        displacement: object = None,
        at: Place | None = None,
        size: int = 1,
        **about: Unpack[About],
    ) -> elements.C:
        """Compliance: e = law · d (stiffness), or a function d → e; or e = d / compliance (a capacitance).

        start: displacement (charge, volume) at the start.
        """
        if (law is None) == (compliance is None):
            raise ModelError(
                "needs a stiffness or a compliance, one of them.", component=name, remedy="Give law=… or compliance=…."
            )
        if compliance is not None:
            value = elements.column(compliance, size, name)
            if any(value[i].is_zero() for i in range(size)):
                raise ModelError("its compliance is zero.", component=name, remedy="Leave it out: it is rigid.")
            law = 1 / value
        made = elements.C(name, law, size, start=start, energy=energy, inverse=inverse, displacement=displacement)
        return self._placed(made, at, about)

    def I(  # noqa: E743  (its name in every textbook)
        self,
        name: str,
        law: object,
        *,
        start: Number = 0.0,
        energy: Function | None = None,
        inverse: Function | None = None,
        at: Place | None = None,
        size: int = 1,
        **about: Unpack[About],
    ) -> elements.I:
        """Inertia: p = law · f (mass, inductance), or a function p → f. start: flow (momentum if law is a function)."""
        return self._placed(elements.I(name, law, size, start=start, energy=energy, inverse=inverse), at, about)

    def field(
        self,
        name: str,
        kind: str,
        law: object,
        *,
        sizes: Sequence[int],
        start: Number = 0.0,
        energy: Function | None = None,
        inverse: Function | None = None,
        **about: Unpack[About],
    ) -> elements.Field:
        """Store or resistor with several ports: kind "C", "I" or "R", one law over all of them.

        sizes: components of each port; inverse: of a law that is a function, where causality asks for it.
        """
        sizes = list(sizes) if isinstance(sizes, Iterable) else sizes
        return self.add(elements.Field(name, kind, law, sizes, start=start, energy=energy, inverse=inverse), **about)

    def TF(self, name: str, modulus: Number, **about: Unpack[About]) -> elements.TF:
        """Transformer: f₂ = modulus · f₁, e₁ = modulusᵀ · e₂."""
        return self.add(elements.TF(name, modulus), **about)

    def MTF(self, name: str, modulus: Number, **about: Unpack[About]) -> elements.MTF:
        """Transformer whose modulus is a signal."""
        return self.add(elements.MTF(name, modulus), **about)

    def GY(self, name: str, modulus: Number, **about: Unpack[About]) -> elements.GY:
        """Gyrator: e₂ = modulus · f₁, e₁ = modulusᵀ · f₂."""
        return self.add(elements.GY(name, modulus), **about)

    def MGY(self, name: str, modulus: Number, **about: Unpack[About]) -> elements.MGY:
        """Gyrator whose modulus is a signal."""
        return self.add(elements.MGY(name, modulus), **about)

    def chain(self, *nodes: Place) -> list[Bond]:
        """Bond each to the next; two-ports are entered at their first free port and left at the other."""
        return [self.bond(a, b) for a, b in zip(nodes, nodes[1:], strict=False)]

    def _placed(self, element: E, at: Place | None, about: About) -> E:
        self.add(element, **about)
        if at is not None:
            source = isinstance(element, elements.Se | elements.Sf)
            try:
                self.bond(*((element, at) if source else (at, element)))
            except ModelError:
                self.discard(element)  # all or nothing: a corrected call may use the name again
                raise
        return element
