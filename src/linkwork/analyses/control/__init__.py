"""Controllers from a linearisation: `lin.lqr(…)`, `lin.kalman(…)`, and `lin.state_space()` for python-control."""
