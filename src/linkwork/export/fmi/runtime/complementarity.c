/* Guess what every contact does, solve, correct what contradicts itself; where that goes round in circles, Newton's
 * method or sweeps. */
#include "complementarity.h"

#include <math.h>
#include <string.h>

static const double ZERO_SHARE = 1e-9;          /* of the largest value: speeds and excess forces that count as zero */
static const double NORMAL_FORCE_SHARE = 1e-3;  /* of the largest normal force below which friction is shared as if */
static const double CIRCLE_SHARE = 1e-6;        /* of the largest force by which sweeps may go round in a circle */
static const double TINY = 1e-300;
enum { GUESSES = 12, SWEEPS = 20000, PATIENCE = 1000 };

/* Length of a few entries of x. */
double fmu_size(const double *x, const int *rows, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[rows[i]] * x[rows[i]];
    return sqrt(sum);
}

static fmu_touch first_of(const fmu_seat *seat)
{
    fmu_touch touch = {seat->slides ? FMU_SLIDING : FMU_STUCK, {0, 0}};
    if (seat->slides) memcpy(touch.direction, seat->direction, sizeof touch.direction);
    return touch;
}

static fmu_touch along(const double *x, const int *rows, int count, double factor)
{
    fmu_touch touch = {FMU_SLIDING, {0, 0}};
    for (int i = 0; i < count; i++) touch.direction[i] = factor * x[rows[i]];
    return touch;
}

static double given_force(const fmu_seat *seat, const double *F) { return seat->normal < 0 ? seat->press : F[seat->normal]; }

/* What the columns of Z stand for: forces that are free in these states, the row that vanishes with each, and the normal
 * force that bounds it, if it is friction. Returns how many. */
static int columns_of(const fmu_problem *at, const fmu_touch *touches, double *Z, int *rows, int *owner, double *known)
{
    int n = 0;
    for (int k = 0; k < at->count; k++) {
        const fmu_seat *s = at->seats + k;
        int kind = touches[k].kind;
        if (kind == FMU_OPEN) continue;
        if (s->normal >= 0) {
            Z[(size_t)s->normal * at->rows + n] = 1;
            for (int i = 0; i < s->count && kind == FMU_SLIDING; i++)
                Z[(size_t)s->tangential[i] * at->rows + n] = -s->friction * touches[k].direction[i];
            rows[n] = s->normal;
            owner[n++] = -1;
        } else if (kind == FMU_SLIDING)
            for (int i = 0; i < s->count; i++) known[s->tangential[i]] = -s->friction * s->press * touches[k].direction[i];
        for (int i = 0; i < s->count && kind == FMU_STUCK; i++) {
            Z[(size_t)s->tangential[i] * at->rows + n] = 1;
            rows[n] = s->tangential[i];
            owner[n++] = s->normal;
        }
    }
    return n;
}

static void spread(const double *Z, int rows, int n, const double *f, const double *known, double *F)
{
    for (int i = 0; i < rows; i++) F[i] = fmu_dot(Z + (size_t)i * rows, f, n) + known[i];
}

/* F for given states: F = Z f + what is known. What sticks shares its load in proportion to the normal forces. */
static void forces(const fmu_problem *at, const fmu_touch *touches, double *F, fmu_room room)
{
    int r = at->rows, sharing = 0;
    double *Z = fmu_take_doubles(&room, r * r), *known = fmu_take_doubles(&room, r), *f = fmu_take_doubles(&room, r);
    double *matrix = fmu_take_doubles(&room, r * r), *rhs = fmu_take_doubles(&room, r), *u = fmu_take_doubles(&room, r);
    double *share = fmu_take_doubles(&room, r), most = 0;
    int *rows = fmu_take(&room, (size_t)(2 * r + 1) * sizeof(int)), *owner = rows + r;
    int n = columns_of(at, touches, Z, rows, owner, known);
    fmu_multiply(at->W, r, r, known, at->b, u);
    for (int i = 0; i < n; i++) {
        rhs[i] = -u[rows[i]];
        for (int j = 0; j < n; j++)
            for (int k = 0; k < r; k++) matrix[i * n + j] += at->W[(size_t)rows[i] * r + k] * Z[(size_t)k * r + j];
    }
    if (n) fmu_least_squares(matrix, n, n, rhs, f, room);
    spread(Z, r, n, f, known, F);
    for (int j = 0; j < n; j++)
        if (owner[j] >= 0) {
            most = sharing++ ? fmax(most, F[owner[j]]) : F[owner[j]];
        }
    if (sharing < 2) return;
    for (int j = 0; j < n; j++)
        share[j] = owner[j] < 0 || most <= 0 ? 1.0 : sqrt(fmax(F[owner[j]] / most, NORMAL_FORCE_SHARE));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) matrix[i * n + j] *= share[j];
    fmu_least_squares(matrix, n, n, rhs, f, room);
    for (int j = 0; j < n; j++) f[j] *= share[j];
    spread(Z, r, n, f, known, F);
}

