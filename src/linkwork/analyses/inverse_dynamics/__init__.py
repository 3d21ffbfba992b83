"""The efforts that a given motion needs."""
