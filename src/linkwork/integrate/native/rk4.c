/* The classical Runge-Kutta method of order 4 with a fixed step; cubic Hermite between steps. */
#include "run.h"

#include <string.h>

typedef struct {
    double *k1, *k2, *k3, *k4, *stage;
    int k1_known, end_known; /* k4 is reused for the slope at the end once the step is accepted */
} rk4;

static int create(lw_run *run)
{
    rk4 *m = run->state = lw_allocate(run, sizeof *m);
    double *block = lw_doubles(run, 5 * (int64_t)run->n);
    if (!m || !block) return 0;
    m->k1 = block;
    m->k2 = block + run->n;
    m->k3 = block + 2 * run->n;
    m->k4 = block + 3 * run->n;
    m->stage = block + 4 * run->n;
    return 1;
}

static void destroy(lw_run *run) { run->state = NULL; }

static lw_outcome start(lw_run *run)
{
    rk4 *m = run->state;
    run->h = run->options.step;
    run->fresh = 1;
    lw_rhs(run, run->t, run->y, m->k1);
    m->k1_known = 1;
    if (lw_all_finite(m->k1, run->n)) return LW_ACCEPTED;
    memcpy(run->scaled, m->k1, (size_t)run->n * sizeof(double));
    return LW_STEP_NONFINITE;
}

static lw_outcome attempt(lw_run *run)
{
    rk4 *m = run->state;
    int n = run->n;
    double h = run->h, t = run->t, *y = run->y, *stage = m->stage, *y_new = run->y_new;
    double *k1 = m->k1, *k2 = m->k2, *k3 = m->k3, *k4 = m->k4;
    if (!m->k1_known) lw_rhs(run, t, y, k1);
    m->k1_known = 1;
    for (int i = 0; i < n; i++) stage[i] = y[i] + 0.5 * h * k1[i];
    lw_rhs(run, t + 0.5 * h, stage, k2);
    for (int i = 0; i < n; i++) stage[i] = y[i] + 0.5 * h * k2[i];
    lw_rhs(run, t + 0.5 * h, stage, k3);
    for (int i = 0; i < n; i++) stage[i] = y[i] + h * k3[i];
    lw_rhs(run, run->t_new, stage, k4);
    for (int i = 0; i < n; i++) y_new[i] = y[i] + h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
    m->end_known = 0;
    if (lw_all_finite(y_new, n)) return LW_ACCEPTED;
    memcpy(run->scaled, y_new, (size_t)n * sizeof(double));
    return LW_STEP_NONFINITE;
}

static void interpolate(lw_run *run, double t, double *y)
{
    rk4 *m = run->state;
    if (!m->end_known) lw_rhs(run, run->t_new, run->y_new, m->k4);
    m->end_known = 1;
    double s = (t - run->t) / run->h, r = 1 - s, h = run->h;
    double w0 = r * r * (1 + 2 * s), w1 = s * s * (1 + 2 * r), v0 = h * s * r * r, v1 = -h * s * s * r;
    for (int i = 0; i < run->n; i++) y[i] = w0 * run->y[i] + w1 * run->y_new[i] + v0 * m->k1[i] + v1 * m->k4[i];
}

static void commit(lw_run *run)
{
    rk4 *m = run->state;
    double *swap = run->y;
    run->y = run->y_new;
    run->y_new = swap;
    m->k1_known = m->end_known;
    if (m->end_known) {
        swap = m->k1;
        m->k1 = m->k4;
        m->k4 = swap;
    }
}

static void renew(lw_run *run)
{
    rk4 *m = run->state;
    m->k1_known = 0;
}

const lw_method lw_method_rk4 = {create, destroy, start, attempt, interpolate, commit, 1e-10, {0.25, 0.75}, renew};
