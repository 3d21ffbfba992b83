/* The Jacobian of straight-line code, WIDTH columns at a time: rates of all its values along as many directions. */
#include "tangent.h"

#include <string.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define LW_WIDE __attribute__((target_clones("avx2", "default"))) /* the same operations, four at once */
#else
#define LW_WIDE
#endif

#define WIDTH LW_TANGENT_WIDTH

/* One instruction after the other: its rate is that of its operands times its partial derivatives by them.
 *
 * wild: some partial derivative is not finite. Then where a rate is zero, so is its product: most zeros are in columns
 * that an operand has nothing to do with. */
static inline void propagate(const lw_tangent_step *step, const lw_tangent_step *end, const double *c, double *rates,
                             int wild)
{
    for (; step < end; step++) {
        double rate[WIDTH]; /* the operands' place may be that of the result */
        if (step->first < 0) {
            memset(rate, 0, sizeof rate);
            rate[step->by_first] = 1;
        } else {
            const double *x = rates + (int64_t)step->first * WIDTH, by_x = c[step->by_first];
            if (step->second < 0) {
                for (int i = 0; i < WIDTH; i++) rate[i] = wild && x[i] == 0 ? 0 : by_x * x[i];
            } else {
                const double *y = rates + (int64_t)step->second * WIDTH, by_y = c[step->by_second];
                for (int i = 0; i < WIDTH; i++)
                    rate[i] = (wild && x[i] == 0 ? 0 : by_x * x[i]) + (wild && y[i] == 0 ? 0 : by_y * y[i]);
            }
        }
        memcpy(rates + (int64_t)step->result * WIDTH, rate, sizeof rate);
    }
}

LW_WIDE static void pass_on(const lw_tangent_step *step, const lw_tangent_step *end, const double *c, double *rates)
{
    propagate(step, end, c, rates, 0);
}

static void pass_on_wild(const lw_tangent_step *step, const lw_tangent_step *end, const double *c, double *rates)
{
    propagate(step, end, c, rates, 1);
}

static int all_finite(const double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (!(x[k] - x[k] == 0)) return 0;
    return 1;
}

void lw_tangent_run(const lw_tangent *m, const double *const *arg, double *const *res, double *work)
{
    double *partials = work, *rates = partials + m->partials, *values = res[0];
    m->evaluate(arg, &partials, rates + m->places * WIDTH);
    void (*pass)(const lw_tangent_step *, const lw_tangent_step *, const double *, double *) =
        all_finite(partials, m->partials) ? pass_on : pass_on_wild;
    for (int64_t b = 0; b < m->blocks; b++) {
        pass(m->step + m->block_step[b], m->step + m->block_step[b + 1], partials, rates);
        for (int64_t k = m->block_entry[b]; k < m->block_entry[b + 1]; k++)
            values[m->entry[2 * k]] = rates[m->entry[2 * k + 1]];
    }
}
