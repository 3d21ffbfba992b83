"""Scenes, pictures and pages of results."""

from __future__ import annotations

import itertools
import json
import re

import casadi as ca
import numpy as np
import pytest
from matplotlib.path import Path
from scipy.spatial.transform import Rotation

import linkwork as lw
import linkwork.studio
from linkwork.components import shapes
from linkwork.components.joint import Joint
from linkwork.core import registry
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.program import Channel
from linkwork.core.result import Result
from linkwork.studio import colours, film, motion
from linkwork.studio.arrow_nodes import arrow_nodes
from linkwork.studio.build import build_scene
from linkwork.studio.page import scene_data
from linkwork.studio.placing import placed


@pytest.fixture(scope="module")
def crank(example):
    return example("slider_crank").simulate(1.0)


@pytest.fixture(scope="module")
def linkage(example):
    return example("rssr").simulate(0.5)


def node(scene, name, group="body"):
    return next(n for n in scene.nodes if n.name == name and n.group == group)


def test_quaternions_agree_with_scipy(rng):
    for R in Rotation.random(40, random_state=1).as_matrix():
        q = motion.quaternion(R)
        np.testing.assert_allclose(motion.matrix(q), R, atol=1e-14)
    a, b = Rotation.random(5, random_state=2), Rotation.random(5, random_state=3)
    first, second = (np.roll(r.as_quat(), 1, axis=1) for r in (a, b))
    np.testing.assert_allclose(
        motion.rotate(motion.product(first, second), np.tile((1.0, 2, 3), (5, 1))), (a * b).apply((1, 2, 3)), atol=1e-14
    )
    d = rng.normal(size=(30, 3))
    d[0], d[1] = (-1, 0, 0), (0, 0, 0)
    turned = motion.rotate(motion.pointing(d), np.tile((1.0, 0, 0), (30, 1)))
    np.testing.assert_allclose(turned[2:], d[2:] / np.linalg.norm(d[2:], axis=1, keepdims=True), atol=1e-14)
    np.testing.assert_allclose(turned[:2], ((-1, 0, 0), (1, 0, 0)), atol=1e-14)


def test_bodies_are_where_the_result_says(crank, linkage):
    rod = node(build_scene(crank), "rod")
    np.testing.assert_array_equal(rod.position[:, :2], np.column_stack([crank["rod.x"], crank["rod.y"]]))
    angle = 2 * np.arctan2(rod.quaternion[:, 3], rod.quaternion[:, 0])
    np.testing.assert_allclose(np.angle(np.exp(1j * (angle - crank["rod.angle"]))), 0, atol=1e-12)
    rocker = node(build_scene(linkage), "rocker")
    np.testing.assert_allclose(rocker.quaternion[:, 2], linkage["rocker.q2"], atol=1e-12)


def test_frames_of_a_joint_meet(linkage):
    """The loop is closed by the solver; that both sides coincide shows that poses and frames are read rightly."""
    seen = motion.Motion(linkage)
    for name, joint in linkage.description["joints"].items():
        apart = seen.frame(joint["first"]).p - seen.frame(joint["second"]).p
        assert np.abs(apart).max() < 1e-8, name


def test_a_coil_reaches_from_end_to_end(example):
    result = example("squeezer").simulate(0.01)
    scene = build_scene(result)
    coil = next(n for n in scene.nodes if n.name == "spring" and n.scale is not None)
    parts = result.description["parts"]["spring"]["frames"]
    seen = motion.Motion(result)
    points = coil.items[0].points
    for k in (0, 200, 500):
        ends = placed(coil, points[[0, -1]], k)
        np.testing.assert_allclose(ends[0], seen.frame(parts["a"]).p[k], atol=1e-12)
        np.testing.assert_allclose(ends[1], seen.frame(parts["b"]).p[0], atol=1e-12)
        assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(result["spring.length"][k], abs=1e-9)


