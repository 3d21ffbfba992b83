"""Nothing that does not fit reaches the C library or LAPACK: wrong sizes and NaN are told, with the component."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.algebra import lapack
from linkwork.core.program import Event, StateLayout
from linkwork.integrate import evaluate, integrate
from linkwork.integrate.handover import pointer

from .systems import oscillator

START = np.array([1.0, 0.0])


def wrong(program, **other):
    """The same program with something that does not fit; its functions are as they were."""
    functions = {"margins": program.function("rhs")}  # 2 results, whatever their number should be
    return replace(program, _functions=functions, **other)


@pytest.mark.parametrize("solver", ["rk4", "dopri5", "dop853", "radau", "generalized_alpha"])
@pytest.mark.parametrize(
    "other",
    [
        {"layout": StateLayout(1, 1, 1, 0)},
        {"layout": StateLayout(2, 2, 0, 0)},
        {"layout": StateLayout(1, 1, 0, 5)},
        {"layout": StateLayout(-1, 3, 0, 0)},
        {"parameters": {"a": 1.0, "b": 2.0}},
        {"inputs": {"u": 1.0}},
        {"events": (Event("one"), Event("two"), Event("three"))},
        {"unweighted": np.ones(7, dtype=bool)},
        {"margins": ("row",) * 9},
    ],
    ids=lambda other: next(iter(other)),
)
def test_sizes_that_do_not_fit_are_refused(solver, other):
    if other.get("layout") == StateLayout(1, 1, 0, 5) and solver in ("rk4", "dopri5", "dop853"):
        pytest.skip("explicit methods know no multipliers")
    program = wrong(oscillator(), **other)
    y0 = np.zeros(program.layout.y) if program.layout.q >= 0 else START
    with pytest.raises(lw.LinkworkError):
        integrate(program, y0, (0, 1), solver=solver, step=0.01 if solver == "rk4" else None)


def test_arrays_of_other_kinds_are_refused():
    import ctypes

    for array in (np.zeros(4, dtype=np.float32), np.zeros((4, 4))[:, 0], np.zeros(4, dtype=complex)):
        with pytest.raises(lw.LinkworkError, match="does not fit"):
            pointer(array, ctypes.c_double)


@pytest.mark.parametrize(
    ("t", "Y", "p"), [(3, (3, 3), 0), (3, (2, 2), 0), (3, (3, 2), 1), (2, (3, 2), 0)], ids=lambda x: str(x)
)
def test_evaluation_at_states_of_other_sizes(t, Y, p):
    with pytest.raises(lw.LinkworkError, match="states and parameters"):
        evaluate(oscillator().function("rhs"), np.zeros(t), np.zeros(Y), np.zeros(p))


@pytest.mark.parametrize(
    "options",
    [
        {"times": [np.nan]},
        {"times": [0.0, np.nan, 1.0]},
        {"max_steps": 2**70},
        {"max_steps": 0},
        {"min_step": np.nan},
        {"min_step": -1.0},
        {"atol": np.inf},
        {"stops": np.zeros((2, 3))},
        {"stops": np.array([[0.5, 0.2]])},
        {"signals": {0: 1.0}},
    ],
    ids=str,
)
def test_options_that_do_not_fit_are_refused(options):
    with pytest.raises(lw.LinkworkError):
        integrate(oscillator(), START, (0, 1), **options)


# Vectors where one number is meant: whatever the components let pass, the equations are refused.


def hung(m):
    body = m.body("b", mass=1, inertia=0.1)
    m.revolute("O", m.ground.at(0, 0), body.at(-1, 0))
    return body


def long_damper(m):
    m.spring("s", m.ground.at(0, 1), hung(m).at(0, 0), stiffness=10, length=1)
    vars(m["s"])["damping"] = np.array([1.0, 2.0, 3.0])  # past the check of the arguments


@pytest.mark.parametrize("verb", ["simulate", "equilibrium", "linearize"])
def test_a_vector_in_place_of_a_number_names_the_component(verb):
    m = lw.Model("m")
    long_damper(m)
    with pytest.raises(lw.LinkworkError, match="^s: "):
        m.simulate(0.1) if verb == "simulate" else getattr(m, verb)()


# NaN


def gear(m, number):
    a, b = (m.body(name, mass=1, inertia=1) for name in "ab")
    A, B = m.revolute("A", m.ground.at(0, 0), a.at()), m.revolute("B", m.ground.at(1, 0), b.at())
    m.gear("pair", A.angle, B.angle, ratio=number)


def rack(m, number):
    a, b = (m.body(name, mass=1, inertia=1) for name in "ab")
    A, B = m.revolute("A", m.ground.at(0, 0), a.at()), m.prismatic("B", m.ground.at(1, 0), b.at())
    m.rack("pair", A.angle, B.slide, radius=number)


NUMBERS = {
    "parameter": lambda m: 1 / m.parameter("k", 0.0),
    "zero by zero": lambda m: m.parameter("k", 0.0) / m.parameter("n", 0.0),
    "time": lambda m: 1 / m.t,
}


@pytest.mark.parametrize("build", [gear, rack])
@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_that_are_not_finite_name_the_component(build, number):
    """LAPACK would loop for ever, beyond Ctrl-C."""
    m = lw.Model("m", gravity=(0, 0))
    build(m, NUMBERS[number](m))
    with pytest.raises(lw.LinkworkError, match=r"^pair: .*finite"):
        m.simulate(0.1)
    with pytest.raises(lw.LinkworkError, match=r"^pair: .*finite"):
        m.check()


def test_a_screw_whose_pitch_vanishes():
    m = lw.Model("m", gravity=(0, 0, -9.81))
    m.screw("S", m.ground.at(0, 0, 0), m.body("b", mass=1, inertia=[1, 1, 1]).at(0, 0, 0), pitch=m.t)
    with pytest.raises(lw.LinkworkError, match=r"^S: .*finite"):
        m.simulate(0.1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_decompositions_take_finite_numbers_only(bad, rng):
    A = rng.normal(size=(6, 6))
    A[2, 3] = bad
    for find in (lapack.svd, lapack.pinv, lapack.matrix_rank, lapack.eig, lapack.eigvals, lapack.eigh, lapack.eigvalsh):
        with pytest.raises(lw.LinkworkError, match="not finite"):
            find(A)
    with pytest.raises(lw.LinkworkError, match="not finite"):
        lapack.lstsq(A, np.ones(6))
    with pytest.raises(lw.LinkworkError, match="not finite"):
        lapack.lstsq(np.eye(6), A[2])


def test_nothing_else_calls_what_loops_for_ever():
    risky = re.compile(r"np\.linalg\.(lstsq|svd|pinv|matrix_rank|eigvals|eigvalsh|eig)\b")
    source = Path(lw.__file__).parent
    found = [str(path) for path in source.rglob("*.py") if risky.search(path.read_text("utf-8"))]
    assert found == [str(source / "algebra" / "lapack.py")]


CRASH = """
import numpy as np, linkwork as lw
m = lw.Model("m")
b = m.body("b", mass=1, inertia=0.1)
m.revolute("O", m.ground.at(0, 0), b.at(-1, 0))
try:
    m.spring("s", m.ground.at(0, 1), b.at(0, 0), stiffness=10, length=1, damping=[1, 2, 3])
    for solver in ("dopri5", "radau", "generalized_alpha"):
        try:
            m.simulate(1, solver=solver)
        except lw.LinkworkError:
            pass
except lw.LinkworkError:
    pass
print("alive")
"""


def test_the_interpreter_survives_a_vector_of_dampings():
    done = subprocess.run([sys.executable, "-c", CRASH], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "alive" and done.returncode == 0, done.stderr
