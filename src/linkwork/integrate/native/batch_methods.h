/* The steps of the methods, and states inside them; part of batch_template.h. */

static CONSTANT double NAME(dopri5_a)[] = {
    1.0 / 5,
    3.0 / 40, 9.0 / 40,
    44.0 / 45, -56.0 / 15, 32.0 / 9,
    19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729,
    9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656,
    35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0,
};
static CONSTANT double NAME(dopri5_c)[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static CONSTANT double NAME(dopri5_e)[] = {71.0 / 57600,      0,           -71.0 / 16695, 71.0 / 1920,
                                           -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static CONSTANT double NAME(dopri5_d)[] = {
    -12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0,
};

/* y_new from y over h of each lane. */
QUALIFIER void NAME(rk4)(const lw_batch *b, const NAME(lanes) * s, const REAL *y, REAL *p, REAL *y_new, REAL *stage,
                         REAL *k, REAL *work)
{
    REAL h[LANES], moment[LANES];
    double time[LANES];
    EACH_LANE h[l] = (REAL)s->h[l];
    EACH_STATE LANEWISE ROW(y_new, i) = ROW(stage, i) = ROW(y, i);
    ROLLED for (int j = 0; j < 4; j++)
    {
        REAL weight = j == 0 || j == 3 ? (REAL)(1.0 / 6) : (REAL)(1.0 / 3), share = j == 2 ? (REAL)1 : (REAL)0.5;
        EACH_LANE
        {
            time[l] = j == 0 ? s->t[l] : j == 3 ? s->t_new[l] : s->t[l] + 0.5 * s->h[l];
            moment[l] = (REAL)time[l];
        }
        REFRESH(time);
        CALL_STAGE(moment, stage, p, k);
        EACH_STATE LANEWISE
        {
            ROW_TYPE rise = ROW(h, 0) * ROW(k, i);
            ROW(y_new, i) += weight * rise;
            ROW(stage, i) = ROW(y, i) + share * rise;
        }
    }
}

/* out = base + h * sum of weights[j] k[j]; base may be absent. */
QUALIFIER void NAME(combine)(const lw_batch *b, const REAL *RESTRICT k, int count, const double *weights, const REAL *h,
                             const REAL *RESTRICT base, REAL *RESTRICT out)
{
    REAL w[7];
    for (int j = 0; j < count; j++) w[j] = (REAL)weights[j];
    for (int i = 0; i < STATES; i++) LANEWISE
        {
            ROW_TYPE sum = w[0] * ROW(k, i);
            for (int j = 1; j < count; j++) sum += w[j] * ROW(k, j * STATES + i);
            ROW(out, i) = base ? ROW(base, i) + ROW(h, 0) * sum : ROW(h, 0) * sum;
        }
}

/* y_new, and the scaled error of each lane; k[0] is known. */
QUALIFIER void NAME(dopri5)(const lw_batch *b, const NAME(lanes) * s, const REAL *y, REAL *p, REAL *y_new, REAL *stage,
                            REAL *k, REAL *error, REAL *work)
{
    REAL h[LANES], moment[LANES];
    double time[LANES];
    EACH_LANE h[l] = (REAL)s->h[l];
    ROLLED for (int j = 1; j < 7; j++)
    {
        REAL *to = j == 6 ? y_new : stage;
        NAME(combine)(b, k, j, NAME(dopri5_a) + j * (j - 1) / 2, h, y, to);
        EACH_LANE
        {
            time[l] = j >= 5 ? s->t_new[l] : s->t[l] + NAME(dopri5_c)[j] * s->h[l];
            moment[l] = (REAL)time[l];
        }
        REFRESH(time);
        CALL_RHS(moment, to, p, k + j * STATES * LANES);
    }
    NAME(combine)(b, k, 7, NAME(dopri5_e), h, 0, stage);
    NAME(norm)(b, stage, y, y_new, error);
}

/* The state of lane l at a share of the step, from the stages of dopri5. */
QUALIFIER void NAME(dopri5_inside)(const lw_batch *b, const NAME(lanes) * s, int l, double share, const REAL *y, const REAL *k, REAL *out)
{
    double w[7], rest = 1 - share;
    for (int j = 0; j < 7; j++) {
        double a = NAME(dopri5_a)[15 + j], first = j == 0, last = j == 6;
        w[j] = s->h[l] * share * (a + rest * (first - a + share * (2 * a - first - last + rest * NAME(dopri5_d)[j])));
    }
    for (int i = 0; i < STATES; i++) {
        double sum = 0;
        for (int j = 0; j < 7; j++) sum += w[j] * (double)AT(k, j * STATES + i);
        AT(out, i) = (REAL)((double)AT(y, i) + sum);
    }
}

/* The same from the slopes at both ends: cubic Hermite. */
QUALIFIER void NAME(rk4_inside)(const lw_batch *b, const NAME(lanes) * s, int l, double share, const REAL *y, const REAL *y_new,
                                const REAL *first, const REAL *last, REAL *out)
{
    double r = 1 - share, h = s->h[l];
    double w0 = r * r * (1 + 2 * share), w1 = share * share * (1 + 2 * r);
    double v0 = h * share * r * r, v1 = -h * share * share * r;
    EACH_STATE
        AT(out, i) = (REAL)(w0 * (double)AT(y, i) + w1 * (double)AT(y_new, i) + v0 * (double)AT(first, i) +
                            v1 * (double)AT(last, i));
}
