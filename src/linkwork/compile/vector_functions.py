"""Functions of several cases at once, as LLVM IR: those of the C library, for values that hold one number per lane.

Those of `ULP` are computed in all lanes together, from polynomials of our own; a few rare ones by the C library, lane
by lane. Every lane is computed alike, whatever the others hold. Without fused multiply-add all go to the library.
Method: exponentials and logarithms by reduction with log 2 in two parts and Taylor polynomials; arctangents by
(a − 1)/(a + 1) and a near-minimax polynomial (Chebyshev, relative error 2e-19); the others from these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from math import factorial
from typing import Final

from linkwork.compile.angles import SHIFTER, kernel
from linkwork.compile.lowering import Width, declared
from linkwork.compile.vectors import Writer

ULP: Final = {
    "exp": 1.0, "log": 1.0, "tan": 2.0, "atan": 1.5, "atan2": 2.5, "asin": 3.0, "acos": 3.0,
    "sinh": 3.0, "cosh": 3.0, "tanh": 3.0, "expm1": 2.0,
}  # fmt: skip
"""Bounds of the error in units in the last place, held by tests against 40 digits; sine and cosine (angles.py): 1."""

LOG2: Final = (float.fromhex("0x1.62e42fefa39efp-1"), float.fromhex("0x1.abc9e3b39803fp-56"))
LOG2_SHORT: Final = (float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33"))
"""log 2 in two parts; the first of the other pair is short, so that its multiples by exponents are exact."""
QUARTER, HALF, WHOLE = (
    (float.fromhex("0x1.921fb54442d18p-1") * k, float.fromhex("0x1.1a62633145c07p-55") * k) for k in (1, 2, 4)
)
"""π/4, π/2 and π in two parts."""
EXPONENTIAL: Final = tuple(1.0 / factorial(k) for k in range(2, 14))
"""(eʳ − 1 − r)/r² for |r| ≤ log(2)/2."""
LOGARITHM: Final = tuple(2.0 / (2 * k + 1) for k in range(1, 12))
"""(log((1 + s)/(1 − s)) − 2 s)/s³ in powers of s², for |s| ≤ 0.172."""
ARCTANGENT: Final = (
    -0.3333333333333333, 0.19999999999999804, -0.14285714285659828, 0.11111111105155447, -0.09090908753500877,
    0.07692296375032143, -0.06666424885738255, 0.05878928997834775, -0.05230454270650244, 0.04551593220626549,
    -0.034570561981427744, 0.016285756855221028,
)  # fmt: skip
"""(atan(x)/x − 1)/x² in powers of x², for |x| ≤ tan(π/8)."""
EIGHTH: Final = 0.41421356237309503
"""tan(π/8)"""
ROOT_HALF_BITS: Final = 0x3FE6A09E667F3BCD
"""The bits of √½, from which mantissas are counted."""


def called(text: str) -> str | None:
    """The vector function that a line of `lowering` calls, if it is not one of the processor's own."""
    match = re.search(r"@(\w+)\.\d+\(", text)
    return match[1] if match else None


def definitions(names: Iterable[str], lanes: int, *, fused: bool) -> tuple[list[str], dict[str, str]]:
    """IR of these functions, and the declarations it needs besides those of the C library."""
    wanted, text = sorted(names), list[str]()
    real, suffix = Width(lanes).real, Width(lanes).suffix
    for name in wanted:
        text.append(_FUNCTIONS[name](lanes) if fused and name in _FUNCTIONS else one_by_one(name, lanes))
    if fused and "tan" in wanted:
        text.append(kernel(f"sincos.of.tan.{lanes}", lanes))
    counts = {"fma": 3, "fabs": 1, "copysign": 2, "sqrt": 1}
    needed = {
        f"llvm.{name}.{suffix}": f"{real} @llvm.{name}.{suffix}({', '.join([real] * count)})"
        for name, count in counts.items()
    }
    return text, needed if text else {}


def one_by_one(name: str, lanes: int) -> str:
    """`name` of each lane by the C library."""
    real = Width(lanes).real
    scalar = name if name in declared() else f"llvm.{name}.f64"
    arguments = ["%x", "%y"][: declared()[scalar].count("double") - 1]
    lines, whole = [], "poison"
    for lane in range(lanes):
        for a in arguments:
            lines.append(f" {a}{lane} = extractelement {real} {a}, i32 {lane}")
        passed = ", ".join(f"double {a}{lane}" for a in arguments)
        lines.append(f" %r{lane} = call double @{scalar}({passed})")
        lines.append(f" %w{lane} = insertelement {real} {whole}, double %r{lane}, i32 {lane}")
        whole = f"%w{lane}"
    return _define(name, lanes, arguments, lines, whole)


def _define(name: str, lanes: int, arguments: list[str], lines: list[str], result: str) -> str:
    real = Width(lanes).real
    head = ", ".join(f"{real} {a}" for a in arguments)
    start = f"define internal {real} @{name}.{lanes}({head}) noinline nounwind memory(none) {{"
    return "\n".join([start, *lines, f" ret {real} {result}", "}"])


