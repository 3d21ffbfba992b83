"""Signals: controllers, filters, sampling, sensors."""
