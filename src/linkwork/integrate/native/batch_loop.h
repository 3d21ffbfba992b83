/* The loop around the methods; part of batch_template.h. */

#define LW_LEAST_ERROR (-9.210340371976182) /* log 1e-4: smaller ones say nothing */

/* What one group of lanes works with; rows of LANES. */
typedef struct {
    REAL *y, *p, *y_new, *stage, *k, *sample, *g, *side, *largest, *root, *earlier, *most, *work;
} NAME(room);

/* Times in (t, t_new] are recorded; returns 0 where some lie inside and their slopes are still to be found. */
QUALIFIER int NAME(inner_times)(const lw_batch *b, const NAME(lanes) * s, const int *accepted)
{
    int any = 0;
    EACH_LANE if (accepted[l] && s->next_time[l] < b->times_count)
    {
        double t = b->times[s->next_time[l]], rest = s->t_new[l] - t;
        any |= rest > 4e-16 * (s->t_new[l] < 0 ? -s->t_new[l] : s->t_new[l]);
    }
    return any;
}

/* Slopes at both ends of a step of rk4, into `k` and `stage`. States are handed over in a copy: what other functions see
 * cannot stay in registers. */
QUALIFIER void NAME(end_slopes)(const lw_batch *b, const NAME(lanes) * s, NAME(room) * r)
{
    REAL moment[LANES], *p = r->p, *work = r->work;
    EACH_LANE moment[l] = (REAL)s->t[l];
    REFRESH(s->t);
    ARRAY(copy, STATES);
    ARRAY(slope, STATES);
    EACH_STATE LANEWISE ROW(copy, i) = ROW(r->y, i);
    CALL_RHS(moment, copy, p, slope);
    EACH_STATE LANEWISE ROW(r->k, i) = ROW(slope, i);
    EACH_LANE moment[l] = (REAL)s->t_new[l];
    REFRESH(s->t_new);
    EACH_STATE LANEWISE ROW(copy, i) = ROW(r->y_new, i);
    CALL_RHS(moment, copy, p, slope);
    EACH_STATE LANEWISE ROW(r->stage, i) = ROW(slope, i);
}

QUALIFIER void NAME(inside)(const lw_batch *b, const NAME(lanes) * s, int l, double share, NAME(room) * r)
{
    if (ADAPTIVE) NAME(dopri5_inside)(b, s, l, share, r->y, r->k, r->sample);
    else NAME(rk4_inside)(b, s, l, share, r->y, r->y_new, r->k, r->stage, r->sample);
}

QUALIFIER void NAME(record_step)(const lw_batch *b, NAME(lanes) * s, const int *accepted, NAME(room) * r)
{
    EACH_LANE if (accepted[l])
    {
        double least = 4e-16 * (s->t_new[l] < 0 ? -s->t_new[l] : s->t_new[l]);
        while (s->next_time[l] < b->times_count && b->times[s->next_time[l]] <= s->t_new[l]) {
            double t = b->times[s->next_time[l]];
            if (s->t_new[l] - t <= least) NAME(record)(b, s, l, r->y_new, s->next_time[l]);
            else {
                NAME(inside)(b, s, l, (t - s->t[l]) / s->h[l], r);
                NAME(record)(b, s, l, r->sample, s->next_time[l]);
            }
            s->next_time[l]++;
        }
    }
}

