"""Equations as text and as LaTeX, and the command that prints them."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.app import main
from linkwork.examples import slider_crank
from linkwork.export.names import Name, own_name
from linkwork.export.typeset import glyphs, latex_name

from ..arm_and_shaper import arm, shaper
from .equation_models import ball_chain, double_pendulum, switched_slider

CASES = [(double_pendulum, "minimal"), (slider_crank.model, "absolute"), (switched_slider, "minimal")] + [
    (ball_chain, "minimal"),
    (slider_crank.model, "points"),
]


@cache
def sheet_of(make: Any, formulation: str = "minimal") -> Any:
    return make().equations(formulation)


@cache
def document(make: Any, formulation: str) -> str:
    return str(sheet_of(make, formulation).latex(document=True))


@pytest.mark.parametrize(("make", "formulation"), CASES)
def test_latex_is_well_formed(make: Any, formulation: str) -> None:
    """Braces, \\left and \\right, environments: all closed, in every line of a display that ends in \\\\."""
    text = document(make, formulation)
    for display in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end\{align\*\}", text, re.S):
        for line in display.split(" \\\\\n"):
            bare = line.replace(r"\{", "").replace(r"\}", "")
            assert bare.count("{") == bare.count("}"), line
            assert line.count(r"\left") == line.count(r"\right"), line
            assert line.count(r"\begin{") == line.count(r"\end{"), line
            assert "&=" in line or line.startswith(r"&\qquad") or r"\\ &\qquad" in line, line
            assert glyphs(max(line.split(r"\\"), key=glyphs)) < 140, line
        assert display.count(r"\bigl") == display.count(r"\bigr")
    opened, closed = re.findall(r"\\begin\{(\w+\*?)\}", text), re.findall(r"\\end\{(\w+\*?)\}", text)
    assert sorted(opened) == sorted(closed) and opened[0] == closed[-1] == "document"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
@pytest.mark.parametrize(("make", "formulation"), CASES)
def test_latex_compiles(make: Any, formulation: str, tmp_path: Path) -> None:
    (tmp_path / "sheet.tex").write_text(document(make, formulation), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "sheet.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_latex_of_the_simplified_pendulum() -> None:
    m = lw.Model("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", mass=3, inertia=0.25)
    m.revolute("A", m.ground.at(0, 0), bar.at(-m.parameter("l1", 1.0) / 2, 0))
    text = m.equations().latex(simplify=True)
    assert r"\boldsymbol{v} &= \dot{\boldsymbol{q}}" in text
    assert r"\boldsymbol{M} &= \begin{pmatrix} \frac{3\,l_{1}^{2}}{4} + \frac{1}{4} \end{pmatrix}" in text
    assert r"f_{1} &= - 14.715\,l_{1}\,\cos {\theta_{A}}" in text


def test_decimals_and_common_parts_are_a_choice() -> None:
    sheet = sheet_of(slider_crank.model)
    assert "9.81" in sheet.latex() and r"\kappa_{1} &=" in sheet.latex()
    assert "kappa" not in sheet.latex(cse=False)
    assert "9.81" not in sheet.latex(digits=2) and "9.8" in sheet.latex(digits=2)


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        (Name("O.angle.rate", "theta", ("O",), 1), r"\dot{\theta}_{O}"),
        (Name("arm.x", "x", ("arm",), 2), r"\ddot{x}_{\mathrm{arm}}"),
        (Name("arm_2.x", "x", ("arm_2",)), r"x_{\text{arm\_2}}"),
        (own_name("omega0"), r"\omega_{0}"),
        (own_name("damping"), r"\mathrm{damping}"),
        (own_name("k_%"), r"k_{\text{\%}}"),
    ],
)
def test_latex_names(name: Name, latex: str) -> None:
    assert latex_name(name) in (latex, latex.replace(r"\text{\%}", "%"))


def test_notebooks_get_prose_and_displays() -> None:
    text = sheet_of(slider_crank.model)._repr_markdown_()
    assert text is not None and text.count("$$") % 2 == 0 and "**slider-crank**" in text


def test_text_shows_sizes_and_equations() -> None:
    text = sheet_of(slider_crank.model).text()
    assert "3 coordinates, 3 speeds, 2 first-order states, 2 constraints, 1 parameter, 75 channels" in text
    assert "f[2] = -5·ṡ_P" in text and "M[2,2] = 1" in text and "M v̇ + Aᵀλ = f" in text


@pytest.mark.parametrize("make", [slider_crank.model, ball_chain, double_pendulum])
def test_text_says_what_casadi_computes(make: Any) -> None:
    """Read as arithmetic, line by line, the text gives the mass matrix and the forces."""
    sheet = sheet_of(make)
    y, n, m = sheet.start * 1.1 + 0.05, sheet.q.numel(), sheet.v.numel()
    known = {name.text: value for name, value in zip(sheet.names.states, y.tolist(), strict=True)}
    known |= {name.text: value for name, value in zip(sheet.names.p, sheet.p.tolist(), strict=True)}
    words = {name: f"name{k}_" for k, name in enumerate(sorted(known, key=len, reverse=True))}
    values: dict[str, Any] = {"sin": math.sin, "cos": math.cos} | {words[name]: x for name, x in known.items()}
    body, _, where = sheet.text().partition("\nwhere\n")
    for line in [*where.splitlines(), *re.findall(r"^[Mf]\[.*$", body, re.M)]:
        for name, word in words.items():
            line = line.replace(name, word)
        left, right = line.replace("·", "*").replace("²", "**2").split(" = ")
        values[left] = eval(right, dict(values))
    functions, parts = sheet.casadi(), (0.0, y[:n], y[n : n + m], y[n + m :], sheet.p)
    mass, force = functions["mass"](*parts), functions["force"](*parts)
    for i in range(m):
        assert values[f"f[{i + 1}]"] == pytest.approx(float(force[i]), rel=1e-4, abs=1e-4)
        for j in range(i, m):
            assert values.get(f"M[{i + 1},{j + 1}]", 0.0) == pytest.approx(float(mass[i, j]), rel=1e-4, abs=1e-4)


def test_text_of_an_explicit_formulation() -> None:
    text = sheet_of(slider_crank.model, "points").text()
    assert "\nv̇ = f\n" in text and "M[" not in text


@pytest.mark.parametrize(
    ("option", "shown"),
    [("", "M[1,1] ="), ("--latex", r"\begin{align*}"), ("--sympy", "mass = Matrix("), ("--python", "def rhs(")],
)
def test_command(option: str, shown: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["equations", "pendulum", *option.split(), "--set", "length=2"]
    if option == "--latex":
        words += ["-o", str(tmp_path / "sheet.tex")]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert shown in (told if option != "--latex" else (tmp_path / "sheet.tex").read_text("utf-8"))


def test_command_writes_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equations", "slider-crank", "--c", "-o", str(tmp_path / "c"), "--set", "torque=4"]) == 0
    assert sorted(p.name for p in (tmp_path / "c").iterdir()) == ["main.c", "slider_crank.c", "slider_crank.h"]
    assert "4.0," in (tmp_path / "c" / "slider_crank.c").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["pendulum", "--formulation", "minimall"], "minimal"),
        (["pendulum", "--set", "lenght=2"], "length"),
        (["pendulum", "-o", "no/such/folder/file"], "cannot be written"),
    ],
)
def test_command_refuses(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equations", *words]) in (1, 2)
    assert told in capsys.readouterr().err


def test_sheets_are_of_the_model_as_it_was() -> None:
    m = double_pendulum()
    sheet = m.equations(parameters={"m1": 5.0})
    assert sheet.p[0] == 5.0 and m.parameters["m1"] == 1.2
    assert isinstance(sheet, type(m.equations())) and isinstance(m, lw.Model)


def test_signs_stand_in_front_and_the_text_still_says_the_same() -> None:
    m, _ = arm()
    sheet = m.equations("absolute")
    text = str(sheet)
    assert not re.search(r"--|·-|/-|\+ -|- -", text)
    lines = dict(line.split(" = ") for line in text.splitlines() if re.match(r"(κ|f|A)\S* = ", line))
    shown = {"sin": np.sin, "cos": np.cos, "t": 0.3, "mf": 1.0}
    named = [*sheet.names.q, *sheet.names.v, *sheet.names.p]
    state = np.random.default_rng(2).normal(size=12)
    values = dict(zip((x.text for x in named), [*state, 1.0], strict=True)) | shown
    for name, line in lines.items():
        if name.startswith("κ"):
            values[name] = _value(line, values)
    functions = sheet.casadi()
    arguments = (0.3, state[:6], state[6:], np.zeros(2), [1.0])
    exact = {"f": np.array(functions["force"](*arguments)), "A": np.array(functions["jacobian"](*arguments))}
    for name, line in lines.items():
        if name[0] in exact:
            index = tuple(int(k) - 1 for k in re.findall(r"\d+", name))
            assert _value(line, values) == pytest.approx(exact[name[0]][index if name[0] == "A" else index[0]].item())


def _value(line: str, values: dict[str, Any]) -> float:
    """The number behind an expression; names, longest first, become Python names."""
    short = {name: f"§{k}§" for k, name in enumerate(sorted(values, key=len, reverse=True))}
    for name, mark in short.items():
        line = line.replace(name, mark)
    python = re.sub(r"§(\d+)§", r"x\1", line.replace("·", "*").replace("²", "**2"))
    return float(eval(python, {f"x{mark[1:-1]}": values[name] for name, mark in short.items()}))


def test_what_is_an_input_and_what_has_no_position() -> None:
    text = str(shaper().equations("minimal"))
    assert "1 parameter, 1 input," in text and "\nparameters: h = 0.3\ninputs: torque = 3 N·m\n" in text
    m, _ = arm()
    text = str(m.equations("absolute"))
    assert "\nrow 5 of A: S.angle (speed)\n" in text and "Φ[5]" not in text
    tank = lw.Model("tank")
    level = tank.state("h", 2.0)
    level.rate = -lw.sqrt(level.symbol)
    assert "v̇" not in str(tank.equations("minimal")) and "Mass matrix" not in tank.equations("minimal").latex()
