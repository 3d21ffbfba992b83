"""Mason's rule against transfer functions derived by hand, SciPy, and the state equations of the same graph."""

import numpy as np
import pytest
import scipy.signal
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings

import linkwork as lw
from linkwork.bondgraph.elements import Constraint, Junction, Se, Sf
from linkwork.examples import dc_motor, hydraulic_line, quarter_car, slider_crank
from tests.unit.bondgraph.test_random import graphs

W = np.geomspace(1e-2, 1e5, 60)


def same(function, numerator, denominator, tolerance=1e-12):
    """Whether it is the quotient of two polynomials, over frequency."""
    s = 1j * W
    wanted = np.polyval(numerator, s) / np.polyval(denominator, s)
    np.testing.assert_allclose(function.frequency_response(W), wanted, rtol=tolerance)


def agrees(g, source, output, tolerance=1e-9):
    """Mason's rule and the state equations, each value relative to itself."""
    by_states = g.linearize(inputs=source, outputs=output).frequency_response(W)[:, 0, 0]
    by_paths = g.transfer_function(source, output).frequency_response(W)
    np.testing.assert_allclose(by_paths, by_states, rtol=tolerance, atol=1e-12 * np.abs(by_states).max())


def motor(load=0.1, n=0.1):
    """With and without the load: the closed form has J + n²·load."""
    return dc_motor.model(), {"R": 0.5, "L": 1e-3, "K": 0.1, "J": 1e-3 + n**2 * load, "b": 1e-3}


def test_motor_by_hand():
    g, v = motor()
    numerator = [v["K"]]
    denominator = [v["L"] * v["J"], v["L"] * v["b"] + v["R"] * v["J"], v["R"] * v["b"] + v["K"] ** 2]
    function = g.transfer_function("supply", "rotor.flow")
    same(function, numerator, denominator)
    oracle = scipy.signal.TransferFunction(numerator, denominator)
    np.testing.assert_allclose(np.sort(function.poles), np.sort(oracle.poles), rtol=1e-12)
    assert function.relative_degree == 2
    assert function.static_gain == pytest.approx(v["K"] / (v["R"] * v["b"] + v["K"] ** 2), rel=1e-14)
    _, step = scipy.signal.step(function.to_scipy(), T=np.linspace(0, 0.3, 31))
    run = g.simulate(0.3, output=0.01, inputs={"voltage": 1.0})
    np.testing.assert_allclose(run["rotor.flow"], step, atol=1e-6)


def test_dependent_inertia_is_a_loop_of_order_zero():
    function = motor()[0].transfer_function("supply", "rotor.flow")
    assert len(function.paths) == 1
    assert len(function.loops) == 4
    assert {0: -1} in [function.gain(loop).terms for loop in function.loops]


def test_changed_element_changes_the_function():
    g, _ = motor()
    before = g.transfer_function("supply", "rotor.flow").static_gain
    g["bearing"].law = 0.01
    assert g.transfer_function("supply", "rotor.flow").static_gain == pytest.approx(0.1 / (0.5 * 0.01 + 0.01))
    other = g.transfer_function("supply", "rotor.flow", parameters={"R": 1.0})
    assert other.static_gain == pytest.approx(0.1 / (1.0 * 0.01 + 0.01))
    assert before == pytest.approx(0.1 / (0.5 * 0.001 + 0.01))


def test_quarter_car_by_hand():
    g = quarter_car.model()
    k, d, kt, mw, mb = 20e3, 1500.0, 180e3, 40.0, 300.0
    strut = np.array([d, k])  # d s + k
    wheel = np.polyadd([mw, 0, kt], np.append(strut, 0)[1:] * 0 + strut)
    body = np.polyadd([mb, 0, 0], strut)
    denominator = np.polysub(np.polymul(wheel, body), np.polymul(strut, strut))
    same(g.transfer_function("road", "body.flow"), kt * strut, denominator)
    same(g.transfer_function("profile", "travel"), [kt * mb, 0], denominator)


