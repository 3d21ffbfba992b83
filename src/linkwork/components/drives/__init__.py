"""Electrics, drive trains and heat."""
