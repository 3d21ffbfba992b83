"""URDF and MJCF: accelerations as Pinocchio and MuJoCo find them in the same file; all that is not taken is told."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.files.robots import mjcf, urdf, xml_tree

from .peers import off_mujoco, off_pinocchio, quietly

FILES = Path(__file__).parent / "robots"
LAUGHS = (
    """<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><robot name="&b;"/>"""
)


def scene(inside: str, **options: bool) -> lw.Model:
    text = f"<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>{inside}</worldbody></mujoco>"
    return mjcf.build(xml_tree.parsed(text.encode(), Path("x.xml")), Path(), **options)


def test_urdf_moves_as_in_pinocchio(tmp_path: Path) -> None:
    pytest.importorskip("pinocchio", reason="pin is not installed")
    free = (FILES / "arm.urdf").read_text("utf-8").replace('<mimic joint="grip" multiplier="0.5" offset="0.01"/>', "")
    (tmp_path / "free.urdf").write_text(free, "utf-8")
    assert off_pinocchio(tmp_path / "free.urdf") < 1e-12


@pytest.mark.parametrize("name", ["four_bar.xml", "spatial_loop.xml"])
def test_mjcf_moves_as_in_mujoco(name: str) -> None:
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    assert off_mujoco(FILES / name) < 1e-12


def test_mimic_is_kept() -> None:
    m = quietly(FILES / "arm.urdf")
    r = m.simulate(0.2)
    assert np.allclose(r["other.slide"], 0.5 * r["grip.slide"] + 0.01, atol=1e-9)
    assert np.ptp(r["grip.slide"]) > 1e-3


def test_what_is_not_taken_is_told() -> None:
    with pytest.warns(lw.LinkworkWarning, match="transmission"):
        m = lw.load(FILES / "arm.urdf")
    said = "\n".join(map(str, m.findings))
    assert "arm.urdf:28 <transmission name='t'>: <transmission> is not understood." in said
    assert "<collision>" in said and "effort and velocity" in said
    told = quietly(FILES / "four_bar.xml").findings
    assert any("not each other" in str(f) for f in told)


def test_masses_of_links_that_are_fixed_together_add_up() -> None:
    m = quietly(FILES / "arm.urdf")
    assert m["upper"].mass == pytest.approx(2.8) and "tip" in m.components
    floating = quietly(FILES / "arm.urdf", floating=True)
    assert "base" in floating.components


def test_a_robot_can_be_saved_as_a_model_file(tmp_path: Path) -> None:
    for name in ("arm.urdf", "four_bar.xml"):
        m = quietly(FILES / name)
        m.save(tmp_path / "x.toml")
        twin = lw.load(tmp_path / "x.toml")
        a, b = m.simulate(0.05), twin.simulate(0.05)
        assert all(np.array_equal(a[c.name], b[c.name]) for c in a.channels)


def test_a_ball_on_a_plane_rests() -> None:
    m = scene("<body name='b' pos='0 0 0.1'><freejoint/><geom size='0.1'/></body>")
    assert "b-sphere-contact" in m.components
    r = m.simulate(0.3)
    assert abs(r["b.z"] - 0.1).max() < 1e-9
    off = scene("<body name='b' pos='0 0 0.1'><freejoint/><geom size='0.1'/></body>", contacts=False)
    assert off.simulate(0.3)["b.z"][-1] == pytest.approx(0.1 - 9.81 * 0.3**2 / 2, rel=1e-6)


def test_a_weld_holds() -> None:
    text = """<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size=".1"/></body>
    <body name="b" pos=".4 0 1" euler="0 0 30"><joint type="ball"/><geom type="box" size=".1 .2 .3"/></body></worldbody>
    <equality><weld body1="a" body2="b"/></equality></mujoco>"""
    m = mjcf.build(xml_tree.parsed(text.encode(), Path("x.xml")), Path())
    r = m.simulate(0.2)
    first, second = (np.array([r[f"{n}.{k}"] for k in "xyz"]) for n in "ab")
    assert np.allclose(np.linalg.norm(first - second, axis=0), 0.4, atol=1e-7) and np.ptp(r["a.z"]) > 1e-3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, "declares a document type"),
        ("<robot><link name='a'/><link name='a'/></robot>", "x.urdf:1: there is a link 'a' already"),
        (
            "<robot><link name='a'/><joint name='j' type='revolute'><parent link='b'/></joint></robot>",
            "no link named 'b'",
        ),
        ("<robot>", "is no XML"),
        ("<robot/>", "there is no <link>"),
        ("<x/>", "begins with <robot>"),
        ("<robot>" + "<a>" * 300 + "</a>" * 300 + "</robot>", "inside each other"),
        ("<robot><link name='a'><inertial><mass value='1e999'/><inertia/></inertial></link></robot>", "not finite"),
    ],
)
def test_wrong_urdf_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(lw.ModelError) as caught:
        urdf.build(xml_tree.parsed(text.encode(), Path("x.urdf")), Path())
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("<body><joint type='helix'/><geom size='1'/></body>", "is one of hinge, slide, ball, free"),
        ("<body name='a'/><body name='a'/>", "there is a body 'a' already"),
        ("<replicate count='9'/>", "would be missing"),
        ("<body><joint axis='0 0 0'/><geom size='1'/></body>", "has no direction"),
        ("<body><joint class='q'/></body>", "no class of defaults named 'q'"),
        ("<body><joint/><geom type='mesh' mesh='m'/></body>", "there is no mesh 'm'"),
        ("<include file='../../etc/passwd'/>", "lies outside of the folder"),
        ("<body><geom size='1 x'/></body>", "no number"),
    ],
)
def test_wrong_mjcf_is_told_with_its_place(inside: str, said: str) -> None:
    with pytest.raises(lw.ModelError) as caught:
        scene(inside)
    assert said in str(caught.value) and str(caught.value).startswith("x.xml:1")


def test_a_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<mujoco><include file='b.xml'/></mujoco>", "utf-8")
    (tmp_path / "b.xml").write_text("<mujoco><include file='a.xml'/></mujoco>", "utf-8")
    with pytest.raises(lw.ModelError, match="includes itself"):
        lw.load(tmp_path / "a.xml")


def swinging(m: lw.Model, name: str) -> np.ndarray:
    return m.simulate(0.3, formulation="minimal", rtol=1e-10, atol=1e-12)[name]


def test_trees_are_saved_as_urdf_and_mjcf(tmp_path: Path) -> None:
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    a = m.body("a", mass=2, inertia=(0.1, 0.2, 0.15, 0.01, 0, 0.02)).start(position=(0.3, 0, 1))
    b = m.body("b", mass=1, inertia=(0.05, 0.02, 0.04)).start(position=(0.6, 0.1, 1))
    O = m.revolute("O", m.ground.at(0, 0, 1, rotation=lw.rotation_x(0.4)), a.at(-0.3, 0, 0.02))
    P = m.prismatic("P", b.at(0.1, 0, 0, rotation=0.3), a.at(0.2, 0, 0))  # carried by its second body
    O.angle.law(lw.Damper(0.3)).start(0, rate=0)
    P.slide.start(0, rate=0)
    P.slide.law(lw.Limits(-2, 2))
    a.shape(lw.shapes.Box((0.2, 0.1, 0.1)), lw.shapes.Cylinder(0.1, 0.3, "y"))
    expected = swinging(m, "P.slide")
    for name in ("x.urdf", "x.xml"):
        m.save(tmp_path / name)
        assert np.allclose(swinging(quietly(tmp_path / name), "P.slide"), expected, atol=1e-9), name


def test_loops_are_saved_as_mjcf_and_not_as_urdf(tmp_path: Path) -> None:
    m = quietly(FILES / "spatial_loop.xml")
    with pytest.raises(lw.ModelError, match="ball: closes a loop"):
        m.save(tmp_path / "x.urdf")
    for c in m["c3"].coordinates:
        c.law(lw.Free())
    m.save(tmp_path / "x.xml")
    assert np.allclose(swinging(quietly(tmp_path / "x.xml"), "c3.slide"), swinging(m, "c3.slide"), atol=1e-8)


def test_what_other_files_cannot_hold_is_told(tmp_path: Path) -> None:
    m = lw.Model("m", gravity=(0, 0, -9.81))
    b = m.body("b", mass=1, inertia=(1, 1, 1))
    m.spring("s", m.ground.at(), b.at(), stiffness=3)
    with pytest.raises(lw.ModelError, match="s: is a Spring, which URDF files do not hold"):
        m.save(tmp_path / "x.urdf")


def folded(path: Path) -> None:
    """A surface that is neither convex nor closed, in MuJoCo's binary form: a pyramid with a dent and a hole."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1], [0.5, 0.5, 0.4]], dtype="<f4")
    faces = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [1, 0, 5], [2, 1, 5], [3, 2, 5]], dtype="<i4")
    path.write_bytes(np.array([6, 0, 0, 7], dtype="<i4").tobytes() + vertices.tobytes() + faces.tobytes())


