"""BND's tables 1 and 5 from our graphs: every method, vector and scalar bonds, in one run on one machine.

    LINKWORK_CACHE=off python benchmarks/bond_graphs.py

Bodies are spatial, as in the paper. `ready` is the time from a model to compiled functions (assembly, graph, causality,
reading, LLVM; without the cache), `run` the least of five runs at rtol 1e-9, `ratio` that to minimal coordinates that
were not read from a graph. The deviation is the largest difference from those of the speed the paper looks at: the
angular velocity of the pendulum, the velocity of the piston. R/C elements have the paper's values (10⁶ or 10⁷ N/m and
200 N·s/m) and run with Radau, everything else with dopri5. `paper` is the computing time [s] it reports.
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from typing import Any

import numpy as np
from machine import describe

import linkwork as lw
from linkwork.bondgraph.following.paths_report import open_paths
from linkwork.bondgraph.graph import BondGraph
from linkwork.examples import slider_crank_spatial

HARD = "hard"
METHODS = {
    "minimal coordinates": ("bondgraph-minimal", "minimal"),
    "zero-order paths": ("bondgraph-zcp", "ideal"),
    "R/C elements": ("bondgraph-rc", "rc"),
    "multipliers (MSe)": ("bondgraph", "lagrange"),
    "multipliers, canonical": ("bondgraph-canonical", "canonical"),
}
"""BND 3.3 and ACA section 2: the formulation, and how `m.bondgraph` is asked for its graph."""
PAPER: dict[tuple[str, str, str], float | str] = {
    ("pendulum", "bondgraph-zcp", "vector"): 0.045,
    ("pendulum", "bondgraph-rc", "vector"): 0.145,
    ("pendulum", "bondgraph", "vector"): 0.050,
    ("pendulum", "bondgraph-minimal", "scalar"): 0.015,
    ("pendulum", "bondgraph-zcp", "scalar"): 0.031,
    ("pendulum", "bondgraph-rc", "scalar"): 0.6,
    ("pendulum", "bondgraph", "scalar"): 0.040,
    ("hyperstatic", "bondgraph-rc", "vector"): 0.5,
    ("hyperstatic", "bondgraph-rc", "scalar"): 0.45,
    ("isostatic", "bondgraph-zcp", "vector"): HARD,
    ("isostatic", "bondgraph-rc", "vector"): 0.51,
    ("isostatic", "bondgraph", "vector"): 0.330,
    ("isostatic", "bondgraph-minimal", "scalar"): 0.19,
    ("isostatic", "bondgraph-zcp", "scalar"): HARD,
    ("isostatic", "bondgraph-rc", "scalar"): 0.4,
    ("isostatic", "bondgraph", "scalar"): 0.300,
}
TOLERANCES: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-11, "output": 0.01}


def pendulum() -> lw.Model:
    """BND table 6 in space, undamped; the inertia about the bar's own axis plays no part."""
    m = lw.Model("pendulum", gravity=(0, -9.81, 0))
    bar = m.body("bar", mass=1, inertia=(0.01, 1 / 12, 1 / 12))
    pin = m.revolute("pin", m.ground.at(0, 0, 0), bar.at(-0.5, 0, 0))
    pin.angle.start(0, rate=0)
    return m


CASES = {
    "pendulum": (pendulum, 10.0, "pin.angle.rate", 1e6),
    "isostatic": (lambda: slider_crank_spatial.model(redundant=False), 5.0, "piston.vx", 1e7),
    "hyperstatic": (lambda: slider_crank_spatial.model(redundant=True), 5.0, "piston.vx", 1e7),
}
"""How it is built, duration [s], the speed that is compared, stiffness of R/C elements [N/m]."""
COLUMNS = {
    "mechanism": "<12",
    "method": "<23",
    "bonds": "<7",
    "elements": ">8",
    "of them": ">8",
    "paths": ">10",
    "index": ">6",
    "ready [s]": ">10",
    "run [ms]": ">9",
    "ratio": ">6",
    "steps": ">6",
    "deviation": ">10",
    "paper": ">6",
}
"""`elements` and `of them`: numbers of elements and bonds; `paths`: class × number of zero-order causal paths."""


def shown(*values: Any) -> None:
    print("".join(f"{v:{width}}" for v, width in zip(values, COLUMNS.values(), strict=True)), flush=True)


def studies(repeats: int) -> None:
    shown(*COLUMNS)
    for name, (build, duration, channel, stiffness) in CASES.items():
        ready, reference, unit = timed(build(), duration, "minimal", None, repeats)
        times = (f"{ready:.2f}", f"{unit * 1e3:.2f}", "1", reference.record["statistics"]["accepted"])
        shown(name, "(not from a graph)", "", "", "", "", "", *times, "", "")
        for (method, (formulation, joints)), bonds in product(METHODS.items(), ("vector", "scalar")):
            model, full = build(), formulation + ("-scalar" if bonds == "scalar" else "")
            soft = lw.Compliance(stiffness=stiffness, damping=200) if joints == "rc" else None
            ready, r, seconds = timed(model, duration, full, soft, repeats)
            graph = model.bondgraph(bonds=bonds, joints=joints, compliance=soft)
            sizes = (len(graph.elements), len(graph.bonds), *located(graph))
            times = (f"{ready:.2f}", f"{seconds * 1e3:.2f}", f"{seconds / unit:.1f}")
            apart = f"{np.abs(r[channel] - reference[channel]).max():.1e}"
            steps, paper = r.record["statistics"]["accepted"], PAPER.get((name, formulation, bonds), "")
            shown(name, method, bonds, *sizes, *times, steps, apart, paper)


def timed(
    model: lw.Model, duration: float, name: str, soft: lw.Compliance | None, repeats: int
) -> tuple[float, Any, float]:
    """(seconds until it can run, the last run, seconds of the quickest run)."""
    solver = "radau" if soft else "dopri5"
    runs = []
    for _ in range(repeats):
        clock = time.perf_counter()
        r = model.simulate(duration, formulation=name, compliance=soft, solver=solver, **TOLERANCES)
        runs.append((time.perf_counter() - clock, r))
    first = runs[0][0] - runs[0][1].record["timings"]["run"]
    return first, runs[-1][1], min(r.record["timings"]["run"] for _, r in runs)


def located(graph: BondGraph) -> tuple[str, int]:
    """Zero-order causal paths as "class × number", and the index of the equations."""
    found = open_paths(graph.causality())
    return ", ".join(f"{k}×{found.count[k]}" for k in found.classes) or "none", found.index


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5, help="runs of each case, of which the quickest counts")
    print(describe(), end="\n\n")
    studies(parser.parse_args().repeats)


if __name__ == "__main__":
    main()
