"""The text that graphics cards run: functions of a program, and the integrator that processors have too."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final

from linkwork.compile.stream import Stream, stream_of
from linkwork.core.program import Program
from linkwork.sweeps.batch.problem import BatchProblem
from linkwork.sweeps.cuda.statements import function

PARTS: Final = ("batch.h", "batch_template.h")
LONG: Final = 2500
"""Operations of a right-hand side from which on it is called, not written into the loop over the stages, and states are
in memory: registers do not hold them then, and the compiler would take minutes to find out."""
LEFT_OPEN: Final = {"double": "1e-9", "float": "1e-5f"}
"""What a projection may leave, in natural units."""

HEAD: Final = """\
#undef HUGE_VAL
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000LL))
#define LW_NAN (__longlong_as_double(0x7ff8000000000000LL))
#define REAL @real@
#define LANES 1
#define NAME(x) lw_##x
#define QUALIFIER static __device__ __forceinline__
#define CONSTANT __constant__ const
#define RESTRICT __restrict__
#define UNROLLED _Pragma("@unroll@")
#define ROLLED _Pragma("unroll 1")
#define PROJECTED @projected@
#define ARRAY(name, count) REAL name[(count) > 0 ? (count) : 1]
#define STATES @states@
#define FIRST_SPEED @first_speed@
#define SPEEDS @speeds@
#define PARAMETERS @parameters@
#define EVENTS @events@
#define MARGINS @margins@
#define SIGNALS @signals@
#define ADAPTIVE @adaptive@
#define CALL_RHS(t, y, p, dy) lw_slope(t, y, p, dy)
#define CALL_STAGE(t, y, p, dy) lw_rhs(t, y, p, dy)
#define CALL_PROJECT(t, y, p, moved, residual) lw_project_function(t, y, p, moved, residual)
#define CALL_EVENTS(t, y, p, g) lw_events_function(t, y, p, g)
#define CALL_MARGINS(t, y, p, margins) lw_margins_function(t, y, p, margins)
#define TAKE_LOG_ROW(b) (long long)atomicAdd((unsigned long long *)(b)->log_count, 1ULL)
#define SINCOS @sincos@
"""
SLOPE: Final = """\
/* Where speed does not matter, one copy of it is enough. */
static __device__ __noinline__ void lw_slope(const REAL *t, const REAL *y, const REAL *p, REAL *dy)
{
    lw_rhs(t, y, p, dy);
}
"""
KERNEL: Final = """\
extern "C" __constant__ lw_batch lw_the_batch;
__constant__ lw_batch lw_the_batch;

extern "C" __global__ void __launch_bounds__(@threads@, 1) lw_run()
{
    const lw_batch *b = &lw_the_batch;
    REAL y[STATES], y_new[STATES], stage[STATES], k[ADAPTIVE ? 7 * STATES : STATES], sample[STATES];
    REAL p[PARAMETERS > 0 ? PARAMETERS : 1], g[5 * EVENTS + 1], side[EVENTS + 1], largest[EVENTS + 1];
    REAL root[MARGINS + 1], earlier[2 * MARGINS + 1], most[MARGINS + 1];
    lw_room r = {y, p, y_new, stage, k, sample, g, side, largest, root, earlier, most, 0};
    long long index = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (index < b->cases) lw_cases(b, index, (long long)gridDim.x * blockDim.x, &r);
}
"""
CHANNELS: Final = """\
/* Channels of all states: out[(time * channels + channel) * cases + case]; projected first where it is asked for. */
extern "C" __global__ void lw_channels(double *out, int channels, int project, const double *inputs,
                                       long long inputs_stride)
{
    const lw_batch *b = &lw_the_batch;
    long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x, c = row % b->cases, k = row / b->cases;
    if (k >= b->times_count) return;
    REAL y[STATES], p[PARAMETERS > 0 ? PARAMETERS : 1], t = (REAL)b->times[k], values[CHANNEL_COUNT];
    double *at = b->samples.data + c * b->samples.case_stride + k * b->samples.time_stride;
    for (int i = 0; i < STATES; i++) y[i] = (REAL)at[i * b->samples.stride];
    for (int i = 0; i < PARAMETERS; i++) p[i] = (REAL)b->p.data[c * b->p.case_stride + i * b->p.stride];
    for (int i = 0; inputs && i < b->inputs; i++)
        p[b->parameters + i] = (REAL)inputs[c * inputs_stride + k * b->inputs + i];
    if (project) {
        lw_lanes lanes;
        double unmet[1], time[1] = {b->times[k]};
        int wanted[1] = {1};
        lanes.which[0] = c;
        lw_project(b, &lanes, time, y, p, wanted, unmet, 0);
        for (int i = 0; i < STATES; i++) at[i * b->samples.stride] = (double)y[i];
    }
    if (!channels) return;
    lw_channels_function(&t, y, p, values);
    for (int i = 0; i < channels; i++) out[(k * channels + i) * b->cases + c] = (double)values[i];
}
"""


def integrator(problem: BatchProblem, *, real: str = "double", threads: int = 128) -> str:
    """Everything a compiler for graphics cards needs to integrate the cases of this problem."""
    program = problem.program
    p = len(program.parameters) + len(program.inputs)
    rhs = stream(program, "rhs")
    inline, apart = "static __device__ __forceinline__", "static __device__ __noinline__"
    facts = {
        "real": real,
        "projected": LEFT_OPEN[real],
        "states": program.layout.y,
        "first_speed": program.layout.q,
        "speeds": program.layout.v,
        "parameters": p,
        "events": len(program.events),
        "margins": len(program.margins),
        "signals": len(problem.signals),
        "adaptive": int(problem.adaptive),
        "threads": threads,
        "unroll": "unroll 1" if len(rhs) > LONG else "unroll",
        "sincos": "sincosf" if real == "float" else "sincos",
    }
    parts = [
        HEAD,
        function(rhs, "lw_rhs", ("dy",), real=real, head=apart if len(rhs) > LONG else inline),
        SLOPE,
        _optional(program, "project", program.constrained, ("moved", "residual"), real, apart),
        _optional(program, "events", bool(program.events), ("g",), real, apart),
        _optional(program, "margins", bool(program.margins), ("margins",), real, apart),
        *map(header, PARTS),
        KERNEL,
    ]
    return re.sub(r"@(\w+)@", lambda match: str(facts[match[1]]), "\n".join(parts))


def channels(f: Stream, *, real: str = "double") -> str:
    """The text that, behind `integrator`, computes channels from states."""
    head = "static __device__ __noinline__"
    made = function(f, "lw_channels_function", ("values",), real=real, head=head)
    return f"#define CHANNEL_COUNT {max(f.out_sizes[0], 1)}\n{made}\n{CHANNELS}"


def stream(program: Program, name: str) -> Stream:
    assert program.symbolic is not None
    return stream_of(program.symbolic(name))


def header(name: str) -> str:
    """One of the integrator's own files, with those it includes."""
    text = (files("linkwork.integrate.native") / name).read_text(encoding="utf-8")
    return re.sub(r'#include "(\w+\.h)"', lambda match: header(match[1]), text)


def _optional(program: Program, name: str, wanted: bool, results: tuple[str, ...], real: str, head: str) -> str:
    """A function, or one that is never called."""
    if wanted:
        return function(stream(program, name), f"lw_{name}_function", results, real=real, head=head)
    listed = ", ".join(["const REAL *t", "const REAL *y", "const REAL *p", *(f"REAL *{r}" for r in results)])
    return f"{head} void lw_{name}_function({listed}) {{}}\n"
