"""A cache of its own for every test, and what counts what is derived."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import casadi as ca
import pytest

from linkwork.formulations import formulate


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """One word for each time that equations were formulated, or a derivative was taken."""
    done: list[str] = []
    taken = ca.jacobian

    def jacobian(*given: Any, **named: Any) -> Any:
        done.append("jacobian")
        return taken(*given, **named)

    def look(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code is formulate.__code__:
            done.append("formulate")

    monkeypatch.setattr(ca, "jacobian", jacobian)
    before = sys.getprofile()
    sys.setprofile(look)
    yield done
    sys.setprofile(before)
