"""Shapes: data on the model, and the meshes and figures made of them."""

from __future__ import annotations

import json
import sys

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.components import shapes
from linkwork.components.mesh_files import read_mesh
from linkwork.core.errors import LinkworkError, ModelError
from linkwork.studio import figures, meshes
from linkwork.studio.looks import FIGURES, SURFACES, shape_items


def volume(triangles: meshes.Triangles) -> float:
    """By the divergence theorem; positive only if all faces point outwards."""
    v, f = triangles
    return float(np.einsum("ij,ij->", v[f[:, 0]], np.cross(v[f[:, 1]], v[f[:, 2]])) / 6)


def area(ring: np.ndarray) -> float:
    x, y = ring.T
    return float((x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


def polygon(radius: float, corners: int) -> float:
    return corners / 2 * np.sin(2 * np.pi / corners) * radius**2


@pytest.mark.parametrize(
    ("mesh", "expected"),
    [
        (meshes.box((1, 2, 3)), 6),
        (meshes.cylinder(0.5, 2), 2 * polygon(0.5, meshes.ROUND)),
        (meshes.frustum(0.5, 0.25, 2), 2 / 3 * polygon(1, meshes.ROUND) * (0.25 + 0.125 + 0.0625)),
        (meshes.ring(0.5, 1, 0.2), 0.2 * (polygon(1, meshes.ROUND) - polygon(0.5, meshes.ROUND))),
        (meshes.along("x", meshes.cylinder(0.5, 2)), 2 * polygon(0.5, meshes.ROUND)),
        (meshes.along(np.array([1.0, 2, -3]), meshes.box((1, 2, 3))), 6),
        (meshes.prism(figures.gear(1.0, 20), 0.5), 0.5 * area(figures.gear(1.0, 20))),
        (meshes.between((0, 0, 0), (0, 3, 4), 0.1), 5 * polygon(0.1, meshes.ROUND)),
    ],
)
def test_meshes_enclose_their_volume(mesh, expected):
    assert volume(mesh) == pytest.approx(expected, rel=1e-12)


def test_a_sphere_is_nearly_one():
    assert volume(meshes.sphere(1.0)) == pytest.approx(4 / 3 * np.pi, rel=0.04)


def test_a_link_is_a_bar_with_round_ends():
    ring = figures.link(np.array([[0, 0], [3, 4]]), 0.5)
    assert area(ring) == pytest.approx(5 * 1 + np.pi * 0.25, rel=0.01)


def test_hull_of_a_square_leaves_out_what_is_inside():
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [0.2, 0.9]])
    assert area(figures.hull(points)) == pytest.approx(1) and len(figures.hull(points)) == 4


def every_shape() -> list[shapes.Shape]:
    return [
        shapes.Box((1, 2, 3)),
        shapes.Cylinder(0.5, 2, "y"),
        shapes.Rod((0, 0), (1, 1), 0.1),
        shapes.Sphere(0.3),
        shapes.Disc(1, 0.1),
        shapes.Wheel(0.3, 0.1),
        shapes.GearWheel(0.2, 17, 0.05),
        shapes.Frustum(0.3, 0.1, 1, "x"),
        shapes.Line([(0, 0), (1, 0), (1, 1)]),
        shapes.Terrain(lambda x: lw.sin(x), (0, 2)),
        shapes.Mesh(__file__),
    ]


def test_every_kind_of_shape_is_tried_here():
    kinds = {shape.kind for shape in every_shape()}
    assert kinds == {cls.kind for cls in shapes.Shape.__subclasses__()}
    assert kinds <= SURFACES.keys() and SURFACES.keys() == FIGURES.keys()


@pytest.mark.parametrize("shape", every_shape()[:-1], ids=lambda s: s.kind)
@pytest.mark.parametrize("planar", [True, False])
def test_every_shape_is_plain_data_and_has_a_look(shape, planar):
    data = json.loads(json.dumps(shape.data(lambda x: np.array(ca.evalf(x)))))
    look = shape_items(data, planar=planar, colour="#4477aa", unit=0.01, layer=0, owner="body")
    assert look


