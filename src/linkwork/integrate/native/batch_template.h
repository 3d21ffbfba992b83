/* Explicit Runge-Kutta methods for LANES cases side by side: the classical one of order 4 with fixed steps, and Dormand
 * and Prince 5(4) with steps of each case's own. The same text is compiled for processors, with functions that treat a
 * vector of cases, and for graphics cards, where each thread is one lane.
 *
 * A lane that has finished takes the next case; what happens in one lane never depends on the others. Numbers are in
 * rows of LANES. To be defined before: REAL, LANES, NAME, QUALIFIER (of functions), CONSTANT (of tables), RESTRICT,
 * UNROLLED and ROLLED (before loops), PROJECTED (what a projection may leave), ARRAY (rows for the time being), STATES, FIRST_SPEED, SPEEDS,
 * PARAMETERS, EVENTS, MARGINS, SIGNALS (how many of each), ADAPTIVE (steps of its own, or fixed ones), CALL_RHS,
 * CALL_STAGE, CALL_PROJECT, CALL_EVENTS, CALL_MARGINS, TAKE_LOG_ROW. */

#define EACH_LANE for (int l = 0; l < LANES; l++)
#define EACH_STATE UNROLLED for (int i = 0; i < STATES; i++)
#define AT(x, i) (x)[(i) * LANES + l]

/* A statement for all lanes: ROW(x, i) is row i as one vector, where the compiler has such, or else its lane l. */
#if LANES > 1 && defined(__GNUC__)
typedef REAL NAME(row) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef long long NAME(bits) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define LANEWISE
#define ROW(x, i) (((NAME(row) *)(x))[i])
#define ROW_TYPE NAME(row)
#define ROW_SIZE(x) ((NAME(row))((NAME(bits))(x) & 0x7fffffffffffffffLL))
#define ROW_LARGER(a, b) ((NAME(row))((((a) > (b)) & (NAME(bits))(a)) | (~((a) > (b)) & (NAME(bits))(b))))
#else
#define LANEWISE EACH_LANE
#define ROW(x, i) AT(x, i)
#define ROW_TYPE REAL
#define ROW_SIZE(x) ((x) < 0 ? -(x) : (x))
#define ROW_LARGER(a, b) ((a) > (b) ? (a) : (b))
#endif

typedef struct {
    long long which[LANES]; /* case; -1: none */
    double t[LANES], t_new[LANES], h[LANES], end[LANES], due[LANES], begin[LANES], before[LANES];
    double look_time[LANES], next_look[LANES], least[LANES], expected[LANES], swiftest[LANES];
    long long steps[LANES], attempts[LANES], accepted[LANES], rejected[LANES];
    long long next_time[LANES], next_stop[LANES];
    int starting[LANES], failed[LANES], looked[LANES], opened[LANES], ends[LANES], shrunk[LANES], moved[LANES];
} NAME(lanes);

static CONSTANT double NAME(UNMET) = 1e-3;    /* as in driver.c */
static CONSTANT double NAME(SINGULAR_GAIN) = 1e3; /* as in run.c, as are NEWTON_STEPS and MOST_STEPS */
static CONSTANT double NAME(near) = 0.3;      /* as in singular.c */
static CONSTANT double NAME(lately) = 0.98;   /* as in singular.c */
static CONSTANT double NAME(constant) = 1e-3; /* as in singular.c */

