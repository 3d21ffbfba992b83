"""From nothing to a result: a fresh process, an empty cache, stage by stage, against peers where they can do it.

    python benchmarks/cold.py
    python benchmarks/cold.py n-four-bar-40 chain-50 --repeats 3 --longest 120

Each case runs in processes of its own, each with an empty cache for machine code, and the least of several counts. Then
the same once more with what the last one has left in the cache (`again`). Bytecode of packages is there, as in an
installation; `import` counts what is loaded when it is first used, too. Peers are timed in the same way, from the start
of Python to the last step:

  Exudyn   N four-bar, 10 s, generalized-α with the steps that keep the energy to 0.01 J (Linkwork keeps it to 1e-4 J)
  MuJoCo   chain and arm, RK4 with 1 ms
  SymPy    double pendulum: Kane's method, lambdify, SciPy's solve_ivp
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import machine

HERE = Path(__file__).parent
STAGES = ("Python", "import", "model", "derive", "compile", "run", "rest", "total")

LINKWORK = """
import json, sys, time
began = time.perf_counter()
import linkwork as lw
imported = time.perf_counter()
{model}
built = time.perf_counter()
simulate = model.simulate
loaded = time.perf_counter()
r = simulate({duration}, **{options})
done = time.perf_counter()
t = r.record["timings"]
print(json.dumps({{
    "import": imported - began + loaded - built, "model": built - imported,
    "derive": t["derive"], "compile": t["compile"], "run": t["run"],
    "rest": done - loaded - t["derive"] - t["compile"] - t["run"],
    "how": f"{{r.record['formulation']}}, {{r.record['solver']}}",
    "instructions": r.record["code"]["instructions"],
}}))
"""

CHAIN = """
def chain(n):
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    before = m.ground
    for i in range(n):
        link = m.body(f"link{{i}}", mass=1, inertia=(0.01, 0.1, 0.1)).start(position=(i + 0.5, 0, 0))
        m.revolute(f"joint{{i}}", before, link, point=(i, 0, 0), axis=(0, 1, 0) if i % 2 else (0, 0, 1))
        before = link
    return m
model = chain({n})
"""

BEAM = """
def beam(n, stiffness, damping):
    m = lw.Model("beam", gravity=(0, 0, -9.81))
    before = m.ground
    for i in range(n):
        link = m.body(f"link{{i}}", mass=1, inertia=(0.01, 0.1, 0.1)).start(position=(i + 0.5, 0, 0))
        joint = m.universal(f"joint{{i}}", before, link, point=(i, 0, 0), axis=(0, 1, 0), axis2=(0, 0, 1))
        for bending in joint.coordinates:
            bending.law(lw.Spring(stiffness)).law(lw.Damper(damping))
        before = link
    return m
model = beam({n}, stiffness=1e5, damping=1e3)
"""

BOXES = """
model = lw.Model("boxes", gravity=(0, 0, -9.81))
below, box = None, lw.outlines.Box((0.1, 0.1, 0.1))
for k in range(2):
    body = model.body(f"box{{k}}", mass=1, inertia=(1 / 600, 1 / 600, 1 / 600))
    body.start(position=(0.01 * k, 0, 0.05 + 0.1 * k))
    model.{contact}(f"face{{k}}", body, below, shape=box, other=None if below is None else box, friction=0.5, {options})
    below = body
"""

ARM = """
sys.path.insert(0, {here!r})
import arms
model = arms.linkwork(7)
"""

EXUDYN = """
import sys
sys.path.insert(0, {here!r})
import exudyn_chain
exudyn_chain.run_seconds({n}, {duration}, exudyn_chain.Setting({duration} / {steps}, sparse={n} >= 10, loose={n} >= 10))
"""

MUJOCO_CHAIN = """
import mujoco as mj
text, ends = "", ""
for i in range({n}):
    axis = "0 1 0" if i % 2 else "0 0 1"
    text += (f'<body pos="{{1 if i else 0}} 0 0"><joint type="hinge" axis="{{axis}}"/>'
             '<inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.1 0.1"/>')
    ends += "</body>"
