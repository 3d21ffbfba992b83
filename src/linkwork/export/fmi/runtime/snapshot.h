/* Masses, joints and contacts at one state, as numbers. */
#ifndef FMU_SNAPSHOT_H
#define FMU_SNAPSHOT_H

#include "dense.h"
#include "instance.h"

/* Of each contact. */
enum { FMU_FRICTION, FMU_STATIC, FMU_RESTITUTION, FMU_REST, FMU_NOISE, FMU_PRESS, FMU_NUMBERS };

/* a = a0 + X F for forces F at the contacts, v+ = v- + X P for impulses. */
typedef struct {
    int n, joint_rows, rows;
    double *flat; /* all that the model gives, one after the other: */
    double *mass, *joints, *contacts, *push, *force, *gamma, *drift, *speeds, *gap, *numbers, kinetic;
    double *inverse;  /* of [M A'; A 0], scaled */
    double *response; /* X, n x rows */
    double *W;        /* speed at each row per impulse at each */
} fmu_snapshot;

size_t fmu_snapshot_size(const fmu_model *m);
void fmu_snapshot_create(const fmu_model *m, fmu_snapshot *now, fmu_room *room);
/* What the model gives at the present state; 0: it is not finite. The response stays that of the same position. */
int fmu_look(fmu_instance *self, fmu_snapshot *now);
void fmu_respond(fmu_snapshot *now, fmu_room room);
/* Relative accelerations at the contacts without forces there. */
void fmu_free_accelerations(const fmu_snapshot *now, double *b, fmu_room room);

#endif
