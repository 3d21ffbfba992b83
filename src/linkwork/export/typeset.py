"""Setting one expression in LaTeX: names, numbers, and where a long one may be broken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from linkwork.export.names import GREEK, Name
from linkwork.export.sympy_expressions import sympy

if TYPE_CHECKING:
    from sympy import Basic, Expr, Rational
    from sympy.printing.latex import LatexPrinter


def latex_name(name: Name) -> str:
    r"""\dot{\theta}_{\mathrm{O}}: letters in italics, words and labels upright."""
    letter = f"\\{name.letter}" if name.letter in GREEK else _word(name.letter)
    if name.dots:
        letter = f"\\{'d' * (name.dots - 1)}dot{{{letter}}}"
    return f"{letter}_{{{','.join(map(_word, name.subscripts))}}}" if name.subscripts else letter


def text_mode(text: str) -> str:
    """Text with the characters escaped that LaTeX would take for commands."""
    marks = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(marks.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


def glyphs(latex: str) -> int:
    """About how many characters wide a formula is when it is set."""
    latex = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", lambda m: max(m[1], m[2], key=len), latex)
    latex = re.sub(r"\\(begin|end)\{\w+\}|\\(mathrm|text|left|right|d+ot|dot|boldsymbol|operatorname)\b", "", latex)
    latex = re.sub(r"\\[a-zA-Z]+", "x", latex)
    small = sum(len(m) for m in re.findall(r"[_^]\{([^{}]*)\}", latex))
    return len(re.sub(r"[\s{}^_&\\]", "", latex)) - small // 3 + len(re.findall(r"[-+=<>]", latex))


def _word(text: str) -> str:
    if text in GREEK:
        return f"\\{text}"
    if len(text) == 1 and text.isascii() and text.isalnum() or text.isdigit():
        return text
    return rf"\mathrm{{{text}}}" if text.isascii() and text.isalnum() else rf"\text{{{text_mode(text)}}}"


def _printer(names: dict[Basic, str]) -> LatexPrinter:
    r"""SymPy's printer, with \sin\theta but \sin(2\theta): its own would leave out both pairs of brackets."""

    class Printer(import_module("sympy.printing.latex").LatexPrinter):  # type: ignore[misc]
        def _needs_function_brackets(self, expr: Expr) -> bool:
            return not expr.is_Symbol

    return Printer({"symbol_names": names, "fold_func_brackets": True, "mul_symbol": r"\,"})


class Typesetter:
    """Expression → LaTeX, with the given names of symbols and at most `digits` digits in decimal numbers."""

    def __init__(self, names: Mapping[Basic, str], digits: int):
        self.names, self.digits = dict(names), digits
        self._printer = _printer(self.names)

    def __call__(self, value: Expr) -> str:
        text = str(self._printer.doprint(self._rounded(value)))
        return re.sub(r"(?<![\d.])1\.0 \\cdot 10\^", "10^", text)

    def broken(self, value: Expr, room: int) -> list[str]:
        """The expression in lines of at most about `room` glyphs."""
        whole = self(value)
        if glyphs(whole) <= room:
            return [whole]
        value = self._rounded(value)
        lines = [""]
        for term in value.as_ordered_terms() if isinstance(value, sympy().Add) else [value]:
            tokens = self._tokens(term, room)
            if len(tokens) > 1 and lines[-1]:
                lines.append("")  # a term that takes several lines begins on one of its own
            for n, token in enumerate(tokens):
                plus = "" if n or lines == [""] or token.startswith("-") else "+ "
                if lines[-1] and glyphs(lines[-1] + token) > room:
                    lines.append("")
                lines[-1] = f"{lines[-1]} {plus}{token}".strip()
        return lines

    def _tokens(self, value: Expr, room: int) -> list[str]:
        """Parts of a term between which a line may end: factors, and the terms of long ones."""
        sp = sympy()
        if isinstance(value, sp.Add):
            tokens: list[str] = []
            for term in value.as_ordered_terms():
                first, *rest = self._tokens(term, room)
                plus = "" if not tokens or first.startswith("-") else "+ "
                tokens += [plus + first, *rest]
            return tokens
        text = self(value)
        if glyphs(text) <= room or not isinstance(value, sp.Mul):
            return [text]
        numerator, denominator = sp.fraction(value)
        if denominator != 1:
            return [text]
        tokens = []
        for factor in value.as_ordered_factors():
            if isinstance(factor, sp.Add):
                inner = self._tokens(factor, room)
                size = "Big" if any("frac" in token for token in inner) else "big"
                tokens += [rf"\{size}l( {inner[0]}", *inner[1:]]
                tokens[-1] += rf" \{size}r)"
            elif factor == -1:
                tokens.append("-")
            else:
                tokens.append(self(factor))
        if tokens[0] == "-":
            tokens[:2] = ["- " + tokens[1]]
        return tokens

    def _rounded(self, value: Expr) -> Expr:
        """Fractions that nobody would write as such become decimal numbers."""
        sp = sympy()
        decimals = {x: sp.Float(x, self.digits) for x in value.atoms(sp.Rational) if self._is_decimal(x)}
        return value.xreplace(decimals) if decimals else value

    def _is_decimal(self, x: Rational) -> bool:
        if x.is_Integer:
            return bool(abs(x) >= 10**self.digits)
        if x.q in (2, 4) and abs(x.p) < 100:
            return False
        rest = x.q
        for prime in (2, 5):
            while rest % prime == 0:
                rest //= prime
        return bool(rest == 1 or x.q > 1000)
