/* Small dense systems, by singular values: what contacts need. Matrices are row by row. */
#ifndef FMU_DENSE_H
#define FMU_DENSE_H

#include <stddef.h>

/* Memory for a calculation. It is handed on by value: what a function takes of it is free again when it returns. */
typedef struct {
    char *next;
} fmu_room;

void *fmu_take(fmu_room *room, size_t bytes);
double *fmu_take_doubles(fmu_room *room, int count);

/* The shortest x (columns) that comes closest to A x = r (rows). */
void fmu_least_squares(const double *A, int rows, int columns, const double *r, double *x, fmu_room room);
/* Pseudo-inverse of a square matrix. */
void fmu_pseudo_inverse(const double *A, int n, double *inverse, fmu_room room);
/* y = A x (+ c, unless it is NULL). */
void fmu_multiply(const double *A, int rows, int columns, const double *x, const double *c, double *y);
double fmu_dot(const double *a, const double *b, int n);
double fmu_largest(const double *x, int n);

#endif
