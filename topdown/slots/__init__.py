"""Where pipeline slots go: models of CPUs, their formulas, and what counts say by them."""
