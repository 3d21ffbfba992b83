"""Many runs: designs, backends, and Datasets that a crash does not lose; parameters from measurements."""
