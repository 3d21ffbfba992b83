/* Coulomb contact as a problem of complementarity, for forces and accelerations as for impulses and speeds: u = W F + b,
 * and at every contact 0 <= N, u_n >= 0, one of them 0; stuck: u_t = 0, |T| <= mu N; sliding: T = -mu N d. */
#ifndef FMU_COMPLEMENTARITY_H
#define FMU_COMPLEMENTARITY_H

#include "dense.h"

enum { FMU_OPEN, FMU_STUCK, FMU_SLIDING };

/* One contact: its rows in W, and what is known of it. */
typedef struct {
    int normal, count, tangential[2]; /* normal: -1 where its force is given, `press` */
    double friction, resting;         /* coefficients while it slides, and while it sticks */
    double noise;                     /* force or impulse that counts as none */
    double press;
    int slides; /* whether it slides already, along `direction` */
    double direction[2];
} fmu_seat;

/* What a contact does. */
typedef struct {
    int kind;
    double direction[2];
} fmu_touch;

typedef struct {
    int rows, count; /* of W; of contacts */
    const double *W, *b;
    const fmu_seat *seats;
} fmu_problem;

/* Forces F by row and what each contact does. 0: there are no such forces, rigid bodies jam (Painleve). */
int fmu_solve(const fmu_problem *problem, double *F, fmu_touch *touches, fmu_room room);
/* By Newton's method from F; 0: it leads nowhere. */
int fmu_by_newton(const fmu_problem *problem, double *F, fmu_room room);
double fmu_size(const double *x, const int *rows, int count);

#endif
