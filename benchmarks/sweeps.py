"""Many runs: what threads, processes and lanes gain, and the same sweep by peers; with `--cases`, a Monte-Carlo study.

    python benchmarks/sweeps.py
    python benchmarks/sweeps.py --cases 1000000

The sweep is the double pendulum (two steel boxes, a damper in the first joint) for 3 s with another damping in every
case. Accuracy stands beside time: the largest error of the second joint's angle at the end, over all cases, against
runs with rtol 1e-12. A study draws damping and a torque at random, keeps two numbers of each case in a Zarr folder, and
tells its rate, the time of a million cases at this rate, and the largest memory.
"""

from __future__ import annotations

import argparse
import copy
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from machine import describe

import linkwork as lw
from linkwork.examples import double_pendulum

DURATION = 3.0
DAMPING = np.linspace(0.05, 0.5, 200)
MASS, LENGTH, INERTIA = 0.5 * 0.06 * 0.06 * 7700, 0.5, 0.5 * 0.06 * 0.06 * 7700 * (0.5**2 + 0.06**2) / 12
MUJOCO_STEP, PINOCCHIO_STEP = 1e-3, 1e-3


def ours(backend: str, **options: object) -> np.ndarray:
    """Angle of the second joint at the end of each case."""
    found = MODEL.sweep({"damping": DAMPING}, DURATION, channels="lower.angle", keep="end", backend=backend,
                        solver="dopri5", output=DURATION / 64, **options)  # fmt: skip
    return np.asarray(found["lower.angle.end"].values)


MODEL = double_pendulum.model()
XML = f"""<mujoco><option timestep="{MUJOCO_STEP}" integrator="RK4" gravity="0 -9.80665 0"/>
<worldbody><body name="a" pos="0 0 0"><joint name="upper" axis="0 0 1" damping="0.1"/>
<inertial pos="{LENGTH / 2} 0 0" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
<body name="b" pos="{LENGTH} 0 0"><joint name="lower" axis="0 0 1"/>
<inertial pos="{LENGTH / 2} 0 0" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
</body></body></worldbody></mujoco>"""


