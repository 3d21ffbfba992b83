"""The main program that goes with generated C: prints the start, and integrates if it is given a time."""

from typing import Final

MAIN: Final = r"""/* Prints derivatives and channels at the start. Given DURATION [STEPS], it then integrates by the
   classical Runge-Kutta method of fourth order and prints the last state and its channels. */
#include "@name@.h"

#include <stdio.h>
#include <stdlib.h>

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

int main(int count, char **words) {
    double y[ROOM(@NAME@_STATES)];
    double duration = count > 1 ? strtod(words[1], NULL) : 0.0;
    long steps = count > 2 ? strtol(words[2], NULL, 10) : 1000, n;
    int i;
    for (i = 0; i < @NAME@_STATES; i++)
        y[i] = @name@_start[i];
    print_state("start", 0.0, y);
    if (duration > 0.0 && steps > 0) {
        for (n = 0; n < steps; n++)
            step(duration * (double)n / (double)steps, duration / (double)steps, y);
        print_state("end", duration, y);
    }
    return 0;
}
"""
"""@name@ and @NAME@ stand for the model, @PROJECT@ for whether there is a projection on the constraints."""
