"""Batches of calls in processes of their own: one that hangs or dies is noted, and the next call goes on."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.fuzz.calls import PATIENCE

ROOT = Path(__file__).parents[2]
BATCH = 1000
SILENCE = PATIENCE + 25
"""Seconds without a word after which a worker hangs beyond Ctrl-C."""
START = 240
"""The same until its first call: it imports, and makes results to call methods of."""
BEGINNING = "before the first call"
WRONG = ("other", "nan", "hang", "abort", "hang beyond signals")


def fuzz(
    calls: int, seed: int, *, workers: int = 1, share: float = 0.05, only: str = "", quick: bool = False
) -> list[dict[str, Any]]:
    """What became of each call."""
    spans = [(k, min(k + BATCH, calls)) for k in range(0, calls, BATCH)]
    with ThreadPoolExecutor(workers) as pool:
        parts = pool.map(lambda span: _batch(seed, *span, share, only, quick), spans)
        return [outcome for part in parts for outcome in part]


def _batch(seed: int, first: int, last: int, share: float, only: str, quick: bool) -> list[dict[str, Any]]:
    done: list[dict[str, Any]] = []
    while first < last:
        found = _started(seed, first, last, share, only, quick)
        done += found
        first += len(found)
    return done


def _started(seed: int, first: int, last: int, share: float, only: str, quick: bool) -> list[dict[str, Any]]:
    """Outcomes of calls until the worker ends or is ended."""
    command = [sys.executable, "-m", "tests.fuzz.worker", *map(str, (seed, first, last, share, int(quick), only))]
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": paths}
    worker = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lines: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_read, args=(worker.stdout, lines), daemon=True).start()
    errors: list[str] = []
    threading.Thread(target=lambda: errors.extend(worker.stderr or ()), daemon=True).start()
    done: list[dict[str, Any]] = []
    call, verdict = BEGINNING, "abort"
    while True:
        try:
            line = lines.get(timeout=SILENCE if done or call != BEGINNING else START)
        except queue.Empty:
            verdict = "hang beyond signals"
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            break
        if line is None:
            break
        try:
            said = json.loads(line)
        except ValueError:
            continue  # something printed
        if "verdict" in said:
            done.append({"call": call, "verdict": said["verdict"], "what": said["what"]})
        else:
            call = said["call"]
    worker.wait()
    if first + len(done) < last:
        last_words = "".join(errors[-3:])[-300:]
        if call == BEGINNING:
            raise RuntimeError(f"the worker did not start: {''.join(errors)[-2000:]}")
        done.append({"call": call, "verdict": verdict, "what": f"exit status {worker.returncode} {last_words}"})
    return done


def _read(stream: Any, lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)
