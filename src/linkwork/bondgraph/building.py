"""Building a graph in few words: one line per element, chains of bonds.

Mixed into BondGraph. `at` bonds a one-port to a junction at once: power runs from sources to the junction, and from the
junction to everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from linkwork.bondgraph import elements
from linkwork.core.errors import ModelError
from linkwork.geometry import Number

if TYPE_CHECKING:
    from linkwork.bondgraph.graph import Bond

Function = Callable[[Any], Any]


class Building:
    """`g.R("Ra", 0.5, at=loop)` and the like. about: group, domain, label, as in `g.add`."""

    def add(self, element: Any, *, group: str = "", domain: Any = "", label: str = "") -> Any:
        raise NotImplementedError

    def bond(self, a: Number, b: Number, *, size: int | None = None, kind: str = "", name: str = "") -> Bond:
        raise NotImplementedError

    def discard(self, element: Any) -> None:
        raise NotImplementedError

    def one(self, name: str, **about: Any) -> elements.Junction:
        """1-junction: one flow, efforts balance."""
        return self.add(elements.Junction(name, 1), **about)

    def zero(self, name: str, **about: Any) -> elements.Junction:
        """0-junction: one effort, flows balance."""
        return self.add(elements.Junction(name, 0), **about)

    def Se(self, name: str, value: Number, *, at: Any = None, size: int = 1, **about: Any) -> elements.Se:
        """Effort source."""
        return self._placed(elements.Se(name, value, size), at, about)

    def Sf(self, name: str, value: Number, *, at: Any = None, size: int = 1, **about: Any) -> elements.Sf:
        """Flow source: its bond's flow is `value`."""
        return self._placed(elements.Sf(name, value, size), at, about)

    def MSe(self, name: str, value: Number, *, at: Any = None, size: int = 1, **about: Any) -> elements.MSe:
        """Effort source driven by signals: an expression of inputs, time, signals, or efforts and flows of bonds."""
        return self._placed(elements.MSe(name, value, size), at, about)

    def MSf(self, name: str, value: Number, *, at: Any = None, size: int = 1, **about: Any) -> elements.MSf:
        """Flow source driven by signals."""
        return self._placed(elements.MSf(name, value, size), at, about)

    def constraint(
        self, name: str, value: Number = 0.0, *, at: Any = None, size: int = 1, displacement: Any = None, **about: Any
    ) -> elements.Constraint:
        """The effort that makes the flow of its bond equal `value`.

        displacement: an expression of signals whose rate is flow − value; it is kept at zero, too.
        """
        return self._placed(elements.Constraint(name, value, size, displacement=displacement), at, about)

    def R(
        self,
        name: str,
        law: Any = None,
        *,
        inverse: Function | None = None,
        at: Any = None,
        size: int = 1,
        **about: Any,
    ) -> elements.R:
        """Resistor: e = law · f, or a function f → e; inverse: a function e → f, beside it or alone."""
        return self._placed(elements.R(name, law, size, inverse=inverse), at, about)

    def C(
        self,
        name: str,
        law: Any = None,
        *,
        compliance: Any = None,
        start: Number = 0.0,
        energy: Function | None = None,
        inverse: Function | None = None,
        displacement: Any = None,
        at: Any = None,
        size: int = 1,
        **about: Any,
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
        law: Any,
        *,
        start: Number = 0.0,
        energy: Function | None = None,
        inverse: Function | None = None,
        at: Any = None,
        size: int = 1,
        **about: Any,
    ) -> elements.I:
        """Inertia: p = law · f (mass, inductance), or a function p → f. start: flow (momentum if law is a function)."""
        return self._placed(elements.I(name, law, size, start=start, energy=energy, inverse=inverse), at, about)

    def field(
        self,
        name: str,
        kind: str,
        law: Any,
        *,
        sizes: Sequence[int],
        start: Number = 0.0,
        energy: Function | None = None,
        inverse: Function | None = None,
        **about: Any,
    ) -> elements.Field:
        """Store or resistor with several ports: kind "C", "I" or "R", one law over all of them.

        sizes: components of each port; inverse: of a law that is a function, where causality asks for it.
        """
        sizes = list(sizes) if isinstance(sizes, Iterable) else sizes
        return self.add(elements.Field(name, kind, law, sizes, start=start, energy=energy, inverse=inverse), **about)

    def TF(self, name: str, modulus: Number, **about: Any) -> elements.TF:
        """Transformer: f₂ = modulus · f₁, e₁ = modulusᵀ · e₂."""
        return self.add(elements.TF(name, modulus), **about)

    def MTF(self, name: str, modulus: Number, **about: Any) -> elements.MTF:
        """Transformer whose modulus is a signal."""
        return self.add(elements.MTF(name, modulus), **about)

    def GY(self, name: str, modulus: Number, **about: Any) -> elements.GY:
        """Gyrator: e₂ = modulus · f₁, e₁ = modulusᵀ · f₂."""
        return self.add(elements.GY(name, modulus), **about)

    def MGY(self, name: str, modulus: Number, **about: Any) -> elements.MGY:
        """Gyrator whose modulus is a signal."""
        return self.add(elements.MGY(name, modulus), **about)

    def chain(self, *nodes: Any) -> list[Bond]:
        """Bond each to the next; two-ports are entered at their first free port and left at the other."""
        return [self.bond(a, b) for a, b in zip(nodes, nodes[1:], strict=False)]

    def _placed(self, element: Any, at: Any, about: dict[str, Any]) -> Any:
        self.add(element, **about)
        if at is not None:
            source = isinstance(element, elements.Se | elements.Sf)
            try:
                self.bond(*((element, at) if source else (at, element)))
            except ModelError:
                self.discard(element)  # all or nothing: a corrected call may use the name again
                raise
        return element
