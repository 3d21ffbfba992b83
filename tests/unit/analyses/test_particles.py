"""`m.particles()`: which particles stand for bodies, what they weigh, who shares them; placed and drawn."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.components.bodies import Body
from linkwork.examples import rotating_pendulum, rssr, slider_crank

TIGHT = {"solver": "dop853", "rtol": 1e-10, "atol": 1e-12, "output": 0.1}


def conditions(particles, planar):
    """PRT (1): mass, first and second moments of all particles."""
    mass = sum(p.mass for p in particles)
    first = sum(p.mass * p.place for p in particles)
    second = sum(p.mass * (p.place @ p.place * np.eye(len(p.place)) - np.outer(p.place, p.place)) for p in particles)
    return mass, first, second.trace() if planar else second


@pytest.mark.parametrize("example", [slider_crank, rotating_pendulum, rssr])
def test_they_weigh_and_turn_like_the_bodies(example):
    m = example.model()
    system = m.particles()
    for body in m.of_type(Body):
        mass, first, second = conditions(system[body.name], m.is_planar)
        assert mass == pytest.approx(float(body.mass))
        assert np.abs(first).max() < 1e-9
        assert np.allclose(second, np.asarray(body.inertia, dtype=float), atol=1e-9)
        primary = [p for p in system[body.name] if p.reduced is not None]
        assert sum(p.reduced for p in primary) == pytest.approx(float(body.mass))
        assert np.allclose(sum(p.reduced * p.place for p in primary), 0, atol=1e-9)


def test_who_shares_them():
    """PRT's example: two on the axle belong to both bodies; three are states."""
    system = rotating_pendulum.model().particles()
    assert [p.name for p in system.states] == ["rod.2", "rod.4", "end.4"]
    assert {p.name: p.joints for p in system.shared} == {
        "rod.1": ("support",), "end.1": ("axle",), "end.2": ("axle",),
    }  # fmt: skip
    at = {p.name: p.position for p in system}
    assert np.allclose(at["rod.2"], at["end.1"])
    assert len(system) == 20 and "end.1-2" in str(system)
    with pytest.raises(lw.LinkworkError, match="no body named 'wheel'"):
        system["wheel"]


def test_parameters_reach_them():
    m = lw.Model("bar", gravity=(0, -9.81))
    m.body("bar", mass=m.parameter("mass", 2.0), inertia=1.0)
    assert sum(p.mass for p in m.particles(parameters={"mass": 5.0})["bar"]) == pytest.approx(5.0)


@pytest.mark.parametrize("example", [slider_crank, rotating_pendulum, rssr])
@pytest.mark.parametrize("places", ["anywhere", "one on a joint", "all four"])
def test_wherever_they_are_placed_the_motion_is_the_same(example, places):
    m = example.model()
    truth = m.simulate(1, formulation="absolute", **TIGHT)
    rng = np.random.default_rng(1)
    width = 2 if m.is_planar else 3
    for body in m.of_type(Body):
        given = rng.normal(size=(width + (places == "all four"), width))
        if places == "one on a joint":
            marker = next(k for j in m.of_type(lw.Joint) for k in j.markers() if k.body is body)
            given[1] = [float(marker.local.p[k]) for k in range(width)]
        body.particles(*given)
    r = m.simulate(1, formulation="points", **TIGHT)
    for channel in (c for c in truth if c.endswith((".x", ".y", ".vx", ".ax")) or ".reaction." in c):
        off = np.abs(r[channel] - truth[channel]).max() / max(1.0, np.abs(truth[channel]).max())
        assert off < 1e-7, channel


def test_bad_places():
    m = lw.Model("m", gravity=(0, 0, -9.81))
    body = m.body("b", mass=1, inertia=(1, 1, 1))
    with pytest.raises(lw.LinkworkError, match=r"^b: 2 places for particles\. Give 3"):
        body.particles((0, 0, 0), (1, 0, 0))
    with pytest.raises(lw.LinkworkError, match=r"^b: its particles lie on one line"):
        body.particles((0, 0, 0), (1, 0, 0), (2, 0, 0))
    with pytest.raises(lw.LinkworkError, match=r"^b: its particles lie in one plane"):
        body.particles((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0))
    flat = lw.Model("m", gravity=(0, -9.81)).body("c", mass=1, inertia=1)
    with pytest.raises(lw.LinkworkError, match=r"^c: its particles lie in one place"):
        flat.particles((1, 0), (1, 0))


@pytest.mark.parametrize("example", [slider_crank, rotating_pendulum])
def test_drawn(example, tmp_path):
    m = example.model()
    r = m.simulate(0.1, formulation="points")
    r.snapshot(0.05, tmp_path / "with.png", particles=m.particles(), labels=True)
    r.snapshot(0.05, tmp_path / "without.png", labels=True)
    assert (tmp_path / "with.png").read_bytes() != (tmp_path / "without.png").read_bytes()
    nodes = r.animate(particles=m.particles()).scene.nodes
    assert sum(node.group == "particle" for node in nodes) == len(m.particles())
    other = lw.Model("m", gravity=(0, -9.81))
    other.body("wheel", mass=1, inertia=1)
    with pytest.raises(lw.LinkworkError, match="no body 'wheel'"):
        r.snapshot(0.05, particles=other.particles())
