"""Consistent starts: positions and speeds from whatever was said of them."""
