/* Generalized-alpha for constrained mechanical systems of index 3, on the configuration space given by `retract`
 * (Chung and Hulbert 1993; Arnold and Bruels 2007; Bruels, Cardona and Arnold 2012). With alpha_m = alpha_f = 0 it is
 * Newmark's method, with alpha_m = 0 that of Hilber, Hughes and Taylor. First-order states follow the same scheme
 * (Jansen, Whiting and Hulbert 2000). Unknowns of a step: the accelerations a, the rates of z, the multipliers. */
#include "iteration_matrix.h"
#include "sparse_lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    double alpha_m, alpha_f, beta, gamma;
    double offset;             /* the auxiliary rate belongs to t + offset * h */
    double q_error, rate_error; /* local error / (h^3 times the third derivative), of q and of v, z */
    double bound, share;        /* of `error_rate`; bound 0: `local_error` and the tolerances of the run instead */
    double *scale;
    int rates, multipliers, unknowns; /* rates = v + z */
    double *rate, *aux, *rate_new, *aux_new, *rate_before; /* [a, zdot], true and auxiliary */
    double *lambda, *lambda_new;
    double *x, *delta, *residual, *difference;
    double h_aux, h_before; /* step to which aux belongs; step before (0: none) */
    lw_matrix matrix;
    lw_lu_real lu;
    double h_matrix; /* step for which the factors were made; 0: none */
    int iterations, rejected;
} alpha;

static int create(lw_run *run)
{
    alpha *m = run->state = lw_allocate(run, sizeof *m);
    if (!m) return 0;
    const lw_system *s = run->system;
    const double *c = run->options.coefficient;
    m->alpha_m = c[0];
    m->alpha_f = c[1];
    m->beta = c[2];
    m->gamma = c[3];
    m->bound = c[4];
    m->share = c[5];
    double d = m->offset = m->alpha_m - m->alpha_f;
    m->q_error = m->beta + 0.5 * d - 1.0 / 6;
    double lag = 0.5 * (1 - m->alpha_f) - 0.5 * (1 - m->alpha_m) * (1 + d) * (1 + d) - 0.5 * m->alpha_m * d * d;
    m->rate_error = 0.5 * (1 - m->gamma) * d * d + 0.5 * m->gamma * (1 + d) * (1 + d) - 1.0 / 6 + lag;
    m->rates = s->v + s->z;
    m->multipliers = s->multipliers;
    m->unknowns = m->rates + m->multipliers;
    double **vectors[] = {&m->rate, &m->aux, &m->rate_new, &m->aux_new, &m->rate_before, &m->lambda, &m->lambda_new,
                          &m->x, &m->delta, &m->residual, &m->difference, &m->scale};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = lw_doubles(run, m->unknowns + run->n))) return 0;
    if (m->bound > 0) memcpy(m->scale, run->options.scale, (size_t)m->rates * sizeof(double));
    const lw_pattern *p = &run->options.pattern;
    return lw_matrix_create(run, &m->matrix, m->rates) &&
           lw_lu_real_create(&m->lu, p->n, p->column_start, p->row, p->order);
}

static void destroy(lw_run *run)
{
    alpha *m = run->state;
    lw_lu_real_destroy(&m->lu);
    run->state = NULL;
}

static lw_outcome start(lw_run *run)
{
    alpha *m = run->state;
    const lw_system *s = run->system;
    double *dy = m->difference;
    lw_rhs(run, run->t, run->y, dy);
    if (!lw_all_finite(dy, run->n)) {
        memcpy(run->scaled, dy, (size_t)run->n * sizeof(double));
        return LW_STEP_NONFINITE;
    }
    memcpy(m->rate, dy + s->q, (size_t)m->rates * sizeof(double));
    run->h = run->options.fixed ? run->options.step : lw_first_step(run, dy, 2);
    /* The auxiliary rate belongs to a time shifted by offset * h: without that the first steps are of order one. */
    double shift = m->offset * run->h, largest = 0, change = 0;
    for (int i = 0; i < run->n; i++) run->y_new[i] = run->y[i] + shift * dy[i];
    lw_rhs(run, run->t + shift, run->y_new, run->sample);
    for (int i = 0; i < m->rates; i++) {
        m->aux[i] = run->sample[s->q + i];
        largest = fmax(largest, fabs(m->rate[i]));
        change = fmax(change, fabs(m->aux[i] - m->rate[i]));
    }
    /* In a stiff system the straight line to the shifted time leads astray. */
    if (!lw_all_finite(m->aux, m->rates) || change > 0.5 * largest)
        memcpy(m->aux, m->rate, (size_t)m->rates * sizeof(double));
    m->h_aux = run->h;
    m->h_before = 0;
    m->h_matrix = 0;
    m->iterations = 0;
    m->rejected = 0;
    run->fresh = 1;
    return LW_ACCEPTED;
}

