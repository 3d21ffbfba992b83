r"""Whole summands of a formula in LaTeX, around symbols that are marked in it.

A summand is what stands between two signs; inside of brackets, numerators and matrices the smallest one that holds a
marked symbol is meant: of `m \left(a + b x\right)` with x marked it is `b x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\\(?:begin|end)\{[a-z*]+\}|\\(?:left|right|[bB]ig[lr]?)\s*(?:\\[{}|]|[()\[\]|.])|\\[A-Za-z]+|\\.|[{}()\[\],&+\-=_^]"
)
_OPENS = re.compile(r"\\begin\{|\\(?:left|[bB]igl)|[({\[]")
_CLOSES = re.compile(r"\\end\{|\\(?:right|[bB]igr)|[)}\]]")
_WORDS = re.compile(r"\\text\{(?:[^{}\\]|\\[a-z]+\{\}|\\.)*\}")
_BETWEEN = (",", "&", r"\\", "=")
"""What ends an entry of a list, a matrix or an equation."""
_SCRIPTS = ("_", "^")
_FUNCTIONS = tuple(
    rf"\{name}" for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "operatorname", "text", "mathrm", "textcolor")
)


@dataclass(frozen=True)
class _Group:
    """Something in brackets: where its inside is, and whether one may look for summands there."""

    first: int
    last: int
    looked_into: bool


def with_summands(text: str, mark: str, colour: str) -> str:
    r"""The formula with `\textcolor{colour}{…}` around each summand that holds the text `mark`."""
    masked = _WORDS.sub(lambda m: "x" * len(m[0]), text)  # names may hold any sign
    pieces = [(a, b) for a, b in _found(masked, mark) if text[a:b].strip()]
    for a, b in reversed(pieces):
        text = rf"{text[:a]}\textcolor{{{colour}}}{{{text[a:b]}}}{text[b:]}"
    return text


def _found(text: str, mark: str, offset: int = 0) -> Iterator[tuple[int, int]]:
    """Where the summands with the mark are, in order."""
    for first, last, groups in _summands(text):
        places = [m.start() for m in re.finditer(re.escape(mark), text[first:last])]
        if not places:
            continue
        inner = [g for g in groups if g.looked_into and mark in text[g.first : g.last]]
        held = sum(text[g.first : g.last].count(mark) for g in inner)
        if inner and held == len(places):
            for g in inner:
                yield from _found(text[g.first : g.last], mark, offset + g.first)
        else:
            yield offset + first, offset + last


def _summands(text: str) -> Iterator[tuple[int, int, list[_Group]]]:
    """(begin, end, groups in it) of the summands of the outermost sum; signs belong to none."""
    begin, before, owner = 0, "", ""
    groups: list[_Group] = []
    tokens = list(_TOKEN.finditer(text))
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if _OPENS.match(token[0]) and (end := _partner(tokens, k)) is not None:
            groups.append(_group(text, tokens, k, end, before, owner))
            owner = owner if before in _SCRIPTS else ""
            before, k = "}", end + 1
            continue
        if token[0] in ("+", "-", *_BETWEEN) and before not in _SCRIPTS:
            yield _trimmed(text, begin, token.start(), groups)
            begin, groups = token.end(), []
        owner = owner if token[0] in _SCRIPTS else token[0]
        before, k = token[0], k + 1
    yield _trimmed(text, begin, len(text), groups)


def _trimmed(text: str, begin: int, end: int, groups: list[_Group]) -> tuple[int, int, list[_Group]]:
    """Without spaces and spacing commands at its ends."""
    piece = text[begin:end]
    lead = re.match(r"(?:\s|\\[,;!]|\\q?quad\b)*", piece)
    assert lead is not None
    begin += lead.end()
    return begin, max(begin, begin + len(text[begin:end].rstrip())), groups


def _partner(tokens: list[re.Match[str]], k: int) -> int | None:
    """The token that closes what token k opens; None: it stays open on this line."""
    depth = 0
    for j in range(k, len(tokens)):
        if _OPENS.match(tokens[j][0]):
            depth += 1
        elif _CLOSES.match(tokens[j][0]):
            depth -= 1
            if not depth:
                return j
    return None


def _group(text: str, tokens: list[re.Match[str]], k: int, end: int, before: str, owner: str) -> _Group:
    """before: the token before it; owner: what it may be an argument of, powers left aside."""
    opening, first, last = tokens[k][0], tokens[k].end(), tokens[end].start()
    raised = text[tokens[end].end() :].lstrip().startswith("^") and not opening.startswith(r"\begin")
    factor = opening != "{" and owner not in _FUNCTIONS and not raised
    numerator = opening == "{" and before == r"\frac"
    entries = list(_summands(text[first:last]))
    return _Group(first, last, (factor or numerator) and len(entries) > 1)
