"""Moving a mechanism by hand: its joints stay closed, its drives let go."""
