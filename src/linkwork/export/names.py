"""Readable names of everything the equations are written in: letter, dots and subscripts instead of `arm1.q_2`.

Names are read from the symbols and from q̇ = H(q) v alone, so they hold for every formulation: a speed that is the rate
of a coordinate becomes that coordinate with a dot; one that turns Euler parameters is an angular velocity ω; any other
is a velocity u along the axes of its body.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import casadi as ca

from linkwork.core.equations import Equations
from linkwork.core.names import split
from linkwork.geometry import SX

GREEK: Final = dict(
    zip(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
        "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(),
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ",
        strict=True,
    )
)
"""Greek letters by name."""
_LATIN: Final = {letter: name for name, letter in GREEK.items()}
_LETTERS: Final = {
    "angle": ("theta",),
    "angle1": ("theta", "1"),
    "angle2": ("theta", "2"),
    "slide": ("s",),
    "turn": ("theta", "turn"),
    "rx": ("phi", "x"),
    "ry": ("phi", "y"),
    "rz": ("phi", "z"),
    "pressure": ("p",),
    "energy": ("E",),
}
"""What the labels of coordinates and states are usually called in equations: letter, further subscripts."""
_VECTOR: Final = re.compile(r"(?P<owner>.+)\.(?P<kind>q|v|e|w|p|d|[rv]\d+)_(?P<index>\d+)")
_AXES: Final = "xyz"


@dataclass(frozen=True)
class Name:
    """One symbol in three spellings: `plain` for tables ("O.angle.rate"), `symbol` for SymPy ("thetadot_O"), and
    the parts from which text and LaTeX are set."""

    plain: str
    letter: str
    subscripts: tuple[str, ...] = ()
    dots: int = 0
    given: str = ""
    """The spelling that the user chose, if any."""

    @property
    def symbol(self) -> str:
        if self.given:
            return self.given
        return "_".join([self.letter + ("" if not self.dots else "d" * (self.dots - 1) + "dot"), *self.subscripts])

    @property
    def text(self) -> str:
        """Unicode, for terminals."""
        mark = {0: "", 1: "\u0307", 2: "\u0308"}.get(self.dots, "\u20db")
        letter = unicodedata.normalize("NFC", GREEK.get(self.letter, self.letter) + mark)  # ẋ as one character
        return "_".join([letter, *self.subscripts])

    def rate(self) -> Name:
        """The time derivative."""
        return replace(self, plain=f"{self.plain}.rate", dots=self.dots + 1, given="")

    def verbatim(self, attempt: int) -> Name:
        """Another spelling, for where two names would look the same."""
        tail = () if attempt == 1 else (str(attempt),)
        return replace(self, letter=re.sub(r"\W", "_", self.plain), subscripts=tail, dots=0, given="")


@dataclass(frozen=True)
class Names:
    """Names in the order of the unknowns and constants of the equations; no two have the same spelling."""

    t: Name
    q: tuple[Name, ...]
    v: tuple[Name, ...]
    z: tuple[Name, ...]
    p: tuple[Name, ...]
    """Parameters, then inputs."""
    a: tuple[Name, ...]
    multipliers: tuple[Name, ...]

    @property
    def states(self) -> tuple[Name, ...]:
        return (*self.q, *self.v, *self.z)


def names_of(eq: Equations, owners: Container[str] = ()) -> Names:
    """Names of all symbols of the equations; parameters and inputs keep their own. owners: parts of submodels."""
    p = [own_name(x.name()) for x in entries(eq.p)]
    q = [_coordinate(x.name(), _group(eq.q, x.name()), owners) for x in entries(eq.q)]
    v = _speeds(eq, q, owners)
    z = [_labelled(x.name(), owners) for x in entries(eq.z)]
    multipliers = [Name(f"lambda.{k + 1}", "lambda", (str(k + 1),)) for k in range(eq.multipliers.numel())]
    groups = [p, [Name("t", "t")], q, v, z, [x.rate() for x in v], multipliers]
    told = _told_apart([x for group in groups for x in group])
    parts = [tuple(next(told) for _ in group) for group in groups]
    return Names(parts[1][0], parts[2], parts[3], parts[4], parts[0], parts[5], parts[6])


def entries(column: SX) -> list[SX]:
    """The elements of a column, one by one."""
    return [column[k] for k in range(column.numel())]


def own_name(text: str) -> Name:
    """A name that the user gave: `l_crank`, `omega0`, `θ1`, `damping`, `front.radius`."""
    if "." in text:
        path, _, last = text.rpartition(".")
        own = own_name(last)
        return replace(own, plain=text, subscripts=(*path.split("."), *own.subscripts), given=text.replace(".", "_"))
    head, *rest = text.split("_") if not text.startswith("_") else [text]
    parts = re.fullmatch(r"(.*?)(\d*)", head)
    letter, digits = (parts[1], parts[2]) if parts else (head, "")
    letter = _LATIN.get(letter, letter)
    if len(letter) > 1 and letter not in GREEK or not letter:  # a word: its digits belong to it
        letter, digits = head, ""
    return Name(text, letter, (*((digits,) if digits else ()), *(part for part in rest if part)), given=text)


def _coordinate(symbol: str, size: int, owners: Container[str]) -> Name:
    match = _VECTOR.fullmatch(symbol)
    if not match:
        return _labelled(symbol, owners)
    owner, kind, k = match["owner"], match["kind"], int(match["index"])
    path = owner.split(".")
    if kind == "e":  # a free rotation
        return Name(f"{owner}.e{k}", "e", (*path, str(k)))
    if size == 4:  # the direction of an arm
        return Name(f"{owner}.a{k}", "a", (*path, str(k)))
    if kind != "q":  # a particle
        return Name(f"{owner}.{kind}.{_AXES[k]}", _AXES[k], (*path, kind[1:]))
    if size >= 4 and k >= size - 4:  # a free rotation
        return Name(f"{owner}.e{k - size + 4}", "e", (*path, str(k - size + 4)))
    if size == 3 and k == 2:
        return Name(f"{owner}.angle", "theta", (*path,))
    if size in (3, 7):
        return Name(f"{owner}.{_AXES[k]}", _AXES[k], (*path,))
    return Name(f"{owner}.s{k + 1}", "s", (*path, str(k + 1)))


def _speeds(eq: Equations, q: Sequence[Name], owners: Container[str]) -> list[Name]:
    rate_of = {x.name(): k for k, x in reversed(list(enumerate(entries(eq.motion.qdot)))) if x.is_symbolic()}
    moved = ca.jacobian(eq.motion.qdot, eq.v).sparsity()
    names: list[Name] = []
    counts: dict[tuple[str, str], int] = {}
    for j, x in enumerate(entries(eq.v)):
        match = _VECTOR.fullmatch(x.name())
        if x.name() in rate_of:
            names.append(q[rate_of[x.name()]].rate())
        elif match and match["kind"] in "pd":  # momentum or displacement of a store with several components
            k = int(match["index"]) + 1
            names.append(
                Name(f"{match['owner']}.{match['kind']}{k}", match["kind"], (*match["owner"].split("."), str(k)))
            )
        elif match:
            rows = moved.row()[moved.colind()[j] : moved.colind()[j + 1]]
            letter, label = ("omega", "w") if any(q[k].letter == "e" for k in rows) else ("u", "u")
            index = counts.get((match["owner"], letter), 0)
            counts[match["owner"], letter] = index + 1
            names.append(
                Name(f"{match['owner']}.{label}{_AXES[index]}", letter, (*match["owner"].split("."), _AXES[index]))
            )
        else:
            names.append(_labelled(x.name(), owners))
    return names


def _labelled(symbol: str, owners: Container[str]) -> Name:
    """`O.angle`, `O.angle.rate`, `energy.dissipated`, or a name without dots."""
    owner, what = split(symbol, owners)
    if not what:
        return own_name(symbol)
    labels = what.split(".")
    dots = 1 if labels[-1] in ("rate", "speed") else 0
    labels = labels[:-1] if dots else labels
    if owner == "energy":
        return Name(symbol, "E", tuple(labels))
    if not labels:
        return replace(own_name(owner), plain=symbol, dots=dots, given="")
    letter, *more = _LETTERS.get(labels[0], (labels[0],))
    return Name(symbol, letter, (*owner.split("."), *more, *labels[1:]), dots)


def _group(symbols: SX, symbol: str) -> int:
    """How many elements the vector has that this symbol is an element of."""
    match = _VECTOR.fullmatch(symbol)
    stem = f"{match['owner']}.{match['kind']}_" if match else ""
    return sum(x.name().startswith(stem) for x in entries(symbols)) if match else 1


def _told_apart(names: Iterable[Name]) -> Iterator[Name]:
    """Each name as it is, or spelt otherwise if an earlier one looks or is called the same."""
    taken: set[object] = set()
    for name in names:
        shown, attempt = name, 0
        while {shown.symbol, _look(shown)} & taken:
            attempt += 1
            shown = name.verbatim(attempt)
        taken |= {shown.symbol, _look(shown)}
        yield shown


def _look(name: Name) -> tuple[object, ...]:
    return name.letter, name.subscripts, name.dots
