"""The player as a component: two in one page, asked and told by scripts as the studio does it."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest

import linkwork as lw
import linkwork.studio
from linkwork.studio.build import build_scene
from linkwork.studio.front_end import three
from linkwork.studio.page import player_script, player_style, scene_data

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need the package playwright")
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the browser tests need chromium")
SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


@pytest.fixture(scope="module")
def planar():
    m = lw.Model("pendulum <b>on a spring</b>", gravity=(0, -9.81))
    arm = m.body("arm", mass=1, inertia=0.1).start(position=(0.5, 0))
    m.revolute("O", m.ground.at(0, 0), arm.at(-0.5, 0))
    m.spring("S", m.ground.at(0, 0.8), arm.at(0.5, 0), stiffness=50, length=0.5)
    return m.simulate(0.5, output=0.01)


@pytest.fixture(scope="module")
def page(planar, example):
    """Players p (planar, with its own controls) and q (spatial, without)."""
    spatial = example("rssr").simulate(0.2, output=0.01)
    scenes = [scene_data(build_scene(result, plot=plot)) for result, plot in ((planar, "arm.x"), (spatial, ()))]
    told = json.dumps(scenes).replace("</", "<\\/")
    text = f"""<!DOCTYPE html><meta charset="utf-8"><style>body {{ margin: 0; display: flex }} div.box {{ width: 500px;
        height: 500px }} {player_style()}</style><div class="box"></div>
        <div class="box"></div><script>{three()}</script>
        <script type="module">{player_script()}
        const scenes = {told}, boxes = document.querySelectorAll(".box");
        window.p = new LinkworkPlayer(boxes[0], scenes[0], {{ scheme: "light" }});
        window.q = new LinkworkPlayer(boxes[1], scenes[1], {{ scheme: "light", controls: false }});
        window.scenes = scenes;</script>"""
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    trouble: list[str] = []
    with sync_api.sync_playwright() as play:
        program = play.chromium.launch(executable_path=CHROMIUM, args=[*sandbox, *SOFTWARE])
        shown = program.new_page(viewport={"width": 1000, "height": 500})
        shown.on("pageerror", lambda error: trouble.append(str(error)))
        shown.set_content(text)
        shown.wait_for_function("window.q && p.drawn > 1 && q.drawn > 1")
        yield shown
        program.close()
    assert trouble == []


def picture(page, box: int) -> np.ndarray:
    from io import BytesIO

    from PIL import Image

    page.wait_for_timeout(350)
    with Image.open(BytesIO(page.locator(".lw-stage").nth(box).screenshot())) as image:
        return np.asarray(image.convert("RGB")).astype(float)


def test_pixels_and_places_belong_together(page):
    for place in ((0.3, -0.2, 0), (0.0, 0.0, 0.0)):
        np.testing.assert_allclose(
            page.evaluate("w => p.toWorld(...p.toPixel(w))", list(place)), place, atol=1e-9
        )  # in space there is no place without a depth
    x, y = page.evaluate("q.toPixel(q.toWorld(120, 340))")
    assert (x, y) == pytest.approx((120, 340), abs=1e-6)


def test_what_is_clicked_is_told_by_its_name(page):
    page.evaluate("p.time(0.1)")
    found = page.evaluate("p.pick(...p.toPixel(p.poseOf('arm').position))")
    assert (found["group"], found["name"]) == ("body", "arm")
    np.testing.assert_allclose(found["point"], page.evaluate("p.poseOf('arm').position"), atol=1e-6)
    assert page.evaluate("p.pick(...p.toPixel([0, 0, 0]))")["name"] == "O"
    tip = page.evaluate("q.pick(...q.toPixel(q.poseOf('rocker').position))")
    assert (tip["group"], tip["name"]) == ("body", "rocker")
    assert page.evaluate("p.pick(2, 2)") is None
    page.evaluate("window.clicks = []; p.onPick((found) => clicks.push(found && found.name)); null")
    x, y = page.evaluate("p.toPixel(p.poseOf('arm').position)")
    page.mouse.click(x, y)
    page.wait_for_function("clicks.length")
    assert page.evaluate("clicks") == ["arm"]


@pytest.mark.parametrize("player", ["p", "q"])
def test_what_is_selected_or_guilty_is_outlined_in_the_colour_for_it(page, player):
    box, body = ("pq".index(player), {"p": "arm", "q": "crank"}[player])
    plain = picture(page, box)
    page.evaluate(f"{player}.select(['{body}'])")
    selected = picture(page, box)
    page.evaluate(f"{player}.select([]); {player}.alarm(['{body}'])")
    alarmed = picture(page, box)
    page.evaluate(f"{player}.alarm([])")
    assert np.abs(picture(page, box) - plain).mean() < 0.05
    for image, colour in ((selected, (0x0B, 0x6B, 0xCB)), (alarmed, (0xD1, 0x1A, 0x2A))):
        assert (np.abs(image - colour).max(axis=2) < 12).sum() > 50


def test_the_dark_scheme_is_dark_and_keeps_view_time_and_selection(page):
    page.evaluate("p.time(0.2); p.select(['arm'])")
    before = page.evaluate("[p.toPixel([0.3, 0.1, 0]), p.time(), p.outlines.select.made.length]")
    page.evaluate("p.theme('dark')")
    assert np.median(picture(page, 0)) < 60
    after = page.evaluate("[p.toPixel([0.3, 0.1, 0]), p.time(), p.outlines.select.made.length]")
    np.testing.assert_allclose(after[0], before[0], atol=1e-6)
    assert after[1:] == before[1:]
    page.evaluate("p.theme('light'); p.select([])")
    assert np.median(picture(page, 0)) > 200


def test_bodies_go_where_the_caller_says_and_springs_follow(page, planar):
    page.evaluate("p.poses({ arm: [0.0, 0.5, Math.PI / 2] })")
    pose = page.evaluate("p.poseOf('arm')")
    np.testing.assert_allclose(pose["position"], (0, 0.5, 0), atol=1e-12)
    coil = "p.world.nodes.find((n) => n.name === 'S' && n.ends).object"
    reach = page.evaluate(f"{coil}.scale.x * p.world.nodes.find((n) => n.name === 'S' && n.ends).between.length")
    assert reach == pytest.approx(0.2, abs=1e-6)  # from (0, 0.8) to the arm's end at (0, 1)
    page.evaluate("p.time(0.3)")
    length = page.evaluate(f"{coil}.scale.x * p.world.nodes.find((n) => n.name === 'S' && n.ends).between.length")
    assert length == pytest.approx(planar.at(0.3)["S.length"], abs=1e-6)


def test_another_motion_keeps_the_view_and_times_are_told(page, planar):
    page.evaluate("window.times = []; window.ended = p.onTime((t) => times.push(t)); p.frame([-2, -2], [2, 2])")
    before = page.evaluate("p.toPixel([1, 1, 0])")
    page.evaluate("p.motion({ ...scenes[0].motion }); p.time(0.4); ended(); p.time(0.1)")
    assert page.evaluate("times.at(-1)") == pytest.approx(0.4)
    np.testing.assert_allclose(page.evaluate("p.toPixel([1, 1, 0])"), before, atol=1e-9)
    page.evaluate("p.home(); p.load(null); p.load(scenes[0])")
    assert page.evaluate("p.end") == pytest.approx(0.5)


def test_names_are_text_and_each_player_has_its_own_elements(page):
    assert page.locator(".lw-title").first.text_content() == "pendulum <b>on a spring</b>"
    assert page.locator(".lw-bar:visible").count() == 1 and page.locator(".lw-player [id]").count() == 0
