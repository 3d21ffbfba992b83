/* What the files of the runtime share, and nobody else needs. */
#ifndef FMU_INSIDE_H
#define FMU_INSIDE_H

#include "instance.h"

enum { PROJECTIONS = 2 }; /* always the same number: derivatives stay smooth */
enum { FMU_SET = 1, FMU_CROSSED = 2 }; /* why contacts have to be looked at: something was set, or has happened */

double fmu_rounding(double t);
/* What was computed holds no longer. */
void fmu_forget(fmu_instance *self);
/* Inputs that follow time are set; returns the time at which equations are looked at. */
double fmu_refreshed(fmu_instance *self);
int fmu_projected(fmu_instance *self, double t, const double *y, double *moved, double *residual);
fmu_status fmu_place(fmu_instance *self);
fmu_status fmu_settle(fmu_instance *self);
fmu_status fmu_evaluate(fmu_instance *self, int block);
int fmu_block_of(const fmu_instance *self, uint32_t reference, int32_t *k);
/* Whether jumps by time are no longer known at t: they must not be stepped over in silence. */
int fmu_beyond(fmu_instance *self, double t);

/* Rigid contacts: all open; at the start; after whatever has happened; when what has left should be well off. */
void fmu_contacts_open(fmu_instance *self);
fmu_status fmu_contacts_begin(fmu_instance *self);
fmu_status fmu_contacts_after(fmu_instance *self);
fmu_status fmu_contacts_aloft(fmu_instance *self);
size_t fmu_contacts_room(const fmu_model *m); /* bytes */

#endif
