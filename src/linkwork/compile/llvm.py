"""Stream → LLVM IR text → optimised object code."""

from __future__ import annotations

import os
from functools import cache as once
from typing import Final

import casadi as ca
import llvmlite
import llvmlite.binding as llvm
import numpy as np

from linkwork.compile import angles, vector_functions
from linkwork.compile.chunks import Plan, plan
from linkwork.compile.contraction import contracted
from linkwork.compile.lowering import BOOLEAN, Width, declared, fusing, lowering
from linkwork.compile.makers import makers
from linkwork.compile.stream import CONST, INPUT, OUTPUT, Stream
from linkwork.compile.vectors import literal
from linkwork.core.errors import LinkworkError

CHUNK: Final = 2000
"""Instructions per internal function. From 500 to 4000, compile and run times differ by less than they vary."""

LANES: Final = 4
"""Angles whose sines and cosines are computed together."""
TRIGONOMETRIC: Final = (ca.OP_SIN, ca.OP_COS)


def lower(
    stream: Stream, name: str, *, chunk: int = CHUNK, batch: bool | None = None, lanes: int = 1
) -> tuple[str, int]:
    """The IR of `void name(const double *const *arg, double *const *res, double *work)`, and the size of `work`.

    arg, res and work must not overlap: results may be written before the last argument is read.
    chunk: instructions per internal function; batch: sines and cosines of several angles at once (default: where the
    processor has fused multiply-add). lanes: cases per evaluation; with more than one, each number of arg, res and work
    is a row of that many, one for each case, and branches are selections.
    """
    batch = fused() if batch is None else batch
    stream = contracted(stream, fused=batch)
    layout = plan(stream, chunk)
    chunks = [_Chunk(stream, layout, i, batch, Width(lanes)) for i in range(len(layout.bounds) - 1)]
    used_arg = sorted({i for c in chunks for i in c.arguments})
    used_res = sorted({i for c in chunks for i in c.results})
    entry = [f"define void @{name}(ptr noalias readonly %arg, ptr noalias readonly %res, ptr %w) #1 {{"]
    for array, letter, used in (("arg", "a", used_arg), ("res", "r", used_res)):
        for i in used:
            entry.append(f" %{letter}{i}.p = getelementptr inbounds ptr, ptr %{array}, i64 {i}")
            entry.append(f" %{letter}{i} = load ptr, ptr %{letter}{i}.p, align 8")
    for i, c in enumerate(chunks):
        entry.append(f" call fastcc void @{name}.{i}({c.pointers('ptr', 'ptr')})")
    entry.append(" ret void\n}")
    text = [f'target triple = "{llvm.get_process_triple()}"']
    for i, c in enumerate(chunks):
        head = c.pointers("ptr noalias readonly", "ptr noalias")
        text += [f"define internal fastcc void @{name}.{i}({head}) #0 {{", *c.lines, " ret void\n}"]
    text += entry
    outside = dict(declared())
    for count in sorted({count for c in chunks for count in c.kernels}):
        text.append(angles.kernel(f"sincos.{count}", count))
        outside |= angles.declarations(count)
    if lanes > 1:
        outside |= {key: signature for key, signature in declared(lanes).items() if key.startswith("llvm.")}
        made, needed = vector_functions.definitions({f for c in chunks for f in c.called}, lanes, fused=fused())
        text += made
        outside |= needed
    text += [f"declare {signature} #2" for signature in outside.values()]
    text += ["attributes #0 = { noinline nounwind }", "attributes #1 = { nounwind }"]
    text += ["attributes #2 = { nounwind willreturn memory(none) }", "!0 = !{}"]
    return "\n".join(text), layout.work_size


