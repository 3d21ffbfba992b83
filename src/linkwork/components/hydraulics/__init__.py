"""Oil: passages, stores, pumps, valves, cylinders."""
