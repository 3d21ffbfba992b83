"""Forward dynamics (joint accelerations from angles, speeds, torques) of arms: Linkwork, Pinocchio, MuJoCo.

    python benchmarks/forward_dynamics.py
    python benchmarks/forward_dynamics.py --chains 10 30 100 300 1000

All accelerations are checked to be equal before anything is timed. Times are the least of several, per evaluation.
A C++ compiler and the headers of Eigen (wheel `cmeel-eigen`) are needed; Pinocchio's come with its wheel `pin`.
With --chains: compile time and time of an RK4 step of chains in joint coordinates, until compiling takes too long.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import arms
import casadi as ca
import machine
import numpy as np

from linkwork.compile.native import CompiledFunction, compile_function
from linkwork.formulations import formulate
from linkwork.integrate import integrate
from linkwork.simulation.prepare import Choice, prepare

SOURCE = Path(__file__).with_suffix(".cpp")
FLAGS = [
    "-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
]  # fmt: skip


def build(folder: Path, eigen: Path | None) -> ctypes.CDLL:
    """The loops in C++, compiled for this processor."""
    import cmeel_pth  # where the wheel of Pinocchio puts its headers

    include = Path(cmeel_pth.__file__).parent / "cmeel.prefix" / "include"
    target = folder / "forward_dynamics.so"
    compiler = os.environ.get("CXX", "g++")
    folders = [f"-I{include}", f"-I{eigen or include / 'eigen3'}"]
    subprocess.run([compiler, *FLAGS, *folders, str(SOURCE), "-o", str(target)], check=True)
    library = ctypes.CDLL(str(target))
    library.linkwork_loop.restype = library.pinocchio_loop.restype = ctypes.c_double
    return library


def addresses(*arrays: np.ndarray) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def compiled_arm(n: int) -> tuple[CompiledFunction, float]:
    """(angles, speeds, torques) → accelerations as machine code, and the seconds it took from the model on."""
    clock = time.perf_counter()
    eq = formulate(arms.linkwork(n), "minimal").in_time()
    f = ca.Function("forward_dynamics", [eq.q, eq.v, eq.symbols.inputs], [eq.motion.force], {"cse": True})
    return compile_function(f, cache=False, tier="best"), time.perf_counter() - clock


def least(measure: Callable[[], float], repeats: int) -> float:
    return min(measure() for _ in range(repeats))


def python_calls(call: Callable[[], Any], count: int) -> float:
    clock = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - clock) / count


def arm(n: int, library: ctypes.CDLL, repeats: int) -> None:
    import mujoco as mj
    import pinocchio as pin

    q, v, torque = np.random.default_rng(n).uniform(-1, 1, (3, n))
    f, seconds = compiled_arm(n)
    (ours,) = f(q, v, torque)
    model = arms.pinocchio(n)
    data = model.createData()
    scene = arms.mujoco(n)
    state = mj.MjData(scene)
    state.qpos, state.qvel, state.qfrc_applied = q, v, torque
    mj.mj_forward(scene, state)
    native, body = np.zeros(n), arms.pinocchio_numbers(n)
    inputs = [q.copy(), v, torque]
    in_cpp = (n, pointer(body), pointer(inputs[0]), pointer(v), pointer(torque), pointer(native))
    library.pinocchio_loop(*in_cpp, ctypes.c_long(1), 0)
    others = {"Pinocchio": pin.aba(model, data, q, v, torque), "Pinocchio C++": native, "MuJoCo": state.qacc.copy()}
    worst = {name: np.max(np.abs(a - ours)) / np.max(np.abs(ours)) for name, a in others.items()}
    agree = ", ".join(f"{name} {error:.0e}" for name, error in worst.items())
    print(f"\n{n} joints: {f.instructions} instructions, {seconds:.2f} s from the model to machine code")
    print(f"  accelerations differ from Linkwork's, relative to the largest: {agree}")
    if max(worst.values()) > 1e-6:
        raise SystemExit("The programs do not compute the same arm: nothing to compare.")

    # Slices of about 2 ms: the least of many is then one that nothing else interrupted.
    out, work, count = np.zeros(n), np.zeros(max(f.work_size, 1)), 50_000 // n

    def linkwork_native() -> float:
        args = (ctypes.c_void_p(f.address), addresses(*inputs), addresses(out), pointer(work), pointer(inputs[0]))
        return float(library.linkwork_loop(*args, ctypes.c_long(count)))

    def pinocchio_native(local: int) -> float:
        return float(library.pinocchio_loop(*in_cpp, ctypes.c_long(count // 8), local))

    def mujoco_native() -> float:
        """Four evaluations per RK4 step; a step is little more than that."""
        mj.mj_resetData(scene, state)
        state.qpos, state.qvel = q, v
        clock = time.perf_counter()
        mj.mj_step(scene, state, count // 32)
        return (time.perf_counter() - clock) / (count // 32) / 4

    def called(call: Callable[[], Any]) -> Callable[[], float]:
        return lambda: python_calls(call, count // 8)

    ways = {
        "Linkwork, native loop": linkwork_native,
        "Pinocchio, C++ loop, world axes": partial(pinocchio_native, 0),
        "Pinocchio, C++ loop, local axes": partial(pinocchio_native, 1),
        "MuJoCo, quarter of a native RK4 step": mujoco_native,
        "Linkwork, Python call": called(partial(f, q, v, torque)),
        "Pinocchio, Python call": called(partial(pin.aba, model, data, q, v, torque)),
        "MuJoCo, Python call of mj_forward": called(partial(mj.mj_forward, scene, state)),
    }
    # In turn, round by round: what else the machine does then disturbs all of them alike.
    rounds = [{name: measure() for name, measure in ways.items()} for _ in range(repeats)]
    rows = {name: min(measured[name] for measured in rounds) for name in ways}
    ours_native = rows["Linkwork, native loop"]
    for name, each in rows.items():
        print(f"  {name:<38} {each * 1e6:8.3f} µs   {each / ours_native:6.1f} ×")


def chains(sizes: list[int], patience: float, repeats: int) -> None:
    """n links in joint coordinates; stops after the size whose compilation takes longer than `patience` [s]."""
    print("\n    n  derive [s]  compile [s]  instructions of rhs  RK4 step [µs]  per link [µs]")
    done: list[tuple[int, float]] = []
    for n in sizes:
        model = arms.linkwork(n)
        clock = time.perf_counter()
        ready = prepare(model, Choice("minimal"))
        start = ready.state
        derived = time.perf_counter() - clock
        clock = time.perf_counter()
        rhs: Any = ready.program.function("rhs")
        compiled = time.perf_counter() - clock
        each = least(partial(_step, ready.program, start, ready.p, 10_000 // n), repeats)
        done.append((n, each))
        row = f"{n:5} {derived:11.2f} {compiled:12.2f} {rhs.instructions:20} {each * 1e6:14.2f} {each / n * 1e6:14.3f}"
        print(row, flush=True)
        if derived + compiled > patience:
            print(f"  stopped: {n} links took longer than {patience:g} s to derive and compile")
            break
    if len(done) > 1:
        slope = np.polyfit(*np.log(np.array(done)).T, 1)[0]
        print(f"  time per step grows with n to the power of {slope:.2f}")


def _step(program: Any, start: np.ndarray, p: np.ndarray, steps: int, size: float = 1e-4) -> float:
    clock = time.perf_counter()
    end = steps * size
    integrate(program, start, (0.0, end), times=np.array([end]), solver="rk4", step=size, parameters=p)
    return (time.perf_counter() - clock) / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("n", nargs="*", type=int, default=[7, 30], help="numbers of joints")
    parser.add_argument("--chains", nargs="*", type=int, default=[], help="numbers of links whose step is timed")
    parser.add_argument("--patience", type=float, default=120.0, help="longest compilation of a chain [s]")
    parser.add_argument("--repeats", type=int, default=150, help="timed loops, of which the least counts")
    parser.add_argument("--eigen", type=Path, help="folder of Eigen's headers; default: those of the wheel")
    chosen = parser.parse_args()
    os.environ["LINKWORK_CACHE"] = "off"  # compile times are shown, so there must be something to compile
    print(machine.describe(["pin", "mujoco"]))
    if chosen.chains:
        chains(chosen.chains, chosen.patience, chosen.repeats)
        return
    with tempfile.TemporaryDirectory() as folder:
        library = build(Path(folder), chosen.eigen)
        for n in chosen.n:
            arm(n, library, chosen.repeats)


if __name__ == "__main__":
    main()
