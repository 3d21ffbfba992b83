/* Inputs that vary with time: piecewise-linear tables, and one callback for the rest. */
#include "system.h"

static double interpolate(const double *times, const double *values, int count, int32_t *cursor, double t)
{
    if (t <= times[0] && !(count > 1 && times[1] == times[0])) return values[0];
    if (t >= times[count - 1]) return values[count - 1];
    int i = *cursor;
    if (i < 0 || i > count - 2) i = 0;
    /* Nearby in almost every call, so walk a little before searching. At a repeated time (a jump) the later holds. */
    for (int walk = 0; walk < 4 && !(times[i] <= t && t < times[i + 1]); walk++) {
        if (t < times[i] && i > 0) i--;
        else if (t >= times[i + 1] && i < count - 2) i++;
    }
    if (!(times[i] <= t && t < times[i + 1])) {
        int low = 0, high = count - 1;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (times[middle] <= t) low = middle;
            else high = middle;
        }
        i = low;
    }
    *cursor = i;
    double width = times[i + 1] - times[i];
    if (t < times[i]) return values[i];
    return width > 0 ? values[i] + (values[i + 1] - values[i]) * ((t - times[i]) / width) : values[i + 1];
}

void lw_signals_at(const lw_signals *signals, double t, double *u)
{
    for (int k = 0; k < signals->tables; k++) {
        int start = signals->start[k];
        u[signals->input[k]] = interpolate(signals->times + start, signals->values + start,
                                           signals->start[k + 1] - start, signals->cursor + k, t);
    }
    if (signals->callback) signals->callback(t, u);
}
