"""A function of the C library that needs to know what it works on, as one that takes nothing beside its arguments."""

from __future__ import annotations

import ctypes

from linkwork.compile.linking import loaded
from linkwork.compile.llvm import emit_object
from linkwork.compile.native import SYMBOL

TEXT = """
define void @{symbol}(ptr %arg, ptr %res, ptr %work) {{
 %f = inttoptr i64 {function} to ptr
 %c = inttoptr i64 {context} to ptr
 call void %f(ptr %c, ptr %arg, ptr %res, ptr %work)
 ret void
}}
"""


class Bound:
    """Machine code of `void f(arg, res, work)` that calls `function(context, arg, res, work)`; loaded with this."""

    def __init__(self, function: int, context: int):
        self._code = loaded(emit_object(TEXT.format(symbol=SYMBOL, function=function, context=context)), [SYMBOL])
        self.address = self._code.address(SYMBOL)
        self.entry = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(self.address)
