/* Passes over instructions, one after the other: what each one reads, what is computed twice, where values are kept.
 *
 * In Python each of them takes as long as the code takes to be written. Arrays are those of NumPy, contiguous; every
 * number that is used as an index is checked, so that a stream that makes no sense is an error and not a crash. */
#define PY_SSIZE_T_CLEAN
#include "instructions.h"

#include <stdint.h>
#include <stdlib.h>

enum { OPERATION, PLACE, FIRST, SECOND, COLUMNS }; /* of a row of CasADi's instructions */
enum { ITSELF, OUTER, INNER, EITHER };             /* kinds of instructions, see `first_alike` */

static PyObject *wrong(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
    return NULL;
}

/* The last instruction that has written to a place before each one reads it. */
static int last_writers(const int32_t *rows, int64_t count, const int8_t *arity, int64_t codes, int32_t output,
                        int64_t places, int64_t *x, int64_t *y)
{
    int64_t *writer = malloc(((size_t)places + 1) * sizeof *writer);
    if (!writer) return 0;
    for (int64_t k = 0; k < places; k++) writer[k] = -1;
    int fits = 1;
    for (int64_t k = 0; k < count && fits; k++, rows += COLUMNS) {
        int32_t op = rows[OPERATION];
        int operands = op == output ? 1 : op >= 0 && op < codes ? arity[op] : 0;
        x[k] = y[k] = -1;
        for (int i = 0; i < operands && fits; i++) {
            int32_t from = rows[FIRST + i];
            fits = from >= 0 && from < places && writer[from] >= 0;
            if (fits) (i ? y : x)[k] = writer[from];
        }
        if (op != output) {
            fits = fits && rows[PLACE] >= 0 && rows[PLACE] < places;
            if (fits) writer[rows[PLACE]] = k;
        }
    }
    free(writer);
    return fits;
}

/* values_read(rows, arity, output, places, x, y) */
PyObject *lw_values_read(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer rows, arity, x, y;
    int output;
    Py_ssize_t places;
    if (!PyArg_ParseTuple(args, "y*y*inw*w*:values_read", &rows, &arity, &output, &places, &x, &y)) return NULL;
    int64_t count = x.len / (Py_ssize_t)sizeof(int64_t);
    int fits = rows.len == count * COLUMNS * (Py_ssize_t)sizeof(int32_t) && y.len == x.len && places >= 0 &&
               last_writers(rows.buf, count, arity.buf, arity.len, output, places, x.buf, y.buf);
    PyBuffer_Release(&rows);
    PyBuffer_Release(&arity);
    PyBuffer_Release(&x);
    PyBuffer_Release(&y);
    if (!fits) return wrong("an instruction reads what was never written");
    Py_RETURN_NONE;
}

static uint64_t mixed(uint64_t op, uint64_t a, uint64_t b)
{
    uint64_t h = (op * 0x9E3779B97F4A7C15u + a) * 0xBF58476D1CE4E5B9u;
    h = ((h ^ (h >> 29)) + b) * 0x94D049BB133111EBu;
    return h ^ (h >> 32);
}

/* By instruction, the first one that computes the same. a, b: what it reads of others (INNER; EITHER: in any order), or
 * what tells it from others itself (OUTER). 0: no memory, or a, b that are not earlier instructions. */
