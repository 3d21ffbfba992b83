/* hydraulic jack: equations of motion, minimal formulation; SI units, angles in rad. */
#include "golden.h"

#include <math.h>

const double golden_start[7] = {
    0.0,
    0.0,
    1000000.0,
    1000000.0,
    0.0,
    0.0,
    0.0,
};

const double golden_parameters[1] = {
    0.0,
};

const char *const golden_state_names[7] = {
    "P.slide",
    "P.slide.rate",
    "head.pressure",
    "rod.pressure",
    "jack.energy",
    "energy.dissipated",
    "energy.supplied",
};

const char *const golden_parameter_names[1] = {
    "",
};

const char *const golden_parameter_units[1] = {
    "",
};

const char *const golden_channel_names[71] = {
    "mass.x",
    "mass.y",
    "mass.angle",
    "mass.vx",
    "mass.vy",
    "mass.wz",
    "mass.ax",
    "mass.ay",
    "mass.alphaz",
    "P.port1.fx",
    "P.port1.fy",
    "P.port1.mz",
    "P.reaction.fx",
    "P.reaction.fy",
    "P.reaction.mz",
    "P.slide",
    "P.slide.rate",
    "P.slide.effort",
    "P.slide.power",
    "P.slide.spring",
    "supply.a.p",
    "supply.a.q",
    "supply.pressure",
    "supply.flow",
    "tank.a.p",
    "tank.a.q",
    "tank.pressure",
    "tank.flow",
    "head.a.p",
    "head.a.q",
    "head.pressure",
    "head.volume",
    "head.inflow",
    "head.energy",
    "rod.a.p",
    "rod.a.q",
    "rod.pressure",
    "rod.volume",
    "rod.inflow",
    "rod.energy",
    "inlet.a.p",
    "inlet.a.q",
    "inlet.b.p",
    "inlet.b.q",
    "inlet.flow",
    "inlet.drop",
    "outlet.a.p",
    "outlet.a.q",
    "outlet.b.p",
    "outlet.b.q",
    "outlet.flow",
    "outlet.drop",
    "jack.head.p",
    "jack.head.q",
    "jack.rod.p",
    "jack.rod.q",
    "jack.flange.position",
    "jack.flange.force",
    "jack.energy",
    "jack.extension",
    "jack.rate",
    "jack.force",
    "residual.network.jack",
    "residual.network.jack1",
    "energy.kinetic",
    "energy.potential",
    "energy.total",
    "energy.dissipated",
    "energy.supplied",
    "residual.position",
    "residual.velocity",
};

const char *const golden_channel_units[71] = {
    "m",
    "m",
    "rad",
    "m/s",
    "m/s",
    "rad/s",
    "m/s²",
    "m/s²",
    "rad/s²",
    "N",
    "N",
    "N·m",
    "N",
    "N",
    "N·m",
    "m",
    "m/s",
    "N",
    "W",
    "N",
    "Pa",
    "m³/s",
    "Pa",
    "m³/s",
    "Pa",
    "m³/s",
    "Pa",
    "m³/s",
    "Pa",
    "m³/s",
    "Pa",
    "m³",
    "m³/s",
    "J",
    "Pa",
    "m³/s",
    "Pa",
    "m³",
    "m³/s",
    "J",
    "Pa",
    "m³/s",
    "Pa",
    "m³/s",
    "m³/s",
    "Pa",
    "Pa",
    "m³/s",
    "Pa",
    "m³/s",
    "m³/s",
    "Pa",
    "Pa",
    "m³/s",
    "Pa",
    "m³/s",
    "m",
    "N",
    "J",
    "m",
    "m/s",
    "N",
    "",
    "",
    "J",
    "J",
    "J",
    "J",
    "J",
    "m",
    "m/s",
};

const char *const golden_event_names[3] = {
    "head.switch",
    "rod.switch",
    "full",
};

const int golden_event_directions[3] = {
    0,
    0,
    0,
};

const char *const golden_event_actions[3] = {
    "restart",
    "restart",
    "restart",
};

