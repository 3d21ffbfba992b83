/* A run whose end is not known yet: it is extended again and again, and inputs may change in between. */
#include "run.h"

#include <math.h>
#include <string.h>

/* Fixed steps go on from where the last one was cut short. */
static void follow_grid(lw_run *run)
{
    double due = run->segment_start + (double)run->segment_steps * run->h_fixed;
    if (!run->options.fixed || fabs(run->t - due) <= 1e-9 * run->h_fixed) return;
    run->segment_start = run->t;
    run->segment_steps = 0;
    run->inside = 0;
}

/* The state goes on as it is, with the equations that the present values of inputs and parameters make. */
static int renew(lw_run *run)
{
    run->signals_known = 0;
    if (lw_at_stop(run)) return LW_RUNNING; /* done where it is crossed */
    int action = lw_events_across(run, run->t);
    if (action < 0) return run->status = LW_MEMORY;
    if (action == LW_STOP) return run->status = LW_STOPPED;
    run->spanning = 0;
    if (run->method->renew && !run->idle && !run->singular.relayed) {
        run->method->renew(run); /* the step that was due is no worse a guess than any other */
        return LW_RUNNING;
    }
    return lw_begin_anew(run, run->h);
}

/* On to t1, slice by slice, as if that had been the end from the start: LW_DONE there, LW_RUNNING: call again. The state
 * that is reached, as it would be recorded, is written to y. renewed: whether inputs or parameters have changed since the
 * last call. counted: whether max_steps counts the steps of all calls, or of each. */
int lw_run_extend(lw_run *run, double t1, int renewed, int counted, double slice, double *y)
{
    int status = run->status;
    if (status == LW_RUNNING && run->started) {
        if (t1 > run->options.t1) {
            run->options.t1 = t1;
            follow_grid(run);
        }
        lw_look_ahead(run);
        if (renewed) status = renew(run);
        else if (run->idle && !lw_at_stop(run)) status = lw_begin_anew(run, run->h);
    } else if (status == LW_RUNNING) run->options.t1 = run->end = t1;
    if (!counted) run->attempts = 0;
    if (status == LW_RUNNING) status = lw_advance(run, slice);
    memcpy(y, run->y, (size_t)run->n * sizeof(double));
    if (run->options.project_outputs && !run->options.project_steps) lw_project(run, run->t, y);
    return status;
}

/* Forgets the events that the caller has read. */
LW_API void lw_run_forget_events(lw_run *run) { run->event_log.rows = 0; }

/* Other stops than before; the caller keeps them as long as the run. */
LW_API void lw_run_stops(lw_run *run, const double *stops, int64_t count)
{
    run->options.stops = stops;
    run->options.stops_count = count;
    run->next_stop = 0;
}
