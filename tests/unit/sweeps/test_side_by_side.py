"""Sweeps in lanes and on cards: the same outcomes as one by one, whatever becomes of a case."""

from __future__ import annotations

import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import xarray

import linkwork as lw
from linkwork.sweeps.backends import BACKENDS, Pilot, choose
from linkwork.sweeps.backends.lanes import Lanes
from linkwork.sweeps.cuda import device
from linkwork.sweeps.cuda import run as cuda
from linkwork.sweeps.runs import Runs
from tests.unit.sweeps import emulated_card
from tests.unit.sweeps.mechanisms import pendulum, slider_crank
from tests.unit.sweeps.models import oscillator, trouble

KEPT = ["series", "end", "min", "max", "mean", "rms", "integral"]


def same(one: xarray.Dataset, other: xarray.Dataset, tolerance: float = 1e-9) -> None:
    """All but the engine; numbers to a share of the largest."""
    for name in one.variables:
        a, b = one[name].values, other[name].values
        if a.dtype.kind == "f":
            assert np.array_equal(np.isnan(a), np.isnan(b)), name
            assert np.nanmax(np.abs(a - b), initial=0) <= tolerance * max(1.0, np.nanmax(np.abs(a), initial=0)), name
        elif name != "engine":
            assert a.tolist() == b.tolist(), name


