"""A look at a model before it runs."""
