"""Derivatives with respect to parameters: against formulas, differences of runs, and adjoint against forward."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.sensitivity.objectives import Final, Integral
from linkwork.analyses.sensitivity.start_sensitivity import _difference, _implicit, _solved
from linkwork.analyses.sensitivity.switches import jump
from linkwork.cli.app import main
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.simulation.prepare import Choice, prepare

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def oscillator() -> lw.Model:
    m = lw.Model("oscillator", gravity=(0, 0))
    block = m.body("block", mass=m.parameter("m", 2.0, unit="kg"), inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), block.at(0, 0))
    rail.slide.law(lw.Spring(m.parameter("k", 8.0, unit="N/m")))
    rail.slide.start(m.parameter("x0", 0.1, unit="m"), rate=0)
    return m


@cache
def crank() -> lw.Model:
    """Shared: built and compiled once, and not changed."""
    m = lw.Model("crank", gravity=(0, -9.81))
    L, mass, d, a0 = (m.parameter(n, x) for n, x in (("L", 1.0), ("mass", 1.0), ("d", 2.0), ("a0", 0.3)))
    crank = m.body("crank", mass=1, inertia=1)
    rod = m.body("rod", mass=mass, inertia=mass * L**2 / 12)
    piston = m.body("piston", mass=1, inertia=1)
    O = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-L / 2, 0))
    m.revolute("B", rod.at(L / 2, 0), piston.at(0, 0))
    P = m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    O.angle.law(lw.Effort(10))
    O.angle.law(lw.Damper(d))
    P.slide.law(lw.Damper(5))
    O.angle.start(a0, rate=2 * d)
    return m


def differences(m: lw.Model, channels, parameter: str, at, *, share=1e-3, **options) -> np.ndarray:
    """Derivatives at the times `at` by central differences of runs, extrapolated once: (channels, times)."""
    value = m.parameters[parameter]
    step = share * (abs(value) or 1.0)

    def central(h: float) -> np.ndarray:
        ahead, behind = (
            m.simulate(at[-1], parameters={parameter: value + s * h}, output=at, rtol=1e-11, atol=1e-13, **options)
            for s in (1, -1)
        )
        return np.array([(ahead[c] - behind[c]) / (2 * h) for c in channels])

    return (4 * central(step / 2) - central(step)) / 3


def agrees(m: lw.Model, channels, at, *, limit: float, formulations=("minimal",), to=None, share=1e-3, inputs=None):
    """Derivatives in each formulation against differences of runs in joint coordinates."""
    names = list(to or m.parameters)
    wanted = {p: differences(m, channels, p, at, share=share, formulation="minimal", inputs=inputs) for p in names}
    for formulation in formulations:
        s = m.sensitivity(channels, names, at[-1], formulation=formulation, output=at, inputs=inputs, **TIGHT)
        for parameter in names:
            for channel, expected in zip(channels, wanted[parameter], strict=True):
                off = np.abs(s[channel, parameter] - expected).max() / max(np.abs(expected).max(), 1e-3)
                assert off < limit, (formulation, channel, parameter, off)


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "radau", "cvodes"])
def test_oscillator_as_its_formula(solver):
    m = oscillator()
    s = m.sensitivity("rail.slide", None, 3.0, solver=solver, **TIGHT)
    t, w = s.t, 2.0  # x = x0 cos(w t), w² = k/m
    by_w = -0.1 * t * np.sin(w * t)
    wanted = {"k": by_w / (2 * w * 2.0), "m": -by_w * w / (2 * 2.0), "x0": np.cos(w * t)}
    # Derivatives are to be as accurate as the solver makes the motion itself, relative to their size.
    plain = m.simulate(3.0, solver=solver, formulation="minimal", **TIGHT)
    accuracy = np.abs(plain["rail.slide"] - 0.1 * np.cos(w * t)).max() / 0.1
    assert accuracy < 1e-6
    for parameter, expected in wanted.items():
        assert np.abs(s["rail.slide", parameter] - expected).max() < 5 * accuracy * np.abs(expected).max()
    assert s.unit("rail.slide", "k") == "m/(N/m)" and s.unit("rail.slide", "m") == "m/kg"
    assert s.final["rail.slide", "x0"] == s["rail.slide", "x0"][-1] and len(s.final) == 3
    assert "rail.slide" in s.table() and s.to_result().unit("d rail.slide/d k") == "m/(N/m)"


def test_closed_loop_in_every_formulation():
    """The rod's length moves the start too: assembly closes the loop anew."""
    m, channels, at = crank(), ["piston.x", "O.angle.rate", "O.reaction.fx", "energy.dissipated"], np.array([0.25, 0.5])
    agrees(m, channels, at, limit=2e-6)
    agrees(m, channels, at, limit=2e-6, formulations=("absolute", "points"), to=["L"])


