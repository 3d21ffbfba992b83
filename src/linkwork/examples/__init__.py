"""Mechanisms that come with the package: `linkwork run slider-crank`.

Each module has `model(**options)`, how long to run (`DURATION`, s) and what to plot first (`SHOW`).
"""
