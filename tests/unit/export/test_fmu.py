"""FMUs: what FMPy says of the file, and whether its runs are ours."""

from __future__ import annotations

import subprocess
import zipfile
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.app import main
from linkwork.core.errors import LinkworkError
from linkwork.examples import four_bar, hydraulic_jack, motor_slider_crank, right_angles, rolling_disc, slider_crank

fmpy = pytest.importorskip("fmpy")
from fmpy.validation import validate_fmu  # noqa: E402

KINDS = ("ModelExchange", "CoSimulation")
WITHIN = 1e-8
"""Of the largest channel with the same unit."""
ROUNDING = 1e-11
"""Of channels that are zero."""


@pytest.fixture(autouse=True)
def strict_compiler(monkeypatch):
    monkeypatch.setenv("CFLAGS", "-O0 -Werror")


def servo(stop: float | None = None) -> lw.Model:
    """An arm with an input, a table, a sampled controller, and a stop of its own if asked for."""
    m = lw.Model("servo", gravity=(0, 0))
    inertia, load = m.parameter("inertia", 0.02, unit="kg·m²"), m.input("load", 0.1, unit="N·m")
    O = m.revolute("O", m.ground, m.body("arm", mass=1, inertia=inertia).at())
    step = lw.Table([0.0, 0.137, 0.2, 0.3], [0.0, 1.0, 1.0, 0.5], "hold")
    O.angle.law(lw.Effort(lambda t: load + 0.3 * step(t)))
    angle = m.coordinate_sensor("angle", O.angle)
    T = 0.02
    pd = m.sampled("pd", angle, period=T, memory=[0.0], law=lambda x, last: (2 * (1 - x) - 0.3 * (x - last) / T, x))
    m.shaft_torque("drive", pd, O.angle)
    if stop is not None:
        m.event("there", lambda angle: angle - stop, O.angle, action="stop")
    return m


def bouncing() -> lw.Model:
    """A ball that falls on a stiff plane and comes up again: contact by events."""
    m = lw.Model("bouncing ball", gravity=(0, -9.81))
    ball = m.body("ball", mass=0.5, inertia=1e-3)
    ball.start(position=(0, 0.5), velocity=(1, 0), spin=2)
    m.contact("floor", ball, radius=0.1, stiffness=1e4, dissipation=0.4)
    return m


def switched() -> lw.Model:
    """A coil with a free-wheeling diode that a switch connects now and then: equations that jump by events."""
    m = lw.Model("switched coil", gravity=(0, 0))
    G = m.earth("G")
    S = m.voltage_source("S", 12.0, n=G)
    K = m.switch("K", S.p, closed=lambda t: 0.5 + lw.sin(200 * t + 0.3), on=0.1, off=1e4)
    L = m.inductor("L", K.n, inductance=0.01)
    m.resistor("R", L.n, G, resistance=3.0)
    m.diode("D", G, K.n)
    return m


def compared(m: lw.Model, path: Path, kind: str, duration: float, count: int, tolerance: float) -> None:
    """Every channel of FMPy's run agrees with that of ours."""
    own = m.simulate(duration, formulation="auto", output=duration / count, rtol=tolerance, atol=1e-2 * tolerance)
    theirs = fmpy.simulate_fmu(
        str(path), stop_time=duration, fmi_type=kind, output_interval=duration / count, relative_tolerance=tolerance,
        step_size=duration / count, record_events=False,
    )  # fmt: skip
    rows = [int(np.flatnonzero(np.abs(own.t - t) <= 1e-12)[-1]) for t in theirs["time"]]  # impacts are recorded, too
    assert len(rows) == count + 1
    largest: dict[str, float] = defaultdict(float)
    described = fmpy.read_model_description(str(path))
    unit = {v.name: v.unit or "" for v in described.modelVariables if v.causality == "output"}
    shown = [name for name in unit if not name.startswith("residual.")]
    for name in shown:
        largest[unit[name]] = max(largest[unit[name]], float(np.abs(own[name]).max()))
    off = {name: float(np.abs(theirs[name] - own[name][rows]).max()) for name in shown}
    far = {name: x for name, x in off.items() if x > WITHIN * largest[unit[name]] + ROUNDING}
    assert not far


