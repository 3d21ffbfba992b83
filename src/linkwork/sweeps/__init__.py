"""Many runs: designs, backends (threads, clusters, lanes, graphics cards), Datasets that a crash does not lose; fit."""
