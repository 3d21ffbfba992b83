/* What every method shares: memory, records, calls with inputs refreshed, norms, the first step. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Newton steps of one projection, at most; and next to a singular position. */
static const int NEWTON_STEPS = 3, MOST_STEPS = 12;
/* Change of speeds over residual, both in natural units, from which a position counts as next to a singular one. */
static const double SINGULAR_GAIN = 1e3;

struct lw_block {
    struct lw_block *next;
    double data[];
};

void *lw_allocate(lw_run *run, size_t bytes)
{
    struct lw_block *block = calloc(1, sizeof *block + (bytes ? bytes : sizeof(double)));
    if (!block) return NULL;
    block->next = run->blocks;
    run->blocks = block;
    return block->data;
}

double *lw_doubles(lw_run *run, int64_t count) { return lw_allocate(run, (size_t)count * sizeof(double)); }

void lw_free_all(lw_run *run)
{
    while (run->blocks) {
        struct lw_block *next = run->blocks->next;
        free(run->blocks);
        run->blocks = next;
    }
}

int lw_table_append(lw_table *table, double first, double second, const double *rest)
{
    if (table->rows == table->capacity) {
        int64_t capacity = table->capacity ? 2 * table->capacity : 256;
        double *data = realloc(table->data, (size_t)(capacity * table->width) * sizeof(double));
        if (!data) return 0;
        table->data = data;
        table->capacity = capacity;
    }
    double *row = table->data + table->rows++ * table->width;
    row[0] = first;
    row[1] = second;
    memcpy(row + 2, rest, (size_t)(table->width - 2) * sizeof(double));
    return 1;
}

void lw_refresh_inputs(lw_run *run, double t)
{
    lw_system *s = run->system;
    if (!s->signals.count && !s->signals.callback) return;
    if (run->signals_known && run->signals_time == t) return;
    lw_signals_at(&s->signals, t, s->p + s->parameters);
    run->signals_time = t;
    run->signals_known = 1;
}

void lw_rhs(lw_run *run, double t, const double *y, double *dy)
{
    lw_refresh_inputs(run, t);
    const double *arg[3] = {&t, y, run->system->p};
    double *res[1] = {dy};
    run->system->rhs(arg, res, run->work);
    run->counters[LW_N_RHS]++;
}

int lw_all_finite(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * 0.0;
    return sum == 0.0;
}

/* By how much a projection has changed the speeds, in natural units. */
static double change_of_speed(const lw_run *run, const double *before, const double *after)
{
    const lw_system *s = run->system;
    double largest = 0;
    for (int i = s->q; i < s->q + s->v; i++) largest = fmax(largest, fabs(after[i] - before[i]) / s->unit[i]);
    return largest;
}

int lw_project(lw_run *run, double t, double *y)
{
    double residual[2];
    double *moved = run->scratch;
    lw_refresh_inputs(run, t);
    /* Each application is one Newton step for the positions; the speeds use its factors, so they are as good as the
     * positions were before it. Hence the tight bound. Next to a singular position, where small residuals belong to
     * large changes, a step goes only part of the way: again until there is nothing left to change. */
    for (int k = 0; k < MOST_STEPS; k++) {
        const double *arg[3] = {&t, y, run->system->p};
        double *res[2] = {moved, residual};
        run->system->project(arg, res, run->work);
        run->counters[LW_N_PROJECTIONS]++;
        if (!lw_all_finite(moved, run->n)) return 0;
        double change = change_of_speed(run, y, moved);
        memcpy(y, moved, (size_t)run->n * sizeof(double));
        run->unmet = residual[0];
        int whole = change <= SINGULAR_GAIN * residual[1] || change <= fmax(run->options.rtol, 1e-10);
        if (whole && (residual[0] <= 1e-9 || k + 1 >= NEWTON_STEPS)) break;
    }
    return 1;
}

double lw_error_norm(lw_run *run, const double *error, const double *a, const double *b)
{
    double sum = 0, rtol = run->options.rtol;
    const uint8_t *weighted = run->system->weighted;
    for (int i = 0; i < run->n; i++) {
        double ratio = weighted[i] ? error[i] / (run->atol[i] + rtol * fmax(fabs(a[i]), fabs(b[i]))) : 0.0;
        run->scaled[i] = ratio;
        sum += ratio * ratio;
    }
    return run->weighted_count ? sqrt(sum / run->weighted_count) : 0.0;
}

double lw_first_step(lw_run *run, const double *dy, int order)
{
    const lw_options *o = &run->options;
    double limit = fmin(o->max_step, run->end - run->t);
    if (o->step > 0) return fmin(o->step, limit);
    double d0 = lw_error_norm(run, run->y, run->y, run->y), d1 = lw_error_norm(run, dy, run->y, run->y);
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = fmin(h, limit);
    if (!run->system->rhs || run->method == &lw_method_radau) return h; /* implicit methods grow from a short step within a few */
    double *moved = run->y_new, *slope = run->sample;
    for (int i = 0; i < run->n; i++) moved[i] = run->y[i] + h * dy[i];
    lw_rhs(run, run->t + h, moved, slope);
    if (!lw_all_finite(slope, run->n)) return 1e-3 * h;
    for (int i = 0; i < run->n; i++) slope[i] = (slope[i] - dy[i]) / h;
    double d2 = fmax(lw_error_norm(run, slope, run->y, run->y), d1);
    double better = d2 <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / d2, 1.0 / (order + 1));
    return fmin(fmin(100 * h, better), limit);
}

/* What the caller may read. */
LW_API double lw_run_time(const lw_run *run) { return run->t; }
LW_API double lw_run_step(const lw_run *run) { return run->h; }
LW_API const double *lw_run_state(const lw_run *run) { return run->y; }
LW_API int32_t lw_run_culprit(const lw_run *run) { return run->culprit; }
LW_API const int64_t *lw_run_counters(const lw_run *run) { return run->counters; }
LW_API const double *lw_run_outputs(const lw_run *run, int64_t *rows)
{
    *rows = run->output.rows;
    return run->output.data;
}
LW_API const double *lw_run_events(const lw_run *run, int64_t *rows)
{
    *rows = run->event_log.rows;
    return run->event_log.data;
}
LW_API int64_t lw_system_bytes(void) { return (int64_t)sizeof(lw_system); }
LW_API int64_t lw_options_bytes(void) { return (int64_t)sizeof(lw_options); }
