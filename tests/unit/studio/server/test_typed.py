"""What is typed: numbers, units, lists, expressions."""

from __future__ import annotations

import math

import pytest

from linkwork.core.errors import LinkworkError
from linkwork.studio.server.typed import conversion, value_of


@pytest.mark.parametrize(
    ("typed", "unit", "value"),
    [
        ("2", "kg", 2),
        ("-2.5e-3", "m", -0.0025),
        ("20 mm", "m", 0.02),
        ("20mm", "m", 0.02),
        ("1500 g", "kg", 1.5),
        ("2 t", "kg", 2000.0),
        ("90 deg", "rad", math.pi / 2),
        ("90°", "rad", math.pi / 2),
        ("3000 rpm", "rad/s", 100 * math.pi),
        ("1 rev", "rad", 2 * math.pi),
        ("36 km/h", "m/s", 10.0),
        ("1.5 kN/m", "N/m", 1500.0),
        ("2 N/mm", "N/m", 2000.0),
        ("5 kN·m", "N·m", 5000.0),
        ("5 N*m", "N·m", 5.0),
        ("10 N·m·s/rad", "N·m·s/rad", 10.0),
        ("3 J", "N·m", 3.0),
        ("7.85 g/cm³", "kg/m³", 7850.0),
        ("2 bar", "Pa", 2e5),
        ("2 l/min", "m³/s", 2e-3 / 60),
        ("9.81 m/s²", "m/s²", 9.81),
        ("2 kg·m²", "kg·m²", 2.0),
        ("10 Hz", "1/s", 10.0),
    ],
)
def test_numbers_with_units_become_those_of_the_argument(typed, unit, value):
    assert value_of(typed, unit) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("typed", ["3 kg", "20 mm", "5 N"])
def test_a_number_in_a_unit_of_something_else_is_refused(typed):
    with pytest.raises(LinkworkError, match="Give it in s"):
        value_of(typed, "s")


@pytest.mark.parametrize("typed", ["2*k", "sin(t)", "ground.at(0, 0)", "t -> 2*t", "nan", "2 apples"])
def test_anything_else_is_an_expression_for_the_loader(typed):
    assert value_of(typed, "m") == typed


def test_lists_are_lists_and_words_are_words():
    assert value_of("[1, 2.5, 3]", "m") == [1, 2.5, 3]
    assert value_of([0, -9.81], "m/s²") == [0, -9.81]
    assert value_of("20 mm", "", word=True) == "20 mm"
    assert value_of("true", "") is True
    assert isinstance(value_of("3", ""), int)


@pytest.mark.parametrize(
    "typed", ["", "  ", "1e400", "1e400 m", float("nan"), float("inf"), [1, float("nan")], {"a": None}]
)
def test_what_is_no_value_is_refused(typed):
    with pytest.raises(LinkworkError):
        value_of(typed, "m")


def test_units_that_do_not_measure_the_same_have_no_conversion():
    assert conversion("N", "kg·m/s²") == 1.0
    assert conversion("N·m", "N") is None and conversion("", "m") is None and conversion("m", "") is None