def test_symbols():
    R, K, n, s, L, J, b, load = sp.symbols("R K ratio s armature rotor bearing load")
    function = motor()[0].transfer_function("supply", "rotor.flow")
    whole = J + n**2 * load
    wanted = K / ((L * s + R) * (whole * s + b) + K**2)
    assert sp.simplify(function.symbolic(elements=True) - wanted) == 0
    numbers = {L: sp.Rational(1, 1000), J: sp.Rational(1, 1000), b: sp.Rational(1, 1000), load: sp.Rational(1, 10)}
    assert sp.simplify(function.symbolic() - wanted.subs(numbers)) == 0


@pytest.mark.parametrize(
    ("example", "source", "output"),
    [
        (dc_motor, "supply", "rotor.flow"),
        (dc_motor, "voltage", "load.effort"),
        (dc_motor, "supply", "motor.port2.effort"),
        (quarter_car, "road", "body.flow"),
        (quarter_car, "profile", "travel"),
        (quarter_car, "road", "suspension.displacement"),
        (hydraulic_line, "delivery", "mass.flow"),
        (hydraulic_line, "weight", "hose.effort"),
        (hydraulic_line, "delivery", "pump.effort"),
    ],
)
def test_examples_agree_with_their_state_equations(example, source, output):
    agrees(example.model(), source, output)


def ladder(rng, sections):
    """A random ladder: series branches on 1-junctions, shunt branches on 0-junctions, TF and GY between sections."""
    g = lw.BondGraph("ladder")
    before = g.one("start")
    g.Se("source", 1.0, at=before)
    g.R("inner", rng.uniform(0.5, 2), at=before)
    for k in range(sections):
        series, shunt = g.one(f"series{k}"), g.zero(f"shunt{k}")
        between = rng.choice(["", "TF", "GY"])
        if between:
            g.chain(before, getattr(g, between)(f"two{k}", rng.uniform(0.5, 2)), series)
        else:
            g.bond(before, series)
        g.bond(series, shunt)
        for junction, kinds in ((series, "RI"), (shunt, "RC")):
            for kind in kinds[: rng.integers(1, 3)] if rng.random() < 0.8 else kinds[1]:
                getattr(g, kind)(f"{kind}-{junction.name}", rng.uniform(0.5, 2), at=junction)
        before = shunt
    g.R("end", rng.uniform(0.5, 2), at=before)
    return g


@pytest.mark.parametrize("seed", range(12))
def test_random_ladders_agree_with_their_state_equations(seed):
    rng = np.random.default_rng(seed)
    g = ladder(rng, int(rng.integers(1, 5)))
    agrees(g, "source", "end.flow")
    agrees(g, "source", "source.flow")


def test_two_resistors_in_a_loop():
    """A divider: nothing but an algebraic loop."""
    g = lw.BondGraph("divider")
    loop = g.one("loop")
    g.Se("source", 1.0, at=loop)
    g.R("first", 3.0, at=loop)
    g.R("second", 1.0, at=loop)
    function = g.transfer_function("source", "second.effort")
    assert g.causality().chosen
    assert (function.numerator.tolist(), function.denominator.tolist()) == ([0.25], [1.0])


def test_flow_source_on_a_mass_differentiates():
    """F = m s v, which has no state equation."""
    g = lw.BondGraph("shaker")
    table = g.one("table")
    g.Sf("motion", 1.0, at=table)
    g.I("mass", 4.0, at=table)
    g.C("spring", 9.0, at=table)
    same(g.transfer_function("motion", "mass.effort"), [4.0, 0.0], [1.0])
    same(g.transfer_function("motion", "motion.effort"), [4.0, 0.0, 9.0], [1.0, 0.0])
    assert g.transfer_function("motion", "mass.effort").relative_degree == -1


