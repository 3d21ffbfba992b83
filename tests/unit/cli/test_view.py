"""`linkwork view` and `linkwork gallery`, and runs that are watched while they are computed."""

from __future__ import annotations

import base64
import json
import threading
import time
import urllib.request

import numpy as np
import pytest

from linkwork.cli.app import main
from linkwork.core.errors import LinkworkError
from linkwork.studio.live import LiveView


@pytest.fixture
def opened(monkeypatch):
    """Addresses that would have been opened in a browser."""
    addresses: list[str] = []
    monkeypatch.setattr("webbrowser.open", addresses.append)
    return addresses


def test_a_run_can_be_watched(example, monkeypatch):
    monkeypatch.setattr("linkwork.simulation.live.PATIENCE", 0.0)
    monkeypatch.setattr("linkwork.integrate.native_run.SLICE", 1e-3)
    seen = []
    result = example("double_pendulum").simulate(30.0, output=0.05, rtol=1e-10, watch=seen.append)
    assert len(seen) > 1
    lengths = [part.t.size for part in seen]
    assert lengths == sorted(lengths) and lengths[-1] <= result.t.size
    part = seen[-1]
    np.testing.assert_array_equal(part.t, result.t[: part.t.size])
    np.testing.assert_array_equal(part["arm2.x"], result["arm2.x"][: part.t.size])
    assert part.record["status"] == "running" and part.description["joints"].keys() == {"upper", "lower"}


def test_a_live_page_gets_frames_and_the_whole(example):
    result = example("slider_crank").simulate(0.5, output=0.01)

    def part(count, stretch=1.0):
        data = stretch * result.data[:count]
        return type(result)(result.t[:count], data, result.channels, description=result.description)

    view = LiveView("crank", plot="piston.x")
    try:
        view.update(part(1))  # nothing to see yet
        view.update(part(5))
        view.update(part(40, stretch=3.0))  # goes farther than that page shows
        with urllib.request.urlopen(f"{view.url}frames?page=1&from=5", timeout=10) as stream:
            assert b"changed" in stream.read()
        page = urllib.request.urlopen(view.url, timeout=10).read().decode()
        assert json.loads(page.partition('id="scene">')[2].partition("</script>")[0])["live"] == 2
        assert not view.fetched
        events: list[tuple[str, str]] = []

        def listen() -> None:
            with urllib.request.urlopen(f"{view.url}frames?page=2&from=40", timeout=30) as stream:
                while line := stream.readline().decode():
                    if line.startswith("event: "):
                        events.append((line[7:].strip(), stream.readline().decode()[6:].strip()))
                        heard.set()

        heard = threading.Event()
        listener = threading.Thread(target=listen)
        listener.start()
        view.update(part(45, stretch=3.0))
        assert heard.wait(30)
        view.finish(result)
        listener.join(10)
        assert [kind for kind, _ in events] == ["frames", "done"]
        times = np.frombuffer(base64.b64decode(json.loads(events[0][1])["t"]))
        np.testing.assert_array_equal(times, result.t[40:45])
        whole = urllib.request.urlopen(view.url, timeout=10).read().decode()
        assert json.loads(whole.partition('id="scene">')[2].partition("</script>")[0])["live"] == 0
        until = time.monotonic() + 10
        while not view.fetched and time.monotonic() < until:  # told by the server a moment after the last byte
            time.sleep(0.01)
        assert view.fetched
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{view.url}etc/passwd", timeout=10)
    finally:
        view.close()


def test_a_port_that_is_taken_is_told():
    view = LiveView("one")
    try:
        with pytest.raises(LinkworkError, match="port"):
            LiveView("two", port=int(view.url.rstrip("/").rpartition(":")[2]))
    finally:
        view.close()


def test_view_writes_and_opens_a_page(tmp_path, opened, capsys):
    file = tmp_path / "crank.html"
    words = ["view", "slider-crank", "0.5", "-o", str(file), "--follow", "rod", "--trace", "piston", "--speed", "0.5"]
    assert main(words) == 0
    assert opened == [file.as_uri()] and "wrote" in capsys.readouterr().out
    data = json.loads(file.read_text("utf-8").partition('id="scene">')[2].partition("</script>")[0])
    assert data["follow"] == "rod" and data["speed"] == 0.5 and [t["name"] for t in data["traces"]] == ["piston"]
    assert [c["name"] for c in data["curves"]][:2] == ["piston.x", "O.angle.rate"]


def test_view_live_serves_the_run(opened, monkeypatch):
    monkeypatch.setattr("linkwork.cli.view.LAST_LOOK", 0.2)
    assert main(["view", "slider-crank", "0.5", "--live", "-q"]) == 0
    assert len(opened) == 1 and opened[0].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["view", "slider-crnk"], 2, "slider-crank"),
        (["view", "slider-crank", "0.1", "-o", "/nowhere/a.html"], 1, "cannot be written"),
        (["view", "slider-crank", "0.1", "-o", "a.bmp"], 1, "suffix"),
        (["view", "slider-crank", "0.1", "--no-open", "--plot", "pistn.x"], 2, "piston.x"),
        (["view", "slider-crank", "0.1", "--no-open", "--follow", "pistn"], 2, "piston"),
        (["view", "dc-motor"], 1, "bond graph"),
        (["gallery", "slider-crnk"], 2, "slider-crank"),
        (["gallery", "-o", "/proc/nothing/here", "pendulum"], 1, "cannot be made"),
    ],
)
def test_bad_commands_are_told(words, code, said, capsys):
    assert main(words) == code
    assert said in capsys.readouterr().err


def test_a_gallery_shows_each_example_with_what_it_has(tmp_path, example):
    assert main(["gallery", "pendulum", "spinning-top", "-q", "-o", str(tmp_path / "show")]) == 0
    made = {path.name for path in (tmp_path / "show").iterdir()}
    assert made == {"index.html"} | {
        f"{name}{end}" for name in ("pendulum", "spinning-top") for end in (".html", ".png", "-plot.svg")
    }
    index = (tmp_path / "show/index.html").read_text("utf-8")
    assert "A bar of 1 kg" in index and 'href="spinning-top.html"' in index