@pytest.mark.parametrize("formulation", ["minimal", "absolute", "points"])
def test_start_by_the_implicit_function_theorem_and_by_differences(formulation):
    m = crank()
    ready = prepare(m, Choice(formulation))
    chosen = tuple(list(m.parameters).index(name) for name in ("L", "d"))
    exact = _implicit(m, ready, chosen)
    assert exact is not None
    for k, column in zip(chosen, exact.T, strict=True):
        assert _difference(m, ready, k, True) == pytest.approx(column, abs=2e-9)
    # By hand: with the crank at a0, sin b = −0.2 sin(a0)/L at the rod, and x = 0.2 cos a0 + L cos b.
    s = m.sensitivity("piston.x", ["L", "a0"], 0.01, formulation=formulation)
    a, sine = 0.3, 0.2 * np.sin(0.3)
    cosine = np.sqrt(1 - sine**2)
    assert s["piston.x", "L"][0] == pytest.approx(cosine + sine**2 / cosine, abs=1e-12)
    assert s["piston.x", "a0"][0] == pytest.approx(-sine - sine * 0.2 * np.cos(a) / cosine, abs=1e-12)


def test_spatial_chain_whose_start_is_left_to_assembly():
    m = lw.Model("space", gravity=(0, 0, -9.81))
    L, M = m.parameter("L", 0.5), m.parameter("M", 1.5)
    a = m.body("a", mass=M, inertia=(0.02, 0.03, 0.01)).start(position=(0, 0, -L), spin=(1, 0.5, 2))
    c = m.body("c", mass=1, inertia=(0.01, 0.02, 0.03)).start(position=(0.2, 0, -2 * L))
    m.spherical("ball", m.ground, a, point=(0, 0, 0))
    hinge = m.revolute("hinge", a.at(0, 0, -L / 2), c.at(0, 0, 0.3))
    hinge.angle.start(0.4, rate=1)
    assert _implicit(m, prepare(m, Choice("minimal")), (0, 1)) is None  # no start value says where the ball joint is
    agrees(m, ["a.x", "c.z", "c.vx"], np.array([0.3]), limit=1e-7, formulations=("minimal", "absolute"))


def test_rows_of_rounding_determine_no_start():
    """A loop in space that is held too often has such rows in joint coordinates."""
    rows, moved = np.array([[1.0, 0.5], [1e-17, -2e-17]]), np.array([[0.3], [0.0]])
    assert _solved(rows, moved, 2) is None
    assert _solved(np.vstack([rows, [0.5, -1.0]]), np.vstack([moved, [0.0]]), 2) == pytest.approx(
        np.array([[0.24], [0.12]])
    )


