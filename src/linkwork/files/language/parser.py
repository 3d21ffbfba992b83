"""Text → tree. Length and depth are bounded, so that no text takes long or exhausts the stack."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from linkwork.files.language.nodes import (
    Attribute,
    Block,
    Call,
    Chain,
    Function,
    Index,
    List,
    Literal,
    Name,
    Node,
    Unary,
)

LENGTH_LIMIT = 1_000_000
"""Characters of one expression."""
DEPTH_LIMIT = 60
"""Parentheses, calls and the like inside each other."""
DIGIT_LIMIT = 400
"""Characters of one number."""

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<name>[^\W\d]\w*)
    |(?P<quoted>`[^`\n]*`)
    |(?P<text>'[^'\n]*')
    |(?P<sign>->|\*\*|<=|>=|==|!=|[-+*/<>()\[\],.;=])""",
    re.VERBOSE,
)
_WORDS = {"true": True, "false": False, "none": None}
_LEVELS: tuple[tuple[str, ...], ...] = (("or",), ("and",), ("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/"))
"""Operators, the loosest first; those of one level are read from left to right."""


class ExpressionError(Exception):
    """What is wrong with a text, and at which character."""

    def __init__(self, cause: str, at: int, remedy: str | None = None):
        super().__init__(cause)
        self.cause, self.at, self.remedy = cause, at, remedy


class Token(NamedTuple):
    kind: str
    text: str
    at: int


def parse(text: str) -> Node:
    """The tree of an expression; ExpressionError says where it is none."""
    if len(text) > LENGTH_LIMIT:
        raise ExpressionError(f"an expression of {len(text)} characters.", 0, f"At most {LENGTH_LIMIT} are read.")
    return _Parser(_tokens(text), len(text)).whole()


def _tokens(text: str) -> list[Token]:
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"{text[at]!r} means nothing here.", at)
        kind = match.lastgroup or ""
        if kind != "space":
            tokens.append(Token(kind, match.group(), at))
        at = match.end()
    return tokens


