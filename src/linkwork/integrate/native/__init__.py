"""The integrators in C, built as the extension module `_native` beside this file; whole runs are called through ctypes."""
