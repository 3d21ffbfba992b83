"""The equations of motion to read, as MathML; what belongs to a component is marked."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from xml.etree import ElementTree

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record
from linkwork.export.equations import LONGEST_SHOWN, EquationSheet
from linkwork.export.latex import Block, blocks_of
from linkwork.export.typeset import latex_name, text_mode
from linkwork.files.language.parser import ExpressionError, parse
from linkwork.studio.server.references import names_in
from linkwork.studio.server.session import Session
from linkwork.studio.server.summands import with_summands

_MARK, _SUMMAND = "marked", "summand"
"""Classes of a symbol of the component, and of a whole summand in which one stands."""
_MATHML = "http://www.w3.org/1998/Math/MathML"
_TAGS = set(
    "math mrow mi mn mo ms mtext mspace mstyle mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr "
    "mtd mpadded mphantom menclose".split()
)
_ATTRIBUTES = set(
    "display class mathvariant stretchy fence form separator accent minsize maxsize lspace rspace width height depth "
    "columnalign rowspacing columnspacing linethickness displaystyle scriptlevel mathcolor movablelimits "
    "symmetric".split()
)
_TEXT = re.compile(r"\\text\{((?:[^{}\\]|\\[a-z]+\{\}|\\.)*)\}")
_FIRST, _LAST = "\ue000", "\ue001"
"""Marks of a place where a text goes."""
_SKIPPED = r"\\(?:mathrm|text|operatorname|mathsf|boldsymbol|begin|end)\{[^{}]*\}"
"""Of a formula, what holds letters that are no symbols."""


def equations(
    session: Session, formulation: str = "minimal", component: str | None = None, simplify: bool = False
) -> Record:
    """Sentences and formulas. component: whose coordinates, multipliers, constraints and parameters are marked."""
    sheet, shown = _shown(session, formulation, simplify)
    speeds = sheet.equations.v.numel()
    told: Record = {
        "formulation": sheet.formulation,
        "coordinates": sheet.equations.q.numel(),
        "speeds": speeds,
        "constraints": len(sheet.equations.constraints.rows),
        "states": sheet.state_names,
    }
    if shown is None:
        return told | {"blocks": [], "text": sheet.text(), "note": f"{speeds} speeds: nobody would read the formulas."}
    symbols = [] if component is None else _symbols(session, sheet, component)
    rows = [] if component is None else _labels(sheet, component)
    return told | {"blocks": [_block(block, symbols, rows) for block in shown], "text": None, "note": ""}


def _shown(session: Session, formulation: str, simplify: bool) -> tuple[EquationSheet, list[Block] | None]:
    """The equations and how they are set; kept, because a click on another component changes only what is marked."""
    key = f"equations {formulation} {simplify}"
    if key not in session.held:
        session.progress("deriving the equations")
        sheet = session.model.equations(formulation, parameters=session.parameters)
        short = sheet.equations.v.numel() <= LONGEST_SHOWN
        session.held[key] = sheet, blocks_of(sheet, simplify=simplify) if short else None
    shown: tuple[EquationSheet, list[Block] | None] = session.held[key]
    return shown


def _symbols(session: Session, sheet: EquationSheet, component: str) -> list[str]:
    """Symbols of a component, as LaTeX writes them: its own, those of its multipliers, parameters it is made with."""
    names, rows = sheet.names, sheet.equations.constraints.rows
    data = session.document.data()
    used = _used(data.get("component", {}).get(component, {}))
    symbols = [n for n in (*names.states, *names.a) if n.plain == component or n.plain.startswith(f"{component}.")]
    symbols += [n for n in names.p if n.plain == component or n.plain in used]
    symbols += [names.multipliers[k] for k, row in enumerate(rows[: len(names.multipliers)]) if row.owner == component]
    return [latex_name(name) for name in symbols]


def _used(content: object) -> set[str]:
    if isinstance(content, str):
        try:
            return names_in(parse(content))
        except ExpressionError:
            return set()
    inner = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    return {name for x in inner for name in _used(x)}


def _labels(sheet: EquationSheet, component: str) -> list[str]:
    """What stands behind the constraints of a component."""
    rows = sheet.equations.constraints.rows
    return [f"({text_mode(row.owner)}, {text_mode(row.direction)})" for row in rows if row.owner == component]


def _block(block: Block, symbols: list[str], labels: list[str]) -> Record:
    lines = []
    for line in block.lines:
        owned = any(label in line for label in labels)
        for part in _rows(_marked(line, symbols)):
            cells = _cells(_terms(part))
            marked = owned or any(_MARK in cell for cell in cells)
            lines.append({"mathml": _row(cells, marked), "marked": marked})
    return {"sentence": _sentence(block.sentence), "lines": lines}


def _marked(line: str, symbols: list[str]) -> str:
    """The line with symbols in the colour that stands for a mark."""
    if not symbols:
        return line
    alternatives = "|".join(re.escape(s) for s in sorted(symbols, key=len, reverse=True))
    pattern = re.compile(rf"(?<![A-Za-z\\])({alternatives})(?![A-Za-z_])|{_SKIPPED}")
    return pattern.sub(lambda m: m[0] if m[1] is None else rf"\textcolor{{{_MARK}}}{{{m[1]}}}", line)


def _terms(row: str) -> str:
    """The row with its summands marked, on the right of its sign; a list of symbols has none."""
    left, sign, right = row.partition("&")
    if not sign or r",\;" in right:
        return row
    return left + sign + with_summands(right, rf"\textcolor{{{_MARK}}}", _SUMMAND)


def _rows(line: str) -> list[str]:
    """A line may be several; breaks of matrices stay."""
    return _split(line, r"\\")


def _cells(line: str) -> list[str]:
    """Left side, right side and label of an aligned line; ampersands of matrices stay."""
    return [part.strip() for part in _split(line, "&") if part.strip()]


def _split(line: str, sign: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for match in re.finditer(r"\\begin\{|\\end\{|\\\\|\\&|&", line):
        if match[0] == sign and depth == 0:
            parts.append(line[begin : match.start()])
            begin = match.end()
        elif match[0] in (r"\begin{", r"\end{"):
            depth += 1 if match[0] == r"\begin{" else -1
    return [*parts, line[begin:]]


def _row(cells: list[str], marked: bool) -> str:
    """One line as MathML, made of its cells."""
    first, *rest = [_mathml(cell) for cell in cells] or [""]
    label = '<mspace width="1.5em" />' if len(rest) > 1 else ""
    kind = f' class="{_MARK}"' if marked else ""
    return _verified(f'<math xmlns="{_MATHML}" display="block"{kind}>{first}{label.join(rest)}</math>')


def _sentence(text: str) -> str:
    """A sentence as HTML, with its formulas."""
    parts = text.split("$")
    shown = [
        _verified(f'<math xmlns="{_MATHML}">{_mathml(part)}</math>') if k % 2 else escape(part)
        for k, part in enumerate(parts)
    ]
    return "".join(shown)


@lru_cache(maxsize=20_000)
def _mathml(latex: str) -> str:
    """The inside of one formula. Texts are put in afterwards, escaped: they hold names, which may be anything."""
    from latex2mathml.converter import convert

    texts: list[str] = []

    def taken_out(match: re.Match[str]) -> str:
        texts.append(match[1])
        return rf"\text{{{_FIRST}{len(texts) - 1}{_LAST}}}"

    plain = _TEXT.sub(taken_out, re.sub(r"\\\\\[[^\]]*\]", r"\\\\", latex))  # the distance of rows is the browser's
    try:
        whole = convert(plain)
    except Exception:
        raise LinkworkError(f"the formula {latex[:80]!r} cannot be shown.", component="equations") from None
    inner = whole[whole.index(">") + 1 : whole.rindex("</math>")]
    inner = re.sub(rf"{_FIRST}(\d+){_LAST}", lambda m: escape(_unescaped(texts[int(m[1])])), inner)
    for kind in (_MARK, _SUMMAND):
        inner = inner.replace(f'mathcolor="{kind}"', f'class="{kind}"')
    return inner


def _unescaped(text: str) -> str:
    """What LaTeX would set for a text that `text_mode` has escaped."""
    marks = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^"}
    return re.sub(r"\\text[a-z]+\{\}|\\(.)", lambda m: marks.get(m[0], m[1] or ""), text)


def _verified(mathml: str) -> str:
    """The same, if it is a formula and nothing else: it becomes part of the page."""
    try:
        elements = list(ElementTree.fromstring(mathml).iter())
    except ElementTree.ParseError:
        raise LinkworkError("a formula cannot be shown.", component="equations") from None
    tags = {element.tag.removeprefix(f"{{{_MATHML}}}") for element in elements}
    words = {word for element in elements for word in element.attrib}
    if not tags <= _TAGS or not words <= _ATTRIBUTES:
        strange = ", ".join(sorted((tags - _TAGS) | (words - _ATTRIBUTES)))
        raise LinkworkError(f"a formula holds {strange}, which are not shown.", component="equations")
    return mathml
