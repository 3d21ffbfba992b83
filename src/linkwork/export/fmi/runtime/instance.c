#include "instance.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 20000 }; /* steps of the explicit method to a point of communication; then the implicit one goes on */
enum { STUCK = 1000 };     /* events at one time that are taken as a contradiction */
enum { PROJECTIONS = 2, SETTLING = 60 }; /* always the same number: derivatives stay smooth */
static const double DRIFT = 1e-7;        /* natural units off the constraints from which states are put back on them */
static const double MET = 1e-9;

static double rounding(double t) { return 1e-12 * fmax(1.0, fabs(t)); }

fmu_status fmu_fail(fmu_instance *self, const char *format, double value)
{
    snprintf(self->message, sizeof self->message, format, value);
    return FMU_ERROR;
}

static void forget(fmu_instance *self) { memset(self->known, 0, sizeof self->known); }

static double *carve(double **rest, int64_t count)
{
    double *found = *rest;
    *rest += count;
    return found;
}

fmu_instance *fmu_create(void)
{
    const fmu_model *m = &fmu_model_data;
    fmu_instance *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    int n = m->q + m->v + m->z, np = m->parameters + m->inputs;
    int most = n + m->channels + m->events + 1;
    self->model = m;
    self->n = n;
    self->np = np;
    self->memory_count = (size_t)(5 + n + np + m->samplers_count + m->events);
    size_t scratch = (size_t)(6 * n + np + 2 * m->channels + 4 * m->events + most);
    self->memory = calloc(self->memory_count + scratch + 1, sizeof(double));
    self->signals.cursor = calloc((size_t)m->signals_count + 1, sizeof(int32_t));
    if (!self->memory || !self->signals.cursor) {
        fmu_destroy(self);
        return NULL;
    }
    double *rest = self->memory;
    self->t = carve(&rest, 1);
    self->h = carve(&rest, 1);
    self->crossed = carve(&rest, 1);
    self->ended = carve(&rest, 1);
    self->implicit = carve(&rest, 1);
    self->y = carve(&rest, n);
    self->p = carve(&rest, np);
    self->taken = carve(&rest, m->samplers_count);
    self->side = carve(&rest, m->events);
    self->on = carve(&rest, n);
    self->rate = carve(&rest, n);
    self->moved = carve(&rest, n);
    self->held = carve(&rest, n);
    self->dy = carve(&rest, n);
    self->atol = carve(&rest, n);
    self->dp = carve(&rest, np);
    self->channels = carve(&rest, m->channels);
    self->g = carve(&rest, 4 * m->events);
    self->tangent = carve(&rest, most + m->channels);
    self->signals.count = m->signals_count;
    self->signals.all = m->signals;
    fmu_reset(self);
    return self;
}

void fmu_destroy(fmu_instance *self)
{
    if (!self) return;
    free(self->memory);
    free(self->signals.cursor);
    free(self->label);
    free(self);
}

void fmu_reset(fmu_instance *self)
{
    const fmu_model *m = self->model;
    memset(self->memory, 0, self->memory_count * sizeof(double));
    memcpy(self->y, m->start, (size_t)self->n * sizeof(double));
    memcpy(self->p, m->p, (size_t)self->np * sizeof(double));
    *self->implicit = m->implicit;
    self->rtol = m->rtol;
    self->initial = 1;
    self->message[0] = 0;
    forget(self);
}

/* The time at which equations are looked at: at a jump, the side that holds now. */
static double seen(const fmu_instance *self)
{
    const fmu_model *m = self->model;
    int64_t k = (int64_t)*self->crossed;
    double t = *self->t;
    if (k > 0 && t >= m->stops[2 * k - 2] && t < m->stops[2 * k - 1]) return m->stops[2 * k - 1];
    if (k < m->stops_count && t > m->stops[2 * k] && t <= m->stops[2 * k + 1]) return m->stops[2 * k];
    return t;
}

static double refreshed(fmu_instance *self)
{
    double t = seen(self);
    lw_signals_at(&self->signals, t, self->p + self->model->parameters);
    return t;
}

/* One step of `project` from y into `moved`; the residuals before it. 0: not finite. */
static int projected(fmu_instance *self, double t, const double *y, double *moved, double *residual)
{
    double work = 0;
    const double *arg[3] = {&t, y, self->p};
    double *res[2] = {moved, residual};
    self->model->project(arg, res, &work);
    return lw_all_finite(moved, self->n);
}