def test_states_unknowns_and_position_matrices():
    m = lw.Model("lag", gravity=(0, 0))
    body = m.body("body", mass=1, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), body.at(0, 0))
    a = m.parameter("a", 2.0)
    x = m.state("x", a**2)
    x.rate = -a * x.symbol
    rail.slide.law(lw.Effort(x.symbol))
    rail.slide.start(0, rate=0)
    s = m.sensitivity(["x", "rail.slide"], "a", 1.0, **TIGHT)
    wanted = (2 * 2.0 - 4 * s.t) * np.exp(-2 * s.t)
    assert np.abs(s["x", "a"] - wanted).max() < 1e-9
    m = lw.Model("residual", gravity=(0, 0))
    c = m.parameter("c", 0.5)
    q = m.unknown("q", 1.0, start_rate=c)
    m.equation("e", q.second * (1 + c * q.value**2) + c * q.rate + 4 * lw.sin(q.value))
    agrees(m, ["q"], np.array([1.0]), limit=1e-7)


def test_stiff_model():
    m = lw.Model("stiff", gravity=(0, -9.81))
    bar = m.body("bar", mass=m.parameter("m", 1.0), inertia=0.1)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    pin.angle.law(lw.Damper(m.parameter("d", 2e4)))
    pin.angle.start(0, rate=0)
    s = m.sensitivity("pin.angle", None, 1.0, output=1.0)
    n = m.sensitivity(Final("pin.angle"), None, 1.0, method="adjoint", solver="radau")
    wanted = {p: differences(m, ["pin.angle"], p, np.array([1.0]), share=1e-2, solver="radau")[0, 0] for p in "md"}
    for p in "md":  # the angle itself is −2.5e-4 rad
        assert s["pin.angle", p][-1] == pytest.approx(wanted[p], rel=1e-5)
        assert n[p] == pytest.approx(wanted[p], rel=1e-5)


@pytest.mark.parametrize("signal", [([0, 0.4, 0.4, 1], [0, 1, -1, 0]), lambda t: np.sin(5 * t)])
def test_driven_by_an_input(signal):
    """Linear in the gain: the derivative is the motion divided by the gain, jumps of the input included."""
    m = lw.Model("driven", gravity=(0, 0))
    body = m.body("body", mass=2, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), body.at(0, 0))
    rail.slide.law(lw.Effort(m.parameter("gain", 1.5) * m.input("u")))
    rail.slide.law(lw.Spring(3))
    rail.slide.start(0, rate=0)
    s = m.sensitivity("body.x", "gain", 1.0, inputs={"u": signal})
    assert np.abs(s["body.x"]).max() > 0.01
    assert s["body.x", "gain"] == pytest.approx(s["body.x"] / 1.5, abs=1e-12)
    (back,) = m.sensitivity([Final("body.x")], "gain", 1.0, inputs={"u": signal}, method="adjoint")
    assert back["gain"] == pytest.approx(back.value / 1.5, abs=1e-12)


def bang_bang() -> lw.Model:
    m = lw.Model("bang-bang", gravity=(0, 0))
    body = m.body("body", mass=1, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), body.at(0, 0))
    F, x1 = m.parameter("F", 2.0), m.parameter("x1", 0.3)
    rail.slide.law(lw.Effort(lambda t, x, v: lw.if_else(x > x1, -F, F)))
    rail.slide.start(0, rate=0)
    return m


def test_jump_of_the_equations_moves_with_the_parameters():
    """Up to x1 under F, then under −F: x = x1 + v1 τ − F τ²/2 with v1 = √(2 F x1), τ = t − v1/F."""
    m, t, F, x1 = bang_bang(), 0.9, 2.0, 0.3
    s = m.sensitivity("rail.slide", None, t, output=t, **TIGHT)
    v1 = np.sqrt(2 * F * x1)
    tau, by_x1, by_F = t - v1 / F, np.sqrt(F / (2 * x1)), np.sqrt(x1 / (2 * F))  # ∂v1/∂x1, ∂v1/∂F
    wanted_x1 = 1 + by_x1 * tau + (v1 - F * tau) * (-by_x1 / F)
    wanted_F = by_F * tau + (v1 - F * tau) * (-by_F / F + v1 / F**2) - tau**2 / 2
    assert s.record["jumps"] == 1
    assert s["rail.slide", "x1"][-1] == pytest.approx(wanted_x1, rel=1e-6)
    assert s["rail.slide", "F"][-1] == pytest.approx(wanted_F, rel=1e-6)
    with pytest.raises(LinkworkError, match="jump at t = 0.54.*method='forward'"):
        m.sensitivity(Final("rail.slide"), None, t, method="adjoint")
    assert m.sensitivity(Final("rail.slide"), None, t)["x1"] == pytest.approx(wanted_x1, rel=1e-5)


