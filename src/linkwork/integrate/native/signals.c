/* Inputs that vary with time: piecewise polynomials, and one callback for the rest. */
#include "system.h"

#include <math.h>

/* The piece in which t lies, 0 .. count: piece i holds from times[i - 1] on; at a time itself the later one holds. */
static int32_t piece_at(const double *times, int32_t count, int32_t cursor, double t)
{
    int32_t i = cursor < 0 || cursor > count ? 0 : cursor;
    /* Nearby in almost every call, so walk a little before searching. */
    for (int walk = 0; walk < 4; walk++) {
        if (i > 0 && t < times[i - 1]) i--;
        else if (i < count && t >= times[i]) i++;
        else return i;
    }
    int32_t low = 0, high = count; /* the number of times that are not after t */
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (times[middle] <= t) low = middle + 1;
        else high = middle;
    }
    return low;
}

void lw_signals_at(const lw_signals *signals, double t, double *u)
{
    for (int32_t k = 0; k < signals->count; k++) {
        const lw_signal *s = signals->all + k;
        double x = s->scale * t + s->shift;
        if (s->period > 0) {
            x -= s->period * floor((x - s->times[0]) / s->period);
            if (x < s->times[0]) x = s->times[0];
        }
        int32_t i = signals->cursor[k] = piece_at(s->times, s->count, signals->cursor[k], x);
        const double *c = s->coefficients + (int64_t)i * s->width;
        double local = x - s->times[i > 0 ? i - 1 : 0], sum = 0;
        for (int32_t j = s->width - 1; j >= 0; j--) sum = sum * local + c[j];
        u[s->input] = sum;
    }
    if (signals->callback) signals->callback(t, u);
}