/* The state on its constraints, in `on`; the present state itself may be off by what an integrator leaves. */
static fmu_status place(fmu_instance *self)
{
    double t = refreshed(self), residual[2];
    if (self->known[FMU_STATES]) return FMU_OK;
    memcpy(self->on, self->y, (size_t)self->n * sizeof(double));
    for (int k = 0; k < PROJECTIONS && self->model->constrained; k++) {
        if (!projected(self, t, self->on, self->moved, residual))
            return fmu_fail(self, "The state cannot be moved onto its constraints at t = %g s.", t);
        memcpy(self->on, self->moved, (size_t)self->n * sizeof(double));
    }
    self->known[FMU_STATES] = 1;
    return FMU_OK;
}

/* Moves the state itself onto constraints and algebraic equations, until nothing is left to move. */
static fmu_status settle(fmu_instance *self)
{
    double t = refreshed(self), residual[2] = {0, 0};
    if (!self->model->constrained) return FMU_OK;
    for (int k = 0; k < SETTLING; k++) {
        if (!projected(self, t, self->y, self->moved, residual))
            return fmu_fail(self, "The state cannot be moved onto its constraints at t = %g s.", t);
        memcpy(self->y, self->moved, (size_t)self->n * sizeof(double));
        forget(self);
        if (residual[0] <= MET) return FMU_OK;
    }
    return fmu_fail(self, "The constraints or algebraic equations cannot be met at t = %g s.", t);
}

static fmu_status evaluate(fmu_instance *self, int block)
{
    const fmu_model *m = self->model;
    fmu_status status = place(self);
    if (status != FMU_OK || self->known[block]) return status;
    double t = refreshed(self), work = 0;
    const double *arg[3] = {&t, self->on, self->p};
    double *rate[1] = {self->rate}, *channels[1] = {self->channels}, *g[2] = {self->g, self->g + m->events};
    if (block == FMU_DERIVATIVES) m->rhs(arg, rate, &work);
    if (block == FMU_CHANNELS && m->channels) m->outputs(arg, channels, &work);
    if (block == FMU_INDICATORS && m->events) m->event_values(arg, g, &work);
    if (block == FMU_DERIVATIVES && !lw_all_finite(self->rate, self->n)) {
        fmu_fail(self, "The derivatives are not finite at t = %g s.", t);
        return FMU_DISCARD;
    }
    self->known[block] = 1;
    return FMU_OK;
}

/* Which block a reference belongs to, and its place there; FMU_BLOCKS: none. */
static int block_of(const fmu_instance *self, uint32_t reference, int32_t *k)
{
    const fmu_model *m = self->model;
    int32_t size[FMU_BLOCKS] = {1, m->parameters, m->set_count, m->channels, self->n, self->n, m->events};
    int64_t rest = reference;
    int block = 0;
    while (block < FMU_BLOCKS && rest >= size[block]) rest -= size[block++];
    *k = (int32_t)rest;
    return block;
}

fmu_status fmu_get(fmu_instance *self, uint32_t reference, double *value)
{
    int32_t k;
    int block = block_of(self, reference, &k);
    fmu_status status = FMU_OK;
    if (block == FMU_BLOCKS) return fmu_fail(self, "There is no variable with the reference %g.", reference);
    if (block >= FMU_CHANNELS && block != FMU_STATES) status = evaluate(self, block);
    if (block == FMU_TIME) *value = *self->t;
    if (block == FMU_PARAMETERS) *value = self->p[k];
    if (block == FMU_INPUTS) *value = self->p[self->model->parameters + self->model->set[k]];
    if (block == FMU_CHANNELS) *value = self->channels[k];
    if (block == FMU_STATES) *value = self->y[k];
    if (block == FMU_DERIVATIVES) *value = self->rate[k];
    if (block == FMU_INDICATORS) *value = self->g[k];
    return status;
}

fmu_status fmu_set(fmu_instance *self, uint32_t reference, double value)
{
    int32_t k;
    int block = block_of(self, reference, &k);
    if (block == FMU_PARAMETERS) self->p[k] = value;
    else if (block == FMU_INPUTS) self->p[self->model->parameters + self->model->set[k]] = value;
    else if (block == FMU_STATES) self->y[k] = value;
    else return fmu_fail(self, "The variable with the reference %g cannot be set.", reference);
    forget(self);
    return FMU_OK;
}

void fmu_set_time(fmu_instance *self, double t)
{
    if (t != *self->t) forget(self);
    *self->t = t;
}

