/* See closing.h. The same steps as those of the careful assembly in Python, which decides whatever is doubtful here. */
#include "closing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double INDEPENDENT = 1e-4; /* squared distance of a row of length 1 from those before it */
static const double DEPENDENT = 1e-12;  /* distance below which it says nothing new */
static const double CONTRADICTION = 1e-13; /* of dependent rows, that rounding leaves */
static const double SMALL_ROW = 1e-6;   /* length of a row, as a share of the longest */
static const double CLOSED = 1e-13, TURNED_BACK = 1e-6, NEARLY = 1e-9, OPEN = 1e-10, REACH = 0.5;
static const int ITERATIONS = 20;
static const int SLIDING = 400; /* speeds up to which steps slide back towards the guess */

/* Rows of length 1, and the Cholesky factor of their products with each other. */
typedef struct {
    const lw_sparse_rows *A;
    double *value;  /* by row, as in A->column */
    double *length; /* 0: the row is empty */
    double *factor; /* lower triangle, rows of A->rows numbers */
    int32_t *first; /* where each row of the factor begins */
    char *idle;     /* rows that follow from others */
    double *right, *column, *share;
} rows_of;

static int64_t room_for(const lw_sparse_rows *A)
{
    int64_t m = A->rows, n = A->columns;
    return (int64_t)sizeof(double) * (A->nonzeros + m + m * m + 2 * m + n) + (int64_t)sizeof(int32_t) * m + m + 64;
}

static void place_in(rows_of *s, const lw_sparse_rows *A, void *memory)
{
    int64_t m = A->rows;
    double *next = memory;
    s->A = A;
    s->value = next, next += A->nonzeros;
    s->length = next, next += m;
    s->factor = next, next += m * m;
    s->right = next, next += m;
    s->share = next, next += m;
    s->column = next, next += A->columns;
    s->first = (int32_t *)next;
    s->idle = (char *)(s->first + m);
}

static int scale_rows(rows_of *s, const double *values, const double *weights)
{
    const lw_sparse_rows *A = s->A;
    double longest = 0.0;
    for (int i = 0; i < A->rows; i++) {
        double square = 0.0;
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            double x = values[A->place[k]];
            if (weights) x /= weights[A->column[k]];
            s->value[k] = x;
            square += x * x;
        }
        if (!isfinite(square)) return LW_DOUBTFUL;
        s->length[i] = sqrt(square);
        if (s->length[i] > longest) longest = s->length[i];
    }
    for (int i = 0; i < A->rows; i++) {
        if (s->length[i] == 0.0) continue;
        if (s->length[i] < SMALL_ROW * longest) return LW_DOUBTFUL;
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) s->value[k] /= s->length[i];
    }
    return LW_CLEAR;
}

/* Distance of row i from those before it, whose products with it the factor holds; share: what it has of each. */
static double distance(rows_of *s, int i)
{
    const lw_sparse_rows *A = s->A;
    int m = A->rows;
    double *c = s->share, square = 0.0;
    const double *L = s->factor;
    for (int j = 0; j < i; j++) c[j] = j < s->first[i] ? 0.0 : L[(int64_t)i * m + j];
    for (int j = i - 1; j >= 0; j--) {
        if (s->idle[j]) c[j] = 0.0;
        if (c[j] == 0.0) continue;
        c[j] /= L[(int64_t)j * m + j];
        for (int k = s->first[j]; k < j; k++) c[k] -= L[(int64_t)j * m + k] * c[j];
    }
    memset(s->column, 0, (size_t)A->columns * sizeof(double));
    for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) s->column[A->column[k]] = s->value[k];
    for (int j = 0; j < i; j++)
        if (c[j] != 0.0)
            for (int k = A->row_start[j]; k < A->row_start[j + 1]; k++) s->column[A->column[k]] -= c[j] * s->value[k];
    for (int k = 0; k < A->columns; k++) square += s->column[k] * s->column[k];
    return sqrt(square);
}