def both(model: lw.Model, design: object, *arguments: object, **options: object) -> xarray.Dataset:
    """What lanes give, compared with what is given one by one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        alone = model.sweep(design, *arguments, backend="serial", **options)
        found = model.sweep(design, *arguments, backend="lanes", workers=2, **options)
    assert set(alone.engine.values) <= {"single", ""}
    same(alone, found)
    return found


@pytest.mark.parametrize("judge", [True, False])
def test_loops(judge: bool) -> None:
    """Inertias, which have a say in structure; another formulation; all that can be kept."""
    m = slider_crank()
    found = both(m, {"J": np.linspace(0.5, 2, 7)}, 0.4, channels=["B.angle", "O.reaction.fx"], keep=KEPT, judge=judge)
    assert set(found.engine.values) == {"lanes"}


@pytest.mark.parametrize(
    ("design", "judge"),
    [({"k": np.linspace(10, 90, 20), "u": [0.0, 1.0]}, False), ({"k": [10.0, 50.0], "rail.slide": [0.1, 0.3]}, True)],
)
def test_inputs_and_starts_of_each_case(design: dict, judge: bool) -> None:
    """Against x = (x0 − u/k) cos ωt + u/k, too; 40 cases, prepared together where nothing moves the start."""
    ds = both(oscillator(), design, 1.0, keep=["series", "max"], output=0.1, judge=judge, solver="dopri5")
    k, u = ds["k"].values[:, None], ds["u"].values[:, None] if "u" in ds else 0.0
    start = ds["rail.slide.start"].values[:, None] if "rail.slide.start" in ds else 0.1
    exact = (start - u / k) * np.cos(np.sqrt(k / 2.0) * ds.t.values) + u / k
    assert np.abs(ds["rail.slide"].values - exact).max() < 1e-7
    assert set(ds.engine.values) == {"lanes"}


def test_an_arm() -> None:
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    damping, before = m.parameter("d", 0.1), m.ground
    for k, axis in enumerate(((0, 0, 1), (0, 1, 0), (0, 1, 0))):
        link = m.body(f"link{k}", mass=1 + k, inertia=(0.1, 0.2, 0.3))
        link.start(position=(0.3 + 0.6 * k, 0, 0))
        joint = m.revolute(f"J{k}", before, link, point=(0.6 * k, 0, 0), axis=axis)
        joint.angle.law(lw.Damper(damping)).start(0.0, rate=1.0 - k)
        before = link
    found = both(m, {"d": lw.uniform(0.1, 1)}, 0.5, cases=21, formulation="minimal", judge=False, output=0.05)
    assert set(found.engine.values) == {"lanes"}


@pytest.mark.parametrize("judge", [True, False])
def test_cases_that_fail_and_cases_that_end(judge: bool) -> None:
    """One cannot be assembled, one has no finite value after a while, two are ended by an event."""
    design = {("L", "limit"): [(0.2, 9.0), (1.0, 1.5), (1.0, 9.0), (1.1, 9.0)]}
    found = both(trouble(), design, 1.0, keep=["series", "max"], judge=judge)
    assert found.status.values.tolist() == ["failed", "failed", "event", "event"]
    assert found.engine.values.tolist() == ["", "single", "lanes, single", "lanes, single"]


def test_events_of_cases_that_are_prepared_together() -> None:
    """The angle of some never comes to where they are ended."""
    found = both(pendulum("stop"), {"torque": np.linspace(0, 15, 24)}, 0.6, keep="end", judge=False, solver="dopri5")
    assert set(found.status.values) == {"event", "finished"}
    assert set(found.engine.values) == {"lanes", "lanes, single"}


def test_signals_of_each_case() -> None:
    """Tables in lanes, each with those like it; a Python function by itself."""
    tables = [lw.Table([0, 0.5, 1], [0.0, u, 0.0]) for u in (1.0, 2.0)]
    found = both(oscillator(), {"u": [*tables, lambda t: 5 * t], "k": [20.0, 50.0]}, 1.0, output=0.25)
    assert found.engine.values.tolist() == ["lanes"] * 4 + ["single"] * 2


def test_stiff_cases_are_left_to_the_implicit_solver() -> None:
    """`solver="auto"` is asked for each case."""
    m = lw.Model("damped", gravity=(0, -9.81))
    d = m.parameter("d", 1.0)
    rail = m.prismatic("rail", m.ground.at(), m.body("block", mass=1, inertia=1).at())
    rail.slide.law(lw.Spring(10.0)).law(lw.Damper(d)).start(0.1, rate=0.0)
    found = both(m, {"d": np.geomspace(1, 1e6, 20)}, 1.0, keep="end", judge=False)
    stiff = found["d"].values > 1e5
    assert set(found.engine.values[stiff]) == {"single"} and found.engine.values[0] == "lanes"


def test_values_that_a_component_refuses() -> None:
    """In the middle of those that are prepared together."""
    values = np.append(np.linspace(0.5, 2, 30), 1.0)
    values[25] = -1.0
    m = lw.Model("held", gravity=(0, 0))
    rail = m.prismatic("rail", m.ground.at(), m.body("block", mass=1, inertia=1).at())
    rail.slide.law(lw.Friction(1.0, stribeck=m.parameter("c", 1.0))).start(0.5, rate=1.0)
    found = both(m, {"c": values}, 0.2, keep="end", judge=False, solver="dopri5")
    assert np.flatnonzero(found.status.values == "failed").tolist() == [25]
    assert "stribeck" in str(found.reason.values[25]) and (found.engine.values == "lanes").sum() == 30


def test_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt in the middle; then the same call, in lanes or not, goes on, and nothing is run twice."""
    from linkwork.sweeps.store.folder import Folder

    m, folder, add, delivered = oscillator(), tmp_path / "study.zarr", Folder.add, []

    def interrupted(self, case, outcome):
        add(self, case, outcome)
        delivered.append(case)
        if len(delivered) == 23:
            raise KeyboardInterrupt

    monkeypatch.setattr(Folder, "add", interrupted)
    options = {"keep": "end", "judge": False, "solver": "dopri5", "workers": 2}
    design = {"k": np.linspace(10, 90, 50)}
    first = m.sweep(design, 1.0, backend="lanes", to=folder, **options)
    assert first.attrs["status"] == "cancelled" and (first.status.values == "finished").sum() == 23
    m.sweep(design, 1.0, backend="lanes", to=folder, **options)
    again = m.sweep(design, 1.0, backend="serial", to=folder, **options)  # nothing is left
    assert sorted(delivered) == list(range(50))
    same(m.sweep(design, 1.0, backend="serial", **options), again)
    assert set(again.engine.values) == {"lanes"}


def test_what_lanes_cannot_do_is_told() -> None:
    with pytest.raises(lw.LinkworkError, match="oscillator: backend='lanes'.*'radau' treats one case at a time"):
        oscillator().sweep({"k": [1.0]}, 1.0, backend="lanes", solver="radau")
    with pytest.raises(lw.LinkworkError, match=r"channel 'solver\.step' is recorded"):
        oscillator().sweep({"k": [1.0]}, 1.0, backend="lanes", channels="solver.step")
    with pytest.raises(lw.LinkworkError, match="nothing is integrated"):
        oscillator().sweep({"k": [1.0]}, of="linearize", backend="lanes")
    m = lw.Model("ball", gravity=(0, -9.81))
    height, ball = m.parameter("h", 0.3), m.body("ball", mass=1, inertia=0.1)
    ball.start(position=(0, height))
    m.contact("floor", ball, shape=lw.outlines.Wheel(0.1))
    with pytest.raises(lw.LinkworkError, match="side by side: 'floor.switch' changes the equations"):
        m.sweep({"h": [0.3, 0.4]}, 0.1, backend="lanes")


