#include "snapshot.h"

#include "inside.h"

#include <math.h>
#include <string.h>

size_t fmu_snapshot_size(const fmu_model *m)
{
    size_t n = (size_t)m->v, j = (size_t)m->contact_joints, r = (size_t)m->contact_rows, k = (size_t)m->contacts;
    return n * n + j * n + 2 * r * n + n + j + 2 * r + k + FMU_NUMBERS * k + 1;
}

void fmu_snapshot_create(const fmu_model *m, fmu_snapshot *now, fmu_room *room)
{
    int n = m->v, j = m->contact_joints, r = m->contact_rows, k = m->contacts;
    now->n = n;
    now->joint_rows = j;
    now->rows = r;
    now->flat = fmu_take_doubles(room, (int)fmu_snapshot_size(m));
    now->mass = now->flat;
    now->joints = now->mass + n * n;
    now->contacts = now->joints + j * n;
    now->push = now->contacts + r * n;
    now->force = now->push + r * n;
    now->gamma = now->force + n;
    now->drift = now->gamma + j;
    now->speeds = now->drift + r;
    now->gap = now->speeds + r;
    now->numbers = now->gap + k;
    now->inverse = fmu_take_doubles(room, (n + j) * (n + j));
    now->response = fmu_take_doubles(room, n * r);
    now->W = fmu_take_doubles(room, r * r);
}

int fmu_look(fmu_instance *self, fmu_snapshot *now)
{
    const fmu_model *m = self->model;
    double t = fmu_refreshed(self), work = 0;
    const double *arg[3] = {&t, self->y, self->p};
    double *res[1] = {now->flat};
    int count = (int)fmu_snapshot_size(m);
    m->snapshot(arg, res, &work);
    now->kinetic = now->flat[count - 1];
    return lw_all_finite(now->flat, count);
}

/* Scales of the rows and columns of [M A'; A 0]: masses become 1, and so do rows of joints. */
static void scales(const fmu_snapshot *now, double *scale)
{
    int n = now->n, some = 0;
    double typical = 0;
    for (int i = 0; i < n; i++)
        if (now->mass[i * n + i] > 0) typical += now->mass[i * n + i], some++;
    typical = some ? typical / some : 1.0; /* of what has no mass: joints hold it */
    for (int i = 0; i < n; i++) scale[i] = 1 / sqrt(now->mass[i * n + i] > 0 ? now->mass[i * n + i] : typical);
    for (int j = 0; j < now->joint_rows; j++) {
        double size = 0;
        for (int i = 0; i < n; i++) size = fmax(size, fabs(now->joints[j * n + i] * scale[i]));
        scale[n + j] = 1 / (size > 0 ? size : 1.0);
    }
}

void fmu_respond(fmu_snapshot *now, fmu_room room)
{
    int n = now->n, whole = n + now->joint_rows, r = now->rows;
    double *matrix = fmu_take_doubles(&room, whole * whole), *scale = fmu_take_doubles(&room, whole);
    scales(now, scale);
    for (int i = 0; i < n; i++) memcpy(matrix + i * whole, now->mass + i * n, (size_t)n * sizeof(double));
    for (int j = n; j < whole; j++)
        for (int i = 0; i < n; i++) matrix[i * whole + j] = matrix[j * whole + i] = now->joints[(j - n) * n + i];
    for (int i = 0; i < whole; i++)
        for (int j = 0; j < whole; j++) matrix[i * whole + j] *= scale[i] * scale[j];
    fmu_pseudo_inverse(matrix, whole, now->inverse, room);
    for (int i = 0; i < whole; i++)
        for (int j = 0; j < whole; j++) now->inverse[i * whole + j] *= scale[i] * scale[j];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < r; k++) now->response[i * r + k] = fmu_dot(now->inverse + i * whole, now->push + k * n, n);
    for (int i = 0; i < r; i++)
        for (int k = 0; k < r; k++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += now->contacts[i * n + j] * now->response[j * r + k];
            now->W[i * r + k] = sum;
        }
}

void fmu_free_accelerations(const fmu_snapshot *now, double *b, fmu_room room)
{
    int n = now->n, j = now->joint_rows, whole = n + j;
    double *load = fmu_take_doubles(&room, whole), *a = fmu_take_doubles(&room, n);
    memcpy(load, now->force, (size_t)n * sizeof(double));
    memcpy(load + n, now->gamma, (size_t)j * sizeof(double));
    for (int i = 0; i < n; i++) a[i] = fmu_dot(now->inverse + i * whole, load, whole);
    for (int i = 0; i < now->rows; i++) b[i] = fmu_dot(now->contacts + i * n, a, n) - now->drift[i];
}
