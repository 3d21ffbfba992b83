"""Arguments are read by kind: what is wrong is told by name, what is only unusual is taken, nothing goes stale."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.core import registry, words

from ..arm_and_shaper import arm, shaper


def pendulum(**bar) -> lw.Model:
    m = lw.Model("m", gravity=(0, -9.81))
    b = m.body("b", **({"mass": 1.0, "inertia": 0.1} | bar))
    m.revolute("pin", m.ground.at(), b.at(-0.5, 0))
    return m


def with_law(law: lw.Law) -> lw.Model:
    m = pendulum()
    m["pin"].angle.law(law)
    return m


def with_event(function) -> lw.Model:
    m = pendulum()
    m.event("e", function, m["pin"].angle)
    return m


def with_spring(**options) -> lw.Model:
    m = pendulum()
    m.spring("s", m.ground.at(1, 0), m["b"], **({"stiffness": 10.0, "length": 0.1} | options))
    return m


def with_input(signal) -> lw.Result:
    m = pendulum()
    m["pin"].angle.law(lw.Effort(m.input("F")))
    return m.simulate(0.1, output=0.1, inputs={"F": signal})


class NoEffort(lw.Law):
    pass


class Pair(lw.Law):
    def effort(self, t, x, v):
        return x, v


class NoLoads(lw.Force):
    pass


class OneLoad(lw.Force):
    def loads(self, view):
        return 3.0


class NoClosure(lw.Joint):
    free = plane = ("angle",)


REFUSED = {
    "event of two": (lambda: with_event(lambda x: ca.vertcat(x, x)).check(), r"^e: .*2 values"),
    "event of a comparison": (lambda: with_event(lambda x: x > 0.1).check(), r"^e: .*truth value.*x - 0\.1"),
    "event of True": (lambda: with_event(lambda x: True).check(), r"^e: .*truth value"),
    "event of a constant": (lambda: with_event(lambda x: 1.0).check(), r"^e: .*never crosses zero"),
    "law without effort": (lambda: with_law(NoEffort()), r"^pin\.angle: the law NoEffort has no effort"),
    "effort of two": (lambda: with_law(Pair()).check(), r"^pin\.angle: its effort gives .*one number"),
    "Effort that gives a tuple": (lambda: with_law(lw.Effort(lambda t: (1, 2))).check(), r"^pin\.angle: .*\(1, 2\)"),
    "numbers for one": (lambda: with_spring(damping=[1, 2, 3]), r"^s: damping \[1, 2, 3\]\. Give"),
    "negative stiffness": (lambda: with_spring(stiffness=-1), r"^s: stiffness -1\. .*lw\.signed"),
    "negative damping": (lambda: lw.Damper(-1), r"^Damper: damping -1\. .*lw\.signed"),
    "negative friction": (lambda: lw.Friction(-1), r"^Friction: coulomb -1"),
    "negative length": (lambda: with_spring(length=-1), r"^s: length -1"),
    "changed to no number": (lambda: setattr(with_spring()["s"], "stiffness", "stiff"), r"^s: stiffness 'stiff'"),
    "changed to a negative mass": (lambda: setattr(pendulum()["b"], "mass", -1), r"^b: mass -1 kg is negative"),
    "changed to two inertias": (lambda: setattr(pendulum()["b"], "inertia", (1, 2)), r"^b: a planar body has one"),
    "degrees": (lambda: pendulum()["b"].at(0, 0, rotation=90), r"^b: rotation 90 rad .*90 \* lw\.deg"),
    "start in degrees": (lambda: pendulum()["b"].start(angle=45), r"^b: angle 45 rad .*45 \* lw\.deg"),
    "a name for a place": (lambda: pendulum()["b"].at("tip"), r"^b: a frame at 'tip'"),
    "element in a graph that only shows a model": (
        lambda: pendulum().bondgraph(bonds="scalar").R("r", 1.0),
        r"^m: was read from a mechanism and is not a model itself",
    ),
    "truth value as mass": (lambda: pendulum(mass=True), r"^b: mass True kg"),
    "nothing as inertia": (lambda: pendulum(inertia=None), r"^b: inertia None"),
    "a huge integer": (lambda: pendulum(mass=10**400), r"^b: mass an integer of 401 digits kg"),
    "force without loads": (lambda: pendulum().add(NoLoads("f")), r"^f: it has no `loads`"),
    "loads that are none": (lambda: (m := pendulum()).add(OneLoad("f")) and m.check(), r"^f: its loads gives 3\.0"),
    "joint without methods": (
        lambda: (m := pendulum()).add(NoClosure("j", m.ground.at(), m["b"].at())),
        r"^j: it has no `closure`",
    ),
    "no component": (lambda: pendulum().add(3), r"^m: 3 is not a component"),
    "gravity by hand": (lambda: setattr(pendulum(), "gravity", (0, "down")), r"^m: gravity is \(0, 'down'\)"),
    "input of arrays": (lambda: with_input(lambda t: np.ones(3)), r"^F: its function gives array.* t = 0 s"),
    "input of nothing": (lambda: with_input(lambda t: None), r"^F: its function gives None"),
    "relation of a constant": (
        lambda: (m := pendulum()).relation("R", lambda a: 0, m["pin"].angle) and m.check(),
        r"^R: its equation gives 0 whatever",
    ),
    "channel that is not a number": (
        lambda: (m := pendulum()).sensor("s", lw.sqrt(m.t - 1)) and m.simulate(0.1, formulation="acausal"),
        r"nan",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    make, text = REFUSED[case]
    with pytest.raises(lw.LinkworkError, match=text) as caught:
        make()
    assert caught.value.remedy


def test_symbols_have_no_number():
    k = pendulum().parameter("k", 2.0)
    with pytest.raises(TypeError, match="k is not a number.*lw.if_else"):
        float(k)
    with pytest.raises(TypeError, match="neither true nor false.*lw.if_else"):
        _ = 1 if k > 1 else 0
    with pytest.raises(TypeError, match="k is not a number"):
        math.sin(k)
    assert ca.is_equal(lw.if_else(k > 1, k, 0), ca.if_else(ca.SX(k) > 1, ca.SX(k), 0), 5)


def test_what_has_a_meaning_is_taken():
    m = pendulum(mass=np.float32(1), inertia=np.array(0.1))
    same = pendulum(mass=Fraction(1), inertia=np.float64(0.1))
    assert m["b"].mass == same["b"].mass == 1
    assert ca.is_equal(m["b"].at((0.25, 0.5)).pose.p, m["b"].at(0.25, 0.5).pose.p, 5)
    assert ca.is_equal(m["b"].at(np.array([0.25, 0.5])).pose.p, m["b"].at(0.25, 0.5).pose.p, 5)
    turned = m["b"].at(0, 0, rotation=90 * lw.deg).pose.R
    assert np.array(ca.DM(turned)) == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-15)


def test_starts_of_blocks_and_variables_may_be_any_numbers():
    class Decay(lw.PortComponent):
        def __init__(self, name):
            super().__init__(name)
            self.x = self.variable("x", Fraction(1, 4))

        def equations(self):
            return [self.der(self.x) + self.x]

    m = pendulum()
    m.integrator("i", 2.0, start=Fraction(1, 2))
    m.add(Decay("p"))
    r = m.simulate(1, output=1)
    assert r["i.y.value"].tolist() == pytest.approx([0.5, 2.5]) and r["p.x"][0] == 0.25
    assert -1 in m.linearize().eigenvalues


def test_progress_in_the_terminal(capfd):
    pendulum().simulate(0.1, output=0.1, progress=True)
    assert "100%" in capfd.readouterr().err


def test_negative_on_purpose():
    """A body on a spring of stiffness −k: x = x₀ cosh(√(k/m) t)."""
    m = lw.Model("m", gravity=(0, 0))
    rail = m.prismatic("rail", m.ground.at(), m.body("b", mass=2.0, inertia=1.0).at())
    rail.slide.law(lw.Spring(lw.signed(-8.0))).start(0.1)
    r = m.simulate(1.0, output=0.5, rtol=1e-10)
    assert r["rail.slide"] == pytest.approx(0.1 * np.cosh(2.0 * r.t), rel=1e-7)


def test_own_force_of_two_components():
    """A constant force F along x on a body of mass m, given by two numbers: x = F t²/2m."""

    class Push(lw.Force):
        def __init__(self, name, at):
            super().__init__(name)
            self.at = at

        def loads(self, view):
            return [lw.Load(self.at, (3.0, 0.0), 0.0)]

    m = lw.Model("m", gravity=(0, 0))
    b = m.body("b", mass=2.0, inertia=1.0)
    m.add(Push("p", b.at()))
    r = m.simulate(1.0, output=0.5)
    assert r["b.x"] == pytest.approx(3.0 * r.t**2 / 4, abs=1e-9)


def test_gravity_may_follow_time():
    """g = −6 t on a free body: y = −t³."""
    m = lw.Model("m")
    m.body("b", mass=1.0, inertia=1.0)
    m.gravity = (0, -6 * m.t)
    r = m.simulate(1.0, output=0.5)
    assert r["b.y"] == pytest.approx(-(r.t**3), abs=1e-8)


@pytest.mark.parametrize("given", [([0, 1], [0, 1]), [[0, 1], [0, 1]], np.array([[0.0, 1.0], [0.0, 1.0]])])
def test_times_and_values_as_lists(given):
    assert with_input(given).final["pin.angle"] == pytest.approx(with_input(lambda t: t).final["pin.angle"], rel=1e-6)


def test_nothing_that_was_given_goes_stale():
    moments, push = np.eye(3), [0.0, 1.0]
    space = lw.Model("s", gravity=(0, 0, 0))
    body = space.body("b", mass=1.0, inertia=moments)
    moments[0, 0] = 7.0
    assert body.inertia[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 7.0
    m = pendulum()
    force = m.force("F", m["b"], push)
    push[1] = 5.0
    assert force.vector == (0.0, 1.0)
    m["pin"].angle.law(lw.Spring(1.0))
    with pytest.raises(AttributeError):
        m["pin"].angle.laws.clear()
    table = lw.Table([0, 1], [0, 1])
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 3.0


def test_start_in_degrees_is_told():
    with pytest.warns(lw.LinkworkWarning, match=r"pin\.angle starts at 90 rad; .*90 \* lw\.deg"):
        pendulum()["pin"].angle.start(90)


def test_words_of_own_components_are_their_own():
    class Odd(lw.Force):
        def __init__(self, name, stiffness):
            super().__init__(name)
            self.stiffness = stiffness

        def loads(self, view):
            return []

    assert Odd("odd", stiffness=[1, "soft"]).stiffness == [1, "soft"]


def test_every_word_is_used():
    """A kind for a word that no verb has would guard nothing; components declare their own."""
    import inspect

    asked = {p for verb in registry.verbs.values() for p in inspect.signature(verb).parameters}
    assert set(words.VERB) <= asked


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
        (lambda m: m.linearize(m.simulate(0.1)), "type Result is not an operating point"),
        (lambda m: m.root_locus("h", "abc"), "are not values"),
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