QUALIFIER void NAME(inputs_at)(const lw_batch *b, const NAME(lanes) * s, const double *time, REAL *p)
{
    for (int k = 0; k < SIGNALS; k++) {
        const lw_batch_signal *g = b->signals + k;
        EACH_LANE {
            double x = g->scale * time[l] + g->shift, sum = 0;
            if (g->period > 0) {
                x -= g->period * floor((x - g->times[0]) / g->period);
                if (x < g->times[0]) x = g->times[0];
            }
            int low = 0, high = g->count; /* the number of times that are not after x */
            while (low < high) {
                int middle = low + (high - low) / 2;
                if (g->times[middle] <= x) low = middle + 1;
                else high = middle;
            }
            long long which = s->which[l] > 0 ? s->which[l] : 0;
            const double *c = g->coefficients + which * g->case_stride + (long long)low * g->width;
            double local = x - g->times[low > 0 ? low - 1 : 0];
            for (int j = g->width - 1; j >= 0; j--) sum = sum * local + c[j];
            AT(p, b->parameters + g->input) = (REAL)sum;
        }
    }
}

#define REFRESH(time) \
    if (SIGNALS) NAME(inputs_at)(b, s, time, p)

/* Moves lanes in `wanted` onto the constraints; `unmet`: what was left before the last step, infinite where it failed. */
QUALIFIER void NAME(project)(const lw_batch *b, const NAME(lanes) * s, const double *time, REAL *y, REAL *p,
                             const int *wanted, double *unmet, REAL *work)
{
    REAL moment[LANES], residual[2 * LANES];
    REAL change[LANES];
    double little = b->rtol > 1e-10 ? b->rtol : 1e-10;
    int open[LANES], any = 0;
    ARRAY(moved, STATES);
    EACH_LANE
    {
        open[l] = wanted[l];
        any |= open[l];
        moment[l] = (REAL)time[l];
        if (wanted[l]) unmet[l] = 0;
    }
    if (!any) return;
    REFRESH(time);
    ROLLED for (int k = 0; k < LW_MOST_STEPS && any; k++)
    {
        CALL_PROJECT(moment, y, p, moved, residual);
        REAL sum[LANES];
        EACH_LANE sum[l] = 0;
        EACH_STATE LANEWISE ROW(sum, 0) += ROW(moved, i) * (REAL)0;
        EACH_LANE change[l] = 0;
        UNROLLED for (int i = FIRST_SPEED; i < FIRST_SPEED + SPEEDS; i++)
        {
            REAL per_unit = (REAL)(1 / b->unit[i]);
            LANEWISE
            {
                ROW_TYPE by = ROW(moved, i) - ROW(y, i);
                by = ROW_SIZE(by) * per_unit;
                ROW(change, 0) = ROW_LARGER(by, ROW(change, 0));
            }
        }
        int all = 1;
        EACH_LANE all &= open[l] && sum[l] == 0;
        if (all) EACH_STATE LANEWISE ROW(y, i) = ROW(moved, i);
        else EACH_STATE EACH_LANE if (open[l] && sum[l] == 0) AT(y, i) = AT(moved, i);
        any = 0;
        EACH_LANE if (open[l])
        {
            unmet[l] = sum[l] == 0 ? (double)AT(residual, 0) : HUGE_VAL;
            int whole = (double)change[l] <= NAME(SINGULAR_GAIN) * (double)AT(residual, 1) || (double)change[l] <= little;
            open[l] = sum[l] == 0 && !(whole && (AT(residual, 0) <= PROJECTED || k + 1 >= LW_NEWTON_STEPS));
            any |= open[l];
        }
    }
}

/* RMS of error / (atol + rtol max(|a|, |b|)) of each lane. */
QUALIFIER void NAME(norm)(const lw_batch *b, const REAL *error, const REAL *a, const REAL *c, REAL *norm)
{
    REAL rtol = (REAL)b->rtol;
    EACH_LANE norm[l] = 0;
    EACH_STATE
    {
        REAL atol = (REAL)b->atol[i], weight = (REAL)b->weight[i];
        LANEWISE
        {
            ROW_TYPE x = ROW_SIZE(ROW(a, i)), z = ROW_SIZE(ROW(c, i)), most = ROW_LARGER(x, z);
            ROW_TYPE ratio = weight * ROW(error, i) / (atol + rtol * most);
            ROW(norm, 0) += ratio * ratio;
        }
    }
    REAL share = b->weighted ? (REAL)1 / (REAL)b->weighted : 0;
    EACH_LANE norm[l] = (REAL)sqrt((double)(norm[l] * share));
}