/* y at t + theta h on the paths the scheme assumes inside a step; theta = 1 is the step itself. */
static void place(lw_run *run, const double *aux_end, double theta, double *y)
{
    alpha *m = run->state;
    const lw_system *s = run->system;
    double h = theta * run->h, beta = theta * m->beta, gamma = theta * m->gamma;
    const double *rate = run->y + s->q;
    for (int i = 0; i < s->v; i++) m->delta[i] = h * rate[i] + h * h * ((0.5 - beta) * m->aux[i] + beta * aux_end[i]);
    for (int i = 0; i < m->rates; i++) y[s->q + i] = rate[i] + h * ((1 - gamma) * m->aux[i] + gamma * aux_end[i]);
    if (!s->q) return;
    const double *arg[2] = {run->y, m->delta};
    double *res[1] = {y};
    s->retract(arg, res, run->work);
}

/* What a, v, the displacement and z of the end of the step change by per unit of a and zdot. */
static void chain_rule(const lw_run *run, double chain[4])
{
    const alpha *m = run->state;
    double ratio = (1 - m->alpha_f) / (1 - m->alpha_m), h = run->h;
    chain[0] = 1;
    chain[1] = chain[3] = ratio * m->gamma * h;
    chain[2] = ratio * m->beta * h * h;
}

static void residual_at(lw_run *run)
{
    alpha *m = run->state;
    const lw_system *s = run->system;
    for (int i = 0; i < m->rates; i++)
        m->aux_new[i] = ((1 - m->alpha_f) * m->rate_new[i] + m->alpha_f * m->rate[i] - m->alpha_m * m->aux[i]) /
                        (1 - m->alpha_m);
    place(run, m->aux_new, 1, run->y_new);
    memcpy(m->x, m->rate_new, (size_t)s->v * sizeof(double));
    memcpy(m->x + s->v, m->lambda_new, (size_t)m->multipliers * sizeof(double));
    lw_refresh_inputs(run, run->t_new);
    double chain[4];
    chain_rule(run, chain);
    const double *arg[6] = {&run->t_new, run->y_new, m->x, m->rate_new + s->v, s->p, chain};
    double *res[1] = {m->residual};
    s->alpha_residual(arg, res, run->work);
    run->counters[LW_N_RHS]++;
}

static int refactor(lw_run *run)
{
    alpha *m = run->state;
    const lw_system *s = run->system;
    double chain[4];
    chain_rule(run, chain);
    const double *arg[6] = {&run->t_new, run->y_new, m->x, m->rate_new + s->v, s->p, chain};
    double *res[1] = {m->matrix.source};
    s->alpha_jacobian(arg, res, run->work);
    lw_matrix_load(&m->matrix);
    for (int i = m->rates; i < m->unknowns; i++) m->matrix.values[m->matrix.diagonal[i]] += m->matrix.shift[i];
    run->counters[LW_N_JACOBIANS]++;
    run->counters[LW_N_FACTORISATIONS]++;
    m->h_matrix = 0;
    if (!lw_lu_real_factor(&m->lu, m->matrix.values)) return 0;
    m->h_matrix = run->h;
    return 1;
}

/* RMS of the change of y that a change of the rates makes, relative to the tolerances. */
static double change_norm(lw_run *run)
{
    alpha *m = run->state;
    const lw_system *s = run->system;
    double ratio = (1 - m->alpha_f) / (1 - m->alpha_m), h = run->h, sum = 0, far = 0;
    double gain = ratio * h * fmax(m->gamma, m->beta * h);
    for (int i = 0; i < s->q; i++)
        if (run->atol[i] > 0) far = fmax(far, fabs(run->y[i]) / run->atol[i]);
    double rounding = 1e3 * DBL_EPSILON * far / h; /* of positions that far, in units of atol, seen through the rows */
    memset(run->scaled, 0, (size_t)run->n * sizeof(double));
    for (int i = 0; i < m->rates; i++) {
        int k = s->q + i;
        if (!s->weighted[k]) continue;
        double ratio_i = gain * m->residual[i] / ((1 + rounding) * run->atol[k] + run->options.rtol * fabs(run->y[k]));
        run->scaled[k] = ratio_i;
        sum += ratio_i * ratio_i;
    }
    return m->rates ? sqrt(sum / m->rates) : 0;
}

