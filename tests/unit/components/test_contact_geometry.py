"""Touches: gaps are distances, and change at the rate that normal and relative velocity say."""

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import minimize

import linkwork as lw
from linkwork.components.contacts.features import Features
from linkwork.components.contacts.manifold import Pair
from linkwork.components.contacts.outlines import Ball, Box, Convex, Cylinder, Ellipsoid, Terrain, Wheel
from linkwork.components.contacts.polytope import numbers_of
from linkwork.components.contacts.touching import touches
from linkwork.core.component import Frame
from linkwork.geometry import rotations

G = 9.81

WEDGE = [(0, 0, 0), (1, 0, 0), (0, 1.2, 0), (0, 0, 0.9), (1, 0, 0.9), (0.2, 0.2, 0.3)]
TRIANGLE = [(0, 0), (1, 0), (0.2, 0.9)]


def hills(x, y, sin=lw.sin, cos=lw.cos):
    return 0.3 * sin(1.5 * x) * cos(1.2 * y)


def waves(x):
    return 0.3 * lw.sin(1.5 * x)


SPACE = {
    "ball on plane": (Ball(0.2), Terrain()),
    "ball on hills": (Ball(0.4), Terrain(hills)),
    "wheel on plane": (Wheel(0.5, 0.1), Terrain()),
    "wheel on hills": (Wheel(0.4, 0.1), Terrain(hills)),
    "ellipsoid on plane": (Ellipsoid((0.3, 0.4, 0.2)), Terrain()),
    "ellipsoid on hills": (Ellipsoid((0.3, 0.4, 0.2)), Terrain(hills)),
    "balls": (Ball(0.3), Ball(0.4)),
    "ball in ball": (Ball(0.3), Ball(1.5, inside=True)),
    "ball around ball": (Ball(1.5, inside=True), Ball(0.3)),
    "ball beside cylinder": (Ball(0.3), Cylinder(0.8)),
    "ball in tube": (Ball(0.3), Cylinder(1.6, inside=True)),
    "box in tube": (Box((0.5, 0.4, 0.6), 0.1), Cylinder(1.6, inside=True)),
    "ball at box": (Ball(0.3), Box((1, 1.2, 0.8), 0.1)),
    "box at ball": (Box((1, 1.2, 0.8), 0.1), Ball(0.3)),
    "ball at wedge": (Ball(0.3), Convex(WEDGE, 0.1)),
    "box on plane": (Box((1, 0.8, 0.6)), Terrain()),
    "plane under box": (Terrain(), Box((1, 0.8, 0.6))),
    "wedge on hills": (Convex(WEDGE, 0.1), Terrain(hills)),
    "boxes": (Box((1, 0.7, 0.5), 0.1), Box((0.6, 0.9, 0.8), 0.1)),
    "sharp boxes": (Box((1, 0.7, 0.5)), Box((0.6, 0.9, 0.8))),
    "wedges": (Convex(WEDGE), Convex(WEDGE, 0.05)),
}
PLANE = {
    "circle on line": (Wheel(0.2), Terrain()),
    "circle on waves": (Wheel(0.4), Terrain(waves)),
    "ellipse on waves": (Ellipsoid((0.3, 0.2)), Terrain(waves)),
    "rectangle on waves": (Box((1, 0.5)), Terrain(waves)),
    "rectangles": (Box((1, 0.5), 0.1), Box((0.7, 0.5), 0.1)),
    "triangle at circle": (Convex(TRIANGLE, 0.1), Ball(0.2)),
    "triangles": (Convex(TRIANGLE, 0.1), Convex(TRIANGLE)),
    "sharp triangles": (Convex(TRIANGLE), Convex(TRIANGLE)),
    "circle in circle": (Ball(0.1), Cylinder(1.5, inside=True)),
}
CASES = [(False, k) for k in SPACE] + [(True, k) for k in PLANE]


def mover(name: str, planar: bool) -> tuple[Frame, ca.SX, ca.SX, ca.SX]:
    """A frame that moves freely: itself, its coordinates, speeds, rates of the coordinates."""
    if planar:
        q, v = ca.SX.sym(name, 3), ca.SX.sym(f"v{name}", 3)
        c, s = ca.cos(q[2]), ca.sin(q[2])
        R = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
        place, velocity = ca.vertcat(q[:2], 0), ca.vertcat(v[:2], 0)
        return Frame(place, R, q[2], velocity, ca.vertcat(0, 0, v[2])), q, v, v
    q, v = ca.SX.sym(name, 7), ca.SX.sym(f"v{name}", 6)
    R = rotations.from_quaternion(q[3:7])
    rate = ca.vertcat(v[:3], rotations.quaternion_rate(q[3:7]) @ (R.T @ v[3:6]))
    return Frame(q[:3], R, None, v[:3], v[3:6]), q, v, rate


