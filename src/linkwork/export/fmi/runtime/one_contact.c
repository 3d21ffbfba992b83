/* One contact in an impact. The impulse grows along the normal, friction acts against the slip of each moment, which may
 * end or turn round on the way (Routh, Darboux, Keller). Compression lasts until the approach has ended; restitution until
 * the normal impulse has given back the share e^2 of the work it took (Stronge). */
#include "impact.h"

#include <math.h>
#include <string.h>

enum { STEPS = 10000, HALVINGS = 60, ANGLES = 180, COURSE = 7 };
static const double SHARE = 0.05, HALF = 0.5; /* of the slip that may come across it, and along it, within one step */
static const double SLIP_SHARE = 1e-11;       /* of the speeds before, below which a slip has ended */
static const double FIRM = 1e-11; /* share of the normal response below which what sticks cannot move either */
static const double TINY = 1e-300;

typedef struct {
    int n;
    const double *W;
    double friction, small;
    double u[3], P[3], work;
    int is_held; /* whether the slip has ended; then it sticks or slides on with this impulse across per normal one */
    double held[2];
} course;

static double sign(double x) { return (x > 0) - (x < 0); }

/* How the slip would turn from a direction, and whether it goes there. */
static double turning(const double *across, const double *pushed, double friction, double angle, double *ahead)
{
    double d[2] = {cos(angle), sin(angle)}, moved[2];
    for (int i = 0; i < 2; i++) moved[i] = pushed[i] - friction * (across[2 * i] * d[0] + across[2 * i + 1] * d[1]);
    *ahead = d[0] * moved[0] + d[1] * moved[1];
    return d[0] * moved[1] - d[1] * moved[0];
}

/* Impulse across per normal impulse where there is no slip: what keeps it so, or friction against where it goes. */
static void hold(course *c, fmu_room room)
{
    const double pi = 3.14159265358979323846;
    int m = c->n - 1;
    double across[4], pushed[2], ahead;
    for (int i = 0; i < m; i++) {
        pushed[i] = c->W[(i + 1) * c->n];
        for (int j = 0; j < m; j++) across[i * m + j] = c->W[(i + 1) * c->n + j + 1];
    }
    fmu_least_squares(across, m, m, pushed, c->held, room);
    double size = sqrt(fmu_dot(c->held, c->held, m));
    for (int i = 0; i < m; i++) c->held[i] = -c->held[i];
    if (size <= c->friction) return;
    if (m == 1) {
        c->held[0] = -c->friction * sign(pushed[0]);
        return;
    }
    for (int k = 0; k < ANGLES; k++) {
        double a = -pi + 2 * pi * k / ANGLES, b = -pi + 2 * pi * (k + 1) / ANGLES;
        double at_a = turning(across, pushed, c->friction, a, &ahead);
        if (at_a * turning(across, pushed, c->friction, b, &ahead) > 0) continue;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = 0.5 * (a + b);
            if (at_a * turning(across, pushed, c->friction, middle, &ahead) > 0) a = middle;
            else b = middle;
        }
        turning(across, pushed, c->friction, b, &ahead);
        if (ahead <= 0) continue;
        c->held[0] = -c->friction * cos(b);
        c->held[1] = -c->friction * sin(b);
        return;
    }
    for (int i = 0; i < m; i++) c->held[i] *= c->friction / size;
}

/* Where the slip has ended: does it stick, or slide on, and which way? */
static void settle(course *c, fmu_room room)
{
    if (c->is_held || c->n == 1 || sqrt(fmu_dot(c->u + 1, c->u + 1, c->n - 1)) > c->small) return;
    c->u[1] = c->u[2] = 0;
    c->is_held = 1;
    hold(c, room);
}

/* Impulses and speeds per normal impulse, where the slip has ended or cannot turn. */
static void rates(const course *c, double *p, double *du)
{
    p[0] = 1;
    for (int i = 1; i < c->n; i++) p[i] = c->is_held ? c->held[i - 1] : -c->friction * sign(c->u[i]);
    fmu_multiply(c->W, c->n, c->n, p, NULL, du);
}

/* Normal impulse at which it is over, if nothing changes before; given: work [J] to give back, negative: none. */
static double enough(const course *c, const double *du, double given)
{
    double u = c->u[0], more = du[0];
    if (more <= FIRM * c->W[0]) return INFINITY;
    if (given < 0) return fmax(-u, 0.0) / more;
    double root = u * u + 2 * more * (given - c->work);
    return root >= 0 ? (sqrt(root) - u) / more : INFINITY;
}

