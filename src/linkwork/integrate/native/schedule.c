/* Runs a schedule: one stage after the other, each a loop. */
#include "schedule.h"

#include <math.h>
#include <string.h>

static void call(const lw_stage *s, double *w, double *inputs, double *work)
{
    const int32_t *gather = s->gather;
    const double *row = s->table;
    double *out = w + s->target;
    for (int64_t i = 0; i < s->count; i++) {
        for (int k = 0; k < s->inputs; k++) inputs[k] = w[gather[k]];
        const double *arg[2] = {inputs, row};
        double *res[1] = {out};
        s->kernel(arg, res, work);
        gather += s->inputs;
        row += s->table_width;
        out += s->outputs;
    }
}

static void sweep(const lw_stage *s, double *w, double *inputs, double *work)
{
    const int32_t *scatter = s->scatter;
    lw_stage one = *s;
    one.count = 1;
    for (int64_t i = 0; i < s->count; i++) {
        call(&one, w, inputs, work);
        const double *added = w + one.target + s->outputs - s->source;
        for (int64_t k = 0; k < s->source; k++) w[scatter[k]] += added[k];
        one.gather += s->inputs;
        one.table += s->table_width;
        one.target += s->outputs;
        scatter += s->source;
    }
}

/* NaN counts as larger than everything. */
static double largest(const lw_stage *s, const double *w)
{
    double top = 0.0;
    for (int64_t k = 0; k < s->count; k++) {
        double size = fabs(w[s->gather[k]]) * s->table[k];
        if (!(size <= top)) top = size;
        if (top != top) return top;
    }
    return top;
}

/* It moves as the number that is the largest does. */
static double largest_slope(const lw_stage *s, const double *w)
{
    double top = 0.0, slope = 0.0;
    for (int64_t k = 0; k < s->count; k++) {
        double x = w[s->gather[k]], size = fabs(x) * s->table[k];
        if (size <= top) continue;
        top = size;
        slope = copysign(s->table[k], x) * w[s->scatter[k]];
        if (top != top) return top;
    }
    return slope;
}

static double squares(const lw_stage *s, const double *w)
{
    double sum = 0.0;
    for (int64_t k = 0; k < s->count; k++) {
        double x = w[s->gather[k]] * s->table[k];
        sum += x * x;
    }
    return sum;
}

/* The softness that was added to the matrix is taken out again, `count` times. */
static void solve(const lw_stage *s, const lw_fronts *f, double *w)
{
    int64_t n = f->unknowns;
    double *x = w + s->target, *step = x + n, *spare = step + n;
    const double *soft = w + f->soft;
    memcpy(step, w + s->source, (size_t)n * sizeof(double));
    lw_fronts_solve(f, w, step, spare);
    memcpy(x, step, (size_t)n * sizeof(double));
    for (int64_t k = 0; k < s->count; k++) {
        for (int64_t i = 0; i < n; i++) step[i] *= -soft[i];
        lw_fronts_solve(f, w, step, spare);
        for (int64_t i = 0; i < n; i++) x[i] += step[i];
    }
}

static void stage(const lw_schedule *all, const lw_stage *s, double *w, double *inputs, double *work)
{
    double *target = w + s->target;
    switch (s->kind) {
    case LW_CALL: call(s, w, inputs, work); break;
    case LW_ZERO: memset(target, 0, (size_t)s->count * sizeof(double)); break;
    case LW_ADD:
        for (int64_t k = 0; k < s->count; k++) w[s->scatter[k]] += s->factor * w[s->gather[k]];
        break;
    case LW_TAKE:
        for (int64_t k = 0; k < s->count; k++) target[k] = s->factor * w[s->gather[k]];
        break;
    case LW_LARGEST: *target = largest(s, w); break;
    case LW_SQUARES: *target = squares(s, w); break;
    case LW_LIMIT: {
        double size = w[s->source], share = size > 1.0 || size != size ? 1.0 / size : 1.0;
        for (int64_t k = 0; k < s->count; k++) target[k] *= share;
        break;
    }
    case LW_SOFTEN: *target = fmin(fmax(s->table[0], s->table[1] * w[s->source]), s->table[2]); break;
    case LW_FACTOR: lw_fronts_factor(all->fronts, w); break;
    case LW_SOLVE: solve(s, all->fronts, w); break;
    case LW_MULTIPLY:
        for (int64_t k = 0; k < s->count; k++) target[k] = w[s->gather[k]] * w[s->scatter[k]];
        break;
    case LW_SWEEP: sweep(s, w, inputs, work); break;
    case LW_LARGEST_SLOPE: *target = largest_slope(s, w); break;
    case LW_SET: memcpy(target, s->table, (size_t)s->count * sizeof(double)); break;
    }
}

LW_API void lw_schedule_run(const lw_schedule *s, const double *const *arg, double *const *res, double *work)
{
    double *inputs = work + s->size, *kernel = inputs + s->widest, *place = work;
    for (int k = 0; k < s->arguments; k++) {
        memcpy(place, arg[k], (size_t)s->argument_size[k] * sizeof(double));
        place += s->argument_size[k];
    }
    for (int64_t k = 0; k < s->stages; k++) stage(s, s->stage + k, work, inputs, kernel);
    for (int k = 0; k < s->results; k++)
        memcpy(res[k], work + s->result_place[k], (size_t)s->result_size[k] * sizeof(double));
}

LW_API int64_t lw_schedule_bytes(int which)
{
    return (int64_t)(which == 0 ? sizeof(lw_schedule) : which == 1 ? sizeof(lw_stage) : sizeof(lw_fronts));
}
