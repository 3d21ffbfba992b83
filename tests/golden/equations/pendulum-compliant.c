/* pendulum: equations of motion, compliant formulation; SI units, angles in rad. */
#include "golden.h"

#include <math.h>

const double golden_start[7] = {
    0.5,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
};

const double golden_parameters[2] = {
    1.0,
    0.0,
};

const char *const golden_state_names[7] = {
    "bar.x",
    "bar.y",
    "bar.angle",
    "bar.x.rate",
    "bar.y.rate",
    "bar.angle.rate",
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

const char *const golden_channel_names[33] = {
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
    "pin.multiplier1",
    "pin.multiplier2",
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

const char *const golden_channel_units[33] = {
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
    "",
    "",
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
    dy[0] = y[3];
    dy[1] = y[4];
    dy[2] = y[5];
    const double c1 = cos(y[2]);
    const double c2 = p[0] / 2.0;
    const double c3 = sin(y[2]);
    const double c4 = y[3] + c2 * (c3 * y[5]);
    const double c5 = 9810000.000000002 * (y[0] - c1 * c2) + 6264.183905346331 * c4;
    dy[3] = -c5;
    const double c6 = y[4] - c2 * (c1 * y[5]);
    const double c7 = 9810000.000000002 * (y[1] - c3 * c2) + 3132.0919526731655 * c6;
    dy[4] = -9.81 - c7;
    const double c8 = p[1] * y[5];
    dy[5] = -((c8 + (c2 * c3 * c5 - c2 * c1 * c7)) / (p[0] * p[0] / 12.0));
    dy[6] = c8 * y[5] + 6264.183905346331 * (c4 * c4) + 3132.0919526731655 * (c6 * c6);
}

void golden_outputs(double t, const double *y, const double *p, double *channels) {
    (void)t;
    channels[0] = y[0];
    channels[1] = y[1];
    channels[2] = y[2];
    channels[3] = y[3];
    channels[4] = y[4];
    channels[5] = y[5];
    const double c1 = cos(y[2]);
    const double c2 = p[0] / 2.0;
    const double c3 = c1 * c2;
    const double c4 = y[0] - c3;
    const double c5 = sin(y[2]);
    const double c6 = y[3] + c2 * (c5 * y[5]);
    const double c7 = 9810000.000000002 * c4 + 6264.183905346331 * c6;
    const double c8 = -c7;
    channels[6] = c8;
    const double c9 = c5 * c2;
    const double c10 = y[1] - c9;
    const double c11 = y[4] - c2 * (c1 * y[5]);
    const double c12 = 9810000.000000002 * c10 + 3132.0919526731655 * c11;
    channels[7] = -9.81 - c12;
    const double c13 = p[1] * y[5];
    const double c14 = c2 * c5 * c7 - c2 * c1 * c12;
    const double c15 = p[0] * p[0] / 12.0;
    channels[8] = -((c13 + c14) / c15);
    channels[9] = y[0] + c3;
    channels[10] = y[1] + c9;
    channels[11] = y[3] - y[5] * c9;
    channels[12] = y[4] + y[5] * c3;
    channels[13] = c7;
    channels[14] = c12;
    channels[15] = c7;
    channels[16] = c12;
    channels[17] = c14 + (y[0] * c12 - y[1] * c7);
    channels[18] = c8;
    channels[19] = -c12;
    channels[20] = (y[1] - c10) * c7 - (y[0] - c4) * c12 - c14;
    channels[21] = y[2];
    channels[22] = y[5];
    const double c16 = -c13;
    channels[23] = c16;
    channels[24] = -(c13 * y[5]);
    channels[25] = c16;
    const double c17 = (y[3] * y[3] + y[4] * y[4]) / 2.0 + c15 * (y[5] * y[5]) / 2.0;
    channels[26] = c17;
    const double c18 = 9810000.000000002 * (c4 * c4) / 2.0 + 9810000.000000002 * (c10 * c10) / 2.0;
    const double c19 = c18 - -9.81 * y[1];
    channels[27] = c19;
    channels[28] = c17 + c19;
    channels[29] = y[6];
    channels[30] = 0.0;
    channels[31] = fmax(fmax(0.0, fabs(c4)), fabs(c10));
    channels[32] = fmax(fmax(0.0, fabs(c6)), fabs(c11));
}

void golden_mass_matrix(double t, const double *y, const double *p, double *mass) {
    (void)t;
    (void)y;
    mass[0] = 1.0;
    mass[1] = 0.0;
    mass[2] = 0.0;
    mass[3] = 0.0;
    mass[4] = 1.0;
    mass[5] = 0.0;
    mass[6] = 0.0;
    mass[7] = 0.0;
    mass[8] = p[0] * p[0] / 12.0;
}
