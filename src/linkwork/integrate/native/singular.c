/* Singular positions ahead: where loops lie flat, the constraints lose a direction for a moment and branches of the
 * motion cross. The motion itself goes straight through, but accelerations next to the crossing magnify every error by
 * one over the distance. So a step is laid such that the crossing falls where its method evaluates nothing.
 *
 * The margins m(t, y) say how far each row is from depending on those before it (1: far); next to a crossing they
 * shrink like distance squared. Their roots, continued along straight lines, tell when.
 * Newton's method with the matrix of one side diverges on the other: implicit methods leave this one step to an
 * explicit one (the relay) and start afresh behind it. */
#include "run.h"

#include <math.h>
#include <string.h>

static const double near = 0.3;      /* share of the largest margin seen below which a row is watched in every step */
static const double close = 0.1;     /* share below which a method with fixed steps is relieved */
static const double constant = 1e-3; /* roots of margins that never exceed this belong to redundant rows */
static const double reach = 4;       /* of an implicit method's steps far away, that the relay tries */
static const double pressed = 0.01;  /* of an implicit method's steps far away: where a crossing leaves no more, explicit ones do better */
static const double lately = 0.98;   /* of a rate, that still counts at the next look */
static const double little = 1e-3;   /* of the time until a margin vanishes, over which its rate is taken */
static const double smallest = 1e-4; /* roots below this are redundant rows, for all that one position can tell */

static void swap_methods(lw_run *run)
{
    lw_singular *c = &run->singular;
    const lw_method *method = run->method;
    void *state = run->state;
    run->method = c->method;
    run->state = c->state;
    c->method = method;
    c->state = state;
    c->relayed = !c->relayed;
}

int lw_singular_create(lw_run *run)
{
    lw_singular *c = &run->singular;
    c->count = run->system->margins ? run->system->margin_count : 0;
    c->expected = HUGE_VAL;
    c->cleaned = HUGE_VAL;
    c->least = 1;
    if (!c->count) return 1;
    double **vectors[] = {&c->root, &c->before, &c->most};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = lw_doubles(run, c->count))) return 0;
    c->row = -1;
    if (run->method->gap[0] > 0 || !run->system->rhs) return 1;
    c->method = run->options.fixed ? &lw_method_rk4 : &lw_method_dopri5;
    swap_methods(run);
    int made = run->method->create(run);
    swap_methods(run);
    return made;
}

void lw_singular_destroy(lw_run *run)
{
    lw_singular *c = &run->singular;
    if (!c->method || !c->state) return;
    swap_methods(run);
    run->method->destroy(run);
    swap_methods(run);
}

/* Margins at t, y: there is nothing before, or it does not matter any more. */
void lw_singular_forget(lw_run *run)
{
    run->singular.known = 0;
    run->singular.expected = HUGE_VAL;
    run->singular.next_look = run->t;
}

/* When the margin of c->row vanishes by its rate here: since the last look it has fallen faster and faster. */
static double by_rate(lw_run *run)
{
    lw_singular *c = &run->singular;
    if (!run->system->rhs) return c->expected;
    double ahead = c->expected - run->t, later = run->t + little * ahead, *slope = run->sample, *moved = run->y_new;
    lw_rhs(run, run->t, run->y, slope);
    for (int i = 0; i < run->n; i++) moved[i] = run->y[i] + little * ahead * slope[i];
    lw_refresh_inputs(run, later);
    const double *arg[3] = {&later, moved, run->system->p};
    double *res[1] = {c->before}, root = c->root[c->row];
    run->system->margins(arg, res, run->work);
    double rate = (root - sqrt(fmax(c->before[c->row], 0))) / (later - run->t);
    return rate > 0 ? fmin(run->t + root / rate, c->expected) : c->expected;
}

void lw_singular_look(lw_run *run)
{
    lw_singular *c = &run->singular;
    double since = run->t - c->time;
    if (run->t < c->next_look && !c->relayed) c->wish = run->h;
    if (!c->count || run->t < c->next_look || (c->known && since <= 0)) return;
    lw_refresh_inputs(run, run->t);
    const double *arg[3] = {&run->t, run->y, run->system->p};
    double *swap = c->before, *res[1], least = 1;
    c->before = c->root;
    c->root = swap;
    res[0] = c->root;
    run->system->margins(arg, res, run->work);
    c->expected = HUGE_VAL;
    c->swiftest *= lately;
    for (int i = 0; i < c->count; i++) {
        double root = c->root[i] = sqrt(fmax(c->root[i], 0));
        if (!(root <= HUGE_VAL)) root = c->root[i] = 1;
        c->most[i] = fmax(c->most[i], root);
        if (c->most[i] < constant) continue;
        least = fmin(least, root / c->most[i]);
        if (!c->known) continue;
        double rate = (c->before[i] - root) / since;
        c->swiftest = fmax(c->swiftest, fabs(rate) / c->most[i]);
        if (rate <= 0 || (root > near * c->most[i] && root > 2 * run->h * rate)) continue;
        double when = run->t + root / rate;
        if (when < c->expected) {
            c->expected = when;
            c->row = i;
        }
    }
    if (c->expected < HUGE_VAL) c->expected = by_rate(run);
    /* Far away every other step is enough, unless a third of the way could be gone by then. */
    int far = c->known && c->swiftest > 0 && least > 2 * near;
    c->next_look = far ? run->t + fmin(1.5 * run->h, 0.3 * (least - near) / c->swiftest) : run->t;
    if (least > near && !c->relayed) c->wish = run->h;
    c->least = least;
    c->time = run->t;
    c->known = 1;
}