def test_a_jump_is_seen_next_to_much_larger_rates():
    """A pressure's rate of 1e9 Pa/s must not hide a jump of an acceleration by 5 m/s², nor its own change a jump."""
    before, after = np.array([[1e9, 0.0], [1e9 - 10, 0.0]]), np.array([[1e9 + 20, 5.0], [1e9 + 30, 5.0]])
    found = jump(before, after)
    assert found is not None and found[1][1] == 5.0
    after[:, 1] = 0.0
    assert jump(before, after) is None


def test_end_stop_is_a_kink_not_a_jump():
    m = lw.Model("stop", gravity=(0, -9.81))
    body = m.body("body", mass=1, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), body.at(0, 0), axis=(0, 1))
    rail.slide.law(lw.Limits(m.parameter("low", -0.3), stiffness=m.parameter("k", 2000.0), dissipation=0.3))
    rail.slide.start(0, rate=0)
    agrees(m, ["rail.slide"], np.array([0.4]), limit=1e-4, share=1e-4)
    assert m.sensitivity("rail.slide", None, 0.4).record["jumps"] == 0


@pytest.mark.parametrize("solver", ["dopri5", "radau"])
@pytest.mark.parametrize("formulation", ["minimal", "absolute"])
def test_adjoint_equals_forward(formulation, solver):
    m = crank()
    goals = [
        Final("piston.x"),
        Integral(lambda c: (c["piston.x"] - 0.3) ** 2 + 1e-3 * c["O.reaction.fx"] ** 2 + c["L"] * c.t),
        Final(lambda c: c["O.angle.rate"] * c["mass"]) - 0.5 * Integral("piston.vx"),
    ]
    options = {"formulation": formulation, "solver": solver, "rtol": 1e-9}
    forward = m.sensitivity(goals, None, 1.0, method="forward", **options)
    adjoint = m.sensitivity(goals, None, 1.0, method="adjoint", **options)
    for f, a in zip(forward, adjoint, strict=True):
        assert a.value == pytest.approx(f.value, rel=1e-7)
        assert [*a.values()] == pytest.approx([*f.values()], rel=1e-6, abs=1e-7 * max(map(abs, f.values())))
    assert adjoint[0].record["method"] == "adjoint"


def test_many_parameters_are_for_the_adjoint_method():
    m = lw.Model("chain", gravity=(0, -9.81))
    below = m.ground.at(0, 0)
    for k in range(4):
        link = m.body(f"link{k}", mass=m.parameter(f"m{k}", 1.0), inertia=m.parameter(f"J{k}", 0.1))
        hinge = m.revolute(f"h{k}", below, link.at(-0.2, 0))
        hinge.angle.law(lw.Damper(m.parameter(f"d{k}", 0.1)))
        hinge.angle.law(lw.Spring(m.parameter(f"k{k}", 1.0)))
        hinge.angle.start(0.1 if k else m.parameter("a0", 0.1), rate=0)
        below = link.at(0.2, 0)
    g = m.sensitivity(Final("link3.y"), None, 0.3)
    assert g.record["method"] == "adjoint" and len(g) == 17
    f = m.sensitivity(Final("link3.y"), None, 0.3, method="forward")
    assert [*g.values()] == pytest.approx([*f.values()], rel=1e-6, abs=1e-9)
    assert abs(f["m3"]) > 1e-4


