"""What a new user ran into: wrong numbers first, then what ended in a traceback or was told badly."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.partition import choose_partition
from linkwork.cli.app import main
from linkwork.core.equations import Constraints, Equations, Motion, Observation, Start, States, Symbols

# Models ---------------------------------------------------------------------------------------------------------------


def arm() -> tuple[Any, Any]:
    """Two links; the first one turns at a given speed."""
    m = lw.Model("arm", gravity=(0, -9.81))
    upper, fore = m.rod("upper", length=1, mass=2), m.rod("fore", length=0.7, mass=m.parameter("mass", 1.0, unit="kg"))
    S = m.revolute("S", m.ground.at(0, 0), upper.at(-0.5, 0))
    E = m.revolute("E", upper.at(0.5, 0), fore.at(-0.35, 0))
    S.angle.law(lw.Motion(speed=lambda t: 1 + 0.2 * lw.cos(t)))
    E.angle.law(lw.Damper(0.3))
    S.angle.start(0.1)
    E.angle.start(-0.5, rate=0)
    return m, E


@cache
def geared() -> Any:
    """A load on a spring behind a gear, between end stops, driven by a given motion."""
    m = lw.Model("geared")
    a, b, load = (m.body(name, mass=1, inertia=J) for name, J in (("a", 0.01), ("b", 0.05), ("load", 0.2)))
    A, B = (m.revolute(n, m.ground.at(x, 0), body.at(0, 0)) for n, x, body in (("A", 0, a), ("B", 1, b)))
    C = m.revolute("C", b.at(0, 0), load.at(0, 0))
    m.gear("gear", A.angle, B.angle, ratio=-0.5)
    C.angle.law(lw.Spring(m.parameter("k", 5.0)))
    C.angle.law(lw.Damper(m.parameter("c", 0.02)))
    C.angle.law(lw.Limits(lower=-0.3, upper=0.3, stiffness=2000, dissipation=0.2))
    A.angle.law(lw.Motion(lambda t: 2 * t + 0.5 * lw.sin(3 * t)))
    return m


def shaper() -> Any:
    """A crank in the slot of a lever."""
    m = lw.Model("shaper", gravity=(0, -9.81))
    crank, lever = m.rod("crank", length=0.1, mass=0.5), m.rod("lever", length=0.8, mass=1.5)
    O = m.revolute("O", m.ground.at(0, m.parameter("h", 0.3)), crank.at(-0.05, 0))
    m.revolute("Q", m.ground.at(0, 0), lever.at(-0.4, 0))
    m.point_on_line("S", lever.at(-0.4, 0), crank.at(0.05, 0))
    O.angle.law(lw.Effort(m.input("torque", 3.0, unit="N·m")))
    O.angle.law(lw.Damper(0.4))
    O.angle.start(0.2, rate=0)
    lever.start(position=(0, 0.4), angle=1.4)
    return m


# Numbers --------------------------------------------------------------------------------------------------------------


def test_a_start_that_a_speed_law_goes_on_from_is_kept() -> None:
    """The mechanism is led to where the other drive begins, but not by turning the joint whose start was given."""
    m, E = arm()
    r = m.kinematics(2, drive={E.angle: 0.3})
    np.testing.assert_allclose(r["S.angle"], 0.1 + r.t + 0.2 * np.sin(r.t), atol=1e-9)
    np.testing.assert_allclose(r["E.angle"], 0.3, atol=1e-12)


@pytest.mark.parametrize("parameter", ["k", "c"])
def test_adjoint_knows_on_which_side_of_an_end_stop_a_step_lies(parameter: str) -> None:
    scalar = lw.Integral("C.angle") + lw.Final("C.angle")
    adjoint = geared().sensitivity(scalar, [parameter], 0.5, method="adjoint", rtol=1e-9)
    forward = geared().sensitivity(scalar, [parameter], 0.5, method="forward", rtol=1e-10)
    assert adjoint[parameter] == pytest.approx(forward[parameter], rel=1e-5)


def test_rounding_is_no_growth() -> None:
    m, _ = arm()
    near = m.linearize()
    assert not any(mode.growing for mode in near.modes)  # the angle of a joint with given speed: eigenvalue 0
    assert "grows" not in str(near) and near.verdict == "not steady"  # the given speed changes


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points"])
def test_a_motion_may_be_a_number(formulation: str) -> None:
    m = lw.Model("held", gravity=(0, -9.81))
    a, b = m.body("a", mass=1, inertia=0.1), m.body("b", mass=1, inertia=0.1)
    m.revolute("P", m.ground.at(0, 0), a.at(0, 1)).angle.law(lw.Motion(0.3))
    m.revolute("Q", a.at(0, -1), b.at(0, 1)).angle.start(1.0)
    r = m.simulate(0.5, formulation=formulation)
    np.testing.assert_allclose(r["P.angle"], 0.3, atol=1e-12)
    swing = 0.55 * r["b.wz"] ** 2 - 9.81 * np.cos(r["b.angle"])  # a pendulum on a point at rest
    assert np.ptp(swing) < 1e-6


def test_a_row_of_rounding_noise_is_no_constraint() -> None:
    none, zero = ca.SX(0, 1), ca.SX.zeros(2, 1)
    jacobian = ca.SX(ca.DM([[1.0, 2.0], [3e-17, 1e-17]]))
    eq = Equations(
        Symbols(ca.SX.sym("t"), none, ca.SX.sym("v", 2), none, none, none, ca.SX.sym("a", 2), ca.SX.sym("lambda", 2)),
        States(speed_names=["a", "b"]),
        Motion(none, ca.SX.eye(2), zero, lambda q, _: q),
        Constraints(none, zero, jacobian, zero, []),
        Observation({}),
        Start(lambda _: np.zeros(2)),
    )
    found = choose_partition(eq, 0.0, np.zeros(2), np.zeros(0), None, SimpleNamespace(name="m"))
    assert len(found.independent) == 1


def test_energy_of_a_driven_motion_without_a_false_drift() -> None:
    """Total energy is told; its change is no error, as what the drives supply is not known."""
    r = shaper().kinematics(1, drive={"O.angle": lambda t: 0.2 + 3 * t})
    np.testing.assert_allclose(r["energy.total"], r["energy.kinetic"] + r["energy.potential"])
    assert np.ptp(r["energy.total"]) > 0.1 and "energy drift" not in str(r)


# Equations to read ----------------------------------------------------------------------------------------------------


def test_signs_stand_in_front_and_the_text_still_says_the_same() -> None:
    m, _ = arm()
    sheet = m.equations("absolute")
    text = str(sheet)
    assert not re.search(r"--|·-|/-|\+ -|- -", text)
    lines = dict(line.split(" = ") for line in text.splitlines() if re.match(r"(κ|f|A)\S* = ", line))
    shown = {"sin": np.sin, "cos": np.cos, "t": 0.3, "mf": 1.0}
    named = [*sheet.names.q, *sheet.names.v, *sheet.names.p]
    state = np.random.default_rng(2).normal(size=12)
    values = dict(zip((x.text for x in named), [*state, 1.0], strict=True)) | shown
    for name, line in lines.items():
        if name.startswith("κ"):
            values[name] = _value(line, values)
    functions = sheet.casadi()
    arguments = (0.3, state[:6], state[6:], np.zeros(2), [1.0])
    exact = {"f": np.array(functions["force"](*arguments)), "A": np.array(functions["jacobian"](*arguments))}
    for name, line in lines.items():
        if name[0] in exact:
            index = tuple(int(k) - 1 for k in re.findall(r"\d+", name))
            assert _value(line, values) == pytest.approx(exact[name[0]][index if name[0] == "A" else index[0]].item())


def _value(line: str, values: dict[str, Any]) -> float:
    """The number behind an expression; names, longest first, become Python names."""
    short = {name: f"§{k}§" for k, name in enumerate(sorted(values, key=len, reverse=True))}
    for name, mark in short.items():
        line = line.replace(name, mark)
    python = re.sub(r"§(\d+)§", r"x\1", line.replace("·", "*").replace("²", "**2"))
    return float(eval(python, {f"x{mark[1:-1]}": values[name] for name, mark in short.items()}))


def test_what_is_an_input_and_what_has_no_position() -> None:
    text = str(shaper().equations("minimal"))
    assert "1 parameter, 1 input," in text and "\nparameters: h = 0.3\ninputs: torque = 3 N·m\n" in text
    m, _ = arm()
    text = str(m.equations("absolute"))
    assert "\nrow 5 of A: S.angle (speed)\n" in text and "Φ[5]" not in text
    tank = lw.Model("tank")
    level = tank.state("h", 2.0)
    level.rate = -lw.sqrt(level.symbol)
    assert "v̇" not in str(tank.equations("minimal")) and "Mass matrix" not in tank.equations("minimal").latex()


# Told instead of a traceback ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("duration", ["2", None, [1], float("nan"), 0, True])
@pytest.mark.parametrize("verb", ["simulate", "inverse_dynamics", "sensitivity"])
def test_durations(verb: str, duration: Any) -> None:
    arguments: dict[str, tuple[Any, ...]] = {"inverse_dynamics": ({"O.angle": 1.0},), "sensitivity": ("Q.angle", "h")}
    with pytest.raises(lw.ModelError, match="Give a positive number of seconds"):
        getattr(shaper(), verb)(*arguments.get(verb, ()), duration)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda m: m.simulate(1, parameters=[3]), "a dictionary"),
        (lambda m: m.simulate(1, inputs=3), "a dictionary"),
        (lambda m: m.simulate(1, rtol=-1), "rtol=-1"),
        (lambda m: m.simulate(1, output="x"), "output='x'"),
        (lambda m: m.simulate(1, formulation="minimal", independent=3), "no independent coordinate named 3"),
        (lambda m: m.kinematics(1, drive={"O.angle": float("nan")}), "Give a finite number"),
        (lambda m: m.linearize((arm()[0].simulate(0.1), 0.05)), "another model: it has no crank, lever"),
        (lambda m: m.linearize(arm()[0].assemble()), "another model"),
        (lambda m: m.linearize(m.simulate(0.1)), "type Result is no operating point"),
        (lambda m: m.root_locus("h", "abc"), "are no values"),
        (lambda m: m.sensitivity(3, "h", 1), "either channels or scalars"),
        (lambda m: m.sensitivity("Q.angle", [3], 1), "no parameter named 3"),
        (lambda m: m.sensitivity(lw.Final(lambda c: None), "h", 1), r"with symbols: .*'new_SX'\. Use"),
        (lambda m: m.optimise(lw.Final("Q.angle"), {"h": (0.2, 0.4)}, 1, max_iterations=0), "Give 1 or more"),
        (lambda m: m.optimise(lw.Final("Q.angle"), {"h": (0.2, 0.4)}, 1, tolerance=-1), "tolerance=-1"),
    ],
)
def test_arguments(action: Any, words: str) -> None:
    with pytest.raises(lw.LinkworkError, match=words):
        action(shaper())


@pytest.mark.parametrize(
    ("change", "component"),
    [
        (lambda m, x: m["pin"].angle.law(lw.Effort(x)), "pin.angle"),
        (lambda m, x: m["pin"].angle.law(lw.Motion(x)), "pin.angle"),
        (lambda m, x: m.force("F", m["bar"].at(0, 0), (x, 0)), "F"),
        (lambda m, x: m.state("s", 0.0, rate=x), "s"),
        (lambda m, x: m.event("e", lambda angle: angle - x, m["pin"].angle), "e"),
        (lambda m, x: m.body("other", mass=x, inertia=1), "m"),
    ],
)
def test_symbols_of_another_model(change: Any, component: str) -> None:
    m = lw.Model("m")
    bar = m.body("bar", mass=1, inertia=0.1)
    m.revolute("pin", m.ground.at(0, 0), bar.at(0, 1))
    change(m, lw.Model("elsewhere").parameter("x", 1.0))
    with pytest.raises(lw.ModelError, match="depends on x, which this model does not know") as told:
        m.simulate(0.1)
    assert told.value.component == component


@pytest.mark.parametrize(
    "action",
    [
        lambda: lw.Model("m").state("s", float("nan")),
        lambda: lw.Model("m").state("s", "x"),
        lambda: lw.Model("m").unknown("u", "x"),
        lambda: lw.Model("m").variable("v", guess="x"),
        lambda: lw.Kinematics("k", coordinates=1).start("x"),
        lambda: lw.Kinematics("k", coordinates=-1),
        lambda: lw.Kinematics("k").body("b", lw.shift(float("nan")), mass=1, inertia=(1, 1, 1)),
    ],
)
def test_numbers_of_components(action: Any) -> None:
    with pytest.raises(lw.ModelError):
        action()


def test_an_optimum_shows_itself_in_short() -> None:
    best = shaper().optimise(lw.Final("Q.angle"), {"h": (0.29, 0.31)}, 0.05)
    assert repr(best) == str(best) and len(repr(best)) < 400


# On the command line ------------------------------------------------------------------------------------------------

BLOCK = """
import linkwork as lw
def model():
    m = lw.Model("block")
    block = m.body("block", mass=2, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), block.at(0, 0))
    rail.slide.law(lw.Spring(m.parameter("k", 8.0)))
    rail.slide.law(lw.Effort(m.input("push", 1.0)))
    return m
