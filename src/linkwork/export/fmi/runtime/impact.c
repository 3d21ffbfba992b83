/* Contacts that approach, and closed ones, share one impact; contacts that merely come together by it have theirs
 * afterwards. So a row of balls passes a shock on from ball to ball, while a box lands on both edges at once. The impulses
 * that end a shared approach are those of rigid bodies without restitution, and e of the normal ones comes on top
 * (Poisson), or less where that would give back more than e^2 of what was stored. */
#include "impact.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 1000, HALVINGS = 50 };  /* impacts at one instant; after these, nothing rebounds any more */
static const double APPROACH = 1e-12; /* speed [lengths of the mechanism per second] that counts as an approach */

/* What came of the compression: impulses P, speeds `middle` then, and coefficients of those that give something back. */
typedef struct {
    const fmu_problem *at;
    const double *P, *middle, *e;
} compressed;

/* Impulses of restitution: normal ones given, those of friction and of the others as they must be. */
static int returned(const compressed *c, double share, double *R, fmu_room room)
{
    const fmu_problem *at = c->at;
    int r = at->rows;
    double *given = fmu_take_doubles(&room, r), *b = fmu_take_doubles(&room, r);
    fmu_seat *seats = fmu_take(&room, (size_t)at->count * sizeof *seats);
    fmu_touch *touches = fmu_take(&room, (size_t)at->count * sizeof *touches);
    memcpy(seats, at->seats, (size_t)at->count * sizeof *seats);
    for (int k = 0; k < at->count; k++) {
        if (c->e[k] <= 0 || seats[k].normal < 0) continue;
        seats[k].press = given[seats[k].normal] = share * c->e[k] * fmax(c->P[seats[k].normal], 0.0);
        seats[k].normal = -1;
    }
    fmu_multiply(at->W, r, r, given, c->middle, b);
    fmu_problem then = {r, at->count, at->W, b, seats};
    if (!fmu_solve(&then, R, touches, room)) return 0;
    for (int i = 0; i < r; i++) R[i] += given[i];
    return 1;
}

/* Energy [J] that comes back, and what friction takes of it, above what may. */
static int excess(const compressed *c, double share, double allowed, double *found, fmu_room room)
{
    const fmu_problem *at = c->at;
    int r = at->rows;
    double *R = fmu_take_doubles(&room, r), *then = fmu_take_doubles(&room, r), rubbed = 0;
    if (!returned(c, share, R, room)) return 0;
    fmu_multiply(at->W, r, r, R, c->middle, then);
    for (int k = 0; k < at->count; k++)
        for (int i = 0; i < at->seats[k].count; i++) {
            int row = at->seats[k].tangential[i];
            rubbed -= R[row] * then[row];
        }
    *found = (fmu_dot(R, c->middle, r) + fmu_dot(R, then, r)) / 2 + fmax(rubbed, 0.0) - allowed;
    return 1;
}

/* Impulses of contacts that share an impact; e: their coefficients, 0 where nothing comes back. */
static int several(const fmu_problem *at, const double *e, double *P, fmu_room room)
{
    int r = at->rows;
    double *middle = fmu_take_doubles(&room, r), *R = fmu_take_doubles(&room, r), *WP = fmu_take_doubles(&room, r);
    fmu_touch *touches = fmu_take(&room, (size_t)at->count * sizeof *touches);
    double most = 0, low = 0, share = 1, over;
    for (int k = 0; k < at->count; k++) most = fmax(most, e[k]);
    if (!fmu_solve(at, P, touches, room)) return 0;
    if (most <= 0) return 1;
    fmu_multiply(at->W, r, r, P, NULL, WP);
    for (int i = 0; i < r; i++) middle[i] = at->b[i] + WP[i];
    double allowed = most * most * fmu_dot(P, WP, r) / 2;
    compressed c = {at, P, middle, e};
    if (!excess(&c, 1.0, allowed, &over, room)) return 0;
    if (over > 1e-12 * allowed) {
        for (int k = 0; k < HALVINGS; k++) {
            double half = 0.5 * (low + share);
            if (!excess(&c, half, allowed, &over, room)) return 0;
            if (over > 0) share = half;
            else low = half;
        }
        share = low;
    }
    if (!returned(&c, share, R, room)) return 0;
    for (int i = 0; i < r; i++) P[i] += R[i];
    return 1;
}

