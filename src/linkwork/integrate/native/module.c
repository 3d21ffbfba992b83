/* Makes the library a valid extension module, so that packaging tools build it; it is called through ctypes. */
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", "Integrators, called through ctypes.", -1,
                                        NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&definition); }
