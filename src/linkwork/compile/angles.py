"""Sine and cosine of several angles at once, as LLVM IR.

The C library computes one angle per call, and each call empties the registers; mechanisms have many angles, all known
early. Method: reduction by multiples of π/2 held in three parts (Cody and Waite), then the polynomials of degree 13
and 14 on |r| ≤ π/4 published with FDLIBM. Error below one unit in the last place; angles beyond `LIMIT`, infinities
and NaN go to the C library. Needs fused multiply-add, which makes the reduction exact.
"""

from __future__ import annotations

from typing import Final

from linkwork.compile.lowering import Width
from linkwork.compile.vectors import Writer

LIMIT: Final = 2.0**20
"""Largest |angle| in rad treated here: the number of quarter turns must stay below 2^20."""
QUARTER_TURN: Final = (float.fromhex("0x1.921fb54442d18p0"), float.fromhex("0x1.1a62633145c07p-54"),
                       float.fromhex("-0x1.f1976b7ed8fbcp-110"))  # fmt: skip
"""π/2 as a sum of three doubles."""
SHIFTER: Final = 1.5 * 2.0**52
"""Adding it leaves the nearest integer in the low bits."""
SINE: Final = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
               2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)  # fmt: skip
COSINE: Final = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                 -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)  # fmt: skip


def kernel(name: str, lanes: int) -> str:
    """IR of `{sine, cosine} name(angle)` for vectors of `lanes` doubles; needs the declarations of `declarations`."""
    return _Kernel(lanes).text(name)


def declarations(lanes: int) -> dict[str, str]:
    """The functions a kernel calls: name → full signature."""
    real, suffix = Width(lanes).real, Width(lanes).suffix
    return {
        f"llvm.fma.{suffix}": f"{real} @llvm.fma.{suffix}({real}, {real}, {real})",
        f"llvm.fabs.{suffix}": f"{real} @llvm.fabs.{suffix}({real})",
    }


class _Kernel(Writer):
    def text(self, name: str) -> str:
        real = self.real
        pair = f"{{ {real}, {real} }}"
        size = self.emit(f"call {real} @llvm.fabs.{self.suffix}({real} %angle)")
        far = beyond = self.emit(f"fcmp ugt {real} {size}, {self.number(LIMIT)}")  # true for NaN too
        if self.lanes > 1:
            bits = self.emit(f"bitcast {self.truth} {far} to i{self.lanes}")
            beyond = self.emit(f"icmp ne i{self.lanes} {bits}, 0")
        self.lines.append(f" br i1 {beyond}, label %library, label %here\nhere:")
        sine, cosine = self.evaluate()
        self.lines += [*self.pack("here", sine, cosine, pair), f" ret {pair} %here.1", "library:"]
        sine, cosine = self.call_library()
        if self.lanes > 1:  # an angle has the sine that it has alone, whatever its neighbours are
            near = self.evaluate()
            sine, cosine = self.choose(far, sine, near[0]), self.choose(far, cosine, near[1])
        self.lines += [*self.pack("library", sine, cosine, pair), f" ret {pair} %library.1"]
        head = f"define internal fastcc {pair} @{name}({real} %angle) noinline nounwind memory(none) {{"
        return "\n".join([head, *self.lines, "}"])

    def evaluate(self) -> tuple[str, str]:
        shifted = self.fma("%angle", self.number(2 / 3.141592653589793), self.number(SHIFTER))
        turns = self.minus(shifted, self.number(SHIFTER))
        back = self.emit(f"fneg {self.real} {turns}")
        first, second, third = map(self.number, QUARTER_TURN)
        rest = self.fma(back, first, "%angle")
        # rest − turns·second with what both roundings lose: near a multiple of π/2 almost nothing else is left.
        part = self.times(back, second)
        r = self.plus(rest, part)
        taken = self.minus(r, rest)
        lost = self.plus(self.minus(rest, self.minus(r, taken)), self.minus(part, taken))
        lost = self.plus(lost, self.fma(back, second, self.emit(f"fneg {self.real} {part}")))
        lost = self.fma(back, third, lost)
        whole = self.plus(r, lost)
        r, lost = whole, self.minus(lost, self.minus(whole, r))  # the angle is r + lost
        z = self.times(r, r)
        half = self.times(z, self.number(0.5))
        one = self.number(1.0)
        high = self.minus(one, half)
        low = self.minus(self.minus(one, high), half)
        sine = self.plus(r, self.fma(self.times(z, r), self.polynomial(z, SINE), self.times(lost, high)))
        tail = self.fma(self.times(z, z), self.polynomial(z, COSINE), self.minus(low, self.times(r, lost)))
        cosine = self.plus(high, tail)
        quarter = self.emit(f"bitcast {self.real} {shifted} to {self.whole}")
        odd = self.emit(f"trunc {self.whole} {quarter} to {self.truth}")
        after = self.emit(f"add {self.whole} {quarter}, {self.integer(1)}")
        return (
            self.signed(self.choose(odd, cosine, sine), quarter),
            self.signed(self.choose(odd, sine, cosine), after),
        )

    def call_library(self) -> tuple[str, str]:
        if self.lanes == 1:
            sine, cosine = (self.emit(f"call double @llvm.{f}.f64(double %angle)") for f in ("sin", "cos"))
            return sine, cosine
        sine, cosine = "poison", "poison"
        for lane in range(self.lanes):
            x = self.emit(f"extractelement {self.real} %angle, i32 {lane}")
            s, c = (self.emit(f"call double @llvm.{f}.f64(double {x})") for f in ("sin", "cos"))
            sine = self.emit(f"insertelement {self.real} {sine}, double {s}, i32 {lane}")
            cosine = self.emit(f"insertelement {self.real} {cosine}, double {c}, i32 {lane}")
        return sine, cosine

    def pack(self, label: str, sine: str, cosine: str, pair: str) -> list[str]:
        return [
            f" %{label}.0 = insertvalue {pair} poison, {self.real} {sine}, 0",
            f" %{label}.1 = insertvalue {pair} %{label}.0, {self.real} {cosine}, 1",
        ]

    def signed(self, value: str, quarter: str) -> str:
        """`value`, negated in the two quarters whose number has bit 1 set."""
        bit = self.emit(f"and {self.whole} {quarter}, {self.integer(2)}")
        sign = self.emit(f"shl {self.whole} {bit}, {self.integer(62)}")
        bits = self.emit(f"bitcast {self.real} {value} to {self.whole}")
        return self.emit(f"bitcast {self.whole} {self.emit(f'xor {self.whole} {bits}, {sign}')} to {self.real}")
