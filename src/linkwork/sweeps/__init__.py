"""Many runs: lanes, threads, clusters and graphics cards."""
