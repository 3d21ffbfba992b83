"""The main program that goes with generated C: prints the start, and integrates if it is given a time."""

from typing import Final

MAIN: Final = r"""/* Prints derivatives and channels at the start. Given DURATION [STEPS], it then integrates by the
   classical Runge-Kutta method of fourth order, prints events and the last state and its channels. */
#include "@name@.h"

#include <stdio.h>
#include <stdlib.h>
#if @EVENTS@
#include <string.h>
#endif

#define ROOM(n) ((n) > 0 ? (n) : 1)

static void print_state(const char *title, double t, const double *y) {
    double dy[ROOM(@NAME@_STATES)], channels[ROOM(@NAME@_CHANNELS)];
    int i;
    @name@_rhs(t, y, @name@_parameters, dy);
    @name@_outputs(t, y, @name@_parameters, channels);
    printf("# %s, t = %.17g s: state, value, derivative\n", title, t);
    for (i = 0; i < @NAME@_STATES; i++)
        printf("%s %.17g %.17g\n", @name@_state_names[i], y[i], dy[i]);
    printf("# %s: channel, value, unit\n", title);
    for (i = 0; i < @NAME@_CHANNELS; i++)
        printf("%s %.17g %s\n", @name@_channel_names[i], channels[i], @name@_channel_units[i]);
}

static void step(double t, double h, double *y) {
    static const double reach[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double k[ROOM(@NAME@_STATES)], at[ROOM(@NAME@_STATES)], next[ROOM(@NAME@_STATES)];
    int i, stage;
    for (i = 0; i < @NAME@_STATES; i++) {
        next[i] = y[i];
        k[i] = 0.0;
    }
    for (stage = 0; stage < 4; stage++) {
        for (i = 0; i < @NAME@_STATES; i++)
            at[i] = y[i] + reach[stage] * h * k[i];
        @name@_rhs(t + reach[stage] * h, at, @name@_parameters, k);
        for (i = 0; i < @NAME@_STATES; i++)
            next[i] += weight[stage] * h / 6.0 * k[i];
    }
#if @PROJECT@
    {
        double residual[2];
        @name@_project(t + h, next, @name@_parameters, y, residual);
    }
#else
    for (i = 0; i < @NAME@_STATES; i++)
        y[i] = next[i];
#endif
}

#if @EVENTS@
static int crosses(const double *before, const double *after, int k) {
    int d = @name@_event_directions[k];
    return (d >= 0 && before[k] < 0.0 && after[k] >= 0.0) || (d <= 0 && before[k] > 0.0 && after[k] <= 0.0);
}

static int any(const double *before, const double *after) {
    int k;
    for (k = 0; k < @NAME@_EVENTS; k++)
        if (crosses(before, after, k))
            return 1;
    return 0;
}

static void reach(double t, double h, const double *from, double *to, double *g) {
    int i;
    for (i = 0; i < @NAME@_STATES; i++)
        to[i] = from[i];
    step(t, h, to);
    @name@_events(t + h, to, @name@_parameters, g);
}

/* From *t to end, with a new step at every event; 1 where one of them stops the run. */
static int advance(double *t, double end, double *y) {
    double before[@NAME@_EVENTS], after[@NAME@_EVENTS], next[ROOM(@NAME@_STATES)];
    int i, k, stop = 0;
    while (*t < end && !stop) {
        double low = 0.0, high = end - *t;
        @name@_events(*t, y, @name@_parameters, before);
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
            for (k = 0; k < @NAME@_EVENTS; k++)
                if (crosses(before, after, k)) {
                    printf("# event %s, t = %.17g s\n", @name@_event_names[k], *t + high);
                    stop = stop || strcmp(@name@_event_actions[k], "stop") == 0;
                }
        }
        for (i = 0; i < @NAME@_STATES; i++)
            y[i] = next[i];
        *t = high < end - *t ? *t + high : end;
    }
    return stop;
}
#endif

int main(int count, char **words) {
    double y[ROOM(@NAME@_STATES)];
    double t = 0.0, duration = count > 1 ? strtod(words[1], NULL) : 0.0;
    long steps = count > 2 ? strtol(words[2], NULL, 10) : 1000, n;
    int i;
    for (i = 0; i < @NAME@_STATES; i++)
        y[i] = @name@_start[i];
    print_state("start", 0.0, y);
    if (duration > 0.0 && steps > 0) {
        for (n = 0; n < steps; n++) {
#if @EVENTS@
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
"""
"""@name@ and @NAME@ stand for the model, @PROJECT@ for whether there is a projection on the constraints, @EVENTS@ for
whether something is located."""