static void slope(const course *c, const double *x, double *dx)
{
    double s = hypot(x[1], x[2]), p[3] = {1, -c->friction * x[1] / s, -c->friction * x[2] / s};
    fmu_multiply(c->W, 3, 3, p, NULL, dx);
    memcpy(dx + 3, p, sizeof p);
    dx[6] = x[0];
}

/* Runge and Kutta's fourth order from `start`, whose slope is k1. */
static void after(const course *c, const double *start, const double *k1, double step, double *end)
{
    double k2[COURSE], k3[COURSE], k4[COURSE], x[COURSE];
    for (int i = 0; i < COURSE; i++) x[i] = start[i] + step / 2 * k1[i];
    slope(c, x, k2);
    for (int i = 0; i < COURSE; i++) x[i] = start[i] + step / 2 * k2[i];
    slope(c, x, k3);
    for (int i = 0; i < COURSE; i++) x[i] = start[i] + step * k3[i];
    slope(c, x, k4);
    for (int i = 0; i < COURSE; i++) end[i] = start[i] + step * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) / 6;
}

static double missing(const double *end, double given) { return given < 0 ? -end[0] : given - end[6]; }

/* One step of a slip in space, whose direction may turn. 1: it is over. */
static int turn(course *c, double given)
{
    double start[COURSE] = {c->u[0], c->u[1], c->u[2], c->P[0], c->P[1], c->P[2], c->work}, k1[COURSE], end[COURSE];
    slope(c, start, k1);
    double x = start[1], y = start[2], s = hypot(x, y);
    double grows = (k1[1] * x + k1[2] * y) / s, turns = fabs(k1[2] * x - k1[1] * y) / s;
    double step = fmin(SHARE * s / fmax(turns, TINY), HALF * s / fmax(fabs(grows), TINY));
    after(c, start, k1, step, end);
    int over = missing(end, given) <= 0;
    double low = 0, high = step;
    for (int i = 0; i < HALVINGS && over; i++) {
        double middle = 0.5 * (low + high);
        after(c, start, k1, middle, end);
        if (missing(end, given) > 0) low = middle;
        else high = middle;
    }
    if (over) after(c, start, k1, high, end);
    memcpy(c->u, end, sizeof c->u);
    memcpy(c->P, end + 3, sizeof c->P);
    c->work = end[6];
    return over;
}

/* Goes on until the approach has ended, or until the normal impulse has given back so much [J]. 0: never. */
static int until(course *c, double given, fmu_room room)
{
    double p[3], du[3];
    for (int k = 0; k < STEPS; k++) {
        if (given < 0 && c->u[0] >= -c->small) return 1;
        settle(c, room);
        if (!c->is_held && c->n == 3) {
            if (turn(c, given)) return 1;
            continue;
        }
        rates(c, p, du);
        double slows = c->is_held || c->n == 1 ? 0.0 : -c->u[1] * du[1];
        double longest = slows > 0 ? c->u[1] * c->u[1] / slows : INFINITY, least = enough(c, du, given);
        double step = fmin(longest, least), before = c->u[0];
        if (!isfinite(step)) return 0;
        for (int i = 0; i < c->n; i++) {
            c->u[i] += step * du[i];
            c->P[i] += step * p[i];
        }
        c->work += step * (before + c->u[0]) / 2;
        if (least <= longest) return 1;
        c->u[1] = c->u[2] = 0;
    }
    return 0;
}

int fmu_one_contact(int n, const double *W, const double *u, double friction, double e, double *P, fmu_room room)
{
    course c;
    memset(&c, 0, sizeof c);
    c.n = n;
    c.W = W;
    c.friction = friction;
    c.small = SLIP_SHARE * fmu_largest(u, n);
    memcpy(c.u, u, (size_t)n * sizeof(double));
    if (!until(&c, -1.0, room)) return 0;
    double taken = -c.work;
    c.work = 0;
    if (e > 0) until(&c, fmax(e * e * taken, 0.0), room); /* where a joint lets nothing go back, nothing does */
    memcpy(P, c.P, (size_t)n * sizeof(double));
    return 1;
}