void fmu_set_states(fmu_instance *self, const double *y)
{
    memcpy(self->y, y, (size_t)self->n * sizeof(double));
    forget(self);
}

fmu_status fmu_rates(fmu_instance *self, double *rate)
{
    fmu_status status = evaluate(self, FMU_DERIVATIVES);
    memcpy(rate, self->rate, (size_t)self->n * sizeof(double));
    return status;
}

fmu_status fmu_indicators(fmu_instance *self, double *g)
{
    fmu_status status = evaluate(self, FMU_INDICATORS);
    memcpy(g, self->g, (size_t)self->model->events * sizeof(double));
    return status;
}

/* Events ------------------------------------------------------------------------------------------------------------ */

/* Whether jumps by time are no longer known at t: they must not be stepped over in silence. */
static int beyond(fmu_instance *self, double t)
{
    double horizon = self->model->horizon;
    if (t <= horizon + rounding(t)) return 0;
    fmu_fail(self, "What changes with time is known up to %g s only: export with a longer duration.", horizon);
    return 1;
}

/* Follows the sides of zero on which the events are; whether one that ends the run was passed. */
static fmu_status follow(fmu_instance *self, int *ended)
{
    const fmu_model *m = self->model;
    fmu_status status = m->events ? evaluate(self, FMU_INDICATORS) : FMU_OK;
    for (int i = 0; i < m->events && status == FMU_OK; i++) {
        double now = (self->g[i] > 0) - (self->g[i] < 0), before = self->side[i];
        if (now == 0 || now == before) continue;
        self->side[i] = now;
        if (before != 0 && m->event_action[i] == FMU_STOP && m->event_direction[i] * now >= 0) *self->ended = 1;
    }
    *ended = *self->ended != 0;
    return status;
}

static double sample_time(const fmu_instance *self, int k)
{
    return self->model->samplers[k].offset + self->taken[k] * self->model->samplers[k].period;
}

static double next_sample(const fmu_instance *self)
{
    double next = INFINITY;
    for (int k = 0; k < self->model->samplers_count; k++) next = fmin(next, sample_time(self, k));
    return next;
}

static double next_stop(const fmu_instance *self)
{
    int64_t k = (int64_t)*self->crossed;
    const double *stops = self->model->stops;
    return k < self->model->stops_count ? 0.5 * (stops[2 * k] + stops[2 * k + 1]) : INFINITY;
}

double fmu_next(const fmu_instance *self) { return fmin(next_sample(self), next_stop(self)); }

/* All controllers that are due look before any of them acts. */
static fmu_status sample(fmu_instance *self, int *changed)
{
    const fmu_model *m = self->model;
    double work = 0;
    fmu_status status = place(self);
    if (status != FMU_OK) return status;
    double t = refreshed(self), now = *self->t;
    memcpy(self->held, self->y, (size_t)self->n * sizeof(double));
    for (int k = 0; k < m->samplers_count; k++) {
        if (sample_time(self, k) > now + rounding(now)) continue;
        self->taken[k] += 1;
        const double *arg[3] = {&t, self->on, self->p};
        double *res[1] = {self->moved};
        m->samplers[k].next(arg, res, &work);
        for (int i = 0; i < m->samplers[k].count; i++) self->held[m->samplers[k].states[i]] = self->moved[i];
        *changed = 1;
    }
    memcpy(self->y, self->held, (size_t)self->n * sizeof(double));
    forget(self);
    return FMU_OK;
}

fmu_status fmu_update(fmu_instance *self, int *changed, int *ended)
{
    const fmu_model *m = self->model;
    fmu_status status;
    while ((int64_t)*self->crossed < m->stops_count && next_stop(self) <= *self->t + rounding(*self->t)) {
        *self->crossed += 1;
        forget(self);
    }
    if (m->constrained) *changed = 1;
    if ((status = settle(self)) != FMU_OK) return status;
    if (next_sample(self) <= *self->t + rounding(*self->t)) {
        if ((status = sample(self, changed)) != FMU_OK) return status;
        if (m->settling && (status = settle(self)) != FMU_OK) return status;
    }
    return follow(self, ended);
}

