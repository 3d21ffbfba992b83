"""Forces of contact by direction: normal, ahead, aside, with the same names for the same things everywhere."""

import numpy as np
import pytest

import linkwork as lw

G, M, R = 9.81, 2.0, 0.2
FORMULATIONS = (
    "absolute",
    "minimal",
    "compliant",
    "points",
    "acausal",
    "bondgraph",
    "bondgraph-rc",
    "bondgraph-zcp",
    "bondgraph-minimal",
    "bondgraph-canonical",
)
UPRIGHT = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
"""Axle along y: ahead is x."""


def close(formulation):
    """Springs of compliant joints still ring a little."""
    return {"abs": 1e-3 if formulation in ("compliant", "bondgraph-rc") else 1e-7}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("planar", [True, False])
def test_a_disc_that_rolls_down_a_slope(formulation, planar):
    """Normal m g cos α; friction m g sin α / 3, against the way it goes."""
    slope = 0.3
    down, press = G * np.sin(slope), G * np.cos(slope)
    m = lw.Model("slope", gravity=(down, -press) if planar else (down, 0, -press))
    inertia = M * R * R / 2
    disc = m.body("disc", mass=M, inertia=inertia if planar else (inertia / 2, inertia / 2, inertia))
    disc.start(position=(0, R)) if planar else disc.start(position=(0, 0, R), rotation=UPRIGHT)
    m.rolling("roll", disc, radius=R)
    r = m.simulate(0.5, formulation=formulation)
    assert r.final["roll.normal"] == pytest.approx(M * press, **close(formulation))
    assert r.final["roll.ahead"] == pytest.approx(-M * down / 3, **close(formulation))
    assert planar or r.final["roll.aside"] == pytest.approx(0, **close(formulation))
    assert r.unit("roll.normal") == r.unit("roll.ahead") == "N"


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "acausal", "bondgraph", "bondgraph-zcp"])
def test_a_coin_that_rolls_in_a_circle(formulation):
    """Steady: Ω² cos β (J_a ρ/R + J_t sin β + m R ρ) = m g R sin β; the circle's centre is to its left."""
    lean, ring = 0.35, 0.6
    Ja, Jt = M * R * R / 2, M * R * R / 4
    turning = np.sqrt(M * G * R * np.sin(lean) / np.cos(lean) / (Ja * ring / R + Jt * np.sin(lean) + M * R * ring))
    spin = turning * (ring / R + np.sin(lean))
    axle = np.array((-np.cos(lean), 0, -np.sin(lean)))
    up = np.array((-np.sin(lean), 0, np.cos(lean)))
    rotation = np.column_stack([up, np.cross(axle, up), axle])
    m = lw.Model("coin", gravity=(0, 0, -G))
    coin = m.body("coin", mass=M, inertia=(Jt, Jt, Ja)).start(
        position=(ring, 0, R * np.cos(lean)),
        rotation=rotation.tolist(),
        velocity=(0, ring * turning, 0),
        spin=tuple(turning * np.array((0, 0, 1)) + spin * axle),
    )
    m.rolling("roll", coin, radius=R)
    r = m.simulate(1, formulation=formulation)
    np.testing.assert_allclose(r["roll.normal"], M * G, atol=1e-5)
    np.testing.assert_allclose(r["roll.aside"], M * ring * turning**2, atol=1e-5)
    np.testing.assert_allclose(r["roll.ahead"], 0, atol=1e-5)


def wheel_on(kind):
    """A wheel that is thrown on the floor, leaning, turning and slipping."""
    m = lw.Model("wheel", gravity=(0, 0, -G))
    c, s = np.cos(0.2), np.sin(0.2)
    body = m.body("body", mass=M, inertia=(0.02, 0.02, 0.04)).start(
        position=(0, 0, R * np.cos(0.2) - (0.002 if kind in ("contact", "tyre") else 0)),
        rotation=[[1, 0, 0], [0, s, c], [0, -c, s]],
    )
    if kind == "rolling":
        m.rolling("x", body, radius=R)
        body.start(spin=(0.3, 0.7, 0.4))
        return m
    body.start(velocity=(0.5, 0.2, 0), spin=(0, 1.0, 0.4))
    if kind == "tyre":
        m.tyre("x", body, radius=R, stiffness=1e4)
    elif kind == "contact":
        m.contact("x", body, shape=lw.outlines.Wheel(R), friction=0.4, stiffness=1e5)
    else:
        m.rigid_contact("x", body, shape=lw.outlines.Wheel(R), friction=0.4)
    return m


