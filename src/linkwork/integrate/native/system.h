/* The system to integrate: compiled functions, sizes, and the inputs that vary with time. */
#ifndef LW_SYSTEM_H
#define LW_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#if defined(LW_PRIVATE) /* part of something larger, which keeps these names to itself */
#define LW_API
#elif defined(_WIN32)
#define LW_API __declspec(dllexport)
#else
#define LW_API __attribute__((visibility("default")))
#endif

typedef void (*lw_function)(const double *const *arg, double *const *res, double *work);

/* Writes the inputs that only the caller can compute (Python callables) into u, the inputs part of p. */
typedef void (*lw_signal_callback)(double t, double *u);

/* A piecewise polynomial of scale * t + shift that drives one input: `width` coefficients per piece, in powers of the
 * time since the piece began; count + 1 pieces, the first of them before all times. period: repeats; 0: does not. */
typedef struct {
    int32_t input, count, width;
    double scale, shift, period;
    const double *times;
    const double *coefficients;
} lw_signal;

typedef struct {
    int32_t count;
    const lw_signal *all;
    int32_t *cursor; /* last piece used of each: consecutive times are close */
    lw_signal_callback callback; /* or NULL */
} lw_signals;

/* Mirrored field by field by `_System` in binding.py. y = [q, v, z], x = [a, multipliers], p = [parameters, inputs]. */
typedef struct {
    int32_t q, v, z, multipliers;
    int32_t parameters, inputs, events;
    int32_t margin_count; /* results of `margins` */
    int32_t cancel; /* set by a callback that failed: return to the caller as soon as possible */
    int64_t work_size;
    double *p;
    const uint8_t *weighted; /* one per y */
    const double *unit; /* natural unit of each y */
    const int32_t *event_direction;
    const int32_t *event_action;
    lw_signals signals;
    lw_function rhs, project, event_values, dae, dae_jacobian, alpha_residual, alpha_jacobian, retract, margins;
} lw_system;

enum { LW_RECORD = 0, LW_RESTART = 1, LW_STOP = 2, LW_SHORTEN = 3 }; /* the last is no action of an event */

static inline int lw_states(const lw_system *s) { return s->q + s->v + s->z; }

/* Writes the value of every varying input at time t into u. */
void lw_signals_at(const lw_signals *signals, double t, double *u);

#endif
