"""Models as FMUs: model exchange and co-simulation in one file, with sources and a library for this machine."""
