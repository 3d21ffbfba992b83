"""What pictures add to the mechanism: forces of tyres, names, rails that end above the road."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.build import build_scene
from linkwork.studio.naming import Room, named
from linkwork.studio.placing import placed


def test_arrows_of_a_tyre_are_what_accelerates_its_wheel():
    """Mass × acceleration less weight, of a wheel that slides aside up a slope."""
    m = lw.Model("wheel", gravity=(0, 0, -9.81))
    wheel = m.body("wheel", mass=20, inertia=(0.5, 1, 0.5)).start(position=(0, 0, 0.3), velocity=(5, 0.4, 0))
    m.tyre(
        "tyre", wheel.at(0, 0, 0, rotation=((1, 0, 0), (0, 0, 1), (0, -1, 0))), radius=0.3, height=lambda x, y: 0.1 * x
    )
    result = m.simulate(0.3, output=0.02)
    scene = build_scene(result)
    arrows = [a for a in scene.arrows if a.name == "tyre"]
    force = sum(a.vectors for a in arrows) / scene.scales["force"]
    expected = 20 * (np.column_stack([result[f"wheel.a{c}"] for c in "xyz"]) + (0, 0, 9.81))
    assert np.abs(expected[:, 1]).max() > 10
    np.testing.assert_allclose(force, expected, atol=1e-3 * np.abs(expected).max())
    newtons, text, length, _ = scene.arrow_scales()["force"]
    assert text.endswith("N") and length == pytest.approx(newtons * scene.scales["force"])


def test_names_stand_beside_the_parts():
    taken = np.zeros((60, 100), dtype=bool)
    taken[20:40, 10:90] = True
    room = Room(taken)
    found = list(named(room, [("one", 50, 30), ("two", 50, 30), ("three", 12, 22)], letter=3, line=6))
    assert [name.text for name in found] == ["one", "two", "three"]
    for name in found:
        left, low, wide, tall = (round(x, 6) for x in name.box)
        assert not taken[::-1][int(low) : int(np.ceil(low + tall)), int(left) : int(np.ceil(left + wide))].any()


def test_rails_on_bodies_end_above_the_road(example):
    result = example("car").simulate(0.02)
    scene = build_scene(result)
    road = next(n for n in scene.nodes if n.name == "floor")
    assert road.group == "ground" and abs(road.position[0, 2]) < 1e-12
    for one in (n for n in scene.nodes if n.group == "joint"):
        for item in one.items:
            assert placed(one, item.vertices, 0)[:, 2].min() > 0, one.name
