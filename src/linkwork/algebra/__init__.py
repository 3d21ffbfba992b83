"""Linear algebra of constrained systems, symbolic and numeric: KKT systems, elimination, rank, contacts."""
