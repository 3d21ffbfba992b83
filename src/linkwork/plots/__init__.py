"""Plots: read a Result, draw it, know nothing of how it was made. Matplotlib is imported when something is drawn."""
