/* Which rigid contacts are closed, stick and slide: what happens at an event, and how it goes on. Modes are states. */
#include "impact.h"
#include "inside.h"
#include "snapshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In lengths of the mechanism, and per second; slips of joints in rad/s. */
static const double CLOSED_GAP = 1e-9;            /* gap that counts as closed when something else happens */
static const double PLACED = 1e-6;                /* the same at the start: nobody places bodies better */
static const double SLIP_TOLERANCE = 1e-9;        /* slip that counts as none */
static const double NORMAL_SPEED_TOLERANCE = 1e-13; /* normal speed that counts as none where a contact stays closed */
static const double LEAVING = 0.1;                /* share of the slowest rebound above which something leaves */
static const double SETTLED = 1e-12;              /* share of a load by which it may still change */
enum { ROUNDS = 60 }; /* in which what sticks at the start and what joints then carry are found together */

/* A decision under way: what is known of every contact. */
typedef struct {
    fmu_instance *self;
    fmu_snapshot now;
    int *touching, *held, *hit;
    fmu_touch *touches;
    double *F;
} decision;

static const double *numbers_of(const decision *d, int k) { return d->now.numbers + (size_t)FMU_NUMBERS * k; }

static int is_closed(const fmu_mode *mode, const double *y) { return mode->closed < 0 || y[mode->closed] > 0.5; }

static fmu_seat seat_of(const decision *d, int k, int impulse)
{
    const fmu_mode *mode = d->self->model->modes + k;
    const double *x = numbers_of(d, k);
    fmu_seat seat = {mode->normal, mode->count, {mode->tangential[0], mode->tangential[1]},
                     x[FMU_FRICTION], x[FMU_STATIC], x[FMU_NOISE], x[FMU_PRESS], 0, {0, 0}};
    if (impulse) {
        seat.resting = seat.friction;
        seat.noise = seat.press = 0;
        return seat;
    }
    double size = fmu_size(d->now.speeds, mode->tangential, mode->count);
    seat.slides = size > SLIP_TOLERANCE * mode->unit;
    for (int i = 0; i < mode->count && seat.slides; i++) seat.direction[i] = d->now.speeds[mode->tangential[i]] / size;
    return seat;
}

static fmu_status jammed(fmu_instance *self)
{
    return fmu_fail(self, "Rigid contacts jam at t = %g s: no forces keep them from penetrating with this much friction.",
                    *self->t);
}

/* Forces of contacts in `which`. A slip slower than any rebound that jams has stopped: by a shock that is no shock. */
static fmu_status forces_of(decision *d, const double *b, const int *which, fmu_room room)
{
    int count = d->self->model->contacts, n = 0, still = 0;
    fmu_seat *seats = fmu_take(&room, (size_t)count * sizeof *seats);
    fmu_touch *touches = fmu_take(&room, (size_t)count * sizeof *touches);
    for (int k = 0; k < count; k++) {
        d->touches[k] = (fmu_touch){FMU_OPEN, {0, 0}};
        if (which[k]) seats[n++] = seat_of(d, k, 0);
    }
    fmu_problem problem = {d->now.rows, n, d->now.W, b, seats};
    if (!fmu_solve(&problem, d->F, touches, room)) {
        n = 0;
        for (int k = 0; k < count; k++) {
            if (!which[k]) continue;
            double slip = fmu_size(d->now.speeds, seats[n].tangential, seats[n].count);
            if (seats[n].slides && slip <= numbers_of(d, k)[FMU_REST]) seats[n].slides = 0, still = 1;
            n++;
        }
        if (!still || !fmu_solve(&problem, d->F, touches, room)) return jammed(d->self);
    }
    n = 0;
    for (int k = 0; k < count; k++)
        if (which[k]) d->touches[k] = touches[n++];
    return FMU_OK;
}

/* Whether each of the closed contacts carries a force, and is not just leaning against another. */
static fmu_status find_loaded(decision *d, const double *b, int *loaded, fmu_room room)
{
    const fmu_model *m = d->self->model;
    int *which = fmu_take(&room, (size_t)m->contacts * sizeof(int)), any = 0;
    for (int k = 0; k < m->contacts; k++) {
        int opens = m->modes[k].normal >= 0;
        which[k] = !opens || (d->touching[k] && is_closed(m->modes + k, d->self->y));
        any |= opens && which[k];
        loaded[k] = 0;
    }
    if (!any) return FMU_OK;
    fmu_status status = forces_of(d, b, which, room);
    for (int k = 0; k < m->contacts && status == FMU_OK; k++)
        loaded[k] = m->modes[k].normal >= 0 && which[k] && d->F[m->modes[k].normal] > 10 * numbers_of(d, k)[FMU_NOISE];
    return status;
}