/* Newton's iteration from the rates of the last step. refresh: 0 keep the factors if there are any, 1 new factors
 * once, 2 in every iteration. */
static lw_outcome solve(lw_run *run, int refresh)
{
    alpha *m = run->state;
    int limit = refresh == 2 ? 15 : 7;
    double before = 0;
    memcpy(m->rate_new, m->rate, (size_t)m->rates * sizeof(double));
    memcpy(m->lambda_new, m->lambda, (size_t)m->multipliers * sizeof(double));
    for (int k = 0; k < limit; k++) {
        residual_at(run);
        if (!lw_all_finite(m->residual, m->unknowns)) {
            memset(run->scaled, 0, (size_t)run->n * sizeof(double));
            return LW_STEP_NONFINITE;
        }
        int stale = refresh == 2 || (k == 0 && (refresh == 1 || m->h_matrix != run->h));
        if (stale && !refactor(run)) return LW_STEP_NEWTON;
        lw_lu_real_solve(&m->lu, m->residual);
        run->counters[LW_N_NEWTON]++;
        for (int i = 0; i < m->rates; i++) m->rate_new[i] -= m->residual[i];
        for (int i = 0; i < m->multipliers; i++) m->lambda_new[i] -= m->residual[m->rates + i];
        double norm = change_norm(run);
        if (!isfinite(norm)) return LW_STEP_NEWTON;
        /* The ratio of the first two changes flatters: what the old factors cannot reduce was hidden in the first.
         * Hence no extrapolation from it unless the factors are fresh. */
        double ratio = k > 0 ? norm / before : 1;
        if (norm <= 1e-4 || (k > 0 && (norm <= 1e-2 || (refresh && norm * ratio <= 1e-3)))) {
            residual_at(run); /* brings aux_new and y_new up to date */
            m->iterations = k + 1;
            return LW_ACCEPTED;
        }
        if (k > 0 && refresh != 2 && ratio > 0.8) break;
        before = norm;
    }
    return LW_STEP_NEWTON;
}

/* Takes out of an error of the rates what the constraints forbid, in the metric of the Newton matrix. A speed that
 * violates them by e is corrected by an acceleration e / h: seen as an error it would not shrink with the step. */
static void keep_allowed(alpha *m, double *error)
{
    const lw_matrix *j = &m->matrix;
    memset(m->residual, 0, (size_t)m->unknowns * sizeof(double));
    for (int column = 0; column < m->rates; column++)
        for (int k = j->column_start[column]; k < j->column_start[column + 1]; k++)
            if (j->row[k] < m->rates) m->residual[j->row[k]] += j->values[k] * error[column];
    lw_lu_real_solve(&m->lu, m->residual);
    memcpy(error, m->residual, (size_t)m->rates * sizeof(double));
}

/* Local error: of q from the displacement that the last rates alone predict, of v and z from the second difference of
 * their rates. Both are C h^3 y''' with the constants of the scheme. */
static double local_error(lw_run *run)
{
    alpha *m = run->state;
    const lw_system *s = run->system;
    double h = run->h, *error = m->difference, *plain = run->sample;
    double share = m->q_error / (m->beta + 0.5 * m->offset);
    if (s->q) {
        for (int i = 0; i < s->v; i++) m->delta[i] = h * run->y[s->q + i] + 0.5 * h * h * m->rate[i];
        const double *arg[2] = {run->y, m->delta};
        double *res[1] = {plain};
        s->retract(arg, res, run->work);
        for (int i = 0; i < s->q; i++) error[i] = share * (run->y_new[i] - plain[i]);
    }
    for (int i = 0; i < m->rates; i++) {
        double slope = (m->rate_new[i] - m->rate[i]) / h;
        double bend = m->h_before > 0 ? 2 * (slope - (m->rate[i] - m->rate_before[i]) / m->h_before) / (h + m->h_before)
                                      : slope / h; /* no history: one order lower, on the safe side */
        error[s->q + i] = m->rate_error * h * h * h * bend;
    }
    if (m->multipliers) keep_allowed(m, error + s->q);
    return lw_error_norm(run, error, run->y, run->y_new);
}

