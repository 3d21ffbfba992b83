"""A graphics card that is none: the text for it, compiled for this processor, one thread after the other."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.integrate.native import binding

SHIM = """
#include <math.h>
#include <string.h>
#define __device__
#define __constant__
#define __global__
#define __noinline__
#define __forceinline__ inline
#define __launch_bounds__(...)
struct place { long long x; };
static place blockIdx, blockDim, gridDim, threadIdx;
static double __longlong_as_double(long long bits) { double x; memcpy(&x, &bits, 8); return x; }
typedef unsigned long long count;
static count atomicAdd(count *x, count by) { count was = *x; *x += by; return was; }
"""
LOOPS = """
extern "C" void load(const void *data) { memcpy(&lw_the_batch, data, sizeof lw_the_batch); }
static void at(long long index) { blockIdx.x = index; blockDim.x = 1; threadIdx.x = 0; }
extern "C" void run(long long count) { gridDim.x = count; for (long long k = 0; k < count; k++) { at(k); lw_run(); } }
extern "C" void channels(long long count, double *out, int n, int project, const double *inputs, long long stride)
{ gridDim.x = count; for (long long k = 0; k < count; k++) { at(k); lw_channels(out, n, project, inputs, stride); } }
"""


class Memory:
    """As on a card: one number of all cases together."""

    case_first = False

    def __init__(self) -> None:
        self.kept: list[np.ndarray] = []
        self.named: dict[str, Any] = {}

    def keep(self, array: np.ndarray) -> int:
        self.kept.append(np.ascontiguousarray(array))
        return self.kept[-1].ctypes.data

    def room(self, name: str, shape: tuple[int, ...], dtype: type, fill: float) -> int:
        self.named[name] = Array(np.full(shape, fill, dtype=dtype))
        return self.named[name].ctypes.data

    def get(self, name: str) -> np.ndarray:
        return np.asarray(self.named[name])


class Array(np.ndarray):
    """An array that has to be fetched."""

    def __new__(cls, array: np.ndarray) -> Array:
        return np.asarray(array).view(cls)

    def get(self) -> np.ndarray:
        return np.asarray(self)


class Card:
    """Stands for the module cupy, as far as it is used."""

    nanmin, nanmax, nanmean, asarray = np.nanmin, np.nanmax, np.nanmean, np.asarray

    @staticmethod
    def full(shape: tuple[int, ...], value: float) -> Array:
        return Array(np.full(shape, value))


class Module:
    """As `linkwork.sweeps.cuda.device.Module`."""

    folder: Path

    def __init__(self, text: str):
        source, code = self.folder / "card.cpp", self.folder / f"card{abs(hash(text))}.so"
        source.write_text(SHIM + text + LOOPS, encoding="utf-8")
        command = ["c++", "-O0", "-w", "-std=c++17", "-shared", "-fPIC", "-o", str(code), str(source), "-lm"]
        if not code.exists():
            subprocess.run(command, check=True, capture_output=True)
        self.library = ctypes.CDLL(str(code))

    def load(self, batch: binding.Batch) -> None:
        self.library.load(bytes(batch))

    def run(self, name: str, count: int, threads: int, *arguments: Any) -> None:
        if name == "lw_run":
            self.library.run(ctypes.c_longlong(count))
            return
        found, channels, project, inputs, stride = arguments
        self.library.channels(
            ctypes.c_longlong(count), ctypes.c_void_p(found.ctypes.data), int(channels), int(project),
            ctypes.c_void_p(int(inputs)), ctypes.c_longlong(int(stride)),
        )  # fmt: skip
