"""The depth buffer of pictures, against plain loops over all pixels."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw  # noqa: F401  (verbs of results)
from linkwork.studio import meshes, raster
from linkwork.studio.build import build_scene
from linkwork.studio.camera import Camera
from linkwork.studio.scene import Node, Scene, Surface
from linkwork.studio.solid_picture import solid_image

WIDTH, HEIGHT = 60, 40


def test_the_nearest_triangle_is_seen_at_every_pixel(rng):
    corners, near = rng.uniform(-10, 70, (40, 3, 2)), rng.uniform(0.5, 2, (40, 3))
    layer = raster.nearest(corners, near, WIDTH, HEIGHT)
    x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    best, face = np.full(x.shape, -np.inf), np.full(x.shape, -1)
    for k in range(len(corners)):
        shares = np.linalg.solve(
            np.vstack([corners[k].T, np.ones(3)]), np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
        )
        depth = (near[k] @ shares).reshape(x.shape)
        ahead = (shares > 0).all(axis=0).reshape(x.shape) & (depth > best)
        best[ahead], face[ahead] = depth[ahead], k
    assert (face >= 0).mean() > 0.5
    np.testing.assert_array_equal(layer.face, face)
    np.testing.assert_allclose(layer.near[face >= 0], best[face >= 0], rtol=1e-5)
    np.testing.assert_array_equal(raster.covered(corners, WIDTH, HEIGHT), face >= 0)


def scene_of(*nodes: Node) -> Scene:
    ends = np.array([[-1.0, -1, -1], [1, 1, 1]])
    return Scene("", False, np.zeros(1), list(nodes), [], [], [], [], *ends, ends, np.array([0.0, 0, 1]),
                 np.array([0.0, -1, 0]), 0.02)  # fmt: skip


def seen(*nodes: Node) -> np.ndarray:
    scene = scene_of(*nodes)
    return solid_image(scene, 0, Camera(scene, 0), np.array([[-1.0, 1], [-1, 1]]), 50, 50)[..., :3].astype(float)


def plate(y: float, colour: str, opacity: float = 1.0, turn: float = 0.0) -> Node:
    R = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    return Node("plate", "body", [Surface(*meshes.moved(meshes.box((1, 0.1, 1)), (0, y, 0), R), colour, opacity)])


def test_boxes_that_pierce_each_other_are_each_in_front_on_their_side():
    image = seen(plate(0, "#cc0000", turn=0.5), plate(0, "#0000cc", turn=-0.5))
    middle = image[25]
    assert middle[18, 0] > middle[18, 2] and middle[32, 2] > middle[32, 0]


def test_what_one_sees_through_is_one_layer():
    """Its four sides and its back would make it darker, and their diagonals would be seen."""
    image = seen(plate(0, "#000000", 0.5))
    inside = image[16:34, 16:34]
    assert np.ptp(inside) <= 1 and inside.mean() == pytest.approx(127.5, abs=1)


def test_normals_are_smooth_on_round_things_and_sharp_at_edges():
    ball = Surface(*meshes.sphere(2.0), "#000000")
    np.testing.assert_allclose(ball.normals, ball.vertices[ball.faces] / 2, atol=0.05)
    box = Surface(*meshes.box((1, 2, 3)), "#000000")
    assert (np.abs(box.normals).max(axis=2) > 1 - 1e-12).all()


def test_a_picture_of_a_vector_format_holds_the_same_pixels(example, tmp_path):
    result = example("rssr").simulate(0.5)
    build_scene(result)
    for suffix in ("svg", "pdf"):
        result.snapshot(0.1, tmp_path / f"a.{suffix}")
    assert "image/png;base64" in (tmp_path / "a.svg").read_text()