/* r: right-hand side of rows of length 1. */
static int factorise(rows_of *s, const double *r)
{
    const lw_sparse_rows *A = s->A;
    int m = A->rows;
    for (int i = 0; i < m; i++) {
        double *row = s->factor + (int64_t)i * m;
        s->first[i] = i;
        s->idle[i] = s->length[i] == 0.0;
        if (s->idle[i]) {
            if (r[i] != 0.0) return LW_DOUBTFUL;
            continue;
        }
        memset(s->column, 0, (size_t)A->columns * sizeof(double));
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) s->column[A->column[k]] = s->value[k];
        for (int j = 0; j < i; j++) {
            double product = 0.0;
            if (!s->idle[j])
                for (int k = A->row_start[j]; k < A->row_start[j + 1]; k++) product += s->column[A->column[k]] * s->value[k];
            row[j] = product;
            if (product != 0.0 && s->first[i] == i) s->first[i] = j;
        }
        double left = 1.0;
        for (int j = s->first[i]; j < i; j++) {
            if (s->idle[j]) continue;
            const double *other = s->factor + (int64_t)j * m;
            double x = row[j];
            for (int k = s->first[i] > s->first[j] ? s->first[i] : s->first[j]; k < j; k++) x -= row[k] * other[k];
            row[j] = x / other[j];
            left -= row[j] * row[j];
        }
        if (left > INDEPENDENT) {
            row[i] = sqrt(left);
            continue;
        }
        if (!(distance(s, i) < DEPENDENT)) return LW_DOUBTFUL;
        double expected = 0.0;
        for (int j = 0; j < i; j++) expected += s->share[j] * r[j];
        if (!(fabs(expected - r[i]) < CONTRADICTION)) return LW_DOUBTFUL;
        s->idle[i] = 1;
        s->first[i] = i;
    }
    return LW_CLEAR;
}

/* x += the shortest solution for this right-hand side, which is used up. */
static void add_solution(const rows_of *s, double *b, double *x)
{
    const lw_sparse_rows *A = s->A;
    int m = A->rows;
    const double *L = s->factor;
    for (int i = 0; i < m; i++) {
        double sum = b[i];
        if (s->idle[i]) {
            b[i] = 0.0;
            continue;
        }
        for (int j = s->first[i]; j < i; j++) sum -= L[(int64_t)i * m + j] * b[j];
        b[i] = sum / L[(int64_t)i * m + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        if (s->idle[i]) continue;
        b[i] /= L[(int64_t)i * m + i];
        for (int j = s->first[i]; j < i; j++) b[j] -= L[(int64_t)i * m + j] * b[i];
    }
    for (int i = 0; i < m; i++)
        if (!s->idle[i])
            for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) x[A->column[k]] += s->value[k] * b[i];
}

static int least_norm(rows_of *s, const double *values, const double *weights, const double *r, double *x)
{
    const lw_sparse_rows *A = s->A;
    if (scale_rows(s, values, weights) != LW_CLEAR) return LW_DOUBTFUL;
    double *b = s->right;
    for (int i = 0; i < A->rows; i++) b[i] = s->length[i] == 0.0 ? r[i] : r[i] / s->length[i];
    if (factorise(s, b) != LW_CLEAR) return LW_DOUBTFUL;
    memset(x, 0, (size_t)A->columns * sizeof(double));
    add_solution(s, b, x);
    for (int i = 0; i < A->rows; i++) { /* once more, for what rounding has left */
        double left = s->length[i] == 0.0 ? 0.0 : r[i] / s->length[i];
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) left -= s->value[k] * x[A->column[k]];
        b[i] = left;
    }
    add_solution(s, b, x);
    if (weights)
        for (int k = 0; k < A->columns; k++) x[k] /= weights[k];
    return LW_CLEAR;
}

int lw_least_norm(const lw_sparse_rows *A, const double *values, const double *weights, const double *r, double *x)
{
    void *memory = malloc((size_t)room_for(A));
    if (!memory) return LW_NO_MEMORY;
    rows_of s;
    place_in(&s, A, memory);
    int status = least_norm(&s, values, weights, r, x);
    free(memory);
    return status;
}

int64_t lw_closing_bytes(void) { return (int64_t)sizeof(lw_closing); }

static double largest(const double *x, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i])) return INFINITY;
        if (fabs(x[i]) > most) most = fabs(x[i]);
    }
    return most;
}

/* What a search works in. */
typedef struct {
    const lw_closing *of;
    const double *argument[5];
    double *q, *trial, *r, *J, *r_new, *J_new, *step, *drift, *right, *moved, *work;
    rows_of rows;
} search;

static double residual(search *s, const double *q, double *r, double *J)
{
    double *result[2] = {r, J};
    s->argument[1] = q;
    s->of->residual(s->argument, result, s->work);
    double size = largest(r, s->of->pattern.rows);
    return isfinite(largest(J, s->of->pattern.nonzeros)) ? size : INFINITY;
}

static void retract(search *s, double length)
{
    for (int k = 0; k < s->of->v; k++) s->moved[k] = length * s->of->unit[k] * s->step[k];
    const double *argument[4] = {s->argument[0], s->q, s->moved, s->argument[3]};
    double *result[1] = {s->trial};
    s->of->retract(argument, result, s->work);
}

/* The shortest step to the constraints; from afar, with a slide back towards the guess. */
static int next_step(search *s, double size)
{
    const lw_closing *of = s->of;
    const lw_sparse_rows *A = &of->pattern;
    int slides = size > TURNED_BACK && of->v <= SLIDING;
    for (int i = 0; i < A->rows; i++) {
        double sum = -s->r[i];
        for (int k = A->row_start[i]; slides && k < A->row_start[i + 1]; k++)
            sum += s->J[A->place[k]] * s->drift[A->column[k]];
        s->right[i] = sum;
    }
    if (least_norm(&s->rows, s->J, of->weights, s->right, s->step) != LW_CLEAR) return LW_DOUBTFUL;
    if (slides)
        for (int k = 0; k < of->v; k++) s->step[k] -= s->drift[k];
    return LW_CLEAR;
}

