"""A model file as a Python script that builds the same model.

Every statement is made from the parsed expressions of the file, never from its text, so that nothing of a file gets
into a script but numbers, quoted texts and names that were given here. What has no short form in Python (submodels,
planes, models of positions) is read from the file's text, which the script then carries along.
"""

from __future__ import annotations

import inspect
import keyword
import re
from typing import Any, Final

from linkwork.components.bodies import Body
from linkwork.components.unknowns import State
from linkwork.components.variables import Variable
from linkwork.core.component import Component
from linkwork.core.declared import Argument, arguments_of
from linkwork.core.places import NAMES
from linkwork.core.plain_data import Record
from linkwork.files.language import nodes
from linkwork.files.language.operations import FUNCTIONS
from linkwork.files.language.parser import parse
from linkwork.files.models.made import FUNCTIONS as MADE
from linkwork.files.models.saving import is_text
from linkwork.studio.server.document import text_of
from linkwork.studio.server.references import is_function, names_in
from linkwork.studio.server.tree import class_of

TAKEN: Final = {"m", "lw", "ca", "math", "made", "text", "Path", "loads", *keyword.kwlist, *keyword.softkwlist}
LEVELS: Final = {"or": 0, "and": 1, "<": 2, "<=": 2, ">": 2, ">=": 2, "==": 2, "!=": 2, "+": 3, "-": 3, "*": 4, "/": 4}
LOOSE, SIGN, POWER, ATOM = -1, 5, 6, 7
"""How tightly an expression holds together, beyond the operators."""


class _NotShort(Exception):
    """Something that the script has no short form for."""


def python_of(data: Record) -> str:
    """The script."""
    try:
        return _Script(data).text()
    except _NotShort as why:
        return _carried(data, str(why))


def _carried(data: Record, why: str) -> str:
    quoted = text_of(data).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return (
        "from pathlib import Path\n\nfrom linkwork.files.models.loading import loads\n\n"
        f"# {why} are read from the text of a model file, as m.save(…) writes it\n"
        f'text = """\\\n{quoted}"""\nm = loads(text, Path("model.toml"))\n'
    )


