/* Functions of the module `_machine_code` that go through instructions; see stream.py and baseline.py, who call them. */
#ifndef LW_INSTRUCTIONS_H
#define LW_INSTRUCTIONS_H

#include <Python.h>

PyObject *lw_values_read(PyObject *module, PyObject *args);
PyObject *lw_first_alike(PyObject *module, PyObject *args);
PyObject *lw_places(PyObject *module, PyObject *args);

#endif
