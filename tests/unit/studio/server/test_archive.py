"""Runs that are there again after a new start."""

from __future__ import annotations

import pytest

from linkwork.core.errors import LinkworkError
from tests.unit.studio.server.conftest import PENDULUM

SETTINGS = "linkwork.studio.server"


@pytest.fixture
def kept(asking):
    """A tab with two runs, ended."""
    ask = asking()
    ask("open", text=PENDULUM)
    names = [ask("run", duration=0.1, label="first")["run"], ask("run", duration=0.2, parameters={"k": 7.0})["run"]]
    before = [ask("channels", run=name, names=["O.angle"]) for name in names]
    ask("run", duration=0.1, keep=False)
    ask.session.write_runs()
    return names, before, [ask("result", run=name) for name in names]


def test_runs_are_there_again_to_the_last_bit(asking, kept):
    names, before, told = kept
    ask = asking()
    assert [one["run"] for one in ask("state")["runs"]] == names  # the one in passing is gone
    assert [ask("channels", run=name, names=["O.angle"]) for name in names] == before
    for name, old in zip(names, told, strict=True):
        new = ask("result", run=name)
        assert {w: x for w, x in new.items() if w != "seconds"} == {w: x for w, x in old.items() if w != "seconds"}
    assert [one["of_now"] for one in told] == [True, False] and told[0]["label"] == "first"
    assert ask("run", duration=0.1)["run"] not in names


def test_a_restored_run_gives_powers_of_bonds(asking, kept):
    assert asking()("bondgraph", run=kept[0][0])["power"]["most"] > 0


def test_a_slider_that_is_let_go_leaves_a_run_of_the_document(asking, kept):
    ask = asking()
    ask("set", name="k", argument="value", value=7.0)
    assert [ask("result", run=name)["of_now"] for name in kept[0]] == [False, True]


def test_another_document_has_none_of_them(asking, kept):
    ask = asking()
    ask("new")
    ask.session.write_runs()
    assert asking()("state")["runs"] == []


def test_a_damaged_file_is_told_and_a_list_that_is_none_is_empty(asking, kept, tmp_path):
    folder = tmp_path / ".linkwork-studio" / "tab-runs"
    (folder / f"{kept[0][0]}.nc").write_bytes(b"CDF\x02 nothing")
    with pytest.raises(LinkworkError):
        asking()("result", run=kept[0][0])
    for text in ("[]", "{", '{"runs": [{"run": "../../x"}]}', '{"runs": [3]}'):
        (folder / "index.json").write_text(text)
        assert asking()("state")["runs"] == []


def test_only_so_much_is_written(asking, kept, tmp_path, monkeypatch):
    folder = tmp_path / ".linkwork-studio" / "tab-runs"
    size = max(file.stat().st_size for file in folder.glob("*.nc"))
    monkeypatch.setattr(f"{SETTINGS}.archive.ARCHIVED_BYTES", int(1.5 * size))
    ask = asking()
    name = ask("run", duration=0.1)["run"]
    ask.session.write_runs()
    assert [file.stem for file in folder.glob("*.nc")] == [name]
    assert [one["run"] for one in asking()("state")["runs"]] == [name]
