"""Equations in SymPy: the textbook's, the same numbers as CasADi, readable names that never clash."""

from __future__ import annotations

import sys
from typing import Any

import casadi as ca
import numpy as np
import pytest
import sympy as sp

import linkwork as lw
from linkwork.examples import slider_crank
from linkwork.export.names import names_of, own_name
from linkwork.export.sympy_expressions import converted, number

from .equation_models import ball_chain, double_pendulum, switched_slider
from .every_operation import every_operation, points_of_trial

PARTS = ("qdot", "mass", "force", "jacobian", "gamma", "position", "zdot")


def test_double_pendulum_is_the_textbook_s() -> None:
    """Lagrange's equations of the compound double pendulum with relative angles."""
    s = double_pendulum().equations("minimal").sympy()
    m1, m2, l1, c1, c2, I1, I2, g = sp.symbols("m1 m2 l1 c1 c2 I1 I2 g")
    t1, t2, w1, w2 = sp.symbols("theta_1 theta_2 thetadot_1 thetadot_2")
    assert list(s.q) == [t1, t2] and list(s.v) == [w1, w2]
    coupling = m2 * l1 * c2
    M12 = I2 + m2 * c2**2 + coupling * sp.cos(t2)
    M11 = I1 + m1 * c1**2 + m2 * l1**2 + 2 * coupling * sp.cos(t2) + I2 + m2 * c2**2
    mass = sp.Matrix([[M11, M12], [M12, I2 + m2 * c2**2]])
    weight = sp.Matrix(
        [-(m1 * c1 + m2 * l1) * g * sp.sin(t1) - m2 * c2 * g * sp.sin(t1 + t2), -m2 * c2 * g * sp.sin(t1 + t2)]
    )
    gyroscopic = coupling * sp.sin(t2) * sp.Matrix([2 * w1 * w2 + w2**2, -(w1**2)])
    for difference in (s.mass - mass, s.force - weight - gyroscopic):
        # With sines as exponentials a polynomial remains, which vanishes when it is multiplied out.
        assert all(sp.expand(entry.rewrite(sp.exp)) == 0 for entry in difference)


def test_pendulum_simplified() -> None:
    m = lw.Model("pendulum", gravity=(0, -9.81))
    length = m.parameter("length", 1.0)
    bar = m.body("bar", mass=3, inertia=length**2 / 4)
    m.revolute("pin", m.ground.at(0, 0), bar.at(-length / 2, 0))
    s = m.equations().sympy()
    plain = s.simplified()
    x, angle = s.symbols["length"], s.symbols["pin.angle"]
    assert s.mass[0, 0] != plain.mass[0, 0] == x**2
    assert plain.force[0] == sp.Rational(-2943, 200) * x * sp.cos(angle)
    assert s.values == {x: 1}


def part_of(eq: Any, name: str) -> Any:
    return eq.motion if hasattr(eq.motion, name) else eq.constraints


def values_of(sheet: Any, random: np.random.Generator) -> tuple[list[float], dict[str, np.ndarray]]:
    """Random numbers for all symbols, and what CasADi makes of them."""
    eq = sheet.equations
    arguments = [eq.t, eq.q, eq.v, eq.z, eq.p, eq.a, eq.multipliers]
    numbers = [random.uniform(0.1, 0.9, x.numel()) for x in arguments]
    f = ca.Function("f", arguments, [ca.densify(getattr(part_of(eq, name), name)) for name in PARTS])
    return np.concatenate(numbers).tolist(), dict(zip(PARTS, map(np.array, f.call(numbers)), strict=True))


@pytest.mark.parametrize(
    ("make", "formulation", "cse"),
    [
        (slider_crank.model, "minimal", False),
        (slider_crank.model, "minimal", True),
        (switched_slider, "minimal", False),
        (ball_chain, "absolute", True),
        (switched_slider, "points", True),
    ],
    ids=["loop", "loop, named parts", "switched", "space", "particles"],
)
def test_same_numbers_as_casadi(make: Any, formulation: str, cse: bool) -> None:
    sheet = make().equations(formulation)
    s = sheet.sympy(cse=cse)
    assert bool(s.where) == cse
    symbols = [s.t, *s.q, *s.v, *s.z, *s.parameters, *s.a, *s.multipliers]
    assert len(set(symbols)) == len(symbols)
    numbers, expected = values_of(sheet, np.random.default_rng(5))
    known = dict(zip(symbols, map(sp.Float, numbers), strict=True))
    for name, value in s.where:  # each may use the ones before it
        known[name] = value.xreplace(known).evalf()
    for part in PARTS:
        matrix = getattr(s, part)
        assert matrix.shape == expected[part].shape
        found = np.array([float(x.xreplace(known)) for x in matrix]).reshape(matrix.shape)
        assert found == pytest.approx(expected[part], rel=1e-11, abs=1e-11), part


