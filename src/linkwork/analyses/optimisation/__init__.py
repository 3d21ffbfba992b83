"""Parameters that make a scalar of a run smallest."""
