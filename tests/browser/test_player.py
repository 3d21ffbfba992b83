"""Exported pages in a real browser: opened from disk, with the network off."""

from __future__ import annotations

import itertools
import os
import shutil
import threading

import numpy as np
import pytest

import linkwork as lw
import linkwork.studio
from linkwork.examples import slider_crank
from linkwork.studio.live import LiveView

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need the package playwright")
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the browser tests need chromium")
SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
PATIENCE = 60_000
"""ms: a machine without a graphics card that does something else, too."""


@pytest.fixture(scope="module")
def browser():
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_api.sync_playwright() as play:
        program = play.chromium.launch(executable_path=CHROMIUM, args=[*sandbox, *SOFTWARE])
        yield program
        program.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Write a result's animation, open it from disk offline; nothing else may be asked for, and no script may fail."""
    context = browser.new_context(viewport={"width": 800, "height": 600})
    context.set_offline(True)
    context.set_default_timeout(PATIENCE)
    trouble: list[str] = []

    def show(result, **options):
        file = tmp_path / "run.html"
        result.animate(file, **options)
        page = context.new_page()
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda r: trouble.append(r.url) if r.url != file.as_uri() else None)
        page.goto(file.as_uri())
        page.wait_for_function("window.linkwork && linkwork.state().drawn > 1")
        return page

    yield show
    context.close()
    assert trouble == []


@pytest.fixture(scope="module")
def crank():
    m = slider_crank.model()  # of its own, as it is changed
    m.torque("load", m.components["rod"], -0.1)
    return m.simulate(2.0, output=0.01)


@pytest.fixture(scope="module")
def linkage(example):
    return example("rssr").simulate(1.0, output=0.01)


def shown(page, name):
    pose = page.evaluate("name => linkwork.pose(name)", name)
    return np.array(pose["position"]), np.array(pose["quaternion"])


def test_a_page_plays_pauses_and_scrubs(open_page, crank):
    page = open_page(crank, plot="piston.x, O.reaction.*")
    page.wait_for_function("linkwork.state().playing && linkwork.state().time > 0.02")
    page.click("#play")
    state = page.evaluate("linkwork.state()")
    assert not state["playing"]
    page.wait_for_timeout(150)
    assert page.evaluate("linkwork.state().time") == state["time"]
    page.locator("#scrub").fill("1.25")
    state = page.evaluate("linkwork.state()")
    assert state["time"] == pytest.approx(1.25, abs=1e-9) and state["cursor"] == state["time"]
    page.keyboard.press("Tab")
    page.evaluate("linkwork.setLoop(false); linkwork.setSpeed(50); linkwork.seek(1.9); linkwork.play()")
    page.wait_for_function("!linkwork.state().playing")
    assert page.evaluate("linkwork.state().time") == pytest.approx(2.0)
    page.evaluate("linkwork.setLoop(true); linkwork.setSpeed(2); linkwork.seek(1.95); linkwork.play()")
    page.wait_for_function("linkwork.state().time < 1.5")


def test_planar_poses_are_those_of_the_result(open_page, crank):
    page = open_page(crank)
    for time, body in itertools.product((0.0, 0.37, 1.0), ("crank", "rod", "piston")):
        page.evaluate("t => { linkwork.pause(); linkwork.seek(t); }", time)
        expected = crank.at(time)
        position, quaternion = shown(page, body)
        np.testing.assert_allclose(position, (expected[f"{body}.x"], expected[f"{body}.y"], 0), atol=1e-6)
        half = expected[f"{body}.angle"] / 2
        assert abs(quaternion @ (np.cos(half), 0, 0, np.sin(half))) == pytest.approx(1, abs=1e-12)


def test_spatial_poses_are_those_of_the_result(open_page, linkage):
    page = open_page(linkage)
    for k in (0, 33, 100):
        page.evaluate("t => { linkwork.pause(); linkwork.seek(t); }", float(linkage.t[k]))
        for body in ("crank", "rod", "rocker"):
            position, quaternion = shown(page, body)
            np.testing.assert_allclose(position, [linkage[f"{body}.{c}"][k] for c in "xyz"], atol=1e-6)
            expected = np.array([linkage[f"{body}.q{i}"][k] for i in range(4)])
            np.testing.assert_allclose(quaternion * np.sign(quaternion @ expected), expected, atol=1e-6)


def picture(page) -> np.ndarray:
    from io import BytesIO

    from PIL import Image

    page.evaluate("linkwork.pause()")
    page.wait_for_timeout(300)
    with Image.open(BytesIO(page.locator("#stage").screenshot())) as image:
        return np.asarray(image.convert("RGB")).astype(float)


def inked(image: np.ndarray) -> float:
    return float((np.abs(image - 255).sum(axis=2) > 30).mean())


def test_pictures_are_not_empty_and_change_with_time_and_view(open_page, linkage):
    page = open_page(linkage)
    page.evaluate("linkwork.pause(); linkwork.seek(0)")
    first = picture(page)
    assert inked(first) > 0.02
    page.evaluate("linkwork.seek(0.2)")
    later = picture(page)
    assert np.abs(later - first).mean() > 0.1
    box = page.locator("#stage").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y + 20, steps=4)
    page.mouse.up()
    orbited = picture(page)
    assert np.abs(orbited - later).mean() > 0.1
    page.mouse.wheel(0, -600)
    assert np.abs(picture(page) - orbited).mean() > 0.1
    page.click("#home")
    assert np.abs(picture(page) - later).mean() < 0.5


def test_arrows_traces_names_and_following_can_be_switched(open_page, crank):
    page = open_page(crank, trace=["rod"])
    page.evaluate("linkwork.pause(); linkwork.seek(1.2)")
    plain = picture(page)
    page.check("#show-reaction")
    assert np.abs(picture(page) - plain).mean() > 0.05
    page.uncheck("#show-reaction")
    page.uncheck("#show-force")
    page.evaluate("linkwork.seek(1.1); linkwork.seek(1.2)")  # what was switched off stays so when time goes on
    assert np.abs(picture(page) - plain).mean() > 0.01
    page.check("#show-force")
    page.uncheck("#show-trace")
    assert np.abs(picture(page) - plain).mean() > 0.001
    page.check("#show-trace")
    assert page.locator("#labels").is_hidden()
    page.check("#show-label")
    assert page.locator("#labels span", has_text="piston").is_visible()
    page.uncheck("#show-label")
    page.select_option("#follow", "piston")
    assert np.abs(picture(page) - plain).mean() > 0.5


def test_a_live_page_follows_the_run_and_ends_with_the_whole(browser, crank):
    view = LiveView("crank")
    context = browser.new_context(viewport={"width": 600, "height": 400})
    context.set_default_timeout(PATIENCE)
    part = [lw.Result(crank.t[:k], crank.data[:k], crank.channels, description=crank.description) for k in (5, 60)]
    try:
        threading.Timer(0.1, view.update, [part[0]]).start()
        page = context.new_page()
        page.goto(view.url)
        page.wait_for_function("window.linkwork && linkwork.state().live && linkwork.state().frames === 5")
        view.update(part[1])
        page.wait_for_function("linkwork.state().frames === 60 && linkwork.state().time === linkwork.state().end")
        np.testing.assert_allclose(shown(page, "piston")[0][0], crank["piston.x"][59], atol=1e-6)
        view.finish(crank)
        page.wait_for_function(
            f"window.linkwork && !linkwork.state().live && linkwork.state().frames === {crank.t.size}"
        )
    finally:
        context.close()
        view.close()
