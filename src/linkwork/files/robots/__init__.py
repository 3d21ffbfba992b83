"""Descriptions of robots and scenes by others: URDF and MJCF, read into models, with a report of what was not taken."""
