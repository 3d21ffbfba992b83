"""What bond graphs by themselves are good for: linearise, reduce, invert."""
