/* Prints derivatives and channels at the start. Given DURATION [STEPS], it then integrates by the
   classical Runge-Kutta method of fourth order, prints events and the last state and its channels. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#if 1
#include <string.h>
#endif

#define ROOM(n) ((n) > 0 ? (n) : 1)

static void print_state(const char *title, double t, const double *y) {
    double dy[ROOM(GOLDEN_STATES)], channels[ROOM(GOLDEN_CHANNELS)];
    int i;
    golden_rhs(t, y, golden_parameters, dy);
    golden_outputs(t, y, golden_parameters, channels);
    printf("# %s, t = %.17g s: state, value, derivative\n", title, t);
    for (i = 0; i < GOLDEN_STATES; i++)
        printf("%s %.17g %.17g\n", golden_state_names[i], y[i], dy[i]);
    printf("# %s: channel, value, unit\n", title);
    for (i = 0; i < GOLDEN_CHANNELS; i++)
        printf("%s %.17g %s\n", golden_channel_names[i], channels[i], golden_channel_units[i]);
}

static void step(double t, double h, double *y) {
    static const double reach[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double k[ROOM(GOLDEN_STATES)], at[ROOM(GOLDEN_STATES)], next[ROOM(GOLDEN_STATES)];
    int i, stage;
    for (i = 0; i < GOLDEN_STATES; i++) {
        next[i] = y[i];
        k[i] = 0.0;
    }
    for (stage = 0; stage < 4; stage++) {
        for (i = 0; i < GOLDEN_STATES; i++)
            at[i] = y[i] + reach[stage] * h * k[i];
        golden_rhs(t + reach[stage] * h, at, golden_parameters, k);
        for (i = 0; i < GOLDEN_STATES; i++)
            next[i] += weight[stage] * h / 6.0 * k[i];
    }
#if 0
    {
        double residual[2];
        golden_project(t + h, next, golden_parameters, y, residual);
    }
#else
    for (i = 0; i < GOLDEN_STATES; i++)
        y[i] = next[i];
#endif
}

#if 1
static int crosses(const double *before, const double *after, int k) {
    int d = golden_event_directions[k];
    return (d >= 0 && before[k] < 0.0 && after[k] >= 0.0) || (d <= 0 && before[k] > 0.0 && after[k] <= 0.0);
}

static int any(const double *before, const double *after) {
    int k;
    for (k = 0; k < GOLDEN_EVENTS; k++)
        if (crosses(before, after, k))
            return 1;
    return 0;
}

static void reach(double t, double h, const double *from, double *to, double *g) {
    int i;
    for (i = 0; i < GOLDEN_STATES; i++)
        to[i] = from[i];
    step(t, h, to);
    golden_events(t + h, to, golden_parameters, g);
}

/* From *t to end, with a new step at every event; 1 where one of them stops the run. */
static int advance(double *t, double end, double *y) {
    double before[GOLDEN_EVENTS], after[GOLDEN_EVENTS], next[ROOM(GOLDEN_STATES)];
    int i, k, stop = 0;
    while (*t < end && !stop) {
        double low = 0.0, high = end - *t;
        golden_events(*t, y, golden_parameters, before);
        reach(*t, high, y, next, after);
        if (any(before, after)) {
            for (i = 0; i < 60; i++) {
                double middle = 0.5 * (low + high);
                reach(*t, middle, y, next, after);
                if (any(before, after))
                    high = middle;
                else
                    low = middle;
            }
            reach(*t, high, y, next, after);
            for (k = 0; k < GOLDEN_EVENTS; k++)
                if (crosses(before, after, k)) {
                    printf("# event %s, t = %.17g s\n", golden_event_names[k], *t + high);
                    stop = stop || strcmp(golden_event_actions[k], "stop") == 0;
                }
        }
        for (i = 0; i < GOLDEN_STATES; i++)
            y[i] = next[i];
        *t = high < end - *t ? *t + high : end;
    }
    return stop;
}
#endif

int main(int count, char **words) {
    double y[ROOM(GOLDEN_STATES)];
    double t = 0.0, duration = count > 1 ? strtod(words[1], NULL) : 0.0;
    long steps = count > 2 ? strtol(words[2], NULL, 10) : 1000, n;
    int i;
    for (i = 0; i < GOLDEN_STATES; i++)
        y[i] = golden_start[i];
    print_state("start", 0.0, y);
    if (duration > 0.0 && steps > 0) {
        for (n = 0; n < steps; n++) {
#if 1
            if (advance(&t, duration * (double)(n + 1) / (double)steps, y))
                break;
#else
            step(t, duration / (double)steps, y);
            t = duration * (double)(n + 1) / (double)steps;
#endif
        }
        print_state("end", t, y);
    }
    return 0;
}
