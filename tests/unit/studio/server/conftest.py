"""A tab without its process: requests are answered where the test runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linkwork.studio.server.session import Session
from linkwork.studio.server.settings import Settings
from linkwork.studio.server.verbs import perform


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Servers, tabs and their models take their time: these tests are for CI."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.ci)


class Asking:
    """`ask("set", name="crank", …)`; events: what was pushed to the page."""

    def __init__(self, session: Session, events: list[dict[str, Any]]):
        self.session, self.events = session, events

    def __call__(self, verb: str, **given: Any) -> Any:
        return perform(self.session, verb, given)


@pytest.fixture
def asking(tmp_path) -> Callable[..., Asking]:
    """`asking("tab")`: a tab in the folder of the test."""

    def begin(tab: str = "tab", **settings: Any) -> Asking:
        events: list[dict[str, Any]] = []
        return Asking(Session(Settings(tmp_path, **settings), tab, events.append), events)

    return begin


@pytest.fixture
def ask(asking) -> Asking:
    return asking()


PENDULUM = """\
linkwork = 1

[model]
name = "pendulum"
gravity = [0, -9.81]

[parameter]
k = {value = 3.0, unit = "N·m/rad"}

[component.bar]
type = "body"
mass = 2.0
inertia = 0.1

[component.O]
type = "revolute"
first = "ground.at(0, 0)"
second = "bar.at(-0.5, 0)"

[component.O.free.angle]
start = 0.3
laws = ["Spring(k)"]
"""


@pytest.fixture
def pendulum(ask) -> Asking:
    ask("open", text=PENDULUM)
    return ask
