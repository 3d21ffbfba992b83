/* Machine code as a Python callable: f(a, b, ..., out=...) → list of arrays, in well under a microsecond.
 *
 * Code only reads and writes as much as its sizes say, so every size and kind is checked here, where Python hands over.
 * Arguments are copied, so that results may overlap them; results are written where they will stay. What is not a
 * number or a plain array of doubles goes through `read`, a method of the subclass, and is checked again.
 * A call has a room of its own: reading an argument may call the same code again, as may another thread meanwhile. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "instructions.h"
#include "tangent.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void (*code_function)(const double *const *arg, double *const *res, double *work);

/* What one call works in, in one piece of memory. */
typedef struct {
    const double **argument;
    double **result;
    Py_buffer *view; /* of the results */
    double *work, *numbers; /* the latter: all arguments, one after the other */
} room;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    code_function code;
    PyObject *empty;     /* numpy.empty */
    PyObject *out_sizes; /* a tuple */
    Py_ssize_t n_in, n_out;
    Py_ssize_t *in_size, *out_size;
    Py_ssize_t numbers, work_size; /* of all arguments together; of the working memory */
    room *spare;                   /* of the last call; NULL: it is in use */
} machine_code;

static PyObject *read_name, *refuse_name, *out_name; /* "read", "refuse", "out" */

/* Raises what the subclass makes of a sentence, which names the argument. Returns NULL. */
static PyObject *refuse(machine_code *self, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    PyObject *sentence = PyUnicode_FromFormatV(format, values);
    va_end(values);
    PyErr_Clear();
    if (!sentence) return NULL;
    PyObject *nothing = PyObject_CallMethodOneArg((PyObject *)self, refuse_name, sentence);
    Py_DECREF(sentence);
    Py_XDECREF(nothing);
    if (nothing) PyErr_SetString(PyExc_SystemError, "refuse() has not raised");
    return NULL;
}

static int is_doubles(const Py_buffer *view)
{
    const char *format = view->format;
    if (!format || view->itemsize != (Py_ssize_t)sizeof(double)) return 0;
    if (*format == '@' || *format == '=') format++;
    return format[0] == 'd' && !format[1];
}

/* 1: copied; 0: not of this kind; -1: error. */
static int copy_buffer(PyObject *given, double *place, Py_ssize_t size)
{
    Py_buffer view;
    if (!PyObject_CheckBuffer(given)) return 0;
    if (PyObject_GetBuffer(given, &view, PyBUF_FORMAT | PyBUF_STRIDES) < 0) {
        PyErr_Clear();
        return 0;
    }
    int fits = is_doubles(&view) && view.ndim <= 1 && view.len == size * (Py_ssize_t)sizeof(double);
    if (fits) {
        Py_ssize_t stride = view.ndim && view.strides ? view.strides[0] : (Py_ssize_t)sizeof(double);
        if (stride == (Py_ssize_t)sizeof(double)) memcpy(place, view.buf, (size_t)view.len);
        else
            for (Py_ssize_t i = 0; i < size; i++) memcpy(place + i, (const char *)view.buf + i * stride, sizeof(double));
    }
    PyBuffer_Release(&view);
    return fits;
}

static int copy_argument(machine_code *self, Py_ssize_t i, PyObject *given, double *place)
{
    Py_ssize_t size = self->in_size[i];
    if (size == 1 && PyFloat_CheckExact(given)) {
        *place = PyFloat_AS_DOUBLE(given);
        return 1;
    }
    if (copy_buffer(given, place, size)) return 1;
    PyObject *number = PyLong_FromSsize_t(i);
    if (!number) return 0;
    PyObject *read = PyObject_CallMethodObjArgs((PyObject *)self, read_name, number, given, NULL);
    Py_DECREF(number);
    if (!read) return 0;
    int copied = copy_buffer(read, place, size);
    Py_DECREF(read);
    if (!copied) refuse(self, "argument %zd must hold %zd numbers", i, size);
    return copied;
}

static void release(room *in, Py_ssize_t count)
{
    while (count-- > 0) PyBuffer_Release(&in->view[count]);
}

static int overlap(const Py_buffer *a, const Py_buffer *b)
{
    const char *p = a->buf, *q = b->buf;
    return p < q + b->len && q < p + a->len;
}