def placed(rng, planar: bool, above: float, near: float) -> np.ndarray:
    if planar:
        return np.r_[rng.uniform(-near, near, 2) + [0, above], rng.uniform(-3, 3) * near]
    e = np.r_[1.0, rng.normal(size=3) * 3 * near]
    return np.r_[rng.uniform(-near, near, 3) + [0, 0, above], e / np.linalg.norm(e)]


def placed_pose(q: np.ndarray, planar: bool) -> tuple[np.ndarray, np.ndarray]:
    if planar:
        c, s = np.cos(q[2]), np.sin(q[2])
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([q[0], q[1], 0])
    return np.array(ca.DM(rotations.from_quaternion(ca.SX(q[3:7])))), q[:3]


def met(a, A, b, B, planar):
    """Touches of two outlines, symbols for corners and faces that are chosen, and what chooses them at two poses."""
    if not (isinstance(a, (Box, Convex)) and isinstance(b, (Box, Convex))):
        return touches(a, A, b, B, planar), ca.SX(0, 1), lambda x, y: np.zeros(0)
    features = Features("pair", planar, a.rounding + b.rounding > 0)

    def choose(x, y):
        (R, p), (S, o) = placed_pose(x, planar), placed_pose(y, planar)
        found = Pair(numbers_of(a), numbers_of(b), S.T @ R, S.T @ (p - o)).manifold(
            rounded=features.rounded, most=features.count
        )
        numbers = np.zeros(len(features.names))
        for k, feature in enumerate(found.features):
            features.write(numbers, k, feature)
        return numbers

    return features.touches(a, A, b, B), features.symbols, choose


@pytest.mark.parametrize(("planar", "pair"), CASES)
def test_gap_changes_as_normal_and_velocity_say(planar, pair, rng):
    a, b = (PLANE if planar else SPACE)[pair]
    (A, qa, va, da), (B, qb, vb, db) = mover("a", planar), mover("b", planar)
    found, held, choose = met(a, A, b, B, planar)
    gap = ca.vertcat(*(t.gap for t in found))
    rate = ca.jtimes(gap, ca.vertcat(qa, qb), ca.vertcat(da, db))
    said = ca.vertcat(*(ca.dot(t.normal, t.slip(A, B)) for t in found))
    square = ca.horzcat(
        *(
            ca.vertcat(
                ca.dot(t.normal, t.normal) - 1,
                *(ca.dot(t.normal, x) for x in t.tangents),
                *(ca.dot(x, x) - 1 for x in t.tangents),
            )
            for t in found
        )
    )
    f = ca.Function("f", [qa, va, qb, vb, held], [gap, rate, said, square], {"cse": True})
    close, n = 0, 3 if planar else 6
    for _ in range(100):
        x, y = placed(rng, planar, 0.5, 1.0), placed(rng, planar, 0.0, 0.1)
        g, change, expected, units = map(np.array, f(x, rng.normal(size=n), y, rng.normal(size=n), choose(x, y)))
        g, change, expected = g.ravel(), change.ravel(), expected.ravel()
        near = g < 0.5
        close += near.any()
        assert np.abs(change - expected)[near] == pytest.approx(0, abs=1e-10)
        assert units[:, g != 1.0] == pytest.approx(0, abs=1e-12)  # 1 m: not in use
    assert close > 20


def gaps(a, b, planar=False):
    (A, qa, _, _), (B, qb, _, _) = mover("a", planar), mover("b", planar)
    found, held, choose = met(a, A, b, B, planar)
    f = ca.Function("gaps", [qa, qb, held], [ca.vertcat(*(t.gap for t in found))])
    return lambda x, y: f(x, y, choose(x, y))


HOME = np.array([0, 0, 0, 1.0, 0, 0, 0])


