/* Sparse LU of real and complex matrices in compressed columns. */
#ifndef LW_SPARSE_LU_H
#define LW_SPARSE_LU_H

typedef struct {
    double re, im;
} lw_complex; /* not C99's: half the compilers check its products for infinities, and one has none */

#define LW_LU_STRUCT(scalar)                                                                                          \
    {                                                                                                                 \
        int n;                                                                                                        \
        const int *column_start, *row, *order; /* of the matrix; columns are eliminated in this order */              \
        int *l_start, *l_row, *u_start, *u_position;                                                                  \
        scalar *l, *u, *pivot;                                                                                        \
        int *pivot_row, *position; /* position[row] in the elimination, or -1 */                                      \
        int *stack, *progress, *mark;                                                                                 \
        int l_room, u_room, factored, stamp;                                                                          \
        double *row_scale;                                                                                            \
        scalar *x;                                                                                                    \
    }

typedef struct LW_LU_STRUCT(double) lw_lu_real;
typedef struct LW_LU_STRUCT(lw_complex) lw_lu_complex;

/* create: 0 when out of memory. factor: 0 when singular (or out of memory); reuses the pivots of the last success when
 * they are still good. solve: in place. */
int lw_lu_real_create(lw_lu_real *lu, int n, const int *column_start, const int *row, const int *order);
int lw_lu_real_factor(lw_lu_real *lu, const double *values);
void lw_lu_real_solve(lw_lu_real *lu, double *b);
void lw_lu_real_destroy(lw_lu_real *lu);

int lw_lu_complex_create(lw_lu_complex *lu, int n, const int *column_start, const int *row, const int *order);
int lw_lu_complex_factor(lw_lu_complex *lu, const lw_complex *values);
void lw_lu_complex_solve(lw_lu_complex *lu, lw_complex *b);
void lw_lu_complex_destroy(lw_lu_complex *lu);

#endif
