"""Machine code at once: every value in memory, every instruction from a template of fixed length.

LLVM needs 20 to 200 µs for an instruction; this needs a tenth of one, for code that takes about twice as long to run.
Numbers are the same bit by bit: arithmetic is that of the processor in both, what is fused is decided before
(`contraction`), comparisons and choices round nothing, and whatever else there is (sines, …) calls functions that LLVM
has made once for all from the same lines. For x86-64 with fused multiply-add under the System V calling convention;
elsewhere LLVM does it.

Layout: addresses (of the cell that says where to go, then of the functions), entry, code. The entry jumps to what the
cell says, so better code can take its place while others call it. Registers: rbx work, r14 arguments, r15 results.
"""

from __future__ import annotations

import platform
import sys
from typing import Final

import casadi as ca
import numpy as np

from linkwork.algebra.distinct import distinct
from linkwork.compile._machine_code import places
from linkwork.compile.contraction import contracted
from linkwork.compile.linking import executable
from linkwork.compile.llvm import fused, processor
from linkwork.compile.lowering import LOWERING
from linkwork.compile.stream import CONST, FMA, FMS, FNMA, INPUT, OUTPUT, Stream

WORD: Final = 8
SINE_AND_COSINE: Final = max(LOWERING) + 1
"""Number of the function that computes both; the others have the number of their operation."""
ADDRESSES: Final = SINE_AND_COSINE + 2
"""Words before the entry: the cell's address, then those of functions, in the order of their numbers."""

ENTER: Final = bytes.fromhex("488B05 00000000 FF20")  # mov rax, [rip + …]; jmp [rax]
SAVE: Final = bytes.fromhex("53 4156 4157 4889D3 4989FE 4989F7")  # push rbx, r14, r15; rbx = rdx, r14 = rdi, r15 = rsi
RETURN: Final = bytes.fromhex("415F 415E 5B C3")
BODY: Final = ADDRESSES * WORD + len(ENTER)
"""Byte at which the code behind the entry begins."""

LOAD, LOAD_SECOND, STORE = "C5FB1083", "C5FB108B", "C5FB1183"  # vmovsd xmm0|xmm1, [rbx + …]; vmovsd [rbx + …], xmm0
GET, PUT = "488B83", "488983"  # mov rax, [rbx + …]; mov [rbx + …], rax
CALL = "FF15"  # call [rip + …]
BINARY: Final = {ca.OP_ADD: "58", ca.OP_SUB: "5C", ca.OP_MUL: "59", ca.OP_DIV: "5E"}
SELF: Final = {ca.OP_SQ: "59", ca.OP_TWICE: "58"}
FUSING: Final = {FMA: "A9", FMS: "AB", FNMA: "AD"}  # vfmadd213sd, vfmsub213sd, vfnmadd213sd
ADDING: Final = {FMA: "B9", FMS: "BB", FNMA: "BD"}  # vfmadd231sd, …: the term is in the register
SIGN: Final = {ca.OP_NEG: "F8", ca.OP_FABS: "F0"}  # btc, btr of bit 63
COMPARE: Final = {ca.OP_LT: "11", ca.OP_LE: "12", ca.OP_EQ: "00", ca.OP_NE: "04"}  # of vcmpsd: NaN is unequal, no more
EXTREME: Final = {ca.OP_FMIN: "5D", ca.OP_FMAX: "5F"}  # vminsd, vmaxsd: the second where one is NaN
BOTH: Final = {ca.OP_AND: "54", ca.OP_OR: "56"}  # vandpd, vorpd
WHOLE: Final = {ca.OP_FLOOR: "09", ca.OP_CEIL: "0A"}  # of vroundsd
MASK = "C5F954C1"  # vandpd xmm0, xmm0, xmm1
CHOOSING: Final = frozenset({*COMPARE, *EXTREME, *BOTH, *WHOLE, ca.OP_NOT, ca.OP_IF_ELSE_ZERO})
INLINE: Final = frozenset(
    {*BINARY, *SELF, *FUSING, *SIGN, CONST, INPUT, OUTPUT, ca.OP_SQRT, ca.OP_INV, ca.OP_ASSIGN, ca.OP_SIN, ca.OP_COS}
    | CHOOSING
)
"""Operations that are not calls of one function with one result."""


