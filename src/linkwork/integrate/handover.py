"""What is handed to the C library is checked here: it reads and writes as much memory as it is told to."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.pieces import Pieces
from linkwork.core.program import NativeFunction, Program
from linkwork.integrate.ordering import Structure

C_SIZE_LIMIT = 2**31 - 1
"""Of a size in the C library."""


_KINDS: dict[type, tuple[np.dtype, Any]] = {
    k: (np.dtype(k), ctypes.POINTER(k)) for k in (ctypes.c_double, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8)
}


def pointer(array: np.ndarray, kind: type) -> Any:
    """A C pointer to the numbers of an array, which must be of that kind and lie one after the other."""
    dtype, kind_of_pointer = _KINDS[kind]
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise _refused("an array", f"{array.dtype}, contiguous: {array.flags.c_contiguous}", f"{dtype}")
    address: Any = ctypes.cast(array.__array_interface__["data"][0], kind_of_pointer)  # ten times as quick as .ctypes
    address._array = array  # kept as long as the pointer
    return address


def sizes_of(program: Program) -> dict[str, tuple[tuple[int, ...], tuple[int, ...] | None]]:
    """Numbers in each argument and result of each function of a Program; None: sparse, its pattern is checked."""
    n, p = program.layout, len(program.parameters) + len(program.inputs)
    state, whole = (1, n.y, p), (1, n.y + n.x, p)
    alpha = (1, n.y, n.x, n.z, p, 4)
    return {
        "rhs": (state, (n.y,)),
        "project": (state, (n.y, 2)),
        "events": (state, (len(program.events),)),
        "margins": (state, (len(program.margins),)),
        "dae": (whole, (n.y + n.x,)),
        "dae_jacobian": (whole, None),
        "alpha_residual": (alpha, (n.x + n.z,)),
        "alpha_jacobian": (alpha, None),
        "retract": ((n.q, n.v), (n.q,)),
    }


def check_functions(program: Program, functions: Mapping[str, NativeFunction]) -> None:
    """The functions must have the sizes that the layout of the states says."""
    n = program.layout
    if min(n.q, n.v, n.z, n.multipliers) < 0 or n.y + n.x > C_SIZE_LIMIT:
        raise _refused("the layout", n, "sizes that memory can hold")
    expected = sizes_of(program)
    for name, function in functions.items():
        arguments, results = expected[name]
        if tuple(function.in_sizes) != arguments:
            raise _refused(f"the arguments of {name!r}", tuple(function.in_sizes), arguments)
        if name == "events" and results and len(function.out_sizes) == 2:  # with bounds of how fast they change
            results = (*results, 3 * results[0])
        if results is None:
            check_pattern(name, function, n.y + n.x if name == "dae_jacobian" else n.x + n.z)
        elif tuple(function.out_sizes) != results:
            raise _refused(f"the results of {name!r}", tuple(function.out_sizes), results)
        if not function.address or function.work_size < 0:
            raise _refused(f"the code of {name!r}", hex(function.address), "an address")


def check_pattern(name: str, function: NativeFunction, n: int) -> None:
    """A sparse square result of order n: as many numbers as its pattern says, and rows that exist."""
    if len(function.out_sizes) != 1:
        raise _refused(f"the results of {name!r}", tuple(function.out_sizes), "one")
    starts, rows = (np.asarray(part) for part in function.out_patterns[0])
    whole = starts.size == n + 1 and starts[0] == 0 and starts[-1] == rows.size == function.out_sizes[0]
    if not whole or np.any(np.diff(starts) < 0) or np.any((rows < 0) | (rows >= n)):
        raise _refused(f"the pattern of {name!r}", f"{starts.size - 1} columns, {rows.size} numbers", f"order {n}")


def check_structure(structure: Structure, n: int, nonzeros: int) -> None:
    """An elimination order of n unknowns, and a place for each of the nonzeros."""
    starts, rows, place, order = structure
    fits = starts.size == n + 1 and order.size == n and place.size == nonzeros and starts[-1] == rows.size
    if not fits or not np.array_equal(np.sort(order), np.arange(n)) or np.any((place < 0) | (place >= rows.size)):
        raise _refused("the elimination order", f"{order.size} unknowns", n)


def check_length(what: str, array: np.ndarray, size: int) -> np.ndarray:
    if array.ndim != 1 or array.size != size:
        raise _refused(what, f"the shape {array.shape}", (size,))
    return array


def check_pieces(what: str, pieces: Pieces) -> Pieces:
    """One more row of coefficients than times, at least one of each."""
    times, coefficients = pieces.times, pieces.coefficients
    whole = times.ndim == 1 and coefficients.ndim == 2 and 0 < times.size < C_SIZE_LIMIT
    if not whole or len(coefficients) != times.size + 1 or not coefficients.shape[1]:
        raise _refused(what, f"{times.shape} times and {coefficients.shape} coefficients", "one more row than times")
    return pieces


def _refused(what: str, given: object, expected: object) -> LinkworkError:
    return LinkworkError(
        f"{what} that the integrator was given does not fit: {given}, not {expected}.",
        remedy="Something has more or fewer values than it must; a vector, perhaps, where one number is meant.",
    )