def test_common_factors_cancel_exactly():
    """Two equal branches side by side: one of two modes is not seen."""
    g = lw.BondGraph("pair")
    node = g.zero("node")
    g.Sf("pump", 1.0, at=node)
    g.C("tank", 1.0, at=node)
    for k in (1, 2):
        branch = g.one(f"branch{k}")
        g.bond(node, branch)
        g.I(f"line{k}", 0.3, at=branch)
        g.R(f"loss{k}", 0.7, at=branch)
    function = g.transfer_function("pump", "tank.effort")
    assert (len(function.denominator), len(function.minimal().denominator)) == (4, 3)
    same(function.minimal(), [0.3, 0.7], [0.3, 0.7, 2.0])


def test_slope_at_the_start_counts():
    g = lw.BondGraph("orifice")
    tank = g.zero("tank")
    g.Sf("pump", 0.0, at=tank)
    g.C("level", 2.0, start=3.0, at=tank)
    g.R("hole", inverse=lambda p: lw.sqrt(p), at=tank)
    same(g.transfer_function("pump", "level.effort"), [2.0], [1.0, 2.0 / (2 * np.sqrt(6.0))])
    agrees(g, "pump", "hole.flow")


def test_moduli_that_move():
    """A pendulum by a modulated transformer, and a modulated source with feedback."""
    g = lw.BondGraph("pendulum")
    turn = g.one("turn")
    inertia = g.I("inertia", 2.0, at=turn)
    (bond,) = g.bonds_of(inertia)
    angle = g.signal("angle", bond.flow, start=0.4)
    lift = g.one("lift")
    g.chain(turn, g.MTF("arm", lw.sin(angle)), lift)
    g.Se("weight", -9.81, at=lift)
    g.MSe("control", -0.3 * bond.flow - 0.1 * angle, at=turn)
    agrees(g, "weight", "angle")
    agrees(g, "control", "lift.flow")
    slope = 9.81 * np.cos(0.4) + 0.1
    same(g.transfer_function("control", "angle"), [1.0], [2.0, 0.3, slope])


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(("ratio", "turn"), [(3.0, 1.5), (0.7, 1.1), (2.0, 1.0)])
def test_what_goes_round_a_transformer_and_a_gyrator_cancels(ratio, turn, named):
    """e = turn u of the spring, by hand: its flow cancels, whatever the moduli, and so it is no state."""
    g = lw.BondGraph("ring")
    first, second = g.zero("first"), g.one("second")
    g.Sf("drive", lw.sin(2 * g.t), at=first)
    moduli = (g.parameter("ratio", ratio), g.parameter("turn", turn)) if named else (ratio, turn)
    g.chain(first, g.TF("lever", moduli[0]), second)
    g.chain(first, g.GY("rotor", moduli[1]), second)
    g.C("spring", 4.0, at=second)
    run = g.simulate(1.0)
    np.testing.assert_allclose(run["spring.effort"], turn * np.sin(2 * run.t), atol=1e-12)
    np.testing.assert_allclose(run["drive.effort"], turn * turn / 4 * 2 * np.cos(2 * run.t), atol=1e-12)
    same(g.transfer_function("drive", "spring.effort"), [turn], [1.0])
    with pytest.raises(lw.ModelError, match="time derivative of an input"):
        g.linearize(inputs="drive", outputs="spring.effort")


def test_circle_that_determines_nothing_is_told():
    """Two levers round a ring, equal at these values only: what goes round comes back unchanged."""
    g = lw.BondGraph("ring")
    first, second = g.one("first"), g.one("second")
    a, b = g.parameter("a", 0.7), g.parameter("b", 0.7)
    g.chain(first, g.TF("there", a), second)
    g.chain(first, g.TF("back", b), second)
    g.R("loss", 1.0, at=second)
    g.Se("push", 1.0, at=first)
    with pytest.raises(lw.ModelError, match="there|back"):
        g.state_equations()