class _Chunk:
    """One internal function: its lines, and the pointers it needs."""

    def __init__(self, stream: Stream, layout: Plan, index: int, batch: bool, width: Width):
        self.lines: list[str] = []
        self.arguments: set[int] = set()
        self.results: set[int] = set()
        self.works = False
        self.kernels: set[int] = set()  # lanes of the sine and cosine kernels called
        self.called: set[str] = set()  # vector functions
        self._width, self._real, self._lowering = width, width.real, lowering(width.lanes)
        self._fusing = fusing(width.lanes)
        self._stream, self._slot = stream, layout.slot
        self._known: dict[int, str] = {}  # the text of each value that is at hand
        self._truths: set[int] = set()
        start, stop = layout.bounds[index], layout.bounds[index + 1]
        self._batch, self._treated = batch, set[int]()
        trigonometric = np.isin(stream.op[start:stop], TRIGONOMETRIC)
        self._angles = list(dict.fromkeys(stream.in0[start:stop][trigonometric].tolist()))  # not yet treated
        self._write(start, stop)

    def pointers(self, read: str, write: str) -> str:
        listed = [f"{read} %a{i}" for i in sorted(self.arguments)] + [f"{write} %r{i}" for i in sorted(self.results)]
        return ", ".join([*listed, f"{write} %w"] if self.works else listed)

    def _write(self, start: int, stop: int) -> None:
        stream, lines, slot = self._stream, self.lines, self._slot
        part = slice(start, stop)
        rows = zip(stream.op[part].tolist(), stream.in0[part].tolist(), stream.in1[part].tolist(), strict=True)
        for k, (op, x, y) in enumerate(rows, start):
            if op in (CONST, INPUT):
                continue  # written where they are needed
            if op == OUTPUT:
                result = int(stream.out[k])
                self.results.add(result)
                value = self._value(x)
                lines.append(f" %o{k} = getelementptr inbounds {self._real}, ptr %r{result}, i64 {y}")
                lines.append(f" store {self._real} {value}, ptr %o{k}, align 8")
                continue
            if op in TRIGONOMETRIC and self._batch:
                if x not in self._treated:
                    self._sine_and_cosine(x, k)
                self._known[k] = f"%{'sin' if op == ca.OP_SIN else 'cos'}{x}"
            else:
                self._operate(k, op, x, y)
            if slot[k] >= 0:
                self.works = True
                lines.append(f" %s{k} = getelementptr inbounds {self._real}, ptr %w, i64 {slot[k]}")
                lines.append(f" store {self._real} {self._known[k]}, ptr %s{k}, align 8")

    def _operate(self, k: int, op: int, x: int, y: int) -> None:
        text = self._lowering.get(op) or self._fusing[op]
        if self._width.lanes > 1 and (call := vector_functions.called(text)):
            self.called.add(call)
        fields = {"r": f"%v{k}", "x": self._value(x)}
        if y >= 0:
            fields["y"] = self._value(y)
        if op in self._fusing and self._stream.in2 is not None:
            fields["z"] = self._value(int(self._stream.in2[k]))
        if "{X}" in text:
            fields["X"] = self._truth(x)
        if "{Y}" in text:
            fields["Y"] = self._truth(y)
        self.lines.append(" " + text.format(**fields))
        self._known[k] = f"%v{k}"
        if op in BOOLEAN:
            self._truths.add(k)

    def _sine_and_cosine(self, x: int, k: int) -> None:
        """Define %sin and %cos of angle x, and of the next angles of this chunk known before instruction k."""
        if self._width.lanes > 1:
            self._sine_and_cosine_of_cases(x)
            return
        known = [a for a in self._angles if a != x and (a < k or self._stream.op[a] == INPUT)]
        group = [x, *known[: LANES - 1]]
        self._angles = [a for a in self._angles if a not in group]
        self._treated.update(group)
        lanes = LANES if len(group) > 1 else 1
        self.kernels.add(lanes)
        real = f"<{LANES} x double>" if lanes > 1 else "double"
        vector = self._value(x) if lanes == 1 else "poison"
        for lane in range(lanes if lanes > 1 else 0):
            value = self._value(group[min(lane, len(group) - 1)])  # a lane without an angle repeats the last one
            self.lines.append(f" %x{x}.{lane} = insertelement {real} {vector}, double {value}, i32 {lane}")
            vector = f"%x{x}.{lane}"
        pair = f"{{ {real}, {real} }}"
        self.lines.append(f" %p{x} = call fastcc {pair} @sincos.{lanes}({real} {vector})")
        for i, function in enumerate(("sin", "cos")):
            whole = f"%{function}{x}" if lanes == 1 else f"%{function}s{x}"
            self.lines.append(f" {whole} = extractvalue {pair} %p{x}, {i}")
            for lane, a in enumerate(group if lanes > 1 else ()):
                self.lines.append(f" %{function}{a} = extractelement {real} {whole}, i32 {lane}")

    def _sine_and_cosine_of_cases(self, x: int) -> None:
        """The same where each value holds several cases already."""
        lanes, real = self._width.lanes, self._real
        self._treated.add(x)
        self.kernels.add(lanes)
        pair = f"{{ {real}, {real} }}"
        self.lines.append(f" %p{x} = call fastcc {pair} @sincos.{lanes}({real} {self._value(x)})")
        self.lines += [f" %{f}{x} = extractvalue {pair} %p{x}, {i}" for i, f in enumerate(("sin", "cos"))]

    def _value(self, k: int) -> str:
        """The operand for value k, loading it at its first use in this chunk."""
        known = self._known.get(k)
        if known is not None:
            return known
        stream = self._stream
        op = stream.op[k]
        if op == CONST:
            known = self._width.number(literal(stream.const[k]))
        else:
            known = f"%v{k}"
            if op == INPUT:
                self.arguments.add(int(stream.in0[k]))
                place, note = f"ptr %a{stream.in0[k]}, i64 {stream.in1[k]}", ", !invariant.load !0"
            else:
                self.works = True
                place, note = f"ptr %w, i64 {self._slot[k]}", ""
            self.lines.append(f" %l{k} = getelementptr inbounds {self._real}, {place}")
            self.lines.append(f" {known} = load {self._real}, ptr %l{k}, align 8{note}")
        self._known[k] = known
        return known

    def _truth(self, k: int) -> str:
        """The i1 for `value k is not zero`."""
        if self._stream.op[k] == CONST:
            return self._width.whether("true" if self._stream.const[k] != 0 else "false")
        if k not in self._truths:
            self._truths.add(k)
            self.lines.append(f" %v{k}.t = fcmp une {self._real} {self._value(k)}, {self._width.number('0.0')}")
        return f"%v{k}.t"