def test_distance_from_hills_is_the_least_one(rng):
    ball, wheel = gaps(Ball(0.2), Terrain(hills)), gaps(Wheel(0.4, 0.1), Terrain(hills))

    def ground(u):
        return np.array([u[0], u[1], hills(u[0], u[1], np.sin, np.cos)])

    for _ in range(10):
        q = placed(rng, False, 0.9, 0.3)  # wholly above the hills, so that the least distance is the one meant
        R = np.array(ca.DM(rotations.from_quaternion(ca.SX(q[3:7]))))
        away = minimize(lambda u, c=q[:3]: np.sum((ground(u) - c) ** 2), q[:2], tol=1e-14).fun
        assert float(ball(q, HOME)) == pytest.approx(np.sqrt(away) - 0.2, abs=1e-7)

        def rim(w, q=q, R=R):
            x = q[:3] + 0.3 * (np.cos(w[2]) * R[:, 0] + np.sin(w[2]) * R[:, 1])
            return np.sum((ground(w[:2]) - x) ** 2)

        least = min(minimize(rim, [q[0], q[1], k], tol=1e-14).fun for k in np.linspace(-3, 3, 8))
        assert float(wheel(q, HOME)) == pytest.approx(np.sqrt(least) - 0.1, abs=1e-6)


def test_what_just_touches_a_bowl_has_no_gap(rng):
    """Slopes up to 1.4, balls up to 0.8 and wheels up to 0.5 of the least radius of curvature, which is 1."""
    bowl = Terrain(lambda x, y: 0.5 * (x * x + y * y))
    radius = ca.SX.sym("radius")
    (A, q, _, _), (B, home, _, _) = mover("a", False), mover("b", False)
    ball, wheel = (
        ca.Function("gap", [q, home, radius], [touches(outline, A, bowl, B, False)[0].gap])
        for outline in (Ball(radius), Wheel(radius, radius / 4))
    )
    for _ in range(100):
        u = rng.uniform(-1, 1, 2)
        foot, normal = np.array([*u, u @ u / 2]), np.array([*-u, 1.0]) / np.sqrt(1 + u @ u)
        r = rng.uniform(0.05, 0.8)
        assert float(ball(np.r_[foot + r * normal, 1, 0, 0, 0], HOME, r)) == pytest.approx(0, abs=1e-12)
        e, r = np.r_[0.7, 0.7, rng.normal(size=2) * 0.1], r / 1.6
        e /= np.linalg.norm(e)
        axle = np.array(ca.DM(rotations.from_quaternion(ca.SX(e))))[:, 2]
        up = normal - normal @ axle * axle
        centre = foot + r / 4 * normal + 0.75 * r * up / np.linalg.norm(up)
        assert float(wheel(np.r_[centre, e], HOME, r)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Box((1, 0.7, 0.5), 0.05), Box((0.6, 0.9, 0.8), 0.05)),
        (Convex(WEDGE, 0.05), Box((0.6, 0.9, 0.8), 0.05)),
        (Ball(0.1), Convex(WEDGE, 0.05)),
    ],
)
def test_least_gap_of_convex_outlines_is_their_distance(a, b, rng):
    """Against the quadratic programme over both sets of corners."""
    from linkwork.components.contacts.outlines import corners_of

    f, compared = gaps(a, b), 0
    for _ in range(12):
        q = placed(rng, False, 1.2, 0.8)
        R = np.array(ca.DM(rotations.from_quaternion(ca.SX(q[3:7]))))
        mine = [np.zeros(3)] if isinstance(a, Ball) else [np.array(ca.DM(c)).ravel() for c in corners_of(a)]
        mine = np.array([q[:3] + R @ c for c in mine])
        theirs = np.array([np.array(ca.DM(c)).ravel() for c in corners_of(b)])
        n, m = len(mine), len(theirs)
        D = np.vstack([mine, -theirs])
        ones = [
            {"type": "eq", "fun": lambda w, n=n: w[:n].sum() - 1},
            {"type": "eq", "fun": lambda w, n=n: w[n:].sum() - 1},
        ]
        start = np.r_[np.full(n, 1 / n), np.full(m, 1 / m)]
        s = minimize(
            lambda w, D=D: np.sum((w @ D) ** 2), start, jac=lambda w, D=D: 2 * D @ (w @ D), bounds=[(0, 1)] * (n + m),
            constraints=ones, method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
        )  # fmt: skip
        distance, radii = np.sqrt(s.fun), (a.radius if isinstance(a, Ball) else a.rounding) + b.rounding
        if distance > 0.02:
            compared += 1
            in_use = [x for x in np.array(f(q, HOME)).ravel() if x != 1.0]  # 1 m: not in use
            assert min(in_use) == pytest.approx(distance - radii, abs=2e-4)
    assert compared > 5


