"""Bars in a terminal: they come after a while, say what is done, and leave nothing; and who shows them."""

from __future__ import annotations

import io
import sys
import threading
import time

import pytest

import linkwork as lw
from linkwork.core.activity import announced_to, begin, is_heard, reached
from linkwork.core.progress import showing as showing_module
from linkwork.core.progress import terminal_bar as terminal
from linkwork.core.progress.showing import showing, silenced


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def screened(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """What is written to a terminal where a bar comes at once. No fixture: pytest puts its streams back after those."""
    import rich.progress  # noqa: F401  # not while somebody waits for it

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("LINKWORK_PROGRESS", raising=False)
    return stream


class Named:
    name = "chain"


@showing
def long_work(model: Named, progress: object = None) -> str:
    """Until the bar is there, if there will be one."""
    begin("compiling rhs")
    reached(0.25)
    bar, end = terminal.watcher._bar, time.monotonic() + 10.0
    while bar is not None and "25 %" not in sys.stderr.getvalue() and time.monotonic() < end:
        time.sleep(0.01)
        reached(0.25)
    return "done"


def test_what_takes_long_shows_what_it_is_doing(monkeypatch):
    screen = screened(monkeypatch)
    assert long_work(Named()) == "done"
    assert "chain: compiling rhs" in screen.getvalue() and "25 %" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K")  # and nothing is left of it


def test_what_is_short_shows_nothing(monkeypatch):
    screen = screened(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE", 0.5)
    m = lw.Model("pendulum")
    m.revolute("O", m.ground.at(0, 0), m.body("b", mass=1, inertia=1).at(-0.5, 0))
    for _ in range(20):
        m.simulate(0.1)
    time.sleep(0.7)
    assert screen.getvalue() == ""


def test_what_is_done_with_results_shows_it_too(monkeypatch):
    screened(monkeypatch)
    opened: list[str] = []
    monkeypatch.setattr(terminal.watcher, "watch", lambda bar: opened.append(bar.description) if bar else None)
    m = lw.Model("pendulum", gravity=(0, -9.81))
    m.revolute("O", m.ground.at(0, 0), m.body("b", mass=1, inertia=1).at(-0.5, 0))
    sheet, linear = m.equations(), m.linearize()
    opened.clear()
    sheet.python()
    str(linear)
    assert opened == ["pendulum", "pendulum"]


@pytest.mark.parametrize(
    "why", ["no terminal", "asked for", "environment", "notebook", "thread", "progress", "somebody listens"]
)
def test_who_shows_nothing(monkeypatch, why):
    screen = screened(monkeypatch)
    asked: list[float] = []
    if why == "no terminal":
        monkeypatch.setattr(sys, "stderr", io.StringIO())
    if why in ("environment", "notebook"):
        monkeypatch.setenv("LINKWORK_PROGRESS", "Off")
    if why == "notebook":
        monkeypatch.setattr(showing_module, "notebook_bar", lambda title: pytest.fail("a bar"))
    if why == "asked for":
        with silenced():
            long_work(Named())
    elif why == "thread":
        thread = threading.Thread(target=long_work, args=(Named(),))
        thread.start()
        thread.join()
    elif why == "progress":
        long_work(Named(), progress=asked.append)
    elif why == "somebody listens":
        stages: list[str] = []
        with announced_to(stages.append):
            long_work(Named())
        assert stages == ["compiling rhs"]
    else:
        long_work(Named())
    assert screen.getvalue() == ""


def test_the_bar_goes_when_the_work_fails(monkeypatch):
    screen = screened(monkeypatch)

    @showing
    def failing(model: Named) -> None:
        long_work(model)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        failing(Named())
    assert not is_heard() and screen.getvalue().endswith("\x1b[2K")
    assert showing_module.watcher._bar is None


def test_verbs_show_themselves(monkeypatch):
    screened(monkeypatch)
    opened: list[str] = []
    monkeypatch.setattr(terminal.watcher, "watch", lambda bar: opened.append(bar.description) if bar else None)
    m = lw.Model("pendulum", gravity=(0, -9.81))
    m.revolute("O", m.ground.at(0, 0), m.body("b", mass=1, inertia=1).at(-0.5, 0))
    m.simulate(0.1)
    m.compare(["absolute", "minimal"], 0.1)  # one bar, not one for each run
    m.simulate(0.1, progress=lambda share: None)
    assert opened == ["pendulum", "pendulum"]
