"""The studio as its tests use it: a server of its own, tabs of a real browser, and waiting for what they show."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
PATIENCE = 60.0
"""s: a machine without a graphics card that does something else, too."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser takes its time: these tests are for CI."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.ci)


class Server:
    """`linkwork studio` in a process of its own, in a folder."""

    def __init__(self, folder: Path, port: int = 0, *arguments: str):
        command = [sys.executable, "-m", "linkwork", "studio", *arguments]
        command += ["--no-browser", "--port", str(port), "--folder", str(folder)]
        self.folder = folder
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        said = ""
        for line in self.process.stdout:
            said += line
            if found := re.search(r"http://\S+", line):
                self.url = found[0]
                self.port = int(re.findall(r":(\d+)/", self.url)[0])
                return
        raise AssertionError(f"the studio has not started: {said}")

    def kill(self) -> None:
        """As a crash would."""
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()


@pytest.fixture(scope="module")
def studio_browser() -> Iterator[Any]:
    """A browser without a graphics card."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need the package playwright")
    for package in ("starlette", "uvicorn", "websockets"):
        pytest.importorskip(package, reason="the studio needs its extra")
    if CHROMIUM is None:
        pytest.skip("the browser tests need chromium")
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_api.sync_playwright() as play:
        program = play.chromium.launch(executable_path=CHROMIUM, args=[*sandbox, *SOFTWARE])
        yield program
        program.close()


class Studio:
    """One tab, and what went wrong in it. `window.studio` of the page lets tests read what is shown."""

    def __init__(self, browser: Any, url: str, *, size: tuple[int, int] = (1280, 800), dark: bool = False):
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
        )
        self.context.set_default_timeout(1000 * PATIENCE)
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        own = re.match(r"\w+://[^/]+/", url)
        assert own is not None
        self.page.on(
            "request",
            lambda r: None if r.url.startswith((own[0], "blob:", "data:")) else self.trouble.append(r.url),
        )
        self.page.goto(url)

    def read(self, expression: str, argument: object = None) -> Any:
        return self.page.evaluate(expression, argument)

    def until(self, expression: str, seconds: float = PATIENCE) -> Any:
        """Wait until an expression is true. (The page allows no code made from text: it cannot wait itself.)"""
        end = time.monotonic() + seconds
        while not (found := self.read(expression)):
            assert time.monotonic() < end, f"never: {expression}"
            time.sleep(0.03)
        return found

    def open(self, example: str) -> None:
        self.until("document.documentElement.dataset.ready")
        before = self.read("studio.store.state.version")
        if not self.page.locator("dialog.open-dialog[open]").count():
            self.page.click("#open")
        self.page.click(f'[data-example="{example}"]')
        self.until(f"studio.store.state.hints.name === '{example}' && studio.store.state.version !== {before}")
        self.until("!document.querySelector('dialog[open]') && studio.stage.player && studio.stage.player.drawn > 1")

    def run(self) -> None:
        """Press Run, wait for its end, and stop the animation at its start."""
        before = self.read("studio.store.run ? studio.store.run.id : ''")
        self.page.click("#run")
        self.until(f"studio.store.run && studio.store.run.id !== '{before}' && !studio.runs.busy")
        self.until("studio.stage.player.playing")
        self.read("studio.timeline.pause()")

    def pose(self, body: str) -> list[float]:
        """Position [m] of a body as it is shown."""
        found: list[float] = self.read("name => studio.stage.player.poseOf(name).position", body)
        return found

    def close(self) -> None:
        self.context.close()
        assert self.trouble == []


@pytest.fixture
def studio_server() -> Iterator[Callable[..., Server]]:
    """`studio_server(folder, port)` starts one more server, which ends with the test."""
    made: list[Server] = []

    def start(*arguments: Any) -> Server:
        made.append(Server(*arguments))
        return made[-1]

    yield start
    for one in made:
        one.end()


@pytest.fixture(scope="module")
def shared_studio(studio_browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a file."""
    made = Server(tmp_path_factory.mktemp("models"))
    yield made
    made.end()


@pytest.fixture
def tab(studio_browser: Any, shared_studio: Server) -> Iterator[Callable[..., Studio]]:
    """Open a tab; whatever fails in its scripts, and any request to elsewhere, fails the test."""
    opened: list[Studio] = []

    def make(url: str | None = None, **options: Any) -> Studio:
        opened.append(Studio(studio_browser, url or shared_studio.url, **options))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


@pytest.fixture(scope="module")
def shared_tab(studio_browser: Any, shared_studio: Server) -> Iterator[Studio]:
    """One tab for many tests: what costs time is the browser."""
    made = Studio(studio_browser, shared_studio.url)
    yield made
    made.close()