def test_every_operation() -> None:
    f = every_operation()
    t, x, y = sp.symbols("t x y")
    symbols = [ca.SX.sym("t"), ca.SX.sym("y", 2)]
    _, (column,) = converted(symbols, [[t], [x, y]], [f(*symbols, ca.SX(0, 1))])
    for point in points_of_trial():
        expected = np.array(f(0.0, point, [])).ravel()
        found = [complex(entry.subs({x: point[0], y: point[1]})) for entry in column]
        undefined = ~np.isfinite(expected)
        assert np.array(found)[~undefined].real == pytest.approx(expected[~undefined], rel=1e-12, abs=1e-12)


def test_source_makes_the_same_matrices_again() -> None:
    m = double_pendulum()
    m["1"].angle.law(lw.Damper(m.parameter("S", 0.1)))  # names that Python or SymPy use for something else
    m["2"].angle.law(lw.Damper(m.parameter("lambda", 0.2)))
    s = m.equations().sympy()
    made: dict[str, Any] = {}
    exec(s.source(), made)
    for name in ("q", "parameters", "mass", "force", "zdot", "jacobian"):
        assert made[name] == getattr(s, name), name


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (3.0, sp.Integer(3)),
        (0.1, sp.Rational(1, 10)),
        (9.80665, sp.Rational("9.80665")),
        (1 / 3, sp.Rational(1, 3)),
        (-7 / 12, sp.Rational(-7, 12)),
        (2 * np.pi, 2 * sp.pi),
        (np.pi / 180, sp.pi / 180),
        (1e-9, sp.Rational(1, 10**9)),
        (float("inf"), sp.oo),
    ],
)
def test_numbers_are_what_they_stand_for(value: float, exact: Any) -> None:
    assert number(value) == exact


@pytest.mark.parametrize("value", np.random.default_rng(3).standard_normal(20) * 10.0 ** np.arange(-10, 10))
def test_numbers_come_back(value: float) -> None:
    assert float(number(float(value))) == value


@pytest.mark.parametrize(
    ("text", "letter", "subscripts"),
    [("m1", "m", ("1",)), ("omega0", "omega", ("0",)), ("l_crank", "l", ("crank",)), ("θ2", "theta", ("2",))]
    + [("damping", "damping", ()), ("mass2", "mass2", ()), ("_x", "_x", ())],
)
def test_names_given_by_the_user(text: str, letter: str, subscripts: tuple[str, ...]) -> None:
    name = own_name(text)
    assert (name.letter, name.subscripts, name.symbol, name.plain) == (letter, subscripts, text, text)


def test_names_do_not_clash() -> None:
    """Parameters keep their names, also if a coordinate, time or a multiplier would be called the same."""
    m = slider_crank.model()
    for k, name in enumerate(("theta_O", "theta_O_", "t", "lambda_1", "kappa_1", "m_1", "m1")):
        m["O"].angle.law(lw.Damper(m.parameter(name, 0.1 * (k + 1))))
    sheet = m.equations()
    names = sheet.names
    every = [names.t, *names.states, *names.p, *names.a, *names.multipliers]
    assert len({x.symbol for x in every}) == len(every)
    assert len({(x.letter, x.subscripts, x.dots) for x in every}) == len(every)
    s = sheet.sympy(cse=True)
    assert {sp.Symbol(x) for x in ("theta_O", "t", "lambda_1", "m1")} <= set(s.parameters)
    assert not {name for name, _ in s.where} & set(s.symbols.values())


def test_names_in_space() -> None:
    """Rates of coordinates get a dot, angular velocities are ω, in every formulation."""
    minimal, absolute = (names_of(ball_chain().equations(f).equations) for f in ("minimal", "absolute"))
    assert [x.plain for x in minimal.q] == ["ball.e0", "ball.e1", "ball.e2", "ball.e3", "pin.angle"]
    assert [x.plain for x in minimal.v] == ["ball.wx", "ball.wy", "ball.wz", "pin.angle.rate"]
    assert [x.text for x in absolute.v[:6]] == ["ẋ_a", "ẏ_a", "ż_a", "ω_a_x", "ω_a_y", "ω_a_z"]


def test_without_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    sheet = double_pendulum().equations()
    for read in (sheet.sympy, sheet.latex):
        with pytest.raises(lw.LinkworkError, match=r'pip install "linkwork\[symbolic\]"'):
            read()
    assert sheet._repr_markdown_() is None and sheet._repr_latex_() is None
    assert "M[1,2]" in repr(sheet) and sheet.c() and sheet.python() and sheet.casadi()
