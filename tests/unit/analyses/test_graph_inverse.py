"""Inverse models of bond graphs against closed forms, forward runs, Mason's zeros and inverse dynamics."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import dc_motor, hoist_drive, hydraulic_line, quarter_car, slider_crank
from tests.unit.bondgraph.test_transfer_function import ladder


def smooth(t):
    """From rest, with all derivatives at the start small enough for order 3."""
    return 50 * (1 - lw.cos(3 * t))


def test_motor_by_hand():
    g = dc_motor.model()
    found = g.inverse("supply", "rotor.flow")
    assert (found.order, found.unknown) == (2, "effort")
    r = found.simulate(1.0, smooth)
    t, L, J, R, K, b = np.asarray(r.t), 1e-3, 2e-3, 0.5, 0.1, 1e-3
    w, dw, ddw = 50 * (1 - np.cos(3 * t)), 150 * np.sin(3 * t), 450 * np.cos(3 * t)
    i, di = (J * dw + b * w) / K, (J * ddw + b * dw) / K
    # 450 rad/s² at t = 0: the wanted start has a current, which the graph's own start has not
    np.testing.assert_allclose(r["supply.effort"], R * i + L * di + K * w, atol=1e-12)
    np.testing.assert_allclose(r["supply.flow"], i, atol=1e-12)
    np.testing.assert_allclose(r["supply.power"], (R * i + L * di + K * w) * i, atol=1e-10)
    np.testing.assert_allclose(r["wanted"], w, atol=1e-12)
    assert not r.warnings


def test_forward_run_with_the_source_that_was_found():
    g = dc_motor.model()
    back = g.inverse("supply", "load.flow").simulate(1.0, lambda t: t**3 * (1 - t) ** 3, output=1e-3)
    again = g.simulate(1.0, inputs={"voltage": lw.Table(back.t, back["supply.effort"], kind="cubic")}, output=1e-3)
    np.testing.assert_allclose(again["load.flow"], back["wanted"], atol=1e-9)


def test_changed_element_changes_what_is_needed():
    g = dc_motor.model()
    before = g.inverse("supply", "rotor.flow").simulate(1.0, smooth)["supply.effort"]
    g["load"].law = 0.2
    after = g.inverse("supply", "rotor.flow").simulate(1.0, smooth)["supply.effort"]
    # J grows by 0.01·0.1: R J ẇ/K + L J ẅ/K more
    t = np.linspace(0, 1, before.size)
    more = 1e-3 / 0.1 * (0.5 * 150 * np.sin(3 * t) + 1e-3 * 450 * np.cos(3 * t))
    np.testing.assert_allclose(after - before, more, atol=1e-11)


def test_line_of_the_motor():
    line = dc_motor.model().inverse("supply", "load.flow").line
    assert str(line) == "supply — circuit — motor — shaft — gear — driven — load.flow"
    assert line.derivative == ["armature", "rotor", "load"]
    assert len(line.bonds) == 5


@pytest.mark.parametrize(
    ("output", "order", "derivative"),
    [
        ("body.flow", 3, ["tyre", "wheel", "body"]),
        ("wheel.flow", 2, ["tyre", "wheel"]),
        ("tyre.effort", 1, ["tyre"]),
        ("suspension.displacement", 3, ["tyre", "wheel", "suspension"]),
    ],
)
def test_orders_and_lines_of_the_quarter_car(output, order, derivative):
    g = quarter_car.model()
    found = g.inverse("profile", output)
    assert (found.order, found.line.derivative) == (order, derivative)
    assert order == g.transfer_function("profile", output.replace("displacement", "effort")).relative_degree
    assert len(found.line.integral) == 4 - order  # stores that keep a state: the zero dynamics


def test_sizing_of_a_hoist():
    """Against the chain of equations by hand: load, rope with damping, drum and rotor, winding."""
    r = hoist_drive.sizing(load=150.0)
    t, m, n, b, K, R, L = np.asarray(r.t), 150.0, 0.2 / 30, 5e-3, 0.6, 0.4, 2e-3
    f = r["rope.effort"] + r["strands.effort"]
    np.testing.assert_allclose(f, m * (np.gradient(r["wanted"], t, edge_order=2) + 9.81), atol=2e-2)
    w, J = r["rotor.flow"], 0.02 + 0.8 / 30**2
    i = (J * np.gradient(w, t, edge_order=2) + b * w + n * f) / K
    np.testing.assert_allclose(r["supply.flow"], i, atol=2e-3)
    volts = R * r["supply.flow"] + L * np.gradient(r["supply.flow"], t, edge_order=2) + K * w
    np.testing.assert_allclose(r["supply.effort"], volts, atol=2e-3)
    np.testing.assert_allclose(n * w, r["wanted"] + np.gradient(r["rope.displacement"], t, edge_order=2), atol=1e-4)
    assert r["height"][-1] == pytest.approx(8.0, abs=1e-9)
    assert not r.warnings


def test_bicausal_bonds_have_two_half_strokes():
    g = dc_motor.model()
    strokes = g.inverse("supply", "rotor.flow").causality()
    assert sorted(b.name for b in strokes.bicausal) == ["b1", "b4", "b5"]
    assert all(strokes.receives_effort(b, b.tail.element) for b in strokes.bicausal)  # towards the supply
    assert set(strokes.stroke) == set(g.bonds)
    plain, both = (str(g.draw(c)._repr_svg_()).count('class="stroke"') for c in (g.causality(), strokes))
    assert both == plain + 3


def near(found, wanted):
    """Whether each wanted number is among those found."""
    return all(np.abs(found - z).min(initial=np.inf) < 1e-6 * (1 + abs(z)) for z in wanted)


@pytest.mark.parametrize("seed", range(10))
def test_ladders_have_the_order_and_zeros_of_their_transfer_function(seed):
    rng = np.random.default_rng(seed)
    g = ladder(rng, int(rng.integers(1, 4)))
    function = g.transfer_function("source", "end.flow").minimal()
    found = g.inverse("source", "end.flow")
    assert found.order == function.relative_degree
    assert not found.line.conflict
    assert near(found.zero_dynamics, function.zeros)
    states = len(found.states)
    assert len(found.zero_dynamics) == states - found.order


def test_torque_of_a_pendulum():
    """Not linear: τ = J θ̈ + d θ̇ + m g l sin θ."""
    g = lw.BondGraph("pendulum")
    turn, lift = g.one("turn"), g.one("lift")
    (bond,) = g.bonds_of(g.I("inertia", 2.0, at=turn))
    g.R("bearing", 0.3, at=turn)
    g.Se("motor", 0.0, at=turn)
    angle = g.signal("angle", bond.flow)
    g.chain(turn, g.MTF("arm", -0.7 * lw.sin(angle)), lift)
    g.Se("weight", 9.81, at=lift)
    r = g.inverse("motor", "angle").simulate(2.0, lambda t: t**4 / 4)
    t = np.asarray(r.t)
    np.testing.assert_allclose(r["motor.effort"], 2 * 3 * t**2 + 0.3 * t**3 + 0.7 * 9.81 * np.sin(t**4 / 4), atol=1e-11)


def test_hydraulics_with_laws_that_are_functions():
    """Order 4, through friction with q |q|, against a forward run with the flow that was found."""
    g = hydraulic_line.model(load=500.0)
    g["stop"].law, g["stop"].energy = 1e5, None
    g["weight"].value = lw.SX(0.0)
    g["delivery"].value = g.input("flow")
    found = g.inverse("delivery", "mass.flow")
    assert found.order == 4
    back = found.simulate(0.5, lambda t: 0.05 * lw.sin(6 * t) ** 5, output=2e-4)
    flow = lw.Table(back.t, back["delivery.flow"], kind="cubic")
    again = g.simulate(0.5, output=2e-4, inputs={"flow": flow})
    np.testing.assert_allclose(again["mass.flow"], back["wanted"], atol=1e-8)


def test_flow_source_on_a_mass_is_dualised():
    """Its flow would have to be differentiated: its effort is unknown instead, and both are found."""
    g = lw.BondGraph("shaker")
    table = g.one("table")
    g.Sf("motion", 1.0, at=table)
    g.I("mass", 4.0, at=table)
    g.C("spring", 9.0, at=table)
    found = g.inverse("motion", "spring.effort")
    r = found.simulate(1.0, lambda t: 9 * (1 - lw.cos(2 * t)))
    assert found.unknown == "effort"
    t = np.asarray(r.t)
    np.testing.assert_allclose(r["motion.flow"], 2 * np.sin(2 * t), atol=1e-11)
    np.testing.assert_allclose(r["motion.effort"], 4 * 4 * np.cos(2 * t) + 9 * (1 - np.cos(2 * t)), atol=1e-10)


def unsteady():
    """A mass on a spring that pushes away, on the one whose speed is wanted."""
    g = quarter_car.model()
    g["suspension"].law = -20e3
    return g


def test_unstable_zero_dynamics_are_told():
    with pytest.warns(lw.LinkworkWarning, match="zero dynamics is unstable"):
        r = unsteady().inverse("profile", "wheel.flow").simulate(0.2, lambda t: 1 - lw.cos(5 * t))
    assert [w.name for w in r.warnings] == ["zero dynamics"]
    # M ẍ + d ẋ + k x = 0 with k = −20e3
    root = max(np.roots([300.0, 1500.0, -20e3]).real)
    assert f"{root:.4g}" in r.warnings[0].message


def test_starts_that_do_not_fit_are_moved_and_told():
    g = dc_motor.model()
    with pytest.warns(lw.LinkworkWarning, match=r"it is 0 at the start .* wanted to be 3"):
        r = g.inverse("supply", "rotor.flow").simulate(1.0, 3.0)
    np.testing.assert_allclose(r["rotor.flow"], 3.0, rtol=1e-13)
    np.testing.assert_allclose(r["supply.effort"], 0.5 * 3e-3 / 0.1 + 0.3, rtol=1e-12)


@pytest.mark.parametrize("driven", ["crank", "piston"])
def test_slider_crank_as_its_inverse_dynamics(driven):
    """Torque at the crank for a prescribed crank or piston, by the graph and by the model."""
    m = slider_crank.model()
    g = m.bondgraph()
    if driven == "crank":
        output, drive = "crank.angle", {"O.angle": lambda t: 0.3 + 0.5 * (1 - lw.cos(3 * t)) + t**3}
    else:
        x = 0.2 * np.cos(0.3) + np.sqrt(1 - (0.2 * np.sin(0.3)) ** 2)
        output, drive = "piston.x", {"P.slide": lambda t: x - 0.05 * (1 - lw.cos(3 * t))}
    (motion,) = drive.values()
    r = g.inverse("O-angle-effort", output).simulate(1.0, motion, output=0.02, rtol=1e-11, atol=1e-13)
    wanted = m.inverse_dynamics(drive, 1.0, actuators=["O.angle"], output=0.02)
    # the model's own torque of 10 N·m stays at work there
    torque = wanted["O.angle.actuator"] + 10.0
    np.testing.assert_allclose(r["O-angle-effort.effort"], torque, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(r["rod.angle"], wanted["rod.angle"], atol=1e-9)


@pytest.mark.slow
def test_samples_become_a_spline():
    g = dc_motor.model()
    t = np.linspace(0, 1, 201)
    with pytest.warns(lw.LinkworkWarning, match="it was moved"):  # the spline is not quite level at its end
        r = g.inverse("supply", "rotor.flow").simulate(1.0, (t, 50 * (1 - np.cos(3 * t))), output=0.01)
    exact = g.inverse("supply", "rotor.flow").simulate(1.0, smooth, output=0.01)
    np.testing.assert_allclose(r["supply.effort"], exact["supply.effort"], atol=5e-3)


def test_jumps_are_refused():
    found = dc_motor.model().inverse("supply", "rotor.flow")
    with pytest.raises(lw.ModelError, match=r"derivative of order 1 is wanted to jump at t = 0.5"):
        found.simulate(1.0, lw.Table([0, 0.5, 1], [0, 1, 1]))
    with pytest.raises(lw.ModelError, match=r"it is wanted to jump at t = 0.5"):
        found.simulate(1.0, lambda t: lw.if_else(t < 0.5, 0, 1))


def test_no_causal_line():
    """What an effort source fixes, nothing behind it can change."""
    g = lw.BondGraph("held")
    left, rail, right = g.one("left"), g.zero("rail"), g.one("right")
    g.chain(left, rail, right)
    g.Se("pump", 1.0, at=left)
    g.I("pipe", 1.0, at=left)
    g.Se("supply", 5.0, at=rail)
    g.I("line", 1.0, at=right)
    g.R("loss", 1.0, at=right)
    with pytest.raises(lw.ModelError, match=r"pump: it has no influence on 'line.flow'.*supply") as error:
        g.inverse("pump", "line.flow")
    assert "conflict" in str(error.value)
    assert g.inverse("supply", "line.flow").order == 1


def test_equations_and_report():
    found = dc_motor.model().inverse("supply", "rotor.flow")
    assert "supply.effort = " in found.equations()
    assert "rotor.flow′′" in found.equations()
    assert "relative order 2" in str(found)


def test_bad_input():
    g = dc_motor.model()
    found = g.inverse("supply", "rotor.flow")
    for call, error in (
        (lambda: g.inverse("rotor", "rotor.flow"), "no source named"),
        (lambda: g.inverse("supply", "rotor"), "no channel named"),
        (lambda: g.inverse("supply", "energy.supplied"), "integral over time"),
        (lambda: found.simulate(1.0, "fast"), "can be wanted"),
        (lambda: found.simulate(1.0, lambda t: math.sin(t)), "cannot be applied to a symbol"),
        (lambda: found.simulate(1.0, lambda t: lw.SX.sym("x")), "depends on x"),
        (lambda: found.simulate(-1.0, 0.0), "duration"),
        (lambda: found.simulate(1.0, 0.0, parameters={"Q": 1}), "parameter"),
    ):
        with pytest.raises(lw.LinkworkError, match=error):
            call()
