/* The loop around a method: step, project, events, records, failures; resumable in slices of wall time. */
#include "clock.h"
#include "run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const lw_method *const methods[] = {&lw_method_rk4, &lw_method_dopri5, &lw_method_dop853,
                                           &lw_method_generalized_alpha, &lw_method_radau};

/* By how much constraints may be off after a projection, in natural units: where a shorter step does not help, they
 * cannot be met together. */
static const double UNMET = 1e-3;
static const int32_t PATIENCE = 10;

LW_API void lw_run_destroy(lw_run *run)
{
    if (!run) return;
    if (run->state) run->method->destroy(run);
    lw_singular_destroy(run);
    free(run->output.data);
    free(run->event_log.data);
    free(run->crossings);
    lw_free_all(run);
    free(run);
}

LW_API lw_run *lw_run_create(lw_system *system, const lw_options *options, const double *y0)
{
    lw_run *run = calloc(1, sizeof *run);
    if (!run) return NULL;
    int n = lw_states(system);
    size_t bytes = (size_t)n * sizeof(double);
    run->system = system;
    run->options = *options;
    run->n = n;
    run->t = run->segment_start = options->t0;
    run->end = options->t1;
    run->culprit = -1;
    run->burst = 1;
    run->output.width = run->event_log.width = n + 2;
    for (int i = 0; i < n; i++) run->weighted_count += system->weighted[i] != 0;
    run->atol = lw_doubles(run, n);
    run->times = lw_doubles(run, options->times_count);
    run->work = lw_doubles(run, system->work_size);
    run->y = lw_doubles(run, n);
    run->y_new = lw_doubles(run, n);
    run->scaled = lw_doubles(run, n);
    run->scratch = lw_doubles(run, n);
    run->sample = lw_doubles(run, n);
    run->method = methods[options->method];
    if (!run->atol || !run->times || !run->work || !run->y || !run->y_new || !run->scaled || !run->scratch ||
        !run->sample || !lw_events_create(run) || !run->method->create(run) ||
        !lw_singular_create(run)) {
        lw_run_destroy(run);
        return NULL;
    }
    memcpy(run->atol, options->atol, bytes);
    memcpy(run->y, y0, bytes);
    if (options->times) memcpy(run->times, options->times, (size_t)options->times_count * sizeof(double));
    return run;
}

/* The state with the largest scaled error (or the first that is not finite) is the one to name to the user. */
static int fail(lw_run *run, lw_status status)
{
    double worst = 0;
    run->culprit = -1;
    for (int i = 0; i < run->n; i++) {
        double size = fabs(run->scaled[i]);
        if (!isfinite(size)) {
            run->culprit = i;
            break;
        }
        if (size > worst) {
            worst = size;
            run->culprit = i;
        }
    }
    return run->status = status;
}

/* Records (t, y), moved onto the constraints in a copy where the state itself is not. */
static int record(lw_run *run, double t, const double *y, int projected)
{
    if (run->options.project_outputs && !projected) {
        memmove(run->sample, y, (size_t)run->n * sizeof(double));
        if (lw_project(run, t, run->sample)) y = run->sample;
    }
    return lw_table_append(&run->output, t, run->h, y);
}

/* Records every requested time in (t, t_last]; y_last is the state at t_last. */
static int record_step(lw_run *run, double t_last, const double *y_last)
{
    int on_constraints = run->options.project_steps;
    if (!run->options.times) return record(run, t_last, y_last, on_constraints);
    while (run->next_time < run->options.times_count && run->times[run->next_time] <= t_last) {
        double t = run->times[run->next_time++];
        if (t == t_last) {
            if (!record(run, t, y_last, on_constraints)) return 0;
        } else {
            run->method->interpolate(run, t, run->sample);
            if (!record(run, t, run->sample, 0)) return 0;
        }
    }
    return 1;
}

void lw_look_ahead(lw_run *run)
{
    const lw_options *o = &run->options;
    while (run->next_stop < o->stops_count && o->stops[2 * run->next_stop + 1] <= run->t) run->next_stop++;
    run->end = run->next_stop < o->stops_count && o->stops[2 * run->next_stop] < o->t1
                   ? o->stops[2 * run->next_stop] : o->t1;
}

