"""Values that a user has given → what stands in a model file: numbers and lists as such, all else as expressions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import casadi as ca
import numpy as np

from linkwork.components.bodies import read_rotation
from linkwork.components.contacts.rolling import Moving
from linkwork.components.laws import Law
from linkwork.core.component import Frame, Marker
from linkwork.core.errors import LinkworkError
from linkwork.core.kinds import Signed, number_in, shown
from linkwork.core.said import Lost, Said
from linkwork.files.language.writing import Sheet, Unwritable, number
from linkwork.files.models import made
from linkwork.files.models.names import Names
from linkwork.geometry import SX, Pose, rotations

Roles: TypeAlias = Mapping[str | int, str]
"""What arguments of a function are, by name or place: "frame", "moving" (value and rate), all others numbers."""


class Values:
    """Writes values of one model."""

    def __init__(self, names: Names):
        self.names = names
        self._plain_atoms = names.atoms()

    def plain(self, value: Any, roles: Roles = MappingProxyType({})) -> Any:
        """As TOML has it: a number, a truth value, a list of these; or the text of an expression."""
        native = _native(value)
        return native if native is not None else self.text(value, roles)

    def text(self, value: Any, roles: Roles = MappingProxyType({})) -> str:
        """The whole expression of a value, with definitions of its common parts before it."""
        if callable(value) and self.names.part(value) is None and not isinstance(value, SX | Signed):
            return self.function(value, roles)
        sheet = Sheet(self._plain_atoms)
        sheet.prepare(_expressions(value))
        text = self._formed(value, sheet, frozenset())
        return "".join(sheet.definitions) + text

    def function(self, function: Callable[..., Any], roles: Roles = MappingProxyType({})) -> str:
        """A Python function, called once with symbols."""
        words, symbols, atoms = self._arguments(function, roles)
        try:
            value = function(*symbols)
        except Exception as error:
            said = str(error).partition("\n")[0]
            raise Unwritable(f"a function of Python that takes no symbols ({type(error).__name__}: {said})") from error
        taken = frozenset(words)
        sheet = Sheet(self.names.atoms(taken) | atoms)
        sheet.prepare(_expressions(value))
        body = self._formed(value, sheet, taken)
        head = words[0] if len(words) == 1 else f"({', '.join(words)})"
        return f"{head} -> ({''.join(sheet.definitions)}{body})" if sheet.definitions else f"{head} -> {body}"

    def _arguments(self, function: Any, roles: Roles) -> tuple[list[str], list[Any], dict[int, str]]:
        try:
            given = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            raise Unwritable(f"{shown(function)}, which does not say what it takes") from None
        words: list[str] = []
        symbols: list[Any] = []
        atoms: dict[int, str] = {}
        for k, p in enumerate(p for p in given if p.default is p.empty):
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY):
                raise Unwritable("a function that does not name its arguments")
            words.append(p.name)
            role = roles.get(k) or roles.get(p.name)
            make = _frame if role == "frame" else _moving if role == "moving" else _scalar
            symbols.append(make(p.name, atoms))
        return words, symbols, atoms

    def _formed(self, value: Any, sheet: Sheet, taken: frozenset[str]) -> str:
        if (part := self.names.part(value, taken)) is not None:
            return part
        if (plain := _plain(value)) is not None:
            return plain
        if isinstance(value, SX | ca.DM):
            return self._matrix(SX(value), sheet)
        if isinstance(value, np.ndarray):
            return self._formed(value.tolist(), sheet, taken)
        if isinstance(value, list | tuple):
            return f"[{', '.join(self._formed(x, sheet, taken) for x in value)}]"
        if isinstance(value, Marker):
            return self._marker(value, sheet, taken)
        if isinstance(value, Pose):
            return self._pose(value, sheet)
        if (name := made.name_of(value)) is not None:
            return self._made(name, value, sheet, taken)
        if isinstance(value, Lost):
            raise Unwritable("a function that was lost when the model was sent to another process")
        if callable(value):
            return f"({self.function(value)})" if not taken else self._refuse(value)
        return self._refuse(value)

    def _refuse(self, value: object) -> str:
        raise Unwritable(f"{shown(value)} ({type(value).__name__})")

    def _matrix(self, x: SX, sheet: Sheet) -> str:
        if x.numel() == 1:
            return sheet.written(x)[0] if x.nnz() else "0"
        rows = [[sheet.written(x[i, j])[0] for j in range(x.shape[1])] for i in range(x.shape[0])]
        if x.shape[1] == 1:
            return f"column([{', '.join(row[0] for row in rows)}])"
        return f"matrix([{', '.join('[' + ', '.join(row) + ']' for row in rows)}])"

    def _marker(self, marker: Marker, sheet: Sheet, taken: frozenset[str]) -> str:
        if marker.in_world:
            raise Unwritable(f"a frame on {marker.body.name} that is fixed in the world")
        pose = marker.pose
        p = [sheet.written(pose.p[i])[0] for i in range(3)]
        if p[2] == "0":
            p = p[:2]
        turned = self.rotation(pose.R, pose.turn, sheet)
        arguments = ", ".join(p if any(x != "0" for x in p) or not turned else ["0", "0"])
        rotation = f", rotation={turned}" if turned else ""
        return f"{self.names.part(marker.body, taken)}.at({arguments}{rotation})"

    def rotation(self, R: SX, turn: SX | None, sheet: Sheet) -> str:
        """What gives this matrix and angle when it is read; "": nothing is turned."""
        if _same(R, turn, SX(ca.DM.eye(3)), SX(0)):
            return ""
        if turn is not None and _same(R, turn, rotations.about_z(turn), turn):
            return sheet.written(turn)[0]
        if R.is_constant():
            rows = np.array(ca.DM(R)).tolist()
            try:
                if _same(R, turn, *read_rotation(rows, "")):
                    return "[" + ", ".join(f"[{', '.join(map(number, row))}]" for row in rows) + "]"
            except LinkworkError:
                pass
        if turn is None:
            return self._matrix(R, sheet)
        return self._pose(Pose(SX(3, 1), R, turn), sheet)

    def _pose(self, pose: Pose, sheet: Sheet) -> str:
        place = ", ".join(sheet.written(pose.p[i])[0] for i in range(3))
        rows = ", ".join("[" + ", ".join(sheet.written(pose.R[i, j])[0] for j in range(3)) + "]" for i in range(3))
        turn = "" if pose.turn is None else f", {sheet.written(pose.turn)[0]}"
        return f"pose([{place}], [{rows}]{turn})"

    def _made(self, name: str, thing: Any, sheet: Sheet, taken: frozenset[str]) -> str:
        """A law, shape, outline or pulley: what it was made with."""
        given = _law_arguments(thing) if isinstance(thing, Law) else _fields(thing)
        texts = []
        for word, value, positional in given:
            inner = callable(value) and not isinstance(value, SX | Signed) and self.names.part(value, taken) is None
            text = f"({self.function(value)})" if inner else self._formed(value, sheet, taken)
            texts.append(text if positional else f"{word}={text}")
        return f"{name}({', '.join(texts)})"


def _plain(value: Any) -> str | None:
    """The text of a number, a truth value, a text or nothing; None: it is none of these."""
    if isinstance(value, Signed):
        return f"signed({number(float(value))})"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, str):
        return _quoted(value)
    real = None if isinstance(value, SX | ca.DM) else number_in(value)
    return None if real is None else number(real)


def _native(value: Any) -> Any:
    """Numbers, truth values and lists of them as TOML has them; None: it is none of these."""
    if isinstance(value, Signed) or value is None:
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, SX | ca.DM):
        constant = value.numel() == 1 and SX(value).is_constant()
        return number_in(float(SX(value)) if value.nnz() else 0.0) if constant else None
    if (real := number_in(value)) is not None:
        return real
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        items = [_native(x) for x in value]
        return None if any(x is None for x in items) else items
    return None


def _scalar(name: str, atoms: dict[int, str]) -> SX:
    symbol = SX.sym(name)
    atoms[symbol.element_hash()] = name
    return symbol


def _moving(name: str, atoms: dict[int, str]) -> Moving:
    """A coordinate and its rate as symbols."""
    value, rate = SX.sym(name), SX.sym(f"{name}.rate")
    atoms |= {value.element_hash(): f"{name}.value", rate.element_hash(): f"{name}.rate"}
    return Moving(value, rate)


def _frame(name: str, atoms: dict[int, str]) -> Frame:
    """A frame of symbols."""
    p, v, w, R = SX.sym("p", 3), SX.sym("v", 3), SX.sym("w", 3), SX.sym("R", 3, 3)
    turn = SX.sym("turn")
    for letter, column in (("p", p), ("v", v), ("w", w), ("x", R[:, 0]), ("y", R[:, 1]), ("z", R[:, 2])):
        atoms |= {column[i].element_hash(): f"{name}.{letter}[{i}]" for i in range(3)}
    atoms[turn.element_hash()] = f"{name}.turn"
    return Frame(p, R, turn, v, w)


def _expressions(value: Any) -> list[SX]:
    """All scalar expressions in a value, for counting what they share."""
    if isinstance(value, SX):
        return [value[i, j] for i in range(value.shape[0]) for j in range(value.shape[1])]
    if isinstance(value, list | tuple):
        return [x for part in value for x in _expressions(part)]
    if isinstance(value, Marker):
        return _expressions(value.pose)
    if isinstance(value, Pose):
        return _expressions([value.p, value.R, *([] if value.turn is None else [value.turn])])
    if isinstance(value, Law):
        return [x for _, part, _ in _law_arguments(value) for x in _expressions(part)]
    if is_dataclass(value) and not isinstance(value, type):
        return [x for f in fields(value) for x in _expressions(getattr(value, f.name))]
    return []


def _same(R: SX, turn: SX | None, other: SX, other_turn: SX | None) -> bool:
    if (turn is None) != (other_turn is None):
        return False
    pairs = [(R[i, j], other[i, j]) for i in range(3) for j in range(3)]
    if turn is not None and other_turn is not None:
        pairs.append((turn, other_turn))
    return all(_equal(a, b) for a, b in pairs)


def _equal(a: SX, b: SX) -> bool:
    if a.is_constant() and b.is_constant():
        return float(a) == float(b)
    return bool(ca.is_equal(a, b, 5))


def _law_arguments(law: Law) -> list[tuple[str, Any, bool]]:
    said: Said | None = law.__dict__.get("_said")
    if said is None:
        return []
    if said.strange:
        raise Unwritable(f"a {type(law).__name__} whose {', '.join(sorted(said.strange))} was changed by hand")
    given = inspect.signature(type(law).__init__).parameters
    arguments, positional = [], True
    for word, p in given.items():
        if word == "self" or word not in said.arguments:
            positional = positional and word == "self"
            continue
        value = said.arguments[word]
        if value is p.default:
            positional = False
            continue
        arguments.append((word, value, positional and p.kind is p.POSITIONAL_OR_KEYWORD))
    return arguments


def _fields(thing: Any) -> list[tuple[str, Any, bool]]:
    """(word, value, whether it stands without its word) of what is not as usual; those without a word come first."""
    arguments, positional = [], True
    for f in sorted((f for f in fields(thing) if f.init), key=lambda f: bool(f.kw_only)):
        value = getattr(thing, f.name)
        usual = f.default if f.default_factory is MISSING else f.default_factory()
        if _alike(value, usual):
            positional = False
        else:
            arguments.append((f.name, value, positional and not f.kw_only))
    return arguments


def _alike(a: object, b: object) -> bool:
    if a is b:
        return True
    plain = (int, float, str, bool, tuple)
    return isinstance(a, plain) and isinstance(b, plain) and type(a) is type(b) and repr(a) == repr(b)


def _quoted(text: str) -> str:
    if "'" in text or "\n" in text or "\\" in text:
        raise Unwritable(f"the text {text!r}, with a quotation mark, backslash or line break in it")
    return f"'{text}'"