/* Looks at events at five places of the step: notes those in which one may lie, and which lanes end. */
QUALIFIER void NAME(scan)(const lw_batch *b, NAME(lanes) * s, const int *accepted, NAME(room) * r)
{
    const double x[5] = {0, 0.2271, 0.5389, 0.7913, 1};
    REAL moment[LANES], *p = r->p, *work = r->work;
    double time[LANES];
    for (int k = 0; k < 5; k++) {
        const REAL *at = k == 0 ? r->y : k == 4 ? r->y_new : r->sample;
        EACH_LANE
        {
            time[l] = k == 4 ? s->t_new[l] : s->t[l] + x[k] * s->h[l];
            moment[l] = (REAL)time[l];
            if (k > 0 && k < 4) NAME(inside)(b, s, l, x[k], r);
        }
        REFRESH(time);
        CALL_EVENTS(moment, at, p, r->g + k * EVENTS * LANES);
    }
    EACH_LANE if (accepted[l])
    {
        int flagged = 0;
        s->ends[l] = 0;
        for (int i = 0; i < EVENTS; i++) {
            REAL g[5], last = AT(r->g, 4 * EVENTS + i), side = AT(r->side, i);
            for (int k = 0; k < 5; k++) {
                g[k] = AT(r->g, k * EVENTS + i);
                REAL size = g[k] < 0 ? -g[k] : g[k];
                if (size > AT(r->largest, i)) AT(r->largest, i) = size;
            }
            flagged |= NAME(unclear)(g, (double)side, (double)AT(r->largest, i));
            int to = last > 0 ? 1 : -1, stops = b->event_stops[i];
            if (side * last < 0 && stops && (stops == 2 || stops == 2 + to)) s->ends[l] = 1;
            if (last != 0) AT(r->side, i) = (REAL)to;
        }
        if (!flagged) continue;
        long long row = TAKE_LOG_ROW(b);
        if (row >= b->log_room) {
            s->failed[l] = LW_CASE_AFRESH;
            continue;
        }
        double *entry = b->log + row * (STATES + LW_LOG_ROW);
        entry[0] = (double)s->which[l];
        entry[1] = s->t[l];
        entry[2] = s->t_new[l];
        entry[3] = s->h[l];
        for (int i = 0; i < STATES; i++) entry[LW_LOG_ROW + i] = (double)AT(r->y, i);
    }
}

/* Lanes that begin, or go on after a stop: onto the constraints, slope, first step, signs of events. */
QUALIFIER void NAME(start)(const lw_batch *b, NAME(lanes) * s, NAME(room) * r)
{
    REAL moment[LANES], *p = r->p, *work = r->work;
    double unmet[LANES];
    int wanted[LANES];
    EACH_LANE
    {
        wanted[l] = s->which[l] >= 0 && s->starting[l] == 1 && b->project_start;
        unmet[l] = 0;
    }
    if (b->project_start) NAME(project)(b, s, s->t, r->y, p, wanted, unmet, work);
    if (ADAPTIVE) {
        EACH_LANE moment[l] = (REAL)s->t[l];
        REFRESH(s->t);
        CALL_RHS(moment, r->y, p, r->k);
        NAME(first_step)(b, s, r->y, p, r->k, r->y_new, r->stage, work);
    }
    EACH_LANE if (s->which[l] >= 0 && s->starting[l])
    {
        if (!ADAPTIVE) s->h[l] = b->step;
        if (s->starting[l] == 1) {
            for (int i = 0; i < MARGINS; i++) AT(r->most, i) = 0;
            for (int i = 0; i < EVENTS; i++) AT(r->largest, i) = 0;
        }
        s->before[l] = LW_LEAST_ERROR;
        s->shrunk[l] = s->looked[l] = 0;
        s->next_look[l] = s->t[l];
        if (unmet[l] > 1e300) s->failed[l] = LW_CASE_LEFT;
        while (s->next_time[l] < b->times_count && b->times[s->next_time[l]] <= s->t[l])
            NAME(record)(b, s, l, r->y, s->next_time[l]++);
    }
    if (EVENTS) {
        REFRESH(s->t);
        NAME(arm)(b, s, r->y, p, r->side, r->g, work);
    }
    if (MARGINS) NAME(look)(b, s, r->y, p, r->root, r->earlier, r->most, work);
    EACH_LANE if (s->which[l] >= 0) s->starting[l] = 0;
}

/* After an attempt with that error: 1 accepted; the step to be tried next is in `next`. */
QUALIFIER int NAME(judge)(NAME(lanes) * s, int l, double error, double *next)
{
    if (!(error - error == 0)) {
        *next = 0.25 * s->h[l];
        s->rejected[l]++;
        s->shrunk[l] = 1;
        return 0;
    }
    double size = error > 1e-300 ? log(error) : -690.0, change;
    if (error > 1) {
        change = 0.9 * exp(-0.17 * size);
        *next = s->h[l] * (change < 0.2 ? 0.2 : change > 0.9 ? 0.9 : change);
        s->rejected[l]++;
        s->shrunk[l] = 1;
        return 0;
    }
    change = error > 0 ? 0.9 * exp(0.04 * s->before[l] - 0.17 * size) : 10;
    change = change > 10 ? 10 : change < 0.2 ? 0.2 : change;
    if (s->shrunk[l] && change > 1) change = 1;
    *next = s->h[l] * change;
    s->before[l] = size > LW_LEAST_ERROR ? size : LW_LEAST_ERROR;
    s->shrunk[l] = 0;
    return 1;
}

