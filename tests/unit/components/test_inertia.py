"""Inertia algebra, against closed forms of textbooks, trimesh, and the motion of a compound pendulum."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import linkwork as lw

trimesh = pytest.importorskip("trimesh")
S = lw.shapes
STEEL = 7850.0


def agrees(found, mesh, rel):
    assert found.mass == pytest.approx(STEEL * mesh.volume, rel=rel)
    assert found.centre == pytest.approx(mesh.center_mass, abs=rel)
    assert found.matrix == pytest.approx(STEEL * mesh.moment_inertia, rel=rel, abs=rel * abs(found.matrix).max())


TURN = lw.rotation("zyx", 0.3, -0.5, 0.8)


@pytest.mark.parametrize(
    ("shape", "mesh"),
    [
        (S.Box((0.3, 0.2, 0.1)), trimesh.creation.box((0.3, 0.2, 0.1))),
        (S.Cylinder(0.1, 0.4, "z"), trimesh.creation.cylinder(0.1, 0.4, sections=2000)),
        (S.Sphere(0.2), trimesh.creation.icosphere(6, 0.2)),
    ],
)
def test_shapes_are_those_of_trimesh(shape, mesh):
    agrees(lw.Inertia.of(shape, density=STEEL), mesh, 1e-3)
    agrees(lw.Inertia.of_mesh(mesh.vertices, mesh.faces, density=STEEL), mesh, 1e-9)
    placed = replace(shape, at=(0.4, -0.1, 0.2), rotation=TURN)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = np.array(ca.DM(TURN.R)), (0.4, -0.1, 0.2)
    agrees(lw.Inertia.of(placed, density=STEEL), mesh.copy().apply_transform(matrix), 1e-3)


def test_cone():
    """Of height h on a radius r: centre at h/4, 3/10 m r² about its axis, 3/20 m (r² + h²/4) across it."""
    r, h = 0.3, 0.5
    cone = lw.Inertia.of(S.Frustum(r, 1e-12, h), mass=2.0)
    assert cone.centre == pytest.approx((0, 0, h / 4 - h / 2), abs=1e-9)
    assert np.diag(cone.matrix) == pytest.approx([0.3 * (r**2 + h**2 / 4)] * 2 + [0.6 * r**2], rel=1e-9)


def test_parallel_axes_and_a_hole():
    """A plate with a hole: what is left of it and what was cut out are the plate again."""
    plate = lw.Inertia.of(S.Box((0.4, 0.3, 0.02)), density=STEEL)
    hole = lw.Inertia.of(S.Cylinder(0.05, 0.02, "z", at=(0.1, 0.05, 0)), density=STEEL)
    left = plate - hole
    again = left + hole
    assert again.matrix == pytest.approx(plate.matrix, rel=1e-12, abs=1e-12)
    assert again.centre == pytest.approx(plate.centre, abs=1e-12)
    assert left.centre == pytest.approx(-hole.mass / left.mass * np.array([0.1, 0.05, 0]))
    expected = plate.matrix[2, 2] - hole.mass * (0.05**2 / 2 + 0.1**2 + 0.05**2)
    assert left.about()[2, 2] == pytest.approx(expected, rel=1e-12)


def test_rotation_and_principal_axes():
    box = lw.Inertia.of(S.Box((0.4, 0.3, 0.1)), mass=3.0)
    turned = box.moved((0.1, 0, 0)).rotated(TURN)
    moments, axes = turned.principal
    assert moments == pytest.approx(sorted(np.diag(box.matrix)))
    assert np.linalg.det(axes) == pytest.approx(1)
    assert turned.rotated(TURN.inverse()).centre == pytest.approx((0.1, 0, 0), abs=1e-14)
    assert np.trace(turned.matrix) == pytest.approx(np.trace(box.matrix))


def test_compound_pendulum():
    """A rod with a disc at its end as one body: T = 2π √(I/(m g d)), small swings."""
    part = lw.Inertia.of(S.Rod((0, 0), (0.6, 0), 0.01), density=STEEL)
    part += lw.Inertia.of(S.Disc(0.1, 0.03, at=(0.6, 0)), density=STEEL)
    m = lw.Model("clock", gravity=(0, -9.81))
    body = m.body("clock", mass=part.mass, inertia=part.matrix[2, 2])
    pin = m.revolute("pin", m.ground.at(), body.at(*-part.centre[:2]))
    pin.angle.start(-np.pi / 2 + 1e-4)
    period = 2 * np.pi * np.sqrt(part.about()[2, 2] / (part.mass * 9.81 * part.centre[0]))
    found = m.simulate(period, output=period / 4, rtol=1e-10, atol=1e-14)
    assert found["pin.angle"][-1] == pytest.approx(-np.pi / 2 + 1e-4, abs=1e-10)
    assert found["pin.angle"][1] == pytest.approx(-np.pi / 2, abs=1e-9)


def test_mesh_file(tmp_path):
    mesh = trimesh.creation.box((300, 200, 100))
    mesh.export(tmp_path / "box.stl")
    found = lw.Inertia.of(S.Mesh(tmp_path / "box.stl", scale=1e-3), density=STEEL)
    expected = lw.Inertia.of(S.Box((0.3, 0.2, 0.1)), density=STEEL)
    assert found.matrix == pytest.approx(expected.matrix, rel=1e-6, abs=1e-9)


def test_refusals():
    with pytest.raises(lw.ModelError, match="density or mass"):
        lw.Inertia.of(S.Sphere(0.1))
    with pytest.raises(lw.ModelError, match="no volume"):
        lw.Inertia.of(S.Line([(0, 0), (1, 0)]), density=1.0)
    box = trimesh.creation.box((1, 1, 1))
    with pytest.raises(lw.ModelError, match="holds no volume"):
        lw.Inertia.of_mesh(box.vertices, box.faces[:-1], density=1.0)
    with pytest.raises(lw.ModelError, match="radius"):
        lw.Inertia.of(S.Sphere(-0.1), density=1.0)