fmu_status fmu_start(fmu_instance *self, double t, double rtol)
{
    const fmu_model *m = self->model;
    *self->t = t;
    if (rtol > 0) self->rtol = rtol;
    *self->crossed = 0;
    while ((int64_t)*self->crossed < m->stops_count && next_stop(self) < t - rounding(t)) *self->crossed += 1;
    for (int k = 0; k < m->samplers_count; k++) {
        double periods = ceil((t - m->samplers[k].offset) / m->samplers[k].period - 1e-9);
        self->taken[k] = fmax(0.0, periods);
    }
    forget(self);
    return FMU_OK;
}

fmu_status fmu_initialized(fmu_instance *self)
{
    int changed, ended;
    self->initial = 0;
    fmu_status status = fmu_update(self, &changed, &ended);
    *self->ended = 0;
    return status;
}

fmu_status fmu_completed(fmu_instance *self, int *event, int *ended)
{
    double residual[2] = {0, 0};
    *event = 0;
    if (beyond(self, *self->t)) return FMU_ERROR;
    if (self->model->constrained) {
        double t = refreshed(self);
        if (!projected(self, t, self->y, self->moved, residual))
            return fmu_fail(self, "The state cannot be moved onto its constraints at t = %g s.", t);
        *event = residual[0] > DRIFT || residual[1] > DRIFT;
    }
    return follow(self, ended);
}

/* Co-simulation ----------------------------------------------------------------------------------------------------- */

static void describe(fmu_instance *self, lw_system *s)
{
    const fmu_model *m = self->model;
    memset(s, 0, sizeof *s);
    s->q = m->q;
    s->v = m->v;
    s->z = m->z;
    s->multipliers = m->multipliers;
    s->parameters = m->parameters;
    s->inputs = m->inputs;
    s->events = m->events;
    s->margin_count = m->margin_count;
    s->work_size = 1;
    s->p = self->p;
    s->weighted = m->weighted;
    s->unit = m->unit;
    s->event_direction = m->event_direction;
    s->event_action = m->event_action;
    s->signals = self->signals;
    s->rhs = m->rhs;
    s->project = m->constrained ? m->project : NULL;
    s->event_values = m->event_values;
    s->dae = m->dae;
    s->dae_jacobian = m->dae_jacobian;
    s->margins = m->margins;
}

static lw_options options_of(fmu_instance *self, double end, double *times, int32_t *actions)
{
    const fmu_model *m = self->model;
    lw_options o;
    memset(&o, 0, sizeof o);
    for (int i = 0; i < self->n; i++) self->atol[i] = m->atol * m->unit[i] * (self->rtol / m->rtol);
    for (int i = 0; i < m->events; i++) actions[i] = m->event_action[i] == FMU_RESTART ? LW_RESTART : LW_STOP;
    times[0] = end;
    o.method = *self->implicit != 0 ? LW_RADAU : LW_DOPRI5;
    o.project_steps = m->constrained ? (m->settling ? 2 : 1) : 0;
    o.project_outputs = m->constrained;
    o.t0 = *self->t;
    o.t1 = end;
    o.rtol = self->rtol;
    o.atol = self->atol;
    o.step = *self->h;
    o.max_step = m->max_step;
    o.max_steps = *self->implicit != 0 ? 50000000 : PATIENCE;
    o.stops = m->stops;
    o.stops_count = m->stops_count;
    o.times = times;
    o.times_count = 1;
    o.pattern = m->pattern;
    return o;
}

/* Integrates to `end`, or to an event that somebody has to look at. */
static fmu_status advance(fmu_instance *self, double end, int32_t *actions)
{
    static const char *const why[] = {
        "The run is not finished at t = %g s.", "", "", "The derivatives are not finite at t = %g s.",
        "The step has become too short at t = %g s.", "Newton's method does not converge at t = %g s.",
        "There are too many steps at t = %g s.", "There is not enough memory at t = %g s.",
        "The constraints cannot be met at t = %g s.", "The step is too long for what is touched at t = %g s."};
    lw_system system;
    double times[1];
    describe(self, &system);
    lw_options options = options_of(self, end, times, actions);
    system.event_action = actions;
    lw_run *run = lw_run_create(&system, &options, self->y);
    if (!run) return fmu_fail(self, why[LW_MEMORY], *self->t);
    int status = LW_RUNNING;
    while (status == LW_RUNNING) status = lw_run_advance(run, 1e9);
    *self->t = status == LW_DONE ? end : lw_run_time(run);
    memcpy(self->y, lw_run_state(run), (size_t)self->n * sizeof(double));
    if (status == LW_STOPPED) {
        int64_t rows;
        const double *log = lw_run_events(run, &rows);
        int index = rows ? (int)log[(rows - 1) * (self->n + 2) + 1] : -1;
        if (index >= 0 && self->model->event_action[index] == FMU_STOP) *self->ended = 1;
    }
    double step = lw_run_step(run);
    if (status == LW_DONE && step > 0 && isfinite(step)) *self->h = step;
    else *self->h = 0;
    lw_run_destroy(run);
    forget(self);
    if (status == LW_MAX_STEPS && *self->implicit == 0) { /* stiff from here on */
        *self->implicit = 1;
        return FMU_OK;
    }
    return status == LW_DONE || status == LW_STOPPED ? FMU_OK : fmu_fail(self, why[status], *self->t);
}