/* Marks accepted lanes; those that go on with a shorter step get it, those that cannot are failed. */
QUALIFIER void NAME(accept)(const lw_batch *b, NAME(lanes) * s, NAME(room) * r, const REAL *error, int *accepted,
                            double *next)
{
    REAL sum[LANES];
    double unmet[LANES];
    int wanted[LANES];
    const REAL *last = ADAPTIVE ? r->k + 6 * STATES * LANES : r->y_new;
    EACH_LANE sum[l] = 0;
    EACH_STATE LANEWISE ROW(sum, 0) += (ROW(r->y_new, i) + ROW(last, i)) * (REAL)0;
    EACH_LANE
    {
        accepted[l] = 0;
        unmet[l] = 0;
        wanted[l] = 0;
        next[l] = s->h[l];
        if (s->which[l] < 0 || s->failed[l]) continue;
        s->attempts[l]++;
        double size = sum[l] == 0 ? (ADAPTIVE ? (double)error[l] : 0.0) : HUGE_VAL;
        accepted[l] = ADAPTIVE ? NAME(judge)(s, l, size, next + l) : sum[l] == 0;
        wanted[l] = accepted[l] && (b->project_steps || (MARGINS && s->least[l] < NAME(near)));
    }
    if (b->project_steps || MARGINS) NAME(project)(b, s, s->t_new, r->y_new, r->p, wanted, unmet, r->work);
    EACH_LANE if (s->which[l] >= 0 && !s->failed[l])
    {
        if (wanted[l]) {
            int open = unmet[l] > NAME(UNMET) && b->project_steps == 1;
            if (unmet[l] < 0.1 * NAME(UNMET)) s->opened[l] = 0;
            if (unmet[l] > 1e300 || open) {
                accepted[l] = 0;
                next[l] = 0.25 * s->h[l];
                if (open && ++s->opened[l] > 10) s->failed[l] = LW_CASE_LEFT;
            }
        }
        double ahead = s->t_new[l] < 0 ? -s->t_new[l] : s->t_new[l], here = s->t[l] < 0 ? -s->t[l] : s->t[l];
        double least = 3.6e-15 * (ahead > here ? ahead : here); /* 16 units in the last place */
        int stuck = !ADAPTIVE || s->h[l] <= least;
        if (!accepted[l] && stuck) s->failed[l] = LW_CASE_LEFT;
        if (!accepted[l]) s->h[l] = next[l] < least ? least : next[l];
        if (s->attempts[l] >= b->max_steps && s->t_new[l] < b->t1) s->failed[l] = LW_CASE_LEFT;
        accepted[l] = accepted[l] && !s->failed[l];
        s->moved[l] = wanted[l];
    }
}

/* Accepted lanes are where their step ends; returns whether the slope there is not known. */
QUALIFIER int NAME(commit)(const lw_batch *b, NAME(lanes) * s, NAME(room) * r, const int *accepted, const double *next)
{
    int unknown = 0;
    int all = 1;
    EACH_LANE all &= accepted[l];
    if (all) EACH_STATE LANEWISE ROW(r->y, i) = ROW(r->y_new, i);
    else EACH_STATE EACH_LANE if (accepted[l]) AT(r->y, i) = AT(r->y_new, i);
    if (ADAPTIVE && all)
        for (int i = 0; i < STATES; i++) LANEWISE ROW(r->k, i) = ROW(r->k, 6 * STATES + i);
    else if (ADAPTIVE)
        for (int i = 0; i < STATES; i++) EACH_LANE if (accepted[l]) AT(r->k, i) = AT(r->k, 6 * STATES + i);
    EACH_LANE if (accepted[l])
    {
        unknown |= s->moved[l];
        s->t[l] = s->t_new[l];
        s->steps[l]++;
        s->accepted[l]++;
        if (ADAPTIVE) s->h[l] = next[l];
    }
    return unknown;
}

