/* Embedded explicit Runge-Kutta pairs with step-size control and dense output: Dormand-Prince 5(4) and 8(5,3). */
#include "run.h"
#include "tableau_dop853.h"
#include "tableau_dopri5.h"

#include <math.h>
#include <string.h>

/* The slope at the end is stage `stages` (its row of `a` is the solution); `extra` more serve the dense output. */
typedef struct {
    int stages, extra, order;
    const double *a, *c;
    const double *e; /* error weights, stages + 1 per row */
    int error_rows;
    const double *d; /* dense weights, stages + 1 + extra per row */
    int dense_rows;
    double exponent, integral, shrink, grow; /* of the PI controller */
} tableau;

static const tableau dopri5 = {6, 0, 5, dopri5_a, dopri5_c, dopri5_e, 1, dopri5_d, 1, 0.17, 0.04, 0.2, 10};
static const tableau dop853 = {12, 3, 8, dop853_a, dop853_c, dop853_e, 2, dop853_d, 4, 0.12, 0.025, 1.0 / 3, 6};

typedef struct {
    const tableau *table;
    double *k[16], *stage, *error[2], *dense[7];
    double error_before;
    int k_known, dense_known, rejected;
    int held; /* steps one after the other that stability has held back */
} pair;

static int create(lw_run *run, const tableau *table)
{
    pair *m = run->state = lw_allocate(run, sizeof *m);
    if (!m) return 0;
    m->table = table;
    int total = table->stages + 1 + table->extra;
    for (int s = 0; s < total; s++)
        if (!(m->k[s] = lw_doubles(run, run->n))) return 0;
    for (int s = 0; s < 3 + table->dense_rows; s++)
        if (!(m->dense[s] = lw_doubles(run, run->n))) return 0;
    for (int s = 0; s < 2; s++)
        if (!(m->error[s] = lw_doubles(run, run->n))) return 0;
    return (m->stage = lw_doubles(run, run->n)) != NULL;
}

static int create_dopri5(lw_run *run) { return create(run, &dopri5); }
static int create_dop853(lw_run *run) { return create(run, &dop853); }
static void destroy(lw_run *run) { run->state = NULL; }

static lw_outcome start(lw_run *run)
{
    pair *m = run->state;
    lw_rhs(run, run->t, run->y, m->k[0]);
    if (!lw_all_finite(m->k[0], run->n)) {
        memcpy(run->scaled, m->k[0], (size_t)run->n * sizeof(double));
        return LW_STEP_NONFINITE;
    }
    m->k_known = 1;
    m->error_before = 1e-4;
    m->rejected = m->held = 0;
    run->fresh = 1;
    run->h = lw_first_step(run, m->k[0], m->table->order);
    return LW_ACCEPTED;
}

/* out = base + scale * sum of weights[j] k[j]; zero weights are many, so columns are skipped rather than multiplied. */
static void combine(const pair *m, int n, int count, const double *weights, double scale, const double *base,
                    double *out)
{
    if (base) memcpy(out, base, (size_t)n * sizeof(double));
    else memset(out, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < count; j++) {
        double w = scale * weights[j];
        const double *restrict k = m->k[j];
        if (w != 0)
            for (int i = 0; i < n; i++) out[i] += w * k[i];
    }
}

static double error_of(lw_run *run, pair *m)
{
    const tableau *table = m->table;
    int n = run->n, count = table->stages + 1;
    for (int r = 0; r < table->error_rows; r++) combine(m, n, count, table->e + r * count, run->h, NULL, m->error[r]);
    if (table->error_rows == 1) return lw_error_norm(run, m->error[0], run->y, run->y_new);
    /* Hairer's combination for 8(5,3): the third-order estimate only guards against a fifth-order one that vanishes. */
    double third = lw_error_norm(run, m->error[1], run->y, run->y_new);
    double fifth = lw_error_norm(run, m->error[0], run->y, run->y_new);
    double below = sqrt(fifth * fifth + 0.01 * third * third);
    return below > 0 ? fifth * fifth / below : below;
}

/* Whether a mode holds the step back that moves no more of itself: the last two stages are at the same time, so what
 * their slopes differ by per difference of their states is the fastest mode (Hairer and Wanner 1996, section IV.2).
 * Steps that follow a mode to this accuracy are shorter (`_progress` in choice/solver.py). */
static int is_held(lw_run *run, pair *m)
{
    int n = run->n, end = m->table->stages;
    double *d = m->error[1];
    for (int i = 0; i < n; i++) d[i] = m->k[end][i] - m->k[end - 1][i];
    double slopes = lw_error_norm(run, d, run->y, run->y_new);
    for (int i = 0; i < n; i++) d[i] = run->y_new[i] - m->stage[i];
    double followed = fmin(pow(150 * run->options.rtol, 0.2), 1);
    return run->h * slopes > fmin(4 * followed, 2) * lw_error_norm(run, d, run->y, run->y_new);
}

