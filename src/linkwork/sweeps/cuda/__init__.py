"""Many cases on a graphics card."""
