/* One instance of the model, whatever version of FMI it is seen through. */
#ifndef FMU_INSTANCE_H
#define FMU_INSTANCE_H

#include "model.h"

typedef enum { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR } fmu_status;

/* Blocks of value references, one after the other from 0: the time is the first. */
enum { FMU_TIME, FMU_PARAMETERS, FMU_INPUTS, FMU_CHANNELS, FMU_STATES, FMU_DERIVATIVES, FMU_INDICATORS, FMU_BLOCKS };

typedef struct fmu_instance fmu_instance;
struct fmu_instance {
    const fmu_model *model;
    int n, np;
    double *memory; /* all that changes, in one piece: what follows points into it */
    size_t memory_count;
    double *t, *h, *crossed, *ended, *implicit, *clear, *due, *y, *p, *taken, *side;
    /* clear: when what has just left should be well off [s]; due: whether contacts have to be looked at */
    double rtol;
    double *on, *rate, *channels, *g, *dy, *dp, *tangent, *moved, *held; /* scratch */
    double *atol;
    int known[FMU_BLOCKS]; /* whether what was computed from the present values still holds */
    lw_signals signals;
    lw_system system;
    char *contact_room; /* for what is decided about contacts */
    int initial; /* before the end of initialization */
    char message[256]; /* of the last failure */
    void *environment, *logger; /* of the importer */
    char *label;
};

fmu_instance *fmu_create(void);
void fmu_destroy(fmu_instance *self);
void fmu_reset(fmu_instance *self);
fmu_status fmu_start(fmu_instance *self, double t, double rtol);
fmu_status fmu_initialized(fmu_instance *self);
void fmu_set_time(fmu_instance *self, double t);
void fmu_set_states(fmu_instance *self, const double *y);
fmu_status fmu_get(fmu_instance *self, uint32_t reference, double *value);
fmu_status fmu_set(fmu_instance *self, uint32_t reference, double value);
fmu_status fmu_rates(fmu_instance *self, double *rate);
fmu_status fmu_indicators(fmu_instance *self, double *g);
/* After an integrator's step. */
fmu_status fmu_completed(fmu_instance *self, int *event, int *ended);
/* All that is due now: jumps by time, samples, equations that are others from here on. */
fmu_status fmu_update(fmu_instance *self, int *changed, int *ended);
/* When the next thing is due [s]; infinity: nothing. */
double fmu_next(const fmu_instance *self);
fmu_status fmu_step(fmu_instance *self, double t, double h);
fmu_status fmu_directional(fmu_instance *self, const uint32_t *unknown, size_t unknowns, const uint32_t *known,
                           size_t knowns, const double *seed, double *sensitivity);
fmu_status fmu_fail(fmu_instance *self, const char *format, double value);

#endif
