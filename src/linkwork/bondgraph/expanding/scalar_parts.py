"""Elements with one vector port as elements with scalar ports: sources, constraints, resistors and stores.

A law that treats the components apart gives one scalar element each; a law that mixes them gives one field with as many
ports. Two cannot be fields and become modulated sources: a compliance whose displacement is known (a field would have a
state of its own), and a resistor whose law is no matrix.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.bondgraph.building import E
from linkwork.bondgraph.constitutive import Function, law, matrix
from linkwork.bondgraph.elements import C, Constraint, Element, Field, I, MSe, MSf, R, Se, Sf
from linkwork.core.errors import ModelError
from linkwork.geometry import SX, Number

if TYPE_CHECKING:
    from linkwork.bondgraph.expanding.expansion import Expansion


def parts(x: Expansion, element: Element) -> list[Element]:
    """Scalar elements of the components in their order, or one field for all."""
    suffixes = x.suffixes(x.old.bond_at(element, 0))
    names = [x.free(f"{element.name}-{s}") for s in suffixes]
    if isinstance(element, Se | Sf | Constraint):
        return [_part(element, name, s, value=element.value[i]) for i, (name, s) in enumerate(_each(names, suffixes))]
    if isinstance(element, R):
        return _resistor(x, element, names, suffixes)
    if isinstance(element, C):
        return _compliance(element, names, suffixes)
    if isinstance(element, I):
        return _inertia(element, names, suffixes)
    raise ModelError(
        f"no scalar bonds are known for a {type(element).__name__} of size {element.size}.",
        component=element.name,
        remedy="Derive it from one of the elements of linkwork.bondgraph.elements, or keep its bonds scalar.",
    )


def fresh(element: E) -> E:
    """A copy that is in no graph yet."""
    made = copy.copy(element)
    made.graph = None
    return made


def as_field(element: Field) -> Field:
    """The same field with a scalar port for each component."""
    made = fresh(element)
    if isinstance(element.domain, tuple | list):
        made.domain = tuple(d for d, n in zip(element.domain, element.sizes, strict=True) for _ in range(n or 1))
    made.sizes, made.ports = [1] * element.size, element.size
    return made


def _each(names: list[str], suffixes: list[str]) -> list[tuple[str, str]]:
    return list(zip(names, suffixes, strict=True))


def _part(element: E, name: str, suffix: str, **changed: object) -> E:
    """One component: as the element, but for its name, size and what is given."""
    made = fresh(element)
    made.name, made.size, made.sizes = name, 1, [1]
    made.label = f"{element.label} {suffix}" if element.label else ""
    for what, value in changed.items():
        setattr(made, what, value)
    return made


def _resistor(x: Expansion, r: R, names: list[str], suffixes: list[str]) -> list[Element]:
    laws = None if r.law is None else _apart(r.law, r.size)
    inverses = None if r.inverse is None else _apart(r.inverse, r.size)
    if (r.law is None or laws is not None) and (r.inverse is None or inverses is not None):
        return [
            _part(r, name, s, law=laws and laws[i], inverse=inverses and inverses[i])
            for i, (name, s) in enumerate(_each(names, suffixes))
        ]
    given = None if r.law is None else _linear(r.law, r.size)
    if given is not None and not callable(given):
        return [_field(r, "R", given, None)]
    bond = x.old.bond_at(r, 0)
    sign = 1 if bond.head.element is r else -1
    if not x.causality.receives_effort(bond, r):
        return _sources(r, MSe, law(r.law, sign * bond.flow), names, suffixes)
    return _sources(r, MSf, sign * law(r.inverse, bond.effort), names, suffixes)


def _sources(
    element: Element, kind: type[Se] | type[Sf], values: SX, names: list[str], suffixes: list[str]
) -> list[Element]:
    """Modulated sources that give what the element would."""
    made: list[Element] = []
    for i, (name, s) in enumerate(_each(names, suffixes)):
        source = kind(name, values[i])
        source.group, source.domain = element.group, element.domain
        source.label = f"{element.label} {s}" if element.label else ""
        made.append(source)
    return made


def _compliance(c: C, names: list[str], suffixes: list[str]) -> list[Element]:
    laws, d = _apart(c.law, c.size), c.displacement
    if laws is None and d is not None:
        return _sources(c, MSe, law(c.law, d), names, suffixes)
    if laws is None:
        return [_field(c, "C", _linear(c.law, c.size), c.inverse, c.start)]
    return [
        _part(
            c,
            name,
            s,
            law=laws[i],
            inverse=_component(c.inverse, i, c.size),
            energy=_share(c.energy, i, c.size),
            start=c.start[i],
            displacement=None if d is None else d[i],
        )
        for i, (name, s) in enumerate(_each(names, suffixes))
    ]


def _inertia(inertia: I, names: list[str], suffixes: list[str]) -> list[Element]:
    laws = _apart(inertia.law, inertia.size)
    if laws is None:
        # a function gives the flow of a momentum, a matrix the momentum of a flow: a function stays one
        given = inertia.law if callable(inertia.law) else matrix(inertia.law, inertia.size)
        return [_field(inertia, "I", given, inertia.inverse, inertia.start)]
    return [
        _part(
            inertia,
            name,
            s,
            law=laws[i],
            inverse=_component(inertia.inverse, i, inertia.size),
            energy=_share(inertia.energy, i, inertia.size),
            start=inertia.start[i],
        )
        for i, (name, s) in enumerate(_each(names, suffixes))
    ]


def _field(element: Element, kind: str, given: object, inverse: object, start: Number = 0.0) -> Field:
    energy = getattr(element, "energy", None)
    made = Field(element.name, kind, given, [1] * element.size, start=start, energy=energy, inverse=inverse)
    made.group, made.domain, made.label = element.group, element.domain, element.label
    return made


def _apart(given: object, size: int) -> list[object] | None:
    """The law of each component by itself, or None where components are mixed."""
    if not callable(given):
        M = matrix(given, size)
        if not all(i == j or _zero(M[i, j]) for i in range(size) for j in range(size)):
            return None
        return [M[i, i] for i in range(size)]
    x = SX.sym("x", size)
    y = law(given, x)
    pattern = ca.jacobian(y, x).sparsity()
    if any(i != j for i, j in zip(*pattern.get_triplet(), strict=True)):
        return None
    return [lambda own, i=i: ca.substitute(y[i], x[i], SX(own)) for i in range(size)]


def _linear(given: object, size: int) -> object:
    """The matrix of a law that has one, else the function."""
    if not callable(given):
        return matrix(given, size)
    x = SX.sym("x", size)
    y = law(given, x)
    slope = ca.jacobian(y, x)
    if ca.depends_on(slope, x) or not _zero(ca.substitute(y, x, SX.zeros(size, 1))):
        return given
    return ca.densify(slope)


def _component(function: object, i: int, size: int) -> Function | None:
    """What a function that treats components apart says of one of them."""
    if function is None:
        return None
    return lambda x: law(function, _only(x, i, size))[i]


def _share(energy: Function | None, i: int, size: int) -> Function | None:
    """Energy of one component of a law that treats them apart; the first has what is there at zero."""
    if energy is None:
        return None
    return lambda x: SX(energy(_only(x, i, size))) - (SX(energy(SX.zeros(size, 1))) if i else 0)


def _only(x: Number, i: int, size: int) -> SX:
    return ca.vertcat(SX.zeros(i, 1), SX(x), SX.zeros(size - i - 1, 1))


def _zero(x: SX) -> bool:
    return bool(x.nnz() == 0 or ca.simplify(x).is_zero())
