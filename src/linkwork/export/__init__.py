"""Equations to read (text, LaTeX, SymPy) and to use elsewhere (C, Python, CasADi): `m.equations(…)`; FMUs."""
