/* Runs of one system that differ in their start and p, one after the other, without a word to the caller in between. */
#include "clock.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    lw_system *system;
    lw_options options;
    int64_t cases, next;
    const double *starts, *p; /* rows of each case */
    double *samples;          /* times_count rows of states of each case; NaN where not all of them were reached */
    int32_t *status;          /* as `lw_status`; LW_RUNNING: it did not give a sample for every time */
    int64_t *counters;        /* accepted, rejected steps of each case */
    lw_run *run;              /* the one that is under way */
} lw_many;

LW_API lw_many *lw_many_create(lw_system *system, const lw_options *options, int64_t cases, const double *starts,
                               const double *p, double *samples, int32_t *status, int64_t *counters)
{
    lw_many *many = calloc(1, sizeof *many);
    if (!many) return NULL;
    many->system = system;
    many->options = *options;
    many->cases = cases;
    many->starts = starts;
    many->p = p;
    many->samples = samples;
    many->status = status;
    many->counters = counters;
    return many;
}

LW_API void lw_many_destroy(lw_many *many)
{
    if (!many) return;
    if (many->run) lw_run_destroy(many->run);
    free(many);
}

/* Whether the next run is under way; it begins from its own start and p. */
static int begin_next(lw_many *many)
{
    int n = lw_states(many->system);
    int64_t width = many->system->parameters + many->system->inputs;
    if (many->run) return 1;
    memcpy(many->system->p, many->p + many->next * width, (size_t)width * sizeof(double));
    many->run = lw_run_create(many->system, &many->options, many->starts + many->next * n);
    return many->run != NULL;
}

static void keep(lw_many *many, int status)
{
    int n = lw_states(many->system);
    lw_run *run = many->run;
    int64_t times = many->options.times_count;
    double *to = many->samples + many->next * times * n;
    many->status[many->next] = status;
    if (run) {
        many->counters[2 * many->next] = run->counters[LW_N_ACCEPTED];
        many->counters[2 * many->next + 1] = run->counters[LW_N_REJECTED];
        for (int64_t k = 0; k < times && run->output.rows == times; k++)
            memcpy(to + k * n, run->output.data + k * run->output.width + 2, (size_t)n * sizeof(double));
        if (run->output.rows != times && status == LW_DONE) many->status[many->next] = LW_RUNNING;
    }
    if (!run || run->output.rows != times)
        for (int64_t k = 0; k < times * n; k++) to[k] = NAN;
    if (run) lw_run_destroy(run);
    many->run = NULL;
    many->next++;
}

/* Goes on for about `slice` seconds; how many runs have ended. */
LW_API int64_t lw_many_advance(lw_many *many, double slice)
{
    double began = lw_clock();
    while (many->next < many->cases) {
        double left = slice - (lw_clock() - began);
        if (left <= 0) break;
        int status = begin_next(many) ? lw_run_advance(many->run, left) : LW_MEMORY;
        if (status != LW_RUNNING) keep(many, status);
        else if (many->system->cancel) break;
    }
    return many->next;
}
