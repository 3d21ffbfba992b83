/* Singular values by rotations of pairs of columns (Hestenes, one-sided Jacobi): short, and as exact as any. */
#include "dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 60 };
static const double NONE = 1e-12; /* share of the largest singular value up to which one counts as zero */

void *fmu_take(fmu_room *room, size_t bytes)
{
    void *found = room->next;
    room->next += (bytes + 15) / 16 * 16;
    return found;
}

double *fmu_take_doubles(fmu_room *room, int count)
{
    double *found = fmu_take(room, (size_t)count * sizeof(double));
    memset(found, 0, (size_t)count * sizeof(double));
    return found;
}

double fmu_dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

double fmu_largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

void fmu_multiply(const double *A, int rows, int columns, const double *x, const double *c, double *y)
{
    for (int i = 0; i < rows; i++) y[i] = fmu_dot(A + (size_t)i * columns, x, columns) + (c ? c[i] : 0.0);
}

static void rotate(double *a, double *b, int n, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double old = a[i];
        a[i] = c * old - s * b[i];
        b[i] = s * old + c * b[i];
    }
}

/* Columns of A V orthogonal to each other, in `parts`, and those of V, one after the other. */
static void decompose(const double *A, int rows, int columns, double *parts, double *V)
{
    double whole = 0;
    memset(V, 0, (size_t)columns * columns * sizeof(double));
    for (int j = 0; j < columns; j++) {
        V[(size_t)j * columns + j] = 1;
        for (int i = 0; i < rows; i++) parts[(size_t)j * rows + i] = A[(size_t)i * columns + j];
        whole += fmu_dot(parts + (size_t)j * rows, parts + (size_t)j * rows, rows);
    }
    int turned = 1;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (int j = 0; j < columns; j++)
            for (int k = j + 1; k < columns; k++) {
                double *a = parts + (size_t)j * rows, *b = parts + (size_t)k * rows;
                double aa = fmu_dot(a, a, rows), bb = fmu_dot(b, b, rows), ab = fmu_dot(a, b, rows);
                if (fabs(ab) <= DBL_EPSILON * sqrt(aa * bb) || fmin(aa, bb) <= 1e-30 * whole) continue;
                double ratio = (bb - aa) / (2 * ab);
                double tangent = (ratio >= 0 ? 1 : -1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
                double c = 1 / sqrt(1 + tangent * tangent);
                rotate(a, b, rows, c, c * tangent);
                rotate(V + (size_t)j * columns, V + (size_t)k * columns, columns, c, c * tangent);
                turned = 1;
            }
    }
}

/* Squares of the singular values; returns the least that counts. */
static double squares(const double *parts, int rows, int columns, double *values)
{
    double most = 0;
    for (int j = 0; j < columns; j++) {
        values[j] = fmu_dot(parts + (size_t)j * rows, parts + (size_t)j * rows, rows);
        most = fmax(most, values[j]);
    }
    return NONE * NONE * most;
}

void fmu_least_squares(const double *A, int rows, int columns, const double *r, double *x, fmu_room room)
{
    double *parts = fmu_take_doubles(&room, rows * columns), *V = fmu_take_doubles(&room, columns * columns);
    double *values = fmu_take_doubles(&room, columns);
    decompose(A, rows, columns, parts, V);
    double least = squares(parts, rows, columns, values);
    memset(x, 0, (size_t)columns * sizeof(double));
    for (int j = 0; j < columns; j++) {
        if (values[j] <= least) continue;
        double share = fmu_dot(parts + (size_t)j * rows, r, rows) / values[j];
        for (int i = 0; i < columns; i++) x[i] += share * V[(size_t)j * columns + i];
    }
}

void fmu_pseudo_inverse(const double *A, int n, double *inverse, fmu_room room)
{
    double *parts = fmu_take_doubles(&room, n * n), *V = fmu_take_doubles(&room, n * n);
    double *values = fmu_take_doubles(&room, n);
    decompose(A, n, n, parts, V);
    double least = squares(parts, n, n, values);
    memset(inverse, 0, (size_t)n * n * sizeof(double));
    for (int k = 0; k < n; k++) {
        if (values[k] <= least) continue;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                inverse[(size_t)i * n + j] += V[(size_t)k * n + i] * parts[(size_t)k * n + j] / values[k];
    }
}
