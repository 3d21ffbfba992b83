/* Factorisation of [M A'; A -E] by fronts: each is a small dense square, and what it leaves is added to its parent. */
#include <math.h>
#include <string.h>

#include "schedule.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define LW_WIDE __attribute__((target_clones("avx2", "default"))) /* the same operations, four at once */
#else
#define LW_WIDE
#endif

/* Columns one after the other: l = column / pivot below it, then the square behind it minus l pivot l'. */
LW_WIDE static void eliminate(double *front, int n, int from, int to)
{
    for (int k = from; k < to; k++) {
        double *restrict column = front + (int64_t)k * n;
        double inverse = 1.0 / column[k];
        for (int j = k + 1; j < n; j++) {
            double *restrict target = front + (int64_t)j * n;
            double share = column[j] * inverse;
            if (share != 0.0)
                for (int i = j; i < n; i++) target[i] -= share * column[i];
        }
        for (int i = k + 1; i < n; i++) column[i] *= inverse;
    }
}

/* Rows that may depend on others become soft: pivots -(s + e), e a share of what the row feels. */
static void soften(const lw_fronts *f, double *w, double *front, int n, int from, int to, const int32_t *index)
{
    double softness = w[f->softness];
    for (int k = from; k < to; k++) {
        double felt = f->felt[index[k]];
        if (felt < 0) continue;
        double *diagonal = front + (int64_t)k * n + k;
        double usual = fmax(-*diagonal, 0.0) + felt, soft = softness * usual;
        *diagonal -= soft;
        w[f->soft + index[k]] = soft;
        w[f->margin + index[k]] = usual + soft;
    }
}

/* What front c leaves, added to a front of order m. */
static void inherit(const lw_fronts *f, const double *w, int c, double *front, int m)
{
    int n = f->order[c], pivots = f->pivots[c];
    const double *from = w + f->place[c];
    const int32_t *into = f->into + f->leads[c];
    for (int j = pivots; j < n; j++) {
        const double *column = from + (int64_t)j * n;
        int a = into[j - pivots];
        for (int i = j; i < n; i++) {
            int b = into[i - pivots];
            front[b >= a ? (int64_t)a * m + b : (int64_t)b * m + a] += column[i];
        }
    }
}

void lw_fronts_factor(const lw_fronts *f, double *w)
{
    memset(w + f->soft, 0, (size_t)f->unknowns * sizeof(double));
    for (int64_t i = 0; i < f->unknowns; i++) w[f->margin + i] = 1.0;
    for (int64_t k = 0; k < f->count; k++) {
        int n = f->order[k], pivots = f->pivots[k], own = f->own[k];
        double *front = w + f->place[k];
        const int32_t *index = f->index + f->first[k];
        memset(front, 0, (size_t)n * (size_t)n * sizeof(double));
        for (int64_t e = f->entries[k]; e < f->entries[k + 1]; e++) front[f->at[e]] += w[f->entry[e]];
        for (int c = f->child[k]; c >= 0; c = f->sibling[c]) inherit(f, w, c, front, n);
        eliminate(front, n, 0, own);
        soften(f, w, front, n, own, pivots, index);
        eliminate(front, n, own, pivots);
        for (int i = own; i < pivots; i++)
            if (f->felt[index[i]] >= 0)
                w[f->margin + index[i]] = -front[(int64_t)i * n + i] / (w[f->margin + index[i]] + 1e-300);
    }
}

void lw_fronts_solve(const lw_fronts *f, const double *w, double *x)
{
    for (int64_t k = 0; k < f->count; k++) {
        int n = f->order[k], pivots = f->pivots[k];
        const double *front = w + f->place[k];
        const int32_t *index = f->index + f->first[k];
        for (int j = 0; j < pivots; j++) {
            const double *column = front + (int64_t)j * n;
            double value = x[index[j]];
            if (value != 0.0)
                for (int i = j + 1; i < n; i++) x[index[i]] -= column[i] * value;
        }
    }
    for (int64_t k = f->count; k-- > 0;) {
        int n = f->order[k], pivots = f->pivots[k];
        const double *front = w + f->place[k];
        const int32_t *index = f->index + f->first[k];
        for (int j = pivots; j-- > 0;) {
            const double *column = front + (int64_t)j * n;
            double value = x[index[j]] / column[j];
            for (int i = j + 1; i < n; i++) value -= column[i] * x[index[i]];
            x[index[j]] = value;
        }
    }
}