def available() -> bool:
    """Whether this machine runs such code."""
    features = processor()[1].split(",")
    fitting = platform.machine() in ("x86_64", "AMD64") and sys.platform in ("linux", "darwin")
    return fitting and fused() and "+avx" in features and executable()


def encode(stream: Stream) -> tuple[bytes, int]:
    """The code of a stream from its addresses on, which are left open, and how many doubles of work it needs."""
    stream = contracted(stream, fused=True)
    place, used = _places(stream)
    trigonometric = np.flatnonzero(np.isin(stream.op, (ca.OP_SIN, ca.OP_COS)))
    angles, first, which, _ = distinct(stream.in0[trigonometric])
    both = np.full(len(stream), -1)
    both[trigonometric] = WORD * (used + 2 * which)  # where the sine and cosine of its angle are kept
    writer = _Writer(stream, WORD * place, both, trigonometric[first])
    # Better code keeps what crosses its cuts in the same work: at most what is alive before and after one of them.
    return writer.code(), 2 * used + 2 * len(angles)


def _places(stream: Stream) -> tuple[np.ndarray, int]:
    """Where in the work array each value is kept, and how many places that takes."""
    last = np.arange(len(stream))
    reader, value = stream.uses()
    np.maximum.at(last, value, reader)
    place = np.zeros(len(stream), dtype=np.int64)
    return place, places(last, (stream.op != OUTPUT).astype(np.uint8), place)


class _Held:
    """What xmm0 holds: a value that the next instruction needs first is not loaded again, and if nobody else needs it,
    not stored either."""

    def __init__(self, stream: Stream, clobbering: np.ndarray):
        count, op = len(stream), stream.op
        inner = {CONST, INPUT, OUTPUT, ca.OP_ASSIGN, ca.OP_SIN, ca.OP_COS, *SIGN}  # their result is never in xmm0
        makes = ~np.isin(op, list(inner))
        writes = makes.copy()
        writes[clobbering] = True
        last = np.maximum.accumulate(np.where(writes, np.arange(count), -1))
        last[(last >= 0) & ~makes[last]] = -1
        before = np.concatenate([[-1], last])[:count]
        third = np.full(count, -1) if stream.in2 is None else stream.in2
        self.first = makes & (before >= 0) & (stream.in0 == before) & (op != ca.OP_INV)
        two = np.isin(op, [*BINARY, *FUSING])
        self.second = two & ~self.first & (before >= 0) & (stream.in1 == before)
        self.third = np.isin(op, [*FUSING]) & ~self.first & ~self.second & (before >= 0) & (third == before)
        uses = np.bincount(stream.uses()[1], minlength=count)
        taken = before[self.first | self.second | self.third]
        self.stored = np.ones(count, dtype=bool)
        self.stored[taken[uses[taken] == 1]] = False


