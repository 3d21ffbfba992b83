"""Transfer functions read off a causal graph by Mason's rule."""
