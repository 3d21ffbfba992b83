"""Compliant contact: rest, bounces, sliding, rolling and uneven ground against what mechanics says."""

import numpy as np
import pytest

import linkwork as lw


def ball(gravity=(0, 0, -9.81), **options) -> tuple[lw.Model, object]:
    m = lw.Model("ball", gravity=gravity)
    inertia = 0.4 * 2 * 0.01 if m.is_planar else (0.4 * 2 * 0.01,) * 3
    body = m.body("ball", mass=2, inertia=inertia)
    m.contact("floor", body, radius=0.1, **options)
    return m, body


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph"])
def test_ball_comes_to_rest_where_it_should(formulation):
    m, body = ball(stiffness=1e5, dissipation=5.0)
    body.start(position=(0, 0, 0.15))
    r = m.simulate(3, formulation=formulation)
    assert r["floor.penetration"][-1] == pytest.approx((2 * 9.81 / 1e5) ** (2 / 3), rel=1e-3)
    assert r["floor.force"][-1] == pytest.approx(2 * 9.81, rel=1e-2)
    assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 1e-6


def test_elastic_bounces_keep_their_energy_and_height():
    m, body = ball(gravity=(0, -9.81), stiffness=1e6)
    body.start(position=(0, 1.1), angle=0)
    r = m.simulate(3, rtol=1e-10, atol=1e-12, output=1e-3)
    assert np.ptp(r["energy.total"]) < 1e-6
    peaks = r["ball.y"][1:-1][(r["ball.y"][1:-1] > r["ball.y"][:-2]) & (r["ball.y"][1:-1] > r["ball.y"][2:])]
    assert len(peaks) >= 2 and peaks == pytest.approx(1.1, abs=1e-5)
    assert len([t for t, name in r.events if name == "floor.switch"]) >= 4


def test_block_slides_to_a_stop_after_v_squared_by_two_mu_g():
    """Four points under a block would do the same; one is enough where it cannot turn."""
    m = lw.Model("block", gravity=(0, -9.81))
    block = m.body("block", mass=2, inertia=1).start(position=(0, 0), angle=0)
    m.planar("guide", m.ground, block).angle.law(lw.Motion(0.0))
    m.contact("floor", block, stiffness=1e6, exponent=1.0, dissipation=10.0, friction=0.3, creep=1e-4)
    depth = 2 * 9.81 / 1e6
    block.start(position=(0, -depth), velocity=(1.5, 0))
    r = m.simulate(1.5, rtol=1e-9)
    assert r["block.x"][-1] == pytest.approx(1.5**2 / (2 * 0.3 * 9.81), abs=2e-4)
    assert abs(r["block.vx"][-1]) < 1e-4


def test_sliding_ball_ends_up_rolling_with_five_sevenths_of_its_speed():
    m, body = ball(stiffness=1e6, dissipation=10.0, friction=0.2, creep=1e-4)
    depth = (2 * 9.81 / 1e6) ** (2 / 3)
    body.start(position=(0, 0, 0.1 - depth), velocity=(2.0, 0, 0), spin=(0, 0, 0))
    r = m.simulate(1.5, rtol=1e-8)
    assert r["ball.vx"][-1] == pytest.approx(5 / 7 * 2.0, rel=2e-3)
    assert r["floor.slip"][-1] < 1e-3


@pytest.mark.parametrize("formulation", ["absolute", "bondgraph-zcp"])
def test_frictionless_ball_on_uneven_ground_keeps_its_energy(formulation):
    m, body = ball(height=lambda x, y: 0.05 * lw.sin(2 * x) * lw.cos(1.5 * y), stiffness=1e6)
    body.start(position=(0.2, 0.1, 0.15), velocity=(0.8, 0.5, 0))
    r = m.simulate(2, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert np.ptp(r["energy.total"]) < 1e-6
    assert r["floor.force"].max() > 2 * 9.81  # it touched


def test_what_is_pushed_pushes_back():
    """A ball on a sliding plate: momentum along x is kept."""
    m = lw.Model("plate", gravity=(0, -9.81))
    plate = m.body("plate", mass=5, inertia=1).start(position=(0, 0), angle=0)
    m.prismatic("slide", m.ground, plate.at())
    body = m.body("ball", mass=2, inertia=0.008)
    m.contact("touch", body, plate, radius=0.1, stiffness=1e5, dissipation=5.0, friction=0.3)
    body.start(position=(0, 0.12), angle=0, velocity=(1.0, 0))
    r = m.simulate(1)
    assert np.ptp(2 * r["ball.vx"] + 5 * r["plate.vx"]) < 1e-7
    assert r["plate.vx"][-1] > 0.05


def test_bad_input_names_the_contact():
    m, body = ball()
    for word, value in (("stiffness", -1), ("friction", -0.1), ("exponent", 0.5)):
        with pytest.raises(lw.LinkworkError, match=word):
            m.contact("bad", body, **{word: value})
    with pytest.raises(lw.LinkworkError, match="own body"):
        m.contact("bad", body, body)
