"""Self-test: whether a CPU's events count correctly in programs with known results."""
