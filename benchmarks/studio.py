"""The studio under load: how long a slider's rerun takes, and many tabs at once, with the memory they take.

Every tab runs a pendulum and a slider-crank with parameters of its own, again and again, at the same time; what it gets
is compared, to the last bit, with what one process gets alone. `python benchmarks/studio.py --tabs 20`
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from machine import describe
from websockets.sync.client import ClientConnection, connect

from linkwork.examples import pendulum, slider_crank
from linkwork.studio.server.serving import bound, server_of
from linkwork.studio.server.settings import Settings

RERUNS = 50
"""Moves of the slider."""
CASES: tuple[tuple[str, str, str, Callable[[], Any]], ...] = (
    ("slider-crank", "torque", "piston.x", slider_crank.model),
    ("pendulum", "damping", "pin.angle", pendulum.model),
)


class Page:
    def __init__(self, socket: ClientConnection):
        self.socket, self.count = socket, 0

    def ask(self, verb: str, **given: Any) -> Any:
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "verb": verb, **given}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.count and "event" not in message:
                if "ok" not in message:
                    raise SystemExit(f"{verb}: {message['error']}")
                return message["ok"]


def page(port: int, tab: str) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{port}/ws?tab={tab}", origin=f"http://127.0.0.1:{port}", max_size=None)


def cpu_seconds(process: int) -> float:
    """That a process has used, threads included; 0 where the system does not tell."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def rerun(server: Any, port: int) -> None:
    """From the request to the whole answer, as the page gets it while a slider moves: what moves, and nothing else."""
    with page(port, "slider") as socket:
        client = Page(socket)
        began = time.perf_counter()
        client.ask("open", example="slider-crank")
        client.ask("state")
        print(f"first picture of a new tab          {time.perf_counter() - began:8.2f} s")
        run = client.ask("run", duration=5.0)["run"]
        times, process = [], server.config.app.state.tabs.tabs["slider"].process
        before = cpu_seconds(process)
        for k in range(RERUNS):
            began = time.perf_counter()
            run = client.ask("run", duration=5.0, parameters={"torque": 10 + 0.1 * k}, keep=False, like=run)["run"]
            times.append(time.perf_counter() - began)
        spent = (cpu_seconds(process) - before) / RERUNS
        least, middle, most = min(times), statistics.median(times), max(times)
        wall = f"{1e3 * least:8.1f} ms least, {1e3 * middle:.1f} median, {1e3 * most:.1f} most"
        print(f"rerun of the slider-crank, 5 s      {wall}")
        print(f"  processor time of its worker      {1e3 * spent:8.1f} ms")


def private_bytes(process: int) -> tuple[int, int]:
    """Memory of its own, and all that it uses, shared parts counted [bytes]."""
    found = {"Private": 0, "Rss": 0}
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        word, _, rest = line.partition(":")
        for key in found:
            if word.startswith(key):
                found[key] += int(rest.split()[0]) * 1024
    return found["Private"], found["Rss"]


def work(port: int, number: int, rounds: int, wrong: list[str]) -> None:
    with page(port, f"tab{number}") as socket:
        client = Page(socket)
        for round_ in range(rounds):
            name, parameter, channel, _ = CASES[(number + round_) % len(CASES)]
            client.ask("open", example=name)
            value = 1.0 + number + 0.1 * round_
            run = client.ask("run", duration=2.0, parameters={parameter: value})["run"]
            packed = client.ask("channels", run=run, names=[channel])["values"][channel]
            found = np.frombuffer(base64.b64decode(packed))
            if not np.array_equal(found, EXPECTED[name, value]):
                wrong.append(f"tab {number}, round {round_}: {name} with {parameter} = {value}")


EXPECTED: dict[tuple[str, float], np.ndarray] = {}


def expect(tabs: int, rounds: int) -> None:
    """What one process gets, alone."""
    models = {name: make() for name, _, _, make in CASES}
    for number in range(tabs):
        for round_ in range(rounds):
            name, parameter, channel, _ = CASES[(number + round_) % len(CASES)]
            value = 1.0 + number + 0.1 * round_
            EXPECTED[name, value] = np.array(models[name].simulate(2.0, parameters={parameter: value})[channel])


def many(server: Any, port: int, tabs: int, rounds: int) -> None:
    expect(tabs, rounds)
    wrong: list[str] = []
    threads = [threading.Thread(target=work, args=(port, k, rounds, wrong)) for k in range(tabs)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    most, used = 0, {}
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.5)
        for name, tab in list(server.config.app.state.tabs.tabs.items()):
            if name.startswith("tab") and tab.process is not None:
                try:
                    used[name] = max(used.get(name, (0, 0)), private_bytes(tab.process))
                except OSError:
                    continue
        most = max(most, sum(own for own, _ in used.values()))
    seconds = time.perf_counter() - began
    own = [x / 1e6 for x, _ in used.values()] or [0.0]
    print(
        f"{tabs:2} tabs, {rounds} runs each              {seconds:8.1f} s, {tabs * rounds / seconds:.1f} runs a second"
    )
    print(f"  wrong data in                     {len(wrong):8} runs")
    memory = f"{max(own):8.0f} MB most, {statistics.mean(own):.0f} mean; all {most / 1e6:.0f} MB"
    print(f"  memory of its own per tab         {memory}")
    for line in wrong:
        print("  WRONG", line)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--tabs", type=int, default=20)
    words.add_argument("--rounds", type=int, default=5)
    chosen = words.parse_args()
    print(describe())
    with tempfile.TemporaryDirectory() as folder:
        listening, settings = bound(Settings(Path(folder)))
        server = server_of(settings)
        thread = threading.Thread(target=lambda: server.run(sockets=[listening]))
        thread.start()
        try:
            rerun(server, settings.port)
            many(server, settings.port, chosen.tabs, chosen.rounds)
        finally:
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    main()
