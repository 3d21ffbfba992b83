/* The integrator of many cases, for vectors of 2, 4 and 8 cases. */
#include "batch.h"
#include "system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define TARGET(features) __attribute__((target(features)))
#else
#define TARGET(features)
#endif

#if defined(__GNUC__)
#define RESTRICT __restrict__
#else
#define RESTRICT __restrict
#endif

#define REAL double
#define CONSTANT const
#define UNROLLED
#define ROLLED
#define PROJECTED 1e-9
#define STATES (b->states)
#define FIRST_SPEED (b->first_speed)
#define SPEEDS (b->speeds)
#define PARAMETERS (b->parameters + b->inputs)
#define EVENTS (b->events)
#define MARGINS (b->margins)
#define SIGNALS (b->signals_count)
#define ADAPTIVE (b->adaptive)
#define TAKE_LOG_ROW(b) ((*(b)->log_count)++)
#define ARRAY(name, count) \
    REAL *name = work; \
    work += (count) * LANES

/* Arguments and results as machine code takes them; `work` is its own part of the room. */
static void call(const void *function, const double *t, const double *y, const double *p, double *first, double *second,
                 double *work)
{
    const double *arg[3] = {t, y, p};
    double *res[2] = {first, second};
    ((lw_function)(uintptr_t)function)(arg, res, work);
}

#define CALL_RHS(t, y, p, dy) call(b->rhs, t, y, p, dy, NULL, work)
#define CALL_STAGE CALL_RHS
#define CALL_PROJECT(t, y, p, moved, residual) call(b->project, t, y, p, moved, residual, work)
#define CALL_EVENTS(t, y, p, g) call(b->event_values, t, y, p, g, NULL, work)
#define CALL_MARGINS(t, y, p, margins) call(b->margin_values, t, y, p, margins, NULL, work)

#define LANES 2
#define NAME(x) two_##x
#define QUALIFIER static
#include "batch_template.h"
#include "batch_entry.h"

#define LANES 4
#define NAME(x) four_##x
#define QUALIFIER static TARGET("avx2,fma")
#include "batch_template.h"
#include "batch_entry.h"

#define LANES 8
#define NAME(x) eight_##x
#define QUALIFIER static TARGET("avx512f")
#include "batch_template.h"
#include "batch_entry.h"

/* Doubles that one call needs. */
LW_API int64_t lw_batch_room(const lw_batch *b, int32_t lanes)
{
    int64_t rows = (int64_t)STATES * 14 + PARAMETERS + 7 * (int64_t)EVENTS + 4 * (int64_t)MARGINS + b->work_size;
    return rows * lanes + 8;
}

/* Integrates all cases of the batch; room: `lw_batch_room` doubles, at a multiple of 64 bytes. */
LW_API void lw_batch_run(const lw_batch *b, int32_t lanes, double *room)
{
    if (lanes == 2) two_run(b, room);
    else if (lanes == 4) four_run(b, room);
    else eight_run(b, room);
}

LW_API int64_t lw_batch_bytes(void) { return (int64_t)sizeof(lw_batch); }
LW_API int64_t lw_batch_signal_bytes(void) { return (int64_t)sizeof(lw_batch_signal); }

/* Applies a function of (t, y, p) to rows, `lanes` at a time: row r belongs to case r / times. What it gives first goes
 * to `out`, m numbers per row. inputs: of each time, `inputs_stride` from case to case, the last `ni` of p; or NULL.
 * project: as the integrator does it; of b, only what that needs is read. */
LW_API void lw_batch_map(const lw_batch *b, const void *function, int32_t lanes, int64_t rows, int64_t times, int32_t n, int32_t np,
                         int32_t m, int32_t project, const double *t, const double *y, const double *p,
                         const double *inputs, int64_t inputs_stride, int32_t ni, double *out, double *room)
{
    double *tv = room, *yv = tv + lanes, *pv = yv + (int64_t)n * lanes, *mv = pv + (int64_t)np * lanes;
    double *residual = mv + (int64_t)m * lanes, *work = residual + 2 * lanes;
    int open[8];
    for (int64_t r = 0; r < rows; r += lanes) {
        for (int l = 0; l < lanes; l++) {
            int64_t from = r + l < rows ? r + l : rows - 1, c = from / times;
            tv[l] = t[from % times];
            for (int i = 0; i < n; i++) yv[i * lanes + l] = y[from * n + i];
            for (int i = 0; i < np; i++) pv[i * lanes + l] = p[c * np + i];
            for (int i = 0; i < ni && inputs; i++)
                pv[(np - ni + i) * lanes + l] = inputs[c * inputs_stride + from % times * ni + i];
            open[l] = 1;
        }
        for (int k = 0, any = 1; k < (project ? LW_MOST_STEPS : 1) && any; k++) {
            call(function, tv, yv, pv, mv, residual, work);
            any = 0;
            double change[8] = {0}, little = project && b->rtol > 1e-10 ? b->rtol : 1e-10;
            for (int i = project ? FIRST_SPEED : 0; project && i < FIRST_SPEED + SPEEDS; i++)
                for (int l = 0; l < lanes; l++)
                    change[l] = fmax(change[l], fabs(mv[i * lanes + l] - yv[i * lanes + l]) / b->unit[i]);
            for (int l = 0; l < lanes; l++) {
                if (!open[l]) continue;
                int finite = 1;
                for (int i = 0; i < m && project; i++) finite &= mv[i * lanes + l] - mv[i * lanes + l] == 0;
                if (finite && r + l < rows)
                    for (int i = 0; i < m; i++) out[(r + l) * m + i] = mv[i * lanes + l];
                if (finite && project)
                    for (int i = 0; i < n; i++) yv[i * lanes + l] = mv[i * lanes + l];
                int whole = change[l] <= four_SINGULAR_GAIN * residual[lanes + l] || change[l] <= little;
                open[l] = project && finite && !(whole && (residual[l] <= PROJECTED || k + 1 >= LW_NEWTON_STEPS));
                any |= open[l];
            }
        }
    }
}
