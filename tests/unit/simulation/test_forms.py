"""Descriptions that are filled in when they are asked for, and what the watch reads of them without."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.result import Later, described_by
from linkwork.simulation.description.facts import facts_of
from linkwork.simulation.description.form import Filled, form_of


def pendulum():
    m = lw.Model("pendulum")
    length, mass = m.parameter("length", 1.0), m.parameter("mass", 2.0)
    rod = m.body("rod", mass=mass, inertia=mass * length**2 / 12)
    m.revolute("O", m.ground.at(0.5, 0), rod.at(-length / 2, 0)).angle.start(0.3)
    return m


def test_what_is_copied_makes_a_form():
    described = form_of(lambda x: {"a": [x[1], 3.0, "word"], "b": {"c": x[0]}, "zero": 0.0}, np.array([2.0, 0.0]))
    assert described is not None
    assert described.filled(np.array([7.0, 8.0])) == {"a": [8.0, 3.0, "word"], "b": {"c": 7.0}, "zero": 0.0}


@pytest.mark.parametrize(
    "describe",
    [
        lambda x: {"a": 2 * float(x[0])},
        lambda x: {"a": float(x[0] + x[1])},
        lambda x: {"a": [1.0] * (2 if x[0] > 2.1 else 1)},
        lambda x: {"large": 1.0} if x[0] > 2.1 else {"small": 1.0},
        lambda x: {"a": "large" if x[0] > 2.1 else "small"},
        lambda x: {"a": float("nan") * x[0]},
    ],
)
def test_what_is_computed_makes_none(describe):
    assert form_of(describe, np.array([2.0, 1.0])) is None


def test_a_description_is_that_of_its_run_whatever_happens_to_the_model_meanwhile():
    m = pendulum()
    runs = [m.simulate(0.1, parameters={"length": x}) for x in (1.0, 2.0, 3.0)]
    assert isinstance(described_by(runs[2]), Later)
    m["O"].angle.law(lw.Damper(1.0))
    m.body("other", mass=1, inertia=1)
    alone = pendulum().simulate(0.1, parameters={"length": 3.0})
    assert runs[2].description == alone.description
    assert runs[2].description["joints"]["O"]["second"]["point"] == [-1.5, 0.0, 0.0]


def test_facts_of_a_form_are_those_of_the_description():
    m = pendulum()
    for x in (1.0, 2.0, 3.0):
        run = m.simulate(0.1, parameters={"length": x, "mass": 4 * x})
    held = described_by(run)
    assert isinstance(held, Filled)
    ours, plain = facts_of(held, {}), facts_of(run.description, {})
    assert (ours.joints, ours.fixed, ours.bodies, ours.massive) == (["O"], [(0, "rod")], {"ground", "rod"}, ["rod"])
    assert ours.mass == [12.0] and ours.inertia == pytest.approx(12 * 9 / 12) and ours.gravity == 9.81
    np.testing.assert_array_equal(ours.points, [[0.5, 0, 0], [-1.5, 0, 0]])
    for one, other in zip(vars(ours).values(), vars(plain).values(), strict=True):
        np.testing.assert_array_equal(np.array(one, dtype=object), np.array(other, dtype=object))
