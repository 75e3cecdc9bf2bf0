"""Statistics: estimates with intervals, paired ratios, rank tests, quantiles."""
