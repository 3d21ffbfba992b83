/* Radau IIA of order 5 on the index-1 equations [y' = F_y, 0 = F_x] with unknowns Y = [y, x] (Hairer and Wanner 1996,
 * section IV.8): simplified Newton on the three stages, decoupled into one real and one complex linear system. */
#include "iteration_matrix.h"
#include "sparse_lu.h"
#include "tableau_radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    int n, x; /* all unknowns; the algebraic ones among them */
    double *Y, *stage, *slope, *scale, *error, *estimate;
    double *z[3], *w[3], *f[3];
    lw_complex *right;
    lw_matrix matrix;
    lw_lu_real real;
    lw_lu_complex complex_;
    lw_complex *shifted;
    double rtol, newton_tolerance;
    double h_factors, h_before, error_before, convergence;
    int jacobian_current, jacobian_known, slope_known, history, rejected;
    double first_mismatch, mismatch; /* of the first and the last iteration, before it */
    double h_polynomial; /* step of the stages in z */
} radau;

static int create(lw_run *run)
{
    radau *m = run->state = lw_allocate(run, sizeof *m);
    if (!m) return 0;
    const lw_system *s = run->system;
    m->x = s->v + s->multipliers;
    m->n = run->n + m->x;
    double **vectors[] = {&m->Y, &m->stage, &m->slope, &m->scale, &m->error, &m->estimate};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = lw_doubles(run, m->n))) return 0;
    for (int i = 0; i < 3; i++) {
        double *block = lw_doubles(run, 3 * (int64_t)m->n);
        if (!block) return 0;
        m->z[i] = block;
        m->w[i] = block + m->n;
        m->f[i] = block + 2 * m->n;
    }
    const lw_pattern *p = &run->options.pattern;
    m->right = lw_allocate(run, (size_t)m->n * sizeof(lw_complex));
    m->shifted = lw_allocate(run, (size_t)p->column_start[p->n] * sizeof(lw_complex));
    /* The estimate is of order 3: at these tolerances the solution itself meets those asked for (as in RADAU5). */
    m->rtol = 0.1 * pow(run->options.rtol, 2.0 / 3);
    m->newton_tolerance = fmax(10 * DBL_EPSILON / m->rtol, fmin(0.03, sqrt(m->rtol)));
    return m->right && m->shifted && lw_matrix_create(run, &m->matrix, run->n + s->v) &&
           lw_lu_real_create(&m->real, p->n, p->column_start, p->row, p->order) &&
           lw_lu_complex_create(&m->complex_, p->n, p->column_start, p->row, p->order);
}

static void destroy(lw_run *run)
{
    radau *m = run->state;
    lw_lu_real_destroy(&m->real);
    lw_lu_complex_destroy(&m->complex_);
    run->state = NULL;
}

static void equations(lw_run *run, double t, const double *Y, double *F)
{
    lw_refresh_inputs(run, t);
    const double *arg[3] = {&t, Y, run->system->p};
    double *res[1] = {F};
    run->system->dae(arg, res, run->work);
    run->counters[LW_N_RHS]++;
}

/* F at Y + z. */
static void evaluate(lw_run *run, double t, const double *z, double *F)
{
    radau *m = run->state;
    for (int i = 0; i < m->n; i++) m->stage[i] = m->Y[i] + z[i];
    equations(run, t, m->stage, F);
}

static void jacobian(lw_run *run)
{
    radau *m = run->state;
    lw_refresh_inputs(run, run->t);
    const double *arg[3] = {&run->t, m->Y, run->system->p};
    double *res[1] = {m->matrix.source};
    run->system->dae_jacobian(arg, res, run->work);
    lw_matrix_load(&m->matrix);
    run->counters[LW_N_JACOBIANS]++;
    m->jacobian_current = m->jacobian_known = 1;
    m->h_factors = 0;
}

/* Factors (re + i im) diag(1 for y, 0 for x) - J; the complex one only where im != 0. */
static int factor(lw_run *run, double re, double im)
{
    radau *m = run->state;
    run->counters[LW_N_FACTORISATIONS]++;
    if (im != 0) {
        lw_matrix_shifted(&m->matrix, run->n, (lw_complex){re, im}, m->shifted);
        return lw_lu_complex_factor(&m->complex_, m->shifted);
    }
    lw_matrix_shifted_real(&m->matrix, run->n, re, (double *)m->shifted);
    return lw_lu_real_factor(&m->real, (double *)m->shifted);
}

