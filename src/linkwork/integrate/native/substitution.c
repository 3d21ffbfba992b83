/* Solution with factorised fronts: from the first to the last, and back. */
#include <string.h>

#include "fronts.h"

/* local: the right side of the front's columns; of those that it leaves, what is done to them. */
LW_INLINE void forward(const double *restrict column, int n, int pivots, double *restrict local, double *restrict own)
{
    LW_UNROLL
    for (int j = 0; j < pivots; j++) {
        double value = local[j];
        LW_UNROLL
        for (int i = 1; i < n - j; i++) local[j + i] -= column[i] * value;
        column += n - j;
        own[j] = value;
    }
}

/* Sums in two parts, which a processor may add at once. */
LW_INLINE void backward(const double *restrict column, int n, int pivots, double *restrict local, double *restrict own)
{
    LW_UNROLL
    for (int j = pivots - 1; j >= 0; j--) {
        double sum[2] = {0.0, 0.0};
        column -= n - j;
        LW_UNROLL
        for (int i = 1; i < n - j; i++) sum[(i + 1) & 1] += column[i] * local[j + i];
        own[j] = local[j] = own[j] / column[0] - (sum[0] + sum[1]);
    }
}

/* Fronts of the usual sizes (see fronts.h). */
#define LW_USUAL(F) F(17, 11) F(16, 10) F(15, 9) F(18, 7) F(18, 8) F(7, 5) F(8, 5) F(9, 7)

/* In the order of elimination unknowns of a front are together; found: what has been done to each, at first nothing. */
LW_WIDE static void forwards(const lw_fronts *f, const double *w, const double *x, double *found, double *local)
{
    double *own = found;
    for (int64_t k = 0; k < f->count; k++) {
        int n = f->order[k], pivots = f->pivots[k];
        const double *column = w + f->place[k];
        const int32_t *index = f->index + f->first[k], *behind = f->behind + f->leads[k] - pivots;
        for (int i = 0; i < pivots; i++) local[i] = own[i] + x[index[i]];
        for (int i = pivots; i < n; i++) local[i] = 0.0;
        switch (LW_SIZE(n, 0, pivots)) {
#define LW_CASE(order, all) \
        case LW_SIZE(order, 0, all): forward(column, order, all, local, own); break;
        LW_USUAL(LW_CASE)
#undef LW_CASE
        default: forward(column, n, pivots, local, own);
        }
        for (int i = pivots; i < n; i++) found[behind[i]] += local[i];
        own += pivots;
    }
}

LW_WIDE static void backwards(const lw_fronts *f, const double *w, double *x, double *found, double *local)
{
    double *own = found + f->unknowns;
    for (int64_t k = f->count; k-- > 0;) {
        int n = f->order[k], pivots = f->pivots[k];
        const double *column = w + f->place[k] + lw_column(n, pivots);
        const int32_t *index = f->index + f->first[k], *behind = f->behind + f->leads[k] - pivots;
        own -= pivots;
        for (int i = pivots; i < n; i++) local[i] = found[behind[i]];
        switch (LW_SIZE(n, 0, pivots)) {
#define LW_CASE(order, all) \
        case LW_SIZE(order, 0, all): backward(column, order, all, local, own); break;
        LW_USUAL(LW_CASE)
#undef LW_CASE
        default: backward(column, n, pivots, local, own);
        }
        for (int i = 0; i < pivots; i++) x[index[i]] = own[i];
    }
}

void lw_fronts_solve(const lw_fronts *f, const double *w, double *x, double *spare)
{
    double *local = spare + f->unknowns;
    memset(spare, 0, (size_t)f->unknowns * sizeof(double));
    forwards(f, w, x, spare, local);
    backwards(f, w, x, spare, local);
}
