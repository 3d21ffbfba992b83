"""Searches from several starts: the best valley of several, the same whoever searches, and what Ctrl-C leaves."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.sweeps.backends.processes import can_fork
from linkwork.sweeps.searches import Board, evenly
from tests.unit.sweeps.models import oscillator

pytestmark = pytest.mark.ci

forked = pytest.mark.skipif(not can_fork(), reason="processes are started anew here, which takes seconds")
OVER = {"k": (5.0, 200.0)}
GOAL = lw.Final(lambda c: c["rail.slide"] + 1e-5 * (c["k"] - 80.0) ** 2, name="two valleys")
"""With x = 0.1 cos(1.5 √(k/2)) after 1.5 s: valleys near 9, 79 and 219 N/m, the second one deepest."""


def goal(k):
    return 0.1 * np.cos(1.5 * np.sqrt(k / 2)) + 1e-5 * (k - 80.0) ** 2


@pytest.fixture(scope="module")
def m() -> lw.Model:
    return oscillator()


@pytest.fixture(scope="module")
def best(m):
    return m.optimise(GOAL, OVER, 1.5, start={"k": 10.0}, starts=6, backend="serial")


def test_the_best_valley_is_found(m, best):
    grid = np.linspace(5, 200, 200_001)
    one = m.optimise(GOAL, OVER, 1.5, start={"k": 10.0})
    assert best.objective < one.objective - 0.01 and best.converged
    assert best.objective == pytest.approx(goal(grid).min(), abs=1e-7)
    assert best.parameters["k"] == pytest.approx(grid[goal(grid).argmin()], abs=1e-2)
    assert best.start == pytest.approx(goal(10.0), abs=1e-7) and best.before == {"k": 10.0}
    assert best.result["rail.slide"][-1] == pytest.approx(
        0.1 * np.cos(1.5 * np.sqrt(best.parameters["k"] / 2)), abs=1e-7
    )


def test_all_searches_are_told(best):
    assert len(best.attempts) == 6 and {a.status for a in best.attempts} == {"converged"}
    assert best.attempts[0].start == {"k": 10.0} and all(5 <= a.start["k"] <= 200 for a in best.attempts)
    for a in best.attempts:
        assert a.objective == pytest.approx(goal(a.parameters["k"]), abs=1e-7) and a.feasible
        assert a.objective <= goal(a.start["k"])
    assert best.objective == min(a.objective for a in best.attempts)
    assert best.evaluations > 12 and "searches ended here" in str(best)


@pytest.mark.parametrize("backend", ["threads", pytest.param("processes", marks=forked), "auto"])
def test_whoever_searches(m, best, backend):
    again = m.optimise(GOAL, OVER, 1.5, start={"k": 10.0}, starts=6, backend=backend, workers=2)
    assert again.parameters == best.parameters and again.objective == best.objective
    assert again.attempts == best.attempts and again.history == best.history


def test_largest(m):
    top = m.optimise(-1.0 * GOAL, OVER, 1.5, minimise=False, start={"k": 10.0}, starts=6, backend="serial")
    assert top.objective == pytest.approx(-goal(np.linspace(5, 200, 200_001)).min(), abs=1e-7)
    assert max(a.objective for a in top.attempts) == top.objective


def test_more_starts_begin_with_the_same(m, best):
    few = m.optimise(GOAL, OVER, 1.5, start={"k": 10.0}, starts=2, backend="serial")
    other = m.optimise(GOAL, OVER, 1.5, start={"k": 10.0}, starts=2, seed=1, backend="serial")
    assert [a.start for a in few.attempts] == [a.start for a in best.attempts[:2]]
    assert other.attempts[1].start != few.attempts[1].start
    points = evenly(64, 3, 0)
    assert np.array_equal(points[:10], evenly(10, 3, 0)) and evenly(0, 3, 0).shape == (0, 3)
    assert np.histogram(points[:, 0], 8, (0, 1))[0].tolist() == [8] * 8


def test_constraints_rank_before_objectives(m):
    """The deepest valley does not meet the constraint."""
    found = m.optimise(
        GOAL, OVER, 1.5, start={"k": 10.0}, starts=6, backend="serial",
        constraints=[(lw.Final(lambda c: c["k"]), None, 40.0)],
    )  # fmt: skip
    grid = np.linspace(5, 40, 100_001)
    assert found.objective == pytest.approx(goal(grid).min(), abs=1e-6) and found.parameters["k"] < 40.001


def test_starts_that_cannot_be_run_are_told():
    """Where k < 50, there is the root of a negative number."""
    m = lw.Model("rough", gravity=(0, 0))
    k = m.parameter("k", 60.0)
    rail = m.prismatic("rail", m.ground.at(), m.body("block", mass=2.0, inertia=0.1).at())
    rail.slide.law(lw.Spring(lw.sqrt(k - 50.0)))
    rail.slide.start(0.1, rate=0)
    goal = lw.Final("rail.slide")
    found = m.optimise(goal, {"k": (1, 100)}, 0.5, starts=6, backend="serial", max_iterations=3)
    failed = [a for a in found.attempts if a.status == "failed"]
    assert failed and all(a.start["k"] < 50 and a.objective is None and a.message for a in failed)
    assert all(a.start["k"] > 50 for a in found.attempts if a not in failed) and np.isfinite(found.objective)
    with pytest.raises(lw.LinkworkError, match="no search came to a result: "):
        m.optimise(goal, {"k": (1, 40)}, 0.5, start={"k": 10.0}, starts=3, backend="serial")


@pytest.mark.parametrize(
    ("over", "options", "said"),
    [
        ({"kk": (1, 2)}, {"starts": 3}, "Did you mean 'k'"),
        (OVER, {"starts": 0}, "starts"),
        (OVER, {"starts": 1.5}, "starts"),
        ({"k": (5, None)}, {"starts": 3}, "k: has no two bounds"),
        (["k"], {"starts": 3}, "k: has no two bounds"),
        (OVER, {"starts": 3, "backend": "thread"}, "Did you mean 'threads'"),
        (OVER, {"starts": 3, "backend": "lanes"}, "a search of its own"),
        (OVER, {"starts": 3, "backend": "threads", "method": "ipopt"}, "one search at a time"),
        (OVER, {"starts": 3, "seed": -1}, "seed"),
    ],
)
def test_refused(m, over, options, said):
    with pytest.raises(lw.LinkworkError) as told:
        m.optimise(GOAL, over, 1.5, **options)
    assert said in str(told.value)


T = np.linspace(0.0, 2.0, 21)
DATA = {"rail.slide": (T, 0.1 * np.cos(np.sqrt(40.0) * T))}


@pytest.mark.parametrize("backend", ["serial", "threads", pytest.param("processes", marks=forked)])
def test_fit_from_several_starts(m, backend):
    options = {"parameters": {"k": (5.0, 900.0)}, "start": {"k": 700.0}}
    one, many = m.fit(DATA, **options), m.fit(DATA, **options, starts=6, backend=backend, workers=2)
    assert one.misfit > 100 * many.misfit and many["k"] == pytest.approx(80.0, rel=1e-6)
    assert len(many.attempts) == 6 and many.attempts[0].start == {"k": 700.0} and not many.cancelled
    assert {a.status for a in many.attempts} == {"converged"} and many.converged


def test_fit_tells_of_bad_starts(m):
    with pytest.raises(lw.LinkworkError, match="starts"):
        m.fit(DATA, parameters=["k"], starts=0)


@pytest.mark.parametrize("backend", ["serial", "threads", pytest.param("processes", marks=forked)])
@pytest.mark.parametrize("verb", ["optimise", "fit"])
def test_control_c_keeps_the_best_so_far(m, verb, backend):
    """A true interrupt, sent by a timer, in the middle of thousands of searches."""
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    options = {"starts": 3000, "backend": backend, "workers": 2}
    m.optimise(GOAL, OVER, 1.5, max_iterations=2), m.fit(DATA, parameters=OVER)  # compiled
    clock = time.perf_counter()
    timer.start()
    found = m.optimise(GOAL, OVER, 1.5, **options) if verb == "optimise" else m.fit(DATA, parameters=OVER, **options)
    assert time.perf_counter() - clock < 6 and found.cancelled
    status = [a.status for a in found.attempts]
    assert len(status) == 3000 and "pending" in status
    assert set(status) <= {"converged", "ended early", "cancelled", "pending"}
    ended = [a for a in found.attempts if a.status != "pending"]
    values = [a.objective if verb == "optimise" else a.misfit for a in ended]
    assert (found.objective if verb == "optimise" else found.misfit) == pytest.approx(min(values), rel=1e-9)


def test_the_board_keeps_the_best_of_each():
    board = Board(2, 3)
    assert board.best(0) is None
    board.note(0, 0.0, 2.0, np.ones(3))
    board.note(0, 0.0, 3.0, np.zeros(3))
    board.note(1, 0.5, 1.0, np.ones(3))
    board.note(1, 0.0, 9.0, np.full(3, 2.0))
    assert board.best(0).tolist() == [0, 2, 1, 1, 1] and board.best(1).tolist() == [0, 9, 2, 2, 2]
