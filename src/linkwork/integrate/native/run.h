/* One integration in progress: options, current state, method, records. */
#ifndef LW_RUN_H
#define LW_RUN_H

#include "system.h"

typedef enum {
    LW_RUNNING = 0,
    LW_DONE = 1,
    LW_STOPPED = 2, /* by an event */
    LW_NONFINITE = 3,
    LW_UNDERFLOW = 4,
    LW_NEWTON = 5,
    LW_MAX_STEPS = 6,
    LW_MEMORY = 7,
    LW_OPEN = 8, /* the constraints cannot be met */
    LW_COARSE = 9 /* fixed steps are too long for what is touched */
} lw_status;

/* What one attempted step came to. */
typedef enum { LW_ACCEPTED, LW_REJECTED, LW_STEP_NONFINITE, LW_STEP_NEWTON, LW_STEP_OPEN } lw_outcome;

enum { LW_RK4 = 0, LW_DOPRI5 = 1, LW_DOP853 = 2, LW_GENERALIZED_ALPHA = 3, LW_RADAU = 4 };

enum {
    LW_N_ACCEPTED,
    LW_N_REJECTED,
    LW_N_RHS,
    LW_N_JACOBIANS,
    LW_N_FACTORISATIONS,
    LW_N_NEWTON,
    LW_N_PROJECTIONS,
    LW_COUNTERS
};

/* Pattern of the Newton matrix, prepared by the caller: the function's nonzeros plus the whole diagonal, compressed
 * columns, with the elimination order. `place[k]` is where nonzero k of the function goes. */
typedef struct {
    int32_t n, source_nonzeros;
    const int32_t *column_start, *row, *place, *order;
} lw_pattern;

/* Mirrored field by field by `_Options` in binding.py. */
typedef struct {
    int32_t method, fixed, project_steps, project_outputs; /* project_steps: 1 if what is left is to be watched, 2 if not */
    double t0, t1, rtol;
    const double *atol; /* one per y */
    double step;        /* fixed or first step; 0: choose */
    double max_step, min_step;
    int64_t max_steps;
    int64_t stiff_after; /* steps in a row that a fast mode holds back, after which dopri5 ends as at max_steps; 0: never */
    const double *stops; /* pairs: no step goes across from the first to the second of a pair, increasing */
    int64_t stops_count; /* of pairs */
    const double *times; /* increasing, within [t0, t1]; NULL: record every accepted step */
    int64_t times_count;
    double coefficient[6]; /* generalized-alpha: alpha_m, alpha_f, beta, gamma, bound and share (see its source) */
    const double *scale;   /* generalized-alpha: one per speed and z; NULL: not needed */
    lw_pattern pattern;
} lw_options;

/* Rows of doubles that grow. */
typedef struct {
    double *data;
    int64_t rows, capacity, width;
} lw_table;

typedef struct lw_run lw_run;

typedef struct {
    int (*create)(lw_run *); /* 0 when out of memory */
    void (*destroy)(lw_run *);
    lw_outcome (*start)(lw_run *);                       /* (re)start at run->t, run->y without history */
    lw_outcome (*attempt)(lw_run *);                     /* from t, y over h into y_new; sets h_next */
    void (*interpolate)(lw_run *, double t, double *y);  /* inside the step just accepted, before `commit` */
    void (*commit)(lw_run *);                            /* y_new (perhaps projected) becomes y */
    double finest; /* how closely a fixed-step method may step up to a restart, in steps */
    double gap[2]; /* shares of a step, increasing, that are far from every evaluation; 0: there is none */
    void (*renew)(lw_run *); /* the equations are others from here on; NULL: it has to be started anew */
} lw_method;

/* What is known of the next singular position; see singular.c. */
typedef struct {
    int count, known, row; /* margins; whether there are any yet; the row that is expected to vanish */
    double *root, *before, *most;
    double time, next_look, expected, cleaned, least, wish; /* cleaned: when states were projected last; least share of a margin; wish: the last step far from it */
    int pressed;  /* an implicit method was left with short steps */
    double due; /* the step before it was shortened for a crossing */
    double swiftest; /* rate of a share that was seen lately: where a margin is largest, its rate tells nothing */
    int partial, passes, relayed; /* step of another length; it passes the crossing; by the relay */
    int suspected; /* whether a run that failed was told that it is next to a singular position */
    const lw_method *method;      /* the one that is not at work now; NULL: there is only one */
    void *state;
} lw_singular;
enum { LW_DEEPEST = 48, LW_SIZES = 64, LW_ROW = 4 }; /* how often a step is divided at most, to look for events */

