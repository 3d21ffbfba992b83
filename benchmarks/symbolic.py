"""From a mechanism to a function of its accelerations, and what a call costs: Linkwork against sympy.physics.mechanics.

    python benchmarks/symbolic.py
    python benchmarks/symbolic.py double-pendulum robot chain-10 --limit 600

Each measurement runs in a process of its own. Imports are not counted: each program first makes a function of something
trivial, as some imports happen late. Cold: nothing in Linkwork's cache on disk; warm:
the same again. SymPy: KanesMethod, then lambdify of mass matrix and forcing, with and without `cse=True`; a call solves
for the accelerations with NumPy. What takes longer than --limit seconds is shown as such. Before any time is shown the
accelerations are checked to be equal at eight random states.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import machine
import numpy as np
import symbolic_cases

CASES = ("double-pendulum", "robot", "chain-10")
AGREE = 1e-9
"""Largest difference of an acceleration, relative to the largest."""
CHECKED = 8
"""States at which accelerations are compared."""


# One measurement, in a process of its own -----------------------------------------------------------------------------


def per_call(call: Callable[[], Any], slice_: float = 0.02, slices: int = 25) -> float:
    """Seconds per call: the least of several slices, which is one that nothing else interrupted."""
    count, spent = 1, 0.0
    while spent < slice_ / 2:
        count *= 2
        spent = _timed(call, count)
    return min(_timed(call, count) for _ in range(slices)) / count


def _timed(call: Callable[[], Any], count: int) -> float:
    clock = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - clock


def measure_linkwork(case: symbolic_cases.Case, describe: Callable[[symbolic_cases.Case], Any]) -> None:
    from linkwork.compile.program import compile_program
    from linkwork.formulations import formulate
    from linkwork.integrate import evaluate

    def function_of(model: Any) -> tuple[Any, Any]:
        program = compile_program(formulate(model, "minimal"), model.parameters, model.inputs)
        return program, program.function("rhs")

    function_of(symbolic_cases.trivial())
    clock = time.perf_counter()
    program, f = function_of(describe(case))
    ready = time.perf_counter() - clock
    n = case.coordinates
    q, u, loads = symbolic_cases.states(case, CHECKED)
    Y = np.hstack([q, u, np.zeros((CHECKED, program.layout.z))])
    found = [f(0.0, y, p)[0][n : 2 * n].tolist() for y, p in zip(Y, loads, strict=True)]
    rows, times = np.tile(Y, (1000, 1)), np.zeros(1000 * CHECKED)
    loop = per_call(lambda: evaluate(f, times, rows, loads[0])) / times.size
    call = per_call(lambda: f(0.0, Y[0], loads[0]))
    tell(way="", ready=ready, call=call, loop=loop, instructions=f.instructions, accelerations=found)


def measure_sympy(case: symbolic_cases.Case) -> None:
    import sympy
    import sympy.physics.mechanics

    x = sympy.symbols("x")
    for cse in (True, False):
        sympy.lambdify([x], sympy.Matrix([sympy.sin(x)]), cse=cse)(1.0)
    clock = time.perf_counter()
    mass, forcing, *arguments = symbolic_cases.kane(case)
    derived = time.perf_counter() - clock
    tell(way="derived", ready=derived)
    q, u, loads = symbolic_cases.states(case, CHECKED)
    for way, cse in (("cse", True), ("plain", False)):
        clock = time.perf_counter()
        f = sympy.lambdify(arguments, (mass, forcing), cse=cse)
        ready = derived + time.perf_counter() - clock
        found = [np.linalg.solve(*f(*state)).ravel().tolist() for state in zip(q, u, loads, strict=True)]
        call = per_call(lambda f=f: np.linalg.solve(*f(q[0], u[0], loads[0])))
        tell(way=way, ready=ready, call=call, accelerations=found)


def tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


# The table ------------------------------------------------------------------------------------------------------------


def ask(case: str, way: str, *, limit: float, cache: str = "off") -> tuple[dict[str, Any], bool]:
    """{part: measurement} of a process, and whether it came to its end within `limit` [s]."""
    command = [sys.executable, __file__, case, "--measure", way]
    environment = os.environ | {"LINKWORK_CACHE": cache}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired as late:
        text = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        return _read(text), False
    if done.returncode:
        raise SystemExit(f"{way} failed on {case}:\n{done.stderr}")
    return _read(done.stdout), True


def _read(text: str) -> dict[str, Any]:
    lines = [line for line in text.splitlines() if line.endswith("}")]  # the last may be cut off
    return {found["way"]: found for found in map(json.loads, lines)}


def least(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The quickest of several runs, each figure by itself."""
    best = dict(runs[0])
    for key in ("ready", "call", "loop"):
        if key in best:
            best[key] = min(run[key] for run in runs)
    return best