def _unary(name: str, write: Callable[[Writer, str], str]) -> Callable[[int], str]:
    def text(lanes: int) -> str:
        writer = Writer(lanes)
        return _define(name, lanes, ["%x"], writer.lines, write(writer, "%x"))

    return text


def _nan_kept(w: Writer, x: str, value: str) -> str:
    return w.choose(w.whether("uno", x, x), x, value)


def _clamped(w: Writer, x: str, low: float, high: float) -> str:
    x = w.choose(w.whether("olt", x, w.number(low)), w.number(low), x)
    return w.choose(w.whether("ogt", x, w.number(high)), w.number(high), x)


def _reduced(w: Writer, x: str) -> tuple[str, str, str]:
    """(n, r, eʳ − 1) with x = n log 2 + r; n as an integer."""
    shifted = w.fma(x, w.number(1 / LOG2[0]), w.number(SHIFTER))
    count = w.minus(shifted, w.number(SHIFTER))
    back = w.negative(count)
    r = w.fma(back, w.number(LOG2[1]), w.fma(back, w.number(LOG2[0]), x))
    above = w.fma(w.times(r, r), w.polynomial(r, EXPONENTIAL), r)
    whole = w.integers("sub", w.bits(shifted), w.bits(w.plus(w.number(SHIFTER), w.number(0.0))))
    return whole, r, above


def _power_of_two(w: Writer, whole: str) -> str:
    """2ⁿ, for n from −1022 to 1023."""
    return w.of_bits(w.integers("shl", w.integers("add", whole, w.integer(1023)), w.integer(52)))


def _exp(w: Writer, x: str) -> str:
    whole, _, above = _reduced(w, _clamped(w, x, -746.0, 710.0))
    half = w.integers("ashr", whole, w.integer(1))  # in two steps: 2ⁿ alone may be out of range
    rest = w.integers("sub", whole, half)
    near = w.times(w.plus(above, w.number(1.0)), _power_of_two(w, half))
    return _nan_kept(w, x, w.times(near, _power_of_two(w, rest)))


def _expm1(w: Writer, x: str) -> str:
    whole, _, above = _reduced(w, _clamped(w, x, -50.0, 709.0))
    power = _power_of_two(w, whole)
    value = w.fma(power, above, w.minus(power, w.number(1.0)))
    beyond = w.whether("ogt", x, w.number(709.0))
    return _nan_kept(w, x, w.choose(beyond, _exp(w, x), w.choose(w.whether("oeq", x, w.number(0.0)), x, value)))


def _log(w: Writer, x: str) -> str:
    tiny = w.whether("olt", x, w.number(2.0**-1022))
    scaled = w.choose(tiny, w.times(x, w.number(2.0**54)), x)
    bits = w.bits(scaled)
    exponent = w.integers("ashr", w.integers("sub", bits, w.integer(ROOT_HALF_BITS)), w.integer(52))
    mantissa = w.of_bits(w.integers("sub", bits, w.integers("shl", exponent, w.integer(52))))
    shifter = w.bits(w.plus(w.number(SHIFTER), w.number(0.0)))
    count = w.minus(w.of_bits(w.integers("add", exponent, shifter)), w.number(SHIFTER))
    count = w.choose(tiny, w.minus(count, w.number(54.0)), count)
    f = w.minus(mantissa, w.number(1.0))
    s = w.over(f, w.plus(f, w.number(2.0)))
    z, half = w.times(s, s), w.times(w.times(f, f), w.number(0.5))
    series = w.times(z, w.polynomial(z, LOGARITHM))
    part = w.fma(s, w.plus(half, series), w.times(count, w.number(LOG2_SHORT[1])))
    value = w.minus(w.times(count, w.number(LOG2_SHORT[0])), w.minus(w.minus(half, part), f))
    infinite = w.number(float("inf"))
    value = w.choose(w.whether("oeq", x, infinite), infinite, value)
    value = w.choose(w.whether("oeq", x, w.number(0.0)), w.number(float("-inf")), value)
    value = w.choose(w.whether("olt", x, w.number(0.0)), w.number(float("nan")), value)
    return _nan_kept(w, x, value)


def _arc(w: Writer, a: str) -> tuple[str, str, str]:
    """atan a = base + t + rest, for 0 ≤ a ≤ 1: (base in its first part, t, rest)."""
    upper = w.whether("ogt", a, w.number(EIGHTH))
    t = w.choose(upper, w.over(w.minus(a, w.number(1.0)), w.plus(a, w.number(1.0))), a)
    z = w.times(t, t)
    rest = w.times(w.times(t, z), w.polynomial(z, ARCTANGENT))
    zero = w.number(0.0)
    rest = w.plus(rest, w.choose(upper, w.number(QUARTER[1]), zero))
    return w.choose(upper, w.number(QUARTER[0]), zero), t, rest


