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
