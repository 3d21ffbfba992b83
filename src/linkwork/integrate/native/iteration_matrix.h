/* The Jacobian behind a Newton matrix, and the regularisation that redundant constraints need. */
#ifndef LW_ITERATION_MATRIX_H
#define LW_ITERATION_MATRIX_H

#include "run.h"

typedef struct {
    int n, nonzeros;
    const int *column_start, *row, *place;
    int source_nonzeros;
    double *source;  /* what the compiled function writes */
    double *values;  /* the same with the whole diagonal, in compressed columns */
    int *diagonal;   /* where each diagonal entry sits in `values` */
    int first_multiplier;
    double *shift;   /* added to the diagonal of each multiplier row */
    int pairs, *pair_row, *pair_place; /* pair_place: places of K_ik, K_ki, K_kk */
} lw_matrix;

int lw_matrix_create(lw_run *run, lw_matrix *matrix, int first_multiplier);
/* Takes over `source` into `values` and computes the shifts. */
void lw_matrix_load(lw_matrix *matrix);

#endif
