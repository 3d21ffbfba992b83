/* pendulum: equations of motion, absolute formulation; SI units, angles in rad.

   y[0]  bar.x
   y[1]  bar.y
   y[2]  bar.angle
   y[3]  bar.x.rate
   y[4]  bar.y.rate
   y[5]  bar.angle.rate
   y[6]  energy.dissipated
   p[0]  length m
   p[1]  damping N·m·s/rad

   The inputs, if any, are the last entries of p. Arguments and results must not overlap. */
#ifndef GOLDEN_H
#define GOLDEN_H

#define GOLDEN_STATES 7
#define GOLDEN_COORDINATES 3
#define GOLDEN_SPEEDS 3
#define GOLDEN_FIRST_ORDER_STATES 1
#define GOLDEN_PARAMETERS 2
#define GOLDEN_INPUTS 0
#define GOLDEN_CHANNELS 33

#ifdef __cplusplus
extern "C" {
#endif

/* dy = time derivative of the state y */
void golden_rhs(double t, const double *y, const double *p, double *dy);

/* all channels, see the table of their names */
void golden_outputs(double t, const double *y, const double *p, double *channels);

/* mass matrix, row by row */
void golden_mass_matrix(double t, const double *y, const double *p, double *mass);

/* projected = y one step nearer to the constraints; residual = largest |position|, |velocity| before */
void golden_project(double t, const double *y, const double *p, double *projected, double *residual);

extern const double golden_start[7]; /* y at t = 0 */
extern const double golden_parameters[2]; /* p */
extern const char *const golden_state_names[7];
extern const char *const golden_parameter_names[2];
extern const char *const golden_parameter_units[2];
extern const char *const golden_channel_names[33];
extern const char *const golden_channel_units[33];

#ifdef __cplusplus
}
#endif

#endif