def mujoco(threads: int) -> Callable[[], np.ndarray] | None:
    """MuJoCo's rollout: RK4, a model per case, a pool of threads."""
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return None
    one = mujoco.MjModel.from_xml_string(XML)
    models = [copy.copy(one) for _ in DAMPING]
    for model, damping in zip(models, DAMPING, strict=True):
        model.dof_damping[0] = damping
    data = [mujoco.MjData(one) for _ in range(threads)]
    size = mujoco.mj_stateSize(one, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((len(models), size))
    mujoco.mj_getState(one, data[0], start[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start[1:] = start[0]

    def run() -> np.ndarray:
        with rollout.Rollout(nthread=threads if threads > 1 else 0) as pool:
            states, _ = pool.rollout(models, data, start, nstep=round(DURATION / MUJOCO_STEP))
        return np.asarray(states[:, -1, 2])

    return run


def pinocchio() -> Callable[[], np.ndarray] | None:
    """Pinocchio's ABA in a loop of Python, RK4; ten cases, as it is slow."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.Model()
    model.gravity = pin.Motion(np.array([0, -9.80665, 0]), np.zeros(3))
    body = pin.Inertia(MASS, np.array([LENGTH / 2, 0, 0]), np.eye(3) * INERTIA)
    upper = model.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "upper")
    model.appendBodyToJoint(upper, body, pin.SE3.Identity())
    lower = model.addJoint(upper, pin.JointModelRZ(), pin.SE3(np.eye(3), np.array([LENGTH, 0, 0])), "lower")
    model.appendBodyToJoint(lower, body, pin.SE3.Identity())
    data = model.createData()

    def rate(y: np.ndarray, damping: float) -> np.ndarray:
        q, v = y[:2], y[2:]
        return np.concatenate([v, pin.aba(model, data, q, v, np.array([-damping * v[0], 0.0]))])

    def run() -> np.ndarray:
        found, h = [], PINOCCHIO_STEP
        for damping in DAMPING[:10]:
            y = np.zeros(4)
            for _ in range(round(DURATION / h)):
                a = rate(y, damping)
                b = rate(y + h / 2 * a, damping)
                c = rate(y + h / 2 * b, damping)
                y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c, damping))
            found.append(y[1])
        return np.array(found)

    return run


def exudyn(way: str, processes: int) -> Callable[[], np.ndarray] | None:
    """Exudyn's ParameterVariation; forty cases, as it is slow."""
    try:
        from exudyn_sweep import variation
    except ImportError:
        return None
    return lambda: variation(way, DAMPING[:40], processes)


def timed(run: Callable[[], np.ndarray], repeats: int = 3) -> tuple[float, float, np.ndarray]:
    """(least seconds per case on the clock, least of the processor, what it gives)."""
    clock, processor, found = np.inf, np.inf, np.zeros(0)
    for _ in range(repeats):
        began, used = time.perf_counter(), busy()
        found = run()
        clock = min(clock, (time.perf_counter() - began) / found.size)
        processor = min(processor, (busy() - used) / found.size)
    return clock, processor, found


def busy() -> float:
    """s of processor time that this process and those it started have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(x.ru_utime + x.ru_stime for x in used)


WAYS = (("serial", 1), ("threads", 2), ("processes", 2), ("lanes", 1), ("lanes", 2))


def gains() -> None:
    """Serial against two threads, two processes, lanes, and lanes in two threads, for short runs and for long ones."""
    print("\nms per case, on the clock and of the processor (on a busy machine, believe the second); a run is 3 s or "
          "300 s of the double pendulum, dopri5, rtol 1e-8, judge=False")  # fmt: skip
    print(f"{'run':>6} " + " ".join(f"{f'{name} × {workers}':>16}" for name, workers in WAYS))
    for duration, count in ((3.0, 400), (300.0, 40)):
        cells = []
        for backend, workers in WAYS:
            many = 10 * count if backend == "lanes" else count
            options = {"channels": "lower.angle", "keep": "end", "judge": False, "solver": "dopri5"}
            for cases in (20, many):  # the first compiles
                clock, used = time.perf_counter(), busy()
                MODEL.sweep({"damping": np.linspace(0.05, 0.5, cases)}, duration, backend=backend, workers=workers,
                            **options)  # fmt: skip
            cells.append(f"{1e3 * (time.perf_counter() - clock) / many:>7.2f} {1e3 * (busy() - used) / many:>8.3f}")
        print(f"{duration:>4g} s " + " ".join(cells))


def peers() -> None:
    """The same sweep by others, accuracy beside time."""
    exact = ours("serial", rtol=1e-12, atol=1e-13, judge=False)
    runs: list[tuple[str, Callable[[], np.ndarray] | None]] = [
        ("Linkwork, serial", lambda: ours("serial")),
        ("Linkwork, serial, judge=False", lambda: ours("serial", judge=False)),
        ("Linkwork, 2 processes, judge=False", lambda: ours("processes", judge=False, workers=2)),
        ("Linkwork, lanes, judge=False", lambda: ours("lanes", judge=False, workers=1)),
        ("MuJoCo rollout, RK4 1 ms, 1 thread", mujoco(1)),
        ("MuJoCo rollout, RK4 1 ms, 2 threads", mujoco(2)),
        ("Pinocchio in a Python loop, RK4 1 ms", pinocchio()),
        ("Exudyn, kinematic tree, DOPRI5", exudyn("tree", 1)),
        ("Exudyn, kinematic tree, 2 processes", exudyn("tree", 2)),
        ("Exudyn, bodies, generalized-α 1 ms", exudyn("bodies", 1)),
    ]
    print(f"\n{len(DAMPING)} cases of {DURATION:g} s; on a busy machine, believe the processor")
    print(f"{'who':<38} {'per case':>10} {'processor':>10} {'largest error':>14}")
    for name, run in runs:
        if run is None:
            print(f"{name:<38} {'not installed':>36}")
            continue
        clock, processor, found = timed(run, 1 if name.startswith(("Pinocchio", "Exudyn, bodies")) else 3)
        error = np.abs(found - exact[: found.size]).max()
        print(f"{name:<38} {1e3 * clock:>7.2f} ms {1e3 * processor:>7.2f} ms {error:>10.1e} rad")


def study(cases: int, folder: Path) -> None:
    """A Monte-Carlo study, and its figure."""
    m = lw.Model("double-pendulum", gravity=(0, -9.80665))
    damping, torque = m.parameter("damping", 0.1), m.parameter("torque", 0.0)
    size = (0.5, 0.06, 0.06)
    first, second = m.box("arm1", size, density=7700), m.box("arm2", size, density=7700)
    upper = m.revolute("upper", m.ground.at(0, 0), first.at(-0.25, 0))
    lower = m.revolute("lower", first.at(0.25, 0), second.at(-0.25, 0))
    upper.angle.law(lw.Damper(damping)).law(lw.Effort(torque))
    upper.angle.start(0, rate=0)
    lower.angle.start(0, rate=0)
    m.point("tip", second.at(0.25, 0))
    clock, used = time.perf_counter(), busy()
    found = m.sweep(
        {"damping": lw.uniform(0.05, 0.5), "torque": lw.normal(0, 2)}, DURATION, cases=cases, seed=1,
        channels=["tip.x", "tip.y"], keep="end", judge=False, output=DURATION / 64, solver="dopri5", backend="lanes",
        to=folder / "study.zarr", progress=True,
    )  # fmt: skip
    seconds = time.perf_counter() - clock
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"\n{cases} cases in {seconds:.0f} s: {cases / seconds:.0f} cases/s; a million would take "
          f"{1e6 / cases * seconds / 60:.0f} min")  # fmt: skip
    print(f"{1e3 * (busy() - used) / cases:.3f} ms of processor time per case, deriving and compiling included")
    names, counts = np.unique(found.engine.values.astype(str), return_counts=True)
    print(f"largest memory {largest / 1024:.0f} MiB; engines: "
          + "; ".join(f"{n} {c}" for n, c in zip(names, counts, strict=True)))  # fmt: skip
    print(found.sweep.summary()[["tip.x.end", "tip.y.end"]].to_dataframe())
    found.sweep.contour("tip.x.end", file=folder / "study.png")
    print(f"wrote {folder / 'study.png'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--cases", type=int, help="run a Monte-Carlo study of so many cases instead")
    parser.add_argument("--folder", type=Path, help="where its outcomes are written [a temporary one]")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", lw.LinkworkWarning)
    print(describe(("mujoco", "pin", "exudyn")))
    if chosen.cases:
        study(chosen.cases, chosen.folder or Path(tempfile.mkdtemp()))
    else:
        gains()
        peers()


if __name__ == "__main__":
    sys.exit(main())