/* Where steps of a lane must end next. */
QUALIFIER void NAME(look_ahead)(const lw_batch *b, NAME(lanes) * s, int l)
{
    while (s->next_stop[l] < b->stops_count && b->stops[2 * s->next_stop[l] + 1] <= s->t[l]) s->next_stop[l]++;
    int stops = s->next_stop[l] < b->stops_count && b->stops[2 * s->next_stop[l]] < b->t1;
    s->end[l] = stops ? b->stops[2 * s->next_stop[l]] : b->t1;
}

QUALIFIER void NAME(record)(const lw_batch *b, const NAME(lanes) * s, int l, const REAL *y, long long k)
{
    const lw_rows *rows = &b->samples;
    double *at = rows->data + s->which[l] * rows->case_stride + k * rows->time_stride;
    EACH_STATE at[i * rows->stride] = (double)AT(y, i);
}

QUALIFIER void NAME(finish)(const lw_batch *b, NAME(lanes) * s, int l, const REAL *y, int status)
{
    long long c = s->which[l];
    const lw_rows *rows = &b->reached;
    EACH_STATE rows->data[c * rows->case_stride + i * rows->stride] = (double)AT(y, i);
    b->reached_time[c] = s->t[l];
    b->reached_step[c] = s->h[l];
    b->status[c] = status;
    b->counters[2 * c] = s->accepted[l];
    b->counters[2 * c + 1] = s->rejected[l];
    s->which[l] = -1;
}

QUALIFIER void NAME(load)(const lw_batch *b, NAME(lanes) * s, int l, long long c, REAL *y, REAL *p, REAL *side)
{
    EACH_STATE AT(y, i) = (REAL)b->start.data[c * b->start.case_stride + i * b->start.stride];
    UNROLLED for (int i = 0; i < PARAMETERS; i++)
        AT(p, i) = (REAL)b->p.data[c * b->p.case_stride + i * b->p.stride];
    UNROLLED for (int i = 0; i < EVENTS; i++) AT(side, i) = 0;
    s->which[l] = c;
    s->t[l] = s->begin[l] = b->t0;
    s->due[l] = 0;
    s->steps[l] = s->attempts[l] = s->accepted[l] = s->rejected[l] = s->next_time[l] = s->next_stop[l] = 0;
    s->failed[l] = s->looked[l] = s->opened[l] = s->ends[l] = s->moved[l] = 0;
    s->least[l] = 1;
    s->swiftest[l] = 0;
    s->expected[l] = s->next_look[l] = HUGE_VAL;
    s->starting[l] = 1;
    NAME(look_ahead)(b, s, l);
    if (s->end[l] <= s->t[l] && s->end[l] < b->t1) {
        double after = b->stops[2 * s->next_stop[l] + 1];
        s->t[l] = s->begin[l] = after < b->t1 ? after : b->t1;
        NAME(look_ahead)(b, s, l);
    }
}

