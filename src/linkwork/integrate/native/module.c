/* The library as an extension module. Whole runs are made through ctypes; what is called at every step is here. */
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "run.h"

static const double SLICE = 0.05; /* s of wall time between two looks at Ctrl-C */

/* extend(run, t1, y, renewed, counted) -> status: see lw_run_extend. `run` is what lw_run_create has returned, y a
 * writable buffer of as many doubles as there are states. */
static PyObject *extend(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 5) return PyErr_Format(PyExc_TypeError, "extend takes 5 arguments, %zd were given", count);
    lw_run *run = PyLong_AsVoidPtr(args[0]);
    double t1 = PyFloat_AsDouble(args[1]);
    int renewed = PyObject_IsTrue(args[3]), counted = PyObject_IsTrue(args[4]), status = LW_RUNNING;
    Py_buffer y;
    if (PyErr_Occurred() || PyObject_GetBuffer(args[2], &y, PyBUF_WRITABLE) < 0) return NULL;
    if (!run || y.len != run->n * (Py_ssize_t)sizeof(double)) {
        PyBuffer_Release(&y);
        return PyErr_Format(PyExc_ValueError, "no run, or a buffer of another size than its state");
    }
    if (run->busy) {
        PyBuffer_Release(&y);
        return PyErr_Format(PyExc_RuntimeError, "another thread, or an input of its own, is taking the same run on");
    }
    run->busy = 1;
    while (status == LW_RUNNING) {
        Py_BEGIN_ALLOW_THREADS
        status = lw_run_extend(run, t1, renewed, counted, SLICE, y.buf);
        Py_END_ALLOW_THREADS
        renewed = 0;
        counted = 1;
        if (status == LW_RUNNING && (run->system->cancel || PyErr_CheckSignals() < 0)) break;
    }
    run->busy = 0;
    PyBuffer_Release(&y);
    return PyErr_Occurred() ? NULL : PyLong_FromLong(status);
}

static PyMethodDef methods[] = {{"extend", (PyCFunction)(void (*)(void))extend, METH_FASTCALL, NULL},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", "Integrators.", -1, methods,
                                        NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&definition); }
