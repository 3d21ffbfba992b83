"""Sweeps on the disk: written while they come, taken up again, refused where something else is."""

from __future__ import annotations

import errno
import json
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
from linkwork.sweeps.store import folder, journal, zarr_format
from linkwork.sweeps.study import Study
from tests.unit.sweeps.models import oscillator, sine

ROOT = Path(__file__).parents[3]
DESIGN = {"k": lw.uniform(10, 90)}


@pytest.fixture(scope="module")
def m() -> lw.Model:
    return oscillator()


@pytest.fixture
def counted(monkeypatch):
    """Numbers of the cases that are run."""
    cases: list[int] = []
    run = Study.run
    monkeypatch.setattr(Study, "run", lambda self, case, *rest: (cases.append(case), run(self, case, *rest))[1])
    return cases


def test_the_same_as_in_the_memory(m, tmp_path):
    options = {"cases": 7, "channels": ["rail.slide", "block.vx"], "keep": ["series", "max"], "reduce": {"span": sine}}
    inside = m.sweep(DESIGN, 1, **options, backend="serial")
    outside = m.sweep(DESIGN, 1, **options, backend="serial", to=tmp_path / "a.zarr")
    assert set(inside.variables) == set(outside.variables) and set(inside.coords) == set(outside.coords)
    for name in inside.variables:
        assert np.array_equal(inside[name].values, outside[name].values), name
        assert inside[name].attrs == outside[name].attrs and inside[name].dims == outside[name].dims
    # Read by others, without us.
    xarray.testing.assert_equal(xarray.open_zarr(tmp_path / "a.zarr", decode_timedelta=False).load(), outside.load())


def test_without_the_package_zarr_all_is_read(m, tmp_path, monkeypatch):
    with_package = m.sweep(DESIGN, 1, cases=3, backend="serial", to=tmp_path / "a.zarr").load()
    monkeypatch.setitem(sys.modules, "zarr", None)
    without = m.sweep(DESIGN, 1, cases=3, backend="serial", to=tmp_path / "a.zarr")
    for name in with_package.variables:
        assert np.array_equal(with_package[name].values, without[name].values), name


def test_chunks(m, tmp_path, monkeypatch):
    """A chunk is written as soon as its cases are there, in whatever order these come."""
    monkeypatch.setattr(folder, "ROW_LIMIT", 4)
    ds = m.sweep(DESIGN, 1, cases=10, keep="end", backend="threads", workers=3, to=tmp_path / "a.zarr")
    assert sorted(p.name for p in (tmp_path / "a.zarr" / "status").iterdir() if p.name[0] != ".") == ["0", "1", "2"]
    whole = m.sweep(DESIGN, 1, cases=10, keep="end", backend="serial")
    assert np.array_equal(ds["rail.slide.end"].values, whole["rail.slide.end"].values)


def test_a_finished_sweep_is_not_run_again(m, tmp_path, counted):
    first = m.sweep(DESIGN, 1, cases=4, backend="serial", to=tmp_path / "a.zarr").load()
    assert counted == [0, 1, 2, 3]
    again = m.sweep(DESIGN, 1, cases=4, backend="serial", to=tmp_path / "a.zarr").load()
    assert counted == [0, 1, 2, 3]
    xarray.testing.assert_identical(first, again)


@pytest.mark.parametrize("backend", ["serial", "threads"])
def test_an_interrupt_keeps_what_there_is(m, tmp_path, counted, monkeypatch, backend):
    monkeypatch.setattr(folder, "ROW_LIMIT", 3)
    add = folder.Folder.add

    def interrupted(self, case, outcome):
        add(self, case, outcome)
        if self.done.sum() == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(folder.Folder, "add", interrupted)
    part = m.sweep(DESIGN, 1, cases=12, keep="end", backend=backend, workers=2, to=tmp_path / "a.zarr").load()
    assert part.attrs["status"] == "cancelled"
    assert np.count_nonzero(part.status == "finished") == 5 and np.count_nonzero(part.status == "pending") == 7
    monkeypatch.setattr(folder.Folder, "add", add)
    before = set(np.flatnonzero(part.status == "finished").tolist())
    counted.clear()
    whole = m.sweep(DESIGN, 1, cases=12, keep="end", backend=backend, workers=2, to=tmp_path / "a.zarr").load()
    assert sorted(counted) == sorted(set(range(12)) - before)
    assert whole.attrs["status"] == "finished" and set(whole.status.values) == {"finished"}
    fresh = m.sweep(DESIGN, 1, cases=12, keep="end", backend="serial")
    assert np.array_equal(fresh["rail.slide.end"].values, whole["rail.slide.end"].values)


