/* Factorisation of [M A'; A -E] by fronts: each is a small dense triangle, and what it leaves is added to its parent. */
#include <math.h>
#include <string.h>

#include "fronts.h"

/* Columns one after the other: l = column / pivot below it, then the triangle behind it minus l pivot l'. */
LW_INLINE void columns(double *front, int n, int from, int to)
{
    LW_UNROLL
    for (int k = from; k < to; k++) {
        double *restrict column = front + lw_column(n, k);
        double *target = column + (n - k);
        double inverse = 1.0 / column[0];
        LW_UNROLL
        for (int j = k + 1; j < n; j++) {
            const double *restrict below = column + (j - k);
            double *restrict behind = target;
            double share = below[0] * inverse;
            if (share != 0.0)
                for (int i = 0; i < n - j; i++) behind[i] -= share * below[i];
            target += n - j;
        }
        for (int i = 1; i < n - k; i++) column[i] *= inverse;
    }
}

/* Fronts of the usual sizes: the columns of their bodies, then those of joints (see fronts.h). */
#define LW_SPANS(F) \
    F(17, 0, 6) F(17, 6, 11) F(16, 0, 6) F(16, 6, 10) F(15, 0, 6) F(15, 6, 9) F(18, 0, 6) F(18, 6, 7) F(18, 6, 8) \
    F(7, 0, 3) F(7, 3, 5) F(8, 0, 3) F(8, 3, 5) F(9, 0, 3) F(9, 3, 7)

LW_WIDE static void eliminate(double *front, int n, int from, int to)
{
    switch (LW_SIZE(n, from, to)) {
#define LW_CASE(order, first, last) \
    case LW_SIZE(order, first, last): columns(front, order, first, last); break;
    LW_SPANS(LW_CASE)
#undef LW_CASE
    default: columns(front, n, from, to);
    }
}

/* Rows that may depend on others become soft: pivots -(s + e), e a share of what the row feels. */
static void soften(const lw_fronts *f, double *w, double *front, int n, int from, int to, const int32_t *index)
{
    double softness = w[f->softness];
    for (int k = from; k < to; k++) {
        double felt = f->felt[index[k]], soft = 0.0;
        w[f->margin + index[k]] = 1.0;
        if (felt >= 0) {
            double *diagonal = front + lw_column(n, k);
            double usual = fmax(-*diagonal, 0.0) + felt;
            soft = softness * usual;
            *diagonal -= soft;
            w[f->margin + index[k]] = usual + soft;
        }
        w[f->soft + index[k]] = soft;
    }
}

static void factor(const lw_fronts *f, double *w, double *front, int n, int own, int pivots, const int32_t *index)
{
    for (int i = 0; i < own; i++) {
        w[f->soft + index[i]] = 0.0;
        w[f->margin + index[i]] = 1.0;
    }
    eliminate(front, n, 0, own);
    soften(f, w, front, n, own, pivots, index);
    eliminate(front, n, own, pivots);
    for (int i = own; i < pivots; i++)
        if (f->felt[index[i]] >= 0)
            w[f->margin + index[i]] = -front[lw_column(n, i)] / (w[f->margin + index[i]] + 1e-300);
}

/* What front c leaves, added to a front of order m. */
static void inherit(const lw_fronts *f, const double *w, int c, double *front, int m)
{
    int left = f->order[c] - f->pivots[c];
    const double *restrict column = w + f->place[c] + lw_column(f->order[c], f->pivots[c]);
    const int32_t *into = f->into + f->leads[c];
    int together = left > 0 && into[left - 1] - into[0] == left - 1;
    for (int j = 0; j < left; j++) {
        double *restrict target = front + lw_column(m, into[j]);
        if (together)
            for (int i = 0; i < left - j; i++) target[i] += column[i];
        else
            for (int i = 0; i < left - j; i++) target[into[j + i] - into[j]] += column[i];
        column += left - j;
    }
}

void lw_fronts_factor(const lw_fronts *f, double *w)
{
    for (int64_t k = 0; k < f->count; k++) {
        int n = f->order[k], own = f->own[k], pivots = f->pivots[k];
        double *front = w + f->place[k];
        const int32_t *index = f->index + f->first[k];
        memset(front, 0, (size_t)lw_column(n, n) * sizeof(double));
        for (int64_t e = f->entries[k]; e < f->entries[k + 1]; e++) front[f->at[e]] += w[f->entry[e]];
        for (int c = f->child[k]; c >= 0; c = f->sibling[c]) inherit(f, w, c, front, n);
        factor(f, w, front, n, own, pivots, index);
    }
}
