"""Large models: how derivation, a step and memory grow with the number of bodies, and against straight-line code.

    python benchmarks/large.py        chain of 1,000 to 10,000 bodies, N four-bar to N = 2,000, net of 6 × 33 to
                                      6 × 333; the first two in absolute coordinates and in those of their joints
    python benchmarks/large.py --chain 1000 --four-bar 0 --net 0

Every size runs in a process of its own, with nothing cached. "derive" is all from the model to machine code, the start
included; a step is one of RK4 (four evaluations and a projection); memory is the most that the process has held, above
that of one that has only imported Linkwork. CPU times stand beside wall times: others may use the machine. Slopes are
between the smallest and the largest size: 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import machine
import numpy as np

import linkwork as lw

STEP, STEPS = 0.001, 20
"""s, and how many."""
EXUDYN_STEP, EXUDYN_STEPS = 0.005, 20
FORMULATIONS = ("absolute", "minimal")
COLUMNS = ("bodies", "derive", "derive CPU", "step", "step CPU", "MiB", "whole")


def chain(n: int) -> lw.Model:
    """Links in space, each about another axis than the one before."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    before = m.ground.at(0, 0, 0)
    for k in range(n):
        link = m.body(f"b{k}", mass=1.0, inertia=(0.01, 0.1, 0.1))
        joint = m.revolute(f"j{k}", before, link.at(-0.5, 0, 0), axis=(0, 0, 1) if k % 2 else (0, 1, 0))
        joint.angle.start(0.3 if k == 0 else 0.01, rate=0.0)
        before = link.at(0.5, 0, 0)
    return m


def four_bar(n: int) -> lw.Model:
    """The N four-bar of the multibody benchmarks, in the plane: 2 N + 1 bodies, N loops."""
    m = lw.Model("four-bar", gravity=(0, -9.81))
    bars = []
    for k in range(n + 1):
        bar = m.body(f"bar{k}", mass=1, inertia=1 / 12)
        bar.start(position=(k, 0.5), angle=np.pi / 2)
        m.revolute(f"g{k}", m.ground.at(k, 0), bar.at(-0.5, 0))
        bars.append(bar)
    for k in range(n):
        rod = m.body(f"rod{k}", mass=1, inertia=1 / 12)
        rod.start(position=(k + 0.5, 1))
        m.revolute(f"l{k}", bars[k].at(0.5, 0), rod.at(-0.5, 0))
        m.revolute(f"r{k}", rod.at(0.5, 0), bars[k + 1].at(0.5, 0))
    m["g0"].angle.start(np.pi / 2, rate=-1.0)
    return m


def net(n: int, wide: int = 6) -> lw.Model:
    """A band of n × 6 bodies in space, rod and spring to each neighbour, hung at two opposite corners: 5 (n − 1) loops.

    Between two points that lie on one row the rods would be taut: a singular start, from which no two ways need agree.
    Fronts grow with the width of a net, not with its length."""
    m = lw.Model("net", gravity=(0, 0, -9.81))
    grid = {}
    for i in range(n):
        for j in range(wide):
            grid[i, j] = m.body(f"n{i}_{j}", mass=1, inertia=(0.02, 0.02, 0.03))
            grid[i, j].start(position=(i, j, 0))
    for (i, j), b in grid.items():
        for k, other in enumerate(((i + 1, j), (i, j + 1))):
            if other in grid:
                m.spring(f"k{i}_{j}_{k}", b.at(), grid[other].at(), stiffness=50.0, damping=0.5, length=1.0)
                m.distance(f"d{i}_{j}_{k}", b.at(), grid[other].at(), length=1.0)
    for i, j in ((0, 0), (n - 1, wide - 1)):
        m.spherical(f"h{i}_{j}", m.ground.at(i, j, 0), grid[i, j].at())
    return m


CASES: dict[str, Callable[[int], lw.Model]] = {"chain": chain, "four-bar": four_bar, "net": net}


def measure(case: str, n: int, formulation: str) -> dict[str, float]:
    """In this process, which has done nothing before."""
    empty = most_memory()
    model = CASES[case](n)
    begin, cpu = time.perf_counter(), time.process_time()
    how = {"solver": "rk4", "step": STEP, "kernels": True, "formulation": formulation}
    first = model.simulate(STEP, output=STEP, **how)
    whole = time.perf_counter() - begin
    prepared = first.record["timings"]["derive"] + first.record["timings"]["compile"]
    share = (time.process_time() - cpu) / whole
    cpu = time.process_time()
    times = np.array([0.0, STEPS * STEP])
    began = time.perf_counter()
    again = model.simulate(STEPS * STEP, output=times, **how)
    run = again.record["timings"]["run"]
    busy = (time.process_time() - cpu) / (time.perf_counter() - began)
    bodies = sum(c.name.endswith(".ax") for c in first.channels)
    return {
        "bodies": bodies,
        "derive": prepared,
        "derive CPU": prepared * share,
        "step": run / STEPS,
        "step CPU": run / STEPS * busy,
        "MiB": most_memory() - empty,
        "whole": whole,
    }


