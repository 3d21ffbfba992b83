/* Machine code at many states; the second half of machine_code.c, which includes it. */
#ifndef LW_MACHINE_CODE_ROWS_H
#define LW_MACHINE_CODE_ROWS_H

/* A contiguous buffer of `size` doubles, or of n rows with as many or more each; 0 with an error set where it is none.
 * n: 0, where there are no rows. */
static int take_doubles(machine_code *self, PyObject *given, Py_buffer *view, Py_ssize_t size, Py_ssize_t n, int flags,
                        const char *what)
{
    if (PyObject_GetBuffer(given, view, PyBUF_FORMAT | PyBUF_ND | PyBUF_C_CONTIGUOUS | flags) < 0) {
        refuse(self, "%s must be a contiguous array of float64", what);
        return 0;
    }
    int wider = n && view->ndim == 2 && view->shape[0] == n && view->shape[1] >= size / n;
    if (is_doubles(view) && (wider || view->len == size * (Py_ssize_t)sizeof(double))) return 1;
    PyBuffer_Release(view);
    refuse(self, "%s must hold %zd float64", what, size);
    return 0;
}

/* The first result for every row, without the interpreter lock. */
static void evaluate_rows(machine_code *self, room *in, double *rest, Py_ssize_t n, const double *t, const double *y,
                          const double *p, double *out, Py_ssize_t width)
{
    for (Py_ssize_t k = 1; k < self->n_out; rest += self->out_size[k++]) in->result[k] = rest;
    for (Py_ssize_t i = 0; i < n; i++) {
        const double *argument[3] = {t + i, y + i * self->in_size[1], p};
        in->result[0] = out + i * width;
        self->code(argument, in->result, in->work);
    }
}

/* rows(t, y, p, out): the first result of f(t[i], y[i], p) into out[i], for every i; what is left of a row of out that
 * is longer stays as it is. */
static PyObject *rows(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    machine_code *self = (machine_code *)object;
    if (!self->code || count != 4 || self->n_in != 3 || self->in_size[0] != 1 || !self->n_out)
        return refuse(self, "rows are taken by functions of (t, y, p), as rows(t, y, p, out)");
    Py_ssize_t n = PyObject_Length(args[0]), further = 0;
    if (n < 0) return NULL;
    if (n > INT32_MAX) return refuse(self, "it cannot take %zd rows at once", n);
    for (Py_ssize_t k = 1; k < self->n_out; k++) further += self->out_size[k];
    Py_ssize_t sizes[4] = {n, n * self->in_size[1], self->in_size[2], n * self->out_size[0]};
    const char *names[4] = {"t", "y", "p", "out"};
    Py_buffer view[4];
    int taken = 0;
    while (taken < 4 && take_doubles(self, args[taken], &view[taken], sizes[taken], taken == 3 ? n : 0,
                                     taken == 3 ? PyBUF_WRITABLE : 0, names[taken]))
        taken++;
    room *in = taken == 4 ? enter(self) : NULL;
    double *rest = in ? PyMem_Calloc((size_t)further + 1, sizeof(double)) : NULL;
    if (in && !rest) PyErr_NoMemory();
    int apart = taken == 4 && !overlap(&view[3], &view[0]) && !overlap(&view[3], &view[1]) &&
                !overlap(&view[3], &view[2]);
    if (rest && !apart) refuse(self, "out shares memory with an argument");
    if (rest && apart) {
        Py_BEGIN_ALLOW_THREADS
        Py_ssize_t width = n ? view[3].len / (n * (Py_ssize_t)sizeof(double)) : 0;
        evaluate_rows(self, in, rest, n, view[0].buf, view[1].buf, view[2].buf, view[3].buf, width);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(rest);
    if (in) leave(self, in);
    while (taken-- > 0) PyBuffer_Release(&view[taken]);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

#endif
