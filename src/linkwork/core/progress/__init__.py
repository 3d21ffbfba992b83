"""Whatever takes long shows what it is doing, in a terminal or in a notebook."""

PATIENCE = 0.5
"""s without a bar: most runs are over by then, and a flicker is worse than nothing."""
