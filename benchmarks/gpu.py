"""Many cases on a graphics card: steps per second, and the difference from the processor.

python benchmarks/gpu.py                      where linkwork and CuPy are both installed
python benchmarks/gpu.py --export FOLDER      writes a folder for a machine that has NumPy and CuPy alone:
python FOLDER/card.py                         there
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
from sweep_models import CASES, Case

from linkwork.compile.stream import ARITY, stream_of
from linkwork.integrate.native.binding import Batch, Rows
from linkwork.simulation.prepare import Prepared
from linkwork.sweeps.batch.layout import laid_out
from linkwork.sweeps.cuda import source
from linkwork.sweeps.cuda.run import channel_stream
from linkwork.sweeps.lanes import run_batch

DISTINCT = 4096
"""Cases that differ; more are repetitions."""
COMPARED = 64
STAGES = {"rk4": 4, "dopri5": 6}


class Recorded:
    """Memory that only notes what would be where: the address of array k is TAG + k."""

    case_first = False
    TAG = 0x5A5A000000000000

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self.rooms: dict[str, tuple[tuple[int, ...], str, float]] = {}
        self.noted: list[tuple[str, str]] = []

    def _address(self, kind: str, key: str) -> int:
        self.noted.append((kind, key))
        return self.TAG + len(self.noted) - 1

    def keep(self, array: np.ndarray) -> int:
        if not array.size:
            return 0
        key = f"put{len(self.noted)}"
        self.arrays[key] = np.ascontiguousarray(array)
        return self._address("put", key)

    def room(self, name: str, shape: tuple[int, ...], dtype: type, fill: float) -> int:
        self.rooms[name] = (shape, np.dtype(dtype).name, 0.0 if np.isnan(fill) else fill)
        return self._address("room", name)

    def get(self, name: str) -> np.ndarray:
        raise NotImplementedError


def sizes(states: int) -> dict[int, int]:
    """Offsets of the numbers that grow with the cases → how many times them."""
    stride, time = Rows.stride.offset, Rows.time_stride.offset
    strides = {getattr(Batch, name).offset + stride: 1 for name in ("start", "p", "samples", "reached")}
    return {Batch.cases.offset: 1, Batch.samples.offset + time: states, **strides}


def export(folder: Path, case: Case, ready: Prepared, solver: str, real: str) -> None:
    problem = case.problem(ready, DISTINCT, solver)
    memory, program = Recorded(), ready.program
    data = np.frombuffer(bytes(laid_out(problem, memory).batch), dtype=np.uint8)
    words = data.view(np.uint64)
    addresses = {
        str(8 * k): memory.noted[int(word) - memory.TAG]
        for k, word in enumerate(words.tolist())
        if 0 <= int(word) - memory.TAG < len(memory.noted)
    }
    stream = stream_of(program.symbolic("rhs")) if program.symbolic else None
    operations = int(np.isin(stream.op, list(ARITY)).sum()) if stream else 0
    meta = {
        "name": f"{case.name}, {case.formulation}", "solver": solver, "real": real, "cases": DISTINCT,
        "addresses": addresses, "rooms": memory.rooms, "sizes": sizes(program.layout.y),
        "projects": problem.projects, "operations": operations * STAGES[solver],
    }  # fmt: skip
    text = source.integrator(problem, real=real) + source.channels(channel_stream(program, []), real=real)
    path = folder / f"{CASES.index(case)}-{solver}-{real}.cu"
    path.write_text(text, encoding="utf-8")
    reference = run_batch(problem.chosen(slice(0, COMPARED))).y
    np.savez_compressed(
        path.with_suffix(".npz"), meta=json.dumps(meta), batch=data, reference=reference, **memory.arrays
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--export", type=Path)
    parser.add_argument("--cases", type=int, default=132 * 4096)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.export or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for case in CASES:
            ready = case.ready()
            for solver, real in (("rk4", "double"), ("rk4", "float"), ("dopri5", "double")):
                export(folder, case, ready, solver, real)
        shutil.copy(Path(__file__).with_name("card.py"), folder)
        if options.export is None:
            from card import run

            run(folder, options.cases)


if __name__ == "__main__":
    main()