def test_arrows_are_as_long_as_forces_are_large(crank):
    scene = build_scene(crank, reactions_shown=True)
    arrow = next(a for a in scene.arrows if a.name == "O")
    force = np.column_stack([crank["O.reaction.fx"], crank["O.reaction.fy"]])
    share = arrow.vectors[:, :2] / force
    np.testing.assert_allclose(share, share[0, 0], rtol=1e-9)
    bar, head = arrow_nodes(scene, arrow)
    tip = placed(head, np.array([[3.2 * scene.unit, 0, 0]]), 7)[0]
    np.testing.assert_allclose(tip, arrow.points[7] + arrow.vectors[7], atol=1e-9)
    np.testing.assert_allclose(bar.position[7, :2], (0, 0), atol=1e-9)


def bare_result(kind: type, dimension: int) -> Result:
    """Two bodies that turn, and a joint of a kind between them; for drawing only."""
    t = np.linspace(0, 1, 5)
    axes = ("x", "y", "angle") if dimension == 2 else ("x", "y", "z", "q0", "q1", "q2", "q3")
    columns = {f"{body}.{axis}": np.sin(t + k + j) for k, body in enumerate("ab") for j, axis in enumerate(axes)}
    side = {"rotation": np.eye(3).tolist(), "point": [0.1, 0.2, 0.0]}
    joint = {
        "kind": kind.__name__,
        "kinds": [c.__name__ for c in kind.__mro__],
        "dimension": dimension,
        "first": {"body": "ground", **side},
        "second": {"body": "a", **side},
        "laws": {"slide": ["Spring"], "angle": ["Motion", "Spring"]},
    }
    other = {**joint, "first": {"body": "a", **side}, "second": {"body": "b", **side}}
    description = {
        "ground": "ground",
        "dimension": dimension,
        "gravity": [0.0] * (dimension - 1) + [-9.81],
        "bodies": {"ground": {"shapes": []}, "a": {"shapes": []}, "b": {"shapes": [], "mass": 1.0}},
        "joints": {"first": joint, "second": other},
        "parts": {},
    }
    data = np.column_stack(list(columns.values()))
    return Result(t, data, [Channel(name, "") for name in columns], description=description)


JOINTS = [cls for cls in registry.components.values() if issubclass(cls, Joint)]


@pytest.mark.parametrize("cls", JOINTS, ids=lambda c: c.__name__)
def test_every_joint_is_drawn_in_space_and_in_the_plane_if_it_exists_there(cls):
    for dimension in (3,) if cls.plane is None else (2, 3):
        scene = build_scene(bare_result(cls, dimension))
        for item in itertools.chain(*(n.items for n in scene.nodes)):
            numbers = item.vertices if hasattr(item, "vertices") else getattr(item, "points", None)
            assert numbers is None or np.isfinite(numbers).all()
        assert np.isfinite(scene.low).all() and np.isfinite(scene.high).all()


def test_a_joint_class_of_ones_own_takes_the_symbol_of_its_base():
    class Hinge(registry.components["revolute"]):  # type: ignore[misc]
        pass

    plain, own = (build_scene(bare_result(c, 2)) for c in (registry.components["revolute"], Hinge))
    assert len(plain.nodes) == len(own.nodes)


def test_planar_scenes_are_seen_face_on_and_spatial_ones_from_above(crank, linkage):
    flat, solid = build_scene(crank), build_scene(linkage)
    np.testing.assert_allclose(flat.towards, (0, 0, 1))
    assert 0.1 < solid.towards @ solid.up < 0.9
    np.testing.assert_allclose(solid.up, (0, 0, 1))


def test_a_mechanism_that_travels_is_followed():
    m = lw.Model("wheel", gravity=(0, -9.81))
    wheel = m.body("wheel", mass=1, inertia=0.01).start(position=(0, 0.1), velocity=(5, 0), spin=-50)
    m.rolling("road", wheel, radius=0.1)
    scene = build_scene(m.simulate(4))
    assert scene.follow == "wheel" and scene.diagonal < 1
    assert build_scene(m.simulate(4), follow="wheel").follow == "wheel"


