"""Equations to read and to use elsewhere: text, LaTeX, SymPy, source code."""
