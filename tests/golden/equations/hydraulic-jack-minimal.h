/* hydraulic jack: equations of motion, minimal formulation; SI units, angles in rad.

   y[0]  P.slide
   y[1]  P.slide.rate
   y[2]  head.pressure
   y[3]  rod.pressure
   y[4]  jack.energy
   y[5]  energy.dissipated
   y[6]  energy.supplied

   The inputs, if any, are the last entries of p. Arguments and results must not overlap. */
#ifndef GOLDEN_H
#define GOLDEN_H

#define GOLDEN_STATES 7
#define GOLDEN_COORDINATES 1
#define GOLDEN_SPEEDS 1
#define GOLDEN_FIRST_ORDER_STATES 5
#define GOLDEN_PARAMETERS 0
#define GOLDEN_INPUTS 0
#define GOLDEN_CHANNELS 71
#define GOLDEN_EVENTS 3

#ifdef __cplusplus
extern "C" {
#endif

/* dy = time derivative of the state y */
void golden_rhs(double t, const double *y, const double *p, double *dy);

/* all channels, see the table of their names */
void golden_outputs(double t, const double *y, const double *p, double *channels);

/* mass matrix, row by row */
void golden_mass_matrix(double t, const double *y, const double *p, double *mass);

/* g = what is located where it crosses zero */
void golden_events(double t, const double *y, const double *p, double *g);

extern const double golden_start[7]; /* y at t = 0 */
extern const double golden_parameters[1]; /* p */
extern const char *const golden_state_names[7];
extern const char *const golden_parameter_names[1];
extern const char *const golden_parameter_units[1];
extern const char *const golden_channel_names[71];
extern const char *const golden_channel_units[71];
extern const char *const golden_event_names[3]; /* of the zeros of g */
extern const int golden_event_directions[3]; /* 1: rising, -1: falling, 0: both */
extern const char *const golden_event_actions[3]; /* record, restart or stop */

#ifdef __cplusplus
}
#endif

#endif
