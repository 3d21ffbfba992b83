"""Models that several tests share: each is built, and so compiled, once."""

import signal
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import linkwork as lw

# A shell lets what it runs in the background ignore Ctrl-C, and a process hands that on to its children.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew-golden", action="store_true", help="write the files of tests/golden anew")


_built: dict[Any, lw.Model] = {}


@pytest.fixture(scope="session")
def example() -> Callable[..., lw.Model]:
    """`example("slider_crank", **options)`: the packaged model of that name. It is shared: do not change it."""

    def build(name: str, **options: Any) -> lw.Model:
        key = (name, *sorted(options.items()))
        if key not in _built:
            _built[key] = import_module(f"linkwork.examples.{name}").model(**options)
        return _built[key]

    return build


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that are the same in every run, and others in every test."""
    return np.random.default_rng(list(request.node.nodeid.encode()))
