/* The Jacobian behind a Newton matrix, and the regularisation that redundant constraints need. */
#ifndef LW_ITERATION_MATRIX_H
#define LW_ITERATION_MATRIX_H

#include "run.h"
#include "sparse_lu.h"

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
/* shift diag(1 for the first `states` rows, 0 for the others) - J, regularised, into `to`. */
void lw_matrix_shifted_real(const lw_matrix *matrix, int states, double shift, double *to);
void lw_matrix_shifted(const lw_matrix *matrix, int states, lw_complex shift, lw_complex *to);

#endif