/* The state takes the speeds after an impact, if there is one; whether there was in `struck`. */
static fmu_status impact(decision *d, int *struck, fmu_room room)
{
    fmu_instance *self = d->self;
    const fmu_model *m = self->model;
    int count = m->contacts, r = d->now.rows;
    fmu_seat *seats = fmu_take(&room, (size_t)count * sizeof *seats);
    double *restitution = fmu_take_doubles(&room, count), *rest = fmu_take_doubles(&room, count), loss;
    double *impulse = fmu_take_doubles(&room, r), *b = fmu_take_doubles(&room, r);
    int *loaded = fmu_take(&room, (size_t)count * sizeof(int));
    fmu_free_accelerations(&d->now, b, room);
    fmu_status status = find_loaded(d, b, loaded, room);
    if (status != FMU_OK) return status;
    for (int k = 0; k < count; k++) {
        seats[k] = seat_of(d, k, 1);
        if (!d->touching[k]) seats[k].normal = -1;
        restitution[k] = numbers_of(d, k)[FMU_RESTITUTION];
        rest[k] = numbers_of(d, k)[FMU_REST];
    }
    fmu_meeting at = {r, count, d->now.W, d->now.speeds, seats, restitution, rest, loaded, m->length};
    if (!fmu_strike(&at, impulse, d->hit, &loss, room)) return jammed(self);
    *struck = 0;
    for (int k = 0; k < count; k++) *struck |= d->hit[k];
    if (!*struck) return FMU_OK;
    double before = d->now.kinetic;
    for (int i = 0; i < m->v; i++) self->y[m->q + i] += fmu_dot(d->now.response + (size_t)i * r, impulse, r);
    self->y[m->lost] += loss;
    fmu_look(self, &d->now);
    if (m->supplied >= 0) self->y[m->supplied] += d->now.kinetic - before + loss;
    return FMU_OK;
}

/* Ends what is left of the normal speeds of contacts that stay: slips depend on it. */
static void close_up(decision *d, fmu_room room)
{
    fmu_instance *self = d->self;
    const fmu_model *m = self->model;
    int r = d->now.rows, n = 0, moving = 0;
    int *rows = fmu_take(&room, (size_t)(r + 1) * sizeof(int));
    double *W = fmu_take_doubles(&room, r * r), *u = fmu_take_doubles(&room, r), *P = fmu_take_doubles(&room, r);
    for (int k = 0; k < m->contacts; k++) {
        int row = m->modes[k].normal;
        if (!d->held[k] || row < 0) continue;
        rows[n++] = row;
        moving |= fabs(d->now.speeds[row]) > NORMAL_SPEED_TOLERANCE * m->length;
    }
    if (!moving) return;
    for (int k = 0; k < m->contacts; k++) { /* what does not slip begins no slip by it */
        const fmu_mode *mode = m->modes + k;
        if (!d->held[k] || fmu_size(d->now.speeds, mode->tangential, mode->count) > SLIP_TOLERANCE * mode->unit) continue;
        for (int i = 0; i < mode->count; i++) rows[n++] = mode->tangential[i];
    }
    for (int i = 0; i < n; i++) {
        u[i] = -d->now.speeds[rows[i]];
        for (int j = 0; j < n; j++) W[i * n + j] = d->now.W[(size_t)rows[i] * r + rows[j]];
    }
    fmu_least_squares(W, n, n, u, P, room);
    for (int i = 0; i < m->v; i++)
        for (int j = 0; j < n; j++) self->y[m->q + i] += d->now.response[(size_t)i * r + rows[j]] * P[j];
    self->y[m->lost] += fmu_dot(P, u, n) / 2;
    fmu_look(self, &d->now);
}

/* Writes what each contact does into the state. */
static void enter(decision *d)
{
    const fmu_model *m = d->self->model;
    for (int k = 0; k < m->contacts; k++) {
        const fmu_mode *mode = m->modes + k;
        const fmu_touch *touch = d->touches + k;
        double *y = d->self->y;
        if (mode->closed >= 0) y[mode->closed] = touch->kind != FMU_OPEN;
        if (mode->stuck < 0) continue;
        y[mode->stuck] = touch->kind == FMU_STUCK;
        for (int i = 0; i < mode->count; i++)
            y[mode->direction[i]] = touch->kind == FMU_SLIDING ? touch->direction[i] : 0.0;
    }
}

/* Time until the first rebound is at its highest: a step must not be longer, it would not see the bounce. */
static double rising(const decision *d, const double *b)
{
    const fmu_model *m = d->self->model;
    double first = INFINITY;
    for (int k = 0; k < m->contacts; k++) {
        int row = m->modes[k].normal;
        if (row < 0 || !d->touching[k] || d->held[k]) continue;
        double a = fmu_dot(d->now.W + (size_t)row * d->now.rows, d->F, d->now.rows) + b[row];
        if (a < 0) first = fmin(first, d->now.speeds[row] / -a);
    }
    return first;
}

