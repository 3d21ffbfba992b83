"""Boxes, polygons and polyhedra on each other: they rest where statics says, and as MuJoCo has them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.components.contacts.manifold import apart
from linkwork.components.contacts.outlines import Box, Convex, Ellipsoid
from linkwork.components.contacts.polytope import numbers_of

G = 9.81
SPRINGY = {"stiffness": 1e6, "exponent": 1.0, "dissipation": 100.0, "friction": 0.5, "bristle": 1e5}
RIGID = {"friction": 0.5}


def stacked(kind, places, sizes, planar=True, angle=()):
    """Boxes at places (…, height of the lower face) on the ground and on each other; masses 1, 2, … kg."""
    m = lw.Model("stack", gravity=(0, -G) if planar else (0, 0, -G))
    below = None
    for k, (place, size) in enumerate(zip(places, sizes, strict=True)):
        mass = float(k + 1)
        inertia = [mass * (np.dot(size, size) - s * s) / 12 for s in size]
        b = m.body(f"b{k}", mass=mass, inertia=mass * np.dot(size, size) / 12 if planar else tuple(inertia))
        turn = angle[k] if k < len(angle) else 0.0
        spin = {"angle": turn} if planar else {"quaternion": (np.cos(turn / 2), 0, 0, np.sin(turn / 2))}
        b.start(position=(*place[:-1], place[-1] + size[-1] / 2), **spin)
        touch, how = (m.contact, SPRINGY) if kind == "springy" else (m.rigid_contact, RIGID)
        if below is None:
            touch("c0", b, shape=Box(size), **how)
        else:
            touch(f"c{k}", b, below[0], shape=Box(size), other=Box(below[1]), **how)
        below = b, size
    return m


def pressed(r, k) -> float:
    """Sum of the normal forces [N] of contact k at the end."""
    if f"c{k}.force" in r:
        return r.final[f"c{k}.force"]
    return sum(r.final[name] for name in r.names(f"c{k}.*.normal"))


def check_rest(r, count, up, heights, within):
    """Each contact carries what is above it, and all stands where it should."""
    for k in range(count):
        assert pressed(r, k) == pytest.approx(G * sum(range(k + 1, count + 1)), rel=1e-4)
        assert r.final[f"b{k}.{up}"] == pytest.approx(heights[k], abs=within)
    assert r.final["energy.kinetic"] < (1e-7 if "c0.force" in r else 1e-12)


@pytest.mark.parametrize("kind", ["springy", "rigid"])
@pytest.mark.parametrize("offset", [0.0, 0.001, 0.01])
def test_equal_boxes_rest_on_each_other(kind, offset):
    r = stacked(kind, [(0, 0), (offset, 0.1), (0, 0.2)], [(0.1, 0.1)] * 3).simulate(1)
    check_rest(r, 3, "y", [0.05, 0.15, 0.25], 3e-4 if kind == "springy" else 1e-9)
    assert r.final["b1.x"] == pytest.approx(offset, abs=1e-4 if kind == "springy" else 1e-9)


@pytest.mark.parametrize("kind", ["springy", "rigid"])
def test_boxes_that_fall_on_each_other_stop(kind):
    """Dropped, tilted, of different sizes: none is inside another at any time, and all come to rest."""
    sizes = [(0.2, 0.1), (0.12, 0.1), (0.3, 0.06)]
    m = stacked(kind, [(0, 0.01), (0.01, 0.13), (0.01, 0.26)], sizes, angle=(0.0, 0.1, -0.05))
    r = m.simulate(2, output=0.01)
    check_rest(r, 3, "y", [0.05, 0.15, 0.23], 3e-4 if kind == "springy" else 1e-9)
    shapes = [numbers_of(Box(size)) for size in sizes]
    for k in range(len(r.t)):
        poses = [
            (
                Rotation.from_rotvec([0, 0, r[f"b{i}.angle"][k]]).as_matrix(),
                np.array([r[f"b{i}.x"][k], r[f"b{i}.y"][k], 0]),
            )
            for i in range(3)
        ]
        for i, ((R, p), (S, q)) in enumerate(zip(poses[:-1], poses[1:], strict=True)):
            assert apart(shapes[i + 1], shapes[i], R.T @ S, R.T @ (q - p)) > (-2e-3 if kind == "springy" else -1e-9)
    assert np.all(np.diff(r["energy.dissipated"]) > -1e-9)


def test_an_overhanging_box_presses_by_its_lever():
    """Forces at both ends of the face that two boxes share, from sum and moment."""
    r = stacked("rigid", [(0, 0), (0.03, 0.1)], [(0.1, 0.1)] * 2).simulate(0.1)
    left, right = -0.02, 0.05  # ends of the shared face; the upper box's centre is at 0.03
    at_right = 2 * G * (0.03 - left) / (right - left)
    assert sorted(r.final[name] for name in r.names("c1.*.normal")) == pytest.approx([2 * G - at_right, at_right])


@pytest.mark.parametrize(("overhang", "stays"), [(-0.0005, True), (0.0005, False)])
def test_a_box_tips_when_its_centre_is_beyond_the_edge(overhang, stays):
    m = lw.Model("edge")
    box = m.body("box", mass=1, inertia=1 / 600).start(position=(overhang, 0.05))
    m.rigid_contact("table", box, m.ground.at(-0.5, -0.5), shape=Box((0.1, 0.1)), other=Box((1, 1)), friction=1.0)
    r = m.simulate(3)
    assert (abs(r.final["box.angle"]) < 1e-9) == stays
    assert stays or r.final["box.y"] < -0.1


def test_a_box_slides_down_a_tilted_one_and_off_its_end():
    """Until its centre is beyond the end it slides by g (sin β − μ cos β)."""
    beta, mu = 0.6, 0.3
    c, s = np.cos(beta), np.sin(beta)
    m = lw.Model("slide")
    plank = m.ground.at(0, 0, rotation=-beta)
    box = m.body("box", mass=1, inertia=1e-3).start(position=(-0.3 * c + 0.1 * s, 0.3 * s + 0.1 * c), angle=-beta)
    m.rigid_contact("touch", box, plank, shape=Box((0.1, 0.1)), other=Box((1.0, 0.1)), friction=mu)
    r = m.simulate(1.2, output=0.01, rtol=1e-10, atol=1e-12)
    along = r["box.x"] * c - r["box.y"] * s
    slides = along < 0.4999
    expected = -0.3 + G * (s - mu * c) * r.t**2 / 2
    assert along[slides] == pytest.approx(expected[slides], abs=1e-8)
    assert (~slides).any() and r.final["box.y"] < -0.5
    shapes = numbers_of(Box((0.1, 0.1))), numbers_of(Box((1.0, 0.1)))
    R = Rotation.from_rotvec([0, 0, -beta]).as_matrix()
    for x, y, turn in zip(r["box.x"], r["box.y"], r["box.angle"], strict=True):
        S = Rotation.from_rotvec([0, 0, turn]).as_matrix()
        assert apart(*shapes, R.T @ S, R.T @ np.array([x, y, 0])) > -1e-7


@pytest.mark.parametrize("kind", ["springy", "rigid"])
def test_a_box_lies_in_a_groove(kind):
    """Two faces at 45° share its weight: each presses with W/√2, without friction."""
    m = lw.Model("groove")
    box = m.body("box", mass=2, inertia=2 / 600).start(position=(0, 0.0708), angle=np.pi / 4)
    for name, side in (("left", -1), ("right", 1)):
        wall = m.ground.at(side * 0.35355, 0, rotation=-side * np.pi / 4)
        shapes = {"shape": Box((0.1, 0.1)), "other": Box((0.5, 0.5))}
        if kind == "springy":
            m.contact(name, box, wall, stiffness=1e6, exponent=1.0, dissipation=100, **shapes)
        else:
            m.rigid_contact(name, box, wall, **shapes)
    r = m.simulate(1)
    for name in ("left", "right"):
        force = r.final[f"{name}.force"] if kind == "springy" else sum(r.final[n] for n in r.names(f"{name}.*.normal"))
        assert force == pytest.approx(2 * G / np.sqrt(2), rel=1e-3)
    assert abs(r.final["box.x"]) < 1e-6


@pytest.mark.parametrize("sides", [3, 5, 8])
def test_polygons_rest_on_their_sides(sides):
    """A regular polygon, dropped on an equal one: its centre ends two inner radii above the lower one's."""
    around = 2 * np.pi * (np.arange(sides) + 0.5) / sides - np.pi / 2
    polygon = Convex(0.1 * np.column_stack([np.cos(around), np.sin(around)]))
    inner = 0.1 * np.cos(np.pi / sides)
    m = lw.Model("polygons")
    if sides % 2:
        low = m.ground.at(0, -inner, rotation=np.pi)
    else:
        low = m.ground.at(0, -inner)
    top = m.body("top", mass=1, inertia=0.004).start(position=(0.002, inner + 0.01), angle=0.05)
    m.rigid_contact("pair", top, low, shape=polygon, other=polygon, friction=0.6, restitution=0.1)
    r = m.simulate(1)
    assert r.final["top.y"] == pytest.approx(inner, abs=1e-9)
    assert sum(r.final[n] for n in r.names("pair.*.normal")) == pytest.approx(G)