/* Takes `place` as the memory of result k. */
static int take_result(machine_code *self, room *in, Py_ssize_t k, PyObject *place)
{
    Py_buffer *view = &in->view[k];
    Py_ssize_t size = self->out_size[k];
    if (PyObject_GetBuffer(place, view, PyBUF_FORMAT | PyBUF_ND | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
        refuse(self, "out[%zd] must be a contiguous array of %zd float64 that can be written to", k, size);
        return 0;
    }
    if (!is_doubles(view) || view->len != size * (Py_ssize_t)sizeof(double)) {
        Py_ssize_t items = view->itemsize ? view->len / view->itemsize : 0;
        PyObject *format = PyUnicode_FromString(view->format ? view->format : "B");
        PyBuffer_Release(view);
        if (format) refuse(self, "out[%zd] must hold %zd float64; it holds %zd of kind %R", k, size, items, format);
        Py_XDECREF(format);
        return 0;
    }
    for (Py_ssize_t other = 0; other < k; other++)
        if (overlap(view, &in->view[other])) {
            PyBuffer_Release(view);
            refuse(self, "out[%zd] and out[%zd] share memory", other, k);
            return 0;
        }
    in->result[k] = view->buf;
    return 1;
}

/* A new list of the arrays that results go to: fresh ones, or those given as `out`. */
static PyObject *places_of(machine_code *self, PyObject *out)
{
    PyObject *places = PyList_New(self->n_out);
    if (!places) return NULL;
    if (out && self->n_out != 1 && !(PyList_CheckExact(out) || PyTuple_CheckExact(out))) {
        refuse(self, "out must be a list or tuple of %zd arrays", self->n_out);
        goto failed;
    }
    int several = out && (PyList_CheckExact(out) || PyTuple_CheckExact(out));
    if (several && PySequence_Fast_GET_SIZE(out) != self->n_out) {
        refuse(self, "out has %zd arrays; there are %zd results", PySequence_Fast_GET_SIZE(out), self->n_out);
        goto failed;
    }
    for (Py_ssize_t k = 0; k < self->n_out; k++) {
        PyObject *place;
        if (!out) place = PyObject_CallOneArg(self->empty, PyTuple_GET_ITEM(self->out_sizes, k));
        else place = Py_NewRef(several ? PySequence_Fast_GET_ITEM(out, k) : out);
        if (!place) goto failed;
        PyList_SET_ITEM(places, k, place);
    }
    return places;
failed:
    Py_DECREF(places);
    return NULL;
}

/* Reads the keywords: `out` or nothing. */
static int read_out(machine_code *self, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **out)
{
    *out = NULL;
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k);
        int same = PyUnicode_Compare(name, out_name) == 0;
        if (!same) {
            refuse(self, "there is no argument %R, only out", name);
            return 0;
        }
        *out = args[count + k] == Py_None ? NULL : args[count + k];
    }
    return 1;
}

/* Room for one call; NULL with an error set where there is no memory. */
static room *enter(machine_code *self)
{
    room *in = self->spare;
    self->spare = NULL;
    if (in) return in;
    size_t n_in = (size_t)self->n_in, n_out = (size_t)self->n_out, doubles = (size_t)(self->numbers + self->work_size);
    in = PyMem_Calloc(1, sizeof *in + n_out * sizeof(Py_buffer) + doubles * sizeof(double) +
                             n_in * sizeof(double *) + n_out * sizeof(double *));
    if (!in) return (room *)PyErr_NoMemory();
    in->view = (Py_buffer *)(in + 1);
    in->work = (double *)(in->view + n_out);
    in->numbers = in->work + self->work_size;
    in->argument = (const double **)(in->numbers + self->numbers);
    in->result = (double **)(in->argument + n_in);
    const double *next = in->numbers;
    for (size_t i = 0; i < n_in; next += self->in_size[i++]) in->argument[i] = next;
    return in;
}

static void leave(machine_code *self, room *in)
{
    if (self->spare) PyMem_Free(in);
    else self->spare = in;
}

static PyObject *evaluated(machine_code *self, room *in, PyObject *const *args, PyObject *out)
{
    double *place = in->numbers;
    for (Py_ssize_t i = 0; i < self->n_in; place += self->in_size[i++])
        if (!copy_argument(self, i, args[i], place)) return NULL;
    PyObject *places = places_of(self, out);
    if (!places) return NULL;
    for (Py_ssize_t k = 0; k < self->n_out; k++)
        if (!take_result(self, in, k, PyList_GET_ITEM(places, k))) {
            release(in, k);
            Py_DECREF(places);
            return NULL;
        }
    self->code(in->argument, in->result, in->work);
    release(in, self->n_out);
    return places;
}

static PyObject *call(PyObject *object, PyObject *const *args, size_t flagged, PyObject *names)
{
    machine_code *self = (machine_code *)object;
    Py_ssize_t count = PyVectorcall_NARGS(flagged);
    PyObject *out;
    if (!self->code) return PyErr_Format(PyExc_RuntimeError, "this function has no code yet");
    if (!read_out(self, args, count, names, &out)) return NULL;
    if (count != self->n_in)
        return refuse(self, "it takes %zd arguments, %zd were given", self->n_in, count);
    room *in = enter(self);
    if (!in) return NULL;
    PyObject *results = evaluated(self, in, args, out);
    leave(self, in);
    return results;
}

