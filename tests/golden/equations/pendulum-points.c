/* pendulum: equations of motion, points formulation; SI units, angles in rad. */
#include "golden.h"

#include <math.h>

const double golden_start[6] = {
    0.28867513459481287,
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

const char *const golden_state_names[6] = {
    "bar.r2.x",
    "bar.r2.y",
    "bar.r2.x.rate",
    "bar.r2.y.rate",
    "bar.turn",
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
    dy[0] = y[2];
    dy[1] = y[3];
    const double c1 = y[0] * y[0] + y[1] * y[1];
    const double c2 = (y[0] * y[3] - y[1] * y[2]) / c1;
    const double c3 = p[1] * c2;
    const double c4 = p[0] / 2.0;
    const double c5 = c4 / 0.28867513459481287;
    const double c6 = (0.28867513459481287 - c4) / 0.28867513459481287;
    const double c7 = c5 + c6;
    const double c8 = -1.0 / c7;
    const double c9 = p[0] * p[0] / 2.0;
    const double c10 = c8 * c9;
    const double c11 = c5 / c7;
    const double c12 = c10 * c8 + c11 * c11;
    const double c13 = sqrt(c1);
    const double c14 = 0.28867513459481287 * (y[0] / c13);
    const double c15 = 0.28867513459481287 * (y[1] / c13);
    const double c16 = c14 * (c12 * c14) + c15 * (c9 * c15) + (c15 * (c12 * c15) + c14 * (c9 * c14));
    const double c17 = (c3 + 9.81 * ((c10 / c7 + c11 * (c6 / c7) + c12) * c14)) / c16;
    dy[2] = c17 * c15 - c2 * (c2 * c14);
    dy[3] = -(c17 * c14 + c2 * (c2 * c15));
    dy[4] = c2;
    dy[5] = c3 * c2;
}

void golden_outputs(double t, const double *y, const double *p, double *channels) {
    (void)t;
    const double c1 = y[0] * y[0] + y[1] * y[1];
    const double c2 = sqrt(c1);
    const double c3 = y[0] / c2;
    const double c4 = p[0] / 2.0;
    const double c5 = c3 * c4;
    channels[0] = c5;
    const double c6 = y[1] / c2;
    const double c7 = c6 * c4;
    channels[1] = c7;
    const double c8 = atan2(c6, c3);
    const double c9 = c8 + 6.283185307179586 * floor((y[4] - c8) / 6.283185307179586 + 0.5);
    channels[2] = c9;
    const double c10 = (y[0] * y[3] - y[1] * y[2]) / c1;
    const double c11 = c10 * c7;
    channels[3] = -c11;
    const double c12 = c10 * c5;
    channels[4] = c12;
    channels[5] = c10;
    const double c13 = 0.28867513459481287 * c3;
    const double c14 = p[1] * c10;
    const double c15 = c4 / 0.28867513459481287;
    const double c16 = (0.28867513459481287 - c4) / 0.28867513459481287;
    const double c17 = c15 + c16;
    const double c18 = -1.0 / c17;
    const double c19 = p[0] * p[0];
    const double c20 = c19 / 2.0;
    const double c21 = c18 * c20;
    const double c22 = c15 / c17;
    const double c23 = c16 / c17;
    const double c24 = c21 * c18 + c22 * c22;
    const double c25 = c21 / c17 + c22 * c23 + c24;
    const double c26 = c25 * c13;
    const double c27 = 9.81 * c26;
    const double c28 = 0.28867513459481287 * c6;
    const double c29 = c13 * (c24 * c13) + c28 * (c20 * c28) + (c28 * (c24 * c28) + c13 * (c20 * c13));
    const double c30 = (c14 + c27) / c29;
    const double c31 = (c13 * (c30 * c13) + c28 * (c30 * c28)) / (c13 * c13 + c28 * c28);
    channels[6] = -(c10 * c12 - c7 * c31);
    channels[7] = -(c5 * c31 + c10 * c11);
    channels[8] = -c31;
    channels[9] = 2.0 * c5;
    channels[10] = 2.0 * c7;
    channels[11] = -(2.0 * c11);
    channels[12] = 2.0 * c12;
    const double c32 = c10 * c10;
    const double c33 = c25 * c28;
    const double c34 = c32 * c26 - c33 * c31;
    channels[13] = c34;
    const double c35 = c20 / c17;
    const double c36 = 9.81 * (c35 / c17 + c20 + c23 * c23 + (c35 * c18 + c23 * c22) - c20 + c25);
    const double c37 = c36 - c26 * c31 - c32 * c33;
    channels[14] = -c37;
    const double c38 = c27 - c29 * c31 + c14;
    channels[15] = -c38;
    channels[16] = -c34;
    channels[17] = c37;
    channels[18] = c38;
    channels[19] = c9;
    channels[20] = c10;
    const double c39 = -c14;
    channels[21] = c39;
    channels[22] = -(c14 * c10);
    channels[23] = c39;
    const double c40 = (c11 * c11 + c12 * c12) / 2.0 + c19 / 12.0 * c32 / 2.0;
    channels[24] = c40;
    const double c41 = -9.81 * c7;
    channels[25] = -c41;
    channels[26] = c40 - c41;
    channels[27] = y[5];
    channels[28] = 0.0;
    channels[29] = fmax(0.0, fabs((c1 - 0.08333333333333333) / 0.5773502691896257));
    channels[30] = fmax(0.0, fabs(1.7320508075688774 * (2.0 * y[0] * y[2] + 2.0 * y[1] * y[3])));
}

void golden_mass_matrix(double t, const double *y, const double *p, double *mass) {
    (void)t;
    (void)y;
    (void)p;
    mass[0] = 1.0;
    mass[1] = 0.0;
    mass[2] = 0.0;
    mass[3] = 1.0;
}

void golden_project(double t, const double *y, const double *p, double *projected, double *residual) {
    (void)t;
    (void)p;
    const double c1 = 3.464101615137755 * y[0];
    const double c2 = (y[0] * y[0] + y[1] * y[1] - 0.08333333333333333) / 0.5773502691896257;
    const double c3 = 3.464101615137755 * y[1];
    const double c4 = c1 * c1 + c3 * c3;
    const double c5 = c4 + 1e-09 * (fmax(c4, 0.0) + c4);
    const double c6 = c2 / c5;
    const double c7 = c1 * c6;
    const double c8 = c3 * c6;
    const double c9 = fmax(1.0, fmax(fmax(0.0, fabs(c7 / 0.1)), fabs(c8 / 0.1)));
    const double c10 = y[0] - c7 / c9;
    projected[0] = c10;
    const double c11 = y[1] - c8 / c9;
    projected[1] = c11;
    const double c12 = 1.7320508075688774 * (2.0 * c10 * y[2] + 2.0 * c11 * y[3]) / c5;
    projected[2] = y[2] - c1 * c12;
    projected[3] = y[3] - c3 * c12;
    projected[4] = y[4];
    projected[5] = y[5];
    residual[0] = fmax(0.0, fabs(c2));
    residual[1] = fmax(0.0, fabs(1.7320508075688774 * (2.0 * y[0] * y[2] + 2.0 * y[1] * y[3])));
}