def test_a_ball_that_bounces_is_seen_as_a_whole_with_all_its_way():
    m = lw.Model("ball", gravity=(0, -9.81))
    ball = m.sphere("ball", radius=0.1, mass=1).start(position=(0, 1), velocity=(1, 0))
    m.rigid_contact("floor", ball, radius=0.1, restitution=0.7)
    scene = build_scene(m.simulate(2))
    assert scene.follow is None
    assert (scene.hull.min(axis=0) <= (-0.1, 0.0, 0)).all() and (scene.hull.max(axis=0) >= (2.1, 1.1, 0)).all()


def test_pins_are_smaller_than_the_links_of_a_long_chain():
    result, count = bare_result(registry.components["revolute"], 2), 60
    joint, frame = result.description["joints"]["second"], {"rotation": np.eye(3).tolist()}
    bodies = {f"link{i}": {"shapes": [], "mass": 1.0} for i in range(count)}
    joints = {
        f"pin{i}": joint | {"first": {"body": f"link{i - 1}" if i else "ground", "point": [0.1, 0, 0], **frame},
                            "second": {"body": f"link{i}", "point": [-0.1, 0, 0], **frame}}
        for i in range(count)
    }  # fmt: skip
    channels = [Channel(f"link{i}.{axis}", "") for i in range(count) for axis in ("x", "y", "angle")]
    data = np.array([[0.2 * i + 0.1, 0.0, 0.0] for i in range(count)]).reshape(1, -1)
    description = result.description | {"bodies": {"ground": {"shapes": []}} | bodies, "joints": joints}
    assert 2 * build_scene(Result([0.0], data, channels, description=description)).unit < 0.2


def test_land_below_everything_needs_no_floor(linkage):
    def scene(reach: float):
        land = shapes.Terrain(lambda x, y: 0.1 * x * y - 1, (-reach, reach), (-reach, reach), colour="green")
        bodies = linkage.description["bodies"] | {"ground": {"shapes": [land.data(lambda e: np.array(ca.DM(e)))]}}
        description = linkage.description | {"bodies": bodies}
        return build_scene(Result(linkage.t, linkage.data, linkage.channels, description=description))

    wide, narrow = scene(9.0), scene(0.1)
    assert [node.name for node in wide.nodes if node.name == "floor"] == []
    assert [node.name for node in narrow.nodes if node.name == "floor"] == ["floor"]
    land = next(node for node in wide.nodes if node.name == "land")
    assert land.items[0].colour == colours.NAMES["green"]


def test_wheels_of_a_gear_touch_and_their_teeth_interlock():
    m = lw.Model("gears", gravity=(0, -9.81))
    pinion, wheel = (m.body(name, mass=1, inertia=0.01) for name in ("pinion", "wheel"))
    A = m.revolute("A", m.ground.at(0, 0), pinion.at(0, 0))
    B = m.revolute("B", m.ground.at(0.24, 0.18), wheel.at(0, 0))
    m.gear("mesh", A.angle, B.angle, ratio=-0.5)
    A.angle.law(lw.Effort(0.1))
    scene = build_scene(m.simulate(1))
    outlines = {n.name: placed(n, n.items[0].rings[0], 7)[:, :2] for n in scene.nodes if n.group == "body"}
    middle = np.array([0.24, 0.18]) / 3  # where the pitch circles of 0.1 m and 0.2 m touch
    for one, other in ("pinion", "wheel"), ("wheel", "pinion"):
        near = outlines[one][np.linalg.norm(outlines[one] - middle, axis=1) < 0.03]
        assert len(near) > 3 and not Path(outlines[other]).contains_points(near, radius=-1e-3).any()


