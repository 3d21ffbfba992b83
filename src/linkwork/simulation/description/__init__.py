"""The model as a Result carries it, so that plots and pictures need no model."""
