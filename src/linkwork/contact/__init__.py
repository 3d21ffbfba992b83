"""Rigid contact: rows and modes in the equations, complementarity, impacts, and what touches where."""
