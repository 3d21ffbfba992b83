/* Prints derivatives and channels at the start. Given DURATION [STEPS], it then integrates by the
   classical Runge-Kutta method of fourth order and prints the last state and its channels. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

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

int main(int count, char **words) {
    double y[ROOM(GOLDEN_STATES)];
    double duration = count > 1 ? strtod(words[1], NULL) : 0.0;
    long steps = count > 2 ? strtol(words[2], NULL, 10) : 1000, n;
    int i;
    for (i = 0; i < GOLDEN_STATES; i++)
        y[i] = golden_start[i];
    print_state("start", 0.0, y);
    if (duration > 0.0 && steps > 0) {
        for (n = 0; n < steps; n++)
            step(duration * (double)n / (double)steps, duration / (double)steps, y);
        print_state("end", duration, y);
    }
    return 0;
}
