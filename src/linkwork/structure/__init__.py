"""Structure of implicit equations: who determines whom, in which order, how often differentiated. No mechanics."""
