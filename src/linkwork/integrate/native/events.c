/* Events: sign changes of g(t, y, p) inside an accepted step, located on its dense output. */
#include "run.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 4 }; /* per step: a dip below zero and back within one long step must not be missed */

typedef struct lw_crossing {
    double t;
    int index;
} crossing;

int lw_events_create(lw_run *run)
{
    int count = run->system->events;
    if (!count) return 1;
    run->g = lw_doubles(run, count + run->n); /* the tail holds the state where a step is cut */
    run->g_left = lw_doubles(run, count);
    run->t_left = lw_doubles(run, count);
    run->side = lw_allocate(run, (size_t)count * sizeof(int32_t));
    run->side_before = lw_allocate(run, (size_t)count * sizeof(int32_t));
    run->crossings = lw_allocate(run, (size_t)count * SAMPLES * sizeof(crossing));
    return run->g && run->g_left && run->t_left && run->side && run->side_before && run->crossings;
}

static int sign(double g) { return (g > 0) - (g < 0); }

static void values(lw_run *run, double t, const double *y)
{
    lw_refresh_inputs(run, t);
    const double *arg[3] = {&t, y, run->system->p};
    double *res[1] = {run->g};
    run->system->event_values(arg, res, run->work);
}

static void state_at(lw_run *run, double t, double *y)
{
    if (t == run->t_new) memcpy(y, run->y_new, (size_t)run->n * sizeof(double));
    else if (t == run->t) memcpy(y, run->y, (size_t)run->n * sizeof(double));
    else {
        run->method->interpolate(run, t, y);
        if (run->options.project_outputs) lw_project(run, t, y);
    }
}

/* Sets the side of zero on which each event starts. An event at exactly zero takes the first side it moves to without
 * firing; so do, after a cut (fired != 0), those that have just fired: side was set to 2 for them. One that ends the run
 * and whose value jumps to the other side just where another restarts it is not lost: it fires at the next step. */
void lw_events_arm(lw_run *run, int fired)
{
    lw_system *s = run->system;
    if (!s->events) return;
    values(run, run->t, run->y);
    for (int i = 0; i < s->events; i++) {
        int now = sign(run->g[i]), before = run->side_before[i];
        int jumped = fired > 0 && s->event_action[i] == LW_STOP && before && now == -before &&
                     (!s->event_direction[i] || s->event_direction[i] == now);
        if (fired > 0 && run->side[i] == 2) run->side[i] = 0;
        else run->side[i] = jumped ? before : now;
    }
}

/* The first time at which event i is on side `to`, within rounding: regula falsi (Illinois) that falls back to
 * bisection whenever three evaluations have not halved the bracket. */
static double locate(lw_run *run, int i, int to, double a, double ga, double b, double gb)
{
    double closest = 2 * DBL_EPSILON * fmax(fabs(a), fabs(b));
    if (ga == 0) return a;
    double reference = b - a;
    for (int k = 0, slow = 0; k < 200 && b - a > closest; k++) {
        double t = a + (b - a) * (ga / (ga - gb));
        if (slow >= 3 || !(t >= a && t <= b)) t = 0.5 * (a + b);
        t = fmin(fmax(t, a + 0.5 * closest), b - 0.5 * closest);
        if (t <= a || t >= b) break;
        state_at(run, t, run->sample);
        values(run, t, run->sample);
        double g = run->g[i];
        if (g == 0) return t;
        if (sign(g) == to) {
            b = t;
            gb = g;
            ga *= 0.5;
        } else {
            a = t;
            ga = g;
            gb *= 0.5;
        }
        slow++;
        if (b - a <= 0.5 * reference) {
            reference = b - a;
            slow = 0;
        }
    }
    return b;
}

static int cut(lw_run *run, crossing event, double *y)
{
    state_at(run, event.t, y);
    return lw_table_append(&run->event_log, event.t, event.index, y);
}

int lw_events_scan(lw_run *run, double *t_cut, double *y_cut)
{
    lw_system *s = run->system;
    crossing *found = run->crossings;
    int count = 0;
    for (int i = 0; i < s->events; i++) run->t_left[i] = run->t;
    values(run, run->t, run->y);
    memcpy(run->g_left, run->g, (size_t)s->events * sizeof(double));
    for (int k = 1; k <= SAMPLES; k++) {
        double t = k == SAMPLES ? run->t_new : run->t + run->h * k / SAMPLES;
        state_at(run, t, run->sample);
        values(run, t, run->sample);
        for (int i = 0; i < s->events; i++) {
            double value = run->g[i];
            int now = sign(value), before = run->side[i];
            if (!now) continue;
            run->side[i] = now;
            if (before && now != before && (!s->event_direction[i] || s->event_direction[i] == now)) {
                double left = run->g_left[i];
                if (sign(left) == now) left = 0; /* the side before this step is the memory of a zero at its start */
                found[count].t = locate(run, i, now, run->t_left[i], left, t, value);
                found[count++].index = i;
                state_at(run, t, run->sample); /* locate has overwritten the sample and g */
                values(run, t, run->sample);
            }
            run->t_left[i] = t;
            run->g_left[i] = value;
        }
    }
    for (int done = 0; done < count; done++) {
        int next = done;
        for (int k = done + 1; k < count; k++)
            if (found[k].t < found[next].t) next = k;
        crossing event = found[next];
        found[next] = found[done];
        if (!cut(run, event, y_cut)) return -1;
        int action = s->event_action[event.index];
        if (action == LW_RECORD) continue;
        *t_cut = event.t;
        run->side[event.index] = 2;
        return action;
    }
    return LW_RECORD;
}
