"""What is told of straight-line code for many bodies before it is derived."""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork.assembly import size
from linkwork.core.errors import LinkworkWarning


def rods(count: int) -> lw.Model:
    m = lw.Model("rods", gravity=(0, -9.81))
    for k in range(count):
        m.revolute(f"j{k}", m.ground.at(k, 0), m.body(f"b{k}", mass=1, inertia=0.1).at(-0.5, 0))
    return m


def test_many_bodies_are_told(monkeypatch):
    monkeypatch.setattr(size, "MANY", 3)
    with pytest.warns(LinkworkWarning, match="3 bodies become straight-line code"):
        rods(3).assemble()


def test_what_does_not_fit_is_refused_before_it_is_derived(monkeypatch):
    monkeypatch.setattr(size, "MANY", 3)
    with pytest.raises(lw.ModelError, match=r"straight-line code for 3 bodies need about .* GiB"):
        size.check_size(rods(3), available=1e4)
    monkeypatch.setattr(size, "free_memory", lambda: 1e3)
    with pytest.raises(lw.ModelError, match="full matrices for 3 bodies"):
        rods(3).linearize()


def test_small_models_are_not_told(recwarn):
    rods(3).linearize()
    assert not [w for w in recwarn if "straight-line" in str(w.message)]
