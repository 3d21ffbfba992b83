"""Machine code becomes callable: object code by LLVM's linker, code made at once in pages of its own."""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading
from functools import cache as once
from typing import Final

import llvmlite.binding as llvm

from linkwork.compile.llvm import initialise

SHARE: Final = 32
"""Functions per loader: making one costs 0.7 ms, loading a function 0.4 ms."""
EXECUTABLE: Final = 0x1 | 0x4
"""PROT_READ | PROT_EXEC of mprotect."""

_engines: Final[list[llvm.LLJIT]] = []  # the one that loads now, once for each function it has room for
_loading: Final = threading.Lock()


class Loaded:
    """Linked object code and what linked it; kept as long as the code is called."""

    def __init__(self, code: llvm.ResourceTracker, engine: llvm.LLJIT):
        self._code, self._engine = code, engine

    def address(self, symbol: str) -> int:
        address: int = self._code[symbol]
        return address


def loaded(made: bytes, symbols: list[str]) -> Loaded:
    """Object code, callable by these symbols.

    LLVM gives the code back when it is no longer used, but keeps 10 kB of names for every library it has ever loaded.
    So a loader serves SHARE functions, and goes with the last of them.
    """
    builder = llvm.JITLibraryBuilder().add_object_img(made).add_current_process()
    for symbol in symbols:
        builder = builder.export_symbol(symbol)
    with _loading:
        if not _engines:
            initialise()
            # JITLink loads several times faster than the older linker, but not on Windows.
            _engines.extend([llvm.create_lljit_compiler(use_jit_link=sys.platform != "win32")] * SHARE)
        engine = _engines.pop()
        return Loaded(builder.link(engine, f"{symbols[0]}#{len(_engines)}"), engine)


class Pages:
    """Memory that holds code: written once, then executable and no longer writable."""

    def __init__(self, code: bytes):
        self._memory = mmap.mmap(-1, len(code), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._view = ctypes.c_char.from_buffer(self._memory)
        self.start = ctypes.addressof(self._view)
        self._memory.write(code)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mprotect(ctypes.c_void_p(self.start), ctypes.c_size_t(len(code)), EXECUTABLE):
            raise OSError(ctypes.get_errno(), "memory cannot be made executable")


@once
def executable() -> bool:
    """Whether the system lets a process write code and run it; some are set up not to."""
    try:
        Pages(b"\xc3")
    except (OSError, AttributeError):
        return False
    return True