def test_cases_with_lengths_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prepared together, each from its own start; one that cannot be assembled says so as a single run does."""
    m = lw.Model("slider-crank", gravity=(0, -9.81))
    length = m.parameter("L", 1.0, unit="m")
    crank, rod, piston = (m.body(name, mass=1, inertia=1) for name in ("crank", "rod", "piston"))
    bearing = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-length / 2, 0))
    m.revolute("B", rod.at(length / 2, 0), piston.at(0, 0))
    m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    bearing.angle.law(lw.Effort(10)).start(0.3, rate=1)
    begun: list[int] = []
    begin = Runs.begin
    monkeypatch.setattr(Runs, "begin", lambda *given: begun.append(1) or begin(*given))
    design, options = {"L": [0.8, 0.05, 0.9, 1.0, 1.1, 1.2]}, {"keep": "end", "judge": False, "solver": "rk4"}
    with pytest.warns(lw.LinkworkWarning):
        one_by_one = m.sweep(design, 0.1, backend="serial", step=1e-3, **options)
    begun.clear()
    with pytest.warns(lw.LinkworkWarning):
        together = m.sweep(design, 0.1, backend="lanes", step=1e-3, workers=1, **options)
    assert len(begun) <= 3  # the first, the last, and the one that fails
    assert list(together.status.values) == list(one_by_one.status.values)
    assert list(together.reason.values) == list(one_by_one.reason.values)
    for name in ("P.slide.end", "O.angle.end"):
        np.testing.assert_allclose(together[name].values, one_by_one[name].values, rtol=1e-12, atol=1e-12)


def test_auto_takes_lanes_where_they_pay() -> None:
    """Not where runs are short, or the engine refuses them."""

    def study(design: dict, **options: object) -> object:
        seen = []

        class Seen(Lanes):
            def run(self, study, cases, deliver):
                seen.append(study)
                super().run(study, cases, deliver)

        oscillator().sweep(design, 0.1, backend=Seen(1), **options)
        return seen[0]

    unjudged = study({"k": [10.0, 20.0, 30.0, 40.0]}, judge=False, solver="dopri5")
    assert isinstance(choose(Pilot(0.01, 0.5), 5000, 4, unjudged), Lanes)
    assert isinstance(choose(Pilot(0.01, 0.5), 5000, 1, unjudged), Lanes)
    assert not isinstance(choose(Pilot(0.01, 0.5), 5, 4, unjudged), Lanes)
    moved = study({"rail.slide": [0.1, 0.2, 0.3, 0.4]}, judge=False, solver="dopri5")  # each is assembled
    assert not isinstance(choose(Pilot(0.01, 0.5), 5000, 4, moved), Lanes)
    judged = study({"k": [10.0, 20.0]})
    assert not isinstance(choose(Pilot(0.01, 0.5), 5000, 4, judged), Lanes)
    assert isinstance(choose(Pilot(0.01, 0.95), 5000, 4, judged), Lanes)
    judged.task = judged.task.__class__(**{**vars(judged.task), "solver": "radau"})
    assert not isinstance(choose(Pilot(0.01, 0.95), 5000, 4, judged), Lanes)


def test_without_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(lw.LinkworkError, match=r"CuPy, which is not installed\. pip install linkwork\[cuda\]"):
        oscillator().sweep({"k": [1.0]}, 1.0, backend="cuda")


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
def test_on_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is none: its text, compiled for this processor."""
    monkeypatch.setattr(emulated_card.Module, "folder", tmp_path, raising=False)
    monkeypatch.setattr(cuda, "Module", emulated_card.Module)
    monkeypatch.setattr(cuda, "DeviceMemory", emulated_card.Memory)
    monkeypatch.setattr(cuda, "library", lambda: emulated_card.Card)
    monkeypatch.setattr(device, "library", lambda: emulated_card.Card)
    monkeypatch.setattr(cuda, "cases_at_a_time", lambda problem, channels: problem.cases)
    options = {"keep": ["end", "max"], "output": 0.1, "judge": False, "solver": "dopri5"}
    design = {"k": np.linspace(10, 90, 20)}
    found = oscillator().sweep(design, 0.5, backend="cuda", **options)
    same(oscillator().sweep(design, 0.5, backend="serial", **options), found)
    assert set(found.engine.values) == {"cuda"} and found.attrs["backend"] == "cuda"
    assert {"lanes", "cuda"} <= set(BACKENDS)
