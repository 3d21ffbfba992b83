"""The integrators in C, built as the extension module `_native` beside this file and called through ctypes."""