def emit_object(text: str, opt: int = 1) -> bytes:
    """Object code of a module; opt: 1, or 0, which takes a tenth of the time for code that runs half as fast.

    No IR passes are run. Measured on streams of 700 to 15,000 instructions, none made the code faster (the stream has
    no loops or branches and its common subexpressions are already shared), and the vectoriser made it slower. Nor does
    the large code model that JIT targets default to pay: it spends an instruction on the address of every constant.
    """
    module = llvm.parse_assembly(text, llvm.create_context())
    return bytes(_machine(opt).emit_object(module))


@once
def processor() -> tuple[str, str]:
    """(name, features) of the processor that code is made for: this one, unless `LINKWORK_CPU` says otherwise.

    `LINKWORK_CPU` is a name that LLVM knows ("generic", "x86-64-v3"), or features to be taken from this processor
    ("-fma,-avx2"). Code for a lesser processor rounds differently: it shows what hangs on the machine.
    """
    chosen = os.environ.get("LINKWORK_CPU", "").replace(" ", "")
    host, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    if not chosen:
        return host, features
    if chosen[0] not in "+-":
        return chosen, ""
    if any(not feature.startswith("-") for feature in chosen.split(",")):
        raise LinkworkError(
            f"LINKWORK_CPU={chosen!r} asks for more than this processor has.",
            remedy='Take features away ("-fma,-avx2"), or give the name of a processor ("generic").',
        )
    return host, f"{features},{chosen}"


@once
def fused() -> bool:
    """Whether the processor has fused multiply-add; of one that is known by its name alone, nothing is presumed."""
    _, features = processor()
    has = "+fma" in features.split(",") and "-fma" not in features.split(",")
    return has or (bool(features) and llvm.get_process_triple().startswith(("aarch64", "arm64")))


@once
def widest() -> int:
    """Cases that one register of the processor holds, of those it does arithmetic with."""
    _, features = processor()
    listed = features.split(",")
    for feature, lanes in (("avx512f", 8), ("avx2", 4)):
        if f"+{feature}" in listed and f"-{feature}" not in listed:
            return lanes
    return 2


@once
def initialise() -> None:
    """Register the processor of this machine with LLVM."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@once
def _machine(opt: int) -> llvm.TargetMachine:
    initialise()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    cpu, features = processor()
    return target.create_target_machine(cpu=cpu, features=features, opt=opt, reloc="pic", codemodel="small")


@once
def generator() -> str:
    """Everything besides the function itself that decides what its object code is."""
    facts = (makers(), llvmlite.__version__, *llvm.llvm_version_info, llvm.get_process_triple())
    return " ".join(map(str, facts + processor()))