/* A first step from the first and second derivatives at the start, as in run.c. */
QUALIFIER void NAME(first_step)(const lw_batch *b, NAME(lanes) * s, const REAL *y, REAL *p, const REAL *k1, REAL *moved,
                                REAL *slope, REAL *work)
{
    REAL d0[LANES], d1[LANES], d2[LANES], moment[LANES];
    double h[LANES], time[LANES], limit[LANES];
    NAME(norm)(b, y, y, y, d0);
    NAME(norm)(b, k1, y, y, d1);
    EACH_LANE
    {
        limit[l] = s->end[l] - s->t[l] < b->max_step ? s->end[l] - s->t[l] : b->max_step;
        h[l] = d0[l] < (REAL)1e-5 || d1[l] < (REAL)1e-5 ? 1e-6 : 0.01 * (double)d0[l] / (double)d1[l];
        if (h[l] > limit[l]) h[l] = limit[l];
        time[l] = s->t[l] + h[l];
        moment[l] = (REAL)time[l];
    }
    EACH_STATE EACH_LANE AT(moved, i) = AT(y, i) + (REAL)h[l] * AT(k1, i);
    REFRESH(time);
    CALL_RHS(moment, moved, p, slope);
    EACH_STATE EACH_LANE AT(slope, i) = (AT(slope, i) - AT(k1, i)) / (REAL)h[l];
    NAME(norm)(b, slope, y, y, d2);
    EACH_LANE if (s->starting[l])
    {
        double most = d2[l] > d1[l] ? (double)d2[l] : (double)d1[l];
        double better = most <= 1e-15 ? (1e-3 * h[l] > 1e-6 ? 1e-3 * h[l] : 1e-6) : pow(0.01 / most, 1.0 / 6);
        if (better > 100 * h[l]) better = 100 * h[l];
        if (!(most <= 1e300)) better = 1e-3 * h[l];
        s->h[l] = b->step > 0 ? b->step : better;
        if (s->h[l] > limit[l]) s->h[l] = limit[l];
        /* After a stop the step that was due is no worse a guess, unless this one is very much shorter. */
        if (s->due[l] > s->h[l]) s->h[l] = s->due[l] < 30 * s->h[l] ? s->due[l] : 30 * s->h[l];
    }
}

/* The signs of events at the state of lanes that start. */
QUALIFIER void NAME(arm)(const lw_batch *b, const NAME(lanes) * s, const REAL *y, REAL *p, REAL *side, REAL *g,
                         REAL *work)
{
    REAL moment[LANES];
    EACH_LANE moment[l] = (REAL)s->t[l];
    CALL_EVENTS(moment, y, p, g);
    for (int i = 0; i < EVENTS; i++) EACH_LANE if (s->starting[l])
        {
            REAL value = AT(g, i);
            if (value != 0) AT(side, i) = value > 0 ? (REAL)1 : (REAL)-1;
        }
}

/* Margins of the constraints, as in singular.c: `least` share of the largest seen, and when one is expected to vanish. */
QUALIFIER void NAME(look)(const lw_batch *b, NAME(lanes) * s, const REAL *y, REAL *p, REAL *root, REAL *earlier,
                          REAL *most, REAL *work)
{
    REAL moment[LANES];
    double least[LANES];
    int wanted[LANES], any = 0;
    EACH_LANE
    {
        wanted[l] = s->which[l] >= 0 && !(s->t[l] < s->next_look[l]) && !(s->looked[l] && s->t[l] <= s->look_time[l]);
        any |= wanted[l];
        moment[l] = (REAL)s->t[l];
        least[l] = 1;
    }
    if (!any) return;
    REFRESH(s->t);
    for (int i = 0; i < MARGINS; i++) EACH_LANE if (wanted[l]) AT(earlier, i) = AT(root, i);
    REAL *now = earlier + MARGINS * LANES;
    CALL_MARGINS(moment, y, p, now);
    EACH_LANE if (wanted[l])
    {
        s->expected[l] = HUGE_VAL;
        s->swiftest[l] *= NAME(lately);
    }
    for (int i = 0; i < MARGINS; i++) EACH_LANE if (wanted[l])
        {
            double value = sqrt(AT(now, i) > 0 ? (double)AT(now, i) : 0.0);
            if (!(AT(now, i) - AT(now, i) == 0)) value = 1;
            AT(root, i) = (REAL)value;
            if (value > (double)AT(most, i)) AT(most, i) = (REAL)value;
            double largest = (double)AT(most, i);
            if (largest < NAME(constant)) continue;
            if (value / largest < least[l]) least[l] = value / largest;
            if (!s->looked[l]) continue;
            double rate = ((double)AT(earlier, i) - value) / (s->t[l] - s->look_time[l]);
            double speed = (rate < 0 ? -rate : rate) / largest;
            if (speed > s->swiftest[l]) s->swiftest[l] = speed;
            if (rate <= 0 || (value > NAME(near) * largest && value > 2 * s->h[l] * rate)) continue;
            double when = s->t[l] + value / rate;
            if (when < s->expected[l]) s->expected[l] = when;
        }
    EACH_LANE if (wanted[l])
    {
        int far = s->looked[l] && s->swiftest[l] > 0 && least[l] > 2 * NAME(near);
        double ahead = far ? 0.3 * (least[l] - NAME(near)) / s->swiftest[l] : 0;
        if (ahead > 1.5 * s->h[l]) ahead = 1.5 * s->h[l];
        s->next_look[l] = s->t[l] + ahead;
        s->least[l] = least[l];
        s->look_time[l] = s->t[l];
        s->looked[l] = 1;
    }
}

