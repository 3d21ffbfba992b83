"""Compiled assembly finds what careful assembly finds, and leaves to it whatever is doubtful."""

import ctypes
import importlib

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly import assemble, compiled
from linkwork.assembly.branch import branch_of
from linkwork.assembly.numbers import Numbers, absolute_equations
from linkwork.integrate.handover import pointer
from linkwork.integrate.native.closing_binding import CLEAR, SparseRows, closing_library
from linkwork.sweeps.variables import coordinate_names, with_starts

CLEARLY = [
    "crane", "double_pendulum", "double_pendulum_positions", "motor_slider_crank", "pendulum", "robot", "rssr",
    "slider_crank", "slider_crank_positions", "slider_crank_spatial", "squeezer",
]  # fmt: skip
"""Examples in which nothing is doubtful when lengths and starts change by a fifth; spatial and redundant ones are among
them."""


def both(model, given):
    """What the two ways find for these parameters; None: doubtful, or refused."""
    with model.prepared_for(given):
        numbers = Numbers(model, model.p_at(absolute_equations(model), given))
        plan = compiled.compiled_assembly(numbers)
        quick = None if plan is None else plan.assembled(0.0, numbers.p)
        try:
            careful = assemble._carefully(numbers, True, True)
        except lw.LinkworkError:
            careful = None
        return numbers, plan, quick, careful


def varied(name):
    model = importlib.import_module(f"linkwork.examples.{name}").model()
    return with_starts(model, coordinate_names(model)[:1])


@pytest.mark.parametrize("name", CLEARLY)
def test_other_numbers(name):
    model, random = varied(name), np.random.default_rng(5)
    for _ in range(3):
        given = {n: v * (1 + 0.2 * random.uniform(-1, 1)) + 0.1 * (v == 0) for n, v in model.parameters.items()}
        numbers, plan, quick, careful = both(model, given)
        assert quick is not None and careful is not None
        for part in ("q", "v", "z", "origin"):
            found, wanted = getattr(quick, part), getattr(careful, part)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * max(1.0, np.abs(wanted).max(initial=0.0)))
        assert quick.iterations == careful.iterations
        assert quick.branch == branch_of(numbers, careful.q, careful.v, careful.z)
        told, by_hand = plan.told(numbers, *quick[:3]), assemble._told(numbers, *careful[:3])
        for found, wanted in zip(told, by_hand, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * max(1.0, np.abs(wanted).max(initial=0.0)))


def slider_crank():
    m = lw.Model("slider-crank")
    length = m.parameter("L", 1.0)
    crank, rod, piston = (m.body(name, mass=1, inertia=1) for name in ("crank", "rod", "piston"))
    joint = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-length / 2, 0))
    m.revolute("B", rod.at(length / 2, 0), piston.at(0, 0))
    m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    joint.angle.start(0.3, rate=2.0)
    return m


def test_a_loop_that_cannot_close_says_what_it_always_said():
    m = slider_crank()
    with pytest.raises(lw.AssemblyError, match=r"B: the loop B – P – O – A – B cannot close: a gap of 0\.0\d+ m"):
        m.simulate(0.1, parameters={"L": 0.05})
    assert both(m, {"L": 0.05})[2] is None
    assert m.assemble(parameters={"L": 0.9}).residual < 1e-12


def test_singular_guesses_are_doubtful():
    """Where a stretched loop is closed from, rank is not clear: rounding would decide."""
    model = importlib.import_module("linkwork.examples.four_bar").model()
    _, plan, quick, careful = both(model, {})
    assert plan is not None and quick is None and careful is not None


def test_speeds_that_contradict_joints_are_refused():
    m = slider_crank()
    m["P"].slide.start(rate=5.0)
    assert both(m, {})[2] is None
    with pytest.raises(lw.AssemblyError, match="contradict the joints"):
        m.assemble()


def test_a_start_that_contradicts_its_motion_is_refused():
    m = slider_crank()
    u = m.parameter("u", 0.3)
    m["O"].angle.law(lw.Motion(lambda t: u + 2.0 * t))
    assert both(m, {})[2] is not None
    assert both(m, {"u": 0.4})[2] is None
    with pytest.raises(lw.AssemblyError, match=r"starts at 0\.3, but its Motion begins at 0\.4"):
        m.assemble(parameters={"u": 0.4})


def rows_of(A):
    m, n = A.shape
    arrays = [np.arange(m + 1) * n, np.tile(np.arange(n), m), np.arange(m * n)]
    pointers = [pointer(x.astype(np.int32), ctypes.c_int32) for x in arrays]
    return SparseRows(m, n, m * n, *pointers)


def least_norm(A, weights, r):
    x, values = np.zeros(A.shape[1]), np.ascontiguousarray(A.ravel())
    addresses = (array.ctypes.data for array in (values, weights, r, x))
    return closing_library().lw_least_norm(rows_of(A), *addresses), x


def test_least_norm_is_that_of_lapack():
    random = np.random.default_rng(3)
    for rows, columns, redundant in [(4, 9, 0), (6, 6, 0), (5, 8, 2), (1, 3, 1)]:
        A = random.normal(size=(rows, columns))
        A = np.vstack([A, random.normal(size=(redundant, rows)) @ A])
        weights, r = random.uniform(1, 10, columns), A @ random.normal(size=columns)
        status, x = least_norm(A, weights, r)
        wanted = np.linalg.lstsq(A / weights, r, rcond=1e-9)[0] / weights
        assert status == CLEAR
        np.testing.assert_allclose(x, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("apart", [1e-9, 1e-6, 1e-3])
def test_rows_that_are_nearly_dependent_are_doubtful(apart):
    A = np.array([[1.0, 0.0, 0.0], [1.0, apart, 0.0]])
    assert least_norm(A, np.ones(3), np.array([1.0, 1.0]))[0] != CLEAR


def test_rows_that_contradict_each_other_are_doubtful():
    A = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    assert least_norm(A, np.ones(3), np.array([1.0, 2.0]))[0] == CLEAR
    assert least_norm(A, np.ones(3), np.array([1.0, 2.1]))[0] != CLEAR


def test_branch_is_the_sign_of_the_determinant():
    random = np.random.default_rng(1)
    for n in (1, 2, 5, 8):
        A = random.normal(size=(n, n))
        order = np.arange(n, dtype=np.int32)
        values = np.ascontiguousarray(A.ravel())
        sign = closing_library().lw_branch(rows_of(A), values.ctypes.data, order.ctypes.data)
        assert sign == np.sign(np.linalg.det(A))