class _Writer:
    """Templates with the bytes of all instructions of one kind filled in at once."""

    def __init__(self, stream: Stream, place: np.ndarray, both: np.ndarray, computing: np.ndarray):
        self.stream, self.place, self.both = stream, place, both
        self.pieces: list[tuple[np.ndarray, bytes, list[tuple[int, np.ndarray]]]] = []
        held = _Held(stream, computing)
        kinds = stream.op.astype(np.int64) * 8 + 4 * ~held.stored + held.first + 2 * held.second + 3 * held.third
        order = np.argsort(kinds, kind="stable")
        present, begin, _, _ = distinct(kinds[order])
        for kind, k in zip(
            present.tolist(), np.split(order, begin[1:]), strict=False
        ):  # nothing of nothing is one part
            op, rest = divmod(kind, 8)
            if op in (ca.OP_SIN, ca.OP_COS):
                self._trigonometric(op, k, np.isin(k, computing))
            elif op in CHOOSING:
                self._choose(op, k, rest % 4 == 1, not rest & 4)
            elif op in INLINE:
                self._inline(op, k, rest % 4, not rest & 4)
            else:
                self._call(op, k, rest % 4 == 1, not rest & 4)

    def code(self) -> bytes:
        length = np.zeros(len(self.stream), dtype=np.int64)
        for k, template, _ in self.pieces:
            length[k] = len(template)
        begin = BODY + len(SAVE) + np.concatenate([[0], np.cumsum(length)])
        code = np.zeros(int(begin[-1]), dtype=np.uint8)
        for k, template, fields in self.pieces:
            code[begin[k][:, None] + np.arange(len(template))] = np.frombuffer(template, dtype=np.uint8)
            for at, numbers in fields:
                if at < 0:  # the distance to a function, from the byte after it
                    at, numbers = -at, numbers - (begin[k] - at + 4)
                data = numbers.astype("<i4" if numbers.dtype.kind == "i" else "<f8")
                code[(begin[k] + at)[:, None] + np.arange(data.itemsize)] = data.view(np.uint8).reshape(len(k), -1)
        entry = bytearray(ENTER)
        entry[3:7] = (-ADDRESSES * WORD - 7).to_bytes(4, "little", signed=True)
        code[ADDRESSES * WORD : BODY] = np.frombuffer(bytes(entry), dtype=np.uint8)
        code[BODY : BODY + len(SAVE)] = np.frombuffer(SAVE, dtype=np.uint8)
        return code.tobytes() + RETURN

    def _inline(self, op: int, k: np.ndarray, held: int, stored: bool) -> None:
        """The instructions k, all with this operation; held: which operand is in xmm0 (1, 2, 3; 0: none)."""
        stream, place = self.stream, self.place
        x, y, to = stream.in0[k], stream.in1[k], place[k]
        if op == CONST:
            self._emit(k, "48B8", stream.const[k], PUT, to)
            return
        if op == INPUT:
            self._emit(k, "498B86", WORD * x, "488B88", WORD * y, "48898B", to)
            return
        load = () if held == 1 else (LOAD, place[x])
        store = (STORE, to) if stored else ()
        if op == OUTPUT:
            self._emit(k, "498B87", WORD * stream.out[k], "488B8B", place[x], "488988", WORD * y)
        elif op in BINARY and held == 2:  # xmm0 = xmm1 op xmm0
            self._emit(k, LOAD_SECOND, place[x], f"C5F3{BINARY[op]}C0", *store)
        elif op in BINARY:
            self._emit(k, *load, f"C5FB{BINARY[op]}83", place[y], *store)
        elif op in FUSING and stream.in2 is not None:
            z, code = place[stream.in2[k]], FUSING[op]
            if held == 3:  # xmm0 = ±xmm1·[…] ± xmm0
                self._emit(k, LOAD_SECOND, place[x], f"C4E2F1{ADDING[op]}83", place[y], *store)
            elif held == 2:
                self._emit(k, LOAD_SECOND, place[x], f"C4E2F1{code}83", z, *store)
            else:
                self._emit(k, *load, LOAD_SECOND, place[y], f"C4E2F1{code}83", z, *store)
        elif op in SELF:
            self._emit(k, *load, f"C5FB{SELF[op]}C0", *store)
        elif op in SIGN:
            self._emit(k, GET, place[x], f"480FBA{SIGN[op]}3F" + PUT, to)
        elif op == ca.OP_SQRT:
            self._emit(k, *load, "C5FB51C0", *store)
        elif op == ca.OP_INV:  # rax = 1.0; vmovq xmm0, rax; vdivsd xmm0, xmm0, [rbx + …]
            self._emit(k, "48B8", np.ones(len(k)), "C4E1F96EC0" + "C5FB5E83", place[x], *store)
        else:
            assert op == ca.OP_ASSIGN
            self._emit(k, GET, place[x], PUT, to)

    def _choose(self, op: int, k: np.ndarray, held: bool, stored: bool) -> None:
        """Truths are masks of all bits: of 1.0 they leave 1.0 or 0.0, and of a value itself or 0.0."""
        y = self.place[self.stream.in1[k]]
        load = () if held else (LOAD, self.place[self.stream.in0[k]])
        store = (STORE, self.place[k]) if stored else ()
        whether = ("48B8", np.ones(len(k)), "C4E1F96EC8" + MASK)  # rax = 1.0; vmovq xmm1, rax; xmm0 &= xmm1
        if op in WHOLE:
            self._emit(k, *load, f"C4E3790BC0{WHOLE[op]}", *store)
        elif op in EXTREME:  # xmm2 = min(xmm0, xmm1); xmm1 = whether that is NaN; xmm0 = xmm0 if so, else xmm2
            self._emit(k, *load, LOAD_SECOND, y, f"C5FB{EXTREME[op]}D1" + "C5F3C2C903" + "C4E3694BC010", *store)
        elif op in COMPARE:
            self._emit(k, *load, "C5FBC283", y, COMPARE[op], *whether, *store)
        elif op == ca.OP_NOT:  # xmm1 = 0; xmm0 = xmm0 is equal to it
            self._emit(k, *load, "C5F157C9" + "C5FBC2C100", *whether, *store)
        elif op == ca.OP_IF_ELSE_ZERO:  # xmm1 = 0; xmm0 = xmm0 is not equal to it
            self._emit(k, *load, "C5F157C9" + "C5FBC2C104" + LOAD_SECOND, y, MASK, *store)
        else:  # xmm2 = 0; both are not equal to it
            second = (LOAD_SECOND, y, f"C5F3C2CA04C5F9{BOTH[op]}C1")
            self._emit(k, *load, "C5E957D2" + "C5FBC2C204", *second, *whether, *store)

    def _call(self, op: int, k: np.ndarray, held: bool, stored: bool) -> None:
        """Of the function that LLVM has made of this operation."""
        x, y = self.stream.in0[k], self.stream.in1[k]
        load = () if held else (LOAD, self.place[x])
        second = () if y[0] < 0 else (LOAD_SECOND, self.place[y])
        store = (STORE, self.place[k]) if stored else ()
        self._emit(k, *load, *second, CALL, np.full(len(k), WORD * (1 + op)), *store)

    def _trigonometric(self, op: int, k: np.ndarray, computes: np.ndarray) -> None:
        """Sine and cosine of an angle are computed where the first of them is needed, and kept."""
        place, kept = self.place, self.both + (0 if op == ca.OP_SIN else WORD)
        now, later = k[computes], k[~computes]
        function = np.full(len(now), WORD * (1 + SINE_AND_COSINE))
        x = place[self.stream.in0[now]]
        if len(now):  # lea rdi, [rbx + …]
            self._emit(now, LOAD, x, "488DBB", self.both[now], CALL, function, GET, kept[now], PUT, place[now])
        if len(later):
            self._emit(later, GET, kept[later], PUT, place[later])

    def _emit(self, k: np.ndarray, *parts: str | np.ndarray) -> None:
        """Bytes in hexadecimal, and numbers, one for each instruction: 4 bytes, or 8 of a double."""
        template, fields = b"", []
        called = False
        for part in parts:
            if isinstance(part, str):
                template += bytes.fromhex(part)
                called = part == CALL
            else:
                fields.append((-len(template) if called else len(template), part))
                template += bytes(WORD if part.dtype.kind == "f" else 4)
        self.pieces.append((k, template, fields))