/* Tolerances of this step: y by its own size; x by the largest of its kind over h, since x reaches y through h x. */
static void set_scale(lw_run *run)
{
    radau *m = run->state;
    double ratio = m->rtol / run->options.rtol, smallest = HUGE_VAL;
    for (int i = 0; i < run->n; i++) {
        m->scale[i] = ratio * run->atol[i] + m->rtol * fabs(m->Y[i]);
        smallest = fmin(smallest, run->atol[i]);
    }
    int border[3] = {run->n, run->n + run->system->v, m->n};
    for (int block = 0; block < 2; block++) {
        double largest = 0;
        for (int i = border[block]; i < border[block + 1]; i++) largest = fmax(largest, fabs(m->Y[i]));
        for (int i = border[block]; i < border[block + 1]; i++)
            m->scale[i] = (ratio * smallest + m->rtol * largest) / fmin(1.0, run->h);
    }
}

/* Solves 0 = F_x(t, y, x) for x with y held: the Newton matrix of an infinitely short step. */
static lw_outcome consistent(lw_run *run)
{
    radau *m = run->state;
    memcpy(m->Y, run->y, (size_t)run->n * sizeof(double));
    if (!m->x) return LW_ACCEPTED;
    double before = HUGE_VAL;
    for (int k = 0; k < 20; k++) {
        equations(run, run->t, m->Y, m->stage);
        if (!lw_all_finite(m->stage, m->n)) {
            memset(run->scaled, 0, (size_t)run->n * sizeof(double));
            return LW_STEP_NONFINITE;
        }
        if (k < 5) {
            jacobian(run);
            if (!factor(run, 1e30, 0)) return LW_STEP_NEWTON;
        }
        memset(m->stage, 0, (size_t)run->n * sizeof(double));
        lw_lu_real_solve(&m->real, m->stage);
        double change = 0, size = 0;
        for (int i = run->n; i < m->n; i++) {
            m->Y[i] += m->stage[i];
            change = fmax(change, fabs(m->stage[i]));
            size = fmax(size, fabs(m->Y[i]));
        }
        if (!isfinite(change)) return LW_STEP_NEWTON;
        if (change <= 1e-12 * size || (change <= 1e-6 * size && change >= 0.5 * before)) return LW_ACCEPTED;
        before = change;
    }
    return LW_STEP_NEWTON;
}

static lw_outcome start(lw_run *run)
{
    radau *m = run->state;
    lw_outcome outcome = consistent(run);
    if (outcome != LW_ACCEPTED) return outcome;
    equations(run, run->t, m->Y, m->slope);
    if (!lw_all_finite(m->slope, m->n)) {
        memcpy(run->scaled, m->slope, (size_t)run->n * sizeof(double));
        return LW_STEP_NONFINITE;
    }
    m->slope_known = 1;
    m->jacobian_known = m->jacobian_current = m->history = m->rejected = 0;
    m->h_factors = m->h_before = 0;
    m->convergence = 1;
    run->fresh = 1;
    run->h = lw_first_step(run, m->slope, 3);
    return LW_ACCEPTED;
}

/* First guess of the stages: the last polynomial, continued. */
static void predict(lw_run *run)
{
    radau *m = run->state;
    double c[3] = {c1, c2, 1}, w[3][3];
    if (!m->history) {
        for (int s = 0; s < 3; s++) {
            memset(m->z[s], 0, (size_t)m->n * sizeof(double));
            memset(m->w[s], 0, (size_t)m->n * sizeof(double));
        }
        return;
    }
    for (int s = 0; s < 3; s++) weights(1 + c[s] * run->h / m->h_polynomial, w[s]);
    for (int i = 0; i < m->n; i++) {
        double z0 = m->z[0][i], z1 = m->z[1][i], z2 = m->z[2][i], next[3];
        for (int s = 0; s < 3; s++) next[s] = w[s][0] * z0 + w[s][1] * z1 + w[s][2] * z2 - z2;
        for (int s = 0; s < 3; s++) {
            m->z[s][i] = next[s];
            m->w[s][i] = TI[s][0] * next[0] + TI[s][1] * next[1] + TI[s][2] * next[2];
        }
    }
}

static double stage_norm(lw_run *run)
{
    radau *m = run->state;
    double sum = 0;
    for (int i = 0; i < m->n; i++) {
        if (i < run->n && !run->system->weighted[i]) continue;
        double here = 0;
        for (int s = 0; s < 3; s++) {
            double d = m->f[s][i] / m->scale[i];
            here += d * d;
        }
        if (i < run->n) run->scaled[i] = sqrt(here);
        sum += here;
    }
    return m->n ? sqrt(sum / (3 * m->n)) : 0;
}