option = '<option integrator="RK4" timestep="1e-3" gravity="0 0 -9.81"><flag contact="disable"/></option>'
model = mj.MjModel.from_xml_string(f"<mujoco>{{option}}<worldbody>{{text}}{{ends}}</worldbody></mujoco>")
data = mj.MjData(model)
for _ in range(int({duration} * 1000)):
    mj.mj_step(model, data)
"""

MUJOCO_ARM = """
import sys
sys.path.insert(0, {here!r})
import arms, mujoco as mj
model = arms.mujoco(7)
data = mj.MjData(model)
for _ in range(int({duration} * 1000)):
    mj.mj_step(model, data)
"""

SYMPY = """
import sympy as sm
import sympy.physics.mechanics as me
import numpy as np
from scipy.integrate import solve_ivp
q, u = me.dynamicsymbols("q:2"), me.dynamicsymbols("u:2")
N, O = me.ReferenceFrame("N"), me.Point("O")
O.set_vel(N, 0)
bodies, loads, point = [], [], O
for i in range(2):
    A = N.orientnew(f"A{{i}}", "Axis", [q[i], N.z])
    A.set_ang_vel(N, u[i] * N.z)
    centre, end = point.locatenew(f"C{{i}}", A.x / 2), point.locatenew(f"E{{i}}", A.x)
    centre.v2pt_theory(point, N, A)
    end.v2pt_theory(point, N, A)
    bodies.append(me.RigidBody(f"B{{i}}", centre, A, 1, (me.inertia(A, 0, 0, sm.Rational(1, 12)), centre)))
    loads.append((centre, -9.81 * N.y))
    point = end
kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=[a.diff() - b for a, b in zip(q, u)])
kane.kanes_equations(bodies, loads)
f = sm.lambdify([*q, *u], [kane.mass_matrix_full, kane.forcing_full], cse=True)
def rates(t, y):
    return np.linalg.solve(*map(np.asarray, f(*y))).ravel()