def test_axes_of_the_page_are_numbered_in_units_that_read_well(example):
    data = scene_data(build_scene(example("hydraulic_jack").simulate(0.02), plot="head.pressure"))
    assert [(c["unit"], c["shown"], c["exponent"]) for c in data["curves"]] == [("Pa", "MPa", 6)]


def test_speed_is_chosen_so_that_a_film_lasts_some_seconds(crank, example):
    assert build_scene(crank).speed == 1 and build_scene(crank, speed=3).speed == 3
    for end, speed in ((0.05, 0.01), (600.0, 20.0)):
        stretched = Result(crank.t * end, crank.data, crank.channels, description=crank.description)
        assert build_scene(stretched).speed == speed
    with pytest.raises(LinkworkError, match="speed"):
        build_scene(crank, speed=0)


def test_many_samples_are_thinned_out():
    result = bare_result(registry.components["revolute"], 2)
    t = np.linspace(0, 1, 20000)
    data = np.column_stack([np.interp(t, result.t, result[name]) for name in result])
    many = Result(t, data, result.channels, description=result.description)
    scene = build_scene(many)
    assert len(scene.t) == motion.POSE_LIMIT // len(scene.bodies()) and scene.t[-1] == 1 and scene.t[0] == 0


def test_a_saved_result_can_be_animated(crank, tmp_path):
    crank.save(tmp_path / "run.nc")
    again = Result.load(tmp_path / "run.nc")
    assert json.dumps(scene_data(build_scene(again))) == json.dumps(scene_data(build_scene(crank)))


def test_the_page_holds_everything(crank, tmp_path):
    file = tmp_path / "run.html"
    made = crank.animate(file, plot="piston.x, O.reaction.*")
    text = file.read_text("utf-8")
    assert text == made.html and len(text) < 3e6
    outside = re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)", text)
    assert not outside and text.count("</script>") == 3
    assert "Three.js Authors" in text
    assert made._repr_html_().startswith("<iframe srcdoc=") and "3 bodies" in repr(made)


def test_names_cannot_break_the_page(crank):
    result = Result(
        crank.t, crank.data, crank.channels, record={"model": "</script><b>%THREE%"}, description=crank.description
    )
    text = result.animate().html
    assert text.count("</script>") == 3 and "&lt;/script&gt;" in text


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_snapshots_are_not_empty(crank, suffix, tmp_path):
    file = tmp_path / f"frame.{suffix}"
    crank.snapshot(0.5, file, labels=True, reactions=True)
    assert file.stat().st_size > 3000


@pytest.mark.parametrize("name", ["slider_crank", "rssr", "spinning_top", "hydraulic_jack"])
def test_pictures_have_ink_on_them_and_a_margin_around(example, name, tmp_path):
    image = next(film.pictures(build_scene(example(name).simulate(0.1)), 1)).astype(float)
    inked = np.abs(image - 255).sum(axis=2) > 30
    assert 0.005 < inked.mean() < 0.95
    if name in ("slider_crank", "hydraulic_jack"):
        border = np.concatenate([inked[0], inked[-1], inked[:, 0], inked[:, -1]])
        assert not border.any()


def test_a_gif_has_as_many_pictures_as_it_should(crank, tmp_path):
    from PIL import Image

    file = tmp_path / "run.gif"
    crank.animate(speed=2).save(file, fps=10)
    with Image.open(file) as image:
        assert image.n_frames == 5 and image.size[0] % 2 == 0


def test_a_film_without_ffmpeg_is_told(crank, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(LinkworkError, match="ffmpeg.*gif"):
        crank.animate(tmp_path / "run.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda r: r.animate(plot="pistn.x"), r"piston\.x"),
        (lambda r: r.animate(trace=["pistn"]), "piston"),
        (lambda r: r.animate(follow="ground"), "no body named 'ground'"),
        (lambda r: r.animate("run.avi"), "suffix.*html"),
        (lambda r: r.animate("/nowhere/run.html"), "cannot be written"),
        (lambda r: r.snapshot(0.5, "/nowhere/run.png"), "cannot be written"),
        (lambda r: r.snapshot(0.5, "run.bmp"), "suffix.*png"),
        (lambda r: r.snapshot(7.0), "covers 0"),
    ],
)
def test_bad_input_is_told(crank, call, said):
    with pytest.raises(LinkworkError, match=said):
        call(crank)