@pytest.fixture(scope="module")
def servo_fmu(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0 -Werror")
        return servo().fmu(tmp_path_factory.mktemp("fmu") / "servo.fmu", duration=0.51)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sampled_controller_and_a_table_that_steps_run_as_in_a_run_of_ours(servo_fmu, kind):
    assert validate_fmu(str(servo_fmu)) == []
    compared(servo(), servo_fmu, kind, 0.51, 102, 1e-12)


def test_both_versions_are_valid_and_sources_are_inside(tmp_path):
    m = slider_crank.model()
    path = m.fmu(tmp_path / "x.fmu", version="2.0", binary=False)
    assert validate_fmu(str(path)) == []
    names = zipfile.ZipFile(path).namelist()
    assert "sources/fmi2.c" in names and "sources/fmi3.c" not in names and not any("binaries" in n for n in names)


@pytest.mark.slow
def test_the_loop_runs_through_both_kinds_of_version_two(tmp_path):
    m = slider_crank.model()
    path = m.fmu(tmp_path / "x.fmu", version="2.0", duration=1)
    for kind in KINDS:
        compared(m, path, kind, 1.0, 50, 1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.0", "2.0"])
@pytest.mark.parametrize(
    ("model", "duration", "count", "tolerance"),
    [
        (four_bar.model, 1.0, 100, 1e-11),  # a loop
        (right_angles.model, 1.0, 100, 1e-11),  # a redundant one
        (rolling_disc.model, 1.0, 50, 1e-11),
        (hydraulic_jack.model, 0.1, 500, 1e-12),  # stiff
        (motor_slider_crank.model, 0.5, 100, 1e-11),  # a DC motor
        (bouncing, 0.6, 600, 1e-12),  # impacts
        (switched, 0.1, 1000, 1e-11),
    ],
    ids=["four-bar", "right angles", "rolling disc", "hydraulic jack", "motor", "bouncing ball", "switch"],
)
def test_examples_run_in_fmpy_as_in_a_run_of_ours(tmp_path, model, duration, count, tolerance, version):
    path = model().fmu(tmp_path / "x.fmu", version=version, duration=duration)
    assert validate_fmu(str(path)) == []
    for kind in KINDS:
        compared(model(), path, kind, duration, count, tolerance)


def test_units_are_defined_by_base_units(servo_fmu):
    root = ElementTree.fromstring(zipfile.ZipFile(servo_fmu).read("modelDescription.xml"))
    units = {u.get("name"): u.find("BaseUnit") for u in root.iter("Unit")}
    assert units["N·m"].attrib == {"kg": "1", "m": "2", "s": "-2"}
    assert units["rad/s²"].attrib == {"rad": "1", "s": "-2"}
    assert units["kg·m²"].attrib == {"kg": "1", "m": "2"}


def test_parameters_and_inputs_that_an_importer_sets_are_those_of_a_run(servo_fmu):
    own = servo().simulate(0.3, parameters={"inertia": 0.03}, inputs={"load": -0.2}, output=0.01, rtol=1e-10)
    theirs = fmpy.simulate_fmu(str(servo_fmu), stop_time=0.3, fmi_type="CoSimulation", output_interval=0.01,
                               start_values={"inertia": 0.03, "load": -0.2}, relative_tolerance=1e-10)  # fmt: skip
    assert np.allclose(theirs["O.angle"], own["O.angle"], atol=1e-9)


def test_beyond_what_is_known_of_time_it_says_so(servo_fmu):
    with pytest.raises(Exception, match="fmi3DoStep"):
        fmpy.simulate_fmu(str(servo_fmu), stop_time=0.6, fmi_type="CoSimulation", output_interval=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_event_that_stops_a_run_ends_it(tmp_path, kind):
    m = servo(stop=0.5)
    path = m.fmu(tmp_path / "x.fmu", duration=0.5)
    when = m.simulate(0.5, rtol=1e-10).t[-1]
    found = fmpy.simulate_fmu(str(path), stop_time=0.5, fmi_type=kind, output_interval=0.01, relative_tolerance=1e-10)
    assert when < 0.4 and when - 0.011 <= found["time"][-1] <= when + 0.011


def test_a_name_version_or_compiler_that_is_wrong_is_told(tmp_path, monkeypatch):
    m = slider_crank.model()
    with pytest.raises(LinkworkError, match=r"\.fmu"):
        m.fmu(tmp_path / "x.zip")
    with pytest.raises(LinkworkError, match="version"):
        m.fmu(tmp_path / "x.fmu", version="1.0")
    with pytest.raises(LinkworkError, match="version"):
        m.fmu(tmp_path / "x.fmu", version=np.ones(3))
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(LinkworkError, match="binary=False"):
        m.fmu(tmp_path / "x.fmu")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def crank_fmu(tmp_path):
    return slider_crank.model().fmu(tmp_path / "crank.fmu", duration=1)


def instance(path: Path, folder: Path):
    """A co-simulation of FMI 3.0 that has been initialised, and references by name."""
    described = fmpy.read_model_description(str(path))
    fmu = fmpy.fmi3.FMU3Slave(
        guid=described.guid, unzipDirectory=fmpy.extract(str(path), unzipdir=str(folder)),
        modelIdentifier=described.coSimulation.modelIdentifier, instanceName="one",
    )  # fmt: skip
    fmu.instantiate()
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    return fmu, {v.name: v.valueReference for v in described.modelVariables}


@pytest.mark.slow
def test_directional_derivatives_are_those_of_differences_and_states_can_be_kept(crank_fmu, tmp_path):
    """On a loop, whose states are moved onto their constraints before anything is computed."""
    fmu, number = instance(crank_fmu, tmp_path / "unzipped")
    fmu.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.37)
    states = [number[name] for name in number if name.startswith("state.")]
    rates = [number[name] for name in number if name.startswith("der(")]
    unknown = [*rates, number["piston.x"], number["O.reaction.fx"]]
    kept = fmu.getFMUState()
    rng = np.random.default_rng(1)
    for _ in range(3):
        seed, y = rng.standard_normal(len(states)), np.array(fmu.getFloat64(states))
        told = np.array(fmu.getDirectionalDerivative(unknown, states, seed))
        sides = []
        for sign in (1, -1):
            fmu.setFloat64(states, y + sign * 1e-5 * seed)
            sides.append(np.array(fmu.getFloat64(unknown)))
        fmu.setFMUState(kept)
        difference = (sides[0] - sides[1]) / 2e-5
        assert np.abs(told - difference).max() <= 1e-6 * np.abs(difference).max()
    ahead = []
    for _ in range(2):  # from the state that was kept, the same once more
        fmu.doStep(currentCommunicationPoint=0.37, communicationStepSize=0.2)
        ahead.append(fmu.getFloat64([number["piston.x"]])[0])
        fmu.setFMUState(kept)
    assert ahead[0] == ahead[1]
    fmu.freeFMUState(kept)
    fmu.terminate()
    fmu.freeInstance()


def test_the_command_line_writes_one(tmp_path, capsys):
    target = tmp_path / "p.fmu"
    assert main(["export", "pendulum", "--fmu", str(target), "--fmi", "2.0", "--sources-only"]) == 0
    assert str(target) in capsys.readouterr().out and validate_fmu(str(target)) == []
    assert main(["export", "pendulum", "--fmu", str(tmp_path / "p.zip")]) == 1


CALLER = """
#include "instance.h"
#include <stdio.h>
int main(void)
{
    fmu_instance *x = fmu_create();
    double value = 0;
    int bad = !x || fmu_start(x, 0.0, 1e-11) || fmu_initialized(x) || fmu_step(x, 0.0, 0.25) || fmu_step(x, 0.25, 0.25);
    bad = bad || fmu_get(x, REFERENCE, &value);
    printf("%.15g\\n", value);
    fmu_destroy(x);
    return bad;
}
"""


@pytest.mark.slow
def test_the_sources_work_in_a_program_of_ones_own(tmp_path):
    """As the page on FMI says; the model's name is that of one of our files."""
    m = slider_crank.model()
    m.name = "driver"
    path = m.fmu(tmp_path / "x.fmu", binary=False)
    number = {v.name: v.valueReference for v in fmpy.read_model_description(str(path)).modelVariables}
    zipfile.ZipFile(path).extractall(tmp_path)
    sources = tmp_path / "sources"
    (sources / "fmi3.c").unlink()
    (sources / "caller.c").write_text(CALLER.replace("REFERENCE", str(number["piston.x"])))
    flags = ["-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-DLW_PRIVATE"]
    names = [f.name for f in sources.glob("*.c")]
    subprocess.run(["cc", *flags, *names, "-o", "caller", "-lm"], cwd=sources, check=True)
    told = subprocess.run([sources / "caller"], capture_output=True, text=True, check=True).stdout
    assert float(told) == pytest.approx(m.simulate(0.5, rtol=1e-11)["piston.x"][-1], abs=1e-10)


@pytest.mark.slow
def test_an_input_that_moves_a_constraint_comes_with_its_derivatives(tmp_path):
    """A crank at the angle u = t + t²/2: at t = 0 of each step, u, u̇ and ü are what the importer says."""
    m = lw.Model("driven", gravity=(0, -9.81))
    u = m.input("u", 0.3, unit="rad")
    O = m.revolute("O", m.ground, m.body("crank", mass=2, inertia=0.1).at(-0.2, 0))
    O.angle.law(lw.Motion(u))
    path = m.fmu(tmp_path / "x.fmu", duration=1)
    fmu, number = instance(path, tmp_path / "unzipped")
    given = {"u": 0.4, "u.rate": 0.5, "u.acceleration": 3.0}
    fmu.setFloat64([number[name] for name in given], list(given.values()))
    angle, effort = fmu.getFloat64([number["O.angle"], number["O.angle.effort"]])
    fmu.terminate()
    fmu.freeInstance()
    assert angle == pytest.approx(0.4, abs=1e-12)
    assert effort == pytest.approx((0.1 + 2 * 0.04) * 3.0 + 2 * 9.81 * 0.2 * np.cos(0.4), rel=1e-9)