static fmu_status go_on(fmu_instance *self, double near)
{
    const fmu_model *m = self->model;
    int count = m->contacts, struck;
    fmu_room room = {self->contact_room};
    decision d = {.self = self};
    d.touching = fmu_take(&room, 3 * (size_t)count * sizeof(int));
    d.held = d.touching + count;
    d.hit = d.held + count;
    d.touches = fmu_take(&room, (size_t)count * sizeof *d.touches);
    d.F = fmu_take_doubles(&room, m->contact_rows);
    double *b = fmu_take_doubles(&room, m->contact_rows);
    fmu_snapshot_create(m, &d.now, &room);
    if (!fmu_look(self, &d.now)) return fmu_fail(self, "The forces are not finite at t = %g s.", *self->t);
    fmu_respond(&d.now, room);
    for (int k = 0; k < count; k++)
        d.touching[k] = m->modes[k].normal < 0 || is_closed(m->modes + k, self->y) || d.now.gap[k] <= near;
    fmu_status status = impact(&d, &struck, room);
    if (status != FMU_OK) return status;
    for (int k = 0; k < count; k++) {
        int row = m->modes[k].normal;
        d.held[k] = d.touching[k] && (row < 0 || d.now.speeds[row] <= LEAVING * numbers_of(&d, k)[FMU_REST]);
    }
    close_up(&d, room);
    fmu_free_accelerations(&d.now, b, room);
    if ((status = forces_of(&d, b, d.held, room)) != FMU_OK) return status;
    enter(&d);
    *self->clear = *self->t + rising(&d, b);
    fmu_forget(self);
    return FMU_OK;
}

/* Puts the loads of joints on the reactions that the present state has; the largest change, as a share. */
static double follow_loads(fmu_instance *self)
{
    const fmu_model *m = self->model;
    double t = fmu_refreshed(self), work = 0, most = 0;
    const double *arg[3] = {&t, self->y, self->p};
    double *res[1] = {self->rate};
    m->rhs(arg, res, &work);
    fmu_forget(self);
    for (int k = 0; k < m->loads; k++)
        if (!isfinite(self->rate[m->load_at[k]])) return 0;
    for (int k = 0; k < m->loads; k++) {
        double change = m->load_lag[k] * self->rate[m->load_at[k]], *load = self->y + m->load_at[k];
        self->y[m->load_after[k]] = *load += change;
        most = fmax(most, fabs(change) / fmax(fabs(*load), 1e-300));
    }
    return most;
}

void fmu_contacts_open(fmu_instance *self)
{
    const fmu_model *m = self->model;
    for (int k = 0; k < m->contacts; k++) {
        const fmu_mode *mode = m->modes + k;
        if (mode->closed >= 0) self->y[mode->closed] = 0;
        if (mode->stuck >= 0) self->y[mode->stuck] = 0;
        for (int i = 0; i < mode->count; i++) self->y[mode->direction[i]] = 0;
    }
    *self->clear = INFINITY;
    fmu_forget(self);
}

/* Gaps [m] of the present state, in memory that is free again. */
static const double *gaps(fmu_instance *self)
{
    fmu_room room = {self->contact_room};
    fmu_snapshot now;
    fmu_snapshot_create(self->model, &now, &room);
    fmu_look(self, &now);
    return now.gap;
}

fmu_status fmu_contacts_begin(fmu_instance *self)
{
    const fmu_model *m = self->model;
    const double *gap = gaps(self);
    for (int k = 0; k < m->contacts; k++)
        if (m->modes[k].normal >= 0 && gap[k] < -PLACED * m->length) {
            snprintf(self->message, sizeof self->message, "%s starts %.3g m inside what it touches.", m->contact_names[k],
                     -gap[k]);
            return FMU_ERROR;
        }
    fmu_status status = go_on(self, PLACED * m->length);
    for (int k = 0; k < ROUNDS && m->loads && status == FMU_OK; k++) {
        double change = follow_loads(self);
        status = go_on(self, PLACED * m->length);
        if (change <= SETTLED) break;
    }
    return status;
}

fmu_status fmu_contacts_after(fmu_instance *self) { return go_on(self, CLOSED_GAP * self->model->length); }

fmu_status fmu_contacts_aloft(fmu_instance *self)
{
    const fmu_model *m = self->model;
    const double *gap = gaps(self);
    *self->clear = INFINITY;
    for (int k = 0; k < m->contacts; k++)
        if (m->modes[k].normal >= 0 && gap[k] <= 0 && !is_closed(m->modes + k, self->y)) return fmu_contacts_after(self);
    return FMU_OK;
}

size_t fmu_contacts_room(const fmu_model *m)
{
    size_t n = (size_t)m->v, held = n + (size_t)m->contact_joints, r = (size_t)m->contact_rows, k = (size_t)m->contacts;
    size_t numbers = fmu_snapshot_size(m) + 5 * held * held + n * r + 16 * r * r + 64 * (r + k + held + 16);
    size_t touches = (8 + 2 * (16 + 4 * k)) * k * sizeof(fmu_touch), seats = 8 * k * sizeof(fmu_seat);
    return k ? numbers * sizeof(double) + touches + seats + 4096 : 0;
}