static int begin(lw_run *run)
{
    run->started = 1;
    lw_look_ahead(run);
    if (run->end <= run->t && run->end < run->options.t1) {
        run->t = run->segment_start = fmin(run->options.stops[2 * run->next_stop + 1], run->options.t1);
        lw_look_ahead(run);
    }
    if (run->options.project_outputs && !lw_project(run, run->t, run->y)) return fail(run, LW_NONFINITE);
    run->idle = run->t >= run->options.t1;
    lw_outcome outcome = run->idle ? LW_ACCEPTED : run->method->start(run);
    if (outcome != LW_ACCEPTED) return fail(run, outcome == LW_STEP_NEWTON ? LW_NEWTON : LW_NONFINITE);
    run->h_fixed = run->h;
    lw_singular_forget(run);
    lw_singular_look(run);
    lw_events_arm(run, -1);
    double first = run->options.t0;
    int wanted = !run->options.times || (run->options.times_count && run->times[0] == first);
    if (wanted && !record(run, first, run->y, 1)) return run->status = LW_MEMORY;
    run->next_time = run->options.times && wanted;
    return LW_RUNNING;
}

/* Sets h and t_new of the next attempt, so that the run lands on its end exactly. */
static void choose_step(lw_run *run)
{
    const lw_options *o = &run->options;
    double left = run->end - run->t;
    run->h_free = run->h;
    if (o->fixed) {
        run->h = run->h_fixed;
        run->t_new = run->segment_start + (double)(run->segment_steps + 1) * run->h_fixed;
        if (run->inside) run->h = run->t_new - run->t;
        if (run->t_new >= run->end - 1e-9 * run->h) {
            if (fabs(left - run->h) > 1e-9 * run->h) run->h = left;
            run->t_new = run->end;
        }
        return;
    }
    if (run->h > o->max_step) run->h = o->max_step;
    if (run->hold * run->h > 1) run->h = 1 / run->hold;
    if (1.01 * run->h >= left) {
        run->h = left;
        run->t_new = run->end;
        return;
    }
    if (2 * run->h > left) run->h = 0.5 * left; /* no sliver of a last step */
    run->t_new = run->t + run->h;
}

static int suspect(lw_run *run, lw_outcome outcome)
{
    return outcome == LW_STEP_NEWTON && lw_singular_suspects(run);
}

/* After a failed attempt: shrink, or give up with the reason. */
static int retry(lw_run *run, lw_outcome outcome)
{
    static const lw_status reason[] = {LW_RUNNING, LW_UNDERFLOW, LW_NONFINITE, LW_NEWTON, LW_OPEN};
    run->counters[LW_N_REJECTED]++;
    if (run->options.fixed) return suspect(run, outcome) ? LW_RUNNING : fail(run, reason[outcome]);
    double floor_ = fmax(run->options.min_step, 16 * DBL_EPSILON * fmax(fabs(run->t), fabs(run->t_new)));
    if (run->h <= floor_) return suspect(run, outcome) ? LW_RUNNING : fail(run, reason[outcome]);
    /* Shorter steps would only creep up to where it cannot go on. */
    if (outcome == LW_STEP_OPEN && ++run->opened > PATIENCE) return fail(run, LW_OPEN);
    run->h = outcome == LW_REJECTED ? fmin(run->h_next, 0.9 * run->h) : 0.25 * run->h;
    if (run->h < floor_) run->h = floor_;
    return LW_RUNNING;
}

int lw_begin_anew(lw_run *run, double due)
{
    lw_singular_back(run);
    run->idle = run->t >= run->end;
    if (run->idle) return LW_RUNNING;
    lw_outcome outcome = run->method->start(run);
    if (outcome != LW_ACCEPTED) return fail(run, outcome == LW_STEP_NEWTON ? LW_NEWTON : LW_NONFINITE);
    lw_singular_forget(run);
    lw_singular_look(run);
    run->h_fixed = run->h;
    /* The step that was due is no worse a guess than one made from nothing, unless that is very much shorter. */
    if (!run->options.fixed && due > run->h) run->h = fmin(due, 30 * run->h);
    return LW_RUNNING;
}