static double norm_of(lw_run *run, const double *change)
{
    radau *m = run->state;
    double sum = 0;
    for (int i = 0; i < run->n; i++) {
        double ratio = run->system->weighted[i] ? change[i] / m->scale[i] : 0;
        run->scaled[i] = ratio;
        sum += ratio * ratio;
    }
    return run->weighted_count ? sqrt(sum / run->weighted_count) : 0;
}

/* How far the polynomial through the stages is from the equations at its end, F there being given: the residual of the
 * last stage as it is, not as it moves the stages. */
static double mismatch(lw_run *run, const double *F)
{
    radau *m = run->state;
    for (int i = 0; i < run->n; i++)
        m->estimate[i] = run->h * F[i] - (D[0] * m->z[0][i] + D[1] * m->z[1][i] + D[2] * m->z[2][i]);
    return norm_of(run, m->estimate);
}

/* Whether the stages solve their equations, or Newton's iteration has only ceased to move them: where the Jacobian is
 * much too steep for the stages (a bristle that has just begun to bend) it does not, whatever is left. */
static lw_outcome accepted_if_solved(lw_run *run)
{
    radau *m = run->state;
    double most = fmax(1, 0.1 * m->first_mismatch);
    if (m->mismatch <= most) return LW_ACCEPTED;
    evaluate(run, run->t_new, m->z[2], m->estimate);
    return mismatch(run, m->estimate) <= most ? LW_ACCEPTED : LW_STEP_NEWTON;
}

/* One simplified Newton step; the changes of w are left in f. */
static int iterate(lw_run *run)
{
    radau *m = run->state;
    double c[3] = {c1, c2, 1}, h = run->h;
    for (int s = 0; s < 3; s++) {
        evaluate(run, s == 2 ? run->t_new : run->t + c[s] * h, m->z[s], m->f[s]);
        if (!lw_all_finite(m->f[s], m->n)) return 0;
    }
    m->mismatch = mismatch(run, m->f[2]);
    for (int i = 0; i < m->n; i++) {
        double f0 = m->f[0][i], f1 = m->f[1][i], f2 = m->f[2][i], mass = i < run->n ? 1 / h : 0;
        double w1 = m->w[1][i], w2 = m->w[2][i];
        m->f[0][i] = TI[0][0] * f0 + TI[0][1] * f1 + TI[0][2] * f2 - mass * mu_real * m->w[0][i];
        m->right[i].re = TI[1][0] * f0 + TI[1][1] * f1 + TI[1][2] * f2 - mass * (mu_re * w1 - mu_im * w2);
        m->right[i].im = TI[2][0] * f0 + TI[2][1] * f1 + TI[2][2] * f2 - mass * (mu_re * w2 + mu_im * w1);
    }
    lw_lu_real_solve(&m->real, m->f[0]);
    lw_lu_complex_solve(&m->complex_, m->right);
    for (int i = 0; i < m->n; i++) {
        m->f[1][i] = m->right[i].re;
        m->f[2][i] = m->right[i].im;
        for (int s = 0; s < 3; s++) m->w[s][i] += m->f[s][i];
        for (int s = 0; s < 3; s++) m->z[s][i] = T[s][0] * m->w[0][i] + T[s][1] * m->w[1][i] + T[s][2] * m->w[2][i];
    }
    run->counters[LW_N_NEWTON]++;
    return 1;
}

static lw_outcome solve(lw_run *run, int *iterations)
{
    radau *m = run->state;
    const int limit = 8;
    double before = 0, rate = 0;
    m->convergence = pow(fmax(m->convergence, DBL_EPSILON), 0.8);
    for (int k = 0; k < limit; k++) {
        *iterations = k + 1;
        if (!iterate(run)) {
            memset(run->scaled, 0, (size_t)run->n * sizeof(double));
            return LW_STEP_NONFINITE;
        }
        if (k == 0) m->first_mismatch = m->mismatch;
        double norm = stage_norm(run);
        if (!isfinite(norm)) return LW_STEP_NEWTON;
        if (k > 0) {
            rate = norm / before;
            if (rate >= 0.99) return norm <= 1e-2 * m->newton_tolerance ? accepted_if_solved(run) : LW_STEP_NEWTON;
            m->convergence = rate / (1 - rate);
            double left = pow(rate, limit - 1 - k) / (1 - rate) * norm;
            if (left > m->newton_tolerance && k < limit - 1 && left / m->newton_tolerance > 1e3) return LW_STEP_NEWTON;
        }
        if (norm == 0 || m->convergence * norm <= m->newton_tolerance) return accepted_if_solved(run);
        before = norm;
    }
    return LW_STEP_NEWTON;
}