def linkwork_rows(case: str, repeats: int, limit: float) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    ways = ["positions"] if symbolic_cases.joints(symbolic_cases.case(case)) is None else ["positions", "joints"]
    for way in ways:
        cold, warm = [], []
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as folder:
                cold.append(ask(case, way, limit=limit, cache=folder)[0][""])
                warm.append(ask(case, way, limit=limit, cache=folder)[0][""])
        rows[f"Linkwork, {way}, cold"], rows[f"Linkwork, {way}, warm"] = least(cold), least(warm)
    return rows


def sympy_rows(case: str, repeats: int, limit: float) -> dict[str, dict[str, Any] | None]:
    """None: not within the limit."""
    runs = []
    for _ in range(repeats):
        clock = time.perf_counter()
        found, whole = ask(case, "sympy", limit=limit)
        runs.append(found)
        if not whole or time.perf_counter() - clock > 20:  # long enough to be sure of it
            break
    rows: dict[str, dict[str, Any] | None] = {}
    for way in ("cse", "plain"):
        measured = [run[way] for run in runs if way in run]
        rows[f"SymPy, {'cse' if way == 'cse' else 'no cse'}"] = least(measured) if measured else None
    return rows


def compare(case: str, repeats: int, limit: float) -> None:
    ours = linkwork_rows(case, repeats, limit)
    rows: dict[str, dict[str, Any] | None] = {**ours, **sympy_rows(case, repeats, limit)}
    reference = np.array(next(iter(ours.values()))["accelerations"])
    scale = np.abs(reference).max(axis=1, keepdims=True)
    apart = {
        name: float(np.max(np.abs(np.array(row["accelerations"]) - reference) / scale))
        for name, row in rows.items()
        if row
    }
    if max(apart.values()) > AGREE:
        raise SystemExit(f"{case}: the accelerations differ, so there is nothing to compare: {apart}")
    print(f"\n{case}: accelerations agree to {max(apart.values()):.0e}")
    print(f"  {'':<28}{'to a function':>15}{'ratio':>9}{'Python call':>14}{'ratio':>9}{'native loop':>14}{'ratio':>9}")
    base = next(iter(ours.values()))
    for name, row in rows.items():
        if row is None:
            times, ratio = f"> {limit:g} s", f"> {limit / base['ready']:.0f}"
            print(f"  {name:<28}{times:>15}{ratio:>9}", flush=True)
            continue
        loop = row.get("loop")
        print(
            f"  {name:<28}{row['ready']:>13.3f} s{row['ready'] / base['ready']:>9.2f}"
            f"{row['call'] * 1e6:>11.2f} µs{row['call'] / base['call']:>9.2f}"
            + (f"{loop * 1e6:>11.3f} µs" if loop else f"{'–':>14}")
            + f"{(loop or row['call']) / base['loop']:>9.1f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=CASES, help="double-pendulum, robot, chain-N")
    parser.add_argument("--limit", type=float, default=60.0, help="longest process [s]")
    parser.add_argument("--repeats", type=int, default=5, help="processes per measurement, of which the least counts")
    parser.add_argument("--measure", choices=["positions", "joints", "sympy"], help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure == "sympy":
        measure_sympy(symbolic_cases.case(chosen.cases[0]))
    elif chosen.measure:
        measure_linkwork(symbolic_cases.case(chosen.cases[0]), getattr(symbolic_cases, chosen.measure))
    else:
        print(machine.describe(["sympy"]))
        print("Ratios are to the first row of each table; that of a row without a native loop: its call to our loop.")
        for case in chosen.cases:
            compare(case, chosen.repeats, chosen.limit)


if __name__ == "__main__":
    main()