/* One impact of the contacts in `together`, the first ones with coefficients e; adds its impulses to `all`. */
static int share_impact(const fmu_meeting *at, const int *together, int count, const double *e, const double *u,
                        double *all, fmu_room room)
{
    int n = 0, done = 0;
    int *rows = fmu_take(&room, (size_t)(at->rows + 1) * sizeof(int));
    fmu_seat *seats = fmu_take(&room, (size_t)count * sizeof *seats);
    for (int k = 0; k < count; k++) {
        seats[k] = at->seats[together[k]];
        rows[n] = seats[k].normal;
        seats[k].normal = n++;
        for (int i = 0; i < seats[k].count; i++) {
            rows[n] = seats[k].tangential[i];
            seats[k].tangential[i] = n++;
        }
    }
    double *W = fmu_take_doubles(&room, n * n), *b = fmu_take_doubles(&room, n), *P = fmu_take_doubles(&room, n);
    for (int i = 0; i < n; i++) {
        b[i] = u[rows[i]];
        for (int j = 0; j < n; j++) W[i * n + j] = at->W[(size_t)rows[i] * at->rows + rows[j]];
    }
    if (count == 1) done = fmu_one_contact(n, W, b, seats[0].friction, e[0], P, room);
    fmu_problem problem = {n, count, W, b, seats};
    if (!done && !several(&problem, e, P, room)) return 0;
    for (int i = 0; i < n; i++) all[rows[i]] += P[i];
    return 1;
}

/* Contacts that take part in this impact, those that approach first; returns how many approach, and all in `total`. */
static int meeting(const fmu_meeting *at, const double *u, int turn, int *together, int *total)
{
    int coming = 0, n;
    for (int k = 0; k < at->count; k++) {
        int row = at->seats[k].normal;
        if (row < 0 || u[row] >= -APPROACH * at->length) continue;
        if (turn == 0 && at->loaded[k] && u[row] >= -0.1 * at->rest[k]) continue;
        together[coming++] = k;
    }
    n = coming;
    for (int k = 0; k < at->count; k++) {
        int among = 0;
        for (int i = 0; i < coming; i++) among |= together[i] == k;
        if (!among && at->seats[k].normal >= 0 && (at->loaded[k] || turn == ROUNDS)) together[n++] = k;
    }
    *total = n;
    return coming;
}

int fmu_strike(const fmu_meeting *at, double *impulse, int *hit, double *loss, fmu_room room)
{
    int r = at->rows, total;
    double *u = fmu_take_doubles(&room, r), *then = fmu_take_doubles(&room, r), *P = fmu_take_doubles(&room, r);
    double *e = fmu_take_doubles(&room, at->count + 1);
    int *together = fmu_take(&room, (size_t)(at->count + 1) * sizeof(int));
    memcpy(u, at->speeds, (size_t)r * sizeof(double));
    memset(impulse, 0, (size_t)r * sizeof(double));
    memset(hit, 0, (size_t)at->count * sizeof(int));
    *loss = 0;
    for (int turn = 0; turn <= ROUNDS; turn++) {
        int coming = meeting(at, u, turn, together, &total);
        if (!coming) break;
        memset(e, 0, (size_t)at->count * sizeof(double));
        memset(P, 0, (size_t)r * sizeof(double));
        for (int i = 0; i < coming; i++) {
            int k = together[i];
            double back = -at->restitution[k] * u[at->seats[k].normal];
            if (back > at->rest[k] && turn < ROUNDS) e[i] = at->restitution[k];
            hit[k] = 1;
        }
        if (!share_impact(at, together, total, e, u, P, room)) return 0;
        fmu_multiply(at->W, r, r, P, u, then);
        *loss -= (fmu_dot(P, u, r) + fmu_dot(P, then, r)) / 2;
        for (int i = 0; i < r; i++) impulse[i] += P[i];
        memcpy(u, then, (size_t)r * sizeof(double));
    }
    return 1;
}
