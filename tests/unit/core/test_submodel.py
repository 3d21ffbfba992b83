"""Submodels: the same mechanism as one written out flat, in every formulation, with names of its own."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import vehicle
from linkwork.formulations import formulations


def arm(s, length=0.6, mass=2.0):
    """A link that hangs on `s.at`; a damper in its pin."""
    link = s.body("link", mass=mass, inertia=mass * length**2 / 12)
    pin = s.revolute("pin", s.at, link.at(-length / 2, 0))
    pin.angle.law(lw.Damper(s.parameter("drag", 0.2)))
    return {"tip": link.at(length / 2, 0)}


class Chain(lw.Submodel):
    """Two arms, one on the other, and a spring from the tip to the ground."""

    second = staticmethod(arm)

    def build(self, length=0.6):
        self.upper = self.insert(arm, "upper", length=length)
        lower = self.insert(self.second, "lower", at=self.upper.tip, length=length / 2)
        self.spring("cord", lower.tip, self.ground.at(1, 0), stiffness=30, length=0.1)


class Heavy(Chain):
    """The same with another lower arm."""

    @staticmethod
    def second(s, length):
        return arm(s, length, mass=5.0)


def nested() -> lw.Model:
    m = lw.Model("nested")
    m.insert(Chain, "left", at=m.ground.at(-1, 0))
    m.insert(Heavy, "right", at=m.ground.at(1, 0.5), length=0.8)
    return m


def flat() -> lw.Model:
    m = lw.Model("flat")
    for side, x, y, length, mass in (("left", -1, 0, 0.6, 2.0), ("right", 1, 0.5, 0.8, 5.0)):
        frame = m.ground.at(x, y)
        for part, size, weight in (("upper", length, 2.0), ("lower", length / 2, mass)):
            link = m.body(f"{side}-{part}-link", mass=weight, inertia=weight * size**2 / 12)
            pin = m.revolute(f"{side}-{part}-pin", frame, link.at(-size / 2, 0))
            pin.angle.law(lw.Damper(m.parameter(f"{side}-{part}-drag", 0.2)))
            frame = link.at(size / 2, 0)
        m.spring(f"{side}-cord", frame, m.ground.at(1, 0), stiffness=30, length=0.1)
    return m


@pytest.mark.parametrize("formulation", formulations)
def test_the_same_as_written_out_flat(formulation):
    options = {"formulation": formulation, "output": 0.1}
    a = nested().simulate(0.3, parameters={"right.lower.drag": 0.5}, **options)
    b = flat().simulate(0.3, parameters={"right-lower-drag": 0.5}, **options)
    for name in ("left-upper-pin.angle", "right-lower-pin.angle", "right-lower-pin.reaction.fx", "left-lower-link.vy"):
        np.testing.assert_allclose(a[name.replace("-", ".")], b[name], rtol=0, atol=1e-9 * np.abs(b[name]).max())


def test_names_reach_every_verb(tmp_path):
    m = nested()
    assert "right.lower.pin.angle" in m.simulate(0.01) and m.check().ok
    assert "θ_right_lower_pin" in m.equations(formulation="minimal").text()
    scope: dict = {}
    exec(m.equations(formulation="minimal").python(), scope)
    assert "right.lower.drag" in scope["PARAMETERS"]
    assert max(m.compare(["absolute", "minimal"], 0.1).deviation("right.lower.pin.angle").values()) < 1e-7
    assert "left.upper.pin.angle" in str(m.equilibrium())
    assert m.bondgraph()["left.upper.link-translation"] is not None
    m.simulate(0.1).save(tmp_path / "r.nc")
    assert "right.lower.pin.reaction.fx" in lw.Result.load(tmp_path / "r.nc")


def test_parts_are_found_by_their_names():
    m = nested()
    left = m["left"]
    assert left.upper.pin is m["left.upper.pin"] and left["upper"] is left.upper
    assert left.upper.tip.body is left.upper.link
    assert repr(left.upper) == "<Submodel left.upper: link, pin, tip>"
    left.body("late", mass=1, inertia=1)
    assert m["left.late"].name == "left.late"


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_have_parts_of_their_own(twin):
    m = nested()
    other = twin(m)
    other["left"].upper.link.mass = 20.0
    assert m["left"].upper.link.mass == 2.0 and other["left.upper.link"].mass == 20.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda m: m.insert(Chain, "x", width=3), "x: .*width.* takes length=0.6"),
        (lambda m: m.insert(Chain, "left"), "left: the name is taken"),
        (lambda m: m.insert(Chain, "a.b"), "cannot be a name"),
        (lambda m: m.insert(3, "x"), "x: 3 is not a submodel"),
        (lambda m: m.insert(lambda: None, "x"), "x: .* takes no argument"),
        (lambda m: m.insert(lambda s: 3, "x"), "x: its function returns 3"),
        (lambda m: m.insert(arm, "x", at=(0, 0)), "x: at=.* is not a frame"),
        (lambda m: m.insert(arm, "x", at=nested().ground.at(0, 0)), "x: at=.* is not a frame"),
        (lambda m: m["left"].lowre, "left: there is no part named 'lowre'. Did you mean 'lower'"),
        (lambda m: m["left"]["lowre"], "left: there is no part named 'lowre'"),
    ],
)
def test_misuse_is_named(given, said):
    with pytest.raises((lw.LinkworkError, AttributeError), match=said):
        given(nested())


def test_one_that_fails_leaves_nothing_behind():
    def half(s):
        s.parameter("k", 1.0)
        s.body("a", mass=1, inertia=1)
        s.insert(arm, "in")
        s.body("a", mass=1, inertia=1)

    m = nested()
    before = list(m.components), list(m.parameters), list(m.submodels)
    with pytest.raises(lw.ModelError, match="x.a: the name is taken"):
        m.insert(half, "x")
    assert (list(m.components), list(m.parameters), list(m.submodels)) == before


def test_components_with_ports_connect_inside():
    def circuit(s, resistance):
        source, r = s.voltage_source("u", 10.0), s.resistor("r", resistance=resistance)
        earth = s.earth("earth")
        s.connect(source.p, r.p)
        s.connect(source.n, r.n, earth)

    m = lw.Model("two circuits")
    m.insert(circuit, "a", resistance=5.0)
    m.insert(circuit, "b", resistance=2.0)
    r = m.simulate(0.1)
    assert abs(r["a.r.p.i"][-1]) == pytest.approx(2.0) and abs(r["b.r.p.i"][-1]) == pytest.approx(5.0)


def test_the_vehicle_changes_lanes():
    r = vehicle.model().simulate(6, output=0.05)
    loads = sum(r[f"{end}.{side}.tyre.load"] for end in ("front", "rear") for side in ("left", "right"))
    weight = (1200 + 8 * 20) * 9.81
    assert abs(loads.mean() / weight - 1) < 1e-3
    assert r["chassis.y"].max() > 0.1 and abs(r["chassis.wz"][-1]) < 1e-4