def most_memory() -> float:
    """That this process has held so far [MiB]; NaN where the system does not say."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            return next(float(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return float("nan")


def alone(case: str, n: int, formulation: str) -> dict[str, float]:
    """The same in a process of its own."""
    environment = os.environ | {"LINKWORK_CACHE": "off", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--alone", case, str(n), formulation]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{case} {n}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def table(case: str, sizes: list[int], formulation: str) -> None:
    print(f"\n{case}, {formulation}\n{'':>12} " + " ".join(f"{c:>11}" for c in COLUMNS))
    rows = []
    for n in sizes:
        rows.append(alone(case, n, formulation))
        print(f"{n:>12} " + " ".join(_shown(c, rows[-1][c]) for c in COLUMNS), flush=True)
    if len(rows) > 1:
        first, last = rows[0], rows[-1]
        grown = np.log(last["bodies"] / first["bodies"])
        slopes = {c: np.log(last[c] / first[c]) / grown for c in COLUMNS[1:]}
        print(f"{'slope':>12} {'':>11} " + " ".join(f"{slopes[c]:11.2f}" for c in COLUMNS[1:]))
        more = last["bodies"] - first["bodies"]
        per = [(last[c] - first[c]) / more for c in ("derive", "step", "MiB")]
        print(f"  per body: derive {1e3 * per[0]:.2f} ms, step {1e6 * per[1]:.1f} µs, {1024 * per[2]:.1f} KiB")


def _shown(column: str, x: float) -> str:
    if column == "bodies":
        return f"{x:11.0f}"
    if column == "MiB":
        return f"{x:11.0f}"
    return f"{1e3 * x:8.2f} ms" if column.startswith("step") else f"{x:9.2f} s"


def agreement() -> None:
    """Every channel, against straight-line code, on sizes that both can do."""
    print(
        "\nagainst straight-line code, 0.2 s with dopri5: largest difference of a channel, relative to 1 or its value"
    )
    cases = [("chain", 20, f) for f in FORMULATIONS] + [("four-bar", 10, f) for f in FORMULATIONS]
    for case, n, formulation in [*cases, ("net", 4, "absolute")]:
        model = CASES[case](n)
        how = {"solver": "dopri5", "output": 0.02, "formulation": formulation}
        one, other = (model.simulate(0.2, kernels=k, **how) for k in (True, False))
        kept = [k for k, c in enumerate(one.channels) if c.name != "solver.step"]
        apart = np.abs(one.data - other.data)[:, kept] / (1 + np.abs(other.data[:, kept]))
        times = [r.record["timings"] for r in (one, other)]
        seconds = ", ".join(f"{t['derive'] + t['compile']:.2f} s + {1e3 * t['run']:.1f} ms" for t in times)
        print(f"  {case} {n}, {formulation}: {apart.max():.1e} in {len(kept)} channels; derive and run {seconds}")


def against_exudyn(n: int) -> None:
    """The same duration of the N four-bar; Exudyn with its sparse solver."""
    try:
        import exudyn_chain
    except ImportError:
        print("\nExudyn is not installed.")
        return
    setting = exudyn_chain.Setting(EXUDYN_STEP, sparse=True, loose=True)
    duration = EXUDYN_STEPS * EXUDYN_STEP
    system = time.perf_counter()
    seconds = exudyn_chain.run_seconds(n, duration, setting)
    whole = time.perf_counter() - system
    model = four_bar(n)
    begin = time.perf_counter()
    result = model.simulate(duration, solver="rk4", step=EXUDYN_STEP, output=duration, kernels=True)
    mine = time.perf_counter() - begin
    run = result.record["timings"]["run"]
    print(
        f"\nN four-bar N = {n}, {duration:g} s in {EXUDYN_STEPS} steps: Exudyn run {seconds:.2f} s (built and run "
        f"{whole:.2f} s), Linkwork run {run:.3f} s (derived and run {mine:.2f} s): run {seconds / run:.1f} × as fast"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chain", type=int, nargs="*", default=[1000, 3000, 10000])
    parser.add_argument("--four-bar", type=int, nargs="*", default=[200, 600, 2000])
    parser.add_argument("--net", type=int, nargs="*", default=[33, 100, 333])
    parser.add_argument("--exudyn", type=int, default=500, help="N of the N four-bar against Exudyn; 0: not at all")
    parser.add_argument("--alone", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(measure(given.alone[0], int(given.alone[1]), given.alone[2])))
        return
    print(machine.describe(["exudyn"]))
    agreement()
    for case, sizes in (("chain", given.chain), ("four-bar", given.four_bar), ("net", given.net)):
        for formulation in FORMULATIONS if case != "net" else FORMULATIONS[:1]:
            if sizes := [n for n in sizes if n]:
                table(case, sizes, formulation)
    if given.exudyn:
        against_exudyn(given.exudyn)


if __name__ == "__main__":
    main()
