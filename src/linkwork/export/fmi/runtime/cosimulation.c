/* Co-simulation: from one point of communication to the next with our own integrators. */
#include "inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 20000 }; /* steps of the explicit method to a point of communication; then the implicit one goes on */
enum { STUCK = 1000 };     /* events at one time that are taken as a contradiction */

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
        if (index >= 0 && self->model->event_action[index] == FMU_CONTACT) *self->due = FMU_CROSSED;
    }
    double step = lw_run_step(run);
    if (status == LW_DONE && step > 0 && isfinite(step)) *self->h = step;
    else *self->h = 0;
    lw_run_destroy(run);
    fmu_forget(self);
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
    if (fmu_beyond(self, target)) return FMU_ERROR;
    int32_t *actions = calloc((size_t)m->events + 1, sizeof *actions);
    if (!actions) return fmu_fail(self, "There is not enough memory at t = %g s.", t);
    if (m->contacts && *self->due != 0) status = fmu_update(self, &changed, &ended);
    while (status == FMU_OK && *self->t < target && !ended) {
        double due = fmu_next(self), end = due < target - fmu_rounding(target) ? due : target;
        if (end > *self->t) status = advance(self, end, actions);
        if (status == FMU_OK) status = fmu_update(self, &changed, &ended);
        ended = *self->ended != 0;
        stuck = *self->t > before ? 0 : stuck + 1;
        before = *self->t;
        if (status == FMU_OK && stuck > STUCK)
            status = fmu_fail(self, "Events follow each other without end at t = %g s.", before);
    }
    free(actions);
    return status;
}
