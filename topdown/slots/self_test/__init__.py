"""Whether a CPU's events count what they should: held to programs with known answers."""
