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

/* A rigid contact: where its mode is among the states (1 closed, 1 stuck, direction in which it slides), and its rows among
 * those of all contacts; -1: there is none. */
typedef struct {
    int32_t closed, stuck, direction[2];
    int32_t normal, count, tangential[2];
    double unit; /* of its slip */
} fmu_mode;

enum { FMU_RESTART = 1, FMU_STOP = 2, FMU_SETTLE = 3, FMU_CONTACT = 4 }; /* what an event asks for */

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
    int32_t contacts, contact_rows, contact_joints; /* contact_joints: rows of joints beside those of contacts */
    const fmu_mode *modes;
    const char *const *contact_names;
    double length; /* of the mechanism [m] */
    int32_t lost, supplied; /* energies among the states; supplied: -1 if there is none */
    int32_t loads; /* of joints that stick: states that follow their reactions with a lag [s], and those after these */
    const int32_t *load_at, *load_after;
    const double *load_lag;
    lw_pattern pattern;
    lw_function rhs, outputs, project, event_values, dae, dae_jacobian, margins, snapshot;
    lw_function rhs_tangent, outputs_tangent, project_tangent, event_tangent;
} fmu_model;

extern const fmu_model fmu_model_data;

#endif