def test_far_from_strongly_curved_ground_the_sign_is_right(rng):
    """Where no single nearest place exists, it is still said which side the ball is on."""
    f = gaps(Ball(0.1), Terrain(lambda x, y: 0.5 * lw.sin(6 * x) * lw.sin(5 * y)))
    for _ in range(200):
        q = np.r_[rng.uniform(-3, 3, 2), rng.uniform(1.2, 12), 1, 0, 0, 0]
        assert float(f(q, HOME)) > 0
        q[2] *= -1
        assert float(f(q, HOME)) < 0


def simulated(options):
    m = lw.Model("m", gravity=(0, 0, -9.81))
    m.contact("bad", m.body("a", mass=1, inertia=(1, 1, 1)), **options)
    return m.simulate(0.1)


def test_what_cannot_touch_is_refused():
    m = lw.Model("m", gravity=(0, 0, -9.81))
    a, b = (m.body(n, mass=1, inertia=(1, 1, 1)) for n in "ab")
    m.contact("hub", a, b, shape=Wheel(0.3), other=Ball(0.2))
    with pytest.raises(lw.LinkworkError, match=r"hub.*lw.outlines.Wheel with lw.outlines.Ball"):
        m.simulate(0.1)
    for bad, word in (
        ({"shape": Box((1, 1))}, "dimensions"),
        ({"shape": Ball(1.0), "radius": 1.0}, "both"),
        ({"height": hills, "other": Ball(1.0)}, "both"),
        ({"shape": 3}, "not an outline"),
        ({"height": 3}, "not a function"),
        ({"bristle_damping": 1.0}, "without bristle"),
        ({"height": lambda x, y: ca.vertcat(x, y)}, "2 values"),
    ):
        with pytest.raises(lw.LinkworkError, match=rf"bad.*{word}"):
            simulated(bad)
    for wrong, word in (
        (lambda: Box((1, -1)), "size"),
        (lambda: Box((1, 1), 0.6), "rounding"),
        (lambda: Wheel(1, 2), "crown"),
        (lambda: Convex([(0, 0), (1, 1), (2, 2)]), "no area"),
        (lambda: Cylinder(0), "radius"),
    ):
        with pytest.raises(lw.LinkworkError, match=word):
            wrong()


@pytest.mark.parametrize("lean", [0.5, 1.0])
def test_a_sharp_rim_that_leans_on_a_slope_touches_where_it_should(lean):
    """Its nearest point is beside its lowest one: their heights above the ground may have different signs."""
    m = lw.Model("wheel", gravity=(0, 0, -G))
    wheel = m.body("wheel", mass=1, inertia=(0.01, 0.01, 0.02))
    m.rigid_contact("road", wheel, shape=lw.outlines.Wheel(0.2), height=lambda x, y: 0.3 * x + 0.1 * lw.sin(2 * y))
    foot, normal = np.array([0.1, 0.2, 0.03 + 0.1 * np.sin(0.4)]), np.array([-0.3, -0.2 * np.cos(0.4), 1.0])
    normal /= np.linalg.norm(normal)
    half = (np.pi / 2 - lean) / 2
    axle = np.array([0, -np.sin(2 * half), np.cos(2 * half)])
    up = normal - normal @ axle * axle
    for off in (-1e-7, 1e-7, 1e-4):
        centre = foot + 0.2 * up / np.linalg.norm(up) + off * normal
        wheel.start(position=tuple(centre), rotation=(np.cos(half), np.sin(half), 0, 0))
        assert m.evaluate()["road.gap"][0] == pytest.approx(off, abs=1e-9 + off * off)


def test_a_wheel_tumbles_on_hills_and_not_through_them():
    m = lw.Model("wheel", gravity=(0.5, 0, -G))
    wheel = m.body("wheel", mass=1, inertia=(0.01, 0.01, 0.02))
    hills = lambda x, y: 0.05 * lw.sin(2 * x) * lw.cos(y)  # noqa: E731
    m.rigid_contact("road", wheel, shape=lw.outlines.Wheel(0.2), restitution=0.3, friction=0.5, height=hills)
    wheel.start(position=(0, 0, 0.6), rotation=(0.9, -0.4, 0.2, 0), velocity=(1, 0, 0), spin=(1, 2, 0))
    r = m.simulate(0.6)
    assert len(r.events) > 3
    assert r["road.gap"].min() > -1e-8
    assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 1e-6