def test_boxes_turned_against_each_other_rest_in_space():
    """Eight places where edges cross edges; no corner of one is over the other."""
    m = stacked("springy", [(0, 0, 0), (0, 0, 0.1)], [(0.1, 0.1, 0.1)] * 2, planar=False, angle=(0, np.pi / 4))
    r = m.simulate(0.5, solver="radau", rtol=1e-6)
    assert pressed(r, 1) == pytest.approx(2 * G, rel=1e-3)
    assert pressed(r, 0) == pytest.approx(3 * G, rel=1e-3)
    assert sum(r.final[f"c1.force{k}"] > 0.1 for k in range(1, 9)) == 8
    assert r.final["b1.z"] == pytest.approx(0.15, abs=1e-4)


@pytest.mark.slow
def test_a_tetrahedron_falls_on_a_box_in_space():
    corners = 0.06 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
    m = lw.Model("fall", gravity=(0, 0, -G))
    body = m.body("body", mass=1, inertia=(1e-3,) * 3)
    body.start(position=(0.01, 0.02, 0.15), quaternion=(0.8, 0.5, 0.2, 0.1), spin=(1, 2, 0))
    table = m.ground.at(0, 0, -0.05)
    m.rigid_contact("touch", body, table, shape=Convex(corners), other=Box((0.6, 0.6, 0.1)), friction=0.6)
    r = m.simulate(1.5, output=0.01)
    assert r.final["body.z"] == pytest.approx(0.06 / np.sqrt(3), abs=1e-8)  # its inner radius
    assert sum(r.final[n] for n in r.names("touch.*.normal")) == pytest.approx(G)
    shapes = numbers_of(Convex(corners)), numbers_of(Box((0.6, 0.6, 0.1)))
    turns = Rotation.from_quat(np.column_stack([r[f"body.q{k}"] for k in (1, 2, 3, 0)])).as_matrix()
    places = np.column_stack([r[f"body.{x}"] for x in "xyz"]) + [0, 0, 0.05]
    assert min(apart(*shapes, R, p) for R, p in zip(turns, places, strict=True)) > -1e-8


