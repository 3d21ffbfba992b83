"""The studio in a real browser, as a user would go about it."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import slider_crank


@pytest.fixture
def crank(shared_tab):
    """The slider-crank, opened anew and run once, whatever a test before has left."""
    shared_tab.until("document.documentElement.dataset.ready")
    shared_tab.read("document.querySelectorAll('dialog[open]').forEach(d => d.close())")
    shared_tab.read("studio.mode.change('run'); studio.drawer.open('plots'); studio.drawer.enlarge(false)")
    shared_tab.open("slider-crank")
    shared_tab.run()
    return shared_tab


def drag(page, selector, share):
    """Press the mouse on a slider and move it to a share of its length, in steps; it stays pressed."""
    box = page.locator(selector).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + share * box["width"], y, steps=6)


def test_an_example_is_run_and_scrubbed(crank):
    page = crank.page
    result = slider_crank.model().simulate(5.0)
    for time in (0.4, 2.5):
        page.locator("#scrub").fill(str(time))
        assert crank.read("studio.store.time") == pytest.approx(time)
        np.testing.assert_allclose(crank.pose("piston")[0], result.at(time)["piston.x"], atol=2e-4)
        assert crank.read("studio.plots.chart.cursor") == pytest.approx(time)
    assert crank.read("studio.plots.names") == ["piston.x", "O.angle.rate", "O.reaction.fx", "O.reaction.fy"]
    curves = crank.read(
        "studio.plots.chart.panels.map(p => [p.unit, p.curves.map(c => [c.name, c.t.length, c.y[c.y.length - 1]])])"
    )
    assert [unit for unit, _ in curves] == ["m", "rad/s", "N"]
    np.testing.assert_allclose(curves[0][1][0][2], result["piston.x"][-1], atol=2e-4)
    page.keyboard.press("End")
    assert crank.read("studio.store.time") == pytest.approx(5.0)
    page.keyboard.press("ArrowLeft")
    assert 4.9 < crank.read("studio.store.time") < 5.0
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    crank.until("studio.store.playing && studio.store.time > 0.05")
    page.keyboard.press("Space")
    crank.until("!studio.store.playing")


def test_moving_a_slider_runs_again_and_is_one_step_of_undo(crank):
    page = crank.page
    page.locator("#scrub").fill("2.0")
    pose = crank.pose("piston")[0]
    curve = crank.read("Array.from(studio.plots.chart.panels[1].curves[0].y.slice(-5))")
    drag(page, "#slider-torque", 0.9)
    crank.until("studio.store.runs.length === 2 && !studio.runs.busy")
    assert not crank.read("studio.store.run.kept")
    page.mouse.up()
    crank.until("studio.store.run.kept && studio.store.state.parameters?.[0].value > 15")
    torque = crank.read("studio.store.state.parameters[0].value")
    assert crank.read("studio.store.time") == pytest.approx(2.0)
    result = slider_crank.model().simulate(5.0, parameters={"torque": torque})
    crank.until("studio.store.run.parameters.torque === studio.store.state.parameters[0].value")
    assert (
        crank.pose("piston")[0] == pytest.approx(result.at(2.0)["piston.x"], abs=2e-3)
        and crank.pose("piston")[0] != pose
    )
    crank.until("studio.plots.chart.panels[1].curves.length === 2")  # the run before lies below the new one
    assert crank.read("Array.from(studio.plots.chart.panels[1].curves[1].y.slice(-5))") != curve
    assert crank.read("Array.from(studio.plots.chart.panels[1].curves[0].y.slice(-5))") == curve
    page.click("#undo")
    crank.until("studio.store.state.parameters?.[0].value === 10")
    assert page.locator("#slider-torque").input_value() == "10"
    crank.until("studio.store.showing === 'run' && studio.store.run.number === 1")  # that of the value that is back


def test_a_joint_is_selected_in_the_tree_and_in_the_scene_and_edited(crank):
    page = crank.page
    page.click('.row[data-name="A"]')
    page.wait_for_selector("#field-first")
    assert crank.read("studio.stage.player.outlines.select.names") == ["A"]
    assert page.locator("#field-first").input_value() == "crank.at(0.1, 0)"
    page.locator("#scrub").fill("0")
    place = crank.read(
        """() => { const { player } = studio.stage, box = player.view.getBoundingClientRect();
        const [x, y] = player.toPixel(player.poseOf("rod").position);
        return [box.left + x, box.top + y]; }"""
    )
    page.mouse.click(*place)
    crank.until("studio.store.selection[0] === 'rod'")
    page.wait_for_selector("#field-mass")
    assert "kg" in page.locator(".field", has=page.locator("#field-mass")).inner_text()
    page.fill("#field-mass", "2500 g")
    page.keyboard.press("Enter")
    crank.until("/mass = 2\\.5/.test(studio.store.state.text)")
    page.keyboard.press("Control+z")
    crank.until("!/mass = 2\\.5/.test(studio.store.state.text)")
    page.keyboard.press("Control+Shift+z")
    crank.until("/mass = 2\\.5/.test(studio.store.state.text)")


def test_what_is_wrong_is_named_and_shown(crank):
    page = crank.page
    page.click('.row[data-name="rod"]')
    page.fill("#field-mass", "-1")
    page.keyboard.press("Enter")
    crank.until("studio.store.state.problem")
    assert "negative" in page.locator("#check-list").inner_text() and "rod" in page.locator("#check-list").inner_text()
    assert "negative" in page.locator(".field .fault:visible").inner_text()
    assert crank.read("studio.stage.player.outlines.alarm.names") == ["rod"]
    assert page.locator('.row[data-name="rod"]').get_attribute("class") == "row guilty"
    assert page.locator("#run").is_disabled()
    page.keyboard.press("Escape")
    page.click("#undo")
    crank.until("!studio.store.state.problem")
    assert crank.read("studio.stage.player.outlines.alarm.names") == []
    assert page.locator("#run").is_enabled()


def test_a_joint_that_cannot_close_is_named_and_shown(crank):
    page = crank.page
    page.click('.row[data-name="B"]')
    page.fill("#field-second", "piston.at(5, 3)")
    page.keyboard.press("Enter")
    crank.until("studio.store.state.check && !studio.store.state.check.ok")
    assert page.locator("#check .verdict").inner_text() == "1 problem"
    guilty = crank.read("studio.stage.player.outlines.alarm.names")
    assert guilty and set(guilty) <= {"O", "A", "B", "P"}
    page.locator("#check-list .message.error").click()
    assert crank.read("studio.store.selection[0]") == guilty[0]


def test_names_are_shown_as_text(crank):
    """In a model that does not load, too: its tree, its message and its file hold the names."""
    made = crank
    made.page.click("#open")
    hostile = "<img src=x onerror=document.title=1>"
    text = f'linkwork = 1\n[model]\nname = "{hostile}"\n[component."{hostile}"]\ntype = "body"\nmass = 1\ninertia = 1\n'
    made.page.click("dialog .tabs >> text=Paste")
    made.page.fill("dialog textarea", text)
    made.page.click("dialog .open-pane button.primary")
    made.until("studio.store.state.problem")
    made.page.locator(".row", has_text="onerror").click()
    assert "cannot be a name" in made.page.locator("#check-list").inner_text()
    assert made.page.locator("#model-name").inner_text() == hostile
    assert made.page.locator("img").count() == 0 and made.page.title().startswith("<img")


def test_a_tab_keeps_its_work_over_a_reload_and_others_have_their_own(tab):
    first, second = tab(), tab()
    first.open("slider-crank")
    second.open("four-bar")
    first.page.click('.row[data-name="rod"]')
    first.page.fill("#field-mass", "7")
    first.page.keyboard.press("Enter")
    first.until("/mass = 7/.test(studio.store.state.text)")
    first.page.reload()
    first.until("window.studio && studio.store.state && /mass = 7/.test(studio.store.state.text)")
    assert first.read("studio.store.state.name") == "slider-crank" and first.read("studio.store.state.can_undo")
    assert second.read("studio.store.state.name") == "four-bar"
    first.run()
    second.run()
    assert "piston.x" in first.read("studio.store.run.channels.map(c => c.name)")
    assert "piston.x" not in second.read("studio.store.run.channels.map(c => c.name)")


def test_the_work_is_there_after_the_server_was_killed(tab, studio_server, tmp_path):
    server = studio_server(tmp_path)
    made = tab(server.url)
    made.open("slider-crank")
    made.page.click('.row[data-name="rod"]')
    made.page.fill("#field-mass", "3")
    made.page.keyboard.press("Enter")
    made.until("/mass = 3/.test(studio.store.state.text)")
    made.run()
    made.page.locator("#scrub").fill("2.0")
    pose = made.pose("piston")
    while not list(tmp_path.glob(".linkwork-studio/*-runs/index.json")):  # written when nobody asks for anything
        made.page.wait_for_timeout(100)
    server.kill()
    made.page.wait_for_selector("#away", state="visible")
    studio_server(tmp_path, server.port)
    made.page.wait_for_selector("#away", state="hidden")
    made.until("studio.connection.open && /mass = 3/.test(studio.store.state.text)")
    assert made.read("studio.store.runs.length") == 1
    made.page.reload()
    made.until("window.studio && studio.store.run && studio.store.showing === 'run'")
    made.page.locator("#scrub").fill("2.0")
    assert made.pose("piston") == pytest.approx(pose, abs=1e-12)
    made.run()
    assert made.read("studio.store.runs.length") == 2


def test_the_bond_graph_shows_power_while_the_motion_plays(crank):
    page = crank.page
    page.click("#tab-graph")
    crank.until("document.querySelector('.graph-room svg')")
    bonds = """() => Object.fromEntries([...document.querySelectorAll('.graph-room g.bond')].map(g => {
        const line = g.querySelector('.bond, line, polyline, path');
        return [g.dataset.name, [line.style.stroke, +line.style.strokeWidth]]; }))"""
    page.locator("#scrub").fill("0")
    still = crank.read(bonds)
    assert len(still) > 10
    page.keyboard.press("Space")
    crank.until("studio.store.time > 0.5")
    page.keyboard.press("Space")
    moving = crank.read(bonds)
    assert max(width for _, width in moving.values()) > 1.5 + max(width for _, width in still.values())
    assert len({ink for ink, _ in moving.values()}) == 3  # along the half arrow, against it, and none
    page.locator(".graph-room g.element").first.click(force=True)
    crank.until("studio.store.selection.length === 1")


def test_the_model_is_saved_and_what_is_shown_is_exported(crank, shared_studio, studio_browser, tmp_path):
    page = crank.page
    page.keyboard.press("Control+s")
    page.fill("dialog input", "kept.toml")
    page.keyboard.press("Enter")
    crank.until("studio.store.state.saved && studio.store.state.path === 'kept.toml'")
    assert crank.read("studio.store.showing") == "run"
    assert lw.load(shared_studio.folder / "kept.toml").simulate(1.0)["piston.x"].size > 10
    page.click("#keep")
    with page.expect_download() as told:
        page.click("#keep-menu >> text=Page that plays by itself")
    file = tmp_path / "run.html"
    told.value.save_as(file)
    context = studio_browser.new_context()
    context.set_offline(True)
    other = context.new_page()
    other.goto(file.as_uri())
    other.wait_for_function("window.linkwork && linkwork.state().drawn > 1")
    assert other.evaluate("linkwork.state().end") == pytest.approx(5.0)
    context.close()
    page.click("#keep")
    with page.expect_download() as told:
        page.click("#keep-menu >> text=Figure of the plots (SVG)")
    told.value.save_as(tmp_path / "plots.svg")
    assert "<svg" in (tmp_path / "plots.svg").read_text("utf-8")
    page.click("#open")
    page.click("dialog .tabs >> text=Files")
    page.click('[data-file="kept.toml"]')
    crank.until("studio.store.state.path === 'kept.toml' && !studio.store.run")


@pytest.mark.parametrize(
    ("size", "dark"),
    [
        pytest.param((1280, 800), False, marks=pytest.mark.slow),
        pytest.param((1920, 1080), True, marks=pytest.mark.slow),
        ((820, 1180), False),
    ],
)
def test_nothing_lies_outside_of_the_window(tab, size, dark):
    made = tab(size=size, dark=dark)
    made.open("slider-crank")
    made.page.click('.row[data-name="O"]')
    made.page.wait_for_selector("#field-first")
    boxes = made.read(
        """() => ["top", "tree", "parameters", "stage", "timeline", "drawer", "inspector", "check", "run", "keep",
        "help"].map(id => { const b = document.getElementById(id).getBoundingClientRect();
        return [id, b.left, b.top, b.right, b.bottom, b.width, b.height]; })"""
    )
    for name, left, top, right, bottom, width, height in boxes:
        assert -1 <= left and -1 <= top and right <= size[0] + 1 and bottom <= size[1] + 1, name
        assert width > 20 and height > 20, name
    assert made.read("document.documentElement.scrollWidth") <= size[0]
    assert made.read("document.documentElement.dataset.theme") == ("dark" if dark else "light")
    stage = next(box for box in boxes if box[0] == "stage")
    made.run()
    again = made.read(
        "(() => { const b = document.getElementById('stage').getBoundingClientRect(); return [b.top, b.height]; })()"
    )
    assert again == [stage[2], stage[6]], "the layout has moved"


def test_a_new_mechanism_begins_on_an_empty_plane_and_running_ends_drawing(crank):
    made = crank
    made.page.keyboard.press("d")
    made.until("studio.store.mode === 'draw' && !document.getElementById('overlay').hidden")
    made.page.keyboard.press("Control+Enter")
    made.until(
        "studio.store.runs.length === 2 && studio.store.mode === 'run' && document.getElementById('overlay').hidden"
    )
    made.page.click("#open")
    made.page.click("text=Draw a new mechanism")
    made.until("studio.store.state.empty && studio.store.mode === 'draw'")
    assert made.read("studio.stage.player.world.bodies.size") == 0 and not made.read("studio.store.run")


@pytest.mark.slow
def test_formulations_are_compared(crank):
    page = crank.page
    page.click("#tab-compare")
    page.click(".pane-compare button.primary")
    crank.until("!document.querySelector('.pane-compare .halves').hidden")
    rows = page.locator(".pane-compare tbody tr")
    assert rows.count() == 4 and "reference" in page.locator(".pane-compare tbody").inner_text()
    others = [row for row in rows.all_inner_texts() if "reference" not in row]
    for row in others:
        positions = row.split("\t")[1].replace("−", "-")
        assert 0 < float(positions) < 1e-5
    assert page.locator(".pane-compare select option").count() > 10


@pytest.mark.slow
def test_equations_are_set_and_those_of_a_joint_marked(crank):
    page = crank.page
    page.click("#tab-equations")
    crank.until("document.querySelectorAll('.equation math').length > 5")
    assert page.locator(".equation.marked").count() == 0
    page.click('.row[data-name="P"]')
    crank.until("document.querySelectorAll('.equation.marked').length > 0")
    marked = page.locator(".equation.marked").count()
    assert 0 < marked < page.locator(".equation").count()


@pytest.mark.slow
def test_a_mode_is_animated_and_a_root_locus_follows_its_slider(tab):
    made = tab()
    made.open("pendulum")
    page = made.page
    page.click("#tab-modes")
    page.click(".pane-modes button.primary")
    made.until("document.querySelectorAll('tr.able').length > 0")
    page.locator("tr.able").first.click()
    made.until("studio.store.showing === 'mode' && studio.store.playing")
    first = made.pose("bar")
    made.until(f"Math.abs(studio.stage.player.poseOf('bar').position[0] - {first[0]}) > 1e-4")
    page.click("#banner button")
    made.until("studio.store.showing === 'start'")
    page.click("#tab-locus")
    page.select_option(".pane-locus select", "damping")
    page.click(".pane-locus button.primary")
    made.until("!document.querySelector('.pane-locus .chart-stack').hidden")
    value = page.locator(".locus-value").inner_text()
    page.locator(".pane-locus input[type=range]").fill("40")
    assert page.locator(".locus-value").inner_text() != value


@pytest.mark.slow
def test_a_long_run_tells_its_progress_and_is_cancelled(crank):
    page = crank.page
    page.fill("#duration", "100000")
    page.click("#run")
    page.wait_for_selector("#progress", state="visible")
    page.click("#run")
    crank.until("!studio.runs.busy")
    crank.until("document.getElementById('progress').hidden")
    page.fill("#duration", "1")
    crank.run()
    assert crank.read("studio.store.run.end") == pytest.approx(1.0)