#include "machine_code_rows.h"

static PyMethodDef methods[] = {{"rows", (PyCFunction)(void (*)(void))rows, METH_FASTCALL,
                                 "rows(t, y, p, out): the first result of f(t[i], y[i], p) into out[i], for every i."},
                                {NULL, NULL, 0, NULL}};

static void dealloc(PyObject *object)
{
    machine_code *self = (machine_code *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyMem_Free(self->in_size);
    PyMem_Free(self->out_size);
    PyMem_Free(self->spare);
    Py_CLEAR(self->out_sizes);
    Py_CLEAR(self->empty);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Sizes from a tuple; NULL with an error set where they are none. *total: their sum. */
static Py_ssize_t *sizes_of(PyObject *tuple, Py_ssize_t *total)
{
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    Py_ssize_t *sizes = PyMem_Calloc((size_t)count + 1, sizeof *sizes);
    *total = 0;
    if (!sizes) return (Py_ssize_t *)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) {
        sizes[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
        if (sizes[i] < 0 || sizes[i] > INT32_MAX) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a size is negative or larger than memory");
            PyMem_Free(sizes);
            return NULL;
        }
        *total += sizes[i];
    }
    return sizes;
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    (void)args;
    (void)named;
    machine_code *self = (machine_code *)type->tp_alloc(type, 0);
    if (self) self->vectorcall = call;
    return (PyObject *)self;
}

static int init(PyObject *object, PyObject *args, PyObject *named)
{
    static char *names[] = {"address", "in_sizes", "out_sizes", "work_size", "empty", NULL};
    machine_code *self = (machine_code *)object;
    unsigned long long address;
    PyObject *in_sizes, *out_sizes, *empty;
    Py_ssize_t work, outputs;
    if (!PyArg_ParseTupleAndKeywords(args, named, "KO!O!nO:MachineCode", names, &address, &PyTuple_Type, &in_sizes,
                                     &PyTuple_Type, &out_sizes, &work, &empty))
        return -1;
    if (!address || work < 0 || work > INT32_MAX || self->in_size) {
        PyErr_Format(PyExc_ValueError, "no code at address %llu, no working memory of %zd, or code already", address, work);
        return -1;
    }
    Py_ssize_t *in_size = sizes_of(in_sizes, &self->numbers), *out_size = in_size ? sizes_of(out_sizes, &outputs) : NULL;
    if (!out_size) {
        PyMem_Free(in_size);
        return -1;
    }
    self->in_size = in_size;
    self->out_size = out_size;
    self->n_in = PyTuple_GET_SIZE(in_sizes);
    self->n_out = PyTuple_GET_SIZE(out_sizes);
    self->work_size = work;
    self->out_sizes = Py_NewRef(out_sizes);
    self->empty = Py_NewRef(empty);
    self->code = (code_function)(uintptr_t)address;
    return 0;
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(machine_code, vectorcall), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, new},
                              {Py_tp_init, init},
                              {Py_tp_dealloc, dealloc},
                              {Py_tp_call, PyVectorcall_Call},
                              {Py_tp_members, members},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "Machine code that can be called; see compile/native.py."},
                              {0, NULL}};

static PyType_Spec spec = {"linkwork.compile._machine_code.MachineCode", sizeof(machine_code), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, slots};

static PyMethodDef functions[] = {
    {"values_read", lw_values_read, METH_VARARGS,
     "values_read(rows, arity, output, places, x, y): the instructions whose results each one reads."},
    {"first_alike", lw_first_alike, METH_VARARGS,
     "first_alike(op, a, b, kind, same): the first instruction that computes the same as each one."},
    {"places", lw_places, METH_VARARGS, "places(last, needs, place): where values are kept, and how many places."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_machine_code", "Machine code that can be called.", -1,
                                        functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__machine_code(void)
{
    read_name = PyUnicode_InternFromString("read");
    refuse_name = PyUnicode_InternFromString("refuse");
    out_name = PyUnicode_InternFromString("out");
    PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&spec);
    if (!read_name || !refuse_name || !out_name || !module || !type || PyModule_AddObjectRef(module, "MachineCode", type) < 0) {
        Py_XDECREF(module);
        Py_XDECREF(type);
        return NULL;
    }
    Py_DECREF(type);
    PyObject *runner = PyLong_FromVoidPtr((void *)(uintptr_t)lw_tangent_run);
    if (!runner || PyModule_AddObjectRef(module, "TANGENT_RUNNER", runner) < 0 ||
        PyModule_AddIntConstant(module, "TANGENT_WIDTH", LW_TANGENT_WIDTH) < 0) {
        Py_XDECREF(runner);
        Py_DECREF(module);
        return NULL;
    }
    Py_DECREF(runner);
    return module;
}