class _Script:
    def __init__(self, data: Record):
        self.data = data
        if "coordinates" in data.get("model", {}):
            raise _NotShort("models of positions")
        if data.get("submodel"):
            raise _NotShort("submodels and planes")
        self.names: dict[str, str] = {"ground": "m.ground"}
        self.used: set[str] = {"m.ground"}
        self.imports: set[str] = set()
        self.known: set[str] = {"ground"}
        """What has been made so far."""
        self.lines: list[str] = []
        self.later: list[tuple[set[str], str]] = []
        """Statements that speak of what is made after them."""

    def text(self) -> str:
        told = self.data.get("model", {})
        gravity = told.get("gravity", [0, -9.81])
        plain = isinstance(gravity, list) and not any(isinstance(x, str) for x in gravity)
        size = len(gravity) if isinstance(gravity, list) else len(getattr(parse(gravity), "items", ()))
        first = tuple(gravity) if plain else (0,) * size
        self.lines.append(f"m = lw.Model({_quoted(told.get('name', ''))}, gravity={first!r})")
        self._symbols()
        if not plain:
            self.lines.append(f"m.gravity = {self.value(gravity)}")
        if "natural" in told:
            self.lines.append(f"m.natural = {_quoted(told['natural'])}")
        for name, content in self.data.get("component", {}).items():
            self._component(name, content)
        self.lines += [line for _, line in self.later]
        head = ["import linkwork as lw", *sorted(self.imports)]
        ordered = sorted(head, key=lambda line: (line.startswith("from"), line))
        return "\n".join([*ordered, "", *self.lines, ""])

    # ------------------------------------------------------------------ names

    def variable(self, name: str) -> str:
        """A name in Python for one in the model, each its own."""
        if name not in self.names:
            word = re.sub(r"\W", "_", name)
            word = (
                word if word.isidentifier() and word not in TAKEN else f"_{word}" if word[:1].isdigit() else f"{word}_"
            )
            word = word if word.isidentifier() else "part"
            made, k = word, 1
            while made in self.used or made in TAKEN:
                k += 1
                made = f"{word}_{k}"
            self.names[name] = made
            self.used.add(made)
        return self.names[name]

    def say(self, speaks_of: set[str], line: str) -> None:
        """A statement, now or when all is there that it speaks of."""
        if speaks_of <= self.known:
            self.lines.append(line)
        else:
            self.later.append((speaks_of, line))

    # ------------------------------------------------------------------ parts

    def _symbols(self) -> None:
        for section in ("parameter", "input"):
            for name, given in self.data.get(section, {}).items():
                told = given if isinstance(given, dict) else {"value": given}
                unit = f", unit={_quoted(told['unit'])}" if told.get("unit") else ""
                value = told.get("value", 0.0)
                self.lines.append(f"{self.variable(name)} = m.{section}({_quoted(name)}, {value!r}{unit})")
                self.known.add(name)
        for name, told in self.data.get("table", {}).items():
            times, values = told.get("times", []), told.get("values", [])
            if told.get("kind") == "jumps":
                made = f"lw.Table.with_jumps({times!r}, {values!r})"
            else:
                options = "".join(f", {w}={_quoted(told[w])}" for w in ("kind", "ends") if w in told)
                made = f"lw.Table({times!r}, {values!r}{options})"
            self.lines.append(f"{self.variable(name)} = {made}")
            self.known.add(name)

    def _component(self, name: str, content: Record) -> None:
        own = self.variable(name)
        if name == "ground":
            return self._shapes(own, content)
        kind = content.get("type")
        if kind == "connect":
            ends = content["ends"]
            self.say(_names(ends), f"m.connect({', '.join(self.value(end) for end in ends)})")
            return None
        cls = class_of(str(kind))
        if cls is None or not cls.__module__.startswith("linkwork."):
            raise _NotShort("components of other packages")
        declared = {w: a for w, a in arguments_of(cls.__init__).items() if w not in ("self", "name")}
        words = ", ".join([_quoted(name), *self._arguments(declared, content, cls)])
        self.lines.append(f"{own} = m.{kind}({words})")
        self.known.add(name)
        self._further(own, cls, content)
        return None

    def _arguments(self, declared: dict[str, Argument], content: Record, cls: type[Component]) -> list[str]:
        """Frames and what else has a place by their places, the rest by name."""
        kinds = {w: p.kind for w, p in inspect.signature(inspect.unwrap(cls.__init__)).parameters.items()}
        several = any(word.startswith("*") for word in declared)
        placed: list[str] = []
        named: list[str] = []
        for word, argument in declared.items():
            plain = word.lstrip("*")
            by_place = kinds[plain] is inspect.Parameter.POSITIONAL_OR_KEYWORD and not named
            if word.startswith("*"):
                placed += [self.value(x) for x in content.get(plain, [])]
            elif plain in content and not (plain == "rate" and issubclass(cls, State)):
                text = _quoted(content[plain]) if is_text(argument.hint) else self.value(content[plain])
                if by_place and (several or argument.default is inspect.Parameter.empty):
                    placed.append(text)
                else:
                    named.append(f"{plain}={text}")
            elif by_place and several and argument.default is not inspect.Parameter.empty:
                placed.append(repr(argument.default))
        return [*placed, *named]

    def _further(self, own: str, cls: type[Component], content: Record) -> None:
        if issubclass(cls, Body) and "start" in content:
            words = ", ".join(f"{w}={self.value(x)}" for w, x in content["start"].items())
            self.say(_names(content["start"]), f"{own}.start({words})")
        self._shapes(own, content)
        if issubclass(cls, Variable):
            self._coordinate(own, {w: content[w] for w in ("start", "rate", "laws") if w in content})
        elif issubclass(cls, State) and "rate" in content:
            self.say(_names(content["rate"]), f"{own}.rate = {self.value(content['rate'])}")
        for label, told in content.get("free", {}).items():
            self._coordinate(f"{own}.{label}", told)
        if rest := [w for w in ("particles", "compliance", "follow") if w in content]:
            raise _NotShort(f"{rest[0]} of components")

    def _shapes(self, own: str, content: Record) -> None:
        if given := content.get("shapes"):
            self.say(_names(given), f"{own}.shape({', '.join(self.value(x) for x in given)})")

    def _coordinate(self, own: str, told: Record) -> None:
        if laws := told.get("laws"):
            self.say(_names(laws), own + "".join(f".law({self.value(law)})" for law in laws))
        words = [self.value(told["start"])] if "start" in told else ["None"] if "rate" in told else []
        words += [f"rate={self.value(told['rate'])}"] if "rate" in told else []
        if words:
            self.say(_names([told.get("start"), told.get("rate")]), f"{own}.start({', '.join(words)})")

    # ------------------------------------------------------------------ values

    def value(self, given: Any) -> str:
        """A value of the file as Python."""
        if isinstance(given, str):
            return self.expression(parse(given), LOOSE, {})
        if isinstance(given, list):
            inner = ", ".join(self.value(x) for x in given)
            return f"({inner},)" if len(given) == 1 else f"({inner})"
        if isinstance(given, dict):
            return "{" + ", ".join(f"{self.value(key)}: {self.value(x)}" for key, x in given.items()) + "}"
        return repr(given)

    def expression(self, node: nodes.Node, level: int, own: dict[str, str]) -> str:
        """Python of a tree; level: how tightly it must hold together; own: names that functions have given."""
        text, tight = self._expression(node, own)
        return text if tight >= level else f"({text})"

    def _expression(self, node: nodes.Node, own: dict[str, str]) -> tuple[str, int]:
        if isinstance(node, nodes.Literal):
            return repr(node.value), ATOM
        if isinstance(node, nodes.Name):
            return self._name(node, own), ATOM
        if isinstance(node, nodes.List):
            inner = ", ".join(self.expression(x, LOOSE, own) for x in node.items)
            return f"[{inner}]", ATOM
        if isinstance(node, nodes.Function):
            names = {name: _argument(name) for name in node.names}
            inner = self.expression(node.body, 0, own | names)
            return f"lambda {', '.join(names.values())}: {inner}".replace("lambda :", "lambda:"), LOOSE
        if isinstance(node, nodes.Block):
            raise _NotShort("expressions with named values")
        if isinstance(node, nodes.Attribute):
            return self._attribute(node, own), ATOM
        if isinstance(node, nodes.Index):
            return f"{self.expression(node.of, ATOM, own)}[{node.place}]", ATOM
        if isinstance(node, nodes.Call):
            return self._call(node, own), ATOM
        if isinstance(node, nodes.Unary):
            if node.operator == "not":
                self.imports.add("import casadi as ca")
                return f"ca.logic_not({self.expression(node.x, 0, own)})", ATOM
            return f"-{self.expression(node.x, SIGN, own)}", SIGN
        return self._chain(node, own)

    def _chain(self, node: nodes.Chain, own: dict[str, str]) -> tuple[str, int]:
        if node.rest[0][0] == "**":
            base, exponent = self.expression(node.first, ATOM, own), self.expression(node.rest[0][1], SIGN, own)
            return f"{base}**{exponent}", POWER
        text, tight = self._expression(node.first, own)
        for operator, other in node.rest:
            level = LEVELS[operator]
            if operator in ("and", "or"):
                self.imports.add("import casadi as ca")
                text, tight = f"ca.logic_{operator}({text}, {self.expression(other, 0, own)})", ATOM
                continue
            # of comparisons in a row, Python would make one
            first = text if tight > level or (tight == level and level > 2) else f"({text})"
            mark = operator if level == 4 else f" {operator} "
            text, tight = f"{first}{mark}{self.expression(other, level + 1, own)}", level
        return text, tight

    def _name(self, node: nodes.Name, own: dict[str, str]) -> str:
        if not node.quoted and node.name in own:
            return own[node.name]
        if node.name in self.names:
            return self.names[node.name]
        if not node.quoted and node.name == "t":
            return "m.t"
        if not node.quoted and node.name == "pi":
            self.imports.add("import math")
            return "math.pi"
        if not node.quoted and node.name == "deg":
            return "lw.deg"
        return self.variable(node.name)

    def _attribute(self, node: nodes.Attribute, own: dict[str, str]) -> str:
        of = node.of
        if isinstance(of, nodes.Attribute) and isinstance(of.of, nodes.Name) and of.of.name not in own:
            raise _NotShort("expressions of ports")  # in Python they are Quantities of their domain
        if node.name.startswith("_"):
            raise _NotShort("names with underscores")
        return f"{self.expression(of, ATOM, own)}.{node.name}"

    def _call(self, node: nodes.Call, own: dict[str, str]) -> str:
        words = [self.expression(x, LOOSE, own) for x in node.arguments]
        words += [f"{word}={self.expression(x, LOOSE, own)}" for word, x in node.named]
        inside = f"({', '.join(words)})"
        of = node.of
        if not is_function(of):
            return f"{self.expression(of, ATOM, own)}{inside}"
        name = of.name if isinstance(of, nodes.Name) else f"{of.of.name}.{of.name}"  # type: ignore[union-attr]
        if name == "der":
            raise _NotShort("derivatives of quantities")
        if name in FUNCTIONS and name not in NAMES:
            if name == "if_else_zero":
                raise _NotShort("conditions without an else")
            self.imports.add("import casadi as ca")
            return f"ca.{name}{inside}"
        if name in MADE and name not in NAMES and "." not in name:
            self.imports.add("from linkwork.files.models import made")
            return f"made.{name}{inside}"
        return f"lw.{name}{inside}"


def _names(content: Any) -> set[str]:
    """Names of the model that expressions in plain data speak of."""
    if isinstance(content, str):
        return names_in(parse(content)) - {"t", "pi", "deg"}
    inner = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    return {name for x in inner for name in _names(x)}


def _argument(name: str) -> str:
    return f"{name}_" if name in TAKEN else name


def _quoted(text: object) -> str:
    """A text in double quotes."""
    plain = repr(str(text))
    inner = plain[1:-1].replace("\\'", "'") if plain[0] == "'" else plain[1:-1]
    return f'"{inner}"' if '"' not in inner else plain
