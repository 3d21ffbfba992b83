"""From a mechanism to its multibond graph, and from the graph to its equations, in several ways (BND 3.3)."""
