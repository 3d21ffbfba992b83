/* Positions and speeds that meet constraints: Newton's method with shortest steps, where rank is beyond doubt. */
#ifndef LW_CLOSING_H
#define LW_CLOSING_H

#include "system.h"

/* A sparse matrix by rows: the numbers of row i are values[place[k]], in columns column[k], row_start[i] <= k <
 * row_start[i + 1]. */
typedef struct {
    int32_t rows, columns, nonzeros;
    const int32_t *row_start, *column, *place;
} lw_sparse_rows;

/* residual(t, q, z, p, wanted) -> r, J, in natural units; retract(t, q, step, p) -> q.
 * weights: against a displacement along each speed; unit: of the displacement. */
typedef struct {
    int32_t q, v;
    lw_sparse_rows pattern;
    lw_function residual, retract;
    int64_t work_size;
    const double *weights, *unit;
} lw_closing;

enum { LW_CLEAR = 0, LW_DOUBTFUL = 1, LW_NO_MEMORY = 2 };

/* Shortest x with A x = r, where every column is divided by its weight (NULL: by 1). LW_DOUBTFUL where rows are neither
 * clearly independent nor clearly dependent, or where dependent ones contradict each other. */
LW_API int lw_least_norm(const lw_sparse_rows *A, const double *values, const double *weights, const double *r,
                         double *x);

/* Moves q onto the constraints. size: largest residual that is left; LW_DOUBTFUL where it is not clear that another
 * way to compute the same steps would have come to the same place: q is then of no use. */
LW_API int lw_close(const lw_closing *closing, const double *t, const double *z, const double *p, const double *wanted,
                    double *q, double *size, int32_t *iterations);

/* Sign of the determinant of the first rows of A, then of unit rows in this order, that are independent of those before
 * them; 0 where that is doubtful. */
LW_API int lw_branch(const lw_sparse_rows *A, const double *values, const int32_t *order);

/* Size of lw_closing, to be sure that both sides agree. */
LW_API int64_t lw_closing_bytes(void);

#endif
