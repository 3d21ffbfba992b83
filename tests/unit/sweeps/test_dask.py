"""Dask: the same outcomes; a worker that is killed, a client that is killed and comes again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import xarray

import linkwork as lw
from linkwork.sweeps.backends import cluster
from linkwork.sweeps.store import journal
from tests.unit.sweeps.models import oscillator

distributed = pytest.importorskip("distributed")
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def client():
    """Threads of this process: quick to start, and everything else is as on a cluster."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as local,
        distributed.Client(local) as client,
    ):
        yield client


def test_the_same_to_the_last_bit(client, tmp_path):
    m, design = oscillator(), {"k": lw.uniform(10, 90), "rail.slide": [0.1, 0.2]}
    here = m.sweep(design, 1, cases=12, keep=["series", "max"], backend="serial")
    there = m.sweep(design, 1, cases=12, keep=["series", "max"], backend=client, to=tmp_path / "a.zarr")
    for name in here.variables:
        assert np.array_equal(here[name].values, there[name].values), name
    assert there.attrs["backend"] == "dask"


def test_derivatives_and_searches(client):
    m, over = oscillator(), {"k": (5.0, 200.0)}
    here = m.sweep({"k": [20.0, 50.0]}, 1, keep="end", sensitivities="k", backend="serial")
    there = m.sweep({"k": [20.0, 50.0]}, 1, keep="end", sensitivities="k", backend=client)
    assert np.array_equal(here["rail.slide.end by k"].values, there["rail.slide.end by k"].values)
    one = m.optimise(lw.Final("rail.slide"), over, 1.0, starts=3, backend="serial")
    other = m.optimise(lw.Final("rail.slide"), over, 1.0, starts=3, backend=client)
    assert one.parameters == other.parameters and one.attempts == other.attempts


def test_a_model_that_cannot_travel_is_told(client):
    m = oscillator()
    m["rail"].slide.law(lw.Effort(lambda t, x, v: -x))
    with pytest.raises(lw.LinkworkError, match="cannot be sent to another process"):
        m.sweep({"k": [1.0, 2.0]}, 1, backend=client)


def test_no_scheduler_there(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with pytest.raises(lw.LinkworkError, match="no scheduler answers"):
        oscillator().sweep({"k": [1.0]}, 1, backend="tcp://127.0.0.1:9")


SCRIPT = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path
    import linkwork as lw
    from linkwork.sweeps.store.folder import Folder
    from tests.unit.sweeps.models import oscillator, noting

    if __name__ == "__main__":
        target, deadly = sys.argv[1], int(sys.argv[2])
        add = Folder.add
        def dying(self, case, outcome):
            add(self, case, outcome)
            print(case, flush=True)
            if self.done.sum() == deadly:
                os.kill(os.getpid(), signal.SIGKILL)
        Folder.add = dying
        oscillator().sweep(
            {"k": lw.uniform(10, 90)}, 0.2, cases=60, keep="end", channels="rail.slide", reduce={"same": noting},
            backend="dask", workers=2, to=target,
        )
        print("finished")
    """
)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_worker_killed_a_client_killed_and_nothing_lost(tmp_path):
    """A worker dies by SIGKILL in the middle of a case; then the client does; the second call runs what is left."""
    script, target, log = tmp_path / "script.py", tmp_path / "a.zarr", tmp_path / "log"
    script.write_text(SCRIPT)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), "LINKWORK_TEST_LOG": str(log),
    }  # fmt: skip

    def run(deadly):
        command = [sys.executable, str(script), str(target), str(deadly)]
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=300)

    first = run(30)
    assert first.returncode == -signal.SIGKILL, first.stderr
    kept = {case for case, _ in journal.recovered(target / ".journal")}
    assert len(kept) == 30 and set(map(int, first.stdout.split())) == kept
    assert (tmp_path / "log.died").exists()  # the worker, too
    second = run(0)
    *again, last = second.stdout.split()
    assert last == "finished" and set(map(int, again)) == set(range(60)) - kept and len(again) == 30
    ds = xarray.open_zarr(target)
    assert set(ds.status.values) == {"finished"} and np.array_equal(ds["same"].values, ds["k"].values)