/* Cuts the step at an event and starts afresh there. */
static int restart(lw_run *run, double t, const double *y)
{
    double before = run->t;
    run->stuck_restarts = t > before ? 0 : run->stuck_restarts + 1;
    if (run->stuck_restarts > 1000) return fail(run, LW_UNDERFLOW);
    run->t = run->segment_start = t;
    run->segment_steps = run->inside = 0;
    run->spanning = 0;
    memcpy(run->y, y, (size_t)run->n * sizeof(double));
    return lw_begin_anew(run, 0);
}

/* Records every requested time up to t_last with the state reached: times that lie within a stop. */
static int record_within(lw_run *run, double t_last, double seen_at)
{
    memmove(run->sample, run->y, (size_t)run->n * sizeof(double));
    if (run->options.project_outputs) lw_project(run, seen_at, run->sample);
    while (run->next_time < run->options.times_count && run->times[run->next_time] <= t_last)
        if (!lw_table_append(&run->output, run->times[run->next_time++], run->h, run->sample)) return 0;
    return 1;
}

/* Goes on after a stop, from the first of its pair to the second: the state stays, the equations may be others. What
 * is recorded for the times in between is what holds afterwards, but at the end of the run what held before. */
static int cross(lw_run *run)
{
    const lw_options *o = &run->options;
    double after = o->stops[2 * run->next_stop + 1], before = run->t, due = run->h_free;
    if (after >= o->t1) {
        run->t = o->t1;
        int kept = o->times ? record_within(run, o->t1, before) : lw_table_append(&run->output, o->t1, run->h, run->y);
        return kept ? LW_RUNNING : (run->status = LW_MEMORY);
    }
    run->t = run->segment_start = after;
    run->segment_steps = run->inside = 0;
    run->spanning = 0;
    lw_look_ahead(run);
    int action = lw_events_across(run, 0.5 * (before + after));
    if (action == LW_STOP) {
        run->t = 0.5 * (before + after);
        return run->status = LW_STOPPED;
    }
    int kept = o->times ? record_within(run, after, after) : lw_table_append(&run->output, after, run->h, run->y);
    if (action < 0 || !kept) return run->status = LW_MEMORY;
    return lw_begin_anew(run, due);
}

int lw_at_stop(const lw_run *run)
{
    double least = run->options.fixed ? run->method->finest * run->h_fixed : 0;
    return run->t >= run->end || (run->end < run->options.t1 && run->end - run->t <= least);
}

/* Forgets what was found in a step, which is made again, shorter. */
static void take_back(lw_run *run, int64_t log_rows)
{
    run->event_log.rows = log_rows;
    memcpy(run->side, run->side_before, (size_t)run->system->events * sizeof(int32_t));
    run->off_grid = 1;
}

/* A step that spans a restart has stages on both sides of it: a fixed one is no better than first order there, and one
 * that is chosen by an error estimate may have been accepted by luck. So is the time found. Instead, shorter steps lead
 * up to it until what is left does not matter; `spanning` is the first that went across. */
static int approach(lw_run *run, double t_cut, int64_t log_rows)
{
    double distance = t_cut - run->t;
    if (!run->spanning) run->spanning = run->h;
    double enough = run->options.fixed ? run->method->finest * run->h_fixed : 1e-3 * run->spanning;
    double shorter = (run->options.fixed ? 0.9375 : 0.9999) * distance;
    if (distance <= fmax(enough, 64 * DBL_EPSILON * fabs(t_cut)) || run->t + shorter >= t_cut) return 0;
    take_back(run, log_rows);
    run->h = shorter;
    run->t_new = run->t + run->h;
    return 1;
}

/* Whether what a projection leaves says that constraints cannot be met. */
static int judges(const lw_run *run)
{
    return run->options.project_steps == 1 || (run->singular.relayed && !run->options.project_steps);
}