/* A step that is held back is no longer as accurate as its estimate of the error says. */
static void suspect(lw_run *run, pair *m)
{
    if (m->table != &dopri5 || !run->options.stiff_after || (!m->held && run->attempts % 8)) return;
    m->held = is_held(run, m) ? m->held + 1 : 0;
    if (m->held >= run->options.stiff_after) run->options.max_steps = run->attempts;
}

static lw_outcome attempt(lw_run *run)
{
    pair *m = run->state;
    const tableau *table = m->table;
    int n = run->n;
    if (!m->k_known) lw_rhs(run, run->t, run->y, m->k[0]);
    m->k_known = 1;
    m->dense_known = 0;
    const double *row = table->a;
    for (int s = 1; s <= table->stages; s++) {
        double *target = s == table->stages ? run->y_new : m->stage;
        combine(m, n, s, row, run->h, run->y, target);
        lw_rhs(run, table->c[s] == 1 ? run->t_new : run->t + table->c[s] * run->h, target, m->k[s]);
        row += s;
    }
    double error = error_of(run, m);
    if (!isfinite(error) || !lw_all_finite(run->y_new, n) || !lw_all_finite(m->k[table->stages], n)) {
        if (isfinite(error)) memcpy(run->scaled, m->k[table->stages], (size_t)n * sizeof(double));
        m->rejected = 1;
        return LW_STEP_NONFINITE;
    }
    double factor = pow(error, table->exponent);
    if (error > 1) {
        m->rejected = 1;
        run->h_next = run->h * fmax(table->shrink, 0.9 / factor);
        return LW_REJECTED;
    }
    double change = error > 0 ? 0.9 * pow(m->error_before, table->integral) / factor : table->grow;
    change = fmin(table->grow, fmax(table->shrink, change));
    if (m->rejected) change = fmin(change, 1.0);
    run->h_next = run->h * change;
    m->error_before = fmax(error, 1e-4);
    m->rejected = 0;
    suspect(run, m);
    return LW_ACCEPTED;
}

static void prepare_dense(lw_run *run, pair *m)
{
    const tableau *table = m->table;
    int n = run->n, end = table->stages, total = end + 1 + table->extra;
    const double *row = table->a + end * (end + 1) / 2;
    double h = run->h;
    /* The solution before any projection: the one the stages belong to. */
    combine(m, n, end, table->a + end * (end - 1) / 2, h, NULL, m->dense[0]);
    for (int s = end + 1; s < total; s++) {
        combine(m, n, s, row, h, run->y, m->stage);
        lw_rhs(run, run->t + table->c[s] * h, m->stage, m->k[s]);
        lw_events_peek(run, run->t + table->c[s] * h, m->stage); /* the error estimate knows nothing of these stages */
        row += s;
    }
    for (int i = 0; i < n; i++) {
        double rise = m->dense[0][i];
        m->dense[1][i] = h * m->k[0][i] - rise;
        m->dense[2][i] = 2 * rise - h * (m->k[0][i] + m->k[end][i]);
    }
    for (int r = 0; r < table->dense_rows; r++) combine(m, n, total, table->d + r * total, h, NULL, m->dense[3 + r]);
    m->dense_known = 1;
}

static void interpolate(lw_run *run, double t, double *y)
{
    pair *m = run->state;
    if (!m->dense_known) prepare_dense(run, m);
    double s = (t - run->t) / run->h;
    for (int i = 0; i < run->n; i++) {
        double sum = 0;
        for (int r = 2 + m->table->dense_rows; r >= 0; r--) sum = (sum + m->dense[r][i]) * (r % 2 ? 1 - s : s);
        y[i] = run->y[i] + sum;
    }
}

static void commit(lw_run *run)
{
    pair *m = run->state;
    double *swap = run->y;
    run->y = run->y_new;
    run->y_new = swap;
    /* First-same-as-last holds unless a projection has moved the state. */
    m->k_known = !run->projected;
    swap = m->k[0];
    m->k[0] = m->k[m->table->stages];
    m->k[m->table->stages] = swap;
}

static void renew(lw_run *run)
{
    pair *m = run->state;
    m->k_known = 0;
}

const lw_method lw_method_dopri5 = {create_dopri5, destroy, start, attempt, interpolate, commit, 0, {0.55}, renew};
const lw_method lw_method_dop853 = {create_dop853, destroy, start, attempt, interpolate, commit, 0, {0.467}, renew};