SCRIPT = textwrap.dedent(
    """
    import sys
    import linkwork as lw
    from tests.unit.sweeps.models import oscillator
    from linkwork.sweeps.store.folder import Folder
    add = Folder.add
    def noted(self, case, outcome):
        add(self, case, outcome)
        sys.stdout.write(f"{case}\\n")
        sys.stdout.flush()
    Folder.add = noted
    oscillator().sweep({"k": lw.uniform(10, 90)}, 1, cases=40, keep="end", backend=sys.argv[2], to=sys.argv[1])
    print("finished")
    """
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_killed_in_the_middle(m, tmp_path, counted):
    """SIGKILL after seven cases, in a process of its own: these seven are kept, and not run again."""
    target, told = tmp_path / "a.zarr", tmp_path / "told"
    m.simulate(1)
    child = os.fork()
    if not child:
        add = folder.Folder.add

        def deadly(self, case, outcome):
            add(self, case, outcome)
            if self.done.sum() == 7:
                told.write_text("7")
                os.kill(os.getpid(), signal.SIGKILL)

        folder.Folder.add = deadly
        m.sweep(DESIGN, 1, cases=20, keep="end", backend="serial", to=target)
        os._exit(0)
    os.waitpid(child, 0)
    assert told.read_text() == "7" and len(list(journal.recovered(target / ".journal"))) == 7
    ds = m.sweep(DESIGN, 1, cases=20, keep="end", backend="serial", to=target).load()
    assert counted == list(range(7, 20)) and set(ds.status.values) == {"finished"}
    fresh = m.sweep(DESIGN, 1, cases=20, keep="end", backend="serial")
    assert np.array_equal(fresh["rail.slide.end"].values, ds["rail.slide.end"].values)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["serial", "threads"])
def test_killed_and_taken_up_again(tmp_path, monkeypatch, backend):
    """SIGKILL in the middle: every case whose outcome was delivered is kept, and none of them is delivered again."""
    target = tmp_path / "a.zarr"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [sys.executable, "-c", SCRIPT, str(target), backend]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT)
    seen = [int(process.stdout.readline()) for _ in range(6)]
    process.send_signal(signal.SIGKILL)
    seen += [int(word) for word in process.stdout.read().split() if word.isdigit()]
    process.wait()
    kept = {case for case, _ in journal.recovered(target / ".journal")}
    assert set(seen) <= kept
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=True)
    *again, last = done.stdout.split()
    assert last == "finished" and sorted(map(int, again)) == sorted(set(range(40)) - kept)
    assert set(xarray.open_zarr(target).status.values) == {"finished"}


def test_half_a_record_is_cut_off(m, tmp_path, monkeypatch):
    """What a power cut leaves of the last record is told by its checksum."""
    monkeypatch.setattr(journal.Journal, "keep", lambda self, left: None)
    store = tmp_path / "a.zarr"
    monkeypatch.setattr(folder.Folder, "close", lambda self, record: None)  # as if it had died
    m.sweep(DESIGN, 1, cases=5, keep="end", backend="serial", to=store)
    (store / "status" / "0").unlink()
    whole = (store / ".journal").read_bytes()
    for length in (len(whole) - 1, len(whole) - 30, 3, 0):
        (store / ".journal").write_bytes(whole[:length])
        kept = list(journal.recovered(store / ".journal"))
        assert len(kept) == length * 5 // len(whole)
    (store / ".journal").write_bytes(whole[:-9] + bytes(9))
    assert len(list(journal.recovered(store / ".journal"))) == 4


