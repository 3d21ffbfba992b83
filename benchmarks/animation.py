"""How fast an exported page plays in headless Chromium, and how large it is: `python benchmarks/animation.py [bodies]`.

Without a graphics card Chromium draws in software; the CPU time of one frame is then told, too.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

import linkwork as lw

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def chain(bodies: int) -> lw.Model:
    """A hanging chain that starts level."""
    m = lw.Model(f"chain of {bodies}", gravity=(0, -9.81))
    last = m.ground.at(0, 0)
    for i in range(bodies):
        link = m.rod(f"link{i}", length=0.2, radius=0.02, mass=1)
        m.revolute(f"pin{i}", last, link.at(-0.1, 0))
        last = link.at(0.1, 0)
    return m


def chromium_seconds() -> float:
    """CPU time of all its processes."""
    ticks = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = entry.read_text().rpartition(")")
        except OSError:
            continue
        if "chrom" in name:
            ticks += sum(map(int, rest.split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def main(bodies: int = 100, duration: float = 10.0, watched: float = 5.0) -> None:
    result = chain(bodies).simulate(duration, formulation="minimal", rtol=1e-5, atol=1e-6)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        file = Path(folder) / "chain.html"
        result.animate(file, plot=())
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 800, "height": 600})
        page.goto(file.as_uri())
        page.wait_for_function("window.linkwork && linkwork.state().drawn > 60", timeout=60_000)
        drawn, used, clock = page.evaluate("linkwork.state().drawn"), chromium_seconds(), time.perf_counter()
        page.wait_for_timeout(1000 * watched)
        drawn = page.evaluate("linkwork.state().drawn") - drawn
        used, clock = chromium_seconds() - used, time.perf_counter() - clock
        browser.close()
        print(f"{bodies} bodies, {duration:g} s, {len(result.t)} samples: {file.stat().st_size / 1e6:.2f} MB")
        print(f"{drawn / clock:.0f} frames/s, {1000 * used / drawn:.0f} ms of CPU time per frame")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
