"""How components with ports are joined: to each other, to coordinates, to frames."""
