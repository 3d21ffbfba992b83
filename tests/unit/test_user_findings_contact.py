"""What a new user of contacts, rolling and ACA's joints stumbled over."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import rolling_disc, wheelset

G = 9.81
LEGS = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


def table(aside: float = 0.0, legs=LEGS) -> lw.Model:
    """4 kg on legs with μ = 0.3, pushed along the ground by 12 N/s."""
    m = lw.Model("table", gravity=(0, 0, -G))
    top = m.box("top", (1, 1, 0.1), mass=4).start(position=(0, 0, 0.5), velocity=(0, 0, 0), spin=(0, 0, 0))
    for k, (x, y) in enumerate(legs):
        m.rigid_contact(f"leg{k}", top.at(x, y, -0.5), friction=0.3)
    m.force("push", top.at(0, aside, -0.5), lambda t: (12 * t, 0, 0))
    return m


@pytest.mark.parametrize("legs", [LEGS, (*LEGS[:2], (0, 0.5))])
def test_all_legs_of_a_table_slip_at_once(legs):
    r = table(legs=legs).simulate(1.2)
    start = 0.3 * G * 4 / 12
    assert [name for _, name in r.events] == [f"leg{k} slips" for k in range(len(legs))]
    assert [t for t, _ in r.events] == pytest.approx([start] * len(legs), abs=1e-8)
    assert r["top.x"][-1] == pytest.approx((1.2 - start) ** 3 / 2, rel=1e-5)


def test_a_table_pushed_aside_turns_and_does_not_stick_again():
    """No load beyond the limit of all legs can stick. Friction that turns with a tiny slip is stiff, which is seen."""
    r = table(aside=0.1).simulate(1.1)
    assert "radau" in r.record["solver"] and r.record["statistics"]["accepted"] < 40_000
    assert r["leg0.mode"][-1] == r["leg2.mode"][-1] == 2
    assert abs(r["top.vx"][r.t < 0.96]).max() < 1e-12
    assert r["top.vx"][-1] > 0.01 and r["top.wz"][-1] < -0.005
    assert np.ptp(r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]) < 1e-7


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "radau"])
def test_energy_of_a_bounce_does_not_depend_on_where_steps_meet_the_floor(solver):
    m = lw.Model("ball")
    ball = m.body("ball", mass=2, inertia=0.008).start(position=(0, 1.1), angle=0)
    m.contact("floor", ball, radius=0.1, stiffness=1e6)
    for step in (0.03, 0.011, 0.003):
        r = m.simulate(1.2, rtol=1e-10, atol=1e-12, max_step=step, solver=solver)
        assert np.ptp(r["energy.total"]) < 7e-7, step


def ball_on_a_floor(component: str, **symbols) -> lw.Model:
    m = lw.Model("m")
    ball = m.body("ball", mass=1, inertia=0.1).start(position=(0, 0.5))
    options = {name: m.parameter(name, value) for name, value in symbols.items()}
    getattr(m, component)("floor", ball, **options)
    return m


@pytest.mark.parametrize(
    ("component", "name", "good", "bad"),
    [
        ("contact", "radius", 0.1, -0.1),
        ("contact", "stiffness", 1e5, -1.0),
        ("contact", "friction", 0.3, -0.3),
        ("contact", "creep", 1e-3, 0.0),
        ("rigid_contact", "radius", 0.1, -0.1),
        ("rigid_contact", "restitution", 0.5, 1.5),
        ("rigid_contact", "friction", 0.5, -1.0),
        ("rolling", "radius", 0.1, -0.1),
        ("rolling", "radius", 0.1, 0.0),
        ("tyre", "radius", 0.1, -0.1),
        ("tyre", "cornering", 1e3, -1e3),
    ],
)
def test_values_of_parameters_are_checked_as_numbers_are(component, name, good, bad):
    needed = {"radius": 0.1} if component == "tyre" else {}
    m = ball_on_a_floor(component, **needed | {name: good})
    m.assemble(parameters={name: good})
    with pytest.raises(lw.ModelError, match=rf"floor: {name} {bad}"):
        m.simulate(0.1, parameters={name: bad})


def test_sticking_friction_given_by_parameters_holds_at_least_as_sliding_one():
    m = ball_on_a_floor("rigid_contact", friction=0.2, static=0.3)
    with pytest.raises(lw.ModelError, match="static − friction"):
        m.simulate(0.1, parameters={"static": 0.1})


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda f: f.v[0] ** 2, "is not linear in speeds"),
        (lambda f: f.p[0], "does not depend on speeds"),
        (lambda f: None, "gives None"),
        (lambda f: "x", "gives 'x'"),
        (lambda f: f.v[0] - math.sin(f.p[0]), "gives nan"),
    ],
)
@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points"])
def test_conditions_on_speeds_that_are_none(formulation, function, words):
    m = lw.Model("m")
    m.speed_condition("s", function, m.body("b", mass=1, inertia=1))
    with pytest.raises(lw.ModelError, match=rf"s: .*{words}"):
        m.simulate(0.1, formulation=formulation)


@pytest.mark.parametrize("component", ["contact", "rigid_contact", "tyre"])
@pytest.mark.parametrize("height", [lambda x: math.sin(x), lambda x: None, lambda x: lw.SX.zeros(2)])
def test_heights_that_are_none(component, height):
    """math.sin of a symbol is nan: nothing would ever touch such ground."""
    m = lw.Model("m")
    getattr(m, component)("c", m.body("b", mass=1, inertia=1), radius=0.1, height=height)
    with pytest.raises(lw.ModelError, match="c: height gives"):
        m.simulate(0.1)


@pytest.mark.parametrize("size", [1, (1,), (), "ab", None])
def test_a_box_has_two_or_three_sides(size):
    with pytest.raises(lw.ModelError, match=r"lw.outlines.Box: size"):
        lw.outlines.Box(size)


def test_messages_name_what_is_wrong():
    m = lw.Model("m", gravity=(0, 0, -G))
    arm = m.rod("arm", length=1.0, mass=1.0).start(position=(0.5, 0, 0))
    n = m.parameter("n", 1.5)
    with pytest.raises(lw.ModelError, match="c: exponent"):
        m.contact("c", arm, exponent=n)
    with pytest.raises(lw.ModelError, match="j: 3 is no law"):
        m.axial_joint("j", m.ground, arm, translation=3, rotation=lw.Free())
    with pytest.raises(lw.ModelError, match="t: height 0.1 is no function"):
        m.tyre("t", arm, radius=0.1, height=0.1)
    pin = m.fixed_ideal("pin", m.ground, arm, point=(0, 0, 0), axis=(0, 1, 0))
    with pytest.raises(lw.LinkworkError, match="pin: 3 is no result"):
        pin.kinematic_port("A", 3)


def test_check_knows_what_stands_on_the_ground():
    assert not any("freely" in text or "float" in text for _, _, text in rolling_disc.model().check().lines)
    assert not any("freely" in text or "float" in text for _, _, text in wheelset.model().check().lines)


def test_check_finds_contacts_that_start_inside():
    m = lw.Model("m")
    ball = m.body("ball", mass=1, inertia=1)
    m.rigid_contact("floor", ball, radius=0.1)
    report = m.check()
    assert not report.ok and ("error", "floor") in [line[:2] for line in report.lines]
    ball.start(position=(0, 0.1))
    assert m.check().ok and "touching at the start: 1" in str(m.check())


def test_comparing_leaves_out_the_shares_of_redundant_wheels():
    """What holds a wheel along its axle is a servo; two wheels on one axle share it as they like."""
    compared = wheelset.model(compliant=False).compare(["absolute", "minimal"], 0.2)
    assert "left.slide.effort" not in compared.deviations["absolute"]
    with pytest.raises(lw.LinkworkError, match="not unique"):
        compared.deviation("left.slide.effort")


@pytest.mark.parametrize("lean", [0.5, 1.0])
def test_a_sharp_rim_that_leans_on_a_slope_touches_where_it_should(lean):
    """Its nearest point is beside its lowest one: their heights above the ground may have different signs."""
    m = lw.Model("wheel", gravity=(0, 0, -G))
    wheel = m.body("wheel", mass=1, inertia=(0.01, 0.01, 0.02))
    m.rigid_contact("road", wheel, shape=lw.outlines.Wheel(0.2), height=lambda x, y: 0.3 * x + 0.1 * lw.sin(2 * y))
    foot, normal = np.array([0.1, 0.2, 0.03 + 0.1 * np.sin(0.4)]), np.array([-0.3, -0.2 * np.cos(0.4), 1.0])
    normal /= np.linalg.norm(normal)
    half = (np.pi / 2 - lean) / 2
    axle = np.array([0, -np.sin(2 * half), np.cos(2 * half)])
    up = normal - normal @ axle * axle
    for off in (-1e-7, 1e-7, 1e-4):
        centre = foot + 0.2 * up / np.linalg.norm(up) + off * normal
        wheel.start(position=tuple(centre), rotation=(np.cos(half), np.sin(half), 0, 0))
        assert m.evaluate()["road.gap"][0] == pytest.approx(off, abs=1e-9 + off * off)


def test_a_wheel_tumbles_on_hills_and_not_through_them():
    m = lw.Model("wheel", gravity=(0.5, 0, -G))
    wheel = m.body("wheel", mass=1, inertia=(0.01, 0.01, 0.02))
    hills = lambda x, y: 0.05 * lw.sin(2 * x) * lw.cos(y)  # noqa: E731
    m.rigid_contact("road", wheel, shape=lw.outlines.Wheel(0.2), restitution=0.3, friction=0.5, height=hills)
    wheel.start(position=(0, 0, 0.6), rotation=(0.9, -0.4, 0.2, 0), velocity=(1, 0, 0), spin=(1, 2, 0))
    r = m.simulate(0.6)
    assert len(r.events) > 3
    assert r["road.gap"].min() > -1e-8
    assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 1e-6


def test_a_rebound_lower_than_rounding_ends_on_the_ground():
    """A tumbling hull: corners that hardly leave are found again where they should be at their highest."""
    rng = np.random.default_rng(19)
    gravity = (rng.normal(), 0, -G)
    rng.integers(0, 4)
    size = tuple(0.2 + 0.2 * rng.random(3))
    m = lw.Model("hull", gravity=gravity)
    body = m.box("body", size, mass=1)
    hull = lw.outlines.Convex(rng.normal(size=(5, 3)) * 0.15)
    turned, velocity, spin = rng.normal(size=4), tuple(rng.normal(size=3)), tuple(2 * rng.normal(size=3))
    body.start(position=(0, 0, 0.6), rotation=tuple(turned / np.linalg.norm(turned)), velocity=velocity, spin=spin)
    friction, _ = rng.random(), rng.random()
    m.rigid_contact("road", body, shape=hull, restitution=rng.random() * 0.6, friction=friction)
    r = m.simulate(0.45)
    assert min(r[name].min() for name in r.names("road.*.gap")) > -1e-8
