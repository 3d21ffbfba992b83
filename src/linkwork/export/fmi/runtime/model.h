/* What the runtime of an FMU knows of the model inside: sizes, tables and compiled functions. y = [q, v, z] are the
 * states, p = [parameters, inputs, what tables set]. The generated file defines `fmu_model_data`. */
#ifndef FMU_MODEL_H
#define FMU_MODEL_H

#include "run.h"

/* A controller that acts at offset + k * period: it puts what `next` gives into these states. */
typedef struct {
    double offset, period;
    int32_t count;
    const int32_t *states;
    lw_function next;
} fmu_sampler;

enum { FMU_RESTART = 1, FMU_STOP = 2, FMU_SETTLE = 3 }; /* what an event asks for */

/* A tangent takes (t, y, p, dy, dp) and gives the derivative of its function in this direction. */
typedef struct {
    const char *name, *token;
    int32_t q, v, z, multipliers;
    int32_t parameters, inputs; /* inputs: all that follows the parameters in p */
    int32_t set_count; /* inputs that the importer sets, by their number among `inputs` */
    const int32_t *set;
    int32_t channels, events, margin_count;
    const double *start, *p, *unit, *nominal;
    const uint8_t *weighted;
    const int32_t *event_direction, *event_action;
    const lw_signal *signals;
    int32_t signals_count;
    const double *stops; /* pairs of times around all that jumps by time alone */
    int64_t stops_count;
    double horizon; /* until when these are known [s] */
    const fmu_sampler *samplers;
    int32_t samplers_count;
    int32_t implicit, constrained, settling; /* implicit: which method co-simulation begins with */
    double rtol, atol, max_step; /* atol: in natural units, of a run with this rtol */
    lw_pattern pattern;
    lw_function rhs, outputs, project, event_values, dae, dae_jacobian, margins;
    lw_function rhs_tangent, outputs_tangent, project_tangent, event_tangent;
} fmu_model;

extern const fmu_model fmu_model_data;

#endif