def _from(w: Writer, whole: tuple[float, float], sum_: tuple[str, str, str]) -> tuple[str, str, str]:
    """The angle that completes this one to the whole: the first part without rounding, as both are multiples of π/4."""
    base, t, rest = sum_
    return (
        w.minus(w.number(whole[0]), base),
        w.negative(t),
        w.minus(w.number(whole[1]), rest),
    )


def _either(w: Writer, condition: str, yes: tuple[str, ...], no: tuple[str, ...]) -> tuple[str, str, str]:
    first, second, third = (w.choose(condition, a, b) for a, b in zip(yes, no, strict=True))
    return first, second, third


def _summed(w: Writer, parts: tuple[str, str, str]) -> str:
    base, t, rest = parts
    return w.plus(base, w.plus(t, rest))


def _atan(w: Writer, x: str) -> str:
    a = w.size(x)
    large = w.whether("ogt", a, w.number(1.0))
    near = _arc(w, w.choose(large, w.over(w.number(1.0), a), a))
    return w.with_sign(_summed(w, _either(w, large, _from(w, HALF, near), near)), x)


def _angle(w: Writer, y: str, x: str) -> str:
    """The angle of (x, y), −π to π."""
    a, b = w.size(y), w.size(x)
    steep = w.whether("ogt", a, b)
    quotient = w.over(w.choose(steep, b, a), w.choose(steep, a, b))
    one, zero = w.number(1.0), w.number(0.0)
    infinite = w.number(float("inf"))
    both = w.whether("oeq", w.choose(w.whether("olt", a, b), a, b), infinite)
    nothing = w.whether("oeq", w.choose(steep, a, b), zero)
    quotient = w.choose(both, one, w.choose(nothing, zero, quotient))
    parts = _arc(w, quotient)
    parts = _either(w, steep, _from(w, HALF, parts), parts)
    left = w.emit(f"icmp slt {w.whole} {w.bits(x)}, {w.integer(0)}")
    parts = _either(w, left, _from(w, WHOLE, parts), parts)
    value = w.with_sign(_summed(w, parts), y)
    return _nan_kept(w, x, _nan_kept(w, y, value))


def _atan2(lanes: int) -> str:
    w = Writer(lanes)
    return _define("atan2", lanes, ["%x", "%y"], w.lines, _angle(w, "%x", "%y"))


def _asin(w: Writer, x: str) -> str:
    one = w.number(1.0)
    return _angle(w, x, w.root(w.times(w.minus(one, x), w.plus(one, x))))


def _acos(w: Writer, x: str) -> str:
    one = w.number(1.0)
    return w.times(w.number(2.0), _angle(w, w.root(w.minus(one, x)), w.root(w.plus(one, x))))


def _tan(w: Writer, x: str) -> str:
    pair = f"{{ {w.real}, {w.real} }}"
    both = w.emit(f"call fastcc {pair} @sincos.of.tan.{w.lanes}({w.real} {x})")
    return w.over(*(w.emit(f"extractvalue {pair} {both}, {i}") for i in (0, 1)))


def _large(w: Writer, a: str) -> str:
    """Half of eᵃ, up to where that is still a number."""
    root = _exp(w, w.times(a, w.number(0.5)))
    return w.times(w.times(root, w.number(0.5)), root)


def _sinh(w: Writer, x: str) -> str:
    a = w.size(x)
    above = _expm1(w, _clamped(w, a, 0.0, 30.0))
    value = w.times(w.number(0.5), w.plus(above, w.over(above, w.plus(above, w.number(1.0)))))
    return w.with_sign(w.choose(w.whether("ogt", a, w.number(22.0)), _large(w, a), _nan_kept(w, x, value)), x)


def _cosh(w: Writer, x: str) -> str:
    a = w.size(x)
    power = _exp(w, _clamped(w, a, 0.0, 30.0))
    half = w.number(0.5)
    value = w.plus(w.times(half, power), w.over(half, power))
    return w.choose(w.whether("ogt", a, w.number(22.0)), _large(w, a), _nan_kept(w, x, value))


def _tanh(w: Writer, x: str) -> str:
    a = w.size(x)
    above = _expm1(w, _clamped(w, w.times(a, w.number(2.0)), 0.0, 50.0))
    return w.with_sign(_nan_kept(w, x, w.over(above, w.plus(above, w.number(2.0)))), x)


_FUNCTIONS: Final[dict[str, Callable[[int], str]]] = {
    "exp": _unary("exp", _exp),
    "expm1": _unary("expm1", _expm1),
    "log": _unary("log", _log),
    "tan": _unary("tan", _tan),
    "atan": _unary("atan", _atan),
    "atan2": _atan2,
    "asin": _unary("asin", _asin),
    "acos": _unary("acos", _acos),
    "sinh": _unary("sinh", _sinh),
    "cosh": _unary("cosh", _cosh),
    "tanh": _unary("tanh", _tanh),
}