"""


@pytest.fixture
def block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "block.py").write_text(BLOCK)
    return "block.py"


def test_inputs_can_be_set(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equilibrium", block, "--set", "push=4"]) == 0
    assert "rail.slide  0.5 m" in capsys.readouterr().out
    assert main(["equilibrium", block, "--set", "pull=4"]) == 2
    assert "no parameter or input named 'pull'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "1", "--rtol", "-1"], "rtol=-1"),
        (["optimise", "1", "--minimise", "final:rail.slide"], "--over"),
        (["optimise", "1", "--minimise", "final:rail.slide", "--over", "k=1:9", "--iterations", "0"], "1 or more"),
    ],
)
def test_commands_tell_what_is_wrong(
    block: str, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main([words[0], block, *words[1:]]) == 1
    assert told in capsys.readouterr().err


def test_a_file_that_gives_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "three.py").write_text("def model(): return 3")
    assert main(["equilibrium", str(tmp_path / "three.py")]) == 1
    assert "return the Model" in capsys.readouterr().err


def test_asking_for_a_plot_gives_one(block: str, tmp_path: Path) -> None:
    assert main(["kinematics", block, "1", "--drive", "rail.slide=t", "--plot", "rail.slide", "-q"]) == 0
    assert (tmp_path / "block.svg").stat().st_size > 1000
