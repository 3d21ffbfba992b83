/* A compiled function at many states. */
#include "system.h"

/* Row by row c = function(t, y, p) with the inputs refreshed: rows of `y` have n doubles, rows of `out` begin every m.
 * `outputs` sizes give the scratch for the function's further results. Stops early when cancelled. */
LW_API int64_t lw_evaluate(lw_system *system, lw_function function, int64_t rows, int32_t n, int32_t m,
                           const double *t, const double *y, double *out, double *const *further, int32_t further_count,
                           double *work)
{
    double *res[8];
    for (int k = 0; k < further_count && k < 7; k++) res[k + 1] = further[k];
    for (int64_t i = 0; i < rows; i++) {
        if (system->cancel) return i;
        lw_signals_at(&system->signals, t[i], system->p + system->parameters);
        const double *arg[3] = {t + i, y + i * n, system->p};
        res[0] = out + i * m;
        function(arg, res, work);
    }
    return rows;
}
