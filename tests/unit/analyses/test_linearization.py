"""Linearization and RootLocus as objects: names, tables, transfer functions, figures, commands, refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.app import main

from ..arm_and_shaper import arm

G = 9.81


def inverted() -> lw.Model:
    """A bar on a hinge with a spring that must be stiffer than m g l/2 to hold it upright."""
    m = lw.Model("inverted", gravity=(0, -G))
    bar = m.body("bar", mass=1, inertia=1 / 12)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(0, -0.5))
    pin.angle.law(lw.Spring(m.parameter("k", 8.0, unit="N·m/rad")))
    pin.angle.law(lw.Damper(m.parameter("d", 0.2)))
    pin.angle.law(lw.Effort(m.input("torque", 0.0)))
    pin.angle.start(0)
    return m


@pytest.fixture(scope="module")
def model() -> lw.Model:
    return inverted()


def test_transfer_function_and_scipy(model):
    linear = model.linearize(outputs=["pin.angle", "pin.reaction.f?"])
    assert linear.output_names == ["pin.angle", "pin.reaction.fx", "pin.reaction.fy"]
    w = np.array([0.5, 2.0, 30.0])
    exact = 1 / (-(w**2) / 3 + 0.2j * w + 8 - G / 2)
    assert linear.frequency_response(w)[:, 0, 0] == pytest.approx(exact, rel=1e-10)
    system = linear.to_scipy()
    assert system.A == pytest.approx(linear.A) and system.B.shape == (2, 1) and system.D.shape == (3, 1)
    assert linear.outputs["pin.reaction.fy"] == pytest.approx(G)


def test_table_and_dictionary(model):
    linear = model.linearize()
    assert "inverted: 2 states, 1 inputs, 2 outputs; stable" in str(linear)
    assert "frequency [Hz]" in str(linear) and "pin.angle 1" in str(linear)
    assert json.loads(json.dumps(linear.to_dict()))["states"] == {"pin.angle": 0.0, "pin.angle.rate": 0.0}
    mode = linear.modes[0]
    assert mode.frequency == pytest.approx(np.sqrt(3 * (8 - G / 2)) / (2 * np.pi))
    assert mode.damping == pytest.approx(0.3 / np.sqrt(3 * (8 - G / 2)))
    assert mode.leaders == ["pin.angle"]


def test_along_a_result(model):
    model["pin"].angle.start(0.2)
    result = model.simulate(0.3)
    model["pin"].angle.start(0)
    angle = result.at(0.3)["pin.angle"]
    linear = model.linearize((result, 0.3))
    assert linear.time == 0.3 and linear.state[0] == pytest.approx(angle, abs=1e-9)
    assert linear.A[1, 0] == pytest.approx(3 * (G / 2 * np.cos(angle) - 8), rel=1e-8)


@pytest.mark.parametrize("values", [np.linspace(8, 2, 7), np.linspace(2, 8, 7)])
def test_root_locus_finds_the_critical_stiffness(model, values):
    locus = model.root_locus("k", values)
    assert locus.critical == pytest.approx([G / 2], rel=1e-6)
    assert locus.stable.tolist() == (values > G / 2).tolist()
    for k, found in zip(values, locus.eigenvalues, strict=True):
        exact = np.roots([1 / 3, 0.2, k - G / 2])
        assert np.sort_complex(found) == pytest.approx(np.sort_complex(exact), rel=1e-8)
    assert "stability changes at k = 4.905" in str(locus)


def test_root_locus_follows_each_eigenvalue():
    m = lw.Model("two", gravity=(0, 0))
    k = m.parameter("k", 1.0)
    for i, stiffness in enumerate((k, 5.0)):
        block = m.body(f"b{i}", mass=1, inertia=1)
        rail = m.prismatic(f"P{i}", m.ground.at(0, 0), block.at(0, 0))
        rail.slide.law(lw.Spring(stiffness))
        rail.slide.law(lw.Damper(0.1 * (i + 1)))
    locus = m.root_locus("k", np.linspace(1, 9, 17), formulation="minimal")
    real = np.sort(locus.eigenvalues.real, axis=1)
    assert np.ptp(locus.eigenvalues.real, axis=0).max() < 1e-9  # frequencies cross, dampings keep them apart
    assert np.ptp(real, axis=0).max() < 1e-9


def test_figures(model, tmp_path):
    figure = model.root_locus("k", np.linspace(2, 8, 5)).plot(file=tmp_path / "locus.svg")
    text = (tmp_path / "locus.svg").read_text()
    assert "k [N·m/rad]" in text and "stability changes at 4.905" in text and figure.axes
    model.linearize().plot(file=tmp_path / "eigenvalues.svg", title="upright")
    text = (tmp_path / "eigenvalues.svg").read_text()
    assert "upright" in text and "Hz" in text


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda m: m.linearize(outputs="pin.angel"), "Did you mean"),
        (lambda m: m.linearize(inputs=["force"]), "no input named 'force'"),
        (lambda m: m.linearize(coordinates=["pin.angle", "bar.x"]), "has 1 freedoms here, but 2"),
        (lambda m: m.linearize(coordinates=["pin.turn"]), "no independent coordinate"),
        (lambda m: m.linearize(outputs="energy.dissipated"), "an integral over time"),
        (lambda m: m.linearize(at=1.0), "not an operating point"),
        (lambda m: m.linearize(formulation="minimum"), "Did you mean 'minimal'"),
        (lambda m: m.root_locus("kk", [1, 2]), "no parameter named 'kk'"),
        (lambda m: m.root_locus("k", []), "Give finite numbers"),
        (lambda m: m.linearize(inputs=[]).to_scipy(), "there is no input"),
    ],
)
def test_refusals(model, call, part):
    with pytest.raises(lw.LinkworkError) as caught:
        call(model)
    assert part in str(caught.value)


def test_an_input_that_prescribes_a_motion_has_no_column():
    m = inverted()
    where = m.input("where", 0.0)
    m["pin"].angle.law(lw.Motion(lambda t: where + t))
    for formulation in ("absolute", "minimal"):
        with pytest.raises(lw.ModelError, match=r"pin\.angle: the input 'where' prescribes"):
            m.linearize(formulation=formulation)
    assert m.linearize(inputs=["torque"]).A.shape == (0, 0)


def test_a_singular_position_is_refused():
    m = lw.Model("parallelogram", gravity=(0, -G))
    a, c, b = (m.rod(n, length=x, mass=1) for n, x in (("a", 1.0), ("c", 2.0), ("b", 1.0)))
    A = m.revolute("A", m.ground.at(0, 0), a.at(-0.5, 0))
    m.revolute("B", a.at(0.5, 0), c.at(-1, 0))
    m.revolute("C", c.at(1, 0), b.at(0.5, 0))
    m.revolute("D", m.ground.at(2, 0), b.at(-0.5, 0))
    A.angle.start(0.0)
    with pytest.raises(lw.ModelError, match="singular position"):
        m.linearize()


# Commands ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands(here, capsys):
    assert main(["equilibrium", "pendulum"]) == 0
    out = capsys.readouterr().out
    assert "stable equilibrium" in out and "pin.reaction.fy" in out and "9.81" in out
    assert main(["linearize", "pendulum", "--equilibrium", "--set", "damping=0.3", "--json", "p.json"]) == 0
    out = capsys.readouterr().out
    assert "0.61052" in out and "wrote p.json" in out
    assert json.loads((here / "p.json").read_text())["stable"] is True
    words = ["linearize", "pendulum", "--locus", "damping=0:4:5", "-o", "locus.svg"]
    assert main(words) == 0
    assert "5 values of damping from 0 to 4" in capsys.readouterr().out
    assert "imaginary part" in (here / "locus.svg").read_text()


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["equilibrium", "four-bar"], 1, "A.angle: its prescribed motion has the speed 3"),
        (["linearize", "pendulum", "--locus", "damping=0:4"], 1, "NAME=FROM:TO:N"),
        (["linearize", "pendulum", "--locus", "dampin=0:4:5"], 2, "Did you mean 'damping'"),
        (["linearize", "pendulum", "-o", "x.bmp"], 1, ".svg, .png, .pdf"),
        (["linearize", "pendulum", "--formulation", "absolut"], 2, "Did you mean 'absolute'"),
    ],
)
def test_commands_refuse_with_a_sentence(here, capsys, words, code, part):
    assert main(words) == code
    assert part in " ".join(capsys.readouterr().err.split())


def test_a_component_may_be_called_as_what_counts_work_is():
    """Its states are states, whatever its name is."""
    m = lw.Model("circuit")
    S = m.voltage_source("source", 5.0)
    coil = m.inductor("energy", m.resistor("R", S.p, resistance=1.0).n, inductance=0.1)
    m.capacitor("store", coil.n, m.earth("G", S.n), capacitance=0.1)
    assert m.linearize().A.shape == (2, 2)


def test_rounding_is_no_growth() -> None:
    m, _ = arm()
    near = m.linearize()
    assert not any(mode.growing for mode in near.modes)  # the angle of a joint with given speed: eigenvalue 0
    assert "grows" not in str(near) and near.verdict == "not steady"  # the given speed changes