void golden_rhs(double t, const double *y, const double *p, double *dy) {
    (void)p;
    dy[0] = y[1];
    dy[1] = 0.1 * (-100000.0 * y[0] + (0.001 * y[2] + -0.0005 * y[3]));
    const double c1 = 100000.0 * fmin(10.0 + 90.0 * t / 0.01, 100.0);
    const double c2 = c1 - y[2];
    const double c3 = 2.9465036434612186e-07 * c2 / sqrt(sqrt(c2 * c2 + 10000.0));
    const double c4 = (y[2] < -101325.0 ? 1.0 : 0.0);
    const double c5 = (c4 != 0.0 ? 1000000.0 : 0.0) + ((c4 == 0.0 ? 1.0 : 0.0) != 0.0 ? 1.0 : 0.0);
    const double c6 = 0.001 * y[0] / 200000000.0 * c5;
    const double c7 = (-0.001 * y[1] + c3) / (c6 + 5e-13 * c5);
    dy[2] = c7;
    const double c8 = y[3] - 1000000.0;
    const double c9 = 2.9465036434612186e-07 * c8 / sqrt(sqrt(c8 * c8 + 10000.0));
    const double c10 = (y[3] < -101325.0 ? 1.0 : 0.0);
    const double c11 = (c10 != 0.0 ? 1000000.0 : 0.0) + ((c10 == 0.0 ? 1.0 : 0.0) != 0.0 ? 1.0 : 0.0);
    const double c12 = -0.0005 * y[0] / 200000000.0 * c11;
    const double c13 = (0.0005 * y[1] - c9) / (c12 + 1.4999999999999999e-12 * c11);
    dy[3] = c13;
    dy[4] = y[2] * (c6 * c7) + y[3] * (c12 * c13);
    dy[5] = c3 * c2 + c9 * c8;
    dy[6] = -(1000000.0 * c9 - c1 * c3);
}

