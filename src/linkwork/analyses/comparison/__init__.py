"""One model in several formulations and with several solvers, side by side."""
