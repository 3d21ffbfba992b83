"""Cases that are prepared and told together, and integrated one after the other in C: bit by bit as each by itself."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrate import native_run, resolve_solver
from linkwork.integrate.problem import make_problem
from linkwork.simulation.prepare import Choice, prepare
from linkwork.sweeps import single
from linkwork.sweeps.backends.processes import can_fork
from linkwork.sweeps.starts import VERIFIED
from tests.unit.sweeps.models import oscillator, trouble

pytestmark = pytest.mark.ci

BACKENDS = ["serial", "threads", pytest.param("processes", marks=pytest.mark.skipif(not can_fork(), reason="slow"))]
WAYS = ["series", "end", "min", "max", "mean", "rms", "integral"]


@pytest.fixture
def counted(monkeypatch):
    """How many cases were run together, in this process."""
    found: list[int] = []

    def counting(solver, problem, starts, p, stop):
        found.append(len(starts))
        return native_run.run_many(solver, problem, starts, p, stop)

    monkeypatch.setattr(single, "run_many", counting)
    return found


def alike(ds, other):
    for name in [*ds.data_vars, *ds.coords]:
        if name not in ("warnings",):
            assert np.array_equal(ds[name].values, other[name].values, equal_nan=ds[name].dtype.kind == "f"), name


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("design", "options"),
    [
        ({"k": np.linspace(10, 90, 24)}, {}),
        ({"k": np.linspace(10, 90, 24)}, {"solver": "rk4", "step": 0.01}),
        ({"rail.slide": np.linspace(0.05, 0.2, 24)}, {"inputs": {"u": ([0.0, 0.5, 1.0], [0.0, 3.0, -1.0])}}),
    ],
)
def test_as_each_by_itself(counted, backend, design, options):
    m = oscillator()
    options = {"channels": ["rail.*", "energy.*"], "keep": WAYS, "output": 0.05, **options}
    one = m.sweep(design, 1, backend="serial", judge=True, **options)
    counted.clear()
    ds = m.sweep(design, 1, backend=backend, workers=2, judge=False, **options)
    alike(ds, one)
    if backend != "processes" and "inputs" not in options:  # tables have corners, at which each run stops
        assert sum(counted) >= 24 and max(counted) > 1


@pytest.fixture(scope="module")
def troubled():
    """A rod that is too short, and an event that ends the run, among others that end well; each by itself."""
    m, cases = trouble(), [{"L": 0.2, "O.angle": 1.0}, *({"L": 1.0, "O.angle": x} for x in np.linspace(0.5, 2.45, 8))]
    with pytest.warns(lw.LinkworkWarning, match="cases failed"):
        return m, cases, m.sweep(cases, 0.1, channels="O.angle", backend="serial", judge=True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_those_that_fail_or_stop_tell_it_as_single_runs(troubled, backend):
    m, cases, one = troubled
    with pytest.warns(lw.LinkworkWarning, match="cases failed"):
        ds = m.sweep(cases, 0.1, channels="O.angle", backend=backend, workers=2, judge=False)
    assert set(ds.status.values) == {"failed", "finished", "event"}
    alike(ds, one)


def test_many_runs_are_those_of_single_runs():
    """States, status and steps, one of them with an event that stops it, and a stop in the middle."""
    ready = prepare(trouble(), Choice("absolute"))
    limits = np.array([9.0, 1.05, 9.0])
    p = np.repeat(ready.p[None], 3, axis=0)
    p[:, list(ready.program.parameters).index("limit")] = limits
    starts = np.repeat(ready.state[None], 3, axis=0)
    starts[2] = native_run.run_native(resolve_solver("dopri5"), problem(ready, p[2], (0.0, 0.6))).y[-1]
    whole = problem(ready, p[0])
    ran = native_run.run_many(resolve_solver("dopri5"), whole, starts, p, lambda: False)
    for k in range(3):
        path = native_run.run_native(resolve_solver("dopri5"), problem(ready, p[k], start=starts[k]))
        assert ran.status[k] == path.status
        assert ran.steps[k].tolist() == [path.stats["accepted"], path.stats["rejected"]]
        if path.status == "done":
            assert np.array_equal(ran.samples[k], path.y)
    assert ran.status[0] == "done" and ran.status[1] not in ("done", "running") and np.isnan(ran.samples[1]).all()
    assert native_run.run_many(resolve_solver("dopri5"), whole, starts, p, lambda: True) is None


def problem(ready, p, span=(0.0, 0.3), start=None):
    return make_problem(
        ready.program, ready.state if start is None else start, span, times=np.linspace(*span, 7), parameters=p,
        signals={}, rtol=1e-8, atol=1e-10, step=None, max_step=None, min_step=None, max_steps=None, projection=True,
        progress=None, should_stop=None,
    )  # fmt: skip


def test_starts_are_looked_at_before_any_are_shared(counted):
    oscillator().sweep({"k": np.linspace(10, 90, 12)}, 1, backend="serial", judge=False)
    assert counted[:VERIFIED] == [1] * VERIFIED
