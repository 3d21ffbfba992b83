"""Cases side by side in vector registers do what each does alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from linkwork.compile.llvm import widest
from linkwork.core.errors import LinkworkError
from linkwork.core.pieces import Lookup, lines
from linkwork.examples import squeezer
from linkwork.integrate import integrate
from linkwork.integrate.evaluation import evaluate
from linkwork.simulation.prepare import Choice, prepare
from linkwork.sweeps.batch import BatchProblem, CaseTable, make_batch, refusal
from linkwork.sweeps.lanes import outputs_of, run_batch
from tests.unit.sweeps.mechanisms import largest_difference, one_by_one, parallelogram, pendulum, ready, slider_crank

TIMES = np.linspace(0, 1.5, 16)
ROUNDING = {"rk4": 1e-13, "dopri5": 1e-10}
"""By how much lanes may differ, of the largest state: rounding decides about steps where errors are next to nothing."""
SOLVERS = {"rk4": {"step": 4e-3}, "dopri5": {"rtol": 1e-8, "atol": 1e-10}}


def pendulums(solver: str, cases: int = 7, action: str | None = None, **options: object) -> BatchProblem:
    """Of different lengths, more than fit into a register and no multiple of that."""
    at = ready(pendulum(action))
    p = np.column_stack([np.linspace(0.5, 2, cases), np.zeros(cases)])
    return make_batch(at.program, at.state, TIMES, parameters=p, solver=solver, **SOLVERS[solver] | options)


def cranks(solver: str, formulation: str = "absolute", cases: int = 6) -> BatchProblem:
    at = ready(slider_crank(), formulation)
    p = np.linspace(0.5, 2, cases)[:, None]
    return make_batch(at.program, at.state, TIMES, parameters=p, solver=solver, **SOLVERS[solver])


@pytest.mark.parametrize("solver", SOLVERS)
def test_trees(solver: str) -> None:
    problem = pendulums(solver)
    found, alone = run_batch(problem), one_by_one(problem)
    assert found.status == ["done"] * 7 and not found.one_by_one.any()
    assert largest_difference(found.y, alone) < ROUNDING[solver]
    assert found.accepted.tolist() == [path.stats["accepted"] for path in alone]
    assert found.rejected.tolist() == [path.stats["rejected"] for path in alone]


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_loops(solver: str, formulation: str) -> None:
    problem = cranks(solver, formulation)
    found = run_batch(problem)
    assert found.status == ["done"] * 6 and not found.one_by_one.any()
    assert largest_difference(found.y, one_by_one(problem)) < 1e-11


@pytest.mark.parametrize("lanes", [n for n in (2, 4, 8) if n <= widest()])
def test_neighbours_do_not_matter(lanes: int) -> None:
    """Nor does the order: each case has the same bits wherever it runs."""
    problem = cranks("dopri5")
    order = np.array([3, 0, 5, 1, 4, 2])
    found, turned = run_batch(problem, lanes=lanes), run_batch(problem.chosen(order), lanes=lanes)
    assert np.array_equal(found.y[order], turned.y)
    assert np.array_equal(found.y[2:3], run_batch(problem.chosen(slice(2, 3)), lanes=lanes).y)


def test_times_between_steps() -> None:
    problem = replace_times(pendulums("rk4"), np.array([0.0, 0.0011, 0.7503, 1.5]))
    assert largest_difference(run_batch(problem).y, one_by_one(problem)) < 1e-12


def replace_times(problem: BatchProblem, times: np.ndarray) -> BatchProblem:
    return replace(problem, common=replace(problem.common, times=times))


def test_channels() -> None:
    problem = cranks("dopri5")
    found = run_batch(problem)
    names = ["piston.x", "O.reaction.fx"]
    whole = [channel.name for channel in problem.program.channels]
    outputs = outputs_of(problem, found.y, names)
    for case in range(problem.cases):
        alone = evaluate(problem.program.function("outputs"), TIMES, found.y[case], problem.p[case])
        assert outputs[case] == pytest.approx(alone[:, [whole.index(name) for name in names]], rel=1e-10, abs=1e-10)
    assert outputs_of(problem, found.y).shape == (6, TIMES.size, len(whole))
    with pytest.raises(LinkworkError, match=r"no channel 'nothing\.x'"):
        outputs_of(problem, found.y, ["nothing.x"])


@pytest.mark.parametrize("solver", SOLVERS)
def test_inputs_over_time(solver: str) -> None:
    """A table for all, with a jump that no step goes across; and a table of each case."""
    at = ready(pendulum())
    jump = Lookup(lines(np.array([0.0, 0.6, 0.6, 1.5]), np.array([0.0, 1.0, -2.0, 0.0])))
    stops = np.array([[np.nextafter(0.6, 0), 0.6]])
    p = np.array([[0.6, 0.0], [1.0, 0.0], [1.7, 0.0]])
    options = {"parameters": p, "solver": solver} | SOLVERS[solver]
    problem = make_batch(at.program, at.state, TIMES, signals={0: jump}, stops=stops, **options)
    assert largest_difference(run_batch(problem).y, one_by_one(problem)) < ROUNDING[solver]
    each = CaseTable(np.array([0.0, 1.0, 2.0]), np.array([[0, 1, 0], [0, -3, 2], [1, 1, 1]], dtype=float))
    problem = make_batch(at.program, at.state, TIMES, signals={0: each}, **options)
    found = run_batch(problem)
    assert largest_difference(found.y, one_by_one(problem)) < (1e-8 if solver == "dopri5" else 1e-12)  # it bends
    assert not np.allclose(found.y[0], found.y[1])
    power = [name for name in (c.name for c in at.program.channels) if "power" in name][:1]
    alone = evaluate(at.program.function("outputs"), TIMES, found.y[1], p[1], {0: each.of(1)}, inputs=1)
    index = [c.name for c in at.program.channels].index(power[0])
    assert outputs_of(problem, found.y, power)[1, :, 0] == pytest.approx(alone[:, index], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_events_that_are_recorded(solver: str) -> None:
    problem = pendulums(solver, action="record")
    found, alone = run_batch(problem), one_by_one(problem)
    assert found.status == ["done"] * 7
    assert largest_difference(found.y, alone) < ROUNDING[solver]
    for case, path in enumerate(alone):
        assert [e.t for e in found.events[case]] == pytest.approx([e.t for e in path.events], abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_events_that_end_cases(solver: str) -> None:
    """Where none occurs the case goes on to its end."""
    problem = pendulums(solver, action="stop")
    start = problem.starts.copy()
    start[0, 0] = -np.pi / 2  # hangs at rest, beyond the event
    problem = replace(problem, starts=start)
    found, alone = run_batch(problem), one_by_one(problem)
    assert found.status == [path.status for path in alone] == ["done"] + ["stopped"] * 6
    for case, path in enumerate(alone[1:], 1):
        assert found.reached[case] == pytest.approx(path.t[-1], abs=1e-9)
        kept = TIMES <= path.t[-1]
        assert found.y[case, kept] == pytest.approx(path.y[: kept.sum()], abs=1e-8)
        assert np.isnan(found.y[case, ~kept]).all() and (~kept).any()


def test_singular_positions_are_left_to_single_runs() -> None:
    at = ready(parallelogram(), "absolute")
    starts = np.repeat(at.state[None], 3, axis=0)
    starts[1, at.program.layout.q : 2 * at.program.layout.q] *= 0.01  # does not get that far
    times = np.linspace(0, 1, 5)
    problem = make_batch(at.program, starts, times, solver="dopri5", rtol=1e-8)
    found, alone = run_batch(problem), one_by_one(problem)
    assert found.one_by_one.tolist() == [True, False, True]
    assert found.status == [path.status for path in alone]
    assert largest_difference(found.y, alone) < 1e-9


def test_cases_that_fail_say_why_and_the_others_go_on() -> None:
    problem = pendulums("dopri5")
    p = problem.p.copy()
    p[3, 0] = np.nan
    found = run_batch(replace(problem, p=p))
    assert found.status == ["done"] * 3 + ["nonfinite"] + ["done"] * 3
    assert "not finite" in found.message[3] and found.reached[3] == 0
    assert np.isnan(found.y[3, 1:]).all()
    untouched = np.arange(7) != 3
    assert np.array_equal(found.y[untouched], run_batch(problem).y[untouched])
    problem = pendulums("dopri5", max_steps=5)
    assert run_batch(problem).status == [path.status for path in one_by_one(problem)] == ["max_steps"] * 7


def test_what_cannot_run_side_by_side_is_refused() -> None:
    at = ready(pendulum("restart"))
    assert "half-way" in (refusal(at.program, "rk4") or "")
    assert "'radau'" in (refusal(ready(pendulum()).program, "radau") or "")
    assert "Python function" in (refusal(ready(pendulum()).program, "rk4", {0: lambda t: t}) or "")
    with pytest.raises(LinkworkError, match="half-way"):
        make_batch(at.program, at.state, TIMES, solver="rk4", step=0.01)
    at = ready(pendulum())
    with pytest.raises(LinkworkError, match="fixed step"):
        make_batch(at.program, at.state, TIMES, solver="rk4")
    with pytest.raises(LinkworkError, match="3 rows of starts for 2 cases|2 rows of parameters for 3 cases"):
        make_batch(at.program, np.zeros((3, at.state.size)), TIMES, parameters=np.ones((2, 1)))
    with pytest.raises(LinkworkError, match="no times"):
        make_batch(at.program, at.state, [])
    with pytest.raises(LinkworkError, match="lanes"):
        run_batch(pendulums("rk4"), lanes=3)


def test_it_ends_between_grid_points() -> None:
    """A fixed step that does not divide the run."""
    problem = replace_times(pendulums("rk4", step=0.007), TIMES)
    assert largest_difference(run_batch(problem).y, one_by_one(problem)) < 1e-12
    path = integrate(problem.program, problem.starts[0], (0, 1.5), solver="rk4", step=0.007)
    assert path.t[-1] == 1.5


@pytest.mark.slow
def test_differences_are_part_of_what_the_tolerance_leaves():
    """Andrews' squeezer: with fixed steps by rounding alone; with chosen ones by less than the error of either."""
    begun = prepare(squeezer.model(), Choice(formulation="absolute"))
    times, p = np.linspace(0, 0.03, 7), begun.p[None] * np.array([[1.0], [0.95]])

    def alone(solver, **options):
        return np.array([integrate(begun.program, begun.state, (0, 0.03), times=times, parameters=row, solver=solver,
                                   **options).y for row in p])  # fmt: skip

    def apart(a, b):
        return (np.abs(a - b) / np.abs(b).max(axis=(0, 1))).max()

    fixed = run_batch(make_batch(begun.program, begun.state, times, parameters=p, solver="rk4", step=2e-5)).y
    assert apart(fixed, alone("rk4", step=2e-5)) < 1e-12
    given = {"rtol": 1e-9, "atol": 1e-11}
    chosen, single = (
        run_batch(make_batch(begun.program, begun.state, times, parameters=p, **given)).y,
        alone("dopri5", **given),
    )
    exact = alone("dop853", rtol=1e-13, atol=1e-15)
    assert apart(chosen, single) < 0.5 * apart(single, exact) < 1e-8