static int close_from(search *s, double *size, int32_t *iterations)
{
    const lw_closing *of = s->of;
    *iterations = 0;
    *size = residual(s, s->q, s->r, s->J);
    while (isfinite(*size) && *size > CLOSED) {
        if (++*iterations > ITERATIONS || next_step(s, *size) != LW_CLEAR) return LW_DOUBTFUL;
        double longest = largest(s->step, of->v), length = longest > REACH ? REACH / longest : 1.0;
        if (!isfinite(longest)) return LW_DOUBTFUL;
        retract(s, length);
        double now = residual(s, s->trial, s->r_new, s->J_new);
        if (*size < NEARLY && !(now < *size)) break; /* rounding: it stays where it is */
        if (!(now < *size)) return LW_DOUBTFUL;
        memcpy(s->q, s->trial, (size_t)of->q * sizeof(double));
        double *r = s->r, *J = s->J;
        s->r = s->r_new, s->J = s->J_new, s->r_new = r, s->J_new = J;
        for (int k = 0; k < of->v; k++) s->drift[k] += length * s->step[k];
        *size = now;
    }
    return *size <= OPEN ? LW_CLEAR : LW_DOUBTFUL;
}

int lw_close(const lw_closing *closing, const double *t, const double *z, const double *p, const double *wanted,
             double *q, double *size, int32_t *iterations)
{
    const lw_sparse_rows *A = &closing->pattern;
    int64_t v = closing->v, m = A->rows, nonzeros = A->nonzeros;
    int64_t numbers = closing->q + 2 * (m + nonzeros) + 3 * v + m + closing->work_size;
    double *memory = calloc((size_t)numbers, sizeof(double));
    void *rows = malloc((size_t)room_for(A));
    int status = LW_NO_MEMORY;
    if (memory && rows) {
        search s = {.of = closing, .argument = {t, NULL, z, p, wanted}, .q = q};
        double *next = memory;
        s.trial = next, next += closing->q;
        s.r = next, next += m;
        s.r_new = next, next += m;
        s.J = next, next += nonzeros;
        s.J_new = next, next += nonzeros;
        s.step = next, next += v;
        s.drift = next, next += v;
        s.moved = next, next += v;
        s.right = next, next += m;
        s.work = next;
        place_in(&s.rows, A, rows);
        status = close_from(&s, size, iterations);
    }
    free(memory);
    free(rows);
    return status;
}

/* Gaussian elimination row by row; pivots are the largest numbers that rows before have left. */
int lw_branch(const lw_sparse_rows *A, const double *values, const int32_t *order)
{
    static const double KEPT = 1e-3, LOST = 1e-11;
    int n = A->columns, count = 0, sign = 1;
    double *kept = malloc(sizeof(double) * ((size_t)n * n + n));
    int32_t *pivot = malloc(sizeof(int32_t) * (size_t)(n ? n : 1));
    if (!kept || !pivot) sign = 0;
    double *row = kept ? kept + (size_t)n * n : NULL;
    for (int i = 0; sign && count < n && i < A->rows + n; i++) {
        double size = 0.0, left = 0.0;
        int at = 0;
        memset(row, 0, (size_t)n * sizeof(double));
        if (i < A->rows)
            for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) row[A->column[k]] = values[A->place[k]];
        else
            row[order[i - A->rows]] = 1.0;
        size = largest(row, n);
        if (!isfinite(size)) sign = 0;
        if (size == 0.0) continue;
        for (int j = 0; j < count; j++) {
            const double *other = kept + (size_t)j * n;
            double share = row[pivot[j]] / other[pivot[j]];
            if (share == 0.0) continue;
            for (int k = 0; k < n; k++) row[k] -= share * other[k];
            row[pivot[j]] = 0.0;
        }
        for (int k = 0; k < n; k++)
            if (fabs(row[k]) > left) left = fabs(row[k]), at = k;
        if (left < LOST * size) continue;
        if (left < KEPT * size) {
            sign = 0;
            break;
        }
        memcpy(kept + (size_t)count * n, row, (size_t)n * sizeof(double));
        if (row[at] < 0) sign = -sign;
        pivot[count++] = at;
    }
    for (int i = 0; sign && i < count; i++) /* parity of the pivots' columns */
        while (pivot[i] != i) {
            int32_t other = pivot[i];
            pivot[i] = pivot[other];
            pivot[other] = other;
            sign = -sign;
        }
    free(kept);
    free(pivot);
    return count == n ? sign : 0;
}
