/* pendulum: equations of motion, minimal formulation; SI units, angles in rad. */
#include "golden.h"

#include <math.h>

const double golden_start[3] = {
    0.0,
    0.0,
    0.0,
};

const double golden_parameters[2] = {
    1.0,
    0.0,
};

const char *const golden_state_names[3] = {
    "pin.angle",
    "pin.angle.rate",
    "energy.dissipated",
};

const char *const golden_parameter_names[2] = {
    "length",
    "damping",
};

const char *const golden_parameter_units[2] = {
    "m",
    "N·m·s/rad",
};

const char *const golden_channel_names[31] = {
    "bar.x",
    "bar.y",
    "bar.angle",
    "bar.vx",
    "bar.vy",
    "bar.wz",
    "bar.ax",
    "bar.ay",
    "bar.alphaz",
    "tip.x",
    "tip.y",
    "tip.vx",
    "tip.vy",
    "pin.port1.fx",
    "pin.port1.fy",
    "pin.port1.mz",
    "pin.reaction.fx",
    "pin.reaction.fy",
    "pin.reaction.mz",
    "pin.angle",
    "pin.angle.rate",
    "pin.angle.effort",
    "pin.angle.power",
    "pin.angle.damper",
    "energy.kinetic",
    "energy.potential",
    "energy.total",
    "energy.dissipated",
    "energy.supplied",
    "residual.position",
    "residual.velocity",
};

const char *const golden_channel_units[31] = {
    "m",
    "m",
    "rad",
    "m/s",
    "m/s",
    "rad/s",
    "m/s²",
    "m/s²",
    "rad/s²",
    "m",
    "m",
    "m/s",
    "m/s",
    "N",
    "N",
    "N·m",
    "N",
    "N",
    "N·m",
    "rad",
    "rad/s",
    "N·m",
    "W",
    "N·m",
    "J",
    "J",
    "J",
    "J",
    "J",
    "m",
    "m/s",
};

void golden_rhs(double t, const double *y, const double *p, double *dy) {
    (void)t;
    dy[0] = y[1];
    const double c1 = p[1] * y[1];
    const double c2 = p[0] / 2.0;
    dy[1] = -((c1 + c2 * (9.81 * cos(y[0]))) / (p[0] * p[0] / 12.0 + c2 * c2));
    dy[2] = c1 * y[1];
}

void golden_outputs(double t, const double *y, const double *p, double *channels) {
    (void)t;
    const double c1 = cos(y[0]);
    const double c2 = p[0] / 2.0;
    const double c3 = c1 * c2;
    channels[0] = c3;
    const double c4 = sin(y[0]);
    const double c5 = c4 * c2;
    channels[1] = c5;
    channels[2] = y[0];
    const double c6 = y[1] * c5;
    channels[3] = -c6;
    const double c7 = y[1] * c3;
    channels[4] = c7;
    channels[5] = y[1];
    const double c8 = p[1] * y[1];
    const double c9 = p[0] * p[0] / 12.0;
    const double c10 = (c8 + c2 * (9.81 * c1)) / (c9 + c2 * c2);
    const double c11 = y[1] * c7 - c10 * c5;
    const double c12 = -c11;
    channels[6] = c12;
    const double c13 = c10 * c3 + y[1] * c6;
    channels[7] = -c13;
    channels[8] = -c10;
    channels[9] = 2.0 * c3;
    channels[10] = 2.0 * c5;
    channels[11] = -(2.0 * c6);
    channels[12] = 2.0 * c7;
    channels[13] = c11;
    const double c14 = c13 + -9.81;
    channels[14] = c14;
    const double c15 = c2 * (c4 * c11 - c1 * c14);
    const double c16 = c5 * c11 - c3 * c14;
    channels[15] = c15 - c16;
    channels[16] = c12;
    channels[17] = -c14;
    channels[18] = c16 - c15;
    channels[19] = y[0];
    channels[20] = y[1];
    const double c17 = -c8;
    channels[21] = c17;
    channels[22] = -(c8 * y[1]);
    channels[23] = c17;
    const double c18 = (c6 * c6 + c7 * c7) / 2.0 + c9 * (y[1] * y[1]) / 2.0;
    channels[24] = c18;
    const double c19 = -9.81 * c5;
    channels[25] = -c19;
    channels[26] = c18 - c19;
    channels[27] = y[2];
    channels[28] = 0.0;
    channels[29] = 0.0;
    channels[30] = 0.0;
}

void golden_mass_matrix(double t, const double *y, const double *p, double *mass) {
    (void)t;
    const double c1 = p[0] / 2.0;
    const double c2 = sin(y[0]) * c1;
    const double c3 = cos(y[0]) * c1;
    mass[0] = c2 * c2 + c3 * c3 + p[0] * p[0] / 12.0;
}