def test_another_sweep_is_not_overwritten(m, tmp_path):
    path = tmp_path / "a.zarr"
    m.sweep(DESIGN, 1, cases=3, backend="serial", to=path)
    other = oscillator()
    other["block"].mass = 3.0
    for run in (
        lambda: m.sweep(DESIGN, 1, cases=4, backend="serial", to=path),
        lambda: m.sweep(DESIGN, 1, cases=3, seed=1, backend="serial", to=path),
        lambda: m.sweep(DESIGN, 2, cases=3, backend="serial", to=path),
        lambda: m.sweep(DESIGN, 1, cases=3, rtol=1e-6, backend="serial", to=path),
        lambda: m.sweep(DESIGN, 1, cases=3, keep="end", backend="serial", to=path),
        lambda: m.sweep(DESIGN, 1, cases=3, inputs={"u": 1.0}, backend="serial", to=path),
        lambda: other.sweep(DESIGN, 1, cases=3, backend="serial", to=path),
    ):
        with pytest.raises(lw.LinkworkError, match="holds another sweep"):
            run()
    folder_of_theirs = tmp_path / "b.zarr"
    folder_of_theirs.mkdir()
    (folder_of_theirs / "thesis.txt").write_text("dear")
    with pytest.raises(lw.LinkworkError, match="is no sweep"):
        m.sweep(DESIGN, 1, cases=3, backend="serial", to=folder_of_theirs)
    assert (folder_of_theirs / "thesis.txt").read_text() == "dear"


def test_only_one_writes(m, tmp_path, monkeypatch):
    told = []
    add = folder.Folder.add

    def meanwhile(self, case, outcome):
        add(self, case, outcome)
        if case == 1:
            with pytest.raises(lw.LinkworkError, match="another process") as error:
                m.sweep(DESIGN, 1, cases=3, keep="end", backend="serial", to=tmp_path / "a.zarr")
            told.append(error)

    monkeypatch.setattr(folder.Folder, "add", meanwhile)
    m.sweep(DESIGN, 1, cases=3, keep="end", backend="serial", to=tmp_path / "a.zarr")
    assert told


def test_a_full_disk_is_told_and_nothing_is_lost(m, tmp_path, monkeypatch, counted):
    write, left = journal._record, [6]

    class Full:
        """A file on a disk with room for six records and a half."""

        def __init__(self, file):
            self.file = file

        def write(self, data):
            left[0] -= 1
            if left[0] < 0:
                self.file.write(data[: len(data) // 2])
                self.file.flush()
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.file.write(data)

        def __getattr__(self, name):
            return getattr(self.file, name)

    begin = journal.Journal.__init__

    def on_full_disk(self, path):
        begin(self, path)
        self._file = Full(self._file)

    with monkeypatch.context() as patch:
        patch.setattr(journal.Journal, "__init__", on_full_disk)
        with pytest.raises(lw.LinkworkError, match="No space left on device. 6 of 10 cases are kept"):
            m.sweep(DESIGN, 1, cases=10, keep="end", backend="serial", to=tmp_path / "a.zarr")
    counted.clear()
    whole = m.sweep(DESIGN, 1, cases=10, keep="end", backend="serial", to=tmp_path / "a.zarr")
    assert counted == [6, 7, 8, 9] and set(whole.status.values) == {"finished"}
    assert write is journal._record


def test_where_nothing_can_be_written(m, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(lw.LinkworkError, match="cannot be written"):
        m.sweep(DESIGN, 1, cases=2, backend="serial", to=blocked / "a.zarr")


def test_metadata_is_that_of_the_format(m, tmp_path):
    m.sweep(DESIGN, 1, cases=2, backend="serial", to=tmp_path / "a.zarr")
    said = json.loads((tmp_path / "a.zarr" / ".zmetadata").read_text())["metadata"]
    assert said["rail.slide/.zarray"]["shape"] == [2, 501] and said["rail.slide/.zarray"]["zarr_format"] == 2
    assert said["status/.zattrs"]["_ARRAY_DIMENSIONS"] == ["case"]
    assert not list((tmp_path / "a.zarr").rglob("*.part"))


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    zarr_format.write_whole(tmp_path / "x", b"before")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    with pytest.raises(OSError, match="full"):
        zarr_format.write_whole(tmp_path / "x", b"after")
    assert (tmp_path / "x").read_bytes() == b"before" and [p.name for p in tmp_path.iterdir()] == ["x"]
