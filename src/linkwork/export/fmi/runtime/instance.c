/* Values of one instance: what is set, and what is computed from it. */
#include "inside.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTLING = 60 }; /* Newton steps after a jump, at most */
static const double MET = 1e-9;

double fmu_rounding(double t) { return 1e-12 * fmax(1.0, fabs(t)); }

fmu_status fmu_fail(fmu_instance *self, const char *format, double value)
{
    snprintf(self->message, sizeof self->message, format, value);
    return FMU_ERROR;
}

void fmu_forget(fmu_instance *self) { memset(self->known, 0, sizeof self->known); }

static double *carve(double **rest, int64_t count)
{
    double *carved = *rest;
    *rest += count;
    return carved;
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
    self->memory_count = (size_t)(7 + n + np + m->samplers_count + m->events);
    size_t scratch = (size_t)(6 * n + np + 2 * m->channels + 4 * m->events + most);
    self->memory = calloc(self->memory_count + scratch + 1, sizeof(double));
    self->signals.cursor = calloc((size_t)m->signals_count + 1, sizeof(int32_t));
    self->contact_room = malloc(fmu_contacts_room(m) + 1);
    if (!self->memory || !self->signals.cursor || !self->contact_room) {
        fmu_destroy(self);
        return NULL;
    }
    double *rest = self->memory;
    self->t = carve(&rest, 1);
    self->h = carve(&rest, 1);
    self->crossed = carve(&rest, 1);
    self->ended = carve(&rest, 1);
    self->implicit = carve(&rest, 1);
    self->clear = carve(&rest, 1);
    self->due = carve(&rest, 1);
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
    free(self->contact_room);
    free(self);
}

void fmu_reset(fmu_instance *self)
{
    const fmu_model *m = self->model;
    memset(self->memory, 0, self->memory_count * sizeof(double));
    memcpy(self->y, m->start, (size_t)self->n * sizeof(double));
    memcpy(self->p, m->p, (size_t)self->np * sizeof(double));
    *self->implicit = m->implicit;
    *self->clear = INFINITY;
    self->rtol = m->rtol;
    self->initial = 1;
    self->message[0] = 0;
    fmu_forget(self);
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

double fmu_refreshed(fmu_instance *self)
{
    double t = seen(self);
    lw_signals_at(&self->signals, t, self->p + self->model->parameters);
    return t;
}

/* One step of `project` from y into `moved`; the residuals before it. 0: not finite. */
int fmu_projected(fmu_instance *self, double t, const double *y, double *moved, double *residual)
{
    double work = 0;
    const double *arg[3] = {&t, y, self->p};
    double *res[2] = {moved, residual};
    self->model->project(arg, res, &work);
    return lw_all_finite(moved, self->n);
}

/* The state on its constraints, in `on`; the present state itself may be off by what an integrator leaves. */
fmu_status fmu_place(fmu_instance *self)
{
    double t = fmu_refreshed(self), residual[2];
    if (self->known[FMU_STATES]) return FMU_OK;
    memcpy(self->on, self->y, (size_t)self->n * sizeof(double));
    for (int k = 0; k < PROJECTIONS && self->model->constrained; k++) {
        if (!fmu_projected(self, t, self->on, self->moved, residual))
            return fmu_fail(self, "The state cannot be moved onto its constraints at t = %g s.", t);
        memcpy(self->on, self->moved, (size_t)self->n * sizeof(double));
    }
    self->known[FMU_STATES] = 1;
    return FMU_OK;
}

/* Moves the state itself onto constraints and algebraic equations, until nothing is left to move. */
fmu_status fmu_settle(fmu_instance *self)
{
    double t = fmu_refreshed(self), residual[2] = {0, 0};
    if (!self->model->constrained) return FMU_OK;
    for (int k = 0; k < SETTLING; k++) {
        if (!fmu_projected(self, t, self->y, self->moved, residual))
            return fmu_fail(self, "The state cannot be moved onto its constraints at t = %g s.", t);
        memcpy(self->y, self->moved, (size_t)self->n * sizeof(double));
        fmu_forget(self);
        if (residual[0] <= MET) return FMU_OK;
    }
    return fmu_fail(self, "The constraints or algebraic equations cannot be met at t = %g s.", t);
}

fmu_status fmu_evaluate(fmu_instance *self, int block)
{
    const fmu_model *m = self->model;
    fmu_status status = fmu_place(self);
    if (status != FMU_OK || self->known[block]) return status;
    double t = fmu_refreshed(self), work = 0;
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
int fmu_block_of(const fmu_instance *self, uint32_t reference, int32_t *k)
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
    int block = fmu_block_of(self, reference, &k);
    fmu_status status = FMU_OK;
    if (block == FMU_BLOCKS) return fmu_fail(self, "There is no variable with the reference %g.", reference);
    if (block >= FMU_CHANNELS && block != FMU_STATES) status = fmu_evaluate(self, block);
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
    int block = fmu_block_of(self, reference, &k);
    double *place = NULL;
    if (block == FMU_PARAMETERS) place = self->p + k;
    if (block == FMU_INPUTS) place = self->p + self->model->parameters + self->model->set[k];
    if (block == FMU_STATES) place = self->y + k;
    if (!place) return fmu_fail(self, "The variable with the reference %g cannot be set.", reference);
    if (*place != value && *self->due == 0) *self->due = FMU_SET;
    *place = value;
    fmu_forget(self);
    return FMU_OK;
}

void fmu_set_time(fmu_instance *self, double t)
{
    if (t != *self->t) fmu_forget(self);
    *self->t = t;
}

void fmu_set_states(fmu_instance *self, const double *y)
{
    memcpy(self->y, y, (size_t)self->n * sizeof(double));
    fmu_forget(self);
}

fmu_status fmu_rates(fmu_instance *self, double *rate)
{
    fmu_status status = fmu_evaluate(self, FMU_DERIVATIVES);
    memcpy(rate, self->rate, (size_t)self->n * sizeof(double));
    return status;
}

fmu_status fmu_indicators(fmu_instance *self, double *g)
{
    fmu_status status = fmu_evaluate(self, FMU_INDICATORS);
    memcpy(g, self->g, (size_t)self->model->events * sizeof(double));
    return status;
}