class _Parser:
    """Recursive descent; every method reads from where the last one has stopped."""

    def __init__(self, tokens: list[Token], end: int):
        self.tokens, self.place, self.depth = tokens, 0, 0
        self.end = Token("end", "", end)

    def whole(self) -> Node:
        made = self.block()
        if self._ahead().kind != "end":
            self._refuse(self._ahead())
        return made

    def block(self) -> Node:
        """Values with names, and an expression or function of them."""
        at, values = self._ahead().at, []
        while self._ahead(0).kind == "name" and self._ahead(1).text == "=" and self._ahead(0).text not in _WORDS:
            name = self._next().text
            self._next()
            values.append((name, self.value()))
            self._expect(";")
        body = self.value()
        return Block(at, tuple(values), body) if values else body

    def value(self) -> Node:
        """An expression, or a function."""
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise ExpressionError(f"more than {DEPTH_LIMIT} levels of parentheses.", self._ahead().at)
        names = self._function_names()
        made: Node
        if names is not None:
            at = self._ahead().at
            made = Function(at, names, self.value())
        else:
            made = self._level(0)
        self.depth -= 1
        return made

    def _function_names(self) -> tuple[str, ...] | None:
        """The names before an arrow, if there is one."""
        if self._ahead().kind == "name" and self._ahead(1).text == "->":
            name = self._next().text
            self._next()
            return (name,)
        if self._ahead().text != "(":
            return None
        names: list[str] = []
        k = 1
        while self._ahead(k).kind == "name" and len(names) < DEPTH_LIMIT:
            names.append(self._ahead(k).text)
            k += 1
            if self._ahead(k).text != ",":
                break
            k += 1
        if self._ahead(k).text != ")" or self._ahead(k + 1).text != "->":
            return None
        self.place += k + 2
        return tuple(names)

    def _level(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        first, rest = self._level(level + 1), []
        while self._ahead().text in _LEVELS[level] and self._ahead().kind in ("sign", "name"):
            operator = self._next().text
            rest.append((operator, self._level(level + 1)))
        return Chain(first.at, first, tuple(rest)) if rest else first

    def _unary(self) -> Node:
        signs = []
        while self._ahead().text in ("-", "+", "not") and self._ahead().kind in ("sign", "name"):
            signs.append(self._next())
            if len(signs) > DEPTH_LIMIT:
                raise ExpressionError(f"more than {DEPTH_LIMIT} signs in a row.", signs[-1].at)
        made = self._power()
        for sign in reversed(signs):
            made = made if sign.text == "+" else Unary(sign.at, sign.text, made)
        return made

    def _power(self) -> Node:
        base = self._postfix()
        if self._ahead().text != "**":
            return base
        self._next()
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise ExpressionError(f"more than {DEPTH_LIMIT} powers inside each other.", self._ahead().at)
        exponent = self._unary()
        self.depth -= 1
        return Chain(base.at, base, (("**", exponent),))

    def _postfix(self) -> Node:
        made, count = self._atom(), 0
        while self._ahead().text in (".", "[", "("):
            count += 1
            if count > DEPTH_LIMIT:
                raise ExpressionError(f"more than {DEPTH_LIMIT} attributes in a row.", self._ahead().at)
            sign = self._next()
            if sign.text == ".":
                name = self._next()
                if name.kind != "name":
                    self._refuse(name)
                made = Attribute(name.at, made, name.text)
            elif sign.text == "[":
                number = self._next()
                if number.kind != "number" or not number.text.isdigit() or len(number.text) > 6:
                    raise ExpressionError("an index that is no whole number.", number.at)
                made = Index(number.at, made, int(number.text))
                self._expect("]")
            else:
                made = self._call(made)
        return made

    def _call(self, of: Node) -> Node:
        arguments: list[Node] = []
        named: list[tuple[str, Node]] = []
        while self._ahead().text != ")":
            if self._ahead().kind == "name" and self._ahead(1).text == "=":
                word = self._next().text
                self._next()
                named.append((word, self.value()))
            elif named:
                raise ExpressionError("an argument without a name after one that has a name.", self._ahead().at)
            else:
                arguments.append(self.value())
            if self._ahead().text != ",":
                break
            self._next()
        self._expect(")")
        return Call(of.at, of, tuple(arguments), tuple(named))

    def _atom(self) -> Node:
        token = self._next()
        if token.kind == "number":
            return Literal(token.at, _number(token))
        if token.kind == "text":
            return Literal(token.at, token.text[1:-1])
        if token.kind == "quoted":
            return Name(token.at, token.text[1:-1], quoted=True)
        if token.kind == "name" and token.text not in ("and", "or", "not"):
            return Literal(token.at, _WORDS[token.text]) if token.text in _WORDS else Name(token.at, token.text)
        if token.text == "(":
            made = self.block()
            self._expect(")")
            return made
        if token.text == "[":
            items = []
            while self._ahead().text != "]":
                items.append(self.value())
                if self._ahead().text != ",":
                    break
                self._next()
            self._expect("]")
            return List(token.at, tuple(items))
        self._refuse(token)

    def _ahead(self, by: int = 0) -> Token:
        k = self.place + by
        return self.tokens[k] if k < len(self.tokens) else self.end

    def _next(self) -> Token:
        token = self._ahead()
        self.place += 1
        return token

    def _expect(self, sign: str) -> None:
        token = self._next()
        if token.text != sign or token.kind != "sign":
            what = "the end" if token.kind == "end" else repr(token.text)
            raise ExpressionError(f"{what} where {sign!r} is expected.", token.at)

    def _refuse(self, token: Token) -> NoReturn:
        what = "it ends too early" if token.kind == "end" else f"{token.text!r} is not expected here"
        raise ExpressionError(f"{what}.", token.at)


def _number(token: Token) -> float | int:
    if len(token.text) > DIGIT_LIMIT:
        raise ExpressionError(f"a number of {len(token.text)} digits.", token.at)
    if token.text.isdigit() and int(token.text) < 2**53:
        return int(token.text)
    number = float(token.text)
    if number == float("inf"):
        raise ExpressionError(f"{token.text} is too large for a number.", token.at)
    return number