/* The embedded formula of order 3, filtered by the real factor so that stiff components do not spoil it. */
static double estimate(lw_run *run)
{
    radau *m = run->state;
    for (int i = 0; i < m->n; i++) {
        m->estimate[i] = i < run->n ? (E[0] * m->z[0][i] + E[1] * m->z[1][i] + E[2] * m->z[2][i]) / run->h : 0;
        m->error[i] = m->slope[i] + m->estimate[i];
    }
    lw_lu_real_solve(&m->real, m->error);
    double error = norm_of(run, m->error);
    if (error <= 1 || !(run->fresh || m->rejected)) return error;
    evaluate(run, run->t, m->error, m->error);
    for (int i = 0; i < m->n; i++) m->error[i] += m->estimate[i];
    lw_lu_real_solve(&m->real, m->error);
    double second = norm_of(run, m->error);
    return isfinite(second) ? second : error;
}

static lw_outcome attempt(lw_run *run)
{
    radau *m = run->state;
    double h = run->h;
    int iterations = 0;
    if (!m->slope_known) equations(run, run->t, m->Y, m->slope);
    m->slope_known = 1;
    set_scale(run);
    for (;;) {
        if (!m->jacobian_known) jacobian(run);
        if (m->h_factors != h) {
            if (!factor(run, mu_real / h, 0) || !factor(run, mu_re / h, mu_im / h)) return LW_STEP_NEWTON;
            m->h_factors = h;
        }
        predict(run);
        lw_outcome outcome = solve(run, &iterations);
        if (outcome == LW_ACCEPTED) break;
        m->history = 0; /* the stages are spoilt */
        if (m->jacobian_current || outcome == LW_STEP_NONFINITE) {
            m->rejected = 1;
            return outcome;
        }
        m->jacobian_known = 0;
        m->convergence = 1;
    }
    m->h_polynomial = h;
    double error = estimate(run);
    if (!isfinite(error)) {
        m->history = 0;
        return LW_STEP_NONFINITE;
    }
    double safety = 0.9 * 17.0 / (16.0 + iterations);
    double change = fmin(8.0, fmax(0.125, safety * pow(fmax(error, 1e-10), -0.25)));
    if (error > 1) {
        m->rejected = 1;
        m->history = 0;
        run->h_next = h * (run->fresh ? 0.1 : change);
        return LW_REJECTED;
    }
    if (m->h_before > 0) { /* Gustafsson's predictive controller */
        double predicted = safety * h / m->h_before * pow(m->error_before / fmax(error * error, 1e-20), 0.25);
        change = fmax(0.125, fmin(change, predicted));
    }
    if (m->rejected) change = fmin(change, 1.0);
    m->h_before = h;
    m->error_before = fmax(error, 1e-2);
    m->rejected = 0;
    m->jacobian_current = 0;
    double rate = m->convergence / (1 + m->convergence);
    if (iterations > 1 && rate > 1e-3) m->jacobian_known = 0;
    if (m->jacobian_known && change >= 1 && change <= 1.2) change = 1;
    run->h_next = h * change;
    for (int i = 0; i < run->n; i++) run->y_new[i] = m->Y[i] + m->z[2][i];
    return LW_ACCEPTED;
}

static void interpolate(lw_run *run, double t, double *y)
{
    radau *m = run->state;
    double w[3];
    weights((t - run->t) / run->h, w);
    for (int i = 0; i < run->n; i++) y[i] = m->Y[i] + w[0] * m->z[0][i] + w[1] * m->z[1][i] + w[2] * m->z[2][i];
}

static void commit(lw_run *run)
{
    radau *m = run->state;
    double *held = run->y;
    run->y = run->y_new;
    run->y_new = held;
    memcpy(m->Y, run->y, (size_t)run->n * sizeof(double));
    for (int i = run->n; i < m->n; i++) m->Y[i] += m->z[2][i];
    m->slope_known = 0;
    m->history = 1;
}

const lw_method lw_method_radau = {create, destroy, start, attempt, interpolate, commit, 0, {0}, NULL};