/* Whether friction contradicts what a contact does; `touch` is then what it does instead. */
static int slipping(const fmu_seat *s, fmu_touch *touch, const double *F, const double *u, double small)
{
    if (!s->count || touch->kind == FMU_OPEN || s->slides) return 0;
    double N = s->normal < 0 ? s->press : fmax(F[s->normal], 0.0);
    if (touch->kind == FMU_STUCK) {
        double size = fmu_size(F, s->tangential, s->count);
        if (size <= s->resting * N * (1 + 1e-10) + s->noise / 2) return 0;
        *touch = along(F, s->tangential, s->count, -1 / size);
        return 1;
    }
    double ahead = 0, size = fmu_size(u, s->tangential, s->count), off = 0;
    for (int i = 0; i < s->count; i++) ahead += u[s->tangential[i]] * touch->direction[i];
    if (ahead < -small) {
        if (s->count == 1) *touch = (fmu_touch){FMU_STUCK, {0, 0}};
        else *touch = along(u, s->tangential, s->count, 1 / size);
        return 1;
    }
    if (s->count == 1 || size <= small) return 0;
    for (int i = 0; i < s->count; i++) off = hypot(off, u[s->tangential[i]] / size - touch->direction[i]);
    if (off < 1e-12) return 0;
    *touch = along(u, s->tangential, s->count, 1 / size);
    return 1;
}

/* Corrects `touches` where they contradict themselves, normal forces first. 0: they do not. */
static int corrected(const fmu_problem *at, fmu_touch *touches, const double *F, fmu_room room)
{
    double *u = fmu_take_doubles(&room, at->rows), worst = 0;
    double small = ZERO_SHARE * fmax(fmu_largest(at->b, at->rows), TINY);
    int culprit = -1, changed = 0;
    fmu_multiply(at->W, at->rows, at->rows, F, at->b, u);
    for (int k = 0; k < at->count; k++) {
        const fmu_seat *s = at->seats + k;
        if (s->normal < 0) continue;
        double soft = fmax(at->W[(size_t)s->normal * at->rows + s->normal], TINY);
        double excess = touches[k].kind == FMU_OPEN ? (-u[s->normal] - small) / soft : -F[s->normal] - s->noise / 2;
        if (excess > worst) {
            worst = excess;
            culprit = k;
        }
    }
    if (culprit >= 0) {
        fmu_touch open = {FMU_OPEN, {0, 0}};
        touches[culprit] = touches[culprit].kind == FMU_OPEN ? first_of(at->seats + culprit) : open;
        return 1;
    }
    for (int k = 0; k < at->count; k++) changed |= slipping(at->seats + k, touches + k, F, u, small);
    return changed;
}

static int same(const fmu_touch *a, const fmu_touch *b, int count)
{
    for (int k = 0; k < count; k++) {
        if (a[k].kind != b[k].kind) return 0;
        for (int i = 0; i < 2; i++)
            if (nearbyint(1e12 * a[k].direction[i]) != nearbyint(1e12 * b[k].direction[i])) return 0;
    }
    return 1;
}

/* Changes the forces of one contact to what it needs while the others stay. */
static void sweep(const fmu_problem *at, const fmu_seat *s, double *F)
{
    int r = at->rows;
    double N = s->press, T[2] = {0, 0}, soft = 0, size = 0;
    if (s->normal >= 0) {
        const double *row = at->W + (size_t)s->normal * r;
        N = F[s->normal] = fmax(0.0, F[s->normal] - (fmu_dot(row, F, r) + at->b[s->normal]) / fmax(row[s->normal], TINY));
    }
    for (int i = 0; i < s->count; i++) soft += at->W[(size_t)s->tangential[i] * r + s->tangential[i]];
    for (int i = 0; i < s->count; i++) {
        int k = s->tangential[i];
        T[i] = F[k] - (fmu_dot(at->W + (size_t)k * r, F, r) + at->b[k]) / fmax(soft, TINY);
        size = hypot(size, T[i]);
    }
    double shrink = size <= s->resting * N ? 1.0 : s->friction * N / size;
    for (int i = 0; i < s->count; i++) F[s->tangential[i]] = s->slides ? -s->friction * N * s->direction[i] : T[i] * shrink;
}

