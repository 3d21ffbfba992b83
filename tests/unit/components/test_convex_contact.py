"""Corners, edges and faces of convex outlines: separations against Minkowski differences, gaps against depths."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.components.contacts.manifold import Pair, apart
from linkwork.components.contacts.outlines import Box, Convex
from linkwork.components.contacts.polytope import numbers_of


def turned(rng, planar: bool) -> np.ndarray:
    return Rotation.from_rotvec([0, 0, rng.uniform(-3, 3)] if planar else rng.normal(size=3)).as_matrix()


def some_outline(rng, planar: bool):
    if rng.random() < 0.4:
        return Box(tuple(rng.uniform(0.5, 2.0, 2 if planar else 3)))
    points = rng.normal(size=(rng.integers(3, 9) if planar else rng.integers(4, 12), 2 if planar else 3))
    return Convex(points / np.linalg.norm(points, axis=1)[:, None])


def by_differences(a, b, R, p, planar: bool) -> float:
    """How far the origin is outside the hull of all differences of points: the separation, with its sign."""
    differences = (a.corners @ R.T + p)[:, None] - b.corners[None]
    hull = ConvexHull(differences.reshape(-1, 3)[:, : 2 if planar else 3])
    return float(hull.equations[:, -1].max())


@pytest.mark.parametrize("planar", [True, False])
def test_separation_is_that_of_all_differences(planar, rng):
    seen = []
    for _ in range(60):
        a, b = (numbers_of(some_outline(rng, planar)) for _ in range(2))
        R, p = turned(rng, planar), rng.uniform(-1.5, 1.5, 3) * [1, 1, 0 if planar else 1]
        seen.append(apart(a, b, R, p))
        assert seen[-1] == pytest.approx(by_differences(a, b, R, p, planar), abs=1e-9)
    assert min(seen) < -0.3 and max(seen) > 0.3


def gap_of(feature, R, p) -> float:
    """Height of a's point over b's along the normal."""
    across = np.cross(R @ feature.along_a, feature.along_b)
    normal = R @ feature.normal_a + feature.normal_b + across / max(np.linalg.norm(across), 1e-30)
    assert np.linalg.norm(normal) == pytest.approx(1)
    return float(normal @ (R @ feature.point_a + p - feature.point_b))


@pytest.mark.parametrize("planar", [True, False])
def test_deepest_contact_is_as_deep_as_they_overlap(planar, rng):
    """Pairs moved along their axis until they overlap a little: some contact is as deep, and none is deeper."""
    for _ in range(60):
        a, b = (numbers_of(some_outline(rng, planar)) for _ in range(2))
        R, p = turned(rng, planar), rng.uniform(-0.3, 0.3, 3) * [1, 1, 0 if planar else 1]
        pair = Pair(a, b, R, p)
        axis = pair.manifold(rounded=False, most=100).axis
        depth = 1e-4
        p = p + (-axis.apart - depth) * axis.normal
        found = Pair(a, b, R, p).manifold(rounded=False, most=100)
        gaps = [gap_of(f, R, p) for f in found.features]
        assert found.axis.apart == pytest.approx(by_differences(a, b, R, p, planar), abs=1e-9)
        assert min(gaps) == pytest.approx(found.axis.apart, abs=1e-9)


@pytest.mark.parametrize("angle", [0.0, 0.3, np.pi / 4, 1.2])
def test_contacts_of_a_box_on_a_box_are_the_corners_of_what_they_share(angle):
    """Against the polygon that two turned squares have in common, by its area from sampling and its corners' number."""
    box = numbers_of(Box((1, 1, 1)))
    R = Rotation.from_rotvec([0, 0, angle]).as_matrix()
    found = Pair(box, box, R, np.array([0, 0, 1.0])).manifold(rounded=False, most=8).features
    assert len(found) == (4 if angle == 0 else 8)
    places = np.array([f.place[:2] for f in found])
    x, y = np.meshgrid(*[np.linspace(-0.75, 0.75, 1500)] * 2)
    across = np.column_stack([x.ravel(), y.ravel()])
    inside = (np.abs(across) <= 0.5).all(axis=1) & (np.abs(across @ R[:2, :2]) <= 0.5).all(axis=1)
    assert ConvexHull(places).volume == pytest.approx(inside.mean() * 1.5**2, rel=2e-3)
    assert all(gap_of(f, R, np.array([0, 0, 1.0])) == pytest.approx(0, abs=1e-12) for f in found)


def test_what_only_a_run_follows_is_refused_elsewhere():
    m = lw.Model("boxes")
    a, b = (m.body(name, mass=1, inertia=1).start(position=(0, k)) for k, name in enumerate("ab"))
    m.contact("pair", a, b, shape=Box((0.1, 0.1)), other=Box((0.1, 0.1)))
    for ask in (m.linearize, m.equilibrium, lambda: m.simulate(1, loops="partition")):
        with pytest.raises(lw.LinkworkError, match=r"pair.*corners and faces"):
            ask()


def test_check_tells_which_boxes_touch():
    m = lw.Model("boxes")
    a, b = (m.body(name, mass=1, inertia=1).start(position=(0, 0.1 * k)) for k, name in enumerate("ab"))
    m.rigid_contact("pair", b, a, shape=Box((0.1, 0.1)), other=Box((0.1, 0.1)))
    assert "touching at the start: 2" in str(m.check())
    b.start(position=(0, 0.09))
    with pytest.raises(lw.LinkworkError, match=r"pair.*inside"):
        m.simulate(0.1)


@pytest.mark.parametrize("radii", [(1, -1), (1,), 3, (0.1, 0.2, 0.0)])
def test_impossible_ellipsoids_are_refused(radii):
    with pytest.raises(lw.LinkworkError, match="radii"):
        lw.outlines.Ellipsoid(radii)