solve_ivp(rates, (0, {duration}), [0, 0, 0, 0], rtol=1e-8, atol=1e-10)
"""

DOUBLE = """
model = lw.Model("double-pendulum", gravity=(0, -9.81))
a, b = (model.body(name, mass=1, inertia=1 / 12) for name in "ab")
model.revolute("A", model.ground.at(0, 0), a.at(-0.5, 0))
model.revolute("B", a.at(0.5, 0), b.at(-0.5, 0))
"""


def example(name: str, arguments: str = "") -> str:
    return f"from linkwork.examples import {name}\nmodel = {name}.model({arguments})"


class Case:
    """One problem: the model, the duration [s], what Linkwork is asked for, and the peer that can do it."""

    def __init__(self, model: str, duration: float, peer: tuple[str, str] | None = None, **options: str):
        self.model, self.duration, self.peer, self.options = model, duration, peer, options


STEPS = {2: 3500, 10: 7500, 40: 16000, 200: 36000}
"""Of Exudyn, for which the energy changes by 0.01 J over the run: of second order, from `exudyn_chain.energy_error`."""


def four_bars(n: int) -> Case:
    peer = EXUDYN.format(here=str(HERE), n=n, duration=10.0, steps=STEPS[n])
    return Case(example("n_four_bar", str(n)), 10.0, ("exudyn", peer))


def chain(n: int) -> Case:
    return Case(CHAIN.format(n=n), 0.5, ("mujoco", MUJOCO_CHAIN.format(n=n, duration=0.5)))


CASES: dict[str, Case] = {
    "double-pendulum": Case(DOUBLE, 1.0, ("sympy", SYMPY.format(duration=1.0))),
    "slider-crank": Case(example("slider_crank"), 1.0),
    "andrews": Case(example("squeezer"), 0.03),
    **{f"n-four-bar-{n}": four_bars(n) for n in (2, 10, 40, 200)},
    "chain-50": chain(50),
    "chain-1000": chain(1000),
    "arm-7": Case(ARM.format(here=str(HERE)), 0.5, ("mujoco", MUJOCO_ARM.format(here=str(HERE), duration=0.5))),
    "snakeboard": Case(example("snakeboard"), 1.0),
    "excavator": Case(example("excavator_boom"), 1.0),
    "boxes-springy": Case(
        BOXES.format(contact="contact", options="stiffness=1e6, exponent=1, dissipation=100, bristle=1e5"), 1.0
    ),
    "boxes-rigid": Case(BOXES.format(contact="rigid_contact", options=""), 1.0),
    "stiff-beam-50": Case(BEAM.format(n=50), 1.0, formulation="auto"),
    "bond-graph-chain-50": Case(CHAIN.format(n=50), 0.1, formulation="bondgraph"),
}
LONG = ("n-four-bar-200", "chain-1000", "stiff-beam-50", "bond-graph-chain-50")
"""Not run unless they are named."""


def timed(script: str, environment: dict[str, str], longest: float) -> tuple[float, dict[str, Any]] | None:
    """Wall time [s] of a script in a fresh process, and what it says; None: it took too long, or failed."""
    clock = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script], env=environment, capture_output=True, text=True,
            timeout=longest, check=True, cwd=tempfile.gettempdir() if os.name == "nt" else "/",
        )  # fmt: skip
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        told = (getattr(error, "stderr", None) or b"").strip()
        print(f"    {type(error).__name__}{f': {told.splitlines()[-1]}' if told else ''}")
        return None
    seconds = time.perf_counter() - clock
    line = (done.stdout.strip() or "{}").splitlines()[-1]
    return seconds, json.loads(line) if line.startswith("{") else {}


def linkwork(case: Case, repeats: int, longest: float) -> tuple[dict[str, Any], float] | None:
    """The least run with an empty cache, by stages; and one more with what it has left there."""
    script = LINKWORK.format(model=case.model.replace("{{", "{").replace("}}", "}"), duration=case.duration,
                             options=repr(case.options))  # fmt: skip
    best: dict[str, Any] | None = None
    again = float("nan")
    for k in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "LINKWORK_CACHE": folder}
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            found = timed(script, environment, longest)
            if found is None:
                return None
            seconds, stages = found
            stages["total"] = seconds
            stages["Python"] = seconds - sum(stages[name] for name in STAGES[1:-1])
            best = stages if best is None or seconds < best["total"] else best
            if k == repeats - 1 and (second := timed(script, environment, longest)):
                again = second[0]
    assert best is not None
    return best, again


def peer(case: Case, repeats: int, longest: float) -> float | None:
    """Least wall time [s]."""
    assert case.peer is not None
    found = [timed(case.peer[1], dict(os.environ), longest) for _ in range(repeats)]
    return min((seconds for seconds, _ in filter(None, found)), default=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; default: the short ones")
    parser.add_argument("--repeats", type=int, default=3, help="processes per time, of which the least counts")
    parser.add_argument("--longest", type=float, default=300.0, help="s after which a process is given up")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.cases if name not in CASES]:
        parser.error(f"there is no case {', '.join(unknown)}; there are {', '.join(CASES)}.")
    peers = ("exudyn", "mujoco", "sympy")
    print(machine.describe(peers), end="\n\n")
    missing = [name for name in peers if find_spec(name) is None]
    for name in missing:
        print(f"{name} is not installed: its times are left out.")
    print(f"{'case':<20}" + "".join(f"{stage:>9}" for stage in STAGES) + f"{'again':>9}{'peer':>16}{'ratio':>8}   [s]")
    for name in chosen.cases or [name for name in CASES if name not in LONG]:
        case = CASES[name]
        found = linkwork(case, chosen.repeats, chosen.longest)
        if found is None:
            continue
        stages, again = found
        line = f"{name:<20}" + "".join(f"{stages[stage]:>9.2f}" for stage in STAGES) + f"{again:>9.2f}"
        if case.peer is not None and case.peer[0] not in missing:
            seconds = peer(case, chosen.repeats, chosen.longest)
            told = f"{case.peer[0]} {seconds:.2f}" if seconds else f"{case.peer[0]} –"
            line += f"{told:>16}" + (f"{seconds / stages['total']:>8.2f}" if seconds else "")
        else:
            line += f"{'–':>16}"
        print(f"{line}   {stages['how']}, {stages['instructions']} instructions", flush=True)


if __name__ == "__main__":
    main()
