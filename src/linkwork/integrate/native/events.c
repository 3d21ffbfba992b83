/* Events: sign changes of g(t, y, p) inside an accepted step, located on its dense output.
 *
 * Each step is looked at in a few places that are not evenly spaced. Where a parabola through some of them does not
 * predict the others, g changes faster than the step is long, and both halves are looked at more closely: no zero of a
 * fast event is passed over in a long step, and a slow event costs no more than those few evaluations.
 *
 * Some events are distances: how fast they change at most, their pace, is known. Where two values are further from zero
 * than their event can go there and back in between, there is no zero; where neither this is so nor the way in between
 * is shorter than the event's grain, an interval is divided, however smooth the samples look (conservative
 * advancement). A row of values is g, pace, grain and hold of all events. */
#include "run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSIDE = 3, DEEPEST = LW_DEEPEST, SMOOTH = 16, ROW = LW_ROW }; /* SMOOTH: divisions for smoothness alone */
enum { LOOKS = 20000 }; /* at one step, before it is shortened to what has been looked at */
static const double CAUTION = 1.1; /* paces between samples may be higher than at them */
static const double place[INSIDE] = {0.2271, 0.5389, 0.7913}; /* the second is where an interval is divided */

typedef struct lw_crossing {
    double t;
    int index;
} crossing;

int lw_events_create(lw_run *run)
{
    int count = run->system->events;
    if (!count) return 1;
    run->g = lw_doubles(run, ROW * count + run->n); /* the tail holds the state where a step is cut */
    run->g_left = lw_doubles(run, count);
    run->t_left = lw_doubles(run, count);
    run->side = lw_allocate(run, (size_t)count * sizeof(int32_t));
    run->side_before = lw_allocate(run, (size_t)count * sizeof(int32_t));
    run->g_largest = lw_doubles(run, count);
    run->slope = lw_doubles(run, count);
    run->g_inside = lw_doubles(run, (int64_t)count * ROW * (INSIDE + 1) * (DEEPEST + 1));
    return run->g && run->g_left && run->t_left && run->side && run->side_before && run->g_largest && run->slope &&
           run->g_inside;
}

static int sign(double g) { return (g > 0) - (g < 0); }

static void values(lw_run *run, double t, const double *y)
{
    lw_refresh_inputs(run, t);
    const double *arg[3] = {&t, y, run->system->p};
    double *res[2] = {run->g, run->g + run->system->events};
    run->system->event_values(arg, res, run->work);
}

/* How often a step must end while something is inside what has another side [1/s]; from the values in `row`. */
static void hold(lw_run *run, const double *row)
{
    int count = run->system->events;
    run->hold = 0;
    for (int i = 0; i < count; i++) run->hold = fmax(run->hold, row[3 * count + i]);
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
    hold(run, run->g);
    for (int i = 0; i < s->events; i++) {
        int now = sign(run->g[i]), before = run->side_before[i];
        int jumped = fired > 0 && s->event_action[i] == LW_STOP && before && now == -before &&
                     (!s->event_direction[i] || s->event_direction[i] == now);
        if (fired > 0 && run->side[i] == 2) run->side[i] = 0;
        else run->side[i] = jumped ? before : now;
    }
}

