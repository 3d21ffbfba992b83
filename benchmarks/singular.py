"""The N four-bar through its flat position, again and again: passes and failures per formulation and solver.

    python benchmarks/singular.py                      a few hundred passes each
    python benchmarks/singular.py --passes 10000 -n 2
    python benchmarks/singular.py --formulations minimal,points --solvers dopri5,radau

A run fails where it stops, where its uprights are no longer parallel (another branch), or where its energy changes by
more than a ten-thousandth (a hundredth for fixed steps, a thousandth for a method of second order that varies them).
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from typing import Any

import machine
import numpy as np

import linkwork as lw
from linkwork.examples import n_four_bar

DURATION = 50.0
"""s of one run; a start at 12 to 20 rad/s gives about five passes a second."""
FORMULATIONS = (
    "absolute,minimal,points,acausal,bondgraph,bondgraph-canonical,bondgraph-minimal,bondgraph-zcp"  # fmt: skip
)
SOLVERS: dict[str, tuple[str, dict[str, Any], float]] = {
    "dopri5": ("dopri5", {}, 1e-4),
    "dop853": ("dop853", {}, 1e-4),
    "auto": ("auto", {}, 1e-4),
    "radau": ("radau", {}, 1e-4),
    "rk4": ("rk4", {"step": 0.01}, 1e-2),
    "generalized_alpha": ("generalized_alpha", {"step": 0.001}, 1e-2),
    "hht": ("hht", {"step": 0.001}, 1e-2),
    "newmark": ("newmark", {"step": 0.001}, 1e-2),
    "alpha-varying": ("generalized_alpha", {}, 1e-3),
    "baumgarte": ("dopri5", {"stabilisation": lw.Baumgarte(5, 5)}, 1e-4),
}


@dataclass
class Tally:
    """What came of several runs."""

    passes: int = 0
    runs: int = 0
    failed: int = 0
    energy: float = 0.0
    """Largest change of the total energy, relative to it, of the runs that did not fail."""
    seconds: float = 0.0
    reasons: list[str] = field(default_factory=list)


def directions(r: lw.Result, n: int) -> np.ndarray:
    """Of the uprights, as complex numbers of size 1; (n + 1, samples)."""
    return np.array([np.exp(1j * np.arctan2(r[f"v{k}.y"], r[f"v{k}.x"] - k)) for k in range(n + 1)])


def tally(n: int, formulation: str, solver: str, wanted: int) -> Tally:
    name, options, tolerance = SOLVERS[solver]
    found = Tally()
    while found.passes < wanted and found.failed < 20:
        m = n_four_bar.model(n)
        m["v0"].start(spin=-12 - 0.37 * found.runs)
        began = time.perf_counter()
        try:
            r = m.simulate(DURATION, formulation=formulation, solver=name, output=0.01, **options)
            reason = ""
        except lw.IntegrationError as error:
            r, reason = error.partial, str(error)
        found.seconds += time.perf_counter() - began
        found.runs += 1
        way, energy = directions(r, n), r["energy.total"]
        off = np.abs(way - way[0]).max(axis=0)
        kept = int(np.argmax(off > 1e-2)) if off.max() > 1e-2 else r.t.size
        found.passes += int(np.sum(np.diff(np.sign(way[0, :kept].imag)) != 0))
        change = float(np.abs(energy[:kept] / energy[0] - 1).max())
        if kept < r.t.size:
            reason = f"another branch at {r.t[kept]:.2f} s"
        elif not reason and change > tolerance:
            reason = f"energy changed by {change:.1e}"
        if reason:
            found.failed += 1
            found.reasons.append(reason)
        else:
            found.energy = max(found.energy, change)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-n", type=int, default=2, help="number of loops")
    parser.add_argument("--passes", type=int, default=300, help="of each formulation with each solver")
    parser.add_argument("--formulations", default=FORMULATIONS)
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    chosen = parser.parse_args()
    print(machine.describe([]))
    print(f"\nN four-bar, N = {chosen.n}\n")
    print(f"{'formulation':<20} {'solver':<18} {'passes':>7} {'failed runs':>12} {'energy':>9} {'seconds':>8}")
    for formulation in chosen.formulations.split(","):
        for solver in chosen.solvers.split(","):
            t = tally(chosen.n, formulation, solver, chosen.passes)
            runs = f"{t.failed}/{t.runs}"
            shown = f"{formulation:<20} {solver:<18} {t.passes:>7} {runs:>12} {t.energy:>9.1e} {t.seconds:>8.1f}"
            print(shown, *t.reasons[:1], flush=True)


if __name__ == "__main__":
    main()
