/* Forward differentiation as tables; mirrored field by field by `_Tables` in tangent_code.py. */
#ifndef LW_TANGENT_H
#define LW_TANGENT_H

#include <stdint.h>

enum { LW_TANGENT_WIDTH = 16 };

typedef struct {
    int32_t result, first, by_first, second, by_second; /* places of rates, and which partial derivatives */
} lw_tangent_step; /* first < 0: the rate of an argument, 1 in the column by_first; second < 0: there is one operand */

typedef struct {
    void (*evaluate)(const double *const *arg, double *const *res, double *work); /* the partial derivatives */
    int64_t partials, places, blocks;
    const int64_t *block_step, *block_entry; /* blocks + 1 each: where those of each block begin */
    const lw_tangent_step *step;
    const int32_t *entry; /* pairs: nonzero of the result, the number among the rates that goes there */
} lw_tangent;

void lw_tangent_run(const lw_tangent *m, const double *const *arg, double *const *res, double *work);

#endif