def by_mujoco(places, sizes, angles, seconds) -> tuple[np.ndarray, np.ndarray]:
    """Places of the boxes at rest, and how much each floor carries [N]."""
    mujoco = pytest.importorskip("mujoco")
    bodies = "".join(
        f'<body pos="{x} {y} {z + s[2] / 2}" euler="0 0 {a}"><freejoint/>'
        f'<geom type="box" size="{s[0] / 2} {s[1] / 2} {s[2] / 2}" mass="{k + 1}"/></body>'
        for k, ((x, y, z), s, a) in enumerate(zip(places, sizes, angles, strict=True))
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><option gravity="0 0 -{G}" timestep="0.001" cone="elliptic"/>'
        '<default><geom friction="0.5 0 0" solref="0.004 1" solimp="0.99 0.999 0.0001"/></default>'
        f'<worldbody><geom type="plane" size="2 2 1"/>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    while data.time < seconds:
        mujoco.mj_step(model, data)
    carried, force = np.zeros(len(places)), np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        carried[max(data.contact[k].geom1, data.contact[k].geom2) - 1] += force[0]
    return data.xpos[1:].copy(), carried


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["springy", "rigid"])
@pytest.mark.parametrize("planar", [True, False])
def test_ten_boxes_rest_for_ten_seconds_as_in_mujoco(kind, planar):
    sizes = [(0.1, 0.1, 0.1)] * 10
    places = [(0.01 * (k % 2), 0.0 if planar else 0.01 * (k % 3 == 1), 0.1 * k) for k in range(10)]
    angles = [0.0] * 10 if planar else [0.0, 0.2, 0.0, -0.3] + [0.0] * 6
    if planar:
        m = stacked(kind, [(x, z) for x, _, z in places], [(0.1, 0.1)] * 10)
    else:
        m = stacked(kind, places, sizes, planar=False, angle=angles)
    r = m.simulate(10, solver="radau" if kind == "springy" else "auto", output=0.1)
    up = "y" if planar else "z"
    check_rest(r, 10, up, [0.05 + 0.1 * k for k in range(10)], 3e-3 if kind == "springy" else 1e-9)
    at_rest, carried = by_mujoco(places, sizes, angles, 10)
    for k in range(10):
        ours = [r.final[f"b{k}.x"], 0.0 if planar else r.final[f"b{k}.y"], r.final[f"b{k}.{up}"]]
        assert ours == pytest.approx(at_rest[k], abs=5e-3)
        assert pressed(r, k) == pytest.approx(carried[k], rel=1e-2)


