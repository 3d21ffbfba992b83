"""Runs: a model, or a bond graph alone, over time.

What happens on the way is one file each in `interruptions`; what a run finds against itself, in `watch`.
"""
