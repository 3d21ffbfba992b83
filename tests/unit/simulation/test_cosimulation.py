"""FMUs of others as components: what comes out against closed forms, in every formulation, and all that goes wrong."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw

from ...fmus.building import edited, lag

INERTIA, TIME, PUSH = 0.5, 0.1, 2.0


def rotor(step: float, file: str = "", **options: Any) -> lw.Model:
    """A rotor without gravity that the FMU brakes: torque = PUSH − y, where y follows its speed with a lag."""
    m = lw.Model("rotor", gravity=(0, 0))
    O = m.revolute("O", m.ground, m.body("disc", mass=1, inertia=INERTIA).at())
    given: dict[str, Any] = {
        "inputs": {"u": "O.angle.rate", "on": 0.0},
        "outputs": ["y"],
        "parameters": {"lag.time": TIME},
    }
    brake = m.cosimulation("brake", file or str(lag()), step=step, **(given | options))
    m.shaft_torque("drive", m.sum("net", PUSH, brake["y"], weights=[1, -1]), O.angle)
    return m


def by_hand(step: float, duration: float) -> tuple[float, float]:
    """Speed and lag after so many exchanges: both are linear while what they get is held."""
    w = x = 0.0
    for _ in range(round(duration / step)):
        w, x = w + step * (PUSH - x) / INERTIA, x + (w - x) * -math.expm1(-step / TIME)
    return w, x


def exact(duration: float) -> float:
    """Speed of rotor and lag solved together: J ω̇ = PUSH − x, T ẋ = ω − x."""
    A = np.array([[0, -1 / INERTIA], [1 / TIME, -1 / TIME]])
    values, vectors = np.linalg.eig(A)
    rest = np.linalg.solve(A, [PUSH / INERTIA, 0])
    return float(((vectors * np.exp(values * duration)) @ np.linalg.solve(vectors, rest) - rest)[0].real)


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph", "acausal", "compliant"])
def test_exchange_is_that_of_the_recursion(formulation: str) -> None:
    r = rotor(0.02).simulate(0.21, formulation=formulation, output=0.05)
    w, x = by_hand(0.02, 0.2)
    assert r["O.angle.rate"][-2] == pytest.approx(w, rel=1e-6 if formulation == "compliant" else 1e-9)
    assert r["brake.y"][-2] == pytest.approx(x, rel=1e-6 if formulation == "compliant" else 1e-9)
    assert r.unit("brake.y") == "N·m"


def test_error_falls_with_the_step_of_communication() -> None:
    off = [abs(rotor(h).simulate(1.0, output=1.0)["O.angle.rate"][-1] - exact(1.0)) for h in (0.02, 0.01, 0.005)]
    assert off[0] / off[1] == pytest.approx(2, abs=0.1)
    assert off[1] / off[2] == pytest.approx(2, abs=0.1)


@pytest.mark.slow
def test_own_fmus_couple_as_one_model(tmp_path: Path) -> None:
    """A lag of ours in place of the foreign one: the same recursion."""
    m = lw.Model("lag")
    m.first_order("lag", m.input("u"), time=TIME)
    for version in ("2.0", "3.0"):
        file = m.fmu(tmp_path / f"own{version[0]}.fmu", version=version, rtol=1e-11)
        own = {"inputs": {"u": "O.angle.rate"}, "outputs": {"y": "lag.y.value"}, "parameters": None}
        r = rotor(0.02, str(file), **own).simulate(0.21, output=0.05)
        assert r["O.angle.rate"][-2] == pytest.approx(by_hand(0.02, 0.2)[0], rel=1e-8)


def test_signals_of_every_kind_feed_it() -> None:
    def speed(m: lw.Model) -> float:
        return float(m.simulate(0.2, output=0.2)["O.angle.rate"][-1])

    def open_port(u: Any, connect: bool = False) -> lw.Model:
        m = lw.Model("rotor", gravity=(0, 0))
        O = m.revolute("O", m.ground, m.body("disc", mass=1, inertia=INERTIA).at())
        sensor = m.coordinate_sensor("w", O.angle, "rate")
        brake = m.cosimulation(
            "brake", str(lag()), step=0.02, inputs={"u": sensor if u == "sensor" else u, "on": 0}, outputs=["y"]
        )
        if connect:
            m.connect(sensor.y, brake.u)
        m.shaft_torque("drive", m.sum("net", PUSH, brake.y, weights=[1, -1]), O.angle)
        return m

    expected = speed(rotor(0.02))
    assert speed(open_port("sensor")) == pytest.approx(expected, rel=1e-12)
    assert speed(open_port(None, connect=True)) == pytest.approx(expected, rel=1e-12)
    held = open_port(lambda t: 3.0 * t).simulate(0.1, output=0.02)
    assert held["brake.u"][-1] == pytest.approx(0.3)
    assert held["brake.y"][2] == pytest.approx(0.06 * -math.expm1(-0.02 / TIME))


def test_whole_numbers_are_read_and_truths_are_set() -> None:
    r = rotor(0.02, outputs={"y": "y", "n": "steps[1]"}, parameters={"lag.half": True, "lag.gain": 2.0}).simulate(
        0.1, output=0.01
    )
    assert r["brake.n"][5] == 2
    assert r["brake.y"][-2] == pytest.approx(by_hand(0.02, 0.08)[1])


def test_parameters_of_the_model_reach_it() -> None:
    n = lw.Model("rotor", gravity=(0, 0))
    O = n.revolute("O", n.ground, n.body("disc", mass=1, inertia=INERTIA).at())
    time = n.parameter("T", 0.3)
    brake = n.cosimulation(
        "brake",
        str(lag()),
        step=0.02,
        inputs={"u": "O.angle.rate", "on": 0},
        outputs=["y"],
        parameters={"lag.time": time},
    )
    n.shaft_torque("drive", n.sum("net", PUSH, brake, weights=[1, -1]), O.angle)
    ours = n.simulate(0.2, output=0.2, parameters={"T": TIME})["O.angle.rate"][-1]
    assert ours == pytest.approx(rotor(0.02).simulate(0.2, output=0.2)["O.angle.rate"][-1], rel=1e-12)
    assert abs(n.simulate(0.2, output=0.2)["O.angle.rate"][-1] - ours) > 1e-3


def test_controllers_see_its_outputs_of_the_same_time() -> None:
    """A sampler of the same period between them changes nothing, on either side."""
    expected = rotor(0.02).simulate(0.2, output=0.2)["O.angle.rate"][-1]
    for side in ("out", "in"):
        m = lw.Model("rotor", gravity=(0, 0))
        O = m.revolute("O", m.ground, m.body("disc", mass=1, inertia=INERTIA).at())
        speed: Any = m.coordinate_sensor("w", O.angle, "rate")
        if side == "in":
            speed = m.sampled("hold", speed, period=0.02, law=lambda u: u)
        brake = m.cosimulation("brake", str(lag()), step=0.02, inputs={"u": speed, "on": 0}, outputs=["y"])
        y: Any = m.sampled("hold", brake, period=0.02, law=lambda u: u) if side == "out" else brake
        m.shaft_torque("drive", m.sum("net", PUSH, y, weights=[1, -1]), O.angle)
        assert m.simulate(0.2, output=0.2)["O.angle.rate"][-1] == pytest.approx(expected, rel=1e-12)


def test_steps_and_copies_go_the_same_way() -> None:
    m = rotor(0.02)
    expected = m.simulate(0.21, output=0.21)["O.angle.rate"][-1]
    s = m.stepper(0.01)
    for k in range(21):
        s.step()
        if k == 9:
            kept = s.save()
    assert s["O.angle.rate"] == pytest.approx(expected, rel=1e-9)
    s.restore(kept)
    for _ in range(11):
        s.step()
    assert s["O.angle.rate"] == pytest.approx(expected, rel=1e-9)
    for twin in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert twin.simulate(0.21, output=0.21)["O.angle.rate"][-1] == expected


def test_files_name_it_only_where_that_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "lag.fmu").write_bytes(lag().read_bytes())
    m = rotor(0.02, str(lag()))
    m.components["brake"].__dict__["_said"].arguments["file"] = "lag.fmu"
    m.save(tmp_path / "x.toml")
    with pytest.raises(lw.ModelError, match=r"x.toml:\d+:\d+: names the FMU 'lag.fmu'.*fmus=True"):
        lw.load(tmp_path / "x.toml")
    twin = lw.load(tmp_path / "x.toml", fmus=True)
    assert (twin.simulate(0.2)["O.angle"] == m.simulate(0.2)["O.angle"]).all()
    twin.save(tmp_path / "y.toml")
    assert (tmp_path / "x.toml").read_text("utf-8") == (tmp_path / "y.toml").read_text("utf-8")
    text = (tmp_path / "x.toml").read_text("utf-8").replace("lag.fmu", "../lag.fmu")
    (tmp_path / "z.toml").write_text(text, "utf-8")
    with pytest.raises(lw.ModelError, match="lies outside of the folder"):
        lw.load(tmp_path / "z.toml", fmus=True)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "input": ({"inputs": {"uu": 1.0}}, "brake: there is no input named 'uu'. Did you mean 'u'?"),
    "output": ({"outputs": ["yy"]}, "no output named 'yy'. Did you mean 'y'?"),
    "input as output": ({"outputs": ["u"]}, "'u' is no output but: input"),
    "text as output": ({"outputs": ["title"]}, "'title' is a text"),
    "parameter": ({"parameters": {"lag.tim": 1.0}}, "no parameter named 'lag.tim'. Did you mean 'lag.time'"),
    "text for a number": ({"parameters": {"lag.time": "a"}}, "Give a number"),
    "signal for a truth": ({"inputs": {"on": "O.angle"}}, "'on' takes no real numbers"),
    "names that clash": ({"outputs": ["y", "y"]}, "cannot name its output 'y', as it names 'y'"),
    "own name": ({"outputs": {"a b": "y"}}, "'a b' cannot name"),
    "file": ({"file": "\0"}, "is no FMU that can be read"),
    "no file": ({"file": "nothing.fmu"}, "there is no file 'nothing.fmu'"),
    "step": ({"step": 0}, "Give a time in s"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told(case: str) -> None:
    options, said = WRONG[case]
    with pytest.raises(lw.LinkworkError, match=said.replace("?", r"\?")):
        rotor(**({"step": 0.02} | options))


BROKEN: dict[str, tuple[Any, dict[str, Any], str]] = {
    "scheduled": (lambda x: x.replace("CoSimulation", "ScheduledExecution"), {}, "is an FMU for scheduled execution"),
    "version": (lambda x: x.replace('"2.0"', '"1.0"'), {}, "FMI version 1.0"),
    "no description": (str, {"without": "modelD"}, "holds no modelDescription.xml"),
    "no XML": (lambda x: x[:300], {}, "cannot be read"),
    "entities": (lambda x: x.replace("<fmi", "<!DOCTYPE a []><fmi", 1), {}, "declares entities"),
    "leads out": (str, {"also": {"../evil": "x"}}, "leads out of its folder"),
    "absolute": (str, {"also": {"/evil": "x"}}, "leads out of its folder"),
    "fixed step": (lambda x: x.replace("<CoSim", '<CoSimulation fixedInternalStepSize="0.03" x="" /><CoSim', 1), {},
                   "no multiple of the step of the FMU, 0.03 s. Give step=0.03"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_files_that_do_not_fit_are_told(case: str, tmp_path: Path) -> None:
    change, options, said = BROKEN[case]
    with pytest.raises(lw.ModelError, match=f"brake: .*{said}"):
        rotor(0.02, edited(change, tmp_path / "x.fmu", **options))
    assert [p.name for p in tmp_path.iterdir()] == ["x.fmu"]


def test_other_platforms_and_other_tokens_are_told(tmp_path: Path) -> None:
    elsewhere = edited(str, tmp_path / "a.fmu", without="binaries/", also={"binaries/c64/lag.so": ""})
    with pytest.raises(lw.ModelError, match="no library for .*, but for: c64"):
        rotor(0.02, elsewhere).simulate(0.1)
    with pytest.raises(lw.LinkworkError, match="brake: the FMU cannot be started"):
        rotor(0.02, edited(lambda x: x.replace("lag-1", "lag-2"), tmp_path / "b.fmu")).simulate(0.1)


def test_failures_in_a_run_name_the_time() -> None:
    with pytest.raises(lw.IntegrationError, match=r"brake: .*from t = 0.06 s to 0.08 s.*u = 120 is too much"):
        rotor(0.02, inputs={"u": lambda t: 2000 * t, "on": 0}).simulate(0.2)
    with pytest.raises(lw.IntegrationError, match=r"its output 'y' is nan at t = 0.08 s"):
        rotor(0.02, inputs={"u": lambda t: -2000 * t, "on": 0}).simulate(0.2)


def test_analyses_that_know_no_jumps_refuse() -> None:
    m = rotor(0.02)
    for ask in (m.linearize, m.equilibrium, lambda: m.fmu("x.fmu", binary=False)):
        with pytest.raises(lw.ModelError, match="brake: "):
            ask()
    with pytest.raises(lw.ModelError, match=r"brake.outputs: cannot be changed"):
        m["brake"].outputs = ["z"]


def test_inputs_that_nothing_feeds_are_told() -> None:
    with pytest.warns(lw.LinkworkWarning, match="nothing feeds stay as they are: u = 0, on = false"):
        rotor(0.02, inputs=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rotor(0.02)


def test_channels_that_do_not_exist_are_told() -> None:
    with pytest.raises(lw.UnknownName, match=r"brake: there is no channel named 'O.angel'. Did you mean 'O.angle'"):
        rotor(0.02, inputs={"u": "O.angel", "on": 0}).simulate(0.1)
