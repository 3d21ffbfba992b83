"""What bonds connect: sources, stores, resistors, transformers, gyrators and junctions; scalar or vector.

Every element has ports of a given size (1: scalar bond, n: vector bond). Laws are numbers, matrices, or functions of
symbols. Signs: an element's port takes effort e and flow f with power e·f flowing INTO a one-port element when the half
arrow points to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import casadi as ca

from linkwork.bondgraph.constitutive import Function, checked_energy, checked_law, rectangle, singular
from linkwork.bondgraph.constitutive import column as column
from linkwork.bondgraph.constitutive import law as law
from linkwork.bondgraph.constitutive import matrix as matrix
from linkwork.core.component import path_name
from linkwork.core.errors import ModelError
from linkwork.core.kinds import REFUSED, counted, one_of, shown
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.bondgraph.graph import BondGraph


Domains: TypeAlias = str | Sequence[str]
"""A kind of power, or one for each port."""


def checked_size(size: object, name: str) -> int:
    """Components of a bond: a whole number, 1 or more."""
    kind = counted(1, 1000).saying("It is 1 for a scalar bond, n (up to 1000) for a vector.")
    return int(kind.taken("size", size, name))


class Element:
    """A node of the graph. sizes: of each port; junctions get theirs from the bonds."""

    symbol = ""
    """How it is written in a drawing, before the colon."""
    ports = 1
    graph: BondGraph | None = None
    """Where it was added."""
    part = ""
    """Component that it is a share of, beside others: they are drawn as one."""

    def __init__(self, name: str, size: int = 1):
        self.name = path_name(name)
        self.size = size = checked_size(size, name)
        self.sizes: list[int | None] = [size] * self.ports
        self.group = ""
        """Body or joint it belongs to, for drawing and reports."""
        self.domain: Domains = ""
        """Kind of power, such as "electrical" (see `domains`); for two-ports a pair."""
        self.label = name

    def __setattr__(self, name: str, value: object) -> None:
        """Whatever is changed by hand (`g["Ra"].law = 2`) makes what was derived from the graph obsolete."""
        object.__setattr__(self, name, value)
        if self.graph is not None and name != "graph":
            self.graph.changed()

    def __repr__(self) -> str:
        return f"<{self.symbol}:{self.name}>"


class Se(Element):
    """Effort source: imposes e (number, n numbers, or expression)."""

    symbol = "Se"

    def __init__(self, name: str, value: object, size: int = 1):
        super().__init__(name, size)
        self.value = column(value, size, name)


class Sf(Element):
    """Flow source: imposes f."""

    symbol = "Sf"

    def __init__(self, name: str, value: object, size: int = 1):
        super().__init__(name, size)
        self.value = column(value, size, name)
        self.displacement: SX | None = None
        """An expression of signals whose rate is flow − value: it is kept at zero."""


class MSe(Se):
    """Effort source modulated by signals."""

    symbol = "MSe"


class MSf(Sf):
    """Flow source modulated by signals."""

    symbol = "MSf"


class Constraint(Element):
    """An effort such that the flow becomes `value` (BND figure 16): a Lagrange multiplier, effort-out causality.

    displacement: an expression of signals whose rate is flow − value; then it is kept at zero, too.
    """

    symbol = "MSe"

    def __init__(self, name: str, value: object = 0.0, size: int = 1, *, displacement: object = None):
        super().__init__(name, size)
        self.value = column(value, size, name)
        self.displacement = None if displacement is None else column(displacement, size, name)


class R(Element):
    """Resistor: e = R f (resistance) or f = G e (conductance). law: number, diagonal, matrix, or function f → e.

    inverse: function e → f, where the law is a function and the resistor may have to be driven by the effort; it may
    stand alone (law None): an orifice, a diode.
    """

    symbol = "R"

    def __init__(self, name: str, law: object, size: int = 1, *, inverse: object = None):
        super().__init__(name, size)
        if law is None and inverse is None:
            raise ModelError("has no law.", component=name, remedy="Give a resistance, f → e, or inverse=… (e → f).")
        self.law = None if law is None else checked_law(law, size, name)
        self.inverse = None if inverse is None else checked_law(inverse, size, name, "inverse law")


class C(Element):
    """Compliance: ḋ = f, e = law(d). law: stiffness (number, diagonal, matrix) or function d → e.

    start: displacement at the start. displacement: an expression that knows d already; then it needs no state.
    energy: function d → stored energy [J], needed for nonlinear laws only.
    """

    symbol = "C"

    def __init__(
        self,
        name: str,
        law: object,
        size: int = 1,
        *,
        start: object = 0.0,
        displacement: object = None,
        energy: Function | None = None,
        inverse: object = None,
    ):
        super().__init__(name, size)
        self.law, self.energy = checked_law(law, size, name), checked_energy(energy, name)
        self.inverse = None if inverse is None else checked_law(inverse, size, name, "inverse law")
        self.start = column(start, size, name)
        self.displacement = None if displacement is None else column(displacement, size, name)
        self.holds = ""
        """The joint that it keeps closed, if it stands for one."""


class I(Element):  # noqa: E742  (its name in every textbook)
    """Inertia: ṗ = e, p = law · f. law: inertia (number, diagonal, matrix) or function p → f.

    start: FLOW at the start (what a user knows), or momentum for nonlinear laws.
    energy: function p → stored energy [J], needed for nonlinear laws only; inverse: function f → p, likewise.
    """

    symbol = "I"

    def __init__(
        self,
        name: str,
        law: object,
        size: int = 1,
        *,
        start: object = 0.0,
        energy: Function | None = None,
        inverse: object = None,
    ):
        super().__init__(name, size)
        self.law, self.energy = checked_law(law, size, name), checked_energy(energy, name)
        self.inverse = None if inverse is None else checked_law(inverse, size, name, "inverse law")
        self.start = column(start, size, name)
        if not callable(law) and singular(matrix(law, size)):
            raise ModelError(
                "its inertia is zero or cannot be inverted.", component=name, remedy="Leave it out, or give it mass."
            )


class Field(Element):
    """A multiport store or resistor: several ports, one law over all of them (stacked in their order).

    kind: "C", "I" or "R"; law: matrix (total × total) or function as for C, I and R; start: displacement or flow,
    stacked (momentum for an I with a nonlinear law); energy: function of displacement or momentum → stored energy [J];
    inverse: of a law that is a function.
    """

    def __init__(
        self,
        name: str,
        kind: str,
        law: object,
        sizes: list[int],
        *,
        start: object = 0.0,
        energy: Function | None = None,
        inverse: object = None,
    ):
        if not isinstance(sizes, list | tuple) or not sizes:
            raise ModelError(
                f"sizes {sizes!r}.", component=name, remedy="List how many components each port has, such as [1, 1]."
            )
        sizes = [checked_size(size, name) for size in sizes]
        self.ports = len(sizes)
        super().__init__(name, 1)
        if kind not in ("C", "I", "R"):
            raise ModelError(f"a field of kind {kind!r}.", component=name, remedy="It is 'C', 'I' or 'R'.")
        self.kind, self.sizes = kind, list(sizes)
        self.energy = checked_energy(energy, name)
        self.symbol = kind
        self.size = sum(sizes)
        self.law = checked_law(law, self.size, name)
        self.inverse = None if inverse is None else checked_law(inverse, self.size, name, "inverse law")
        self.start = column(start, self.size, name)


class TF(Element):
    """Transformer: f₂ = m f₁ and e₁ = mᵀ e₂; port 0 is f₁. modulus: number or n₂×n₁ matrix, perhaps not invertible."""

    symbol = "TF"
    ports = 2

    def __init__(self, name: str, modulus: object, sizes: tuple[int, int] | None = None):
        m = rectangle(modulus, name)
        if sizes is not None and m.shape == (1, 1) and sizes[0] == sizes[1]:
            m = m * SX.eye(sizes[0])
        super().__init__(name, m.shape[0])
        self.modulus = m
        self.sizes = [m.shape[1], m.shape[0]]
        self.invertible = not singular(m)
        """Whether causality may pass backwards; set it to False where a square matrix is singular (cross products)."""
        self.orthogonal = False
        """Whether mᵀ = m⁻¹ (coordinate transformations)."""

    def inverse(self) -> SX:
        if not self.invertible:
            raise ModelError(
                "its modulus cannot be inverted.",
                component=self.name,
                remedy="Drive it from its first port by the flow.",
            )
        return self.modulus.T if self.orthogonal else ca.inv(self.modulus)


class MTF(TF):
    """Transformer whose modulus is a signal."""

    symbol = "MTF"


class GY(Element):
    """Gyrator: e₂ = r f₁ and e₁ = rᵀ f₂ (port 0 is 1). modulus: number or n₂×n₁ matrix."""

    symbol = "GY"
    ports = 2

    def __init__(self, name: str, modulus: object):
        r = rectangle(modulus, name)
        super().__init__(name, r.shape[0])
        self.modulus = r
        self.sizes = [r.shape[1], r.shape[0]]
        self.invertible = not singular(r)

    def inverse(self) -> SX:
        if not self.invertible:
            raise ModelError("its modulus cannot be inverted.", component=self.name, remedy="Drive it by the flow.")
        return ca.inv(self.modulus)


class MGY(GY):
    """Gyrator whose modulus is a signal."""

    symbol = "MGY"


class EulerGyrator(Element):
    """One-port gyrator e = S f with S skew: no power (BND's Eulerian junction structure, ω × J ω). Flow in, always.

    inertia: the name of the I whose momentum it turns about; the last three components of the flow are the rotation.
    modulus: flow → S(flow), n×n, in its place.
    """

    symbol = "EJS"

    def __init__(self, name: str, modulus: Callable[[SX], SX] | None = None, size: int = 3, *, inertia: str = ""):
        super().__init__(name, size)
        if (modulus is None) == (not inertia):
            raise ModelError("needs a modulus or an inertia, one of them.", component=name)
        self.modulus, self.inertia = modulus, inertia

    def matrix(self, flow: SX) -> SX:
        """S, n×n."""
        if self.modulus is not None:
            return SX(self.modulus(flow))
        store = None if self.graph is None else self.graph.elements.get(self.inertia)
        if not isinstance(store, I) or callable(store.law) or store.size != self.size:
            raise ModelError(
                f"there is no linear inertia {self.inertia!r} of {self.size} components.",
                component=self.name,
                remedy="Take it out together with its inertia, or give modulus=….",
            )
        momentum = law(store.law, flow)
        return ca.diagcat(SX(self.size - 3, self.size - 3), -ca.skew(momentum[-3:]))


class Junction(Element):
    """0-junction: one effort, flows balance. 1-junction: one flow, efforts balance. Any number of bonds."""

    ports = 0

    def __init__(self, name: str, kind: int):
        super().__init__(name)
        if one_of(0, 1).read(kind) is REFUSED:
            raise ModelError(f"a {shown(kind)}-junction.", component=name, remedy="It is 0 or 1.")
        self.kind = kind
        self.symbol = str(kind)

    @property
    def common(self) -> str:
        return "effort" if self.kind == 0 else "flow"
