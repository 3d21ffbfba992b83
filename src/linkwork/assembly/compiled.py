"""Assembly in machine code, for models that are assembled again and again with other numbers.

The steps are those of `assemble`, from the same guess, with the same weights and units. What is not beyond doubt (rows
that are neither clearly independent nor clearly dependent, a step that leads away, Euler parameters that may have
either sign, numbers that are not finite) is left to the careful way, which finds out, or says what is wrong: nothing is
refused here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache as once
from itertools import pairwise
from typing import NamedTuple

import casadi as ca
import numpy as np

from linkwork.algebra.evaluated import Evaluated
from linkwork.assembly import compiled_functions as of
from linkwork.assembly import told
from linkwork.assembly.branch import SPEEDS, spins_first
from linkwork.assembly.guess import guessed
from linkwork.assembly.numbers import Numbers
from linkwork.assembly.start_values import StartValues
from linkwork.compile.cache import key_of
from linkwork.compile.native import CompiledFunction, compile_source, source_of
from linkwork.core.program import FAST
from linkwork.geometry import SX
from linkwork.integrate.handover import pointer
from linkwork.integrate.native.closing_binding import CLEAR, Closing, SparseRows, closing_library
from linkwork.recall.notes import Data, noted

UPRIGHT = 1e-6
"""Euler parameters whose first is smaller may have either sign."""
SKEW = 1e-13
"""By how much a matrix may fail to be a rotation."""
AGREED = 1e-9
"""By how much start values of coordinates may differ from where their motions begin."""
MISSED = 1e-9
"""Share of the given speeds that may be missed."""


class Assembled(NamedTuple):
    """A consistent start."""

    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    origin: np.ndarray
    """q where the search began."""
    residual: float
    iterations: int
    branch: str = ""
    """"+" or "-"; empty: to be found out."""


class CompiledAssembly:
    """What of an assembly hangs on the equations alone.

    written: that of `Written.plain`; derive: gives the functions where there is no code for them.
    """

    def __init__(self, numbers: Numbers, written: Data, derive: Callable[[], Written]):
        self._planar, self._count, self._size = numbers.model.is_planar, len(numbers.bodies), numbers.of_body.size
        self._begin = Evaluated(ca.Function.deserialize(written["beginning"]))
        self._parts = np.cumsum(written["parts"])[:-1].tolist()

        def compiled(name: str) -> CompiledFunction:
            source = source_of(f"assembly, {name}", lambda: derive().functions[name], written["identities"][name])
            return compile_source(source, tier=FAST)

        self._residual, self._retract, self._turned = (compiled(name) for name in ("closing", "retract", "turned"))
        self._speeds, self._told = compiled("speeds"), compiled("told")
        closing, *speeds = written["shapes"]
        self._held, self._directed = (_Rows(self._speeds, k, speeds[k - 1]) for k in (1, 2))
        self._unit = np.array(numbers.units[1])
        self._order = np.array(spins_first(numbers), dtype=np.int32)
        self._rows = _Rows(self._residual, 1, closing)
        work = max(self._residual.work_size, self._retract.work_size)
        functions = self._residual.address, self._retract.address
        self._weights = np.array(written["weights"])
        numbers_of = (pointer(x, ctypes.c_double) for x in (self._weights, self._unit))
        self._closing = Closing(numbers.nq, numbers.nv, self._rows.native, *functions, work, *numbers_of)
        self._library = closing_library()

    def assembled(self, t: float, p: np.ndarray) -> Assembled | None:
        """Where a mechanism with these numbers starts; None: not beyond doubt."""
        numbers = self._begin(np.concatenate([[t], p]))
        ends = [0, *self._parts, numbers.size]
        q, z, wanted, speeds, skew, pairs = (numbers[a:b] for a, b in pairwise(ends))
        if not np.isfinite(numbers).all() or not self._trusted(q, skew, pairs):
            return None
        origin, q = q, q.copy()
        at, size, iterations = np.array([t]), np.zeros(1), np.zeros(1, dtype=np.int32)
        arrays = (at, z, p, wanted, q, size, iterations)
        if self._library.lw_close(self._closing, *(_address(x) for x in arrays)) != CLEAR:
            return None
        (z,) = self._turned(t, q, z, p, speeds)
        wanted, J, D = self._speeds(t, q, z, p, speeds)
        v = self._moving(wanted, J)
        return None if v is None else Assembled(q, v, z, origin, float(size[0]), int(iterations[0]), self._branch(D))

    def _trusted(self, q: np.ndarray, skew: np.ndarray, pairs: np.ndarray) -> bool:
        """Whether Euler parameters have one sign, and start values are those of motions."""
        if not self._planar:
            first = q[3 : self._size * self._count : self._size]
            if skew[0] > SKEW or first.min(initial=1.0) < UPRIGHT:
                return False
        said, begins = pairs[::2], pairs[1::2]
        return not pairs.size or bool((np.abs(said - begins) <= AGREED * np.maximum(1.0, np.abs(begins))).all())

    def _moving(self, wanted: np.ndarray, J: np.ndarray) -> np.ndarray | None:
        """The smallest speeds that meet everything that was given; None: not beyond doubt."""
        v = np.zeros(self._unit.size)
        if not wanted.any():
            return v if np.isfinite(J).all() else None
        status = self._library.lw_least_norm(self._held.native, _address(J), None, _address(wanted), _address(v))
        if status != CLEAR or not np.isfinite(v).all():
            return None
        missed = np.abs(self._held.times(J, v) - wanted).max(initial=0.0)
        return self._unit * v if missed <= MISSED * np.abs(wanted).max() else None

    def told(self, numbers: Numbers, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> told.Told:
        return told.told_of(numbers, self._told(numbers.t, q, v, z, numbers.p)[0])

    def _branch(self, D: np.ndarray) -> str:
        """ "+" or "-"; empty: not beyond doubt."""
        if not self._directed.native.rows:
            return ""
        sign = self._library.lw_branch(self._directed.native, _address(D), _address(self._order))
        return {1: "+", -1: "-"}.get(sign, "")


def compiled_assembly(numbers: Numbers) -> CompiledAssembly | None:
    """That of a model, kept with its equations; None: it is assembled carefully.

    It is there from the first run on, though that pays only later: a run must not hang on the runs before it.
    """
    memory = numbers.eq.memory
    if "compiled assembly" not in memory:

        @once
        def given() -> StartValues:
            return StartValues(numbers)

        @once
        def derive() -> Written:
            return Written(numbers, given())

        def find() -> Data:
            return derive().plain if 0 < numbers.nv <= SPEEDS and given().plain else None

        written = noted(numbers.eq, "assembly", find)
        memory["compiled assembly"] = None if written is None else CompiledAssembly(numbers, written, derive)
    assembly: CompiledAssembly | None = memory["compiled assembly"]
    return assembly


class Written:
    """The functions of an assembly, derived."""

    def __init__(self, numbers: Numbers, given: StartValues):
        eq, self._weights = numbers.eq, guessed(numbers).weights
        beginning = of.beginning(numbers, guessed(numbers))
        self._parts = [part.numel() for part in beginning]
        self._begin = ca.Function("beginning", [ca.vertcat(eq.t, eq.p)], [ca.vertcat(*beginning)])
        wanted, residual = of.residual(numbers, given)
        step, speeds = SX.sym("step", numbers.nv), SX.sym("speeds", beginning[3].numel())
        speed_rows = of.speed_rows(numbers, speeds)
        self._shapes = [residual[1].shape, *(rows.shape for rows in speed_rows[1:])]
        self.functions = {
            "closing": _function(numbers, "closing", [eq.q, eq.z], residual, wanted),
            "retract": _function(numbers, "retract", [eq.q, step], [ca.densify(eq.motion.retract(eq.q, step))]),
            "turned": _function(numbers, "turned", [eq.q, eq.z], [of.turned(numbers, speeds)], speeds),
            "speeds": _function(numbers, "speeds", [eq.q, eq.z], speed_rows, speeds),
            "told": _function(numbers, "told", [eq.q, eq.v, eq.z], [told.expression(numbers)]),
        }

    @property
    def plain(self) -> Data:
        """What is needed of them where there is code for them already."""
        return {
            "beginning": self._begin.serialize(),
            "parts": self._parts,
            "shapes": self._shapes,
            "weights": self._weights.tolist(),
            "identities": {name: key_of(f.serialize()) for name, f in self.functions.items()},
        }


def _function(numbers: Numbers, name: str, own: list[SX], results: list[SX], last: SX | None = None) -> ca.Function:
    eq = numbers.eq
    return ca.Function(name, [eq.t, *own, eq.p, *([] if last is None else [last])], results)


class _Rows:
    """A sparse result of a compiled function, by rows."""

    def __init__(self, f: CompiledFunction, number: int, shape: tuple[int, int]):
        starts, row = f.out_patterns[number]
        rows, columns = shape
        self._place = np.argsort(row, kind="stable").astype(np.int32)
        self._column = np.repeat(np.arange(columns, dtype=np.int32), np.diff(starts))[self._place]
        self._start = np.searchsorted(row[self._place], np.arange(rows + 1)).astype(np.int32)
        self._row = np.ascontiguousarray(row[self._place])
        self._pointers = [pointer(x, ctypes.c_int32) for x in (self._start, self._column, self._place)]
        self.native = SparseRows(rows, columns, row.size, *self._pointers)

    def times(self, values: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The matrix with these values, times x."""
        products = values[self._place] * x[self._column]
        return np.bincount(self._row, products, minlength=int(self.native.rows))


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])  # ten times as quick as array.ctypes
