"""The studio as it is seen: from the mouse on a slider to the picture, and pictures of a dragged six-bar per second.

A server and a real browser (Chromium, by Playwright) without a graphics card. A picture counts when the frame after the
one that drew it begins. `python benchmarks/studio_page.py`
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from math import sin
from pathlib import Path
from typing import Any

from machine import describe
from playwright.sync_api import Page, sync_playwright

SOFTWARE = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
MOVES, PAUSE = 40, 0.25
"""Of the slider, and s between them: each is measured alone."""
SECONDS = 6.0
"""Of dragging."""
BODIES = {"crank": (0, 0, 0, 0.2), "coupler": (0, 0.2, 0.6, 0.4), "lever": (0.6, 0, 0.6, 0.4)}
BODIES |= {"rod": (0.6, 0.4, 1.0, 0.45), "arm": (1.0, 0, 1.0, 0.45)}
PINS = (("A", "ground", "crank", 0, 0), ("B", "crank", "coupler", 0, 0.2), ("C", "coupler", "lever", 0.6, 0.4))
PINS += (("D", "ground", "lever", 0.6, 0), ("E", "lever", "rod", 0.6, 0.4), ("F", "rod", "arm", 1.0, 0.45))
PINS += (("G", "ground", "arm", 1.0, 0),)

WATCH = """() => {
  const player = studio.stage.player, seen = window.seen = { asked: null, times: [], drawn: 0 };
  document.addEventListener("input", (e) => { if (e.target.type === "range") seen.asked = e.timeStamp; }, true);
  const { motion } = player;
  player.motion = function (data) { seen.changed = seen.asked; return motion.call(this, data); };
  const { load } = player;
  player.load = function (...given) { seen.changed = seen.asked; return load.apply(this, given); };
  player.onDraw(() => {
    seen.drawn += 1;
    if (!seen.changed) return;
    const asked = seen.changed;
    seen.changed = null;
    requestAnimationFrame(() => { seen.times.push(performance.now() - asked); });
  });
}"""

DRAG = """([x, y, radius, seconds]) => new Promise((done) => {
  const overlay = document.getElementById("overlay"), began = performance.now();
  let moves = 0;
  const clock = setInterval(() => {
    const passed = (performance.now() - began) / 1000, angle = Math.PI / 2 - 0.2 - 0.5 * Math.sin(2.5 * passed);
    if (passed > seconds) { clearInterval(clock); done(moves); return; }
    const at = { clientX: x + radius * Math.cos(angle), clientY: y - radius * Math.sin(angle) };
    overlay.dispatchEvent(new PointerEvent("pointermove", { ...at, pointerId: 1, buttons: 1, bubbles: true }));
    moves += 1;
  }, 8);
})"""
"""The pointer to and fro on a circle, 125 times a second; by the page itself, which no driver then holds up."""


def six_bar() -> str:
    """A crank, a coupler, a lever, and two more links behind them."""
    lines = ["linkwork = 1", "[model]", 'name = "six-bar"', "gravity = [0, -9.81]"]
    frames: dict[str, tuple[float, float]] = {"ground": (0.0, 0.0)}
    for name, (x1, y1, x2, y2) in BODIES.items():
        frames[name] = ((x1 + x2) / 2, (y1 + y2) / 2)
        lines += [f"[component.{name}]", 'type = "body"', "mass = 1.0", "inertia = 0.05"]
        lines += [f"start = {{position = [{frames[name][0]}, {frames[name][1]}], angle = 0}}"]
    for name, first, second, x, y in PINS:
        places = [f"{body}.at({x - frames[body][0]}, {y - frames[body][1]})" for body in (first, second)]
        lines += [f"[component.{name}]", 'type = "revolute"', f'first = "{places[0]}"', f'second = "{places[1]}"']
    return "\n".join(lines) + "\n"


def processor_time(root: int) -> dict[str, float]:
    """s that a process and all that came of it have used so far, by what they are."""
    found: dict[str, float] = {}
    parents: dict[int, tuple[int, str, float]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            text = (place / "stat").read_text()
            command = (place / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        words = text.rpartition(")")[2].split()
        kind = re.search(r"--type=([\w-]+)", command)
        name = kind[1] if kind else "browser" if "chrom" in command else "python"
        parents[int(place.name)] = int(words[1]), name, (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    for process, (_, name, seconds) in parents.items():
        above: int = process
        while above in parents and above != root:
            above = parents[above][0]
        if above == root:
            found[name] = found.get(name, 0.0) + seconds
    return found


def shown(before: dict[str, float], after: dict[str, float], count: int) -> str:
    spent = {name: 1e3 * (after[name] - before.get(name, 0.0)) / max(count, 1) for name in after}
    return ", ".join(f"{name} {ms:.1f}" for name, ms in sorted(spent.items(), key=lambda x: -x[1]) if ms > 0.5)


def until(page: Page, expression: str, seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := page.evaluate(expression)):
        if time.monotonic() > end:
            raise SystemExit(f"never: {expression}")
        time.sleep(0.02)
    return found


def slider(page: Page) -> None:
    page.evaluate(WATCH)
    box = page.locator("#slider-torque").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.5 * box["width"], y)
    page.mouse.down()
    before = processor_time(os.getpid())
    for k in range(MOVES):
        page.mouse.move(box["x"] + (0.5 + 0.3 * sin(0.7 * k + 0.3)) * box["width"], y)
        time.sleep(PAUSE)
    after = processor_time(os.getpid())
    times = sorted(page.evaluate("seen.times"))
    page.mouse.up()
    tenth = times[int(0.9 * len(times))]
    wall = (
        f"{times[0]:.0f} ms least, {statistics.median(times):.0f} median, {tenth:.0f} nine of ten; {len(times)} moves"
    )
    print(f"slider of the slider-crank → picture  {wall}")
    print(f"  processor time per move [ms]        {shown(before, after, MOVES)}")


def dragging(page: Page) -> None:
    page.click("#open")
    page.click("dialog .tabs >> text=Paste")
    page.fill("dialog textarea", six_bar())
    page.click("dialog .open-pane button.primary")
    until(page, "studio.store.state.name === 'six-bar' && !document.querySelector('dialog[open]')")
    page.click("#mode button[data-mode=draw]")
    until(page, "studio.mode.handle && studio.mode.handle.active && studio.mode.handle.sketch.pins.length > 5")
    page.keyboard.press("v")
    script = """([x, y]) => { const box = document.getElementById('overlay').getBoundingClientRect(),
        p = studio.stage.player.toPixel([x, y, 0]); return [p[0] + box.left, p[1] + box.top]; }"""
    at = page.evaluate(script, [0, 0])
    radius = at[1] - page.evaluate(script, [0, 0.2])[1]
    page.mouse.move(at[0], at[1] - radius)
    page.mouse.down()
    page.mouse.move(at[0] + 0.2 * radius, at[1] - radius, steps=4)
    until(page, "studio.mode.handle.hand.held && studio.mode.handle.hand.held.ready")
    frames = page.evaluate("() => { seen.drawn = 0; return studio.mode.handle.hand.frames; }")
    before, began = processor_time(os.getpid()), time.perf_counter()
    moves = page.evaluate(DRAG, [*at, radius, SECONDS])
    seconds, after = time.perf_counter() - began, processor_time(os.getpid())
    drawn, answers = page.evaluate("[seen.drawn, studio.mode.handle.hand.frames]")
    page.mouse.up()
    rates = [f"{x / seconds:.1f}" for x in (drawn, answers - frames, moves)]
    print(f"six-bar dragged                       {rates[0]} pictures, {rates[1]} answers, {rates[2]} moves a second")
    print(f"  processor time per picture [ms]     {shown(before, after, drawn)}")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--size", default="1280x800")
    words.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    chosen = words.parse_args()
    wide, high = map(int, chosen.size.split("x"))
    print(describe())
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        command = [sys.executable, "-m", "linkwork", "studio", "--no-browser", "--port", "0", "--folder", folder]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert server.stdout is not None
        address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        program = play.chromium.launch(executable_path=chosen.chromium, args=SOFTWARE)
        page = program.new_page(viewport={"width": wide, "height": high})
        try:
            page.goto(address)
            until(page, "document.documentElement.dataset.ready")
            page.click('[data-example="slider-crank"]')
            until(page, "studio.store.state.hints.name === 'slider-crank' && studio.stage.player")
            page.click("#run")
            until(page, "studio.store.run && !studio.runs.busy && studio.stage.player.playing")
            page.evaluate("studio.timeline.pause(); studio.timeline.seek(2)")
            time.sleep(1.5)
            slider(page)
            dragging(page)
        finally:
            program.close()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
