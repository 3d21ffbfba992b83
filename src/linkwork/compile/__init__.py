"""Equations → Program: the instruction stream, machine code and its cache."""
