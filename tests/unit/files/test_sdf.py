"""SDF: a four-bar and an arm, read; what is not understood, told; what would make another model, refused."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

LINK = """<link name="{name}"><pose>{pose}</pose><inertial><pose>{centre} 0 0 0</pose><mass>{mass}</mass>
<inertia><ixx>0.01</ixx><iyy>0.2</iyy><izz>0.2</izz></inertia></inertial>{more}</link>"""
JOINT = '<joint name="{name}" type="{type}"><parent>{parent}</parent><child>{child}</child>{more}</joint>'
Y = "<axis><xyz>0 1 0</xyz>{more}</axis>"


def link(name: str, pose: str = "0 0 0 0 0 0", centre: str = "0 0 0", mass: float = 1.0, more: str = "") -> str:
    return LINK.format(name=name, pose=pose, centre=centre, mass=mass, more=more)


def joint(name: str, parent: str, child: str, type: str = "revolute", more: str = Y.format(more="")) -> str:
    return JOINT.format(name=name, parent=parent, child=child, type=type, more=more)


def read(tmp_path: Path, *inside: str, version: str = "1.6", around: str = "{}") -> lw.Model:
    model = f"<model name='m'>{''.join(inside)}</model>"
    text = f"<sdf version='{version}'>{around.format(model)}</sdf>"
    (tmp_path / "x.sdf").write_text(text, "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        return lw.load(tmp_path / "x.sdf")


def test_a_four_bar_is_that_of_our_own_components(tmp_path: Path) -> None:
    """Bars of 1, 1 and 1 m in the plane of x and z; the last joint closes the loop."""
    bars = [
        link("a", "0 0 0 0 -1.5707963267948966 0", "0.5 0 0", 2.0),
        link("b", "0 0 1 0 0 0", "0.5 0 0", 3.0),
        link("c", "1 0 0 0 -1.5707963267948966 0", "0.5 0 0"),
    ]
    pins = [joint("O", "world", "a"), joint("A", "a", "b"), joint("C", "world", "c")]
    loop = joint(
        "B", "b", "c", more="<pose>1 0 0 0 0 0</pose>" + Y.format(more="<dynamics><damping>0.3</damping></dynamics>")
    )
    m = read(tmp_path, *bars, *pins, loop, around="<world name='w'><gravity>0 0 -5</gravity>{}</world>")
    ours = lw.Model("ours", gravity=(0, -5))
    a, b, c = (ours.body(n, mass=k, inertia=0.2) for n, k in zip("abc", (2.0, 3.0, 1.0), strict=True))
    for body, place, angle in ((a, (0, 0.5), np.pi / 2), (b, (0.5, 1), 0), (c, (1, 0.5), np.pi / 2)):
        body.start(position=place, angle=angle)
    ours.revolute("O", ours.ground.at(0, 0), a.at(-0.5, 0))
    ours.revolute("A", a.at(0.5, 0), b.at(-0.5, 0))
    ours.revolute("C", ours.ground.at(1, 0), c.at(-0.5, 0))
    ours.revolute("B", b.at(0.5, 0), c.at(0.5, 0)).angle.law(lw.Damper(0.3))
    m["O"].angle.start(0.0, rate=-1.0)  # about y: from x to −z
    ours["O"].angle.start(np.pi / 2, rate=1.0)
    r, e = (x.simulate(0.5, output=0.1) for x in (m, ours))
    for body in "abc":
        assert r[f"{body}.x"] == pytest.approx(e[f"{body}.x"], abs=1e-8)
        assert r[f"{body}.z"] == pytest.approx(e[f"{body}.y"], abs=1e-8)


def test_poses_relative_to_frames_joints_and_in_degrees(tmp_path: Path) -> None:
    inside = (
        '<frame name="f" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>'
        + link("a", "1 0 0 0 0 0")
        + '<link name="b"><pose relative_to="f" degrees="true">0 2 0 0 0 90</pose></link>'
        + '<link name="c"><pose relative_to="b" rotation_format="quat_xyzw">1 0 0 0 0 0 1</pose></link>'
        + joint("ab", "a", "b", more='<axis><xyz expressed_in="__model__">1 0 0</xyz></axis>')
        + joint("bc", "b", "c", "fixed", "")
    )
    m = read(tmp_path, inside, version="1.9")
    start = m.evaluate()
    assert [float(start[f"c.{x}"][0]) for x in "xyz"] == pytest.approx([1, 3, 1])  # b and c: one body, c a point of it
    assert any("as SDF says" in str(f) for f in m.findings)
    m["ab"].angle.start(0.0, rate=1.0)
    now = m.evaluate()
    turning = [float(now[f"b.w{x}"][0] - now[f"a.w{x}"][0]) for x in "xyz"]
    assert turning == pytest.approx([1, 0, 0], abs=1e-12)


def test_laws_limits_couplings_and_what_is_not_taken(tmp_path: Path) -> None:
    more = (
        "<dynamics><damping>1</damping><friction>2</friction><spring_stiffness>3</spring_stiffness>"
        "<spring_reference>0.1</spring_reference></dynamics><limit><lower>-1</lower><upper>2</upper><effort>5</effort></limit>"
    )
    follows = '<mimic joint="p"><multiplier>2</multiplier><offset>0.3</offset><reference>0.1</reference></mimic>'
    m = read(
        tmp_path,
        link("a", more="<sensor name='s'/><collision name='c'/>"),
        link("b", "0 0 1 0 0 0"),
        link("c", "0 0 1 0 0 0"),
        joint("p", "world", "a", more=Y.format(more=more)),
        joint("q", "a", "b", "prismatic", Y.format(more=follows)),
        joint("r", "b", "c", more=Y.format(more="<limit><lower>1</lower><upper>2</upper></limit>")),
        "<plugin name='x' filename='y'/>",
    )
    laws = [type(law).__name__ for law in m["p"].angle.laws]
    assert laws == ["Limits", "Damper", "Friction", "Spring"]
    assert "q-mimic" in m.components
    told = " ".join(map(str, m.findings))
    for said in (
        "<plugin> is not understood",
        "<sensor> is not understood",
        "makes no contact",
        "effort",
        "do not hold where",
    ):
        assert said in told


REFUSED = {
    "gearbox": (joint("j", "a", "b", "gearbox"), "no type of joint named 'gearbox'"),
    "nowhere": (joint("j", "a", "z"), "no link named 'z'"),
    "include": ("<include><uri>model://x</uri></include>", "brings another file along"),
    "nested": ("<model name='n'/>", "is a model inside another"),
    "no direction": (joint("j", "a", "b", more="<axis><xyz>0 0 0</xyz></axis>"), "has no direction"),
    "circle": ("<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose relative_to='f'/></frame>"
               "<link name='d'><pose relative_to='f'>0 0 0 0 0 0</pose></link>", "given by itself"),
    "no numbers": ("<link name='d'><pose>0 0 0 x 0 0</pose></link>", "no number"),
    "twice": (link("a"), "a link 'a' already"),
    "no gravity": (link("d", more="<gravity>false</gravity>"), "<gravity> of"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_make_another_model_is_refused(case: str, tmp_path: Path) -> None:
    text, said = REFUSED[case]
    with pytest.raises(lw.ModelError, match=rf"x\.sdf:\d+.*{said}"):
        read(tmp_path, link("a"), link("b"), text)


def test_files_that_are_no_models_are_refused(tmp_path: Path) -> None:
    for text, said in (
        ("<sdf version='1.6'/>", "0 models"),
        ("<a/>", "begins with <sdf>"),
        ("<sdf version='x'/>", "none of SDF"),
    ):
        (tmp_path / "y.sdf").write_text(text, "utf-8")
        with pytest.raises(lw.ModelError, match=said):
            lw.load(tmp_path / "y.sdf")
    with pytest.raises(lw.ModelError, match="takes no floating"):
        lw.load(tmp_path / "y.sdf", floating=True)
