"""A real server with a real worker per tab: two tabs, a worker that is killed, a server started again, limits."""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from linkwork.studio.server.serving import bound, server_of
from linkwork.studio.server.settings import Limits, Settings
from tests.unit.studio.server.conftest import PENDULUM

PATIENCE = 60.0
"""s that an answer may take on a busy machine."""


class Studio:
    """A server in a thread."""

    def __init__(self, folder, **limits: Any):
        listening, self.settings = bound(Settings(folder, limits=Limits(**limits)))
        self.server = server_of(self.settings)
        self.thread = threading.Thread(target=lambda: self.server.run(sockets=[listening]), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join(PATIENCE)

    @property
    def tabs(self):
        return self.server.config.app.state.tabs.tabs  # type: ignore[union-attr]

    @contextmanager
    def page(self, tab: str, **options: Any):
        port = self.settings.port
        origin = options.pop("origin", f"http://127.0.0.1:{port}")
        with connect(f"ws://127.0.0.1:{port}/ws?tab={tab}", origin=origin, max_size=None, **options) as socket:
            yield Page(socket)


class Page:
    def __init__(self, socket):
        self.socket, self.count, self.events = socket, 0, []

    def send(self, verb: str, **given: Any) -> int:
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "verb": verb, **given}))
        return self.count

    def answer(self, number: int) -> dict[str, Any]:
        while True:
            message = json.loads(self.socket.recv(PATIENCE))
            if "event" not in message and message["id"] == number:
                return message
            self.events.append(message)

    def ask(self, verb: str, **given: Any) -> Any:
        answer = self.answer(self.send(verb, **given))
        assert "ok" in answer, answer
        return answer["ok"]

    def refused(self, verb: str, **given: Any) -> dict[str, Any]:
        return self.answer(self.send(verb, **given))["error"]

    def until(self, event: str) -> dict[str, Any]:
        found = [e for e in self.events if e.get("event") == event]
        while not found:
            message = json.loads(self.socket.recv(PATIENCE))
            self.events.append(message)
            found = [message] if message.get("event") == event else []
        return found[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def studio(folder):
    made = Studio(folder)
    yield made
    made.close()


def angle(page: Page, **given: Any) -> np.ndarray:
    run = page.ask("run", duration=0.2, **given)["run"]
    return np.frombuffer(base64.b64decode(page.ask("channels", run=run, names=["O.angle"])["values"]["O.angle"]))


def test_two_tabs_do_not_disturb_each_other(studio):
    with studio.page("one") as one, studio.page("two") as two:
        one.ask("open", text=PENDULUM)
        two.ask("open", text=PENDULUM.replace("start = 0.3", "start = 0.5"))
        a, b = one.send("run", duration=0.2), two.send("run", duration=0.2)
        names = one.answer(a)["ok"]["run"], two.answer(b)["ok"]["run"]
        starts = [
            np.frombuffer(base64.b64decode(page.ask("channels", run=run, names=["O.angle"])["values"]["O.angle"]))[0]
            for page, run in zip((one, two), names, strict=True)
        ]
        assert starts == [0.3, 0.5]
        assert one.refused("channels", run="run7", names=["O.angle"])["message"].startswith("there is no run")
        assert studio.tabs["one"].process != studio.tabs["two"].process != os.getpid()


def test_a_broken_model_and_wrong_requests_leave_the_tab_alive(studio):
    with studio.page("broken") as page:
        page.ask("open", text="linkwork = 1\n[model]\nname = 3\n")
        assert page.ask("state")["problem"]["line"] == 3
        page.socket.send("nonsense")
        assert json.loads(page.socket.recv(PATIENCE))["error"]["message"]
        page.socket.send('{"id": 4, "verb": "run", "duration": NaN}')
        assert "NaN" in json.loads(page.socket.recv(PATIENCE))["error"]["message"]
        assert page.refused("open", file="../../etc/passwd")["message"]
        page.ask("undo")
        assert page.ask("state")["problem"] is None


def test_a_killed_worker_is_started_again_where_it_was(studio):
    with studio.page("killed") as page:
        page.ask("open", text=PENDULUM)
        page.ask("set", name="bar", argument="mass", value=7)
        process = studio.tabs["killed"].process
        os.kill(process, signal.SIGTERM)
        assert "started again" in page.until("lost")["message"]
        state = page.ask("state")
        assert "mass = 7" in state["text"] and state["can_undo"] and studio.tabs["killed"].process != process
        assert angle(page)[0] == 0.3


def test_cancel_goes_past_the_queue(studio):
    with studio.page("queue") as page:
        page.ask("open", text=PENDULUM)
        number = page.send("run", duration=1e7, output=1e5)
        page.until("progress")
        assert page.ask("cancel", of=number + 50) == {"cancelled": False}
        time.sleep(0.3)
        stopped = page.send("cancel", of=number)
        answers = {}
        while len(answers) < 2:
            message = json.loads(page.socket.recv(PATIENCE))
            if "event" not in message:
                answers[message["id"]] = message
        assert answers[stopped]["ok"] == {"cancelled": True}
        found = answers[number]
        assert found.get("ok", {}).get("status") == "cancelled" or found["error"]["cancelled"]
        assert angle(page)[0] == 0.3  # nothing of it is left behind


def test_the_same_tab_opened_elsewhere_takes_over(studio):
    with studio.page("same") as first:
        first.ask("new")
        with studio.page("same") as second:
            second.ask("state")
            with pytest.raises(ConnectionClosed) as closed:
                first.socket.recv(PATIENCE)
            assert closed.value.rcvd.code == 4001


def test_pages_of_other_sites_are_refused(studio):
    with pytest.raises(InvalidStatus) as refused, studio.page("evil", origin="http://evil.example"):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("size", [21_000_000, pytest.param(100_000_000, marks=pytest.mark.slow)])
def test_a_message_that_is_too_large_ends_the_connection_and_nothing_else(studio, size):
    def send(page):
        page.socket.send("x" * size)
        page.socket.recv(PATIENCE)

    with studio.page("large") as page, pytest.raises(ConnectionClosed) as closed:
        send(page)
    assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
    with studio.page("large") as page:
        assert page.ask("state")["empty"]


@pytest.mark.slow
def test_a_model_that_is_too_large_is_told(studio):
    with studio.page("large") as page:
        assert "too large" in page.refused("open", text="#" * 17_000_000)["message"]


def test_a_server_that_is_started_again_keeps_the_work(folder):
    first = Studio(folder)
    with first.page("kept") as page:
        page.ask("open", text=PENDULUM)
        page.ask("set", name="bar", argument="mass", value=7)
    first.close()
    second = Studio(folder)
    try:
        with second.page("kept") as page:
            state = page.ask("state")
            assert "mass = 7" in state["text"] and state["can_undo"]
            page.ask("undo")
            assert "mass = 2.0" in page.ask("state")["text"]
    finally:
        second.close()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="processes cannot be stopped there")
def test_the_limit_of_time_holds(folder):
    strict = Studio(folder, seconds=2.0, grace=2.0)
    try:
        with strict.page("strict") as page:
            page.ask("open", text=PENDULUM)
            began = time.monotonic()
            answer = page.ask("run", duration=1e7, output=1e5)
            assert answer["status"] == "cancelled" and "2 s" in answer["note"] and time.monotonic() - began < 30
            assert angle(page)[0] == 0.3
            os.kill(strict.tabs["strict"].process, signal.SIGSTOP)  # as one that hangs in foreign code
            assert "longer than 2 s" in page.refused("state")["message"]
            assert "mass = 2.0" in page.ask("state")["text"]
    finally:
        strict.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not limit memory")
def test_the_limit_of_memory_holds(folder):
    small = Studio(folder, memory=1_500_000_000)
    try:
        with small.page("small") as page:
            page.ask("open", text=PENDULUM)
            assert "memory" in page.refused("run", duration=1.0, output=1.5e-7)["message"]
            assert angle(page)[0] == 0.3
    finally:
        small.close()
