/* pendulum: equations of motion, acausal formulation; SI units, angles in rad. */
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
    const double c1 = p[0] / 2.0;
    const double c2 = sin(y[2]);
    const double c3 = c1 * c2;
    const double c4 = p[0] * p[0] / 12.0;
    const double c5 = c3 / c4;
    const double c6 = p[1] * y[5];
    const double c7 = cos(y[2]);
    const double c8 = c5 * c6 - c1 * (y[5] * (c7 * y[5]));
    const double c9 = -1.0 - c3 * c5;
    const double c10 = c1 * c7;
    const double c11 = c5 * c10;
    const double c12 = c11 / c9;
    const double c13 = c10 / c4;
    const double c14 = (c1 * (y[5] * (c2 * y[5])) + -9.81 + c13 * c6 + c12 * c8) / (-1.0 - c10 * c13 - c11 * c12);
    const double c15 = c8 / c9 + c12 * c14;
    dy[3] = -c15;
    dy[4] = -9.81 + c14;
    dy[5] = -(c6 / c4 + c13 * c14 + c5 * c15);
    dy[6] = c6 * y[5];
}

void golden_outputs(double t, const double *y, const double *p, double *channels) {
    (void)t;
    channels[0] = y[0];
    channels[1] = y[1];
    channels[2] = y[2];
    channels[3] = y[3];
    channels[4] = y[4];
    channels[5] = y[5];
    const double c1 = p[0] / 2.0;
    const double c2 = sin(y[2]);
    const double c3 = c1 * c2;
    const double c4 = p[0] * p[0] / 12.0;
    const double c5 = c3 / c4;
    const double c6 = p[1] * y[5];
    const double c7 = cos(y[2]);
    const double c8 = c7 * y[5];
    const double c9 = c5 * c6 - c1 * (y[5] * c8);
    const double c10 = -1.0 - c3 * c5;
    const double c11 = c1 * c7;
    const double c12 = c5 * c11;
    const double c13 = c12 / c10;
    const double c14 = c2 * y[5];
    const double c15 = c11 / c4;
    const double c16 = (c1 * (y[5] * c14) + -9.81 + c15 * c6 + c13 * c9) / (-1.0 - c11 * c15 - c12 * c13);
    const double c17 = c9 / c10 + c13 * c16;
    const double c18 = -c17;
    channels[6] = c18;
    channels[7] = -9.81 + c16;
    channels[8] = -(c6 / c4 + c15 * c16 + c5 * c17);
    const double c19 = c7 * c1;
    channels[9] = y[0] + c19;
    const double c20 = c2 * c1;
    channels[10] = y[1] + c20;
    channels[11] = y[3] - y[5] * c20;
    channels[12] = y[4] + y[5] * c19;
    channels[13] = c17;
    const double c21 = -c16;
    channels[14] = c21;
    channels[15] = c17;
    channels[16] = c21;
    const double c22 = c3 * c17 + c11 * c16;
    channels[17] = c22 - (y[0] * c16 + y[1] * c17);
    channels[18] = c18;
    channels[19] = c16;
    const double c23 = y[1] - c20;
    const double c24 = y[0] - c19;
    channels[20] = (y[1] - c23) * c17 + (y[0] - c24) * c16 - c22;
    channels[21] = y[2];
    channels[22] = y[5];
    const double c25 = -c6;
    channels[23] = c25;
    channels[24] = -(c6 * y[5]);
    channels[25] = c25;
    const double c26 = (y[3] * y[3] + y[4] * y[4]) / 2.0 + c4 * (y[5] * y[5]) / 2.0;
    channels[26] = c26;
    const double c27 = -9.81 * y[1];
    channels[27] = -c27;
    channels[28] = c26 - c27;
    channels[29] = y[6];
    channels[30] = 0.0;
    channels[31] = fmax(fmax(0.0, fabs(c24)), fabs(c23));
    channels[32] = fmax(fmax(0.0, fabs(y[3] + c1 * c14)), fabs(y[4] - c1 * c8));
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

void golden_project(double t, const double *y, const double *p, double *projected, double *residual) {
    (void)t;
    const double c1 = cos(y[2]);
    const double c2 = p[0] / 2.0;
    const double c3 = y[0] - c1 * c2;
    const double c4 = sin(y[2]);
    const double c5 = c2 * c4;
    const double c6 = p[0] * p[0] / 12.0;
    const double c7 = c5 / c6;
    const double c8 = -1.0 - c5 * c7;
    const double c9 = c2 * c1;
    const double c10 = c7 * c9;
    const double c11 = c10 / c8;
    const double c12 = y[1] - c4 * c2;
    const double c13 = c9 / c6;
    const double c14 = -1.0 - c9 * c13 - c10 * c11;
    const double c15 = (c11 * c3 - c12) / c14;
    const double c16 = c3 / c8 + c11 * c15;
    const double c17 = c13 * c15 + c7 * c16;
    const double c18 = fmax(fmax(fmax(0.0, fabs(c16 / 0.1)), fabs(c15 / 0.1)), fabs(c17 / 0.1));
    const double c19 = fmax(1.0, c18);
    projected[0] = y[0] + c16 / c19;
    projected[1] = y[1] - c15 / c19;
    const double c20 = y[2] + c17 / c19;
    projected[2] = c20;
    const double c21 = y[3] + c2 * (sin(c20) * y[5]);
    const double c22 = (c11 * c21 - (y[4] - c2 * (cos(c20) * y[5]))) / c14;
    const double c23 = c21 / c8 + c11 * c22;
    projected[3] = y[3] + c23;
    projected[4] = y[4] - c22;
    projected[5] = y[5] + (c13 * c22 + c7 * c23);
    projected[6] = y[6];
    residual[0] = fmax(fmax(0.0, fabs(c3)), fabs(c12));
    residual[1] = fmax(fmax(0.0, fabs(y[3] + c2 * (c4 * y[5]))), fabs(y[4] - c2 * (c1 * y[5])));
}