struct lw_run {
    lw_system *system;
    lw_options options;
    const lw_method *method;
    void *state; /* the method's own */
    struct lw_block *blocks;
    int n;
    double *atol, *times;
    double *work, *y, *y_new, *scaled, *scratch, *sample;
    double t, t_new, h, h_next, h_fixed;
    double unmet; /* position residual before the last Newton step of the last projection, in natural units */
    double end, h_free; /* where steps must end next; the step that was due before one was cut there */
    int64_t next_stop;
    double signals_time;
    int signals_known, started, fresh; /* fresh: no accepted step since the (re)start */
    /* fixed steps: t = segment_start + segment_steps * h_fixed, so that rounding does not add up */
    double segment_start;
    int64_t segment_steps;
    int projected; /* the step just accepted */
    int inside;   /* fixed steps: the last one ended between two points of the grid */
    int off_grid; /* this step was shortened: the grid starts anew after it */
    int busy; /* a call that extends it is under way */
    int idle; /* the method must be started before the next step: at what was the end there was no need to */
    double spanning; /* length of the step that first went across the restart ahead; 0: none is known */
    int64_t next_time, attempts, stuck_restarts, burst;
    int32_t opened; /* attempts that ended off the constraints since the last step that was well on them */
    int32_t status, culprit, weighted_count;
    int64_t counters[LW_COUNTERS];
    lw_table output; /* t, step, y... */
    lw_table event_log; /* t, index, y... */
    double *g, *g_left, *t_left, *g_largest, *g_inside, *slope;
    int32_t *side, *side_before;
    struct lw_crossing *crossings;
    lw_singular singular;
    double looked[LW_SIZES], unclear[LW_SIZES]; /* intervals of events, by their length in halves of the run */
    int crossings_count, crossings_room, scanned; /* scanned: at least one step */
    int looks; /* at the step in hand */
    double peeked; /* first time at which the dense output may have seen what the step has not; not after t: none */
    double curtailed, hold; /* up to where it was looked at, if not to its end; shortest step wanted [1/s] */
};

/* What a caller in C may call; Python's view is in binding.py. */
LW_API lw_run *lw_run_create(lw_system *system, const lw_options *options, const double *y0);
LW_API void lw_run_destroy(lw_run *run);
LW_API int lw_run_advance(lw_run *run, double slice);
LW_API int lw_run_close(lw_run *run);
LW_API double lw_run_time(const lw_run *run);
LW_API double lw_run_step(const lw_run *run);
LW_API const double *lw_run_state(const lw_run *run);
LW_API const double *lw_run_events(const lw_run *run, int64_t *rows);

/* Memory that lives as long as the run; NULL when there is none. */
void *lw_allocate(lw_run *run, size_t bytes);
double *lw_doubles(lw_run *run, int64_t count);
void lw_free_all(lw_run *run);

int lw_table_append(lw_table *table, double first, double second, const double *rest);

/* Calls with the inputs refreshed at t. */
void lw_refresh_inputs(lw_run *run, double t);
void lw_rhs(lw_run *run, double t, const double *y, double *dy);
/* Moves y onto the constraints; 0 when the result is not finite. */
int lw_project(lw_run *run, double t, double *y);

/* RMS of error / (atol + rtol max(|a|, |b|)) over the weighted states; leaves the ratios in run->scaled. */
double lw_error_norm(lw_run *run, const double *error, const double *a, const double *b);
/* A first step for a method of the given order from the first and second derivatives at the start; dy = rhs(t, y). */
double lw_first_step(lw_run *run, const double *dy, int order);
int lw_all_finite(const double *x, int n);

/* Finds the sign changes in the step just accepted. Writes the events up to the first that cuts the step.
 * Returns LW_RECORD (nothing to cut), LW_RESTART or LW_STOP; then *t_cut and y_cut (n) say where. LW_SHORTEN: it was
 * looked at up to *t_cut only. */
int lw_events_scan(lw_run *run, double *t_cut, double *y_cut);
void lw_events_arm(lw_run *run, int fired);
/* Notes that (t, y), which the dense output hangs on, is across a zero that may lie on neither end of the step. */
void lw_events_peek(lw_run *run, double t, const double *y);
/* The sides at run->t after a stop was crossed; logs what has changed its sign there. Returns as `scan` does. */
int lw_events_across(lw_run *run, double t);
/* At the end of the run: a zero that it ends on is one. */
int lw_events_finish(lw_run *run);
int lw_events_create(lw_run *run);

/* Where steps must end next: before the next stop, or at the end of the run. */
void lw_look_ahead(lw_run *run);
/* Whether nothing is left to step over before the next stop. */
int lw_at_stop(const lw_run *run);
/* Steps to the end for about `slice` seconds of wall time. LW_RUNNING: call again; LW_DONE: it is reached. */
int lw_advance(lw_run *run, double slice);
int lw_run_extend(lw_run *run, double t1, int renewed, int counted, double slice, double *y);
/* Goes on from t, y with equations that are others now; due: the step that would have been next. */
int lw_begin_anew(lw_run *run, double due);

int lw_singular_create(lw_run *run);
void lw_singular_destroy(lw_run *run);
void lw_singular_forget(lw_run *run);
void lw_singular_look(lw_run *run);
void lw_singular_limit(lw_run *run);
int lw_singular_projects(const lw_run *run);
lw_outcome lw_singular_relay(lw_run *run);
int lw_singular_suspects(lw_run *run);
int lw_singular_back(lw_run *run);
lw_outcome lw_singular_return(lw_run *run);

extern const lw_method lw_method_rk4, lw_method_dopri5, lw_method_dop853, lw_method_generalized_alpha, lw_method_radau;

#endif