/* Sweeps over the contacts, each put back on its cone of friction: slow, but it needs no luck. 0: no end. */
static int by_sweeps(const fmu_problem *at, double *F, fmu_room room)
{
    int r = at->rows;
    double *before = fmu_take_doubles(&room, r), stiffest = 0, largest = 0, change = INFINITY, last = INFINITY;
    for (int i = 0; i < r; i++) stiffest = fmax(stiffest, at->W[(size_t)i * r + i]);
    double enough = 1e12 * (fmu_largest(at->b, r) + 1) / fmax(stiffest, TINY);
    memset(F, 0, (size_t)r * sizeof(double));
    for (int k = 0; k < SWEEPS; k++) {
        memcpy(before, F, (size_t)r * sizeof(double));
        for (int i = 0; i < at->count; i++) sweep(at, at->seats + i, F);
        largest = fmu_largest(F, r);
        for (int i = 0; i < r; i++) before[i] -= F[i];
        change = fmu_largest(before, r);
        if (change <= 1e-13 * largest) return 1;
        if (largest > enough || (k % PATIENCE == PATIENCE - 1 && change > last / 2)) break;
        if (k % PATIENCE == PATIENCE - 1) last = change;
    }
    return change <= CIRCLE_SHARE * largest;
}

/* What a contact does, from its force and the slip that is left. At its limit it slides, however slowly. */
static fmu_touch read_off(const fmu_seat *s, const double *F, const double *u, double small)
{
    fmu_touch open = {FMU_OPEN, {0, 0}}, stuck = {FMU_STUCK, {0, 0}};
    if (s->normal >= 0 && F[s->normal] <= s->noise) return open;
    if (!s->count) return stuck;
    if (s->slides) return first_of(s);
    double size = fmu_size(F, s->tangential, s->count), slip = fmu_size(u, s->tangential, s->count);
    double held = fmax(s->resting, s->friction) * given_force(s, F);
    if (slip <= small && (size == 0 || size < held * (1 - 1e-9))) return stuck;
    return size > 0 ? along(F, s->tangential, s->count, -1 / size) : along(u, s->tangential, s->count, 1 / slip);
}

/* Where guesses go round in circles: first as it is, then as if what sticks held no better than what slides. */
static int without_guesses(const fmu_problem *at, const double *first, double *F, fmu_touch *touches, fmu_room room)
{
    int r = at->rows;
    fmu_seat *seats = fmu_take(&room, (size_t)at->count * sizeof *seats);
    double *u = fmu_take_doubles(&room, r);
    fmu_problem given = *at;
    given.seats = seats;
    memcpy(seats, at->seats, (size_t)at->count * sizeof *seats);
    for (int attempt = 0; attempt < 2; attempt++) {
        memcpy(F, first, (size_t)r * sizeof(double));
        if (fmu_by_newton(&given, F, room) || by_sweeps(&given, F, room)) {
            fmu_multiply(at->W, r, r, F, at->b, u);
            double small = ZERO_SHARE * fmu_largest(at->b, r);
            for (int k = 0; k < at->count; k++) touches[k] = read_off(seats + k, F, u, small);
            return 1;
        }
        for (int k = 0; k < at->count; k++) seats[k].resting = seats[k].friction;
    }
    return 0;
}

int fmu_solve(const fmu_problem *at, double *F, fmu_touch *touches, fmu_room room)
{
    int turns = GUESSES + 4 * at->count, seen = 0, circles = 0;
    size_t bytes = (size_t)at->count * sizeof(fmu_touch);
    double *first = fmu_take_doubles(&room, at->rows);
    fmu_touch *known = fmu_take(&room, (size_t)turns * bytes);
    for (int k = 0; k < at->count; k++) touches[k] = first_of(at->seats + k);
    forces(at, touches, F, room);
    memcpy(first, F, (size_t)at->rows * sizeof(double));
    for (int turn = 0; turn < turns && !circles; turn++) {
        if (!corrected(at, touches, F, room)) return 1;
        for (int i = 0; i < seen; i++) circles |= same(known + (size_t)i * at->count, touches, at->count);
        if (circles) break;
        memcpy(known + (size_t)seen++ * at->count, touches, bytes);
        forces(at, touches, F, room);
    }
    return without_guesses(at, first, F, touches, room);
}