def test_parameters_in_groups_where_the_code_would_become_long(monkeypatch):
    from linkwork.analyses.sensitivity import flow_by_equations

    whole = crank().sensitivity("piston.x", ["L", "d"], 0.3, formulation="minimal")
    monkeypatch.setattr(flow_by_equations, "INSTRUCTION_LIMIT", 1)
    crank().memory.pop("flows")
    parts = crank().sensitivity("piston.x", ["L", "d"], 0.3, formulation="minimal")
    for parameter in parts.parameters:
        assert parts["piston.x", parameter] == pytest.approx(whole["piston.x", parameter], rel=1e-6, abs=1e-7)


def test_a_stop_event_ends_channels_and_is_refused_for_scalars():
    m = oscillator()
    m.event("middle", lambda x: x, m["rail"].slide, action="stop")
    s = m.sensitivity("rail.slide", "k", 3.0)
    assert s.record["stopped by"] == "middle" and s.t[-1] == pytest.approx(np.pi / 4, abs=1e-6)
    with pytest.raises(LinkworkError, match="'middle' ends the run early"):
        m.sensitivity(Final("rail.slide"), "k", 3.0)


def test_bad_input():
    m = oscillator()
    with pytest.raises(UnknownName, match="Did you mean"):
        m.sensitivity("rail.slid", "k", 1.0)
    with pytest.raises(UnknownName, match="no parameter named 'kk'"):
        m.sensitivity("rail.slide", "kk", 1.0)
    with pytest.raises(UnknownName, match="Did you mean 'adjoint'"):
        m.sensitivity("rail.slide", "k", 1.0, method="adjont")
    with pytest.raises(ModelError, match="derivatives of scalars"):
        m.sensitivity("rail.slide", "k", 1.0, method="adjoint")
    with pytest.raises(ModelError, match="either channels or scalars"):
        m.sensitivity(["rail.slide", Final("rail.slide")], "k", 1.0)
    with pytest.raises(ModelError, match="cannot be evaluated with symbols"):
        m.sensitivity(Final(lambda c: 1.0 if c["rail.slide"] > 0 else 0.0), "k", 1.0)
    with pytest.raises(UnknownName, match="solver for sensitivities"):
        m.sensitivity("rail.slide", "k", 1.0, solver="newmark")
    with pytest.raises(ModelError, match="duration"):
        m.sensitivity("rail.slide", "k", -1.0)
    bare = lw.Model("bare", gravity=(0, 0))
    bare.body("b", mass=1, inertia=1)
    with pytest.raises(ModelError, match="no parameter to differentiate by"):
        bare.sensitivity("b.x", None, 1.0)


def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = [
        "sensitivity",
        "slider-crank",
        "0.5",
        "--of",
        "piston.x",
        "--to",
        "torque",
        "-o",
        "s.svg",
        "--json",
        "s.json",
    ]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "piston.x" in out and "torque" in out and "wrote s.svg" in out
    saved = json.loads((tmp_path / "s.json").read_text())
    assert len(saved["derivatives"][0]["values"]) == len(saved["t"]) == 501
    assert main(["sensitivity", "slider-crank", "0.5"]) == 1
    assert "--of" in capsys.readouterr().err
    assert main(["sensitivity", "slider-crank", "0.5", "--of", "piston.xx"]) == 2


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


@pytest.mark.parametrize("parameter", ["k", "c"])
def test_adjoint_knows_on_which_side_of_an_end_stop_a_step_lies(parameter: str) -> None:
    scalar = lw.Integral("C.angle") + lw.Final("C.angle")
    adjoint = geared().sensitivity(scalar, [parameter], 0.5, method="adjoint", rtol=1e-9)
    forward = geared().sensitivity(scalar, [parameter], 0.5, method="forward", rtol=1e-10)
    assert adjoint[parameter] == pytest.approx(forward[parameter], rel=1e-5)