static double longest(const lw_run *run)
{
    double most = run->options.max_step;
    return run->hold * most > 1 ? 1 / run->hold : most;
}

/* Shortens the step about to be tried so that a crossing ahead lies between its stages. */
void lw_singular_limit(lw_run *run)
{
    lw_singular *c = &run->singular;
    double h = run->h, ahead = c->expected - run->t;
    /* Implicit methods take ever shorter steps towards a singular position; the relay tries one from afar, as long as it
     * can be: the nearer it begins, the more of every error is magnified. */
    if (c->method && !c->relayed && !run->options.fixed) h = fmax(h, fmin(reach * c->wish, longest(run)));
    c->partial = c->passes = 0;
    if (!c->count || !(ahead > 0) || ahead > 1.5 * h) return;
    if (run->options.fixed && c->method && !c->relayed) return;
    const double *gap = run->method->gap[0] > 0 ? run->method->gap : c->method ? c->method->gap : NULL;
    if (!gap) return;
    double wanted = fmin(run->h, 0.5 * ahead); /* comes nearer first */
    for (int k = 1; k >= 0; k--)
        if (gap[k] > 0 && ahead <= gap[k] * h) wanted = ahead / gap[k];
    if (wanted < 0.05 * h) return; /* so near already that a shorter step would only have more of its stages here */
    if (fabs(wanted - run->h) > 1e-9 * h) {
        double left = run->end - run->t, until = wanted < left ? run->t + wanted : run->end;
        if (wanted > run->h && until <= c->expected) return; /* it would be no step of the relay */
        c->due = h;
        run->h = fmin(wanted, left);
        run->t_new = until;
        c->partial = 1;
    }
    c->passes = run->t_new > c->expected;
}

/* The method of the run has failed. A run that starts next to a singular position has seen no larger margins that would
 * tell: rows that are nearly determined by others are taken for such as will not stay so. Returns whether there are. */
int lw_singular_suspects(lw_run *run)
{
    lw_singular *c = &run->singular;
    int suspects = 0;
    if (!c->count || !c->method || c->relayed || !c->known) return 0;
    for (int i = 0; i < c->count; i++)
        if ((c->root[i] > smallest || c->most[i] > constant) && c->root[i] < close && c->most[i] < 1) {
            c->most[i] = 1;
            c->least = fmin(c->least, c->root[i]);
            suspects = c->suspected = 1;
        }
    return suspects;
}

/* Methods that solve the constraints at position level gain nothing by short steps next to a singular position, where
 * rounding takes it away, and fixed steps cannot be shortened for them: all steps there are left to the relay. */
static int needed(lw_run *run)
{
    lw_singular *c = &run->singular;
    const lw_method *own = c->relayed ? c->method : run->method;
    double h = run->options.fixed ? 2 * run->h_fixed : c->wish;
    if (!run->options.fixed && own != &lw_method_generalized_alpha && !c->suspected) {
        if (!c->relayed) c->pressed = run->h < pressed * c->wish;
        return c->pressed && c->least < close;
    }
    return c->least < close || c->expected - run->t < 1.5 * h;
}

/* Next to a singular position drift is magnified: states are moved onto the constraints there, whatever keeps them
 * elsewhere. Methods at position level have no drift. */
int lw_singular_projects(const lw_run *run)
{
    const lw_singular *c = &run->singular;
    if (!c->count || !run->system->project || run->method == &lw_method_generalized_alpha) return 0;
    return c->relayed || c->passes || c->least < near;
}

/* Before a step next to a crossing: to the explicit method. Where steps are not projected, states that have drifted off
 * the constraints are moved back in front of it, once. Returns the outcome of starting afresh. */
lw_outcome lw_singular_relay(lw_run *run)
{
    lw_singular *c = &run->singular;
    int relay = !c->relayed && c->method && (c->passes || needed(run));
    int clean = c->passes && !run->options.project_steps && run->system->project && c->cleaned != run->t;
    if (!relay && !clean) return LW_ACCEPTED;
    double h = run->h;
    if (relay) swap_methods(run);
    if (clean) {
        if (!lw_project(run, run->t, run->y)) return LW_STEP_NONFINITE;
        c->cleaned = run->t;
    }
    lw_outcome outcome = run->method->start(run);
    run->h = h;
    return outcome;
}

/* Back to the method of the run, which has to be started then. */
int lw_singular_back(lw_run *run)
{
    int relayed = run->singular.relayed;
    run->singular.passes = 0;
    if (relayed) swap_methods(run);
    return relayed;
}

/* After an accepted step: back to the method of the run, behind the crossing. */
lw_outcome lw_singular_return(lw_run *run)
{
    double h = run->h;
    if (run->singular.relayed && (run->inside || needed(run))) return LW_ACCEPTED;
    if (!lw_singular_back(run)) return LW_ACCEPTED;
    run->idle = run->t >= run->end;
    if (run->idle) return LW_ACCEPTED;
    lw_outcome outcome = run->method->start(run);
    if (outcome == LW_STEP_NEWTON && lw_singular_suspects(run)) { /* still too near */
        swap_methods(run);
        outcome = run->method->start(run);
        run->h = h;
        return outcome;
    }
    if (!run->options.fixed) run->h = fmax(run->h, 0.1 * h);
    return outcome;
}
