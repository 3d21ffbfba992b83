"""A model that is run again derives nothing: with other values it must be what a new one would be, to the last bit."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.components import shapes


def model(start=None):
    """Masses, frames, shapes, springs and starts that all hang on parameters; the second body is placed by joints."""
    m = lw.Model("again")
    length, turn, k = (m.parameter(name, x) for name, x in (("length", 1.0), ("turn", 0.3), ("k", 5.0)))
    a = m.body("a", mass=1 + length, inertia=length**2 / 12)
    b = m.body("b", mass=2 * length, inertia=0.1)
    a.shape(shapes.Box((length, 0.1, 0.1)))
    m.revolute("O", m.ground.at(0.1 * length, 0), a.at(-length / 2, 0)).angle.start(turn)
    m.revolute("A", b.at(-length, 0), a.at(length / 2, 0)).angle.start(-2 * turn)
    m.spring("s", m.ground.at(length, length), b.at(length, 0), stiffness=k, length=length)
    if start is not None:
        m["O"].angle.start(start)
    return m


def same(one, other):
    assert one.description == other.description
    for name in other:
        if name != "solver.step":
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_other_parameters(formulation):
    m = model()
    m.simulate(0.1, formulation=formulation)
    for values in ({"length": 2.0, "turn": 0.7}, {"length": 0.5, "k": 9.0}, {}):
        again = m.simulate(0.1, formulation=formulation, parameters=values)
        same(again, model().simulate(0.1, formulation=formulation, parameters=values))


def test_another_start():
    m = model()
    m.simulate(0.1)
    m["O"].angle.start(1.0)
    same(m.simulate(0.1), model(1.0).simulate(0.1))


def driven(**options):
    m = lw.Model("driven")
    angle, force = m.input("angle", 0.1), m.input("force")
    a = m.body("a", mass=1, inertia=0.1)
    m.revolute("O", m.ground.at(0, 0), a.at(-1, 0)).angle.law(lw.Motion(angle))
    b = m.body("b", mass=1, inertia=0.1)
    m.revolute("A", a.at(1, 0), b.at(-1, 0)).angle.law(lw.Effort(force))
    return m


def test_other_inputs():
    """What is kept of one run serves another only where it begins alike."""
    m = driven()
    line = lw.Table([0, 1], [0.1, 0.5], "cubic")
    cases = [
        {}, {"force": 2.0}, {"angle": 0.3}, {"angle": lambda t: 0.1 + t**2}, {"angle": lambda t: 0.1 + 2 * t},
        {"angle": line, "force": lambda t: 3 * t}, {"force": -1.0}, {},
    ]  # fmt: skip
    for inputs in cases:
        same(m.simulate(0.1, inputs=inputs), driven().simulate(0.1, inputs=inputs))


def test_what_a_result_is_asked_for_is_its_own():
    m = model()
    one, other = m.simulate(0.1), m.simulate(0.1)
    one.description["bodies"].clear()
    assert other.description["bodies"] and m.simulate(0.1).description["bodies"]