@pytest.mark.parametrize("way", ["", "convex", "legacy"])
def test_meshes_weigh_as_in_mujoco(way: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    folded(tmp_path / "a.msh")
    said = f'inertia="{way}"' if way else ""
    text = f"""<mujoco><asset><mesh name="a" file="a.msh" scale="0.1 0.2 -0.3" {said}/></asset><worldbody>
    <body name="b"><freejoint/><geom type="mesh" mesh="a" pos="1 2 3" euler="10 20 30"/></body></worldbody></mujoco>"""
    (tmp_path / "x.xml").write_text(text, "utf-8")
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    ours = quietly(tmp_path / "x.xml")["b"]
    assert ours.mass == pytest.approx(theirs.body_mass[1], rel=1e-12)
    moments = np.linalg.eigvalsh(np.array(ca.DM(ours.inertia)))
    assert moments == pytest.approx(np.sort(theirs.body_inertia[1]), rel=1e-6)
    assert np.array(ca.DM(ours.start_pose().p)).ravel() == pytest.approx(theirs.body_ipos[1], rel=1e-6)


def test_meshes_that_are_broken_are_told(tmp_path: Path) -> None:
    folded(tmp_path / "a.msh")
    whole = (tmp_path / "a.msh").read_bytes()
    asset, body = (
        '<asset><mesh name="a" file="a.msh"/></asset>',
        '<body><freejoint/><geom type="mesh" mesh="a"/></body>',
    )
    (tmp_path / "x.xml").write_text(f"<mujoco>{asset}<worldbody>{body}</worldbody></mujoco>", "utf-8")
    for data in (whole[:-4], whole[:10], b"\xff" * 16, whole[:-4] + b"\x09\0\0\0"):
        (tmp_path / "a.msh").write_bytes(data)
        with pytest.raises(lw.ModelError, match=r"x\.xml:1"):
            quietly(tmp_path / "x.xml")


def test_files_that_a_file_names_lie_beside_it_or_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "robot").mkdir()
    (tmp_path / "shared.xml").write_text('<mujoco><default><geom density="500"/></default></mujoco>', "utf-8")
    body = '<body name="b"><freejoint/><geom size="1"/></body>'
    text = f'<mujoco><include file="../shared.xml"/><worldbody>{body}</worldbody></mujoco>'
    (tmp_path / "robot" / "x.xml").write_text(text, "utf-8")
    assert quietly(tmp_path / "robot" / "x.xml", folder=tmp_path)["b"].mass == pytest.approx(500 * 4 / 3 * np.pi)
    with pytest.raises(lw.ModelError, match="outside of the folder"):
        quietly(tmp_path / "robot" / "x.xml")


def test_what_stands_in_the_world_needs_no_mass(tmp_path: Path) -> None:
    flat = '<mesh name="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'
    text = f"""<mujoco><asset>{flat}</asset><worldbody><body name="base"><geom type="mesh" mesh="a"/>
    <body name="arm"><joint/><inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/></body></body></worldbody></mujoco>"""
    (tmp_path / "x.xml").write_text(text, "utf-8")
    assert quietly(tmp_path / "x.xml")["arm"].mass == 2
