/* Impacts: speeds that jump by impulses, with restitution by energy and Coulomb's friction. */
#ifndef FMU_IMPACT_H
#define FMU_IMPACT_H

#include "complementarity.h"

/* Contacts that may be hit: their rows, and by contact coefficients of restitution and rebounds [m/s] that are none. */
typedef struct {
    int rows, count;
    const double *W, *speeds;
    const fmu_seat *seats;
    const double *restitution, *rest;
    const int *loaded; /* whether each was closed and carried a force */
    double length;     /* of the mechanism [m] */
} fmu_meeting;

/* Impulses by row, whether each contact was hit, and the energy lost [J]. 0: there are no such impulses. */
int fmu_strike(const fmu_meeting *at, double *impulse, int *hit, double *loss, fmu_room room);
/* Impulses, normal first, of one contact (n rows) with W its response and u its speeds before; 0: no end. */
int fmu_one_contact(int n, const double *W, const double *u, double friction, double e, double *P, fmu_room room);

#endif
