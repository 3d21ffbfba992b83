"""The integrators in C, built as the extension module `_native` beside this file; most is called through ctypes."""
