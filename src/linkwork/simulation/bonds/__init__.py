"""Power and energy of the bonds of a graph, from a run."""
