"""FMUs of another program, for tests: a few lines of C that know nothing of Linkwork."""