RADII, BELOW = np.array([0.2, 0.03, 0.02]), 0.01
OFFSET = np.array([0, 0, BELOW])
STONE = np.array([[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])


def cross_matrix(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def rattleback(t, x):
    """Rolling ellipsoid by hand, body axes: up direction g and spin w; the contact is at r from the mass centre."""
    g, w = x[:3], x[3:]
    W, squares = cross_matrix(w), RADII**2
    turning, size = -W @ g, np.sqrt(g @ (squares * g))
    r = OFFSET - squares * g / size
    moving = -squares * turning / size + squares * g * (g @ (squares * turning)) / size**3
    L = cross_matrix(r)
    rest = G * g - W @ moving - W @ (W @ r)
    return np.concatenate([turning, np.linalg.solve(STONE - L @ L, L @ rest - W @ (STONE @ w))])


@pytest.mark.parametrize(("spin", "reverses"), [(-5.0, True), (5.0, False)])
def test_a_rattleback_reverses_one_spin_and_keeps_the_other(spin, reverses):
    """Kane and Levinson's stone (1982), against the equations of pure rolling."""
    R = Rotation.from_euler("xy", [0.5, 0.5], degrees=True)
    up = R.inv().apply([0, 0, 1])
    r0 = R.apply(OFFSET - RADII**2 * up / np.sqrt(up @ (RADII**2 * up)))
    w = np.array([0, 0, spin])
    m = lw.Model("rattleback", gravity=(0, 0, -G))
    stone = m.body("stone", mass=1, inertia=STONE)
    x, y, z, scalar = R.as_quat()
    stone.start(position=(0, 0, -r0[2]), quaternion=(scalar, x, y, z), velocity=tuple(-np.cross(w, r0)), spin=tuple(w))
    m.rigid_contact("table", stone.at(0, 0, BELOW), shape=Ellipsoid(RADII), friction=20.0)
    r = m.simulate(3, output=0.01, rtol=1e-9, atol=1e-11)
    s = solve_ivp(rattleback, (0, 3), np.r_[up, R.inv().apply(w)], rtol=1e-9, atol=1e-11, t_eval=r.t, method="DOP853")
    by_hand = np.einsum("ij,ij->j", s.y[:3], s.y[3:])
    assert r["stone.wz"] == pytest.approx(by_hand, abs=1e-6)
    assert (r["stone.wz"].max() > 0.2) if reverses else (r["stone.wz"].min() > 4.5)