@pytest.mark.parametrize("named", [False, True])
def test_resistors_beside_a_ring_share_the_flow(named):
    """Round the ring it cancels: a x/a. Parameters that nothing hangs on were put to zero once, and a term with it."""
    g = lw.BondGraph("ring")
    first, second = g.zero("first"), g.zero("second")
    turn, ratio = (g.parameter("turn", 1.5), g.parameter("ratio", 1.2)) if named else (1.5, 1.2)
    g.chain(first, g.GY("rotor", turn), second)
    g.chain(second, g.TF("lever", ratio), first)
    g.R("one", 1.0, at=second)
    g.R("two", 2.0, at=second)
    g.Sf("pump", 3.0, at=second)
    run = g.simulate(0.1)
    assert run.final["one.flow"] == pytest.approx(2.0, rel=1e-12)
    assert run.final["two.flow"] == pytest.approx(1.0, rel=1e-12)
    same(g.transfer_function("pump", "two.flow"), [1 / 3], [1.0])


@pytest.mark.ci
@settings(derandomize=True, max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs())
def test_random_graphs_agree_with_their_state_equations(g):
    agree(g)


@pytest.mark.ci
@settings(derandomize=True, max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs(named=True))
def test_random_graphs_with_parameters_agree_with_their_state_equations(g):
    agree(g)


def agree(g):
    """Mason's rule and the state equations of whatever is linear and has a source."""
    sources = [e.name for e in g.elements.values() if isinstance(e, Se | Sf)]
    assume(sources and not g.of_type(Constraint))
    ends = [e.name for e in g.elements.values() if not isinstance(e, Junction) and e.ports == 1]
    try:
        space = g.linearize(inputs=sources[:1], outputs=[f"{e}.{w}" for e in ends for w in ("effort", "flow")])
    except lw.LinkworkError:
        assume(False)
    w = np.array([0.31, 1.1, 3.7])
    wanted = space.frequency_response(w)[:, :, 0]
    for k, output in enumerate(space.output_names):
        found = g.transfer_function(sources[0], output).frequency_response(w)
        np.testing.assert_allclose(found, wanted[:, k], rtol=1e-9, atol=1e-9 * max(1, np.abs(wanted[:, k]).max()))


def test_what_is_printed():
    text = str(motor()[0].transfer_function("supply", "rotor.flow"))
    assert "s² + 500.5 s + 5250" in text
    assert "L1 = -500 s⁻¹: I:armature → R:resistance" in text


def test_what_it_cannot_do_is_said():
    g = dc_motor.model()
    with pytest.raises(lw.LinkworkError, match="no source named"):
        g.transfer_function("suply", "rotor.flow")
    with pytest.raises(lw.LinkworkError, match="output"):
        g.transfer_function("supply", "rotor.speed")
    with pytest.raises(lw.ModelError, match="one flow, and as many efforts as bonds"):
        g.transfer_function("supply", "shaft.effort")
    with pytest.raises(lw.LinkworkError, match="parameter"):
        g.transfer_function("supply", "rotor.flow", parameters={"r": 1})
    with pytest.raises(lw.ModelError, match="vector bond"):
        slider_crank.model().bondgraph().transfer_function("x", "crank.angle")
    for shown in (slider_crank.model().bondgraph(bonds="scalar"), slider_crank.model().bondgraph(joints="minimal")):
        for ask in (shown.controllability, lambda g=shown: g.transfer_function("O-angle-effort", "crank-J.flow")):
            with pytest.raises(lw.ModelError, match="is not a model itself"):
                ask()
    g.constraint("brake", at=g["shaft"])
    with pytest.raises(lw.ModelError, match="brake"):
        g.transfer_function("supply", "rotor.flow")


def test_nothing_on_the_way():
    g = dc_motor.model()
    apart = g.one("apart")
    g.Se("other", 1.0, at=apart)
    g.R("alone", 1.0, at=apart)
    function = g.transfer_function("other", "rotor.flow")
    assert function.numerator.size == 0
    assert np.all(function.frequency_response(W) == 0)