static int first_alike(const int64_t *op, const int64_t *a, const int64_t *b, const uint8_t *kind, int64_t count,
                       int64_t *same)
{
    size_t size = 16;
    while (size < 2 * (size_t)count) size *= 2;
    int64_t *known = malloc(size * sizeof *known), *first = malloc(2 * ((size_t)count + 1) * sizeof *first);
    int64_t *second = first + count + 1;
    int fits = known && first;
    for (size_t k = 0; fits && k < size; k++) known[k] = -1;
    for (int64_t k = 0; k < count && fits; k++) {
        same[k] = k;
        if (kind[k] == ITSELF) continue;
        int64_t u = a[k], v = b[k];
        if (kind[k] != OUTER) {
            fits = u >= -1 && u < k && v >= -1 && v < k;
            if (!fits) break;
            u = u < 0 ? count : same[u];
            v = v < 0 ? count : same[v];
            if (kind[k] == EITHER && v < u) {
                int64_t w = u;
                u = v;
                v = w;
            }
        }
        first[k] = u;
        second[k] = v;
        size_t at = (size_t)mixed((uint64_t)op[k], (uint64_t)u, (uint64_t)v) & (size - 1);
        for (; known[at] >= 0; at = (at + 1) & (size - 1)) {
            int64_t other = known[at];
            if (op[other] == op[k] && first[other] == u && second[other] == v) break;
        }
        if (known[at] < 0) known[at] = k;
        same[k] = known[at];
    }
    free(known);
    free(first);
    return fits;
}

/* first_alike(op, a, b, kind, same) */
PyObject *lw_first_alike(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer op, a, b, kind, same;
    if (!PyArg_ParseTuple(args, "y*y*y*y*w*:first_alike", &op, &a, &b, &kind, &same)) return NULL;
    int64_t count = kind.len;
    Py_ssize_t bytes = count * (Py_ssize_t)sizeof(int64_t);
    int fits = op.len == bytes && a.len == bytes && b.len == bytes && same.len == bytes &&
               first_alike(op.buf, a.buf, b.buf, kind.buf, count, same.buf);
    PyBuffer_Release(&op);
    PyBuffer_Release(&a);
    PyBuffer_Release(&b);
    PyBuffer_Release(&kind);
    PyBuffer_Release(&same);
    if (!fits) return wrong("an instruction reads what comes after it");
    Py_RETURN_NONE;
}

/* Where each value that needs a place is kept; those of values that have been read for the last time (`last`) are taken
 * again, the one left last first. The number of places; -1: no memory, or a `last` that there is not. */
static int64_t placed(const int64_t *last, const uint8_t *needs, int64_t count, int64_t *place)
{
    int64_t *next = malloc((2 * (size_t)count + 1) * sizeof *next), *ends = next + count;
    int64_t *free_places = malloc(((size_t)count + 1) * sizeof *free_places);
    int64_t used = next && free_places ? 0 : -1, spare = 0;
    for (int64_t k = 0; k < count && used == 0; k++) {
        ends[k] = -1;
        if (last[k] < k || last[k] >= count) used = -1;
    }
    if (used == 0) {
        for (int64_t k = count - 1; k >= 0; k--) { /* values by their last readers, in their own order */
            next[k] = ends[last[k]];
            ends[last[k]] = k;
        }
        for (int64_t k = 0; k < count; k++) {
            /* one that nobody reads ends with the next instruction */
            if (k && last[k - 1] == k - 1 && needs[k - 1]) free_places[spare++] = place[k - 1];
            for (int64_t value = ends[k]; value >= 0 && value < k; value = next[value])
                if (needs[value]) free_places[spare++] = place[value];
            place[k] = 0;
            if (needs[k]) place[k] = spare ? free_places[--spare] : used++;
        }
    }
    free(next);
    free(free_places);
    return used;
}

/* places(last, needs, place) → how many */
PyObject *lw_places(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer last, needs, place;
    if (!PyArg_ParseTuple(args, "y*y*w*:places", &last, &needs, &place)) return NULL;
    int64_t count = needs.len;
    Py_ssize_t bytes = count * (Py_ssize_t)sizeof(int64_t);
    int64_t used = last.len == bytes && place.len == bytes ? placed(last.buf, needs.buf, count, place.buf) : -1;
    PyBuffer_Release(&last);
    PyBuffer_Release(&needs);
    PyBuffer_Release(&place);
    if (used < 0) return wrong("a value is read for the last time before it is there");
    return PyLong_FromLongLong(used);
}
