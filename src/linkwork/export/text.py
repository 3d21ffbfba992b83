"""Equations as plain Unicode text, for terminals: needs no other package."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import casadi as ca
import numpy as np

from linkwork.compile.stream import stream_of
from linkwork.export.infix import ATOM, LOOSE, POWER, PRODUCT, QUOTIENT, SUM, UNARY, Dialect, Form, arithmetic, written
from linkwork.export.names import Name, entries

if TYPE_CHECKING:
    from linkwork.export.equations import EquationSheet

_FORMS: Final = {
    **arithmetic("{x} + {y}", "{x} - {y}", "{x}·{y}", "{x}/{y}", strict=False),
    "DIV": Form("{x}/{y}", QUOTIENT, PRODUCT, UNARY),
    **{name: Form(f"{name.lower()}({{x}})") for name in ("EXP LOG SIN COS TAN ASIN ACOS ATAN ERF FLOOR CEIL").split()},
    **{name: Form(f"{name.lower()}({{x}})") for name in ("SINH COSH TANH ASINH ACOSH ATANH SIGN LOG1P EXPM1").split()},
    **{name: Form(f"{name.lower()}({{x}}, {{y}})") for name in ("FMOD", "REMAINDER", "COPYSIGN", "ATAN2", "HYPOT")},
    "FMIN": Form("min({x}, {y})"),
    "FMAX": Form("max({x}, {y})"),
    "SQRT": Form("√({x})"),
    "FABS": Form("|{x}|"),
    "POW": Form("{x}^{y}", POWER, ATOM, ATOM),
    "CONSTPOW": Form("{x}^{y}", POWER, ATOM, ATOM),
    "SQ": Form("{x}²", POWER, ATOM),
    "ASSIGN": Form("{x}", UNARY, UNARY),
    "NEG": Form("-{x}", UNARY, PRODUCT),
    "TWICE": Form("2·{x}", PRODUCT, UNARY),
    "INV": Form("1/{x}", QUOTIENT, UNARY),
    "NOT": Form("¬{x}", UNARY, ATOM),
    **{
        name: Form(f"{{x}} {sign} {{y}}", LOOSE, SUM, SUM)
        for name, sign in (("LT", "<"), ("LE", "≤"), ("EQ", "="), ("NE", "≠"), ("AND", "∧"), ("OR", "∨"))
    },
    "IF_ELSE_ZERO": Form("({y} if {x} else 0)"),
}
_LETTERS: Final = ("κ", "ζ", "ξ", "common")


def text_of(sheet: EquationSheet) -> str:
    """Sizes, unknowns, and all equations; common subexpressions at the end."""
    eq, names = sheet.equations, sheet.names
    rows = len(eq.constraints.rows)
    counts = [
        (eq.q.numel(), "coordinate"), (eq.v.numel(), "speed"), (eq.z.numel(), "first-order state"),
        (rows, "constraint"), (eq.symbols.parameters.numel(), "parameter"), (eq.symbols.inputs.numel(), "input"),
        (len(eq.observation.outputs), "channel"),
    ]  # fmt: skip
    lines = [f"{sheet.model}, {sheet.formulation} formulation"]
    shown = [(count, word) for count, word in counts if count or word != "input"]
    lines += [", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in shown), ""]
    for title, group in (("coordinates q", names.q), ("speeds v", names.v), ("states z", names.z)):
        lines += [f"{title}: {', '.join(x.text for x in group)}"] if group else []
    given = zip(names.p, sheet.p.tolist(), sheet.parameter_units, strict=True)
    values = [f"{x.text} = {_number(value)} {unit}".strip() for x, value, (_, unit) in given]
    first = eq.symbols.parameters.numel()
    for title, part in (("parameters", values[:first]), ("inputs", values[first:])):
        lines += [f"{title}: {', '.join(part)}"] if part else []
    blocks, where = _statements(sheet)
    if eq.v.numel():
        motion = "v̇ = f" if eq.motion.explicit else "M v̇ + Aᵀλ = f" if rows else "M v̇ = f"
        lines += ["", motion, *([] if eq.motion.explicit else blocks["M"]), *blocks["f"]]
    if rows:
        lines += ["", "Φ(t, q) = 0, A v̇ = γ"]
        placed = eq.constraints.position.numel()  # rows behind these hold speeds only
        lines += [
            f"{f'Φ[{k + 1}], ' if k < placed else ''}row {k + 1} of A: {row}"
            for k, row in enumerate(eq.constraints.rows)
        ]
        lines += [*blocks["Φ"], *blocks["A"], *blocks["γ"]]
    for title, letter in (("q̇ = H v", "q̇"), ("ż = g", "ż")):
        lines += ["", title, *blocks[letter]] if blocks[letter] else []
    lines += ["", "where", *where] if where else []
    return "\n".join(lines)


def _statements(sheet: EquationSheet) -> tuple[dict[str, list[str]], list[str]]:
    """({letter: lines}, lines that define common subexpressions)."""
    eq, names = sheet.equations, sheet.names
    arguments = [eq.t, eq.q, eq.v, eq.z, eq.p, eq.a, eq.multipliers]
    groups = [(names.t,), names.q, names.v, names.z, names.p, names.a, names.multipliers]
    motion, held = eq.motion, eq.constraints
    mass = ca.triu(motion.mass)  # symmetric
    qdot = [
        k for k, (x, name) in enumerate(zip(entries(motion.qdot), names.q, strict=True)) if not _is_rate(x, name, sheet)
    ]
    results = {
        "M": mass, "f": motion.force, "A": held.jacobian, "γ": held.gamma, "Φ": ca.densify(held.position),
        "q̇": motion.qdot[qdot] if qdot else motion.qdot[:0], "ż": motion.zdot,
    }  # fmt: skip
    if motion.explicit:
        results |= {"M": mass[:0, :]}
    f = ca.Function("text", arguments, list(results.values()), {"cse": True})
    taken = {x.text for group in groups for x in group}
    letter = next(x for x in _LETTERS if not any(name.startswith(x) for name in taken))
    dialect = Dialect(
        forms={getattr(ca, f"OP_{name}"): form for name, form in _FORMS.items()},
        number=_number,
        define="{name} = {value}",
        shortest=22,
        letter=letter,
        signs=(ca.OP_MUL, ca.OP_DIV, ca.OP_TWICE, ca.OP_INV, ca.OP_NEG),
    )
    titles = {"q̇": [names.q[k].rate().text for k in qdot], "ż": [x.rate().text for x in names.z]}
    letters = list(results)

    def place(i: int, k: int) -> str:
        pattern = f.sparsity_out(i)
        rows, columns = pattern.get_triplet()
        if letters[i] in titles:
            return titles[letters[i]][rows[k]]
        index = f"{rows[k] + 1},{columns[k] + 1}" if letters[i] in "MA" else str(rows[k] + 1)
        return f"{letters[i]}[{index}]"

    pieces, _ = written(stream_of(f), dialect, lambda i, k: groups[i][k].text, place)
    blocks: dict[str, list[str]] = {x: [] for x in letters}
    where: list[str] = []
    owners = {place(i, k): x for i, x in enumerate(letters) for k in range(f.nnz_out(i))}
    for line in pieces[0].lines:
        left, _, right = line.partition(" = ")
        owner = owners.get(left)
        if owner is None:
            where.append(_tidy(line))
        elif right != "0" or owner not in "MA":
            blocks[owner].append(_tidy(line))
    by_row = sorted(owners, key=lambda left: [int(number) for number in re.findall(r"\d+", left.partition("[")[2])])
    order = {left: n for n, left in enumerate(by_row)}
    for lines in blocks.values():
        lines.sort(key=lambda line: order[line.partition(" = ")[0]])
    return blocks, where


def _is_rate(x: ca.SX, name: Name, sheet: EquationSheet) -> bool:
    """Whether q̇ is a speed or a state that is called so: then there is nothing to tell."""
    known = {y.name(): n.text for y, n in zip(entries(sheet.equations.y), sheet.names.states, strict=True)}
    return bool(x.is_symbolic()) and known.get(x.name()) == name.rate().text


def _tidy(line: str) -> str:
    return line.replace("+ -", "- ").replace("- -", "+ ")


def _number(value: float) -> str:
    if np.isfinite(value) and value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.6g}"