/* Sets h and t_new of the next attempt of each lane, as in driver.c. */
QUALIFIER void NAME(choose)(const lw_batch *b, NAME(lanes) * s)
{
    EACH_LANE if (s->which[l] >= 0)
    {
        double left = s->end[l] - s->t[l];
        s->due[l] = s->h[l];
        if (!ADAPTIVE) {
            s->h[l] = b->step;
            s->t_new[l] = s->begin[l] + (double)(s->steps[l] + 1) * b->step;
            if (s->t_new[l] >= s->end[l] - 1e-9 * b->step) {
                double off = left - s->h[l];
                if ((off < 0 ? -off : off) > 1e-9 * b->step) s->h[l] = left;
                s->t_new[l] = s->end[l];
            }
            continue;
        }
        if (s->h[l] > b->max_step) s->h[l] = b->max_step;
        if (1.01 * s->h[l] >= left) {
            s->h[l] = left;
            s->t_new[l] = s->end[l];
            continue;
        }
        if (2 * s->h[l] > left) s->h[l] = 0.5 * left; /* no sliver of a last step */
        s->t_new[l] = s->t[l] + s->h[l];
    }
}

/* Whether the values of an event at five places of a step leave open that it has a zero there, as in events.c. */
QUALIFIER int NAME(unclear)(const REAL *g, double side, double largest)
{
    const double x[5] = {0, 0.2271, 0.5389, 0.7913, 1};
    double v[5], low = HUGE_VAL, high = -HUGE_VAL, nearest = HUGE_VAL, off = 0;
    for (int k = 0; k < 5; k++) {
        v[k] = (double)g[k];
        double size = v[k] < 0 ? -v[k] : v[k];
        if (v[k] < low) low = v[k];
        if (v[k] > high) high = v[k];
        if (size < nearest) nearest = size;
        if (side * v[k] < 0) return 1;
    }
    if (!(low > 0 || high < 0)) return 1;
    for (int k = 1; k < 5; k += 2) {
        double a = (x[k] - x[2]) * (x[k] - 1) / x[2], c = x[k] * (x[k] - 1) / (x[2] * (x[2] - 1));
        double d = x[k] * (x[k] - x[2]) / (1 - x[2]), miss = a * v[0] + c * v[2] + d * v[4] - v[k];
        if (miss < 0) miss = -miss;
        if (miss > off) off = miss;
    }
    double c = ((v[4] - v[0]) - (v[2] - v[0]) / x[2]) / (1 - x[2]), d = v[4] - v[0] - c;
    double bend = c < 0 ? -c : c, tilt = d < 0 ? -d : d;
    if (c != 0 && d * c < 0 && tilt < 2 * bend) {
        double bottom = v[0] - d * d / (4 * c), depth = bottom < 0 ? -bottom : bottom;
        if (bottom * v[0] < 0) return 1;
        if (depth < nearest) nearest = depth;
    }
    return off > 1e-6 * largest && off > nearest;
}

#include "batch_methods.h"
#include "batch_loop.h"