/* Rate at which the positions go wrong, h |change of the rates| / (12 sqrt(n)), over its bound: SYM (21) and (22). A
 * first-order state counts as the speed of one more coordinate, SYM (29). The plain norm adds metres to pascals: each
 * change may be divided by a scale, plus a share of the speed or state itself. */
static double error_rate(lw_run *run)
{
    alpha *m = run->state;
    const lw_system *s = run->system;
    double *change = m->difference, sum = 0;
    int count = 0;
    for (int i = 0; i < m->rates; i++) change[i] = m->rate_new[i] - m->rate[i];
    if (m->multipliers) keep_allowed(m, change);
    memset(run->scaled, 0, (size_t)run->n * sizeof(double));
    for (int i = 0; i < m->rates; i++) {
        int k = s->q + i;
        if (!s->weighted[k]) continue;
        double ratio = change[i] / (m->scale[i] + m->share * fmax(fabs(run->y[k]), fabs(run->y_new[k])));
        run->scaled[k] = ratio;
        sum += ratio * ratio;
        count++;
    }
    return count ? run->h * sqrt(sum / count) / (12 * m->bound) : 0;
}

static lw_outcome attempt(lw_run *run)
{
    alpha *m = run->state;
    if (run->h != m->h_aux) { /* the auxiliary rate moves with the shifted time it belongs to */
        for (int i = 0; i < m->rates; i++) m->aux[i] = m->rate[i] + (m->aux[i] - m->rate[i]) * (run->h / m->h_aux);
        m->h_aux = run->h;
    }
    int kept = m->h_matrix == run->h && m->iterations <= 3;
    lw_outcome outcome = solve(run, kept ? 0 : 1);
    if (outcome == LW_STEP_NEWTON && kept) outcome = solve(run, 1);
    if (outcome == LW_STEP_NEWTON) outcome = solve(run, 2);
    if (outcome != LW_ACCEPTED) {
        m->rejected = 1;
        return outcome;
    }
    if (run->options.fixed) return LW_ACCEPTED;
    int by_rate = m->bound > 0; /* its measure is of order h^2, that of the local error h^3 */
    double error = by_rate ? error_rate(run) : local_error(run);
    if (!isfinite(error)) return LW_STEP_NONFINITE;
    double change = 0.9 * pow(fmax(error, 1e-10), by_rate ? -1.0 / 2 : -1.0 / 3);
    if (error > 1) {
        m->rejected = 1;
        run->h_next = run->h * fmax(0.2, change);
        return LW_REJECTED;
    }
    change = fmin(m->rejected ? 1.0 : 2.0, fmax(0.3, change));
    if (change >= 0.95 && change <= 1.3) change = 1; /* keeps the factors, and the multipliers smooth */
    run->h_next = run->h * change;
    m->rejected = 0;
    return LW_ACCEPTED;
}

static void interpolate(lw_run *run, double t, double *y)
{
    alpha *m = run->state;
    place(run, m->aux_new, (t - run->t) / run->h, y);
}

static void swap(double **a, double **b)
{
    double *held = *a;
    *a = *b;
    *b = held;
}

/* With varying steps the part of the accelerations that the constraints determine is excited at every change of step,
 * and undamped schemes never lose it again. It is set to its consistent value; the rest is left to the scheme. */
static void settle(lw_run *run)
{
    alpha *m = run->state;
    double *gap = m->difference, *allowed = m->x;
    lw_rhs(run, run->t_new, run->y_new, run->sample);
    if (!lw_all_finite(run->sample, run->n)) return;
    for (int i = 0; i < m->rates; i++) allowed[i] = gap[i] = run->sample[run->system->q + i] - m->rate_new[i];
    keep_allowed(m, allowed);
    for (int i = 0; i < m->rates; i++) {
        m->rate_new[i] += gap[i] - allowed[i];
        m->aux_new[i] += gap[i] - allowed[i];
    }
}

static void commit(lw_run *run)
{
    alpha *m = run->state;
    if (m->multipliers && run->options.project_steps) settle(run);
    swap(&run->y, &run->y_new);
    swap(&m->rate_before, &m->rate);
    swap(&m->rate, &m->rate_new);
    swap(&m->aux, &m->aux_new);
    swap(&m->lambda, &m->lambda_new);
    m->h_before = m->h_aux = run->h;
}

const lw_method lw_method_generalized_alpha = {create, destroy, start, attempt, interpolate, commit, 1e-4, {0}, NULL};