def test_shapes_are_placed_turned_and_coloured():
    shape = shapes.Box((2, 1, 1), at=(5, 0, 0), rotation=np.pi / 2, colour="steel", opacity=0.5)
    (item,) = shape_items(shape.data(np.array), planar=False, colour="#000000", unit=1, layer=0, owner="b")
    low, high = item.vertices.min(axis=0), item.vertices.max(axis=0)
    np.testing.assert_allclose((low, high), ((4.5, -1, -0.5), (5.5, 1, 0.5)), atol=1e-12)
    assert item.colour == "#8a97a3" and item.opacity == 0.5


def test_sizes_may_be_parameters_and_do_not_touch_the_equations():
    m = lw.Model("bar", gravity=(0, -9.81))
    length = m.parameter("length", 1.0, unit="m")
    bar = m.body("bar", mass=1, inertia=1)
    m.revolute("pin", m.ground.at(0, 0), bar.at(-length / 2, 0))
    before = m.revision
    assert bar.shape(shapes.Box((length, 0.1, 0.1)), shapes.Disc(0.05, 0.1, at=(length / 2, 0))) is bar
    assert m.revision == before
    seen = m.simulate(0.01, parameters={"length": 3.0}).description["bodies"]["bar"]["shapes"]
    assert seen[0]["size"] == [3.0, 0.1, 0.1] and seen[1]["at"] == [1.5, 0.0, 0.0]


def test_solids_look_like_themselves():
    m = lw.Model("solids", gravity=(0, 0, 0))
    made = m.box("a", (1, 2, 3), mass=1), m.rod("b", length=2, mass=1, axis="z"), m.sphere("c", radius=0.5, mass=1)
    assert [body.shapes[0].kind for body in made] == ["box", "cylinder", "sphere"]


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (shapes.Box((1, -1, 1)), "size"),
        (shapes.Sphere(0), "radius"),
        (shapes.Sphere(1, opacity=2), "opacity"),
        (shapes.Mesh(3), "not a file name"),
        (shapes.Mesh("a.stl", scale=0), "scale"),
        (shapes.Terrain(1.0, (0, 1)), "height"),
        (shapes.Terrain(lambda x: x, (1, 0)), "terrain"),
        ("box", "not a shape"),
        (shapes.Box((1, 1, 1), rotation=[[1, 0], [0, 1]]), "rotation"),
    ],
)
def test_impossible_shapes_are_refused(shape, said):
    m = lw.Model("m", gravity=(0, 0))
    with pytest.raises(ModelError, match=said) as caught:
        m.body("plate", mass=1, inertia=1).shape(shape)
    assert caught.value.component == "plate"


def test_an_unknown_colour_is_told():
    data = shapes.Sphere(1, colour="mauvish").data(np.array)
    with pytest.raises(LinkworkError, match="mauvish.*steel"):
        shape_items(data, planar=True, colour="#000000", unit=1, layer=0, owner="ball")


@pytest.mark.parametrize("suffix", ["stl", "obj", "glb", "ply"])
def test_mesh_files_are_read_in_metres(suffix, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / f"block.{suffix}"
    trimesh.creation.box((10, 20, 30)).export(file)
    vertices, faces = read_mesh(str(file), 1e-3)
    np.testing.assert_allclose(np.ptp(vertices, axis=0), (0.01, 0.02, 0.03), rtol=1e-6)
    assert volume((vertices, faces)) == pytest.approx(6e-6, rel=1e-5)


@pytest.mark.parametrize("planar", [True, False])
def test_a_missing_mesh_is_named_and_a_box_is_drawn(planar, tmp_path):
    data = shapes.Mesh(tmp_path / "nowhere.stl").data(np.array)
    with pytest.warns(UserWarning, match=r"nowhere\.stl.*does not exist.*box"):
        assert shape_items(data, planar=planar, colour="#000000", unit=1, layer=0, owner="b")


def test_a_damaged_or_foreign_mesh_is_told(tmp_path):
    for name, said in (("a.obj", "no triangle|cannot be read"), ("a.txt", "suffix")):
        (tmp_path / name).write_text("nothing of use")
        with pytest.raises(LinkworkError, match=said):
            read_mesh(str(tmp_path / name))


def test_without_trimesh_a_mesh_file_says_what_is_missing(tmp_path, monkeypatch):
    (tmp_path / "part.stl").write_text("solid\nendsolid\n")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(LinkworkError, match=r"part.stl.*trimesh.*linkwork\[meshes\]"):
        read_mesh(str(tmp_path / "part.stl"))
