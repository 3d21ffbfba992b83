"""A mechanism drawn in a real browser by the mouse, dragged and run, as a user would."""

from __future__ import annotations

import math
import tomllib

import pytest


class Board:
    """A tab in Draw mode; places in metres."""

    def __init__(self, studio):
        self.studio, self.page, self.until = studio, studio.page, studio.until
        self.until("document.documentElement.dataset.ready")
        self.page.keyboard.press("Escape")
        self.until("!document.querySelector('dialog[open]')")

    def begin(self):
        self.page.click("#mode button[data-mode=draw]")
        self.until("studio.mode.handle && studio.mode.handle.active")
        self.settled()

    def settled(self):
        self.until("!studio.mode.handle.pending.size && !studio.connection.waiting.size")

    def pixel(self, at):
        return self.page.evaluate(
            "([x, y]) => { const box = document.getElementById('overlay').getBoundingClientRect(),"
            " p = studio.stage.player.toPixel([x, y, 0]); return [p[0] + box.left, p[1] + box.top]; }", list(at)
        )  # fmt: skip

    def move(self, at):
        self.page.mouse.move(*self.pixel(at))

    def click(self, *places):
        for at in places:
            self.move(at)
            self.page.mouse.click(*self.pixel(at))

    def key(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def four_bar(self):
        """Pivots 0.6 m apart, a crank of 0.2 m upright, a lever of 0.4 m upright."""
        self.key("p")
        self.click((0, 0), (0.6, 0))
        self.key("l")
        self.click((0, 0), (0, 0.2), (0, 0.2), (0.6, 0.4), (0.6, 0), (0.6, 0.4))
        self.settled()

    def data(self):
        return tomllib.loads(self.page.evaluate("() => studio.store.state.text"))["component"]

    def pin(self, name):
        script = "(name) => { const s = studio.mode.handle.sketch; return s.at(s.pin(name)); }"
        return self.page.evaluate(script, name)


@pytest.fixture
def board(tab):
    made = Board(tab())
    made.begin()
    return made


def test_draw_drag_and_run_a_four_bar(board):
    board.four_bar()
    parts = board.data()
    assert sorted(parts) == ["A", "B", "C", "D", "link1", "link2", "link3"]
    assert parts["A"]["first"] == "ground.at(0, 0)"
    assert parts["A"]["second"] == "link1.at(-0.1, 0)"
    assert board.page.inner_text(".draw-mobility") == "1 degree of freedom"

    board.key("v")
    board.move((0, 0.2))
    board.page.mouse.down()
    for angle in (1.4, 1.2, 1.0, 0.8):
        board.move((0.2 * math.cos(angle), 0.2 * math.sin(angle)))
        board.page.wait_for_timeout(40)
    board.until("Math.abs(studio.mode.handle.sketch.poses.link1[2] - 0.8) < 0.02")
    board.page.mouse.up()
    board.settled()
    assert board.data()["link1"]["start"]["angle"] == pytest.approx(0.8, abs=0.02)
    x, y = board.pin("D")
    assert math.hypot(x - 0.6, y) == pytest.approx(0.4, abs=1e-9)
    assert math.dist(board.pin("C"), (x, y)) == pytest.approx(math.hypot(0.6, 0.2), abs=1e-9)

    board.page.click("#undo")
    board.settled()
    assert board.data()["link1"]["start"]["angle"] == pytest.approx(math.pi / 2, abs=1e-9)
    board.page.click("#run")
    board.until("studio.store.runs.length === 1 && studio.store.runs[0].status === 'finished'")


@pytest.mark.slow
def test_sizes_are_typed(board):
    board.key("p")
    board.click((0, 0))
    board.key("l")
    board.click((0, 0))
    board.move((0.2, 0.1))
    board.key("2", "5", "0")
    board.page.keyboard.type(" mm")
    board.key("Tab")
    board.page.keyboard.type("90")
    board.key("Enter")
    board.settled()
    assert board.data()["A"]["second"] == "link1.at(-0.125, 0)"
    assert board.pin("B") == pytest.approx([0, 0.25], abs=1e-12)
    board.key("v")
    board.page.mouse.dblclick(*board.pixel((0, 0.1)))
    board.page.keyboard.type("0.3")
    board.key("Enter")
    board.settled()
    assert board.pin("B") == pytest.approx([0, 0.3], abs=1e-12)
    board.page.mouse.dblclick(*board.pixel((0, 0.15)))
    board.key("Tab")
    board.page.keyboard.type("30")
    board.key("Enter")
    board.until("!studio.mode.handle.sizes.open")
    board.settled()
    assert board.pin("B") == pytest.approx([0.3 * math.cos(math.pi / 6), 0.15], abs=1e-5)
    board.key("Control+z")
    board.settled()
    assert board.pin("B") == pytest.approx([0, 0.3], abs=1e-12)
    board.page.mouse.dblclick(*board.pixel((0, 0.3)))
    board.page.keyboard.type("0.4")
    board.key("Enter")
    board.settled()
    assert board.pin("B") == pytest.approx([0.4, 0.3], abs=1e-12)
    assert board.data()["link1"]["mass"] == pytest.approx(0.785 * 0.5)


@pytest.mark.slow
def test_every_tool(board):
    board.four_bar()
    board.key("o")
    board.click((0.3, 0.3), (0.25, 0.45))
    board.key("k")
    board.click((0.6, 0.4), (0.9, 0.4))
    board.key("d")
    board.click((0, 0.2), (-0.2, 0.2))
    board.key("m")
    board.click((0, 0))
    board.settled()
    parts = board.data()
    assert parts["A"]["free"]["angle"]["laws"] == ["Motion(speed=2)"]
    assert parts["spring1"]["length"] == pytest.approx(0.3)
    assert parts["damper1"]["damping"] == 5.0
    assert board.page.inner_text(".draw-mobility") == "1 driven, 0 free"
    board.until("studio.mode.handle.curves.length === 1")
    board.key("s")
    board.click((0.9, 0.1), (1.0, 0.2))
    board.settled()
    assert board.data()["block1"]["start"]["angle"] == pytest.approx(math.pi / 4)
    board.key("t")
    board.click((-0.3, -0.1), (-0.1, -0.1), (-0.2, 0.05))
    board.key("Enter")
    board.settled()
    assert board.data()["link4"]["mass"] > 0.4
    board.key("e")
    board.move((0.6, 0.4))
    board.page.mouse.down()
    board.move((0.55, 0.35))
    board.move((0.55, 0.45))
    board.page.mouse.up()
    board.settled()
    assert board.pin("D") == pytest.approx([0.55, 0.45], abs=1e-12)
    board.key("x")
    board.click((0.75, 0.425))
    board.settled()
    assert "spring1" not in board.data()
    count = len(board.data())
    board.key("Control+z")
    board.settled()
    assert len(board.data()) == count + 1
    board.key("g", "Escape")
    assert board.page.evaluate("() => studio.mode.handle.tool.id") == "hand"


@pytest.mark.slow
def test_escape_and_delete(board):
    board.four_bar()
    board.key("l")
    board.click((0.3, 0.6))
    board.key("Escape")
    board.key("v")
    board.click((0.6, 0.2))
    board.key("Delete")
    board.settled()
    parts = board.data()
    assert "link3" not in parts
    assert (parts["B"]["type"], parts["D"]["type"]) == ("point", "point")


@pytest.mark.slow
def test_a_mechanism_out_of_reach_stays_closed(board):
    board.four_bar()
    board.key("v")
    board.move((0, 0.2))
    board.page.mouse.down()
    for at in ((0.1, 0.3), (0.2, 0.4), (0.4, 0.55)):
        board.move(at)
        board.page.wait_for_timeout(100)
    board.until("studio.mode.handle.hand.held && studio.mode.handle.hand.held.reached === false")
    x, y = board.pin("C")
    assert math.hypot(x, y) == pytest.approx(0.2, abs=1e-9)
    assert math.atan2(y, x) == pytest.approx(math.atan2(0.55, 0.4), abs=0.05)
    board.key("Escape")
    board.page.mouse.up()
    board.settled()
    assert board.data()["link1"]["start"]["angle"] == pytest.approx(math.pi / 2, abs=1e-9)
