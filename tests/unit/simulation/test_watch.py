"""The watch: energy balances close for every model, wrong runs are told by name and time, right ones are left alone."""

import pkgutil
import warnings
from importlib import import_module

import numpy as np
import pytest

import linkwork as lw
import linkwork.examples
from linkwork.analyses.findings.reactions import reactions
from linkwork.analyses.findings.run import Evidence
from linkwork.analyses.prepare import Choice, prepare
from linkwork.analyses.timing import Building

EXAMPLES = [module.name for module in pkgutil.iter_modules(linkwork.examples.__path__)]
FORMULATIONS = ("absolute", "minimal", "points", "acausal", "bondgraph")


def pendulum(**given):
    m = lw.Model("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", mass=given.get("mass", 1.0), inertia=0.1)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    pin.angle.start(0.3)
    return m, bar, pin


def told(action):
    """The result of a run that must be told, and its only finding."""
    with pytest.warns(lw.LinkworkWarning):
        r = action()
    (finding,) = r.warnings
    return r, finding


def quiet(action):
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LinkworkWarning)
        r = action()
    assert r.warnings == []
    return r


def imbalance(r):
    """Energy from nowhere, relative to the largest change of any energy."""
    off = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    parts = [r[f"energy.{k}"] for k in ("kinetic", "potential", "dissipated", "supplied")]
    return np.abs(off - off[0]).max() / max(np.ptp(x) for x in parts)


# balances


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_false_alarm_in_the_gallery(example, name):
    quiet(lambda: example(name).simulate(import_module(f"linkwork.examples.{name}").DURATION))


def swing(t):
    return 1 + 0.5 * lw.sin(3 * t)


def case(kind):
    """A pendulum with something that time, an input or a state changes; and inputs of the run."""
    m, bar, pin = pendulum()
    u = m.input("u", 1.0)
    anchor = m.ground.at(1, 1)
    over_time = {"u": lambda t: 1 + 0.5 * np.sin(3 * t)}
    if kind == "stiffness of t":
        pin.angle.law(lw.Spring(20 * swing(m.t)))
    elif kind == "rest length of t":
        m.spring("s", anchor, bar.at(0.5, 0), stiffness=20, length=0.3 * swing(m.t), damping=1)
    elif kind == "stiffness of an input that jumps":
        pin.angle.law(lw.Spring(20 * u))
        return m, {"u": (np.array([0, 1, 1 + 1e-9, 3]), np.array([1.0, 1.0, 2.0, 2.0]))}
    elif kind == "bushing of an input":
        m.bushing("s", anchor, bar.at(0.5, 0), stiffness=20 * u, damping=1)
    elif kind == "gravity of t":
        m.gravity = (0, -9.81 * swing(m.t))
    elif kind == "gravity of an input":
        m.gravity = (0, -9.81 * u)
    elif kind == "mass of an input":
        bar.mass = 1.0 * u
    elif kind == "stiffness of a state":
        s = m.state("s", 1.0)
        s.rate = -s.symbol + lw.sin(m.t)
        pin.angle.law(lw.Spring(20 * (1 + s.symbol)))
    return m, over_time


