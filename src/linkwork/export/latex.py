"""Equations in LaTeX, set as in a textbook: matrices while they fit, else entry by entry with long sums broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, Unpack

from linkwork.core.equations import Equations
from linkwork.export.names import Name
from linkwork.export.symbolic_equations import SymbolicEquations
from linkwork.export.sympy_expressions import tree_size
from linkwork.export.typeset import Typesetter, glyphs, latex_name, text_mode

if TYPE_CHECKING:
    from sympy import Basic, Expr, Matrix

    from linkwork.export.equations import EquationSheet

NAMED_OPERATIONS = 60
"""Operations of one entry, written out, beyond which common subexpressions get names."""
WIDEST = 78
"""Glyphs that fit on a line."""
_RATE = r"\boldsymbol{v} &= \dot{\boldsymbol{q}}"
COLUMN_LIMIT = 10
"""Of a matrix: the limit of amsmath."""


@dataclass(frozen=True)
class Block:
    """A sentence and the display that follows it: lines "left & = right", aligned at the sign."""

    sentence: str
    lines: tuple[str, ...]

    @property
    def display(self) -> str:
        body = " \\\\\n".join(self.lines)
        return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"


class Setting(TypedDict, total=False):
    """cse: whether common subexpressions get names; None: where entries are long; digits: of decimal numbers."""

    cse: bool | None
    simplify: bool
    digits: int


def latex_text(sheet: EquationSheet, **options: Unpack[Setting]) -> str:
    """Sentences and displays, to be put into a document with amsmath."""
    return "\n\n".join(f"{block.sentence}\n{block.display}" for block in blocks_of(sheet, **options))


def latex_document(sheet: EquationSheet, **options: Unpack[Setting]) -> str:
    """A whole document."""
    title = f"{text_mode(sheet.model)}: equations of motion, {text_mode(sheet.formulation)} formulation"
    return "\n".join(
        [
            r"\documentclass[a4paper]{article}",
            r"\usepackage[utf8]{inputenc}",
            r"\usepackage[margin=20mm]{geometry}",
            r"\usepackage{amsmath}",
            r"\allowdisplaybreaks",
            r"\setlength{\parindent}{0pt}",
            r"\begin{document}",
            rf"\section*{{{title}}}",
            latex_text(sheet, **options),
            r"\end{document}",
            "",
        ]
    )


def markdown_text(sheet: EquationSheet, **options: Unpack[Setting]) -> str:
    """For notebooks: sentences as prose, displays between dollar signs."""
    parts = [f"**{sheet.model}**, {sheet.formulation} formulation"]
    for block in blocks_of(sheet, **options):
        parts += [block.sentence, f"$$\n{block.display}\n$$"]
    return "\n\n".join(parts)


def blocks_of(sheet: EquationSheet, cse: bool | None = None, simplify: bool = False, digits: int = 6) -> list[Block]:
    """Sentences with what follows each, for whoever sets them otherwise."""
    if cse is None:
        cse = not simplify and _size(sheet.equations) > NAMED_OPERATIONS
    symbols = sheet.sympy(cse=cse)
    writer = _Writer(sheet, symbols.simplified() if simplify else symbols, digits)
    return [block for block in writer.blocks() if block.lines]


def _size(eq: Equations) -> int:
    arguments = [eq.t, eq.q, eq.v, eq.z, eq.p, eq.a, eq.multipliers]
    motion, held = eq.motion, eq.constraints
    shown = [motion.mass, motion.force, held.jacobian, held.gamma, held.position, motion.qdot, motion.zdot]
    return tree_size(arguments, shown)


class _Writer:
    def __init__(self, sheet: EquationSheet, symbols: SymbolicEquations, digits: int):
        self.sheet, self.eq, self.symbols = sheet, sheet.equations, symbols
        names = sheet.names
        self.names: dict[Basic, Name] = {}
        for group, column in (
            ((names.t,), [symbols.t]),
            (names.q, symbols.q),
            (names.v, symbols.v),
            (names.z, symbols.z),
            (names.p, symbols.parameters),
            (names.a, symbols.a),
            (names.multipliers, symbols.multipliers),
        ):
            self.names |= dict(zip(column, group, strict=True))
        shown = {symbol: latex_name(name) for symbol, name in self.names.items()}
        for k, (symbol, _) in enumerate(symbols.where):
            letter = symbol.name.rpartition("_")[0]
            shown[symbol] = f"{latex_name(Name(letter, letter))}_{{{k + 1}}}"
        self.set = Typesetter(shown, digits)

    def blocks(self) -> list[Block]:
        s, rows = self.symbols, len(self.eq.constraints.rows)
        rates = self._rates()
        lines = [self._column("q", s.q)] if s.q else []
        if s.v:
            lines.append(self._column("v", s.v) if rates or s.q.rows != s.v.rows else _RATE)
        lines += [self._column("z", s.z)] if s.z else []
        blocks = [Block("Unknowns:", tuple(lines))]
        if rates:
            blocks.append(Block("The coordinates follow the speeds:", tuple(rates)))
        blocks += self._motion(rows) if s.v else []
        if rows:
            blocks += self._constraints()
        zdot = [line for name, x in zip(s.z, s.zdot, strict=True) for line in self._entry(self._rate(name), x)]
        blocks.append(Block("First-order states:", tuple(zdot)))
        where = [line for name, x in s.where for line in self._entry(self.set.names[name], x)]
        return [*blocks, Block("Here", tuple(where))]

    def _motion(self, rows: int) -> list[Block]:
        s = self.symbols
        if self.eq.motion.explicit:
            lines = [x for a, f in zip(s.a, s.force, strict=True) for x in self._entry(self.set.names[a], f)]
            return [Block(r"Equations of motion, solved for the accelerations $\dot{\boldsymbol{v}}$:", tuple(lines))]
        pull = r" + \boldsymbol{A}^{\mathsf{T}} \boldsymbol{\lambda}" if rows else ""
        motion = rf"\boldsymbol{{M}} \dot{{\boldsymbol{{v}}}}{pull} &= \boldsymbol{{f}}"
        extra = [self._column(r"\lambda", s.multipliers)] if rows else []
        return [
            Block("Equations of motion:", (motion, *extra)),
            Block("Mass matrix:", tuple(self._matrix("M", s.mass, symmetric=True))),
            Block("Forces:", tuple(self._vector("f", s.force))),
        ]

    def _constraints(self) -> list[Block]:
        s, lines = self.symbols, []
        for k, row in enumerate(self.eq.constraints.rows[: s.position.rows]):
            label = f"({text_mode(row.owner)}, {text_mode(row.direction)})"
            *before, last = self._entry(rf"\Phi_{{{k + 1}}}", s.position[k], less=len(label) + 4)
            lines += [*before, rf"{last} = 0 && \text{{{label}}}"]
        return [
            Block("Constraints at position level:", tuple(lines)),
            Block(
                r"Constraints at acceleration level, $\boldsymbol{A} \dot{\boldsymbol{v}} = \boldsymbol{\gamma}$, with",
                (*self._matrix("A", s.jacobian), *self._vector(r"\gamma", s.gamma)),
            ),
        ]

    def _rates(self) -> list[str]:
        """q̇ = H v, without the lines that only say that a speed is the rate it is called."""
        lines = []
        for q, rate in zip(self.symbols.q, self.symbols.qdot, strict=True):
            if rate not in self.names or self.set.names[rate] != self._rate(q):
                lines += self._entry(self._rate(q), rate)
        return lines

    def _rate(self, symbol: Basic) -> str:
        return latex_name(self.names[symbol].rate())

    def _column(self, letter: str, column: Matrix) -> str:
        """A column of symbols, written as a row with a transposition mark."""
        names = [self.set.names[x] for x in column]
        lines = [""]
        for name in names:
            if glyphs(lines[-1] + name) + 2 * lines[-1].count(",") > WIDEST:
                lines.append("")
            lines[-1] += f"{name},\\; "
        text = r"\\ &\qquad ".join(line.rstrip("; \\") for line in lines).rstrip(",")
        return rf"\boldsymbol{{{letter}}} &= \bigl( {text} \bigr)^{{\mathsf{{T}}}}"

    def _matrix(self, letter: str, matrix: Matrix, *, symmetric: bool = False) -> list[str]:
        bold = rf"\boldsymbol{{{letter}}}"
        if symmetric and matrix.rows > 1 and matrix.is_diagonal():
            entries = [self.set(x) for x in matrix.diagonal()]
            if glyphs("".join(entries)) + 2 * len(entries) < WIDEST - 10:
                return [rf"{bold} &= \operatorname{{diag}}\left({', '.join(entries)}\right)"]
        elif matrix.cols <= COLUMN_LIMIT:
            cells = [[self.set(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)]
            width = sum(max(glyphs(row[j]) for row in cells) + 2 for j in range(matrix.cols))
            if width < WIDEST - 6:
                return [rf"{bold} &= {_pmatrix(cells)}"]
        lines = []
        for i in range(matrix.rows):
            for j in range(i if symmetric else 0, matrix.cols):
                if matrix[i, j] != 0:
                    mirrored = rf" = {letter}_{{{j + 1},{i + 1}}}" if symmetric and i != j else ""
                    lines += self._entry(rf"{letter}_{{{i + 1},{j + 1}}}{mirrored}", matrix[i, j])
        return lines

    def _vector(self, letter: str, column: Matrix) -> list[str]:
        lines = []
        for k, x in enumerate(column):
            lines += self._entry(rf"{letter}_{{{k + 1}}}", x)
        return lines

    def _entry(self, left: str, value: Expr, *, less: int = 0) -> list[str]:
        """left = value, over as many lines as it takes; `less`: glyphs of room that something else needs."""
        first, *more = self.set.broken(value, max(WIDEST - glyphs(left) - 4 - less, WIDEST // 3))
        return [rf"{left} &= {first}", *(rf"&\qquad {line}" for line in more)]


def _pmatrix(cells: list[list[str]]) -> str:
    tall = any("frac" in cell for row in cells for cell in row)
    body = (r" \\[1ex] " if tall else r" \\ ").join(" & ".join(row) for row in cells)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"
