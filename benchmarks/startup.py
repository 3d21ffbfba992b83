"""How long `linkwork run slider-crank` takes when its code is in the cache, and where the time goes.

    python benchmarks/startup.py

The command runs in fresh processes. The first run fills a cache of its own and is not counted. Import times come from
`python -X importtime`, summed by top package (each module without what it imports in turn).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import machine

COMMAND = (sys.executable, "-m", "linkwork", "run", "slider-crank")

STAGES = """
import time
last = time.perf_counter()
def lap(what):
    global last
    now = time.perf_counter()
    print(f"{what}\\t{now - last}")
    last = time.perf_counter()
from linkwork.cli.startup import import_matplotlib, short_lived
with short_lived():
    import linkwork
    lap("import linkwork")
    from linkwork.examples import slider_crank
    model = slider_crank.model()
    lap("build the model")
    model.assemble()
    lap("formulate and assemble")
    result = model.simulate(slider_crank.DURATION)
    lap("simulate")
    timings = result.record["timings"]
    print(f"  of it: load the code\\t{timings['compile']}")
    print(f"  of it: integrate\\t{timings['run']}")
    import_matplotlib()
    lap("import matplotlib")
    result.plot(*slider_crank.SHOW, file="stages.svg")
    lap("plot")
"""


def least(command: tuple[str, ...], folder: Path, environment: dict[str, str], repeats: int) -> float:
    """Least wall time [s] of a command in fresh processes."""
    times = []
    for _ in range(repeats):
        clock = time.perf_counter()
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        times.append(time.perf_counter() - clock)
    return min(times)


def import_times(folder: Path, environment: dict[str, str]) -> dict[str, float]:
    """Time [s] spent in the modules of each top package."""
    command = (sys.executable, "-X", "importtime", *COMMAND[1:])
    listed = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stderr
    found: dict[str, float] = defaultdict(float)
    for line in listed.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if line.startswith("import time:") and len(parts) == 3 and parts[0].strip().isdigit():
            found[parts[2].strip().partition(".")[0]] += int(parts[0]) * 1e-6
    return found


def stage_times(folder: Path, environment: dict[str, str]) -> dict[str, float]:
    command = (sys.executable, "-c", STAGES)
    listed = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout
    return {what: float(seconds) for what, seconds in (line.split("\t") for line in listed.splitlines())}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5, help="processes per time, of which the least counts")
    chosen = parser.parse_args()
    print(machine.describe(["matplotlib", "rich"]), end="\n\n")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        environment = {**os.environ, "LINKWORK_CACHE": str(folder / "cache")}
        # As an installed package has it: bytecode is kept, whatever this shell says.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        first = least(COMMAND, folder, environment, 1)
        again = least(COMMAND, folder, environment, chosen.repeats)
        bare = least((sys.executable, "-c", "pass"), folder, environment, chosen.repeats)
        print(f"first run, no cache      {first:6.2f} s   (nor bytecode of any package)")
        print(f"second run               {again:6.2f} s")
        print(f"  of which bare Python   {bare:6.2f} s")
        runs = [stage_times(folder, environment) for _ in range(chosen.repeats)]
        print("\nwhere a second run spends its time (stages run one by one)   [ms]")
        for what in runs[0]:
            print(f"  {what:<36} {min(run[what] for run in runs) * 1e3:8.1f}")
        found = import_times(folder, environment)
        print("\nimports by package, measured under -X importtime, which slows them somewhat   [ms]")
        for package, seconds in sorted(found.items(), key=lambda item: -item[1])[:10]:
            print(f"  {package:<36} {seconds * 1e3:8.1f}")
        print(f"  {'all':<36} {sum(found.values()) * 1e3:8.1f}")


if __name__ == "__main__":
    main()
