/* Large systems without straight-line code: kernels run in loops over instances, and a factorisation by small dense
 * fronts whose places were found once. Everything lives in one vector of doubles, `w`; stages read and write it. */
#ifndef LW_SCHEDULE_H
#define LW_SCHEDULE_H

#include "system.h"

/* Fronts in the order in which they are factorised, children before parents. Front f has order[f] columns, of which the
 * first `pivots[f]` are eliminated: `own[f]` of a body, then rows of joints. Its lower triangle is in w at `place[f]`,
 * column after column. `index[first[f]] ...` are the unknowns of its columns. It begins with the numbers w[entry[e]] at
 * the places `at[e]` in it, e from entries[f] on, and with what its children leave: `child[f]`, then `sibling` of that,
 * and so on until -1. What front f leaves goes to the columns `into[leads[f]] ...` of its parent, which rise; in the
 * order in which unknowns are eliminated, these are at behind[leads[f]] ...  felt, one per unknown: what a row would feel
 * of free bodies; below 0: the unknown is eliminated as it is. */
typedef struct {
    int64_t count, unknowns, area; /* area: doubles of all fronts together, from place[0] on */
    int64_t widest;                /* the largest order */
    const int32_t *order, *pivots, *own, *child, *sibling;
    const int64_t *place, *first, *leads, *entries;
    const int32_t *index, *into, *behind, *at, *entry;
    const double *felt;
    int64_t softness; /* where the softness of the rows is in w, relative to what they feel */
    int64_t soft;     /* where what was added to each unknown's pivot goes: `unknowns` doubles */
    int64_t margin;   /* where the share of each row that others do not determine goes */
} lw_fronts;

enum {
    LW_CALL,    /* kernel for every instance: gathered numbers and a row of its table in, a row of `target` out */
    LW_ZERO,    /* w[target ...] = 0, `count` of them */
    LW_ADD,     /* w[scatter[k]] += factor * w[gather[k]] */
    LW_TAKE,    /* w[target + k] = factor * w[gather[k]] */
    LW_LARGEST, /* w[target] = max |w[gather[k]]| * table[k]; NaN stays */
    LW_SQUARES, /* w[target] = sum of (w[gather[k]] * table[k])^2 */
    LW_LIMIT, /* w[target ...] /= max(1, w[source]), `count` of them */
    LW_SOFTEN,  /* w[target] = min(max(table[0], table[1] * w[source]), table[2]) */
    LW_FACTOR,  /* the fronts, from their entries */
    LW_SOLVE,   /* w[target ...] = solution for the right side at w[source ...]; `count`: how often softness is taken out;
                 * room behind the solution for twice the unknowns and the widest front */
    LW_MULTIPLY, /* w[target + k] = w[gather[k]] * w[scatter[k]] */
    LW_SET,     /* w[target + k] = table[k] */
    LW_SWEEP,   /* as LW_CALL, one instance after the other, each of which may need those before it; the last `source`
                   numbers of each are added to w[scatter[...]] */
    LW_LARGEST_SLOPE, /* of LW_LARGEST, where w[gather[k]] moves by w[scatter[k]]; 0 where all are 0 */
    LW_STAGES
};

typedef struct {
    int32_t kind, inputs, outputs, table_width;
    lw_function kernel;
    int64_t count, target, source;
    const int32_t *gather, *scatter;
    const double *table;
    double factor;
} lw_stage;

/* Arguments are copied into w one after the other from 0 on, results from where they are. Mirrored by binding.py. */
typedef struct {
    int32_t arguments, results;
    int64_t stages, size, kernel_work; /* doubles: of w, and of work that kernels need behind it */
    const int64_t *argument_size, *result_place, *result_size;
    const lw_stage *stage;
    const lw_fronts *fronts;
    int64_t widest; /* doubles that the inputs of a kernel need at most */
} lw_schedule;

LW_API void lw_schedule_run(const lw_schedule *s, const double *const *arg, double *const *res, double *work);

void lw_fronts_factor(const lw_fronts *f, double *w);
/* x: right side in, solution out; in the order of the unknowns. spare: room for `unknowns + widest` doubles. */
void lw_fronts_solve(const lw_fronts *f, const double *w, double *x, double *spare);

#endif
