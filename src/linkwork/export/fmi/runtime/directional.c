/* Directional derivatives, through the projection onto the constraints. */
#include "inside.h"

#include <string.h>

fmu_status fmu_directional(fmu_instance *self, const uint32_t *unknown, size_t unknowns, const uint32_t *known,
                           size_t knowns, const double *seed, double *sensitivity)
{
    const fmu_model *m = self->model;
    double t = fmu_refreshed(self), work = 0, residual[2];
    int wanted[FMU_BLOCKS] = {0};
    int32_t k;
    memset(self->dy, 0, (size_t)self->n * sizeof(double));
    memset(self->dp, 0, (size_t)self->np * sizeof(double));
    for (size_t i = 0; i < knowns; i++) {
        int block = fmu_block_of(self, known[i], &k);
        if (block == FMU_PARAMETERS) self->dp[k] = seed[i];
        else if (block == FMU_INPUTS) self->dp[m->parameters + m->set[k]] = seed[i];
        else if (block == FMU_STATES) self->dy[k] = seed[i];
        else return fmu_fail(self, "There are no derivatives by the variable %g.", known[i]);
    }
    for (size_t i = 0; i < unknowns; i++) {
        int block = fmu_block_of(self, unknown[i], &k);
        if (block < FMU_CHANNELS || block == FMU_STATES || block == FMU_BLOCKS)
            return fmu_fail(self, "There are no derivatives of the variable %g.", unknown[i]);
        wanted[block] = 1;
    }
    double *y = self->held;
    memcpy(y, self->y, (size_t)self->n * sizeof(double));
    for (int step = 0; step < PROJECTIONS && m->constrained; step++) {
        const double *arg[5] = {&t, y, self->p, self->dy, self->dp};
        double *res[1] = {self->tangent};
        m->project_tangent(arg, res, &work);
        if (!fmu_projected(self, t, y, self->moved, residual))
            return fmu_fail(self, "The state cannot be moved onto its constraints at t = %g s.", t);
        memcpy(self->dy, self->tangent, (size_t)self->n * sizeof(double));
        memcpy(y, self->moved, (size_t)self->n * sizeof(double));
    }
    const double *arg[5] = {&t, y, self->p, self->dy, self->dp};
    const lw_function functions[FMU_BLOCKS] = {NULL, NULL, NULL, m->outputs_tangent, NULL, m->rhs_tangent,
                                               m->event_tangent};
    for (int block = FMU_CHANNELS; block < FMU_BLOCKS; block++) {
        double *res[1] = {self->tangent};
        if (!wanted[block]) continue;
        functions[block](arg, res, &work);
        for (size_t i = 0; i < unknowns; i++)
            if (fmu_block_of(self, unknown[i], &k) == block) sensitivity[i] = self->tangent[k];
    }
    return FMU_OK;
}