static int step(lw_run *run)
{
    double t_cut, *y_cut;
    int action;
    choose_step(run);
    if (run->options.fixed && run->hold * run->h > 1) return fail(run, LW_COARSE);
    lw_singular_limit(run);
    if (lw_singular_relay(run) != LW_ACCEPTED) return fail(run, LW_NONFINITE);
    if (run->options.fixed && run->singular.relayed) lw_singular_limit(run);
    run->off_grid = 0;
    do {
        run->attempts++;
        lw_outcome outcome = run->method->attempt(run);
        run->projected = run->options.project_steps || lw_singular_projects(run);
        if (outcome == LW_ACCEPTED && run->projected) {
            if (!lw_project(run, run->t_new, run->y_new)) outcome = LW_STEP_NONFINITE;
            else if (run->unmet > UNMET && judges(run)) outcome = LW_STEP_OPEN;
            else if (run->unmet < 0.1 * UNMET) run->opened = 0;
        }
        if (outcome != LW_ACCEPTED) return retry(run, outcome);
        t_cut = run->t_new;
        y_cut = run->y_new;
        action = LW_RECORD;
        if (!run->system->events) break;
        int64_t log_rows = run->event_log.rows;
        memcpy(run->side_before, run->side, (size_t)run->system->events * sizeof(int32_t));
        y_cut = run->g + LW_ROW * run->system->events; /* room kept behind g */
        action = lw_events_scan(run, &t_cut, y_cut);
        if (action < 0) return run->status = LW_MEMORY;
        if (action == LW_SHORTEN) { /* looking at all of it would take long: no more than that for now */
            take_back(run, log_rows);
            run->h = t_cut - run->t;
            run->t_new = t_cut;
            continue;
        }
        if (action == LW_RECORD) y_cut = run->y_new;
        if (action == LW_RESTART && approach(run, t_cut, log_rows)) continue;
        break;
    } while (run->attempts < run->options.max_steps);
    run->counters[LW_N_ACCEPTED]++;
    if (!record_step(run, t_cut, y_cut)) return run->status = LW_MEMORY;
    if (action == LW_RECORD) {
        run->method->commit(run);
        run->t = run->t_new;
        run->inside = run->options.fixed && run->singular.partial;
        run->segment_steps += !run->inside;
        if (run->off_grid) {
            run->segment_start = run->t;
            run->segment_steps = run->inside = 0;
        } else run->spanning = 0;
        run->fresh = 0;
        /* A step that was shortened for a crossing says little of longer ones. */
        if (!run->options.fixed) run->h = run->singular.partial ? fmin(run->h_next, run->singular.due) : run->h_next;
        lw_singular_look(run);
        lw_outcome outcome = lw_singular_return(run);
        if (outcome != LW_ACCEPTED) return fail(run, outcome == LW_STEP_NEWTON ? LW_NEWTON : LW_NONFINITE);
        return LW_RUNNING;
    }
    if (action == LW_STOP) {
        run->t = t_cut;
        memcpy(run->y, y_cut, (size_t)run->n * sizeof(double));
        return run->status = LW_STOPPED;
    }
    int status = restart(run, t_cut, y_cut);
    lw_events_arm(run, 1);
    return status;
}

int lw_advance(lw_run *run, double slice)
{
    double began = lw_clock(), checked = began;
    if (!run->started && begin(run) != LW_RUNNING) return run->status;
    /* The clock is read once per burst of steps; the burst adapts so that reading it costs nothing noticeable. */
    int64_t left = run->burst;
    while (run->t < run->options.t1) {
        if (run->system->cancel) return LW_RUNNING;
        if (lw_at_stop(run)) {
            if (cross(run) != LW_RUNNING) return run->status;
            continue;
        }
        if (run->attempts >= run->options.max_steps) return fail(run, LW_MAX_STEPS);
        if (step(run) != LW_RUNNING) return run->status;
        if (--left <= 0) {
            double now = lw_clock();
            if (now - began >= slice) {
                if (run->burst > 1) run->burst /= 2;
                return LW_RUNNING;
            }
            if (now - checked < 0.05 * slice && run->burst < 100000) run->burst *= 2;
            else if (now - checked > 0.2 * slice && run->burst > 1) run->burst /= 2;
            checked = now;
            left = run->burst;
        }
    }
    return LW_DONE;
}

/* The whole run, slice by slice. LW_RUNNING: call again. */
LW_API int lw_run_advance(lw_run *run, double slice)
{
    if (run->status != LW_RUNNING) return run->status;
    if (lw_advance(run, slice) != LW_DONE) return run->status;
    return run->status = lw_events_finish(run) ? LW_DONE : LW_MEMORY;
}

/* Records the state reached, unless it already is the last row. */
LW_API int lw_run_close(lw_run *run)
{
    const lw_table *o = &run->output;
    if (o->rows && o->data[(o->rows - 1) * o->width] >= run->t) return 1;
    return record(run, run->t, run->y, run->options.project_steps);
}
