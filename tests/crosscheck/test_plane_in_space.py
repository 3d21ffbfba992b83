"""A planar mechanism and the same one made of spatial bodies move alike; random linkages, seeded."""

import numpy as np
import pytest

import linkwork as lw


def _model(spatial: bool) -> lw.Model:
    return lw.Model("linkage", gravity=(0.4, -9.81, 0) if spatial else (0.4, -9.81))


def _body(m: lw.Model, name: str, rng: np.random.Generator):
    mass, xx, yy = rng.uniform(0.5, 2), *rng.uniform(0.1, 0.3, 2)
    zz = rng.uniform(max(xx, yy), xx + yy)
    return m.body(name, mass=mass, inertia=zz if m.is_planar else (xx, yy, zz))


def _tree(seed: int, spatial: bool) -> lw.Model:
    """Bodies hung one after the other from random earlier ones, by pins and slides, with springs and dampers."""
    rng, m = np.random.default_rng(seed), _model(spatial)
    bodies = [m.ground]
    for i in range(4):
        parent, body = bodies[rng.integers(len(bodies))], _body(m, f"b{i}", rng)
        ends = parent.at(*rng.uniform(-0.4, 0.4, 2), rotation=rng.uniform(-2, 2)), body.at(*rng.uniform(-0.4, 0.4, 2))
        if rng.random() < 0.7:
            c = m.revolute(f"j{i}", *ends).angle
        else:
            c = m.prismatic(f"j{i}", *ends).slide
            c.law(lw.Spring(80, rest=0.1))
        c.law(lw.Damper(rng.uniform(0, 0.2)))
        c.start(rng.uniform(-0.5, 0.5), rate=rng.uniform(-1, 1))
        bodies.append(body)
    m.spring("S", m.ground.at(0.5, 0.7), bodies[-1].at(0.1, 0.2), stiffness=20, length=0.3, damping=0.5)
    return m


def _loop(seed: int, spatial: bool) -> lw.Model:
    """A four-bar or a slider-crank with random lengths; in space its pins hold three directions too often."""
    rng, m = np.random.default_rng(seed), _model(spatial)
    a, b, c, base = rng.uniform(0.15, 0.25), rng.uniform(0.7, 0.9), rng.uniform(0.6, 0.8), rng.uniform(0.6, 0.8)
    angle = rng.uniform(0.3, 1.2)
    elbow = np.array([a * np.cos(angle), a * np.sin(angle)])
    crank, rod, out = (_body(m, n, rng) for n in ("crank", "rod", "out"))
    if rng.random() < 0.5:
        end = np.array([elbow[0] + np.sqrt(b**2 - elbow[1] ** 2), 0.0])
        out.start(position=tuple(end))
        closing = m.prismatic("D", m.ground.at(0, 0), out.at(0, 0))
        hinge = out.at(0, 0)
    else:
        d = np.array([base, 0]) - elbow
        along = (b**2 - c**2 + d @ d) / (2 * np.linalg.norm(d))
        unit = d / np.linalg.norm(d)
        end = elbow + along * unit + np.sqrt(b**2 - along**2) * np.array([-unit[1], unit[0]])
        lever = end - np.array([base, 0])
        out.start(position=tuple(end - lever / 2), angle=float(np.arctan2(lever[1], lever[0])))
        closing = m.revolute("D", m.ground.at(base, 0), out.at(-c / 2, 0))
        hinge = out.at(c / 2, 0)
    bar = end - elbow
    crank.start(position=tuple(elbow / 2), angle=angle)
    rod.start(position=tuple((elbow + end) / 2), angle=float(np.arctan2(bar[1], bar[0])))
    A = m.revolute("A", m.ground.at(0, 0), crank.at(-a / 2, 0))
    m.revolute("B", crank.at(a / 2, 0), rod.at(-b / 2, 0))
    m.revolute("C", rod.at(b / 2, 0), hinge)
    A.angle.law(lw.Effort(lambda t: 3 + lw.sin(2 * t)))
    A.angle.law(lw.Damper(0.3))
    closing.coordinates[0].law(lw.Damper(0.4))
    A.angle.start(angle, rate=1.0)
    return m


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("build", [_tree, _loop])
def test_same_motion(build, seed):
    runs = [
        build(seed, spatial).simulate(1, solver="dop853", rtol=1e-10, atol=1e-12, output=0.05)
        for spatial in (False, True)
    ]
    planar, spatial = runs
    moved = 0.0
    for channel in (c for c in planar if c in spatial and not c.startswith(("residual", "solver", "energy"))):
        if "multiplier" in channel:
            continue
        size = 1 + np.abs(planar[channel]).max()
        assert np.abs(planar[channel] - spatial[channel]).max() < 1e-7 * size, channel
        moved = max(moved, np.ptp(planar[channel]) if channel.endswith(".x") else 0.0)
    assert moved > 0.05
    for channel in ("energy.kinetic", "energy.dissipated", "energy.supplied"):
        assert np.abs(planar[channel] - spatial[channel]).max() < 1e-7 * (1 + np.abs(planar[channel]).max())
    for body in (c[:-3] for c in spatial if c.endswith(".q0")):
        turn = 2 * np.arctan2(spatial[f"{body}.q3"], spatial[f"{body}.q0"])
        assert np.cos(turn - planar[f"{body}.angle"]) == pytest.approx(1, abs=1e-10)
        assert np.abs(spatial[f"{body}.z"]).max() < 1e-9
