"""How long the bond graph of a long chain takes: to build, to get its causal strokes, to compile, to run.

    LINKWORK_CACHE=off python benchmarks/bond_graph_chain.py --links 50 bondgraph bondgraph-minimal

Spatial rods on pins whose axes are horizontal and vertical in turn, 1 s at rtol 1e-8. `graph` includes reading the
equations off it. The deviation is the largest difference of a joint's rate from `minimal`, which uses no graph.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from machine import describe

import linkwork as lw
from linkwork.analyses.bond_graph import FORMULATIONS
from linkwork.core.result import Result

T = TypeVar("T")
WAYS = {formulation: joints for joints, formulation in FORMULATIONS.items()}
COLUMNS = ("formulation", "elements", "bonds", "rows", "assemble", "graph", "strokes", "compile", "run", "deviation")
ROW = "{:<20} {:>8} {:>6} {:>6} {:>9} {:>7} {:>8} {:>8} {:>7} {:>10}"
DURATION = 1.0
"""s."""


def chain(links: int) -> lw.Model:
    """Rods on pins whose axes are horizontal and vertical in turn."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    quarter = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    last = m.ground.at(0, 0, 0, rotation=quarter)
    for k in range(links):
        rod = m.rod(f"rod{k + 1}", length=0.2, mass=0.3)
        pin = m.revolute(f"pin{k + 1}", last, rod.at(-0.1, 0, 0))
        pin.angle.law(lw.Damper(0.01))
        pin.angle.start(0.1 if k % 4 < 2 else -0.1, rate=0)
        last = rod.at(0.1, 0, 0, rotation=quarter if k % 2 else quarter.T)
    return m


def measure(links: int, formulation: str, reference: Result | None) -> Result:
    """Print a line; the run of it."""
    model = chain(links)
    assembly, _ = clocked(model.assemble)
    graphed, strokes, sizes = 0.0, 0.0, ("", "")
    if formulation in WAYS:
        graphed, graph = clocked(lambda: model.bondgraph(joints=WAYS[formulation]))
        strokes, _ = clocked(graph.causality)
        sizes = (str(len(graph.elements)), str(len(graph.bonds)))
    total, r = clocked(lambda: model.simulate(DURATION, formulation=formulation, output=0.05))
    run, rows = r.record["timings"]["run"], r.record["degrees"]["constraints"]
    times = [f"{x:.2f}" for x in (assembly, graphed, strokes, total - run, run)]
    rates = [c for c in r if c.endswith("angle.rate")]
    apart = "" if reference is None else f"{max(np.abs(r[c] - reference[c]).max() for c in rates):.1e}"
    print(ROW.format(formulation, *sizes, rows, *times, apart), flush=True)
    return r


def clocked(work: Callable[[], T]) -> tuple[float, T]:
    """(seconds, what it returned)."""
    clock = time.perf_counter()
    done = work()
    return time.perf_counter() - clock, done


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("formulations", nargs="*", default=["bondgraph", "bondgraph-minimal"])
    parser.add_argument("--links", type=int, default=50)
    chosen = parser.parse_args()
    print(describe(), end="\n\n")
    print(ROW.format(*COLUMNS), "  (times in s)")
    reference = measure(chosen.links, "minimal", None)
    for formulation in chosen.formulations:
        measure(chosen.links, formulation, reference)


if __name__ == "__main__":
    main()