fmu_status fmu_step(fmu_instance *self, double t, double h)
{
    const fmu_model *m = self->model;
    double target = t + h;
    double before = *self->t;
    int changed, ended = 0, stuck = 0;
    fmu_status status = FMU_OK;
    if (beyond(self, target)) return FMU_ERROR;
    int32_t *actions = calloc((size_t)m->events + 1, sizeof *actions);
    if (!actions) return fmu_fail(self, "There is not enough memory at t = %g s.", t);
    while (status == FMU_OK && *self->t < target && !ended) {
        double due = fmu_next(self), end = due < target - rounding(target) ? due : target;
        if (end > *self->t) status = advance(self, end, actions);
        if (status == FMU_OK) status = fmu_update(self, &changed, &ended);
        ended = *self->ended != 0;
        stuck = *self->t > before ? 0 : stuck + 1;
        before = *self->t;
        if (status == FMU_OK && stuck > STUCK) status = fmu_fail(self, "Events follow each other without end at t = %g s.", before);
    }
    free(actions);
    return status;
}

/* Derivatives ------------------------------------------------------------------------------------------------------- */

fmu_status fmu_directional(fmu_instance *self, const uint32_t *unknown, size_t unknowns, const uint32_t *known,
                           size_t knowns, const double *seed, double *sensitivity)
{
    const fmu_model *m = self->model;
    double t = refreshed(self), work = 0, residual[2];
    int wanted[FMU_BLOCKS] = {0};
    int32_t k;
    memset(self->dy, 0, (size_t)self->n * sizeof(double));
    memset(self->dp, 0, (size_t)self->np * sizeof(double));
    for (size_t i = 0; i < knowns; i++) {
        int block = block_of(self, known[i], &k);
        if (block == FMU_PARAMETERS) self->dp[k] = seed[i];
        else if (block == FMU_INPUTS) self->dp[m->parameters + m->set[k]] = seed[i];
        else if (block == FMU_STATES) self->dy[k] = seed[i];
        else return fmu_fail(self, "There are no derivatives by the variable %g.", known[i]);
    }
    for (size_t i = 0; i < unknowns; i++) {
        int block = block_of(self, unknown[i], &k);
        if (block < FMU_CHANNELS || block == FMU_STATES || block == FMU_BLOCKS)
            return fmu_fail(self, "There are no derivatives of the variable %g.", unknown[i]);
        wanted[block] = 1;
    }
    double *y = self->held;
    memcpy(y, self->y, (size_t)self->n * sizeof(double));
    for (int step = 0; step < PROJECTIONS && m->constrained; step++) {
        const double *arg[5] = {&t, y, self->p, self->dy, self->dp};
        double *res[1] = {self->tangent};
        m->project_tangent(arg, res, &work);
        if (!projected(self, t, y, self->moved, residual))
            return fmu_fail(self, "The state cannot be moved onto its constraints at t = %g s.", t);
        memcpy(self->dy, self->tangent, (size_t)self->n * sizeof(double));
        memcpy(y, self->moved, (size_t)self->n * sizeof(double));
    }
    const double *arg[5] = {&t, y, self->p, self->dy, self->dp};
    const lw_function functions[FMU_BLOCKS] = {NULL, NULL, NULL, m->outputs_tangent, NULL, m->rhs_tangent,
                                               m->event_tangent};
    for (int block = FMU_CHANNELS; block < FMU_BLOCKS; block++) {
        double *res[1] = {self->tangent};
        if (!wanted[block]) continue;
        functions[block](arg, res, &work);
        for (size_t i = 0; i < unknowns; i++)
            if (block_of(self, unknown[i], &k) == block) sensitivity[i] = self->tangent[k];
    }
    return FMU_OK;
}