/* A lane that has come to a stop goes on behind it, with the same state; see `cross` in driver.c. */
QUALIFIER void NAME(cross)(const lw_batch *b, NAME(lanes) * s, int l, NAME(room) * r)
{
    double after = b->stops[2 * s->next_stop[l] + 1];
    if (after >= b->t1) {
        s->t[l] = b->t1;
        while (s->next_time[l] < b->times_count) NAME(record)(b, s, l, r->y, s->next_time[l]++);
        return;
    }
    if (EVENTS) { /* what jumps across zero there is for a closer look */
        s->failed[l] = LW_CASE_LEFT;
        return;
    }
    s->t[l] = s->begin[l] = after;
    s->steps[l] = 0;
    s->starting[l] = 2;
    NAME(look_ahead)(b, s, l);
}

/* Lanes that have arrived, or cannot go on here. */
QUALIFIER void NAME(settle)(const lw_batch *b, NAME(lanes) * s, NAME(room) * r)
{
    EACH_LANE if (s->which[l] >= 0)
    {
        while (!s->failed[l] && !s->ends[l] && s->t[l] >= s->end[l] && s->t[l] < b->t1) NAME(cross)(b, s, l, r);
        if (MARGINS && s->expected[l] - s->t[l] <= 1.5 * s->h[l] && s->expected[l] > s->t[l])
            s->failed[l] = LW_CASE_AFRESH;
        if (s->failed[l]) NAME(finish)(b, s, l, r->y, s->failed[l]);
        else if (s->ends[l]) NAME(finish)(b, s, l, r->y, LW_CASE_STOPPED);
        else if (s->t[l] >= b->t1) NAME(finish)(b, s, l, r->y, LW_CASE_DONE);
    }
}

/* Lanes without a case repeat what another computes: nothing in them may cost more, or trap. */
QUALIFIER void NAME(idle)(const lw_batch *b, NAME(lanes) * s, NAME(room) * r, int busy)
{
    EACH_LANE if (s->which[l] < 0)
    {
        s->t[l] = s->t[busy];
        s->h[l] = s->h[busy];
        s->t_new[l] = s->t_new[busy];
        s->end[l] = s->end[busy];
        s->starting[l] = 0;
        for (int i = 0; i < STATES; i++) AT(r->y, i) = r->y[i * LANES + busy];
        for (int i = 0; i < PARAMETERS; i++) AT(r->p, i) = r->p[i * LANES + busy];
        if (ADAPTIVE)
            for (int i = 0; i < STATES; i++) AT(r->k, i) = r->k[i * LANES + busy];
    }
}

/* All cases first, first + stride, ... */
QUALIFIER void NAME(cases)(const lw_batch *b, long long first, long long stride, NAME(room) * r)
{
    NAME(lanes) lanes, *s = &lanes;
    REAL error[LANES], moment[LANES], *p = r->p, *work = r->work;
    double next[LANES];
    int accepted[LANES], unknown = 0;
    EACH_LANE s->which[l] = -1;
    for (;;) {
        int busy = -1, starting = 0, empty = 0;
        EACH_LANE
        {
            if (s->which[l] < 0 && first < b->cases) {
                NAME(load)(b, s, l, first, r->y, p, r->side);
                first += stride;
            }
            if (s->which[l] >= 0) busy = l;
            else empty = 1;
            starting |= s->which[l] >= 0 && s->starting[l];
        }
        if (busy < 0) return;
        if (LANES > 1 && empty) NAME(idle)(b, s, r, busy);
        if (starting) NAME(start)(b, s, r);
        if (unknown && ADAPTIVE) {
            EACH_LANE moment[l] = (REAL)s->t[l];
            REFRESH(s->t);
            CALL_RHS(moment, r->y, p, r->k);
        }
        NAME(choose)(b, s);
        if (ADAPTIVE) NAME(dopri5)(b, s, r->y, p, r->y_new, r->stage, r->k, error, work);
        else NAME(rk4)(b, s, r->y, p, r->y_new, r->stage, r->k, work);
        NAME(accept)(b, s, r, error, accepted, next);
        EACH_LANE s->ends[l] = 0;
        if (!ADAPTIVE && (EVENTS || NAME(inner_times)(b, s, accepted))) NAME(end_slopes)(b, s, r);
        if (EVENTS) NAME(scan)(b, s, accepted, r);
        EACH_LANE accepted[l] = accepted[l] && !s->failed[l] && !s->ends[l];
        NAME(record_step)(b, s, accepted, r);
        unknown = NAME(commit)(b, s, r, accepted, next);
        if (MARGINS) NAME(look)(b, s, r->y, p, r->root, r->earlier, r->most, work);
        NAME(settle)(b, s, r);
    }
}
