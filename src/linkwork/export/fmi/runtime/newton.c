/* Coulomb contact by Newton's method, where guesses of what each contact does go round in circles: the conditions as
 * equations without cases (Alart and Curnier). N = max(N - rho u_n, 0), and T is T - rho u_t put back on the disc of
 * radius mu N. */
#include "complementarity.h"

#include <math.h>
#include <string.h>

enum { STEPS = 60, HALVINGS = 10 };
static const double ENOUGH = 1e-12; /* share of the largest force that a residual may have */
static const double TINY = 1e-300;

/* Rows of one contact whose friction is free, with N its normal force: `by_N` its row, -1 if it is given. */
static void friction_rows(const fmu_problem *at, const fmu_seat *s, const double *F, const double *u, double N, int by_N,
                          double *rest, double *slope)
{
    int r = at->rows, n = s->count;
    double soft = 0, wanted[2] = {0, 0}, length = 0;
    for (int i = 0; i < n; i++) soft += at->W[(size_t)s->tangential[i] * r + s->tangential[i]] / n;
    soft = fmax(soft, TINY);
    for (int i = 0; i < n; i++) {
        wanted[i] = F[s->tangential[i]] - u[s->tangential[i]] / soft;
        length = hypot(length, wanted[i]);
    }
    if (length <= s->resting * N) {
        for (int i = 0; i < n; i++) {
            int k = s->tangential[i];
            rest[k] = u[k] / soft;
            for (int j = 0; j < r; j++) slope[(size_t)k * r + j] = at->W[(size_t)k * r + j] / soft;
        }
        return;
    }
    double d[2] = {wanted[0] / length, wanted[1] / length};
    for (int i = 0; i < n; i++) {
        int k = s->tangential[i];
        rest[k] -= s->friction * N * d[i];
        for (int j = 0; j < r; j++) {
            double turning = 0;
            for (int l = 0; l < n; l++) {
                int m = s->tangential[l];
                double by_F = (m == j) - at->W[(size_t)m * r + j] / soft;
                turning += ((i == l) - d[i] * d[l]) * by_F / length;
            }
            slope[(size_t)k * r + j] -= s->friction * ((j == by_N ? d[i] : 0.0) + N * turning);
        }
    }
}

/* What must vanish, by row, and its derivative by the forces; forces of rows without a contact vanish. */
static void conditions(const fmu_problem *at, const double *F, double *rest, double *slope, fmu_room room)
{
    int r = at->rows;
    double *u = fmu_take_doubles(&room, r);
    fmu_multiply(at->W, r, r, F, at->b, u);
    memcpy(rest, F, (size_t)r * sizeof(double));
    memset(slope, 0, (size_t)r * r * sizeof(double));
    for (int i = 0; i < r; i++) slope[(size_t)i * r + i] = 1;
    for (int c = 0; c < at->count; c++) {
        const fmu_seat *s = at->seats + c;
        double N = s->press;
        int k = s->normal;
        if (k >= 0) {
            double soft = fmax(at->W[(size_t)k * r + k], TINY);
            if (F[k] - u[k] / soft <= 0) continue; /* open: its forces vanish */
            rest[k] = u[k] / soft;
            for (int j = 0; j < r; j++) slope[(size_t)k * r + j] = at->W[(size_t)k * r + j] / soft;
            N = fmax(F[k], 0.0);
        }
        if (!s->count) continue;
        if (!s->slides) {
            friction_rows(at, s, F, u, N, k, rest, slope);
            continue;
        }
        for (int i = 0; i < s->count; i++) {
            rest[s->tangential[i]] += s->friction * N * s->direction[i];
            if (k >= 0) slope[(size_t)s->tangential[i] * r + k] += s->friction * s->direction[i];
        }
    }
}

int fmu_by_newton(const fmu_problem *at, double *F, fmu_room room)
{
    int r = at->rows;
    double *rest = fmu_take_doubles(&room, r), *slope = fmu_take_doubles(&room, r * r);
    double *step = fmu_take_doubles(&room, r), *moved = fmu_take_doubles(&room, r), *minus = fmu_take_doubles(&room, r);
    double stiffest = 0;
    for (int i = 0; i < r; i++) stiffest = fmax(stiffest, at->W[(size_t)i * r + i]);
    double size = fmu_largest(at->b, r) / fmax(stiffest, TINY);
    conditions(at, F, rest, slope, room);
    for (int k = 0; k < STEPS; k++) {
        if (fmu_largest(rest, r) <= ENOUGH * fmax(size, fmu_largest(F, r))) return 1;
        for (int i = 0; i < r; i++) minus[i] = -rest[i];
        double before = fmu_dot(rest, rest, r);
        fmu_least_squares(slope, r, r, minus, step, room);
        for (int i = 0; i < r; i++)
            if (!isfinite(step[i])) return 0;
        for (int halving = 0; halving < HALVINGS; halving++) {
            for (int i = 0; i < r; i++) moved[i] = F[i] + ldexp(step[i], -halving);
            conditions(at, moved, rest, slope, room);
            if (fmu_dot(rest, rest, r) < before) break;
        }
        memcpy(F, moved, (size_t)r * sizeof(double));
    }
    return 0;
}