@pytest.mark.parametrize("kind", ["rolling", "contact", "rigid_contact", "tyre"])
def test_they_sum_up_to_mass_times_acceleration(kind):
    """F = m (a − g), taken apart along directions that are written down here once more."""
    r = wheel_on(kind).simulate(0.05, output=0.005)
    q = np.array([r[f"body.q{i}"] for i in range(4)])
    w, x, y, z = q
    axle = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]).T
    ahead = np.cross(axle, (0, 0, 1))
    ahead /= np.linalg.norm(ahead, axis=1)[:, None]
    aside = np.cross((0, 0, 1), ahead)
    force = M * (np.array([r["body.ax"], r["body.ay"], r["body.az"]]).T + (0, 0, G))
    np.testing.assert_allclose(r["x.normal"], force[:, 2], atol=1e-8)
    np.testing.assert_allclose(r["x.ahead"], np.einsum("ij,ij->i", force, ahead), atol=1e-8)
    np.testing.assert_allclose(r["x.aside"], np.einsum("ij,ij->i", force, aside), atol=1e-8)
    assert np.abs(r["x.aside"]).max() > 1e-2


@pytest.mark.parametrize("kind", ["contact", "rigid_contact"])
def test_a_box_that_rests_on_a_slope(kind):
    """All corners together: m g cos α, and −m g sin α along x; each has its own."""
    slope = 0.2
    m = lw.Model("box", gravity=(G * np.sin(slope), -G * np.cos(slope)))
    box = m.body("box", mass=M, inertia=0.01).start(position=(0, 0.05))
    more = {"bristle": 1e5, "dissipation": 5.0, "stiffness": 1e6} if kind == "contact" else {}
    getattr(m, kind)("x", box, shape=lw.outlines.Box((0.2, 0.1)), friction=0.5, **more)
    r = m.simulate(3)
    assert r.final["x.normal"] == pytest.approx(M * G * np.cos(slope), rel=1e-6)
    assert r.final["x.ahead"] == pytest.approx(-M * G * np.sin(slope), rel=1e-6)
    for word in ("normal", "ahead"):
        each = [r.final[name] for name in r.names(f"x.*.{word}")]
        assert len(each) == 4 and sum(each) == pytest.approx(r.final[f"x.{word}"])
    assert "x.aside" not in r and "x.normal" in r


def test_without_friction_there_is_none_along_the_surface():
    m = lw.Model("ice", gravity=(0, 0, -G))
    ball = m.body("ball", mass=M, inertia=(0.1, 0.1, 0.1)).start(position=(0, 0, R), velocity=(1, 0, 0))
    m.rigid_contact("x", ball, radius=R)
    r = m.simulate(0.1)
    assert (r.final["x.normal"], r.final["x.ahead"], r.final["x.aside"]) == pytest.approx((M * G, 0, 0))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_knife_edge_holds_aside(formulation):
    """A skate driven round a circle by its own spin: m v ω towards its left, about z."""
    m = lw.Model("skate", gravity=(0, 0))
    body = m.body("body", mass=M, inertia=0.1).start(position=(0, 0), velocity=(1.5, 0), spin=2.0)
    m.knife_edge("edge", body)
    soft = lw.Compliance(stiffness=1, damping=1e5)  # slips by 0.06 mm/s, where it is compliant
    r = m.simulate(1, formulation=formulation, compliance=soft, rtol=1e-10)
    np.testing.assert_allclose(r["edge.aside"][50:], M * 1.5 * 2.0, atol=close(formulation)["abs"])


def test_a_cam_presses_by_the_same_name():
    m = lw.Model("cam")
    body = m.body("body", mass=M, inertia=0.1).start(position=(0, 0.1))
    m.cam("x", m.ground.at(), body.at(), radius=lambda angle: 0.1, dissipation=10.0, stiffness=1e6)
    m.prismatic("rail", m.ground.at(rotation=np.pi / 2), body.at(rotation=np.pi / 2))
    r = m.simulate(3)
    assert r.final["x.normal"] == r.final["x.force"] == pytest.approx(M * G, rel=1e-4)
