/* Many cases of one system, what they are and where their results go. Mirrored field by field by `Batch` of the callers.
 *
 * Number k of case c is at data[c * case_stride + k * stride]: case by case on processors, number by number on graphics
 * cards, whose threads read the same number of neighbouring cases together. */
#ifndef LW_BATCH_H
#define LW_BATCH_H

typedef struct {
    double *data;
    long long case_stride, time_stride, stride;
} lw_rows;

/* A piecewise polynomial of scale * t + shift for one input; as in system.h, but coefficients may differ by case. */
typedef struct {
    int input, count, width, unused;
    double scale, shift, period;
    const double *times, *coefficients;
    long long case_stride; /* 0: the same for all cases */
} lw_batch_signal;

typedef struct {
    long long cases, max_steps, times_count, stops_count, log_room;
    int states, parameters, inputs, events, margins, adaptive, project_steps, project_start, signals_count, weighted;
    int first_speed, speeds; /* which states are speeds */
    double t0, t1, rtol, step, max_step;
    const double *atol, *weight, *unit; /* one per state; weight 0: left out of the error norm; natural unit */
    const double *times, *stops; /* stops: pairs, as in run.h */
    const lw_batch_signal *signals;
    const int *event_stops; /* 0: does not end the case; 1 falling, 2 either way, 3 rising: does so */
    lw_rows start, p, samples, reached;
    double *reached_time, *reached_step;
    int *status;
    long long *counters; /* accepted, rejected steps of each case */
    long long *log_count;
    double *log; /* rows: case, t, t_new, step, y...: steps in which an event may lie */
    void *rhs, *project, *event_values, *margin_values; /* machine code; not used on graphics cards */
    long long work_size;
} lw_batch;

/* How a case ended. LEFT: at the state reached, something needs a closer look than is taken here; AFRESH: a singular
 * position is ahead, which only a run from the start sees in time. */
enum { LW_CASE_DONE = 1, LW_CASE_STOPPED = 2, LW_CASE_LEFT = 3, LW_CASE_AFRESH = 4, LW_CASE_CANCELLED = 5 };
enum { LW_LOG_ROW = 4, LW_NEWTON_STEPS = 3, LW_MOST_STEPS = 12 };

#endif
