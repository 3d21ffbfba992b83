/* Sparse LU for real and for complex numbers: one text (sparse_lu_template.h), compiled twice. */
#include "sparse_lu.h"
#include "system.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCALAR double
#define LU lw_lu_real
#define NAME(f) lw_lu_real_##f
#define ZERO 0.0
#define SIZE(a) fabs(a)
#define SCALED(a, s) ((a) * (s))
#define SUBTRACT_PRODUCT(x, a, b) ((x) -= (a) * (b))
#define QUOTIENT(a, b) ((a) / (b))
#include "sparse_lu_template.h"
#undef SCALAR
#undef LU
#undef NAME
#undef ZERO
#undef SIZE
#undef SCALED
#undef SUBTRACT_PRODUCT
#undef QUOTIENT

static inline lw_complex scaled(lw_complex a, double s) { return (lw_complex){a.re * s, a.im * s}; }

static inline lw_complex quotient(lw_complex a, lw_complex b)
{
    double r = 1 / (b.re * b.re + b.im * b.im); /* rows are scaled, so this does not overflow */
    return (lw_complex){(a.re * b.re + a.im * b.im) * r, (a.im * b.re - a.re * b.im) * r};
}

static inline void subtract_product(lw_complex *x, lw_complex a, lw_complex b)
{
    x->re -= a.re * b.re - a.im * b.im;
    x->im -= a.re * b.im + a.im * b.re;
}

static const lw_complex zero = {0, 0};

#define SCALAR lw_complex
#define LU lw_lu_complex
#define NAME(f) lw_lu_complex_##f
#define ZERO zero
#define SIZE(a) (fabs((a).re) + fabs((a).im))
#define SCALED(a, s) scaled(a, s)
#define SUBTRACT_PRODUCT(x, a, b) subtract_product(&(x), a, b)
#define QUOTIENT(a, b) quotient(a, b)
#include "sparse_lu_template.h"

/* Factors first `earlier` (if given, to exercise the reuse of pivots) and then `values`; solves in place.
 * Returns the nonzeros of both factors, or -1 when the matrix is singular. */
LW_API int64_t lw_solve_real(int32_t n, const int32_t *column_start, const int32_t *row, const int32_t *order,
                             const double *earlier, const double *values, double *b)
{
    lw_lu_real lu;
    if (!lw_lu_real_create(&lu, n, column_start, row, order)) return -1;
    if (earlier) lw_lu_real_factor(&lu, earlier);
    int64_t nonzeros = -1;
    if (lw_lu_real_factor(&lu, values)) {
        lw_lu_real_solve(&lu, b);
        nonzeros = lu.l_start[n] + lu.u_start[n] + n;
    }
    lw_lu_real_destroy(&lu);
    return nonzeros;
}

LW_API int64_t lw_solve_complex(int32_t n, const int32_t *column_start, const int32_t *row, const int32_t *order,
                                const double *earlier, const double *values, double *b)
{
    lw_lu_complex lu;
    if (!lw_lu_complex_create(&lu, n, column_start, row, order)) return -1;
    if (earlier) lw_lu_complex_factor(&lu, (const lw_complex *)earlier);
    int64_t nonzeros = -1;
    if (lw_lu_complex_factor(&lu, (const lw_complex *)values)) {
        lw_lu_complex_solve(&lu, (lw_complex *)b);
        nonzeros = lu.l_start[n] + lu.u_start[n] + n;
    }
    lw_lu_complex_destroy(&lu);
    return nonzeros;
}
