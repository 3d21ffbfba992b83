"""The text for graphics cards, compiled for the processor: it integrates as lanes do."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from linkwork.core.errors import LinkworkError
from linkwork.core.pieces import Lookup, lines
from linkwork.sweeps.batch import BatchProblem, make_batch
from linkwork.sweeps.cuda import run as cuda
from linkwork.sweeps.lanes import outputs_of, run_batch
from tests.unit.sweeps import emulated_card
from tests.unit.sweeps.mechanisms import pendulum, ready, slider_crank

pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")

TIMES = np.linspace(0, 1, 6)


@pytest.fixture(autouse=True)
def _card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated_card.Module, "folder", tmp_path, raising=False)
    monkeypatch.setattr(cuda, "Module", emulated_card.Module)
    monkeypatch.setattr(cuda, "DeviceMemory", emulated_card.Memory)
    monkeypatch.setattr(cuda, "library", lambda: emulated_card.Card)


def cranks(solver: str, **options: object) -> BatchProblem:
    at = ready(slider_crank(), "absolute")
    return make_batch(at.program, at.state, TIMES, parameters=np.linspace(0.5, 2, 5)[:, None], solver=solver, **options)


@pytest.mark.parametrize(("solver", "options"), [("rk4", {"step": 0.005}), ("dopri5", {"rtol": 1e-8})])
def test_loops(solver: str, options: dict[str, float]) -> None:
    """In chunks, as where the card's memory is small."""
    problem = cranks(solver, **options)
    names = ["piston.x", "O.reaction.fx"]
    found, outputs = cuda.run_batch(problem, channels=names, chunk=2)
    lanes = run_batch(problem)
    assert np.abs(found.y - lanes.y).max() < 1e-11
    assert outputs == pytest.approx(outputs_of(problem, lanes.y, names), rel=1e-8, abs=1e-8)
    assert found.status == ["done"] * 5 and found.accepted.tolist() == lanes.accepted.tolist()
    assert found.parts == ["CUDA, double"]


def test_numbers_of_half_the_length_and_reductions() -> None:
    problem = cranks("rk4", step=0.005)
    exact = outputs_of(problem, run_batch(problem).y, ["piston.x"])
    for name, reduced in (("max", exact.max(axis=1)), ("last", exact[:, -1]), ("mean", exact.mean(axis=1))):
        found, outputs = cuda.run_batch(
            problem, channels=["piston.x"], reduction=name, real="float", states=False, chunk=5
        )
        assert outputs == pytest.approx(reduced, rel=1e-4)
        assert np.abs(outputs - reduced).max() > 0 and found.y.shape == (5, 0, problem.program.layout.y)


def test_events_and_inputs() -> None:
    """Located by the integrator of single cases, from the step that the card has noted."""
    at = ready(pendulum("stop"))
    push = Lookup(lines(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0])))
    p = np.array([[0.5, 0.0], [1.0, 0.0], [60.0, 0.0]])
    problem = make_batch(at.program, at.state, TIMES, parameters=p, signals={0: push}, solver="dopri5")
    found, outputs = cuda.run_batch(problem, channels=["pin.angle"], chunk=3)
    lanes = run_batch(problem)
    assert found.status == lanes.status == ["stopped", "stopped", "done"]
    assert found.reached == pytest.approx(lanes.reached, abs=1e-9)
    assert [e.t for e in found.events[1]] == pytest.approx([e.t for e in lanes.events[1]], abs=1e-9)
    assert np.array_equal(np.isnan(outputs[:, :, 0]), np.isnan(lanes.y[:, :, 0]))
    assert outputs[2, :, 0] == pytest.approx(lanes.y[2, :, 0], abs=1e-8)


def test_what_is_wrong_is_told() -> None:
    problem = cranks("dopri5", rtol=1e-8)
    with pytest.raises(LinkworkError, match="half the length"):
        cuda.run_batch(problem, real="float")
    with pytest.raises(LinkworkError, match="reduction 'median'"):
        cuda.run_batch(problem, reduction="median")
    with pytest.raises(LinkworkError, match="'half'"):
        cuda.run_batch(problem, real="half")
    with pytest.raises(LinkworkError, match=r"'crank\.w'"):
        cuda.run_batch(problem, channels=["crank.w"])


def test_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    from linkwork.sweeps.cuda import device

    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    with pytest.raises(LinkworkError, match=r"linkwork\[cuda\]"):
        device.library()