def test_an_unknown_channel_is_an_unknown_name(crank):
    with pytest.raises(UnknownName):
        crank.animate(plot=["nothing"])


def test_results_without_bodies_and_empty_ones_are_told(crank):
    bare = Result([0, 1], [[1], [2]], [Channel("x", "m")], record={"model": "circuit"})
    with pytest.raises(LinkworkError, match="circuit.*no body"):
        bare.animate()
    empty = Result([], np.zeros((0, len(crank))), crank.channels, description=crank.description)
    with pytest.raises(LinkworkError, match="empty"):
        empty.animate()


def test_importing_the_studio_imports_no_drawing_library():
    import subprocess
    import sys

    code = "import sys, linkwork.studio; print(*[p for p in ('matplotlib', 'trimesh', 'PIL') if p in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []


def test_uneven_ground_is_described_once_and_drawn_where_it_is():
    """Two wheels on one road, whose height is a parameter."""
    m = lw.Model("road", gravity=(0, -9.81))
    rise = m.parameter("rise", 0.3, unit="m")

    def road(x):
        return rise * lw.cos(x)

    for k in (0, 1):
        wheel = m.body(f"wheel{k}", mass=1, inertia=0.01).start(position=(k, 0.6))
        m.contact(f"touch{k}", wheel, radius=0.1, height=road)
    result = m.simulate(0.2, parameters={"rise": 0.2})
    told = [part["heights"] for part in result.description["parts"].values() if "heights" in part]
    assert len(told) == 1
    xs = np.linspace(*told[0]["x"], len(told[0]["heights"][0]))
    np.testing.assert_allclose(told[0]["heights"][0], 0.2 * np.cos(xs), atol=1e-5)
    ground = next(n for n in build_scene(result).nodes if n.name == "floor")
    top = ground.items[0].rings[0]
    np.testing.assert_allclose(top[2:, 1], 0.2 * np.cos(top[2:, 0]), atol=1e-4)


def test_outlines_that_touch_are_what_is_seen():
    from linkwork.components.contacts.outlines import Box

    m = lw.Model("block", gravity=(0, -9.81))
    block = m.body("block", mass=1, inertia=0.02).start(position=(0, 1))
    m.contact("touch", block.at(0.1, 0), shape=Box((0.4, 0.2)))
    ring = node(build_scene(m.simulate(0.1)), "block").items[0].rings[0]
    np.testing.assert_allclose((ring.min(axis=0), ring.max(axis=0)), ((-0.1, -0.1), (0.3, 0.1)), atol=1e-12)


def test_a_cylinder_is_drawn_between_its_ends_and_its_piston_stays_inside(example):
    result = example("excavator_boom").simulate(0.5)
    scene = build_scene(result)
    pot, rod = (n for n in scene.nodes if n.name == "lift" and n.group == "element" and len(n.items) == 2)
    seen = motion.Motion(result)
    frames = result.description["parts"]["lift"]["frames"]
    np.testing.assert_allclose(pot.position[0], seen.frame(frames["from"]).p[0], atol=1e-12)
    np.testing.assert_allclose(rod.position[-1], seen.frame(frames["to"]).p[-1], atol=1e-12)
    barrel, piston = pot.items[0].rings[0], rod.items[1].rings[0]
    for k in (0, len(scene.t) - 1):
        length = np.linalg.norm(rod.position[k] - pot.position[0])
        assert barrel[:, 0].min() < length - piston[:, 0].mean() < barrel[:, 0].max()