KINDS = (
    "stiffness of t", "rest length of t", "stiffness of an input that jumps", "bushing of an input", "gravity of t",
    "gravity of an input", "mass of an input", "stiffness of a state",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_balance_closes_where_more_than_motion_changes_what_is_stored(kind):
    for formulation in FORMULATIONS:
        m, inputs = case(kind)
        r = quiet(lambda m=m, inputs=inputs, f=formulation: m.simulate(3, inputs=inputs, formulation=f))
        assert imbalance(r) < 1e-6, formulation
        assert np.ptp(r["energy.supplied"]) > 1e-2, "nothing was supplied"
        assert r["energy.supplied"][0] == 0


def test_what_a_changing_stiffness_supplies():
    """∫ ½ k̇ x² dt, by Simpson's rule on the angle itself."""
    from scipy.integrate import cumulative_simpson

    m, _ = case("stiffness of t")
    r = m.simulate(3, output=1e-3, rtol=1e-10, atol=1e-12)
    rate = 20 * 0.5 * 3 * np.cos(3 * r.t)
    supplied = cumulative_simpson(rate * r["pin.angle"] ** 2 / 2, x=r.t, initial=0.0)
    assert np.abs(r["energy.supplied"] - supplied).max() < 1e-7 * np.abs(supplied).max()


def test_jump_of_stiffness_supplies_at_once():
    m, inputs = case("stiffness of an input that jumps")
    r = m.simulate(2, inputs=inputs, output=np.array([0.0, 0.5, 1.0, 1.5, 2.0]), rtol=1e-10, atol=1e-12)
    assert np.allclose(r["energy.supplied"][:3], 0, atol=1e-6)
    assert r["energy.supplied"][3] == pytest.approx(10 * r["pin.angle"][2] ** 2, rel=1e-6)


def test_rest_is_no_alarm():
    m, _, pin = pendulum()
    pin.angle.start(-np.pi / 2)
    quiet(lambda: m.simulate(5))
    m = lw.Model("nothing", gravity=(0, 0))
    box = m.body("box", mass=3, inertia=1)
    m.prismatic("rail", m.ground.at(0, 0), box.at(0, 0)).slide.law(lw.Spring(1e4))
    quiet(lambda: m.simulate(5))


def test_few_samples_are_no_alarm():
    """At whole periods nothing seems to move: the watch takes samples of its own, and gives back those asked for."""
    m = lw.Model("oscillator", gravity=(0, 0))
    slide = m.prismatic("rail", m.ground.at(0, 0), m.body("box", mass=1, inertia=1).at(0, 0)).slide
    slide.law(lw.Spring((2 * np.pi) ** 2))
    slide.start(1.0)
    r = quiet(lambda: m.simulate(3, output=np.array([1.0, 2.0, 3.0])))
    assert np.array_equal(r.t, [1, 2, 3])
    assert np.allclose(r["rail.slide"], 1, atol=1e-6)


# wrong runs


@pytest.mark.parametrize("options", [{"rtol": 1e-2, "atol": 1e-2}, {"solver": "rk4", "step": 0.2}])
def test_too_coarse_a_run_is_told(options):
    r, finding = told(lambda: pendulum()[0].simulate(20, **options))
    assert finding.name == "energy balance" and finding.component == "pendulum"
    assert 0 < finding.time < 20 and "J at work" in finding.message
    assert imbalance(r) > 1e-3


class WrongStore(lw.Law):
    def effort(self, t, x, v):
        return -20 * x

    def potential(self, x):
        return 5 * x**2


class HiddenLoss(lw.Law):
    damping = 0.5

    def effort(self, t, x, v):
        return -self.damping * v


@pytest.mark.parametrize("law", [WrongStore, HiddenLoss])
def test_law_that_does_not_keep_its_books_is_named(law):
    m, _, pin = pendulum()
    pin.angle.law(lw.Damper(0.1))
    pin.angle.law(law())
    _, finding = told(lambda: m.simulate(3))
    assert (finding.name, finding.component) == ("energy balance", "pin.angle")
    assert finding.time < 0.5


def test_force_that_does_not_keep_its_books_is_named(monkeypatch):
    m, bar, _ = pendulum()
    m.spring("honest", m.ground.at(0, 1), bar.at(0.5, 0), stiffness=5, length=0.3)
    wrong = m.spring("wrong", m.ground.at(1, 1), bar.at(0.5, 0), stiffness=20, length=0.3)
    honest = type(wrong).potential
    monkeypatch.setattr(type(wrong), "potential", lambda s, view: honest(s, view) * (0.5 if s is wrong else 1))
    _, finding = told(lambda: m.simulate(3))
    assert (finding.name, finding.component) == ("energy balance", "wrong")


def two_masses(stiffness, stretch):
    """A slow oscillator of 2 kg on 1 N/m, whose halves vibrate against each other on a stiff spring."""
    m = lw.Model("two-masses", gravity=(0, 0))
    slides = []
    for name in ("near", "far"):
        slides.append(m.prismatic(f"rail_{name}", m.ground.at(0, 0), m.body(name, mass=1, inertia=1).at(0, 0)).slide)
    slides[0].law(lw.Spring(1.0))
    m.spring("stiff", m.components["near"].at(0, 0), m.components["far"].at(0, 0), stiffness=stiffness, length=1.0)
    slides[0].start(1.0)
    slides[1].start(2.0 + stretch)
    return m


def test_vibration_that_auto_leaves_to_radau_is_told():
    """Too many steps for an explicit method: Radau takes the undamped mode, and with it half of all energy."""
    r, finding = told(lambda: two_masses(1e8, 1e-4).simulate(100, rtol=1e-3, atol=1e-5))
    assert r.record["solver"] == "radau" and finding.name == "damping"
    assert r["energy.total"][-1] < 0.6 * r["energy.total"][0]


def test_reactions_out_of_proportion_are_told():
    """A run as it is, and the same with reactions that grow to ten million times the weight."""
    m, *_ = pendulum()
    ready, r = prepare(m, Choice()), m.simulate(2)
    data, k = r.data.copy(), list(r).index("pin.reaction.fx")
    data[:, k] = np.where(r.t > 1, 9.81e7 * r.t, data[:, k])
    grown = lw.Result(r.t, data, r.channels, description=r.description)
    given = (ready.equations, ready.program, None, ready.p, {})
    assert [*reactions(Evidence(m, *given, r, "dopri5", 1e-8, 1e-10))] == []
    (finding,) = reactions(Evidence(m, *given, grown, "dopri5", 1e-8, 1e-10))
    assert finding.component == "pin" and finding.time == pytest.approx(1, abs=0.01)


def test_vibration_that_radau_damps_away_is_told():
    """The vibration has ½ k s² = 0.005 J, of which hardly a third is left."""
    r, finding = told(lambda: two_masses(1e6, 1e-4).simulate(5, solver="radau", rtol=1e-4, atol=1e-6))
    assert finding.name == "damping" and finding.component in ("near", "far")
    assert f"{np.sqrt(2e6) / (2 * np.pi):.3g} Hz" in finding.message
    stretch = np.abs(r["rail_far.slide"] - r["rail_near.slide"] - 1)[r.t > 4]
    assert stretch.max() < 0.8e-4
    followed = two_masses(1e6, 1e-4).simulate(1, solver="dopri5", rtol=1e-8)
    assert followed.warnings == []


def test_equation_that_newton_does_not_solve_is_told():
    """ẋ + 5 ẋ³ = 1000 has ẋ = 5.8…; from ẋ = 0 Newton's steps fall by a third each."""
    m = lw.Model("cubic")
    x = m.unknown("x", order=1)
    m.equation("E", x.rate + 5 * x.rate**3 - 1000)
    _, finding = told(lambda: m.simulate(1))
    assert (finding.name, finding.component, finding.time) == ("algebraic equations", "E", 0.0)
    m = lw.Model("mild")
    x = m.unknown("x", order=1)
    m.equation("E", x.rate + 0.1 * x.rate**3 - 1)
    quiet(lambda: m.simulate(1))


# telling


def test_warnings_are_kept_in_files(tmp_path):
    m, _, pin = pendulum()
    pin.angle.law(WrongStore())
    r, finding = told(lambda: m.simulate(1))
    for suffix in (".nc", ".csv"):
        r.save(tmp_path / f"r{suffix}")
        assert lw.Result.load(tmp_path / f"r{suffix}").warnings == [finding]
    assert str(finding).startswith("pin.angle (from t =") and "warnings" in r.summary()


def test_python_warning_points_to_the_caller():
    m, _, pin = pendulum()
    pin.angle.law(WrongStore())
    with pytest.warns(lw.LinkworkWarning, match="pin.angle") as caught:
        m.simulate(1)
    assert caught[0].filename == __file__


def test_command_tells_warnings(capsys, tmp_path):
    from linkwork.cli.app import main

    file = tmp_path / "coarse.py"
    file.write_text(
        "import linkwork as lw\ndef model():\n m = lw.Model('coarse', gravity=(0, -9.81))\n"
        " b = m.body('b', mass=1, inertia=0.1)\n m.revolute('O', m.ground.at(0, 0), b.at(-0.5, 0))\n return m\n"
    )
    words = ["run", str(file), "5", "--no-plot", "--verify", "--solver", "rk4", "--step", "0.1"]
    assert main(words) == 0
    printed = capsys.readouterr()
    assert "energy balance does not close" in printed.err and "J at work" in printed.err
    assert "digits verified" in printed.out


def test_verified_digits_are_those_that_hold():
    """x = cos 3t: neither far more nor far fewer digits than the run has."""
    m = lw.Model("oscillator", gravity=(0, 0))
    slide = m.prismatic("rail", m.ground.at(0, 0), m.body("box", mass=1, inertia=1).at(0, 0)).slide
    slide.law(lw.Spring(9.0))
    slide.start(1.0)
    for rtol in (1e-4, 1e-7):
        r = m.simulate(5, rtol=rtol, atol=rtol / 100, verify=True)
        true = -np.log10(np.abs(r["rail.slide"] - np.cos(3 * r.t)).max())
        assert r.verification.digits["joint coordinates"] == pytest.approx(true, abs=0.7)
        assert r.verification.formulation == "minimal" and r.verification.rtol == rtol / 100
        assert "joint coordinates" in str(r.verification)
    assert m.simulate(1).verification is None


def test_doubtful_motion_is_told():
    m, _, pin = pendulum()
    pin.angle.start(np.pi / 2 - 1e-6)  # nearly upright: whatever errs, grows
    with pytest.warns(lw.LinkworkWarning):
        r = m.simulate(15, rtol=1e-4, atol=1e-6, verify=True)
    assert any(f.name == "verification" for f in r.warnings)
    assert r.verification.least < 3


def test_run_time_leaves_out_what_is_derived_and_compiled():
    class Made:
        derive_seconds = compile_seconds = 0.0

    program, other = Made(), Made()
    other.derive_seconds = 5.0  # spent before
    building = Building(program)

    class Ready:
        pass

    Ready.program = other
    building.timed(lambda: Ready)()
    program.derive_seconds += 2.0
    program.compile_seconds += 1.0
    other.compile_seconds += 4.0
    assert building.seconds == pytest.approx(7.0, abs=0.5)


@pytest.mark.parametrize("formulation", [*FORMULATIONS, "bondgraph-zcp", "bondgraph-minimal", "bondgraph-canonical"])
def test_relation_that_moves_with_time(formulation):
    """x − y/2 = 0.3 sin 2t between two hinges: the graph once left its rate out, and only the balance could tell."""
    m, bar, pin = pendulum()
    next_one = m.body("next", mass=1, inertia=0.1)
    hinge = m.revolute("hinge", bar.at(0.5, 0), next_one.at(-0.5, 0))
    m.relation("cam", lambda x, y: x - y / 2 - 0.3 * lw.sin(2 * m.t), pin.angle, hinge.angle)
    r = quiet(lambda: m.simulate(1, formulation=formulation, rtol=1e-10, atol=1e-12))
    assert np.abs(r["pin.angle"] - r["hinge.angle"] / 2 - 0.3 * np.sin(2 * r.t)).max() < 1e-8
    other = m.simulate(1, formulation="absolute", rtol=1e-10, atol=1e-12)
    assert np.abs(r["next.x"] - other["next.x"]).max() < 1e-7
    assert imbalance(r) < 1e-7


@pytest.mark.parametrize("length", [1e-7, 1.0, 1e7])
def test_watch_sees_alike_at_every_size(length):
    """Two bars of water, 0.1 µm to 10,000 km long: quiet where they swing freely, told where a law is wrong."""
    for wrong in (False, True):
        m = lw.Model("bars", gravity=(0, -9.81))
        mass = 1000 * length**3
        a, b = (m.body(name, mass=mass, inertia=mass * length**2 / 12) for name in "ab")
        pin = m.revolute("pin", m.ground.at(0, 0), a.at(-length / 2, 0))
        m.revolute("hinge", a.at(length / 2, 0), b.at(-length / 2, 0))
        pin.angle.start(0.3)
        if wrong:
            law = HiddenLoss()
            law.damping = 0.1 * mass * 9.81**0.5 * length**1.5
            pin.angle.law(law)
        run = lambda m=m: m.simulate(3 * np.sqrt(length))  # noqa: E731
        if wrong:
            assert told(run)[1].component == "pin.angle"
        else:
            quiet(run)


@pytest.mark.parametrize("way", ["t", "t²"])
def test_positions_that_move_by_themselves_supply_energy(way):
    """A pendulum on a lift: its pivot carries m (g + ÿ), and the balance closes in every formulation."""
    supplied = []
    for formulation in ("absolute", "minimal", "points", "bondgraph-minimal"):
        k = lw.Kinematics("lift", coordinates=1, gravity=(0, -9.81))
        height = k.t if way == "t" else k.t**2
        k.body("bob", lw.shift(0, height) @ lw.rotz(k.q[0]) @ lw.shift(0, -1), mass=2, inertia=0.1)
        k.start(0.8)
        r = quiet(lambda k=k, f=formulation: k.simulate(2, formulation=f))
        assert imbalance(r) < 1e-6
        supplied.append(r["energy.supplied"][-1])
    assert np.ptp(supplied) < 1e-5 * abs(supplied[0])


def test_rounding_is_not_verified():
    """The moment that a free pin takes is zero in both runs, up to rounding: it says nothing of the digits."""
    m = lw.Model("pendulum")
    bar = m.body("bar", mass=1, inertia=0.1)
    m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    assert m.simulate(1, verify=True).verification.least > 6
