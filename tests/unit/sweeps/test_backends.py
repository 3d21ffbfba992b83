"""Whoever runs the cases, the outcomes are the same, each is delivered once, and the dead are replaced."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.sweeps.backends import Pilot, choose
from linkwork.sweeps.backends.processes import can_fork
from linkwork.sweeps.backends.serial import Serial
from linkwork.sweeps.backends.threads import WORKER, Threads
from linkwork.sweeps.outcome import Outcome
from tests.unit.sweeps.models import oscillator

HERE = os.getpid()
forked = pytest.mark.skipif(not can_fork(), reason="processes are started anew here, which takes seconds")


@pytest.fixture(scope="module")
def m() -> lw.Model:
    return oscillator()


@pytest.fixture(scope="module")
def serially(m):
    return m.sweep({"k": lw.uniform(10, 90), "u": [0.0, 1.0]}, 1, cases=20, keep=["series", "max"], backend="serial")


@pytest.mark.parametrize("backend", ["threads", pytest.param("processes", marks=forked), "auto"])
def test_the_same_to_the_last_bit(m, serially, backend):
    ds = m.sweep(
        {"k": lw.uniform(10, 90), "u": [0.0, 1.0]}, 1, cases=20, keep=["series", "max"], backend=backend, workers=3
    )
    for name in serially.variables:
        assert np.array_equal(serially[name].values, ds[name].values), name


@forked
def test_a_dead_worker_is_replaced(m, tmp_path):
    """The process dies in the middle of case 7, once; all cases are run, and none that was delivered twice."""
    mark, log = tmp_path / "died", tmp_path / "log"

    def deadly(r):
        k = r.record["parameters"]["k"]
        if k == 17.0 and os.getpid() != HERE and not mark.exists():
            mark.write_text("once")
            os.kill(os.getpid(), signal.SIGKILL)
        with log.open("a") as file:
            file.write(f"{k:g}\n")
        return k

    values = np.arange(10.0, 40.0)
    ds = m.sweep({"k": values}, 1, reduce={"same": deadly}, backend="processes", workers=2)
    assert mark.exists() and set(ds.status.values) == {"finished"}
    assert np.array_equal(ds["same"].values, values)
    assert sorted(map(float, log.read_text().split())) == values.tolist()


@forked
def test_a_deadly_case_is_told_and_the_others_go_on(m):
    def deadly(r):
        if r.record["parameters"]["k"] == 13.0 and os.getpid() != HERE:
            os._exit(3)
        return 1.0

    with pytest.warns(lw.LinkworkWarning, match="1 of 12 cases failed; the first of them is case 3: 2 processes died"):
        ds = m.sweep({"k": np.arange(10.0, 22.0)}, 1, reduce={"one": deadly}, backend="processes", workers=2)
    assert np.flatnonzero(ds.status.values == "failed").tolist() == [3]


@pytest.mark.parametrize("backend", ["threads", "lanes", pytest.param("processes", marks=forked)])
def test_what_the_store_raises_comes_out_and_nothing_goes_on(m, monkeypatch, backend):
    from linkwork.sweeps.store.memory import Memory

    add = Memory.add

    def full(self, case, outcome):
        add(self, case, outcome)
        if self.done.sum() == 3:
            raise lw.LinkworkError("full")

    monkeypatch.setattr(Memory, "add", full)
    with pytest.raises(lw.LinkworkError, match="full"):
        m.sweep({"k": np.arange(10.0, 30.0)}, 1, backend=backend, workers=2)
    assert not [thread for thread in threading.enumerate() if thread.name == WORKER]  # others may compile
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("backend", ["serial", "threads", "lanes", pytest.param("processes", marks=forked)])
def test_control_c(m, monkeypatch, backend):
    """A true interrupt, sent when some cases are done, ends the sweep in a moment; what was finished is returned."""
    from linkwork.sweeps.store.memory import Memory

    add, sent = Memory.add, []

    def interrupting(self, case, outcome):
        add(self, case, outcome)
        if self.done.sum() >= 20 and not sent:
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Memory, "add", interrupting)
    ds = m.sweep({"k": np.linspace(10.0, 30.0, 5000)}, 1, keep="end", backend=backend, workers=2)
    assert time.perf_counter() - sent[0] < 5
    assert ds.attrs["status"] == "cancelled"
    done = ds.status.values == "finished"
    assert 0 < done.sum() < 5000 and set(ds.status.values[~done]) == {"pending"}
    assert np.isfinite(ds["rail.slide.end"].values[done]).all() and np.isnan(ds["rail.slide.end"].values[~done]).all()


def test_choice_by_what_a_case_costs(monkeypatch):
    monkeypatch.setattr("linkwork.sweeps.backends.choice._others", lambda: False)  # threads that other tests have left
    assert isinstance(choose(Pilot(0.01, 0.1), 5, 4), Serial)
    assert isinstance(choose(Pilot(0.01, 0.9), 5000, 4), Threads)
    assert choose(Pilot(0.01, 0.1), 5000, 4).name == ("processes" if can_fork() else "threads")
    assert isinstance(choose(Pilot(0.01, 0.1), 5000, 1), Serial)


def test_pilot_counts_what_it_runs():
    class Still:
        integrating = 0.0

        def run(self, case):
            self.integrating += 0.002
            time.sleep(0.004)
            return Outcome("finished", "", 1.0, "", np.zeros(1))

    delivered, pilot = [], Pilot()
    assert pilot.run(Still(), range(100), lambda case, _: delivered.append(case)) == len(delivered) == 5
    assert 0.003 < pilot.seconds < 0.05 and 0 < pilot.share < 0.7