void golden_outputs(double t, const double *y, const double *p, double *channels) {
    (void)p;
    channels[0] = y[0];
    channels[1] = 0.0;
    channels[2] = 0.0;
    channels[3] = y[1];
    channels[4] = 0.0;
    channels[5] = 0.0;
    const double c1 = -100000.0 * y[0];
    const double c2 = 0.001 * y[2] + -0.0005 * y[3];
    const double c3 = c1 + c2;
    channels[6] = 0.1 * c3;
    channels[7] = 0.0;
    channels[8] = 0.0;
    channels[9] = 0.0;
    channels[10] = 0.0;
    channels[11] = 0.0;
    channels[12] = 0.0;
    channels[13] = 0.0;
    channels[14] = 0.0;
    channels[15] = y[0];
    channels[16] = y[1];
    channels[17] = c3;
    channels[18] = c3 * y[1];
    channels[19] = c1;
    const double c4 = 100000.0 * fmin(10.0 + 90.0 * t / 0.01, 100.0);
    channels[20] = c4;
    const double c5 = c4 - y[2];
    const double c6 = 2.9465036434612186e-07 * c5 / sqrt(sqrt(c5 * c5 + 10000.0));
    const double c7 = -c6;
    channels[21] = c7;
    channels[22] = c4;
    channels[23] = c6;
    channels[24] = 1000000.0;
    const double c8 = y[3] - 1000000.0;
    const double c9 = 2.9465036434612186e-07 * c8 / sqrt(sqrt(c8 * c8 + 10000.0));
    channels[25] = c9;
    channels[26] = 1000000.0;
    const double c10 = -c9;
    channels[27] = c10;
    channels[28] = y[2];
    const double c11 = 0.001 * y[0];
    const double c12 = (y[2] < -101325.0 ? 1.0 : 0.0);
    const double c13 = (c12 != 0.0 ? 1000000.0 : 0.0) + ((c12 == 0.0 ? 1.0 : 0.0) != 0.0 ? 1.0 : 0.0);
    const double c14 = c11 / 200000000.0 * c13;
    const double c15 = -0.001 * y[1];
    const double c16 = 5e-13 * c13;
    const double c17 = (c15 + c6) / (c14 + c16);
    const double c18 = c14 * c17;
    const double c19 = c18 - c15;
    const double c20 = c19 - c6;
    channels[29] = -c20;
    channels[30] = y[2];
    channels[31] = 0.0001 + c11;
    const double c21 = c19 - c20;
    channels[32] = c21;
    const double c22 = fmax(y[2], -101325.0);
    const double c23 = fmin(y[2], -101325.0);
    const double c24 = 5e-13 * ((c22 * c22 + 1000000.0 * (c23 * c23 - 10266755625.0)) / 2.0);
    channels[33] = c24;
    channels[34] = y[3];
    const double c25 = -0.0005 * y[0];
    const double c26 = (y[3] < -101325.0 ? 1.0 : 0.0);
    const double c27 = (c26 != 0.0 ? 1000000.0 : 0.0) + ((c26 == 0.0 ? 1.0 : 0.0) != 0.0 ? 1.0 : 0.0);
    const double c28 = c25 / 200000000.0 * c27;
    const double c29 = 0.0005 * y[1];
    const double c30 = 1.4999999999999999e-12 * c27;
    const double c31 = (c29 - c9) / (c28 + c30);
    const double c32 = c28 * c31;
    const double c33 = c32 - c29;
    const double c34 = c9 + c33;
    channels[35] = -c34;
    channels[36] = y[3];
    channels[37] = 0.0003 + c25;
    channels[38] = c10;
    const double c35 = fmax(y[3], -101325.0);
    const double c36 = fmin(y[3], -101325.0);
    const double c37 = 1.4999999999999999e-12 * ((c35 * c35 + 1000000.0 * (c36 * c36 - 10266755625.0)) / 2.0);
    channels[39] = c37;
    channels[40] = c4;
    channels[41] = c6;
    channels[42] = y[2];
    channels[43] = c7;
    channels[44] = c6;
    channels[45] = c5;
    channels[46] = y[3];
    channels[47] = c9;
    channels[48] = 1000000.0;
    channels[49] = c10;
    channels[50] = c9;
    channels[51] = c8;
    channels[52] = y[2];
    channels[53] = c19;
    channels[54] = y[3];
    channels[55] = c33;
    channels[56] = y[0];
    channels[57] = -c2;
    channels[58] = y[4];
    channels[59] = y[0];
    channels[60] = y[1];
    channels[61] = c2;
    const double c38 = fabs(c20);
    const double c39 = fabs(c17);
    const double c40 = fabs(c19);
    const double c41 = fmax(fmax(c38 / 0.3126729075465147, c39 / 625345815093.0297), c40 / 1.3436304216052835);
    const double c42 = c38 + 3.1267290754651474e-10 * c41;
    const double c43 = c40 + 1.3436304216052836e-09 * c41;
    const double c44 = c39 + 625.3458150930297 * c41;
    const double c45 = fmax(fabs(c21 - c6) / (c42 + c43 + fabs(c6) + 1e-300), fabs(c16 * c17 + c20) / (c42 + fabs(c16) * c44 + 1e-300));
    channels[62] = fmax(c45, fabs(c19 - c18 + c15) / (fabs(c14) * c44 + c43 + fabs(c15) + 1e-300));
    const double c46 = fabs(c34);
    const double c47 = fabs(c31);
    const double c48 = fabs(c33);
    const double c49 = fmax(fmax(c46 / 1.9085749920726258, c47 / 1272383328048.4172), c48 / 3.31162858971604);
    const double c50 = c47 + 1272.3833280484173 * c49;
    const double c51 = fabs(c30 * c31 + c34) / (c46 + 1.9085749920726258e-09 * c49 + fabs(c30) * c50 + 1e-300);
    const double c52 = fabs(c28) * c50 + (c48 + 3.31162858971604e-09 * c49) + fabs(c29) + 1e-300;
    channels[63] = fmax(fmax(0.0, c51), fabs(c33 - c32 + c29) / c52);
    const double c53 = 10.0 * (y[1] * y[1]) / 2.0;
    channels[64] = c53;
    const double c54 = 100000.0 * (y[0] * y[0]) / 2.0 + (c24 + c37 + y[4]);
    channels[65] = c54;
    channels[66] = c53 + c54;
    channels[67] = y[5];
    channels[68] = y[6];
    channels[69] = 0.0;
    channels[70] = 0.0;
}

void golden_mass_matrix(double t, const double *y, const double *p, double *mass) {
    (void)t;
    (void)y;
    (void)p;
    mass[0] = 10.0;
}

void golden_events(double t, const double *y, const double *p, double *g) {
    (void)p;
    g[0] = y[2] - -101325.0;
    g[1] = y[3] - -101325.0;
    g[2] = t - 0.01;
}
