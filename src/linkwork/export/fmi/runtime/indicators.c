/* Events of one instance: jumps by time, samples, indicators that change their sign. */
#include "inside.h"

#include <math.h>
#include <string.h>

static const double DRIFT = 1e-7;        /* natural units off the constraints from which states are put back on them */

/* Whether jumps by time are no longer known at t: they must not be stepped over in silence. */
int fmu_beyond(fmu_instance *self, double t)
{
    double horizon = self->model->horizon;
    if (t <= horizon + fmu_rounding(t)) return 0;
    fmu_fail(self, "What changes with time is known up to %g s only: export with a longer duration.", horizon);
    return 1;
}

/* Follows the sides of zero on which the events are; whether one that ends the run was passed. */
static fmu_status follow(fmu_instance *self, int *ended)
{
    const fmu_model *m = self->model;
    fmu_status status = m->events ? fmu_evaluate(self, FMU_INDICATORS) : FMU_OK;
    for (int i = 0; i < m->events && status == FMU_OK; i++) {
        double now = (self->g[i] > 0) - (self->g[i] < 0), before = self->side[i];
        if (now == 0 || now == before) continue;
        self->side[i] = now;
        int passed = before != 0 && m->event_direction[i] * now >= 0;
        if (passed && m->event_action[i] == FMU_STOP) *self->ended = 1;
        if (passed && m->event_action[i] == FMU_CONTACT) *self->due = FMU_CROSSED;
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

double fmu_next(const fmu_instance *self) { return fmin(*self->clear, fmin(next_sample(self), next_stop(self))); }

/* All controllers that are due look before any of them acts. */
static fmu_status sample(fmu_instance *self, int *changed)
{
    const fmu_model *m = self->model;
    double work = 0;
    fmu_status status = fmu_place(self);
    if (status != FMU_OK) return status;
    double t = fmu_refreshed(self), now = *self->t;
    memcpy(self->held, self->y, (size_t)self->n * sizeof(double));
    for (int k = 0; k < m->samplers_count; k++) {
        if (sample_time(self, k) > now + fmu_rounding(now)) continue;
        self->taken[k] += 1;
        const double *arg[3] = {&t, self->on, self->p};
        double *res[1] = {self->moved};
        m->samplers[k].next(arg, res, &work);
        for (int i = 0; i < m->samplers[k].count; i++) self->held[m->samplers[k].states[i]] = self->moved[i];
        *changed = 1;
    }
    memcpy(self->y, self->held, (size_t)self->n * sizeof(double));
    fmu_forget(self);
    return FMU_OK;
}

/* What is due by time: jumps, then samples. */
static fmu_status keep_time(fmu_instance *self, int *changed)
{
    const fmu_model *m = self->model;
    fmu_status status;
    while ((int64_t)*self->crossed < m->stops_count && next_stop(self) <= *self->t + fmu_rounding(*self->t)) {
        *self->crossed += 1;
        *self->due = FMU_CROSSED;
        fmu_forget(self);
    }
    if (m->constrained) *changed = 1;
    if ((status = fmu_settle(self)) != FMU_OK) return status;
    if (next_sample(self) > *self->t + fmu_rounding(*self->t)) return FMU_OK;
    *self->due = FMU_CROSSED;
    if ((status = sample(self, changed)) != FMU_OK) return status;
    return m->settling ? fmu_settle(self) : FMU_OK;
}

/* Contacts go on from what has happened; where nothing has, those that have just left may be due. */
static fmu_status touch(fmu_instance *self, int *changed)
{
    double t = *self->t;
    if (*self->due == 0 && *self->clear > t + fmu_rounding(t)) return FMU_OK;
    *changed = 1;
    return *self->due != 0 ? fmu_contacts_after(self) : fmu_contacts_aloft(self);
}

fmu_status fmu_update(fmu_instance *self, int *changed, int *ended)
{
    fmu_status status = keep_time(self, changed);
    if (status == FMU_OK) status = follow(self, ended);
    if (status == FMU_OK && self->model->contacts) {
        status = touch(self, changed);
        if (status == FMU_OK) status = follow(self, ended);
    }
    *self->due = 0;
    return status;
}

fmu_status fmu_start(fmu_instance *self, double t, double rtol)
{
    const fmu_model *m = self->model;
    *self->t = t;
    if (rtol > 0) self->rtol = rtol;
    *self->crossed = 0;
    while ((int64_t)*self->crossed < m->stops_count && next_stop(self) < t - fmu_rounding(t)) *self->crossed += 1;
    for (int k = 0; k < m->samplers_count; k++) {
        double periods = ceil((t - m->samplers[k].offset) / m->samplers[k].period - 1e-9);
        self->taken[k] = fmax(0.0, periods);
    }
    fmu_forget(self);
    return FMU_OK;
}

fmu_status fmu_initialized(fmu_instance *self)
{
    int changed, ended;
    self->initial = 0;
    if (self->model->contacts) fmu_contacts_open(self);
    fmu_status status = keep_time(self, &changed);
    if (status == FMU_OK && self->model->contacts) status = fmu_contacts_begin(self);
    if (status == FMU_OK) status = follow(self, &ended);
    *self->ended = *self->due = 0;
    return status;
}

fmu_status fmu_completed(fmu_instance *self, int *event, int *ended)
{
    double residual[2] = {0, 0};
    *event = 0;
    if (fmu_beyond(self, *self->t)) return FMU_ERROR;
    if (self->model->constrained) {
        double t = fmu_refreshed(self);
        if (!fmu_projected(self, t, self->y, self->moved, residual))
            return fmu_fail(self, "The state cannot be moved onto its constraints at t = %g s.", t);
        *event = residual[0] > DRIFT || residual[1] > DRIFT;
    }
    fmu_status status = follow(self, ended);
    *event |= *self->due == FMU_CROSSED;
    return status;
}
