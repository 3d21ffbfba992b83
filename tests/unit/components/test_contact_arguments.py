"""Contacts, rolling and tyres: what numbers, functions and shapes they take, and what is told of others."""

import math

import pytest

import linkwork as lw

G = 9.81


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
    with pytest.raises(lw.ModelError, match="j: 3 is not a law"):
        m.axial_joint("j", m.ground, arm, translation=3, rotation=lw.Free())
    with pytest.raises(lw.ModelError, match="t: height 0.1 is not a function"):
        m.tyre("t", arm, radius=0.1, height=0.1)
    pin = m.fixed_ideal("pin", m.ground, arm, point=(0, 0, 0), axis=(0, 1, 0))
    with pytest.raises(lw.LinkworkError, match="pin: 3 is not a result"):
        pin.kinematic_port("A", 3)