void lw_events_peek(lw_run *run, double t, const double *y)
{
    int count = run->system->events;
    if (!count) return;
    values(run, t, y);
    for (int i = 0; i < count; i++) {
        int bounded = run->g[count + i] > 0 || run->g[3 * count + i] > 0;
        if (bounded && run->system->event_action[i] == LW_RESTART && run->side[i] && sign(run->g[i]) == -run->side[i] &&
            !(run->peeked > run->t && run->peeked < t))
            run->peeked = t;
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

static int cuts(const lw_run *run, int i) { return run->system->event_action[i] != LW_RECORD; }

static int note(lw_run *run, double t, int i)
{
    if (run->crossings_count == run->crossings_room) {
        int room = run->crossings_room ? 2 * run->crossings_room : 16;
        crossing *more = realloc(run->crossings, (size_t)room * sizeof *more);
        if (!more) return 0;
        run->crossings = more;
        run->crossings_room = room;
    }
    run->crossings[run->crossings_count++] = (crossing){t, i};
    return 1;
}

typedef enum { PROVEN, CLEAR, UNCLEAR, COARSE } verdict;

/* What the values of event i at the ends and inside an interval of that length say about what it does in between. */
static verdict judged(const lw_run *run, int i, const double *ends[2], const double *inside, double length, int depth)
{
    int count = run->system->events, row = ROW * count;
    const double *at[INSIDE + 2] = {ends[0], inside, inside + row, inside + 2 * row, ends[1]};
    double g[INSIDE + 2], x[INSIDE + 2] = {0, place[0], place[1], place[2], 1};
    double low = INFINITY, high = -INFINITY, nearest = INFINITY, off = 0, pace = 0, grain = INFINITY;
    int proven = 1;
    for (int k = 0; k < INSIDE + 2; k++) {
        g[k] = at[k][i];
        low = fmin(low, g[k]);
        high = fmax(high, g[k]);
        nearest = fmin(nearest, fabs(g[k]));
        pace = fmax(pace, at[k][count + i]);
        grain = fmin(grain, at[k][2 * count + i]);
    }
    if (pace > 0) {
        for (int k = 0; k <= INSIDE && proven; k++)
            proven = g[k] * g[k + 1] > 0 && fabs(g[k]) + fabs(g[k + 1]) > CAUTION * pace * length * (x[k + 1] - x[k]);
        if (proven) return PROVEN;
        if (CAUTION * pace * length > grain && depth < DEEPEST) return COARSE;
    }
    for (int k = 1; k < INSIDE + 2; k += 2) {
        double a = (x[k] - x[2]) * (x[k] - 1) / x[2], b = x[k] * (x[k] - 1) / (x[2] * (x[2] - 1));
        double c = x[k] * (x[k] - x[2]) / (1 - x[2]);
        off = fmax(off, fabs(a * g[0] + b * g[2] + c * g[4] - g[k]));
    }
    if (depth >= SMOOTH && pace == 0) return CLEAR;
    if (low > 0 || high < 0) { /* the parabola may go to the other side and back between two samples */
        double c = ((g[4] - g[0]) - (g[2] - g[0]) / x[2]) / (1 - x[2]), b = g[4] - g[0] - c;
        double bottom = c != 0 && b * c < 0 && fabs(b) < 2 * fabs(c) ? g[0] - b * b / (4 * c) : g[0];
        if (bottom * g[0] < 0 && fabs(bottom) > 1e-13 * run->g_largest[i]) return UNCLEAR;
        nearest = fmin(nearest, fabs(bottom));
    }
    if (!(off > (pace > 0 ? 0 : 1e-6) * run->g_largest[i] && off > 1e-13)) return CLEAR;
    if (low <= 0 && high >= 0) return off > 0.05 * (high - low) ? UNCLEAR : CLEAR;
    /* it may dip to the other side and back */
    return off > nearest && (pace > 0 || depth < 4 || off > 0.05 * (high - low)) ? UNCLEAR : CLEAR;
}

/* Follows the signs over one sample at (t, g); `t_left`, `g_left`: the one before. */
static int follow(lw_run *run, double t, const double *g)
{
    lw_system *s = run->system;
    for (int i = 0; i < s->events; i++) {
        double value = g[i];
        int now = sign(value), before = run->side[i];
        if (!now) continue;
        run->side[i] = now;
        if (before && now != before && (!s->event_direction[i] || s->event_direction[i] == now)) {
            double left = run->g_left[i];
            if (sign(left) == now) left = 0; /* the side before this step is the memory of a zero at its start */
            if (!note(run, locate(run, i, now, run->t_left[i], left, t, value), i)) return 0;
        }
        if (t > run->t_left[i]) run->slope[i] = (value - run->g_left[i]) / (t - run->t_left[i]);
        run->t_left[i] = t;
        run->g_left[i] = value;
    }
    return 1;
}

/* Looks for sign changes from a to b in order, until one of them cuts the step. surely: it seemed clear already. */
static int look(lw_run *run, double a, const double *ga, double b, const double *gb, int depth, int surely)
{
    int count = run->system->events, row = ROW * count, counts[COARSE + 1] = {0};
    double *inside = run->g_inside + (int64_t)depth * row * (INSIDE + 1), t[INSIDE];
    if (run->looks++ >= LOOKS) {
        if (run->curtailed <= run->t) run->curtailed = a;
        return 1;
    }
    for (int k = 0; k < INSIDE; k++) {
        t[k] = a + (b - a) * place[k];
        if (t[k] <= a || t[k] >= b) return follow(run, b, gb);
        state_at(run, t[k], run->sample);
        values(run, t[k], run->sample);
        memcpy(inside + k * row, run->g, (size_t)row * sizeof(double));
        for (int i = 0; i < count; i++) run->g_largest[i] = fmax(run->g_largest[i], fabs(run->g[i]));
    }
    const double *ends[2] = {ga, gb};
    for (int i = 0; i < count && depth < DEEPEST && !counts[COARSE]; i++) counts[judged(run, i, ends, inside, b - a, depth)]++;
    int again = counts[COARSE] || (counts[UNCLEAR] && depth < DEEPEST);
    if (!counts[COARSE] && counts[CLEAR] + counts[UNCLEAR] && depth < SMOOTH) {
        /* What seems clear where most of its like are not is so by chance: a fast event, seen at equal phases. Where
         * there are none to compare with, it is looked at once more. */
        int size = -ilogb((b - a) / (run->options.t1 - run->options.t0));
        size = size < 0 ? 0 : size >= LW_SIZES ? LW_SIZES - 1 : size;
        int by_chance = !again && run->unclear[size] > 0.5 * run->looked[size];
        int alone = !again && !by_chance && !surely && run->looked[size] < 2.5;
        run->looked[size] += 1;
        run->unclear[size] += again;
        surely = alone;
        again |= by_chance | alone;
    }
    if (again) {
        if (!look(run, a, ga, t[1], inside + row, depth + 1, surely)) return 0;
        for (int k = 0; k < run->crossings_count; k++)
            if (cuts(run, run->crossings[k].index)) return 1;
        if (run->curtailed > run->t) return 1;
        return look(run, t[1], inside + row, b, gb, depth + 1, surely);
    }
    for (int k = 0; k < INSIDE; k++)
        if (!follow(run, t[k], inside + k * row)) return 0;
    return follow(run, b, gb);
}

/* Whether an event that is watched only is so close to zero that it would get there within rounding of t. */
static int on_zero(const lw_run *run, int i, double g, double t)
{
    double span = run->options.t1 - run->options.t0;
    return run->system->event_action[i] == LW_RECORD && fabs(g) <= fabs(run->slope[i]) * 1e-12 * fmax(fabs(t), span);
}

/* A run that begins on a zero has one there. */
static int started_on(lw_run *run, const double *g, const int32_t *side)
{
    lw_system *s = run->system;
    for (int i = 0; i < s->events; i++) {
        int to = run->side[i];
        if (!to || !on_zero(run, i, g[i], run->t) || (s->event_direction[i] && s->event_direction[i] != to)) continue;
        if (side[i] && side[i] != to) continue; /* found already, just after the start */
        if (!lw_table_append(&run->event_log, run->t, i, run->y)) return 0;
    }
    return 1;
}

int lw_events_scan(lw_run *run, double *t_cut, double *y_cut)
{
    lw_system *s = run->system;
    int64_t row = (int64_t)ROW * s->events;
    size_t bytes = (size_t)row * sizeof(double);
    double *first = run->g_inside + DEEPEST * row * (INSIDE + 1) + INSIDE * row;
    double *last = run->g_inside + (DEEPEST - 1) * row * (INSIDE + 1) + INSIDE * row;
    run->crossings_count = 0;
    run->looks = 0;
    run->curtailed = run->peeked = run->t;
    for (int k = 0; k < LW_SIZES; k++) {
        run->looked[k] *= 0.75; /* the last steps tell what to expect of this one */
        run->unclear[k] *= 0.75;
    }
    values(run, run->t, run->y);
    memcpy(first, run->g, bytes);
    memcpy(run->g_left, run->g, bytes / ROW);
    values(run, run->t_new, run->y_new);
    memcpy(last, run->g, bytes);
    for (int i = 0; i < s->events; i++) {
        run->t_left[i] = run->t;
        run->g_largest[i] = fmax(run->g_largest[i], fmax(fabs(first[i]), fabs(last[i])));
    }
    if (!look(run, run->t, first, run->t_new, last, 0, 0)) return -1;
    if (run->peeked > run->t && !run->crossings_count && run->t_new - run->t > 1e-6 * fabs(run->h_free)) {
        *t_cut = 0.5 * (run->t + run->peeked);
        return LW_SHORTEN;
    }
    if (run->curtailed > run->t) {
        int cut_before = 0;
        for (int k = 0; k < run->crossings_count; k++) cut_before |= cuts(run, run->crossings[k].index);
        if (!cut_before) {
            *t_cut = run->curtailed;
            return LW_SHORTEN;
        }
    }
    if (!run->scanned && !started_on(run, first, run->side_before)) return -1;
    run->scanned = 1;
    crossing *crossings = run->crossings;
    int count = run->crossings_count;
    for (int done = 0; done < count; done++) {
        int next = done;
        for (int k = done + 1; k < count; k++)
            if (crossings[k].t < crossings[next].t) next = k;
        crossing event = crossings[next];
        crossings[next] = crossings[done];
        if (!cut(run, event, y_cut)) return -1;
        int action = s->event_action[event.index];
        if (action == LW_RECORD) continue;
        *t_cut = event.t;
        run->side[event.index] = 2;
        return action;
    }
    hold(run, last);
    return LW_RECORD;
}

int lw_events_across(lw_run *run, double t)
{
    lw_system *s = run->system;
    int action = LW_RECORD;
    if (!s->events) return action;
    values(run, run->t, run->y);
    hold(run, run->g);
    for (int i = 0; i < s->events; i++) {
        int now = sign(run->g[i]), before = run->side[i];
        run->side[i] = now ? now : before;
        run->g_largest[i] = fmax(run->g_largest[i], fabs(run->g[i]));
        if (!now || !before || now == before) continue;
        if (s->event_direction[i] && s->event_direction[i] != now) continue;
        if (!lw_table_append(&run->event_log, t, i, run->y)) return -1;
        if (s->event_action[i] > action) action = s->event_action[i];
    }
    return action;
}

int lw_events_finish(lw_run *run)
{
    lw_system *s = run->system;
    if (!s->events || !run->scanned) return 1;
    values(run, run->t, run->y);
    for (int i = 0; i < s->events; i++) {
        int to = sign(run->slope[i]), from = run->side[i];
        if (!on_zero(run, i, run->g[i], run->t) || (s->event_direction[i] && s->event_direction[i] != to)) continue;
        if (from && from == to) continue; /* it went through just before */
        if (!lw_table_append(&run->event_log, run->t, i, run->y)) return 0;
    }
    return 1;
}
