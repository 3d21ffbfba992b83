"""Rigid bodies that are dropped on each other come to rest: chains of impacts end, where statics and MuJoCo say."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.components.bodies import Body
from linkwork.components.contacts.outlines import Ball, Box

pytestmark = pytest.mark.ci

G, SIDE = 9.81, 0.1


def tower(count: int, planar: bool = True) -> lw.Model:
    """Boxes of 1 kg over each other; restitution e and friction mu are parameters."""
    m = lw.Model("tower", gravity=(0, -G) if planar else (0, 0, -G))
    laws = {"restitution": m.parameter("e", 0.0), "friction": m.parameter("mu", 0.5)}
    box = Box((SIDE,) * (2 if planar else 3))
    inertia = SIDE**2 / 6
    bodies = [m.body(f"b{k}", mass=1.0, inertia=inertia if planar else (inertia,) * 3) for k in range(count)]
    m.rigid_contact("c0", bodies[0], shape=box, **laws)
    for k in range(1, count):
        m.rigid_contact(f"c{k}", bodies[k], bodies[k - 1], shape=box, other=box, **laws)
    return m


def drop(m: lw.Model, e: float, mu: float, seed: int, tilt: float = 0.0, seconds: float = 2.0) -> lw.Result:
    """With gaps and offsets of up to 5 mm, and turned by up to `tilt`."""
    rng, height = np.random.default_rng(seed), 0.0
    for body in m.of_type(Body):
        height += 0.005 * rng.uniform(0.2, 1) + tilt * SIDE
        aside, turn = 0.005 * rng.uniform(-1, 1, 2), tilt * rng.uniform(-1, 1, 3)
        if m.is_planar:
            body.start(position=(aside[0], height + SIDE / 2), angle=turn[0])
        else:
            x, y, z, w = Rotation.from_rotvec(turn).as_quat()
            body.start(position=(*aside, height + SIDE / 2), quaternion=(w, x, y, z))
        height += SIDE
    return m.simulate(seconds, parameters={"e": e, "mu": mu}, output=0.02)


def check_rest(r: lw.Result, count: int, up: str) -> None:
    """At rest on each other, loads as statics has them; energy never rose and is all accounted for; none inside."""
    for k in range(count):
        assert r.final[f"b{k}.{up}"] == pytest.approx(SIDE * (k + 0.5), abs=1e-8)
        assert sum(r.final[n] for n in r.names(f"c{k}.*.normal")) == pytest.approx(G * (count - k), rel=1e-6)
    check_motion(r)
    assert r.final["energy.kinetic"] < 1e-18


def check_motion(r: lw.Result) -> None:
    total = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert np.ptp(total) < 1e-6 * max(total[0], 1.0)
    assert np.diff(r["energy.dissipated"]).min() > -1e-10
    assert min(r[n].min() for n in r.names("*.gap")) > -1e-8


def test_three_boxes_that_are_dropped_come_to_rest():
    m = tower(3)
    for e, mu in ((0.0, 0.3), (0.3, 0.8)):
        r = drop(m, e, mu, seed=1, seconds=0.5)
        check_rest(r, 3, "y")
        assert len(r.events) < 1500 and r.record["statistics"]["accepted"] < 2000


def test_a_row_of_balls_that_touch_takes_a_plastic_shock_at_once():
    """Nothing springs back, so all are solved together: one sixth of the speed for each of six."""
    m = lw.Model("row", gravity=(0, 0))
    balls = [m.body(f"b{k}", mass=1.0, inertia=0.004).start(position=(0.2 * k, 0)) for k in range(6)]
    balls[0].start(position=(-0.3, 0), velocity=(3.0, 0))
    for k in range(5):
        m.rigid_contact(f"c{k}", balls[k + 1], balls[k], shape=Ball(0.1), other=Ball(0.1))
    r = m.simulate(0.2)
    assert [r.final[f"b{k}.vx"] for k in range(6)] == pytest.approx([0.5] * 6, abs=1e-12)
    assert [name for _, name in r.events] == [f"c{k} hits" for k in range(5)]
    assert r.final["energy.dissipated"] == pytest.approx(4.5 * 5 / 6, rel=1e-12)


def test_a_ball_between_two_walls_slows_down_by_the_series():
    """Without gravity: each crossing takes 1/e times the one before."""
    e, way = 0.7, 0.8
    m = lw.Model("walls", gravity=(0, 0))
    ball = m.body("ball", mass=1.0, inertia=0.004).start(position=(0, 0), velocity=(2.0, 0), angle=0)
    m.rigid_contact("right", ball, m.ground.at(way / 2 + 0.1, 0, rotation=np.pi / 2), radius=0.1, restitution=e)
    m.rigid_contact("left", ball, m.ground.at(-way / 2 - 0.1, 0, rotation=-np.pi / 2), radius=0.1, restitution=e)
    r = m.simulate(50.0, output=1.0)
    hits = [t for t, name in r.events if name.endswith("hits")]
    crossings = way / 2.0 / e ** np.arange(1, len(hits))
    assert len(hits) > 10
    np.testing.assert_allclose(hits, 0.2 + np.concatenate([[0], np.cumsum(crossings)]), rtol=1e-9)
    check_motion(r)


@pytest.mark.parametrize("e", [0.0, pytest.param(0.3, marks=pytest.mark.slow)])
def test_a_box_on_the_seam_of_two_others(e):
    """Each of the lower ones carries half of it."""
    m = lw.Model("seam")
    box, laws = Box((SIDE, SIDE)), {"friction": 0.5, "restitution": e}
    left, right, top = (m.body(name, mass=1.0, inertia=SIDE**2 / 6) for name in ("left", "right", "top"))
    left.start(position=(-0.055, 0.052))
    right.start(position=(0.055, 0.053))
    top.start(position=(0.0, 0.16), angle=0.02)
    for low in (left, right):
        m.rigid_contact(f"floor_{low.name}", low, shape=box, **laws)
        m.rigid_contact(f"on_{low.name}", top, low, shape=box, other=box, **laws)
    r = m.simulate(1.0)
    loads = [sum(r.final[n] for n in r.names(f"{c}.*.normal")) for c in ("on_left", "on_right")]
    assert sum(loads) == pytest.approx(G, rel=1e-6)
    floors = [sum(r.final[n] for n in r.names(f"{c}.*.normal")) for c in ("floor_left", "floor_right")]
    assert floors == pytest.approx([G + load for load in loads], rel=1e-6)
    assert r.final["top.y"] == pytest.approx(0.15, abs=1e-8)
    assert r.final["energy.kinetic"] < 1e-18
    check_motion(r)


def test_a_four_bar_is_pressed_against_its_stop_until_it_rests():
    """Impacts pile up; then the stop holds what virtual work says: N dy = T dθ."""
    torque = 2.0
    m = lw.Model("four-bar", gravity=(0, 0))
    crank, coupler, lever = (m.body(name, mass=1.0, inertia=0.01) for name in ("crank", "coupler", "lever"))
    A = m.revolute("A", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("B", crank.at(0.1, 0), coupler.at(-0.3, 0))
    m.revolute("C", coupler.at(0.3, 0), lever.at(0.2, 0))
    m.revolute("D", m.ground.at(0.6, 0), lever.at(-0.2, 0))
    lever.start(position=(0.6, 0.2), angle=1.57)
    A.angle.start(0.3, rate=1.0)
    A.angle.law(lw.Effort(torque))
    m.rigid_contact("stop", crank.at(0.1, 0), m.ground.at(0, 0.15, rotation=np.pi), restitution=0.6)
    r = m.simulate(3.0)
    assert r.final["stop.gap"] == pytest.approx(0, abs=1e-10)
    assert r.final["stop.normal"] == pytest.approx(torque / (0.2 * np.cos(np.arcsin(0.75))), rel=1e-8)
    assert r.final["energy.kinetic"] < 1e-18
    assert 5 < len(r.events) < 100
    check_motion(r)


def by_mujoco(r: lw.Result, count: int, mu: float) -> np.ndarray:
    """Heights at rest after the same drop, boxes in space."""
    mujoco = pytest.importorskip("mujoco")
    bodies = "".join(
        f'<body pos="{r[f"b{k}.x"][0]} {r[f"b{k}.y"][0]} {r[f"b{k}.z"][0]}"><freejoint/>'
        f'<geom type="box" size="{SIDE / 2} {SIDE / 2} {SIDE / 2}" mass="1"/></body>'
        for k in range(count)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 0 -{G}" timestep="0.001" cone="elliptic"/>'
        f'<default><geom friction="{mu} 0 0" solref="0.004 1" solimp="0.99 0.999 0.0001"/></default>'
        f'<worldbody><geom type="plane" size="2 2 1"/>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    while data.time < 2:
        mujoco.mj_step(model, data)
    return data.xpos[1:].copy()


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 5, 8, 10])
def test_towers_that_are_dropped_come_to_rest(count):
    m = tower(count)
    for e, mu in ((0.0, 0.3), (0.3, 0.5)):
        check_rest(drop(m, e, mu, seed=1, seconds=4.0), count, "y")


@pytest.mark.slow
@pytest.mark.parametrize("count", [3])
def test_towers_in_space_come_to_rest_as_in_mujoco(count):
    m = tower(count, planar=False)
    for e, mu in ((0.0, 0.5), (0.3, 0.5)):
        r = drop(m, e, mu, seed=count)
        check_rest(r, count, "z")
        there = by_mujoco(r, count, mu)
        for k in range(count):
            assert [r.final[f"b{k}.{x}"] for x in "xyz"] == pytest.approx(there[k], abs=5e-3)
