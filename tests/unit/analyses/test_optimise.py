"""Optimisation: known optima, agreement of methods, and what cannot be improved."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.sensitivity import question
from linkwork.analyses.sensitivity.objectives import Final, Integral
from linkwork.cli.app import main
from linkwork.core.errors import LinkworkError, ModelError, UnknownName

from ..arm_and_shaper import shaper


@cache
def oscillator() -> lw.Model:
    """Shared: built and compiled once, and not changed."""
    m = lw.Model("oscillator", gravity=(0, 0))
    block = m.body("block", mass=2, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), block.at(0, 0))
    k, d, idle = m.parameter("k", 6.0), m.parameter("d", 0.5), m.parameter("idle", 1.0)
    rail.slide.law(lw.Spring(k))
    rail.slide.law(lw.Damper(d + 0 * idle))
    rail.slide.start(0.1, rate=0)
    return m


WANTED = Integral(lambda c: 100 * (c["rail.slide"] - 0.1 * lw.cos(2 * c.t)) ** 2, name="square error")
"""Smallest where the angular frequency is 2 rad/s without damping: k = 8 N/m, d = 0."""


@pytest.mark.parametrize("method", ["SLSQP", "L-BFGS-B", "trust-constr", "ipopt"])
def test_stiffness_and_damping_for_a_wanted_motion(method):
    best = oscillator().optimise(WANTED, {"k": (1, 20), "d": (0, 2)}, 3.0, method=method)
    assert best.improved and best.converged and best.message.startswith("Converged")
    assert best.parameters["k"] == pytest.approx(8.0, abs=5e-3)
    assert best.parameters["d"] == pytest.approx(0.0, abs=5e-3)
    assert best.objective < 1e-4 * best.start
    assert best.result["rail.slide"][-1] == pytest.approx(0.1 * np.cos(6.0), abs=1e-4)
    assert best.history[0].objective == best.start and best.evaluations == len(best.history) < 60
    assert "square error" in str(best) and best.table().splitlines()[1].split()[:2] == ["k", "6"]


def test_minimum_of_an_integral_known_in_closed_form():
    """∫₀¹ (s t − t²)² dt with x = s t is smallest at s = 3/4, where it is 1/80."""
    m = lw.Model("glide", gravity=(0, 0))
    body = m.body("body", mass=1, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), body.at(0, 0))
    rail.slide.start(0, rate=m.parameter("s", 0.2))
    goal = Integral(lambda c: (c["rail.slide"] - c.t**2) ** 2)
    for method in ("SLSQP", "ipopt"):
        best = m.optimise(goal, ["s"], 1.0, method=method)
        assert best.parameters["s"] == pytest.approx(0.75, abs=1e-5)
        assert best.objective == pytest.approx(1 / 80, rel=1e-6)
    largest = m.optimise(-1.0 * goal, ["s"], 1.0, minimise=False)
    assert largest.parameters["s"] == pytest.approx(0.75, abs=1e-4)


@pytest.mark.parametrize("method", ["SLSQP", "ipopt"])
def test_constraint_is_met_and_active(method):
    """The least stiffness whose final position stays above a bound."""
    m, bound = oscillator(), [(Final("rail.slide"), -0.02, None)]
    best = m.optimise(Final("rail.slide"), {"k": (1, 20)}, 3.0, constraints=bound, method=method)
    assert best.result["rail.slide"][-1] == pytest.approx(-0.02, abs=1e-6)
    assert best.constraints[0][1] == pytest.approx(-0.02, abs=1e-6) and "final rail.slide" in best.table()
    with pytest.raises(LinkworkError, match="takes no constraints"):
        m.optimise(Final("rail.slide"), {"k": (1, 20)}, 3.0, constraints=bound, method="L-BFGS-B")


def test_parameter_without_influence_is_named():
    m = oscillator()
    best = m.optimise(WANTED, {"idle": (0, 2)}, 3.0)
    assert not best.improved and "Without influence on the objective: idle." in best.message
    assert best.parameters == {"idle": 1.0} and best.gradient == {"idle": 0.0}
    both = m.optimise(WANTED, {"k": (1, 20), "idle": (0, 2)}, 3.0)
    assert both.improved and "Without influence on the objective: idle." in both.message


def test_start_that_cannot_be_improved_says_why():
    m = oscillator()
    optimal = m.optimise(WANTED, {"k": (1, 20)}, 3.0, start={"k": 8.0}, parameters={"d": 0.0})
    assert not optimal.improved and "already optimal" in optimal.message
    at_bound = m.optimise(WANTED, {"d": (0.5, 2)}, 3.0)
    assert not at_bound.improved and "d would have to leave the bounds" in at_bound.message
    assert at_bound.parameters == {"d": 0.5}


@cache
def four_bar() -> lw.Model:
    m = lw.Model("four-bar", gravity=(0, -9.81))
    reach = m.parameter("reach", 0.45)
    crank, coupler, lever = (m.body(n, mass=1, inertia=0.01) for n in ("crank", "coupler", "lever"))
    A = m.revolute("A", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("B", crank.at(0.1, 0), coupler.at(-reach / 2, 0))
    m.revolute("C", coupler.at(reach / 2, 0), lever.at(0.2, 0))
    m.revolute("D", m.ground.at(0.6, 0), lever.at(-0.2, 0))
    A.angle.start(0.5, rate=0)
    lever.start(position=(0.6, 0.2), angle=1.57)
    return m


@pytest.mark.parametrize("method", ["SLSQP", "ipopt"])
def test_points_that_cannot_be_assembled_are_avoided(method):
    """A coupler shorter than 3 cm or longer than 0.83 m cannot close the loop; the bounds allow both."""
    m = four_bar()
    best = m.optimise(Final("coupler.y"), {"reach": (0.01, 3.0)}, 0.1, method=method, max_iterations=3)
    assert best.improved and np.isfinite(best.objective)
    failed = [v for v in best.history if v.objective is None]
    assert failed and f"{len(failed)} of {best.evaluations} points could not be run" in best.message
    assert "cannot close" in best.message


def test_a_start_that_fails_tells_its_own_error():
    with pytest.raises(LinkworkError, match="cannot close"):
        four_bar().optimise(Final("coupler.y"), {"reach": (0.01, 3.0)}, 0.1, start={"reach": 2.9})


@pytest.mark.parametrize("method", ["SLSQP", "ipopt"])
def test_interrupt_keeps_the_best_point(method, monkeypatch):
    m, asked = oscillator(), question.Question.gradients
    count = iter(range(100))

    def interrupted(self, *arguments):
        if next(count) == 3:
            raise KeyboardInterrupt
        return asked(self, *arguments)

    monkeypatch.setattr(question.Question, "gradients", interrupted)
    best = m.optimise(WANTED, {"k": (1, 20), "d": (0, 2)}, 3.0, method=method)
    assert best.cancelled and not best.converged and "Cancelled" in best.message
    assert best.evaluations == 3 and best.objective == min(v.objective for v in best.history)


def test_objective_without_end():
    m, goal = oscillator(), Final(lambda c: -c["d"])
    with pytest.raises(LinkworkError, match="falls without end as d"):
        m.optimise(goal, {"d": (0, None)}, 0.1)
    early = m.optimise(goal, {"d": (0, None)}, 0.1, method="ipopt", max_iterations=20)
    assert not early.converged and "The objective may have no end along d" in early.message


def test_bad_input():
    m = oscillator()
    with pytest.raises(UnknownName, match="no parameter named 'kk'"):
        m.optimise(WANTED, {"kk": (0, 1)}, 1.0)
    with pytest.raises(LinkworkError, match="start at 6, outside its bounds 10 … 20"):
        m.optimise(WANTED, {"k": (10, 20)}, 1.0)
    with pytest.raises(ModelError, match="bounds"):
        m.optimise(WANTED, {"k": (3, 1)}, 1.0)
    with pytest.raises(ModelError, match="nothing to vary"):
        m.optimise(WANTED, {}, 1.0)
    with pytest.raises(ModelError, match="no exact gradient"):
        m.optimise(lambda r: r["rail.slide"][-1], {"k": (1, 20)}, 1.0)
    with pytest.raises(UnknownName, match="Did you mean 'ipopt'"):
        m.optimise(WANTED, {"k": (1, 20)}, 1.0, method="ipot")
    with pytest.raises(ModelError, match="both fixed and varied"):
        m.optimise(WANTED, {"k": (1, 20)}, 1.0, parameters={"k": 2.0})
    with pytest.raises(ModelError, match="constraint"):
        m.optimise(WANTED, {"k": (1, 20)}, 1.0, constraints=[("rail.slide", 0, 1)])


def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["optimise", "slider-crank", "0.3", "--maximise", "final:O.angle.rate", "--over", "torque=5:20"]
    assert main([*words, "--json", "o.json"]) == 0
    assert "torque" in capsys.readouterr().out
    saved = json.loads((tmp_path / "o.json").read_text())
    assert saved["improved"] and saved["parameters"]["torque"] == pytest.approx(20.0)
    assert main([*words[:3], "--minimise", "last:piston.x", "--over", "torque=5:20"]) == 1
    assert "final:CHANNEL" in capsys.readouterr().err
    assert main([*words[:-1], "torque=5"]) == 1
    assert "NAME=LOWER:UPPER" in capsys.readouterr().err


def test_an_optimum_shows_itself_in_short() -> None:
    best = shaper().optimise(lw.Final("Q.angle"), {"h": (0.29, 0.31)}, 0.05)
    assert repr(best) == str(best) and len(repr(best)) < 400
